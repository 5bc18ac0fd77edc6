"""The command that opens the explorer, on a table or on a saved session."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypedDict

from eiderdown.cli.commands import LOOK, Command, Outcome
from eiderdown.options import Option

if TYPE_CHECKING:
    from eiderdown.explorer.origin import TableFile


class ExploreExtras(TypedDict, total=False):
    """What becomes of an exploration when it ends."""

    out: Annotated[
        Path | None,
        Option(
            "save the exploration when it ends; 'eiderdown explore FILE.json' takes it up again",
            default=None,
            metavar="FILE.json",
        ),
    ]


def named_table(path: Path, options: Mapping[str, Any]) -> TableFile:
    """Name a file and how it is read: an exploration that is saved has to say both."""
    from eiderdown.explorer.origin import TableFile

    return TableFile(path, {name: value for name, value in options.items() if value != ()})


def _say_nothing(_: Outcome) -> None:
    """Print nothing: what there was to see was on the page."""


EXPLORE: Final = Command(
    "explore",
    "explore",
    "Explore a table in the browser: grow a graph from a column, judge its edges, keep it.",
    panel=LOOK,
    examples=(
        "eiderdown explore data.csv --target y",
        "eiderdown explore data.csv --target y --alpha 0.001 --out y.json",
        "eiderdown explore y.json",
    ),
    module="eiderdown.explorer",
    algorithms="eiderdown.boundary:PARENTS_CHILDREN_ALGORITHMS",
    extras=ExploreExtras,
    read=named_table,
    deliver=_say_nothing,
)
