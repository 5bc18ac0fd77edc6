"""Reports: ``--report`` of every verb, and ``eiderdown report`` for a saved result of any kind."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eiderdown.cli.commands import require_folder
from eiderdown.cli.console import echo
from eiderdown.errors import OptionError

if TYPE_CHECKING:
    from eiderdown.results import Result


def report(
    result: Annotated[
        Path, typer.Argument(metavar="FILE", help="A .json file that --out or save wrote.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.html",
            help="The page to write; beside the result by default.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write a saved result of any kind as one page to open in a browser."""
    page = _beside(result) if out is None else out
    require_folder(page)
    if page.exists() and result.exists() and page.samefile(result):
        raise OptionError(f"{str(page)!r} is the result itself; give --out another name.")
    from eiderdown.results import load_result

    written = write_report(load_result(result), page, quiet=True)
    echo(f"Wrote the report to {written}")


def write_report(result: Result, path: Path, *, quiet: bool) -> Path:
    """Write a report, and say on stderr where, unless that is unwanted."""
    from eiderdown.report.html import write_report as write

    written = write(result, path)
    if not quiet:
        echo(f"The report is in {written}", err=True)
    return written


def _beside(result: Path) -> Path:
    name = result.name.removesuffix(".gz").removesuffix(".json")
    return result.with_name(f"{name or 'report'}.html")
