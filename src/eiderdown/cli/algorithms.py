"""``eiderdown algorithms``: what there is to choose from."""

from __future__ import annotations

import json
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eiderdown.errors import OptionError

if TYPE_CHECKING:
    from rich.console import Console


def algorithms(
    name: Annotated[
        str | None, typer.Argument(help="An algorithm to say all about; all of them by default.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """List the searches: what they find, what they assume, and their own options."""
    from rich.console import Console

    from eiderdown.boundary import ALGORITHMS
    from eiderdown.structure.registry import NETWORK_ALGORITHMS, REGION_ALGORITHMS

    known = {a.name: a for a in (*ALGORITHMS, *REGION_ALGORITHMS, *NETWORK_ALGORITHMS)}
    if name is not None and name not in known:
        close = get_close_matches(name, known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"choose from {tuple(known)}."
        raise OptionError(f"There is no algorithm {name!r}; {hint}")
    chosen = list(known.values()) if name is None else [known[name]]
    about = {
        **dict.fromkeys(REGION_ALGORITHMS.names, "around a column"),
        **dict.fromkeys(NETWORK_ALGORITHMS.names, "of a table"),
    }
    if as_json:
        typer.echo(json.dumps([_record(algorithm) for algorithm in chosen], indent=2))
    elif name is None:
        _print_table(chosen, Console())
    else:
        _print_one(chosen[0], about.get(chosen[0].name, "of a column"))


def _record(algorithm: Any) -> dict[str, Any]:
    return {
        "name": algorithm.name,
        "finds": algorithm.returns,
        "summary": algorithm.summary,
        "paper": algorithm.paper,
        "assumes": list(algorithm.assumes),
        "exact": algorithm.exact,
        "random": algorithm.random,
        "options": [
            {"name": name, "default": default, "meaning": meaning}
            for name, default, meaning in _options(algorithm)
        ],
    }


def _print_table(chosen: list[Any], console: Console) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for heading in ("algorithm", "finds", "assumes", "exact", "own options"):
        table.add_column(heading, no_wrap=heading == "algorithm")
    for algorithm in chosen:
        table.add_row(
            algorithm.name,
            algorithm.returns,
            ", ".join(algorithm.assumes) or "-",
            "yes" if algorithm.exact else "no",
            ", ".join(name for name, *_ in _options(algorithm)) or "-",
        )
    console.print(table)


def _print_one(algorithm: Any, about: str) -> None:
    typer.echo(f"{algorithm.name} finds the {algorithm.returns} {about}.")
    typer.echo(algorithm.summary)
    typer.echo(f"Paper: {algorithm.paper}")
    typer.echo(f"Assumes: {', '.join(algorithm.assumes) or 'nothing'}")
    typer.echo(f"Exact under its assumptions: {'yes' if algorithm.exact else 'no'}")
    for name, default, meaning in _options(algorithm):
        typer.echo(f"--set {name}={default}: {meaning}")


def _options(algorithm: Any) -> list[tuple[str, Any, str]]:
    """Return name, default and meaning of each option of an algorithm's own."""
    from eiderdown.options import options_of
    from eiderdown.registry import Entry

    if not isinstance(algorithm, Entry):
        return [(option.name, option.default, option.meaning) for option in algorithm.options]
    return [(o.name, o.default, o.help) for o in options_of(algorithm.function).values()]
