"""Reading a saved result without knowing what it is."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

from eiderdown.errors import ResultFormatError
from eiderdown.results.all_boundaries import AllBoundaries
from eiderdown.results.comparison import SelectorComparison
from eiderdown.results.confidence import FeatureConfidence
from eiderdown.results.interactions import Interactions
from eiderdown.results.local import LocalResult, MarkovBoundary, ParentsChildren
from eiderdown.results.multiplicity import Boundaries
from eiderdown.results.networks import LearnedGraph, LearnedNetwork, LearnedRegion
from eiderdown.results.optima import OptimaBySize
from eiderdown.results.stability import EdgeStability
from eiderdown.results.stored import in_file, not_a_result, read_text, record_in

AnyResult: TypeAlias = (
    LocalResult
    | AllBoundaries
    | Boundaries
    | Interactions
    | SelectorComparison
    | LearnedGraph
    | EdgeStability
    | FeatureConfidence
    | OptimaBySize
)

_KINDS: dict[str, type[AnyResult]] = {
    f"eiderdown.{kind.kind}": kind
    for kind in (
        MarkovBoundary,
        ParentsChildren,
        AllBoundaries,
        Boundaries,
        Interactions,
        SelectorComparison,
        LearnedNetwork,
        LearnedRegion,
        EdgeStability,
        FeatureConfidence,
        OptimaBySize,
    )
}


def load_result(path: str | Path) -> AnyResult:
    """Read a saved result of any kind."""
    text = read_text(path)
    try:
        record = record_in(text, "result")
        kind = _KINDS.get(str(record.get("format")))
        if kind is None:
            raise not_a_result("result", "it does not say that it is one of Eiderdown's")
        return kind.from_dict(record)
    except ResultFormatError as problem:
        raise in_file(path, problem) from problem
