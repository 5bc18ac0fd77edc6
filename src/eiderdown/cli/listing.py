"""What there is to choose from, saved results, samples, and a demonstration."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eiderdown.cli.commands import require_folder
from eiderdown.cli.console import INTERRUPTED, echo, print_result, print_warning
from eiderdown.cli.report import write_report
from eiderdown.errors import OptionError, UnwritableFileError
from eiderdown.files import reason_of, replacing

if TYPE_CHECKING:
    from eiderdown.data import Dataset
    from eiderdown.registry import Algorithm


def algorithms(
    name: Annotated[
        str | None, typer.Argument(help="An algorithm to say all about; all of them by default.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """List the searches: what they find, what they assume, and their own options."""
    from eiderdown.boundary import BOUNDARY_ALGORITHMS, PARENTS_CHILDREN_ALGORITHMS
    from eiderdown.registry import Registry
    from eiderdown.structure import NETWORK_ALGORITHMS, REGION_ALGORITHMS

    about = {
        "of a column": [*BOUNDARY_ALGORITHMS, *PARENTS_CHILDREN_ALGORITHMS],
        "around a column": [*REGION_ALGORITHMS],
        "of a table": [*NETWORK_ALGORITHMS],
    }
    known: Registry[Any] = Registry([entry for entries in about.values() for entry in entries])
    chosen = list(known) if name is None else [known[name]]
    if as_json:
        typer.echo(json.dumps([_record(algorithm) for algorithm in chosen], indent=2))
    elif name is None:
        _print_table(
            ("algorithm", "finds", "assumes", "exact", "own options"),
            (
                (
                    algorithm.name,
                    algorithm.returns,
                    ", ".join(algorithm.assumes) or "-",
                    "yes" if algorithm.exact else "no",
                    ", ".join(algorithm.all_params) or "-",
                )
                for algorithm in chosen
            ),
        )
    else:
        where = next(words for words, entries in about.items() if chosen[0] in entries)
        _print_one(chosen[0], where)


def selectors() -> None:
    """List the selectors of columns that can be compared."""
    from eiderdown.api.selectors import SELECTORS

    _print_table(("selector", "what it does"), ((s.name, s.summary) for s in SELECTORS))


def networks() -> None:
    """List the Bayesian networks that come with Eiderdown."""
    from eiderdown.networks import available

    _print_table(
        ("network", "kind", "nodes", "edges"),
        (
            (name, summary.kind, f"{summary.n_nodes:>5}", f"{summary.n_edges:>5}")
            for name, summary in sorted(available().items())
        ),
    )


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
    _write_table(data, out)
    echo(f"Wrote {data.n_rows:,} rows x {data.n_columns:,} columns to {out}")


def _record(algorithm: Algorithm[..., Any]) -> dict[str, Any]:
    return {
        "name": algorithm.name,
        "finds": algorithm.returns,
        "summary": algorithm.summary,
        "paper": algorithm.paper,
        "needs": list(algorithm.needs),
        "assumes": list(algorithm.assumes),
        "exact": algorithm.exact,
        "random": algorithm.random,
        "options": [
            {"name": name, "default": default, "meaning": algorithm.options[name].help}
            for name, default in algorithm.all_params.items()
        ],
    }


def _print_one(algorithm: Algorithm[..., Any], where: str) -> None:
    typer.echo(f"{algorithm.name} finds the {algorithm.returns} {where}.")
    typer.echo(algorithm.summary)
    typer.echo(f"Paper: {algorithm.paper}")
    typer.echo(f"Assumes: {', '.join(algorithm.assumes) or 'nothing'}")
    typer.echo(f"Exact under its assumptions: {'yes' if algorithm.exact else 'no'}")
    for name, default in algorithm.all_params.items():
        typer.echo(f"--set {name}={default}: {algorithm.options[name].help}")


def _print_table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for i, heading in enumerate(headings):
        table.add_column(heading, no_wrap=i == 0)
    for row in rows:
        table.add_row(*row)
    Console().print(table)


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
