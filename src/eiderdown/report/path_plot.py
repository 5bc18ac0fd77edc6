"""A boundary as alpha moves: a line for each column, drawn where it is a member.

Matplotlib is imported when the first one is drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eiderdown.report.bars import name_bars, new_axes, quoted
from eiderdown.report.ordering import by_levels
from eiderdown.report.plots import COLOUR, N_BARS
from eiderdown.results import BoundaryPath

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_OUTSIDE = "#d5dbe3"


def draw_path(result: BoundaryPath, ax: Axes | None = None) -> Axes:
    """Draw at which significance levels each column is a member; the surest are on top."""
    shown = by_levels(result)[:N_BARS]
    axes = ax if ax is not None else new_axes(len(shown) + 1)
    alphas = list(result.alphas)
    for place, name in enumerate(shown):
        inside = result.levels_of(name)
        axes.plot(alphas, [place] * len(alphas), color=_OUTSIDE, linewidth=1.0, zorder=1)
        runs = [float(place) if member else float("nan") for member in inside]
        axes.plot(alphas, runs, "o-", color=COLOUR, linewidth=3.0, markersize=5.0, zorder=2)
    axes.set_xscale("log")
    name_bars(axes, shown, "alpha")
    axes.set_xticks(
        alphas, [f"{alpha:g}" for alpha in alphas], rotation=45 if len(alphas) > 6 else 0
    )
    axes.set_xticks([], minor=True)
    more = (
        f", the first {N_BARS} of {len(result.columns):,}" if len(result.columns) > N_BARS else ""
    )
    title = f"Members of the boundary of {quoted(result.target)} as alpha moves{more}"
    axes.set_title(title, fontsize=10, parse_math=False)
    return axes
