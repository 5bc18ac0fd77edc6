"""Scores of graphs: local, decomposable, computed in sweeps and remembered."""

from eiderdown.scores.base import LocalScore, ScoreCounts, checked_params
from eiderdown.scores.degenerate_gaussian import DegenerateGaussianScore
from eiderdown.scores.discrete import DiscreteScore
from eiderdown.scores.gaussian import BgeScore, GaussianBicScore
from eiderdown.scores.kernel_variance import KernelVarianceScore
from eiderdown.scores.marginal_likelihood import BdeuScore, K2Score, PenalisedK2Score
from eiderdown.scores.missing import NodeAverageScore
from eiderdown.scores.penalised_likelihood import AicScore, BicScore, LikelihoodScore
from eiderdown.scores.qnml import QnmlScore
from eiderdown.scores.registry import (
    AIC,
    BDEU,
    BGE,
    BIC,
    DEGENERATE_GAUSSIAN,
    GAUSSIAN_BIC,
    K2,
    K2_PENALISED,
    KGV,
    QNML,
    SCORES,
    ScoreSource,
    make_score,
    takes_mixed,
)
from eiderdown.scores.weighted import WeightedCounts, WeightedScore

__all__ = [
    "AIC",
    "BDEU",
    "BGE",
    "BIC",
    "DEGENERATE_GAUSSIAN",
    "GAUSSIAN_BIC",
    "K2",
    "K2_PENALISED",
    "KGV",
    "QNML",
    "SCORES",
    "AicScore",
    "BdeuScore",
    "BgeScore",
    "BicScore",
    "DegenerateGaussianScore",
    "DiscreteScore",
    "GaussianBicScore",
    "K2Score",
    "KernelVarianceScore",
    "LikelihoodScore",
    "LocalScore",
    "NodeAverageScore",
    "PenalisedK2Score",
    "QnmlScore",
    "ScoreCounts",
    "ScoreSource",
    "WeightedCounts",
    "WeightedScore",
    "checked_params",
    "make_score",
    "takes_mixed",
]
