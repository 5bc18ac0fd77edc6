"""Eiderdown finds the Markov boundary of a variable, and says why.

    >>> import eiderdown
    >>> data = eiderdown.networks.load("asia").sample(5_000, random_state=0)
    >>> boundary = eiderdown.find_boundary(data, target="dysp")
    >>> sorted(boundary.members)
    ['bronc', 'either']

Everything named here is imported when first used, so that ``import eiderdown`` stays quick.
"""

from typing import TYPE_CHECKING

from eiderdown.lazy import imported_when_used

if TYPE_CHECKING:
    from eiderdown import confidence as confidence
    from eiderdown import estimators as estimators
    from eiderdown import export as export
    from eiderdown import graphs as graphs
    from eiderdown import independence as independence
    from eiderdown import manipulation as manipulation
    from eiderdown import networks as networks
    from eiderdown import testing as testing
    from eiderdown.api import boundary_path as boundary_path
    from eiderdown.api import check_boundary as check_boundary
    from eiderdown.api import compare_selectors as compare_selectors
    from eiderdown.api import find_all_boundaries as find_all_boundaries
    from eiderdown.api import find_boundaries as find_boundaries
    from eiderdown.api import find_boundary as find_boundary
    from eiderdown.api import find_causes as find_causes
    from eiderdown.api import find_interactions as find_interactions
    from eiderdown.api import find_parents_children as find_parents_children
    from eiderdown.api import learn_network as learn_network
    from eiderdown.api import learn_region as learn_region
    from eiderdown.api import learn_skeleton as learn_skeleton
    from eiderdown.api import measure_confidence as measure_confidence
    from eiderdown.api import measure_optima as measure_optima
    from eiderdown.api import measure_stability as measure_stability
    from eiderdown.api import predict as predict
    from eiderdown.api import read_skeleton as read_skeleton
    from eiderdown.api import test as test
    from eiderdown.data import Dataset as Dataset
    from eiderdown.data import Kind as Kind
    from eiderdown.data import remove_stores as remove_stores
    from eiderdown.data import stores as stores
    from eiderdown.errors import EiderdownError as EiderdownError
    from eiderdown.errors import EiderdownWarning as EiderdownWarning
    from eiderdown.graphs import DAG as DAG
    from eiderdown.graphs import PDAG as PDAG
    from eiderdown.knowledge import Knowledge as Knowledge
    from eiderdown.results import AllBoundaries as AllBoundaries
    from eiderdown.results import Boundaries as Boundaries
    from eiderdown.results import BoundaryCheck as BoundaryCheck
    from eiderdown.results import BoundaryPath as BoundaryPath
    from eiderdown.results import ColumnScreen as ColumnScreen
    from eiderdown.results import EdgeStability as EdgeStability
    from eiderdown.results import Evidence as Evidence
    from eiderdown.results import FeatureConfidence as FeatureConfidence
    from eiderdown.results import IndependenceAnswer as IndependenceAnswer
    from eiderdown.results import Interactions as Interactions
    from eiderdown.results import LearnedNetwork as LearnedNetwork
    from eiderdown.results import LearnedRegion as LearnedRegion
    from eiderdown.results import LearnedSkeleton as LearnedSkeleton
    from eiderdown.results import MarkovBoundary as MarkovBoundary
    from eiderdown.results import OptimaBySize as OptimaBySize
    from eiderdown.results import Orientation as Orientation
    from eiderdown.results import ParentsChildren as ParentsChildren
    from eiderdown.results import Predictions as Predictions
    from eiderdown.results import ResultChanges as ResultChanges
    from eiderdown.results import SelectorComparison as SelectorComparison
    from eiderdown.results import compare_results as compare_results
    from eiderdown.results import load_result as load_result
else:
    __getattr__, __dir__, __all__ = imported_when_used(
        __name__,
        {
            "api": (
                "boundary_path check_boundary compare_selectors find_all_boundaries "
                "find_boundaries find_boundary find_causes find_interactions find_parents_children "
                "learn_network learn_region learn_skeleton measure_confidence measure_optima "
                "measure_stability predict read_skeleton test"
            ),
            "confidence": "confidence",
            "data": "Dataset Kind remove_stores stores",
            "errors": "EiderdownError EiderdownWarning",
            "estimators": "estimators",
            "export": "export",
            "graphs": "graphs DAG PDAG",
            "independence": "independence",
            "knowledge": "Knowledge",
            "manipulation": "manipulation",
            "networks": "networks",
            "results": (
                "AllBoundaries Boundaries BoundaryCheck BoundaryPath ColumnScreen EdgeStability "
                "Evidence FeatureConfidence IndependenceAnswer Interactions LearnedNetwork "
                "LearnedRegion LearnedSkeleton MarkovBoundary OptimaBySize Orientation "
                "ParentsChildren Predictions ResultChanges SelectorComparison compare_results "
                "load_result"
            ),
            "testing": "testing",
        },
    )
    __all__.append("__version__")

__version__ = "0.1.0"
