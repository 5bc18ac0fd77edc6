"""Saved results, samples, and a demonstration."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eiderdown.cli.commands import require_folder
from eiderdown.cli.completion import networks as network_names
from eiderdown.cli.console import INTERRUPTED, echo, print_result, print_warning
from eiderdown.cli.report import write_report
from eiderdown.errors import OptionError, UnwritableFileError
from eiderdown.files import reason_of, replacing

if TYPE_CHECKING:
    from eiderdown.data import Dataset


def show(
    result: Annotated[
        Path, typer.Argument(metavar="FILE", help="A .json file that --out or save wrote.")
    ],
) -> None:
    """Print a saved result of any kind."""
    from eiderdown.results import load_result

    saved = load_result(result)
    for sentence in saved.warnings:
        print_warning(sentence)
    print_result(saved)


def sample(
    network: Annotated[
        str,
        typer.Argument(help="A name from 'eiderdown networks'.", autocompletion=network_names),
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The .csv or .parquet file to write.")],
    rows: Annotated[int, typer.Option(help="How many rows to draw.")] = 5_000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same rows.")] = 0,
) -> None:
    """Draw rows from a network and write them to a file."""
    from eiderdown.networks import load

    if out.suffix not in (".csv", ".parquet"):
        raise OptionError(f"Cannot write {out.name!r}; give --out a name in .csv or .parquet.")
    require_folder(out)
    data = load(network).sample(rows, random_state=seed)
    _write_table(data, out)
    echo(f"Wrote {data.n_rows:,} rows x {data.n_columns:,} columns to {out}")


def _write_table(data: Dataset, path: Path) -> None:
    table = data.to_arrow()
    if path.suffix == ".parquet":
        from pyarrow import parquet

        with replacing(path) as file:
            parquet.write_table(table, file)
        return
    from pyarrow import csv, types

    # Arrow writes no dictionaries as CSV: their categories have to stand in the cells.
    for i, field in enumerate(table.schema):
        if types.is_dictionary(field.type):
            plain = table.column(i).cast(field.type.value_type)
            table = table.set_column(i, field.name, plain)
    with replacing(path) as file:
        csv.write_csv(table, file)


NETWORK = "alarm"
TARGET = "HR"
"""The heart rate: a parent, four children and three spouses, one of them too weak to be seen."""
N_ROWS = 20_000
SEED = 0


def demo(
    folder: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="Where to write result and report.")
    ] = Path("eiderdown-report"),
) -> None:
    """Find a boundary in data from the Alarm network and compare it with the true one."""
    from eiderdown.api import find_boundary
    from eiderdown.networks import load

    network = load(NETWORK)
    typer.echo(f"{N_ROWS:,} rows drawn from the {NETWORK} network with seed {SEED}.")
    data = network.sample(N_ROWS, random_state=SEED)
    result = find_boundary(data, target=TARGET, algorithm="pcmb")
    path = folder / f"{NETWORK}-{TARGET}.json"
    try:
        _make(folder)
        result.save(path)
        page = write_report(result, path.with_suffix(".html"), quiet=True)
    finally:  # what cannot be saved is not lost
        print_result(result, truth=network.dag.markov_boundary(TARGET))
    echo(f"The result, with its evidence, is in {path} (eiderdown show {path}).")
    echo(f"The report is in {page}; open it in a browser.")
    if not result.complete:
        raise typer.Exit(INTERRUPTED)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise UnwritableFileError(
            f"Cannot make the folder {str(folder)!r} ({reason_of(problem)}); choose another place."
        ) from problem
