"""What the page of a result shows: a plain view model for each kind of result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eiderdown.report.html.arrange.causes import arrange_orientation
from eiderdown.report.html.arrange.changes import arrange_changes, arrange_path
from eiderdown.report.html.arrange.check import arrange_check
from eiderdown.report.html.arrange.confidence import arrange_confidence, arrange_optima
from eiderdown.report.html.arrange.framing import framed
from eiderdown.report.html.arrange.graphs import arrange_graph, arrange_stability
from eiderdown.report.html.arrange.local import arrange_answer, arrange_local
from eiderdown.report.html.arrange.many import arrange_all, arrange_boundaries
from eiderdown.report.html.arrange.predicting import arrange_predictions
from eiderdown.report.html.arrange.skeleton import arrange_skeleton
from eiderdown.report.html.arrange.svm import arrange_comparison, arrange_interactions
from eiderdown.report.html.view import Page
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

ARRANGERS: tuple[tuple[type[Result], Callable[[Any], Page]], ...] = (
    (LocalResult, arrange_local),
    (AllBoundaries, arrange_all),
    (Boundaries, arrange_boundaries),
    (SelectorComparison, arrange_comparison),
    (IndependenceAnswer, arrange_answer),
    (BoundaryCheck, arrange_check),
    (Interactions, arrange_interactions),
    (LearnedGraph, arrange_graph),
    (LearnedSkeleton, arrange_skeleton),
    (EdgeStability, arrange_stability),
    (FeatureConfidence, arrange_confidence),
    (OptimaBySize, arrange_optima),
    (Orientation, arrange_orientation),
    (Predictions, arrange_predictions),
    (BoundaryPath, arrange_path),
    (ResultChanges, arrange_changes),
)


def arrange(result: Result) -> Page:
    """Arrange a result of any kind.

    Examples
    --------
    >>> from eiderdown.results import MarkovBoundary, Run
    >>> arrange(MarkovBoundary("pay", (), (), Run.of("iamb", None, {}))).title
    'Markov boundary of pay'
    """
    for kind, arranger in ARRANGERS:
        if isinstance(result, kind):
            return arranger(result)
    return framed(
        result,
        what=result.kind.replace("_", " ").capitalize(),
        subject="",
        question="This kind of result has no page of its own.",
        answer="The saved JSON holds all of it.",
        figures=(),
        sections=(),
    )
