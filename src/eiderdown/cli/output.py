"""A result in a file and on stdout, as a table or as JSON."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import typer
from rich.console import Console

from eiderdown.cli.group import INTERRUPTED
from eiderdown.errors import OptionError
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


def save(result: Result, path: Path | None) -> None:
    """Save a result, where that was asked for."""
    if path is not None:
        with writing(path):
            result.save(path)


def deliver(result: Result, *, as_json: bool, out: Path | None) -> None:
    """Save a result where that was asked for, print it, and end as an interrupted one has to."""
    try:
        save(result, out)
    finally:  # what cannot be saved is not lost
        print_result(result, as_json=as_json)
    if not result.complete:
        raise typer.Exit(INTERRUPTED)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn the failure to write a file into a sentence."""
    try:
        yield
    except OSError as problem:
        raise OptionError(
            f"Cannot write {str(path)!r} ({problem.strerror or problem}); choose another place."
        ) from problem
