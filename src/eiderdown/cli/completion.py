"""What shells complete: names of entries, legal words, and the columns of the file that is named.

``eiderdown --install-completion`` makes bash, zsh or fish ask the program at every Tab; typer
answers with verbs and options, and asks the functions below for values. What cannot be found out
completes to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeAlias

import typer

from eiderdown.errors import EiderdownError
from eiderdown.registry import HOMES, registry_at

Completer: TypeAlias = Callable[..., list[tuple[str, str]]]
"""Returns what a value may be, each with a word about it, given how it begins."""

MOST_SHOWN = 200
"""Of more columns than these only the first are shown."""


def words(legal: Iterable[str]) -> Completer:
    """Complete legal words."""

    def complete(incomplete: str) -> list[tuple[str, str]]:
        return [(word, "") for word in legal if word.startswith(incomplete)]

    return complete


def entries_of(where: str, *, auto: str = "") -> Completer:
    """Complete names of a registry's entries, of several with commas between the last one."""

    def complete(incomplete: str) -> list[tuple[str, str]]:
        before, comma, begun = incomplete.rpartition(",")
        known = {entry.name: entry.summary for entry in registry_at(where)}
        if auto:
            known = {auto: "Goes by the table.", **known}
        return [
            (f"{before}{comma}{name}", summary)
            for name, summary in known.items()
            if name.startswith(begun)
        ]

    return complete


def columns_of_file(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Complete columns of the file that stands on the line already."""
    path = ctx.params.get("data") or next(iter(ctx.args), None)
    if path is None:
        return []
    from eiderdown.data.files import column_names

    try:
        names = column_names(Path(path))
    except EiderdownError:
        return []
    return [(name, "") for name in names if name.startswith(incomplete)][:MOST_SHOWN]


def networks(incomplete: str) -> list[tuple[str, str]]:
    """Complete names of networks."""
    from eiderdown.networks import available

    return [
        (name, f"{summary.n_nodes} nodes, {summary.kind}")
        for name, summary in sorted(available().items())
        if name.startswith(incomplete)
    ]


def choices(incomplete: str) -> list[tuple[str, str]]:
    """Complete what ``eiderdown algorithms`` can be asked about: commands, names of entries."""
    from eiderdown.cli.app import VERBS

    verbs = [(verb.name, verb.summary) for verb in VERBS]
    entries = {entry.name: entry.summary for home in reversed(HOMES) for entry in home.entries}
    return [pair for pair in (*verbs, *entries.items()) if pair[0].startswith(incomplete)]
