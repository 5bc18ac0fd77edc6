"""The commands, gathered; each imports what it needs only when it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from eiderdown import __version__
from eiderdown.cli.algorithms import algorithms
from eiderdown.cli.compare import compare, list_selectors
from eiderdown.cli.confidence import confidence
from eiderdown.cli.demo import demo
from eiderdown.cli.find import find, neighbours
from eiderdown.cli.interactions import interactions
from eiderdown.cli.manners import MannerlyGroup
from eiderdown.cli.many import boundaries, find_all
from eiderdown.cli.networks import networks, sample
from eiderdown.cli.show import show
from eiderdown.cli.stability import stability
from eiderdown.cli.structure import network, region

app = typer.Typer(
    cls=MannerlyGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"eiderdown {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Find the Markov boundary of a column: the columns that make all others irrelevant to it."""


app.command()(find)
app.command()(neighbours)
app.command()(boundaries)
app.command("all")(find_all)
app.command()(interactions)
app.command()(compare)
app.command("selectors")(list_selectors)
app.command()(region)
app.command()(network)
app.command()(stability)
app.command()(confidence)
for command in (show, algorithms, networks, sample, demo):
    app.command()(command)
