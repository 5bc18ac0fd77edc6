"""``eiderdown changes``: what is different between two saved results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from eiderdown.cli.commands import require_folder
from eiderdown.cli.console import deliver, save

_BEFORE = typer.Argument(metavar="BEFORE", help="A .json file that --out or save wrote.")
_AFTER = typer.Argument(metavar="AFTER", help="Another, of the same kind.")


def changes(
    before: Annotated[Path, _BEFORE],
    after: Annotated[Path, _AFTER],
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON only.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE.json", help="Save the result as JSON, too."),
    ] = None,
) -> None:
    """Say what changed from one saved result to another, and why."""
    from eiderdown.results import compare_results, load_result

    if out is not None:
        require_folder(out)
    found = compare_results(load_result(before), load_result(after))
    save(found, out)
    deliver(found, as_json=json)
