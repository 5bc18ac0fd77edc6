"""Axes that a notebook shows: whoever draws gets some of their own, or draws on given ones.

New axes belong to a figure of their own and not to pyplot, so that drawing changes nothing for
others and needs no display. A notebook shows what pyplot holds, or what can show itself; these
axes can. This module imports matplotlib; it is imported when the first picture is drawn.
"""

from __future__ import annotations

import io
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

_DPI, _SHOWN_DPI = 160, 96  # finer than it is shown, for screens that are finer, too
_MOST_PIXELS = 6_000  # along the longer side


class ShownAxes(Axes):
    """Axes that show their picture at the end of a notebook's cell."""

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """Return the picture, and in how many pixels of the page it is to be shown."""
        figure = self.figure
        assert isinstance(figure, Figure)
        width, height = figure.get_size_inches()
        file = io.BytesIO()
        figure.savefig(file, format="png", dpi=min(_DPI, _MOST_PIXELS / max(width, height)))
        return file.getvalue(), {
            "width": int(_SHOWN_DPI * width),
            "height": int(_SHOWN_DPI * height),
        }


def axes_of(width: float, height: float) -> Axes:
    """Return new axes in a figure of so many inches."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure.add_subplot(axes_class=ShownAxes)


def whole_figure(width: float, height: float) -> Axes:
    """Return new axes that fill a figure of so many inches, for pictures without any scale."""
    options: dict[str, Any] = {"axes_class": ShownAxes}
    return Figure(figsize=(width, height)).add_axes((0.0, 0.0, 1.0, 1.0), **options)


def inches_of(axes: Axes) -> tuple[float, float]:
    """Return width and height of axes in inches."""
    box, dpi = axes.get_window_extent(), axes.figure.dpi
    return float(box.width / dpi), float(box.height / dpi)
