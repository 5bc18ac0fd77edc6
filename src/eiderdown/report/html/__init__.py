"""A result as one HTML file that needs nothing else: no network, no other file.

Three steps, each of which knows nothing of the next: :mod:`eiderdown.report.html.arrange` makes a
plain view model (:mod:`eiderdown.report.html.view`) of a result, and templates draw it
(:mod:`eiderdown.report.html.render`). Numbers come from the result; nothing is computed here.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from eiderdown.files import write_text

if TYPE_CHECKING:
    from eiderdown.results import Result


def write_report(result: Result, path: str | Path) -> Path:
    """Write a result as one HTML file, or nothing; return where it is.

    Parameters
    ----------
    result : Result
        A result of any kind, from a search or from a file.
    path : str or Path
        The .html file to write.

    Examples
    --------
    >>> import tempfile
    >>> from eiderdown.results import MarkovBoundary, Run
    >>> found = MarkovBoundary("pay", (), (), Run.of("iamb", None, {}))
    >>> path = write_report(found, Path(tempfile.mkdtemp()) / "pay.html")
    >>> path.read_text(encoding="utf-8").splitlines()[0]
    '<!doctype html>'
    """
    write_text(report_text(result), path)
    return Path(path)


def report_text(result: Result) -> str:
    """Return the page of a result."""
    from eiderdown.report.html.arrange import arrange
    from eiderdown.report.html.render import render_page

    return render_page(arrange(result))
