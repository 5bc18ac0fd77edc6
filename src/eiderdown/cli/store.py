"""``eiderdown store``: packed tables, listed and removed."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from time import time
from typing import Annotated

import typer


def store(
    remove: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Remove the packed table of these files (or of this folder), or 'all'.",
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--store", metavar="FOLDER", help="Where packed tables are kept; the cache by default."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """List the tables that were packed on disk because they are larger than memory."""
    from eiderdown.data.packing.store import store_folder
    from eiderdown.data.packing.stores import remove_stores, stores
    from eiderdown.memory import in_words
    from eiderdown.terminal import visible

    if remove is not None:
        n_removed = remove_stores(remove, folder)
        typer.echo(json.dumps({"removed": n_removed}) if as_json else f"Removed: {n_removed}.")
        return
    found = stores(folder)
    if as_json:
        typer.echo(json.dumps([asdict(entry) for entry in found], indent=2))
        return
    typer.echo(f"Packed tables in {folder or store_folder()}: {len(found)}")
    for entry in found:
        shape = f"{entry.n_rows:,} rows, {entry.n_columns:,} columns, {in_words(entry.n_bytes)}"
        age = _age(time() - entry.packed_at)
        typer.echo(f"  {visible(entry.source)}: {shape}, packed {age}")


def _age(seconds: float) -> str:
    """Say how long ago something was.

    Examples
    --------
    >>> _age(30), _age(7200), _age(90_000)
    ('now', '2 h ago', '1 d ago')
    """
    for length, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= length:
            return f"{seconds // length:.0f} {unit} ago"
    return "now"
