"""Pictures of a result. Matplotlib is imported when the first one is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from eiderdown.errors import OptionError
from eiderdown.files import replacing
from eiderdown.graphs.metrics import FeatureGroup
from eiderdown.report.text import cut_off
from eiderdown.results import Boundaries, ErrorCounts, FeatureConfidence, OptimaBySize
from eiderdown.terminal import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

N_BARS = 30
"""How many boundaries have a bar; the rest is a number in the title."""

_SUFFIXES = (".png", ".svg", ".pdf")
COLOUR, CHOSEN_COLOUR = "#4c6a92", "#b5533c"
_NEAREST_LABELS = 0.09  # of the axes' height and width; nearer ones would overlap


def plot_multiplicity(boundaries: Boundaries, path: str | Path | None = None) -> Figure:
    """Draw how often each boundary was found, and the sizes and accuracies over all runs.

    Parameters
    ----------
    boundaries : Boundaries
        What :func:`eiderdown.find_boundaries` found.
    path : str, Path or None
        The .png, .svg or .pdf file to write, if any.

    Returns
    -------
    matplotlib.figure.Figure
        The picture, for those who want to change it.

    Examples
    --------
    >>> import numpy as np
    >>> from eiderdown import find_boundaries
    >>> coin = np.random.default_rng(0).integers(0, 2, 200)
    >>> table = {"coin": coin, "photo": coin, "copy": coin}
    >>> found = find_boundaries(table, target="coin", runs=10, random_state=0)
    >>> [axes.get_xlabel() for axes in plot_multiplicity(found).axes]
    ['runs', 'members', 'balanced accuracy']
    """
    from matplotlib.figure import Figure

    runs = [item.n_runs for item in boundaries]
    accuracies = [item.accuracy for item in boundaries if item.accuracy is not None]
    figure = Figure(figsize=(11, 4) if accuracies else (8, 4), layout="constrained")
    widths = [2, 1, 1] if accuracies else [2, 1]
    axes = figure.subplots(1, len(widths), squeeze=False, width_ratios=widths)[0]
    draw_frequencies(axes[0], boundaries)
    sizes = [len(item.members) for item in boundaries]
    bins = [size - 0.5 for size in range(min(sizes, default=0), max(sizes, default=0) + 2)]
    _draw_histogram(axes[1], sizes, runs, bins, "members")
    axes[1].xaxis.get_major_locator().set_params(integer=True)
    if accuracies:
        balanced = accuracies[0].balanced is not None
        scores = [a.score if a.balanced is None else a.balanced for a in accuracies]
        name = "balanced accuracy" if balanced else "R2"
        _draw_histogram(axes[2], scores, runs[: len(scores)], 20, name)
    return finished(figure, path)


def plot_trade_off(result: FeatureConfidence, path: str | Path | None = None) -> Figure:
    """Draw false positives against false negatives, one curve for each group of features.

    Parameters
    ----------
    result : FeatureConfidence
        What :func:`eiderdown.measure_confidence` measured.
    path : str, Path or None
        The .png, .svg or .pdf file to write, if any.

    Returns
    -------
    matplotlib.figure.Figure
        The picture, for those who want to change it. Numbers at the points are thresholds; the
        suggested one has a ring, and its errors are above the curve.
    """
    from matplotlib.figure import Figure

    groups = result.groups
    figure = Figure(figsize=(1.0 + 4.0 * len(groups), 4.2), layout="constrained")
    for axes, group in zip(figure.subplots(1, len(groups), squeeze=False)[0], groups, strict=True):
        draw_curve(axes, result, group)
    what = "the best model" if result.reference == "best model" else "the graph that is known"
    figure.suptitle(f"Confidence against {what}; the numbers are thresholds", fontsize=10)
    return finished(figure, path)


def plot_optima(
    by_size: OptimaBySize | Mapping[str, OptimaBySize], path: str | Path | None = None
) -> Figure:
    """Draw how many distinct models were found against the share of the rows.

    Parameters
    ----------
    by_size : OptimaBySize or mapping of str to OptimaBySize
        What :func:`eiderdown.measure_optima` counted; several tables by name for a curve each.
    path : str, Path or None
        The .png, .svg or .pdf file to write, if any.

    Returns
    -------
    matplotlib.figure.Figure
        The picture, for those who want to change it: lines through the means, dots for the samples.
    """
    from matplotlib.figure import Figure

    tables = {"": by_size} if isinstance(by_size, OptimaBySize) else dict(by_size)
    figure = Figure(figsize=(6.5, 4.2), layout="constrained")
    draw_optima(figure.subplots(), tables)
    return finished(figure, path)


def draw_optima(axes: Axes, tables: Mapping[str, OptimaBySize]) -> None:
    """Draw lines through the means and dots for the samples, for each table by name."""
    for name, table in tables.items():
        means = table.mean_by_share()
        (line,) = axes.plot(list(means), list(means.values()), marker="o", label=name)
        shares = [count.share for count in table.counts]
        distinct = [count.n_distinct for count in table.counts]
        axes.scatter(shares, distinct, s=9, alpha=0.5, color=line.get_color())
    _name_optima(axes, tables)


def figure_of(axes: Axes) -> Figure:
    """Return the figure of axes that were made for a picture of their own."""
    from matplotlib.figure import Figure

    figure = axes.figure
    assert isinstance(figure, Figure)
    return figure


def finished(figure: Figure, path: str | Path | None) -> Figure:
    """Write a picture to a file, if there is one."""
    if path is not None:
        require_picture(path)
        with replacing(path) as file:
            figure.savefig(file, format=Path(path).suffix[1:].lower())
    return figure


def require_picture(path: str | Path) -> None:
    """Refuse a file name that no picture can be written to."""
    if Path(path).suffix.lower() not in _SUFFIXES:
        raise OptionError(
            f"Cannot draw into {Path(path).name!r}; give a name in {', '.join(_SUFFIXES)}."
        )


def draw_frequencies(axes: Axes, boundaries: Boundaries) -> None:
    """Draw a bar for each boundary: in how many runs it was found."""
    shown = boundaries.alternatives[:N_BARS]
    places = range(len(shown))
    axes.barh(list(places), [item.n_runs for item in shown], color=COLOUR)
    axes.set_yticks(
        list(places),
        [cut_off(visible(", ".join(item.members)) or "(empty)", 45) for item in shown],
        fontsize=7,
    )
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.locator_params(axis="x", integer=True)
    axes.set_xlabel("runs")
    n = len(boundaries)
    title = f"{n} boundaries of {cut_off(visible(boundaries.target), 40)}"
    title = title if n <= N_BARS else f"{title}, the first {N_BARS}"
    axes.set_title(title, fontsize=10, parse_math=False)
    for text in axes.get_yticklabels():
        text.set_parse_math(False)


def _draw_histogram(
    axes: Axes, values: list[float] | list[int], runs: list[int], bins: int | list[float], name: str
) -> None:
    axes.hist(values, bins=bins, weights=runs, color=COLOUR, edgecolor="white")
    axes.set_xlabel(name)
    axes.set_ylabel("runs")
    axes.spines[["top", "right"]].set_visible(False)


def draw_curve(axes: Axes, result: FeatureConfidence, group: FeatureGroup) -> None:
    """Draw false positives against false negatives, with the suggested threshold."""
    curve = result.curve(group)
    missed = [point.false_negatives for point in curve]
    wrong = [point.false_positives for point in curve]
    axes.plot(missed, wrong, marker="o", markersize=3.5, color=COLOUR, clip_on=False, zorder=3)
    axes.set_xlim(0, max(*missed, 1) * 1.05)
    axes.set_ylim(0, max(*wrong, 1) * 1.05)
    chosen = result.counts_at(group, result.suggested_threshold(group))
    at = (chosen.false_negatives, chosen.false_positives)
    axes.plot(*at, "o", markersize=9, fillstyle="none", color=CHOSEN_COLOUR, clip_on=False)
    _label_points(axes, curve, chosen)
    _name_errors(axes, group, chosen)


def _label_points(axes: Axes, curve: Sequence[ErrorCounts], chosen: ErrorCounts) -> None:
    """Write thresholds at points that are far enough from each other, the chosen one first."""
    at = (chosen.false_negatives, chosen.false_positives)
    _write(axes, f"{chosen.threshold:.2f}", at, chosen=True)
    width, height = axes.get_xlim()[1], axes.get_ylim()[1]
    labelled = [at]
    for place, points in groupby(curve, key=lambda p: (p.false_negatives, p.false_positives)):
        far = [
            max(abs(place[0] - x) / width, abs(place[1] - y) / height) >= _NEAREST_LABELS
            for x, y in labelled
        ]
        if all(far):
            thresholds = [f"{point.threshold:.2f}" for point in points]
            _write(axes, "-".join(dict.fromkeys((thresholds[0], thresholds[-1]))), place)
            labelled.append(place)


def _write(axes: Axes, text: str, at: tuple[float, float], *, chosen: bool = False) -> None:
    colour, weight = (CHOSEN_COLOUR, "bold") if chosen else ("black", "normal")
    axes.annotate(
        text, at, (5, 4), textcoords="offset points", fontsize=7, color=colour, weight=weight
    )


def _name_errors(axes: Axes, group: FeatureGroup, chosen: ErrorCounts) -> None:
    axes.set_title(
        f"{group}: {chosen.false_positives:,} FP and {chosen.false_negatives:,} FN, "
        f"{chosen.true_positives:,} TP at {chosen.threshold:.2f}",
        fontsize=9,
        color=CHOSEN_COLOUR,
    )
    axes.set_xlabel("false negatives")
    axes.set_ylabel("false positives")
    axes.locator_params(integer=True)
    axes.spines[["top", "right"]].set_visible(False)


def _name_optima(axes: Axes, tables: Mapping[str, OptimaBySize]) -> None:
    shares = sorted({count.share for table in tables.values() for count in table.counts})
    axes.set_xscale("log")
    axes.set_xticks(shares, [f"{100 * share:g} %" for share in shares])
    axes.set_xticks([], minor=True)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("share of the rows")
    axes.set_ylabel("distinct models")
    n_runs = sorted({count.n_runs for table in tables.values() for count in table.counts})
    axes.set_title(f"Distinct models in {' or '.join(f'{n:,}' for n in n_runs)} runs", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    if any(tables):
        axes.legend(frameon=False)
