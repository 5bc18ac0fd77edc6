"""Pictures of a result. Matplotlib is imported when the first one is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from eiderdown.errors import OptionError
from eiderdown.results import Boundaries

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

N_BARS = 30
"""How many boundaries have a bar; the rest is a number in the title."""

_SUFFIXES = (".png", ".svg", ".pdf")
_COLOUR = "#4c6a92"


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

    if path is not None:
        require_picture(path)
    runs = [item.n_runs for item in boundaries]
    accuracies = [item.accuracy for item in boundaries if item.accuracy is not None]
    figure = Figure(figsize=(11, 4) if accuracies else (8, 4), layout="constrained")
    widths = [2, 1, 1] if accuracies else [2, 1]
    axes = figure.subplots(1, len(widths), squeeze=False, width_ratios=widths)[0]
    _draw_frequencies(axes[0], boundaries)
    sizes = [len(item.members) for item in boundaries]
    bins = [size - 0.5 for size in range(min(sizes, default=0), max(sizes, default=0) + 2)]
    _draw_histogram(axes[1], sizes, runs, bins, "members")
    axes[1].xaxis.get_major_locator().set_params(integer=True)
    if accuracies:
        balanced = accuracies[0].balanced is not None
        scores = [a.score if a.balanced is None else a.balanced for a in accuracies]
        name = "balanced accuracy" if balanced else "R2"
        _draw_histogram(axes[2], scores, runs[: len(scores)], 20, name)
    if path is not None:
        figure.savefig(path)
    return figure


def require_picture(path: str | Path) -> None:
    """Refuse a file name that no picture can be written to."""
    if Path(path).suffix.lower() not in _SUFFIXES:
        raise OptionError(
            f"Cannot draw into {Path(path).name!r}; give a name in {', '.join(_SUFFIXES)}."
        )


def _draw_frequencies(axes: Axes, boundaries: Boundaries) -> None:
    shown = boundaries.alternatives[:N_BARS]
    places = range(len(shown))
    axes.barh(list(places), [item.n_runs for item in shown], color=_COLOUR)
    axes.set_yticks(list(places), [_label(item.members) for item in shown], fontsize=7)
    axes.invert_yaxis()
    axes.set_xlabel("runs")
    n = len(boundaries)
    title = f"{n} boundaries of {boundaries.target}"
    axes.set_title(title if n <= N_BARS else f"{title}, the first {N_BARS}", fontsize=10)


def _draw_histogram(
    axes: Axes, values: list[float] | list[int], runs: list[int], bins: int | list[float], name: str
) -> None:
    axes.hist(values, bins=bins, weights=runs, color=_COLOUR, edgecolor="white")
    axes.set_xlabel(name)
    axes.set_ylabel("runs")


def _label(members: tuple[str, ...]) -> str:
    text = ", ".join(members) or "(empty)"
    return text if len(text) <= 45 else f"{text[:44]}…"
