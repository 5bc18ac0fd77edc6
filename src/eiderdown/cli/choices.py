"""What there is to choose from: searches by verb, tests, scores, selectors, networks, versions."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, requires, version
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from eiderdown import __version__
from eiderdown.cli.completion import choices
from eiderdown.registry import HOMES, Algorithm, Entry, Home, Registry, registry_at

if TYPE_CHECKING:
    from eiderdown.cli.commands import Command

_FOOT: Final = (
    "'eiderdown algorithms find' lists all that one command takes, tests and scores, too;\n"
    "'eiderdown algorithms kiamb' says all about one name."
)


def algorithms(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A command, to list what it takes, or a name, to say all about it; all searches "
            "by default.",
            autocompletion=choices,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """List the searches that each command takes: what they find, and their own options."""
    by_name = _verbs()
    if name is None:
        _list_all(as_json)
    elif name in by_name:
        _list_taken(by_name[name], as_json)
    else:
        _describe(name, as_json)


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


def installed_versions() -> dict[str, str]:
    """Return the versions of Eiderdown, of Python and of the libraries that it needs."""
    found = {"eiderdown": __version__, "python": sys.version.partition(" ")[0]}
    try:
        needed = requires("eiderdown") or []
    except PackageNotFoundError:  # run from a folder, without having been installed
        needed = []
    for requirement in needed:
        words, _, condition = requirement.partition(";")
        name = words.split(">")[0].split("=")[0].strip()
        if not condition:
            found[name] = version(name)
    return found


# --- searches ------------------------------------------------------------------------------------


def _verbs() -> dict[str, Command]:
    from eiderdown.cli.app import VERBS  # which lists this command

    return {verb.name: verb for verb in VERBS}


def _searches() -> list[tuple[Home, list[Algorithm[..., Any]]]]:
    """Return the searches, by what they find and of what."""
    homes = [(home, list(home.entries)) for home in HOMES]
    return [(home, found) for home, found in homes if isinstance(found[0], Algorithm)]


def _takers(entry: Entry[..., Any]) -> list[str]:
    """Return the commands that take an algorithm."""
    return [
        verb.name
        for verb in _verbs().values()
        if verb.algorithms and entry.name in registry_at(verb.algorithms)
    ]


def _list_all(as_json: bool) -> None:
    searches = _searches()
    if as_json:
        records = [_record(entry) for _, found in searches for entry in found]
        typer.echo(json.dumps(records, indent=2))
        return
    for home, found in searches:
        takers = {entry.name: _takers(entry) for entry in found}
        common = [name for name in takers[found[0].name] if all(name in t for t in takers.values())]
        typer.echo(f"{home.title}: {', '.join(common)}")
        also = {name: [t for t in some if t not in common] for name, some in takers.items()}
        _print_table(("algorithm", "what it does"), _rows(found, also))
        typer.echo()
    typer.echo(_FOOT)


def _list_taken(verb: Command, as_json: bool) -> None:
    """List the entries that a command's options name."""
    taken = {name: list(registry_at(where)) for name, where in verb.taken().items()}
    if as_json:
        records = {name: [_record(entry) for entry in found] for name, found in taken.items()}
        typer.echo(json.dumps(records, indent=2))
        return
    for option, found in taken.items():
        typer.echo(f"eiderdown {verb.name} --{option}")
        _print_table((option, "what it does"), _rows(found, {}))
        typer.echo()


def _rows(
    entries: Iterable[Entry[..., Any]], also: Mapping[str, list[str]]
) -> Iterable[tuple[str, str]]:
    """Return for each entry its name, and what it does, who else takes it, and its options."""
    for entry in entries:
        more = also.get(entry.name)
        said = [entry.summary, f"Also taken by {', '.join(more)}." if more else ""]
        own = ", ".join(f"{name}={value}" for name, value in entry.all_params.items())
        said.append(f"Options: {own}." if own else "")
        yield entry.name, " ".join(filter(None, said))


def _describe(name: str, as_json: bool) -> None:
    """Say all about one entry."""
    home = next((home for home in HOMES if name in home.entries), None)
    if home is None:
        known: Registry[Any] = Registry([e for _, found in _searches() for e in found])
        home = HOMES[0]
        entry = known[name]  # which says that there is none, and what is like it
    entry = home.entries[name]
    if as_json:
        typer.echo(json.dumps([_record(entry)], indent=2))
    else:
        _print_one(entry, home)


def _record(entry: Entry[..., Any]) -> dict[str, Any]:
    record: dict[str, Any] = {"name": entry.name, "summary": entry.summary}
    if isinstance(entry, Algorithm):
        record |= {
            "finds": entry.returns,
            "paper": entry.paper,
            "needs": list(entry.needs),
            "assumes": list(entry.assumes),
            "exact": entry.exact,
            "random": entry.random,
            "verbs": _takers(entry),
        }
    return record | {
        "options": [
            {"name": name, "default": default, "meaning": entry.options[name].help}
            for name, default in entry.all_params.items()
        ]
    }


def _print_one(entry: Entry[..., Any], home: Home) -> None:
    typer.echo(f"{entry.name} {home.role_of(entry)}.")
    typer.echo(entry.summary)
    if isinstance(entry, Algorithm):
        typer.echo(f"Paper: {entry.paper}")
        typer.echo(f"Assumes: {', '.join(entry.assumes) or 'nothing'}")
        typer.echo(f"Exact under its assumptions: {'yes' if entry.exact else 'no'}")
        typer.echo(f"Taken by: {', '.join(_takers(entry))}")
    for name, default in entry.all_params.items():
        typer.echo(f"{home.setter} {name}={default}: {entry.options[name].help}")


def _print_table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for i, heading in enumerate(headings):
        table.add_column(heading, no_wrap=i == 0, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)
