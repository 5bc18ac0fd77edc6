"""A result on stdout, as a table or as JSON."""

from __future__ import annotations

from collections.abc import Collection

import typer
from rich.console import Console

from eiderdown.report import render_boundary
from eiderdown.results import MarkovBoundary


def print_result(
    result: MarkovBoundary, *, as_json: bool = False, truth: Collection[str] | None = None
) -> None:
    """Print a result for people, or for programs."""
    if as_json:
        typer.echo(result.to_json())
    else:
        render_boundary(result, Console(), truth)
