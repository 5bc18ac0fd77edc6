"""Scores of graphs: local, decomposable, computed in sweeps and remembered."""

from eiderdown.scores.base import LocalScore, ScoreCounts
from eiderdown.scores.dirichlet import BdeuScore, K2Score, PenalisedK2Score
from eiderdown.scores.discrete import DiscreteScore
from eiderdown.scores.gaussian import BgeScore, GaussianBicScore
from eiderdown.scores.kernel_variance import KernelVarianceScore
from eiderdown.scores.likelihood import AicScore, BicScore
from eiderdown.scores.registry import SCORES, make_score
from eiderdown.scores.weighted import WeightedCounts
from eiderdown.scores.weighted_score import WeightedScore

__all__ = [
    "SCORES",
    "AicScore",
    "BdeuScore",
    "BgeScore",
    "BicScore",
    "DiscreteScore",
    "GaussianBicScore",
    "K2Score",
    "KernelVarianceScore",
    "LocalScore",
    "PenalisedK2Score",
    "ScoreCounts",
    "WeightedCounts",
    "WeightedScore",
    "make_score",
]
