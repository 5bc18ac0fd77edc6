"""``eiderdown show``: a saved result, printed again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from eiderdown.cli.manners import say_warning


def show(
    result: Annotated[
        Path, typer.Argument(metavar="FILE", help="A .json file that 'eiderdown find' saved.")
    ],
) -> None:
    """Print a saved result."""
    from eiderdown.cli.output import print_result
    from eiderdown.results import MarkovBoundary

    saved = MarkovBoundary.load(result)
    for sentence in saved.warnings:
        say_warning(sentence)
    print_result(saved)
