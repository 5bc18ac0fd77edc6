"""Eiderdown as scikit-learn estimators."""

from eiderdown.estimators.causal_predictor import CausalPredictor
from eiderdown.estimators.discretisers import (
    EqualFrequencyDiscretiser,
    EqualWidthDiscretiser,
    HarteminkDiscretiser,
    MDLDiscretiser,
)
from eiderdown.estimators.explainer import PolynomialSVMExplainer, SVMExplanation
from eiderdown.estimators.feature_space_selector import FeatureSpaceSelector
from eiderdown.estimators.narrowing import BoundaryWrapper, PolynomialRFE, ReliefSelector
from eiderdown.estimators.network_learner import BayesianNetworkLearner
from eiderdown.estimators.scaling import MixedScaler
from eiderdown.estimators.selector import (
    MarkovBoundarySelector,
    ParentsChildrenSelector,
    RegionSelector,
)
from eiderdown.estimators.spatial_noise import SpatialNoiseRemover

__all__ = [
    "BayesianNetworkLearner",
    "BoundaryWrapper",
    "CausalPredictor",
    "EqualFrequencyDiscretiser",
    "EqualWidthDiscretiser",
    "FeatureSpaceSelector",
    "HarteminkDiscretiser",
    "MDLDiscretiser",
    "MarkovBoundarySelector",
    "MixedScaler",
    "ParentsChildrenSelector",
    "PolynomialRFE",
    "PolynomialSVMExplainer",
    "RegionSelector",
    "ReliefSelector",
    "SVMExplanation",
    "SpatialNoiseRemover",
]
