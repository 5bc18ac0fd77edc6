"""What a result shows of itself: a line, a summary, a table, a picture, a page.

Who draws these stands above the results, in :mod:`eiderdown.report`, and is named here as
``module:function``, so that records of what was found need neither Jinja2 nor matplotlib. This is
the one place from which a lower layer calls a higher one.
"""

from __future__ import annotations

from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from eiderdown.results.provenance import Call


class Presented:
    """Methods by which a result is shown; every :class:`Result` has them."""

    def __repr__(self) -> str:
        """Say in one line what this is."""
        return str(resolve_name("eiderdown.report.summary:line")(self))

    def __str__(self) -> str:
        """Say what :meth:`summary` says."""
        return self.summary()

    def _repr_html_(self) -> str:
        """Show it in a notebook: a heading, the main table, the rest to be opened."""
        return str(resolve_name("eiderdown.report.notebook:fragment")(self))

    def summary(self) -> str:
        """Say in a few lines what was found, how, and what is to be doubted."""
        return str(resolve_name("eiderdown.report.summary:paragraph")(self))

    def to_frame(self) -> pd.DataFrame:
        """Return the main table of the result, for pandas."""
        frame: pd.DataFrame = resolve_name("eiderdown.report.frames:frame")(self)
        return frame

    def plot(self, what: str | None = None, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw it by matplotlib and return the axes, which a notebook shows.

        Parameters
        ----------
        what : str or None
            Which picture; None for the first of those that this kind of result has. An unknown one
            is answered by their names, which stand in :mod:`eiderdown.report.drawing`, too.
        ax : matplotlib axes or None
            Where to draw; None for axes in a new figure, which is not pyplot's.
        **options
            What the picture can be asked for, such as ``threshold``.
        """
        axes: Axes = resolve_name("eiderdown.report.drawing:draw")(self, what, ax, **options)
        return axes

    def report(self, path: str | Path) -> Path:
        """Write it as one HTML file that needs nothing else, and return its path."""
        written: Path = resolve_name("eiderdown.report.html:write_report")(self, path)
        return written


def command_of(call: Call) -> str:
    """Return the command that asks what a call asked; "" if there is none."""
    return str(resolve_name("eiderdown.cli.repeat:command_of")(call))
