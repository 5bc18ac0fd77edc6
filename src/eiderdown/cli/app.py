"""The commands, gathered; each imports what it needs only when it runs."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from eiderdown import __version__
from eiderdown.cli.commands import Command
from eiderdown.cli.console import group_of
from eiderdown.cli.extras import (
    ConfidenceExtras,
    ConsensusOptions,
    GraphOptions,
    PictureOptions,
    check_confidence,
    check_files,
    deliver_confidence,
    draw_boundaries,
    draw_confidence,
    write_consensus,
    write_learned_graph,
)
from eiderdown.cli.listing import algorithms, demo, networks, sample, selectors, show
from eiderdown.cli.predict import PredictionExtras, write_predictions
from eiderdown.cli.report import report

VERBS: Final = (
    Command(
        "test",
        "test",
        "Test whether two columns are independent given others, and say why.",
    ),
    Command(
        "find",
        "find_boundary",
        "Find the Markov boundary of a column, with the evidence for each decision.",
        algorithms="eiderdown.boundary:BOUNDARY_ALGORITHMS",
    ),
    Command(
        "parents-children",
        "find_parents_children",
        "Find the parents and children of a column: those that no others separate from it.",
        algorithms="eiderdown.boundary:PARENTS_CHILDREN_ALGORITHMS",
    ),
    Command(
        "boundaries",
        "find_boundaries",
        "Find several Markov boundaries of a column by repeated searches with random choices.",
        algorithms="eiderdown.boundary:BOUNDARY_ALGORITHMS",
        extras=PictureOptions,
        check=check_files,
        finish=draw_boundaries,
    ),
    Command(
        "all",
        "find_all_boundaries",
        "Find the boundary (or the parents and children) of every column; one line for each.",
        algorithms="eiderdown.boundary:ALGORITHMS",
    ),
    Command(
        "causes",
        "find_causes",
        "Find out which neighbours of a column are its causes and which its effects.",
    ),
    Command(
        "interactions",
        "find_interactions",
        "Find products of columns that tell of a column what single columns may not.",
        algorithms="eiderdown.boundary:ALGORITHMS",
    ),
    Command(
        "compare",
        "compare_selectors",
        "Compare selectors of columns by how well a model predicts with what they select.",
    ),
    Command(
        "region",
        "learn_region",
        "Learn the part of the network around a column, without learning the rest.",
        algorithms="eiderdown.structure:REGION_ALGORITHMS",
        extras=GraphOptions,
        check=check_files,
        finish=write_learned_graph,
    ),
    Command(
        "network",
        "learn_network",
        "Learn the whole network of a file's columns, with the evidence for each edge.",
        algorithms="eiderdown.structure:NETWORK_ALGORITHMS",
        extras=GraphOptions,
        check=check_files,
        finish=write_learned_graph,
    ),
    Command(
        "predict",
        "predict",
        "Predict a column of new rows in which others may have been set from outside.",
        algorithms="eiderdown.boundary:BOUNDARY_ALGORITHMS",
        extras=PredictionExtras,
        finish=write_predictions,
    ),
    Command(
        "stability",
        "measure_stability",
        "Measure how often each edge comes back when the graph is learned from resampled rows.",
        algorithms="eiderdown.api:LEARNERS",
        extras=ConsensusOptions,
        check=check_files,
        finish=write_consensus,
    ),
    Command(
        "confidence",
        "measure_confidence",
        "Measure how sure one can be of edges, directed paths and Markov boundaries.",
        algorithms="eiderdown.api:LEARNERS",
        extras=ConfidenceExtras,
        check=check_confidence,
        finish=draw_confidence,
        deliver=deliver_confidence,
    ),
)

app = typer.Typer(
    cls=group_of(VERBS),
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


def _unbuilt() -> None:
    """Stand for a verb in the list of commands."""


for verb in VERBS:
    app.command(verb.name, help=verb.summary)(_unbuilt)
for command in (show, report, algorithms, selectors, networks, sample, demo):
    app.command()(command)
