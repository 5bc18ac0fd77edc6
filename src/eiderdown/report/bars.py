"""Pictures of bars: shares, frequencies, scores, weights.

Each draws on given axes, or on new ones that are as high as there are bars. Matplotlib is imported
when the first one is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eiderdown.errors import OptionError
from eiderdown.graphs.metrics import FeatureGroup
from eiderdown.report.plots import COLOUR, N_BARS
from eiderdown.report.text import counted, cut_off
from eiderdown.results import (
    AllBoundaries,
    Boundaries,
    EdgeStability,
    FeatureConfidence,
    Interactions,
    LearnedSkeleton,
    LocalResult,
    MarkovBoundary,
    Orientation,
    Predictions,
    ResultChanges,
    SelectorComparison,
)
from eiderdown.terminal import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PALE, WARM = "#b9c4d3", "#c0563a"
_LONGEST_LABEL = 40
_N_SUBSTITUTES = 3  # of each member, the most frequent


@dataclass(frozen=True)
class Bar:
    """One bar: its name, how long it is, its colour, and what is written at its end."""

    label: str
    value: float
    colour: str = COLOUR
    note: str = ""
    error: float = 0.0


def draw_bars(bars: Sequence[Bar], ax: Axes | None, xlabel: str, title: str) -> Axes:
    """Draw bars from top to bottom, the first of them if there are many."""
    shown = bars[:N_BARS]
    axes = ax if ax is not None else new_axes(len(shown))
    places = list(range(len(shown)))
    errors = [bar.error for bar in shown] if any(bar.error for bar in shown) else None
    axes.barh(
        places,
        [bar.value for bar in shown],
        xerr=errors,
        height=0.7,
        color=[bar.colour for bar in shown],
        error_kw={"linewidth": 1.0},
    )
    for place, bar in zip(places, shown, strict=True):
        at, past = (bar.value + bar.error, place), (4 if bar.value >= 0.0 else -4, 0)
        side = "left" if bar.value >= 0.0 else "right"
        axes.annotate(
            bar.note, at, past, textcoords="offset points", va="center", ha=side, fontsize=7,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6} if bar.note else None,
        )  # fmt: skip
    name_bars(axes, [bar.label for bar in shown], xlabel)
    more = f", the first {N_BARS} of {len(bars):,}" if len(bars) > N_BARS else ""
    axes.set_title(f"{title}{more}", fontsize=10, parse_math=False)
    return axes


def new_axes(n_bars: int) -> Axes:
    """Return new axes with room for so many bars."""
    from eiderdown.report.canvas import axes_of

    return axes_of(6.5, 1.0 + 0.24 * max(n_bars, 2))


def name_bars(axes: Axes, labels: Sequence[str], xlabel: str) -> None:
    """Name bars and the axis below them; nothing in a name is taken for mathematics."""
    shown = [cut_off(visible(label), _LONGEST_LABEL) for label in labels]
    axes.set_yticks(list(range(len(shown))), shown, fontsize=8)
    for text in axes.get_yticklabels():
        text.set_parse_math(False)
    axes.set_ylim(max(1, len(shown)) - 0.5, -0.5)
    if not shown:
        axes.text(0.5, 0.5, "none", transform=axes.transAxes, ha="center", va="center")
    axes.set_xlabel(xlabel, fontsize=9)
    axes.tick_params(axis="x", labelsize=8)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.margins(x=0.12)


# --- shares and frequencies ----------------------------------------------------------------------


def draw_probabilities(result: LocalResult, ax: Axes | None = None) -> Axes:
    """Draw how likely each column is a member."""
    if not result.probabilities:
        raise OptionError(
            f"{result.run.algorithm!r} does not say how likely members are; draw 'evidence', or "
            "find the boundary by 'consensus'."
        )
    members = set(result.members)
    some = [x for x, share in result.probabilities.items() if share >= 0.005 or x in members]
    ordered = sorted((-result.probabilities[x], x) for x in some)
    bars = [
        Bar(name, -share, COLOUR if name in members else PALE, f"{-share:.0%}")
        for share, name in ordered
    ]
    title = f"How likely columns are members around {quoted(result.target)}"
    return _of_shares(draw_bars(bars, ax, "probability", title))


def draw_changes(result: ResultChanges, ax: Axes | None = None) -> Axes:
    """Draw how much entered, left, changed, and stayed the same."""
    counts = {sort: len(result.of_sort(sort)) for sort in ("entered", "left", "changed")}
    colours = {"entered": COLOUR, "left": WARM, "changed": PALE}
    bars = [Bar(sort, n, colours[sort], f"{n:,}") for sort, n in counts.items()]
    bars.append(Bar("the same", result.n_same, PALE, f"{result.n_same:,}"))
    return _of_counts(draw_bars(bars, ax, "members, edges or features", "What changed"))


def draw_sizes(result: AllBoundaries, ax: Axes | None = None) -> Axes:
    """Draw how many members each target has, most first."""
    sizes = sorted((-len(found.members), target) for target, found in result.items())
    bars = [Bar(target, -size, note=f"{-size:,}") for size, target in sizes]
    return _of_counts(draw_bars(bars, ax, "members", "Members by target"))


def draw_degrees(result: LearnedSkeleton, ax: Axes | None = None) -> Axes:
    """Draw how many columns have no edge, one, two, and so on."""
    counts = enumerate(result.degree_counts)
    bars = [Bar(counted(degree, "edge"), n, note=f"{n:,}") for degree, n in counts]
    return _of_counts(draw_bars(bars, ax, "columns", "Columns by their number of edges"))


def draw_member_counts(result: Boundaries, ax: Axes | None = None) -> Axes:
    """Draw in what share of the runs each column was a member."""
    first = set(result.alternatives[0].members) if result.alternatives else set()
    bars = [
        Bar(name, n / result.n_runs, COLOUR if name in first else PALE, f"{n:,}")
        for name, n in result.member_counts.items()
    ]
    title = f"Members of boundaries of {quoted(result.target)} in {result.n_runs:,} runs"
    return _of_shares(draw_bars(bars, ax, "share of the runs", title))


def draw_substitutions(result: Boundaries, ax: Axes | None = None) -> Axes:
    """Draw in how many runs each member was found, and below it what was found instead."""
    bars = []
    for item in result.substitutions:
        if item.by:
            bars.append(Bar(item.member, item.n_runs, note=f"{item.n_runs:,}"))
            most = list(item.by.items())[:_N_SUBSTITUTES]
            bars += [Bar(f"or {x}", n, PALE, f"{n:,}") for x, n in most]
    title = f"What stands for members of the boundary of {quoted(result.target)}"
    return _of_counts(draw_bars(bars, ax, f"runs, of {result.n_runs:,}", title))


def draw_confidences(
    result: FeatureConfidence, ax: Axes | None = None, *, group: FeatureGroup | None = None
) -> Axes:
    """Draw the confidence in each feature of a group; those of the reference are dark."""
    chosen = result.groups[0] if group is None else group
    features = sorted(result.of_group(chosen), key=lambda f: (-f.confidence, f.left, f.right))
    bars = [
        Bar(str(f), f.confidence, COLOUR if f.in_model else PALE, f"{f.confidence:.0%}")
        for f in features
    ]
    axes = draw_bars(bars, ax, "confidence", f"Confidence in {chosen}")
    axes.axvline(result.suggested_threshold(chosen), color=WARM, linewidth=1.0, linestyle="--")
    return _of_shares(axes)


def draw_edge_frequencies(result: EdgeStability, ax: Axes | None = None) -> Axes:
    """Draw how often each edge came back, and with which direction."""
    labels = [f"{edge.left}, {edge.right}" for edge in result.edges]
    shares = {
        "left to right": ([edge.forward for edge in result.edges], COLOUR),
        "right to left": ([edge.backward for edge in result.edges], WARM),
        "no direction": ([edge.undirected for edge in result.edges], PALE),
    }
    title = f"Edges in {result.n_resamples:,} resamples"
    return _stacked(labels, shares, ax, "share of the resamples", title)


def draw_roles(result: Orientation, ax: Axes | None = None) -> Axes:
    """Draw how likely each neighbour is a cause, undecided, or an effect."""
    roles = result.neighbours
    shares = {
        "cause": ([role.cause for role in roles], COLOUR),
        "undecided": ([role.undecided for role in roles], PALE),
        "effect": ([role.effect for role in roles], WARM),
    }
    title = f"Neighbours of {quoted(result.target)}"
    return _stacked([role.name for role in roles], shares, ax, "probability", title)


def _stacked(
    labels: Sequence[str],
    shares: Mapping[str, tuple[Sequence[float], str]],
    ax: Axes | None,
    xlabel: str,
    title: str,
) -> Axes:
    n = min(N_BARS, len(labels))
    axes = ax if ax is not None else new_axes(n + 1)
    starts = [0.0] * n
    for meaning, (values, colour) in shares.items():
        axes.barh(list(range(n)), values[:n], left=starts, height=0.7, color=colour, label=meaning)
        starts = [start + value for start, value in zip(starts, values, strict=False)]
    name_bars(axes, labels[:n], xlabel)
    more = f", the first {N_BARS} of {len(labels):,}" if len(labels) > N_BARS else ""
    axes.set_title(f"{title}{more}", fontsize=10, parse_math=False)
    axes.legend(
        loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8, frameon=False, borderaxespad=0.0
    )
    axes.set_xlim(0.0, 1.0)
    return axes


def _of_shares(axes: Axes) -> Axes:
    axes.set_xlim(0.0, 1.12)
    axes.set_xticks([0.0, 0.25, 0.5, 0.75, 1.0])
    return axes


def _of_counts(axes: Axes) -> Axes:
    axes.locator_params(axis="x", integer=True)
    return axes


# --- scores, weights, predictions ----------------------------------------------------------------


def draw_prediction(result: MarkovBoundary, ax: Axes | None = None) -> Axes:
    """Draw how well nested sets of columns predict, with 95% intervals; the chosen one is dark."""
    found = result.prediction
    if found is None:
        raise OptionError(
            "It was not measured how well this boundary predicts; ask find_boundary with "
            "check_prediction=True."
        )
    axes = ax if ax is not None else new_axes(len(found.sets))
    for place, judged in enumerate(found.sets):
        colour = COLOUR if judged.name == found.chosen.name else PALE
        axes.plot([judged.low, judged.high], [place] * 2, color=colour, linewidth=2.0)
        axes.plot([judged.score], [place], "o", color=colour)
    labels = [f"{judged.name} ({judged.n_columns:,})" for judged in found.sets]
    name_bars(axes, labels, f"{found.measure}, with 95% intervals")
    axes.set_title(f"Columns that predict {quoted(result.target)}", fontsize=10, parse_math=False)
    return axes


def draw_weights(result: Interactions, ax: Axes | None = None) -> Axes:
    """Draw the weights of the kept monomials in the SVM, the largest first."""
    items = sorted(result.monomials, key=lambda item: (-abs(item.weight), item.name))
    bars = [
        Bar(item.name, item.weight, WARM if item.weight < 0 else COLOUR, f"{item.weight:.3g}")
        for item in items
    ]
    axes = draw_bars(bars, ax, "weight in the SVM", f"Monomials around {quoted(result.target)}")
    axes.axvline(0.0, color="black", linewidth=0.8)
    return axes


def draw_scores(result: SelectorComparison, ax: Axes | None = None) -> Axes:
    """Draw the score of each selector with its standard error, the best first."""
    rows = [(row, row.score) for row in result if row.score is not None]
    rows.sort(key=lambda item: (-item[1], item[0].name))
    bars = [
        Bar(row.name, score, COLOUR, f"{score:.3f}", row.standard_error or 0.0)
        for row, score in rows
    ]
    axes = draw_bars(bars, ax, result.measure, f"Selectors for {quoted(result.target)}")
    least = min((score for _, score in rows), default=0.0)
    axes.set_xlim(min(0.0, least * 1.1), 1.35 * max(1.0, *(score for _, score in rows), 0.0))
    return axes


def draw_predictions(result: Predictions, ax: Axes | None = None) -> Axes:
    """Draw how often each class was predicted, or how predicted numbers are distributed."""
    title = f"Predictions of {quoted(result.target)} for {len(result):,} rows"
    if result.task == "classification":
        counts = _counted(result.values)
        bars = [Bar(label, n, note=f"{n:,}") for label, n in counts.items()]
        return _of_counts(draw_bars(bars, ax, "rows", title))
    from eiderdown.report.canvas import axes_of

    axes = ax if ax is not None else axes_of(6.5, 3.5)
    axes.hist(list(result.values), bins=30, color=COLOUR, edgecolor="white")
    axes.set_xlabel(visible(result.target), parse_math=False)
    axes.set_ylabel("rows")
    axes.set_title(title, fontsize=10, parse_math=False)
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def _counted(values: Iterable[Any]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for value in values:
        counts[str(value)] = counts.get(str(value), 0) + 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def quoted(name: str) -> str:
    """Write a name in quotes, for a title."""
    return f"'{cut(name)}'"


def cut(text: str) -> str:
    """Write a text that may be long, for a title."""
    return cut_off(visible(text), _LONGEST_LABEL)
