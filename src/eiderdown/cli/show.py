"""``eiderdown show``: a saved result, printed again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from eiderdown.cli.manners import say_warning


def show(
    result: Annotated[
        Path, typer.Argument(metavar="FILE", help="A .json file that --out or save wrote.")
    ],
) -> None:
    """Print a saved result of any kind."""
    from eiderdown.cli.output import print_result
    from eiderdown.results import load_result

    saved = load_result(result)
    for sentence in saved.warnings:
        say_warning(sentence)
    print_result(saved)
