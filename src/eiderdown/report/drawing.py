"""Which pictures each kind of result has, by name, and how one is asked for.

All of them draw on axes; the files that the command line writes are the same drawings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any, TypeAlias

from eiderdown.errors import OptionError
from eiderdown.graphs.metrics import FeatureGroup
from eiderdown.report import bars, evidence_bars, graph_plot, path_plot, plots
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
    MarkovBoundary,
    OptimaBySize,
    Orientation,
    ParentsChildren,
    Predictions,
    Result,
    ResultChanges,
    SelectorComparison,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Draw: TypeAlias = Callable[..., "Axes"]


def draw(result: Result, what: str | None = None, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw a result and return the axes.

    Parameters
    ----------
    result : Result
        What was found.
    what : str or None
        The name of the picture (see :data:`PICTURES`); None for the first of its kind.
    ax : matplotlib axes or None
        Where to draw; None for axes in a new figure, which a notebook shows.
    **options
        What the picture takes beyond that.

    Examples
    --------
    >>> from eiderdown import find_boundary, networks
    >>> found = find_boundary(networks.load("asia").sample(5_000, random_state=0), target="dysp")
    >>> found.plot("evidence").get_xlabel()
    '-log10 p (dashed: alpha 0.01)'
    >>> found.plot("map")
    Traceback (most recent call last):
    eiderdown.errors.OptionError: what must be one of 'graph', 'evidence', 'probabilities', \
'prediction', not 'map'.
    """
    known = pictures_of(result)
    name = next(iter(known), None) if what is None else what
    if name is None:
        raise OptionError(f"There is no picture of a {type(result).__name__}; use to_frame().")
    if name not in known:
        names = ", ".join(map(repr, known))
        raise OptionError(f"what must be one of {names}, not {name!r}.")
    drawing = known[name]
    _check_options(drawing, name, options)
    return drawing(result, ax, **options)


def pictures_of(result: Result) -> Mapping[str, Draw]:
    """Return the pictures of a kind of result, by name."""
    return next((found for kind, found in PICTURES.items() if isinstance(result, kind)), {})


def _check_options(drawing: Draw, name: str, options: Mapping[str, Any]) -> None:
    taken = list(signature(drawing).parameters)[2:]
    for option in options:
        if option not in taken:
            legal = ", ".join(map(repr, taken)) or "no options"
            raise OptionError(f"Picture {name!r} takes {legal}, not {option!r}.")


# --- pictures of one panel of what the command line draws in several -----------------------------


def _frequencies(result: Boundaries, ax: Axes | None = None) -> Axes:
    """Draw in how many runs each boundary was found."""
    axes = _new(ax, 6.5, 1.2 + 0.24 * min(plots.N_BARS, max(2, len(result))))
    plots.draw_frequencies(axes, result)
    return axes


def _trade_off(
    result: FeatureConfidence, ax: Axes | None = None, *, group: FeatureGroup | None = None
) -> Axes:
    """Draw false positives against false negatives of a group as the threshold moves."""
    axes = _new(ax, 5.0, 4.2)
    plots.draw_curve(axes, result, result.groups[0] if group is None else group)
    return axes


def _models(result: OptimaBySize, ax: Axes | None = None) -> Axes:
    """Draw how many distinct models were found against the share of the rows."""
    axes = _new(ax, 6.5, 4.2)
    plots.draw_optima(axes, {"": result})
    return axes


def _new(ax: Axes | None, width: float, height: float) -> Axes:
    from eiderdown.report.canvas import axes_of

    return axes_of(width, height) if ax is None else ax


PICTURES: Mapping[type[Result], Mapping[str, Draw]] = {
    MarkovBoundary: {
        "graph": graph_plot.draw_local,
        "evidence": evidence_bars.draw_evidence,
        "probabilities": bars.draw_probabilities,
        "prediction": bars.draw_prediction,
    },
    ParentsChildren: {
        "graph": graph_plot.draw_local,
        "evidence": evidence_bars.draw_evidence,
        "probabilities": bars.draw_probabilities,
    },
    AllBoundaries: {"sizes": bars.draw_sizes, "graph": graph_plot.draw_boundaries},
    Boundaries: {
        "frequencies": _frequencies,
        "members": bars.draw_member_counts,
        "substitutions": bars.draw_substitutions,
    },
    LearnedGraph: {"graph": graph_plot.draw_learned, "evidence": evidence_bars.draw_edge_evidence},
    LearnedSkeleton: {"degrees": bars.draw_degrees},
    EdgeStability: {
        "frequencies": bars.draw_edge_frequencies,
        "graph": graph_plot.draw_consensus,
    },
    FeatureConfidence: {
        "graph": graph_plot.draw_confident,
        "confidence": bars.draw_confidences,
        "trade_off": _trade_off,
    },
    OptimaBySize: {"models": _models},
    Orientation: {"roles": bars.draw_roles, "graph": graph_plot.draw_orientation},
    Interactions: {"evidence": evidence_bars.draw_monomial_evidence, "weights": bars.draw_weights},
    SelectorComparison: {"scores": bars.draw_scores},
    Predictions: {"predictions": bars.draw_predictions},
    IndependenceAnswer: {"evidence": evidence_bars.draw_answer},
    BoundaryCheck: {"evidence": evidence_bars.draw_evidence},
    BoundaryPath: {"path": path_plot.draw_path},
    ResultChanges: {"changes": bars.draw_changes},
}
"""The pictures of each kind of result, by name; the first is drawn if none is named."""
