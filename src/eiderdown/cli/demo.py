"""``eiderdown demo``: one boundary, beside the true one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from eiderdown.cli.group import INTERRUPTED

NETWORK = "alarm"
TARGET = "HR"
"""The heart rate: a parent, four children and three spouses, one of them too weak to be seen."""
N_ROWS = 20_000
SEED = 0


def demo(
    folder: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="Where to write the result.")
    ] = Path("eiderdown-report"),
) -> None:
    """Find a boundary in data from the Alarm network and compare it with the true one."""
    from eiderdown.api import find_boundary
    from eiderdown.cli.output import print_result, writing
    from eiderdown.networks import load

    network = load(NETWORK)
    typer.echo(f"{N_ROWS:,} rows drawn from the {NETWORK} network with seed {SEED}.")
    data = network.sample(N_ROWS, random_state=SEED)
    result = find_boundary(data, target=TARGET, algorithm="pcmb")
    path = folder / f"{NETWORK}-{TARGET}.json"
    try:
        with writing(path):
            folder.mkdir(parents=True, exist_ok=True)
            result.save(path)
    finally:  # what cannot be saved is not lost
        print_result(result, truth=network.dag.markov_boundary(TARGET))
    typer.echo(f"The result, with its evidence, is in {path} (eiderdown show {path}).")
    if not result.complete:
        raise typer.Exit(INTERRUPTED)
