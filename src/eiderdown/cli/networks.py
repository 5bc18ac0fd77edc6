"""``eiderdown networks`` and ``eiderdown sample``: data to try things on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eiderdown.cli.manners import require_folder, writing
from eiderdown.errors import OptionError

if TYPE_CHECKING:
    from eiderdown.data import Dataset


def networks() -> None:
    """List the Bayesian networks that come with Eiderdown."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    from eiderdown.networks import available

    table = Table("network", "kind", box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    table.add_column("nodes", justify="right")
    table.add_column("edges", justify="right")
    for name, summary in sorted(available().items()):
        table.add_row(name, summary.kind, str(summary.n_nodes), str(summary.n_edges))
    Console().print(table)


def sample(
    network: Annotated[str, typer.Argument(help="A name from 'eiderdown networks'.")],
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
    with writing(out):
        _write(data, out)
    typer.echo(f"Wrote {data.n_rows:,} rows x {data.n_columns:,} columns to {out}")


def _write(data: Dataset, path: Path) -> None:
    table = data.to_arrow()
    if path.suffix == ".parquet":
        from pyarrow import parquet

        parquet.write_table(table, path)
        return
    from pyarrow import csv, types

    # Arrow writes no dictionaries as CSV: their categories have to stand in the cells.
    for i, field in enumerate(table.schema):
        if types.is_dictionary(field.type):
            plain = table.column(i).cast(field.type.value_type)
            table = table.set_column(i, field.name, plain)
    csv.write_csv(table, path)
