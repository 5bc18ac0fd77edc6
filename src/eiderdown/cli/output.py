"""A result on stdout, as a table or as JSON, and in a file."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import typer
from rich.console import Console

from eiderdown.cli.manners import INTERRUPTED, writing
from eiderdown.report import render
from eiderdown.results import Result


def print_result(
    result: Result, *, as_json: bool = False, truth: Collection[str] | None = None
) -> None:
    """Print a result for people, or for programs."""
    if as_json:
        typer.echo(result.to_json())
    else:
        render(result, Console(), truth)


def deliver(result: Result, *, as_json: bool, out: Path | None) -> None:
    """Print a result, save it where that was asked for, and end as an interrupted one has to."""
    print_result(result, as_json=as_json)
    if out is not None:
        with writing(out):
            result.save(out)
    if not result.complete:
        raise typer.Exit(INTERRUPTED)
