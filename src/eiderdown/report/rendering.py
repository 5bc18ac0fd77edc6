"""Any result for people, as text."""

from __future__ import annotations

from collections.abc import Collection

from rich.console import Console

from eiderdown.report.comparison import render_comparison
from eiderdown.report.confidence import render_confidence
from eiderdown.report.interactions import render_interactions
from eiderdown.report.many import render_all, render_boundaries
from eiderdown.report.networks import render_graph
from eiderdown.report.optima import render_optima
from eiderdown.report.stability import render_stability
from eiderdown.report.text import render_local
from eiderdown.results import (
    AllBoundaries,
    AnyResult,
    Boundaries,
    EdgeStability,
    FeatureConfidence,
    Interactions,
    LearnedGraph,
    OptimaBySize,
    SelectorComparison,
)


def render(result: AnyResult, console: Console, truth: Collection[str] | None = None) -> None:
    """Print a result of any kind.

    Parameters
    ----------
    result : AnyResult
        What was found. Its warnings are left to the caller.
    console : rich.console.Console
        Where to print.
    truth : collection of str or None
        The true members around a single target, where they are known.
    """
    if isinstance(result, AllBoundaries):
        render_all(result, console)
    elif isinstance(result, Boundaries):
        render_boundaries(result, console)
    elif isinstance(result, SelectorComparison):
        render_comparison(result, console)
    elif isinstance(result, Interactions):
        render_interactions(result, console)
    elif isinstance(result, LearnedGraph):
        render_graph(result, console)
    elif isinstance(result, EdgeStability):
        render_stability(result, console)
    elif isinstance(result, FeatureConfidence):
        render_confidence(result, console)
    elif isinstance(result, OptimaBySize):
        render_optima(result, console)
    else:
        render_local(result, console, truth)
