"""Any result for people, as text."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from rich.console import Console

from eiderdown.report.boundary_check import render_check
from eiderdown.report.causes import render_orientation
from eiderdown.report.changes import render_changes
from eiderdown.report.local import render_all, render_answer, render_boundaries, render_local
from eiderdown.report.networks import (
    render_confidence,
    render_graph,
    render_optima,
    render_stability,
)
from eiderdown.report.path import render_path
from eiderdown.report.prediction import render_predictions
from eiderdown.report.skeleton import render_skeleton
from eiderdown.report.svm import render_comparison, render_interactions
from eiderdown.results import (
    AllBoundaries,
    Boundaries,
    BoundaryCheck,
    BoundaryPath,
    EdgeStability,
    FeatureConfidence,
    IndependenceAnswer,
    Interactions,
    LearnedGraph,
    LearnedSkeleton,
    LocalResult,
    OptimaBySize,
    Orientation,
    Predictions,
    Result,
    ResultChanges,
    SelectorComparison,
)

_RENDERERS: tuple[tuple[type[Result], Callable[[Any, Console], None]], ...] = (
    (AllBoundaries, render_all),
    (Boundaries, render_boundaries),
    (BoundaryCheck, render_check),
    (SelectorComparison, render_comparison),
    (IndependenceAnswer, render_answer),
    (Interactions, render_interactions),
    (LearnedGraph, render_graph),
    (LearnedSkeleton, render_skeleton),
    (EdgeStability, render_stability),
    (FeatureConfidence, render_confidence),
    (OptimaBySize, render_optima),
    (Orientation, render_orientation),
    (Predictions, render_predictions),
    (BoundaryPath, render_path),
    (ResultChanges, render_changes),
)


def render(result: Result, console: Console, truth: Collection[str] | None = None) -> None:
    """Print a result of any kind.

    Parameters
    ----------
    result : Result
        What was found. Its warnings are left to the caller.
    console : rich.console.Console
        Where to print.
    truth : collection of str or None
        The true members around a single target, where they are known.
    """
    if isinstance(result, LocalResult):
        render_local(result, console, truth)
        return
    for kind, write in _RENDERERS:
        if isinstance(result, kind):
            write(result, console)
