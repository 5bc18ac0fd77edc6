"""The one place that wires data, statistics, evidence and search together."""

from typing import TYPE_CHECKING

from eiderdown.lazy import imported_when_used

if TYPE_CHECKING:
    from eiderdown.api.boundary import find_all_boundaries as find_all_boundaries
    from eiderdown.api.boundary import find_boundary as find_boundary
    from eiderdown.api.boundary import find_parents_children as find_parents_children
    from eiderdown.api.boundary_check import check_boundary as check_boundary
    from eiderdown.api.causes import find_causes as find_causes
    from eiderdown.api.compare import compare_selectors as compare_selectors
    from eiderdown.api.confidence import measure_confidence as measure_confidence
    from eiderdown.api.confidence import measure_optima as measure_optima
    from eiderdown.api.independence import test as test
    from eiderdown.api.interactions import find_interactions as find_interactions
    from eiderdown.api.learners import LEARNERS as LEARNERS
    from eiderdown.api.learners import measure_stability as measure_stability
    from eiderdown.api.multiplicity import find_boundaries as find_boundaries
    from eiderdown.api.network import learn_network as learn_network
    from eiderdown.api.network import learn_region as learn_region
    from eiderdown.api.new_rows import predict as predict
    from eiderdown.api.path import boundary_path as boundary_path
    from eiderdown.api.skeleton import learn_skeleton as learn_skeleton
    from eiderdown.api.skeleton_file import SkeletonEdges as SkeletonEdges
    from eiderdown.api.skeleton_file import read_skeleton as read_skeleton
else:
    __getattr__, __dir__, __all__ = imported_when_used(
        __name__,
        {
            "boundary": "find_all_boundaries find_boundary find_parents_children",
            "boundary_check": "check_boundary",
            "causes": "find_causes",
            "compare": "compare_selectors",
            "confidence": "measure_confidence measure_optima",
            "independence": "test",
            "interactions": "find_interactions",
            "learners": "LEARNERS measure_stability",
            "multiplicity": "find_boundaries",
            "network": "learn_network learn_region",
            "new_rows": "predict",
            "path": "boundary_path",
            "skeleton": "learn_skeleton",
            "skeleton_file": "SkeletonEdges read_skeleton",
        },
    )
