"""The commands, gathered; each imports what it needs only when it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Final, NamedTuple

import typer

from eiderdown import __version__
from eiderdown.cli.changes import changes
from eiderdown.cli.choices import algorithms, installed_versions, networks, selectors
from eiderdown.cli.commands import ASK, LEARN, LOOK, OTHER, SURE, Command, epilog_of
from eiderdown.cli.console import group_of
from eiderdown.cli.explore import EXPLORE
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
from eiderdown.cli.listing import demo, sample, show
from eiderdown.cli.predict import PredictionExtras, write_predictions
from eiderdown.cli.report import report
from eiderdown.cli.store import store

VERBS: Final = (
    Command(
        "test",
        "test",
        "Test whether two columns are independent given others, and say why.",
        panel=ASK,
        examples=(
            "eiderdown test data.csv dose y",
            "eiderdown test data.csv dose y --given sex --given age --alpha 0.05",
        ),
    ),
    Command(
        "find",
        "find_boundary",
        "Find the Markov boundary of a column, with the evidence for each decision.",
        panel=ASK,
        examples=(
            "eiderdown find data.csv --target y --report y.html",
            "eiderdown find data.csv y --algorithm pcmb --alpha 0.05 --out y.json",
            "eiderdown find data.csv y --check-prediction --json",
        ),
        algorithms="eiderdown.boundary:BOUNDARY_ALGORITHMS",
    ),
    Command(
        "parents-children",
        "find_parents_children",
        "Find the parents and children of a column: those that no others separate from it.",
        panel=ASK,
        examples=(
            "eiderdown parents-children data.csv --target y",
            "eiderdown parents-children data.csv y --algorithm mmpc --set symmetry=or",
        ),
        algorithms="eiderdown.boundary:PARENTS_CHILDREN_ALGORITHMS",
    ),
    Command(
        "boundaries",
        "find_boundaries",
        "Find several Markov boundaries of a column by repeated searches with random choices.",
        panel=ASK,
        examples=(
            "eiderdown boundaries data.csv --target y --runs 20 --plot y.png",
            "eiderdown boundaries data.csv y --set fraction=0.5 --folds none --seed 3",
        ),
        algorithms="eiderdown.api.multiplicity:RANDOM_ALGORITHMS",
        extras=PictureOptions,
        check=check_files,
        finish=draw_boundaries,
    ),
    Command(
        "all",
        "find_all_boundaries",
        "Find the boundary (or the parents and children) of every column; one line for each.",
        panel=ASK,
        examples=(
            "eiderdown all data.csv --out all.json",
            "eiderdown all data.csv --target y --target dose --algorithm get_pc",
        ),
        algorithms="eiderdown.boundary:ALGORITHMS",
    ),
    Command(
        "check",
        "check_boundary",
        "Check whether some columns are the Markov boundary of another, and what they lack.",
        panel=ASK,
        examples=(
            "eiderdown check data.csv --target y --member dose",
            "eiderdown check data.csv y --member dose --member age --json",
        ),
    ),
    Command(
        "causes",
        "find_causes",
        "Find out which neighbours of a column are its causes and which its effects.",
        panel=ASK,
        examples=(
            "eiderdown causes data.csv --target y",
            "eiderdown causes data.csv y --resamples 10 --exclude age --seed 3",
        ),
    ),
    Command(
        "interactions",
        "find_interactions",
        "Find products of columns that tell of a column what single columns may not.",
        panel=ASK,
        examples=(
            "eiderdown interactions data.csv --target y",
            "eiderdown interactions data.csv y --degree 2 --C 1 --folds 3",
        ),
        algorithms="eiderdown.boundary:ALGORITHMS",
    ),
    Command(
        "compare",
        "compare_selectors",
        "Compare selectors of columns by how well a model predicts with what they select.",
        panel=ASK,
        examples=(
            "eiderdown compare data.csv --target y --selectors none,iamb,fsmb",
            "eiderdown compare data.csv y --selectors iamb --folds 2 --time-limit 60",
        ),
    ),
    Command(
        "region",
        "learn_region",
        "Learn the part of the network around a column, without learning the rest.",
        panel=LEARN,
        examples=(
            "eiderdown region data.csv --target y --depth 2 --plot y.png",
            "eiderdown region data.csv --target y --hidden-causes",
            "eiderdown region data.csv y --algorithm gpc --export y.dot",
        ),
        algorithms="eiderdown.structure:REGION_ALGORITHMS",
        extras=GraphOptions,
        check=check_files,
        finish=write_learned_graph,
    ),
    Command(
        "network",
        "learn_network",
        "Learn the whole network of a file's columns, with the evidence for each edge.",
        panel=LEARN,
        examples=(
            "eiderdown network data.csv --plot network.png",
            "eiderdown network data.csv --algorithm mmhc --score bic --export network.bif",
        ),
        algorithms="eiderdown.structure:NETWORK_ALGORITHMS",
        extras=GraphOptions,
        check=check_files,
        finish=write_learned_graph,
    ),
    Command(
        "skeleton",
        "learn_skeleton",
        "Learn which columns are adjacent, of very many, and write the edges to an Arrow file.",
        panel=LEARN,
        examples=(
            "eiderdown skeleton data.csv --to edges.arrow",
            "eiderdown skeleton data.csv --to mmpc.arrow --algorithm mmpc --time-limit 60",
        ),
        algorithms="eiderdown.api.skeleton:SKELETON_ALGORITHMS",
    ),
    Command(
        "predict",
        "predict",
        "Predict a column of new rows in which others may have been set from outside.",
        panel=ASK,
        examples=(
            "eiderdown predict data.csv new_rows.csv --target y",
            "eiderdown predict data.csv new_rows.csv y --manipulated dose --seed 3",
        ),
        algorithms="eiderdown.boundary:BOUNDARY_ALGORITHMS",
        extras=PredictionExtras,
        finish=write_predictions,
    ),
    Command(
        "path",
        "boundary_path",
        "Find the Markov boundary of a column at several significance levels.",
        panel=SURE,
        examples=(
            "eiderdown path data.csv --target y",
            "eiderdown path data.csv --target y --alphas 0.001,0.01,0.05 --report path.html",
        ),
        algorithms="eiderdown.boundary:BOUNDARY_ALGORITHMS",
    ),
    Command(
        "stability",
        "measure_stability",
        "Measure how often each edge comes back when the graph is learned from resampled rows.",
        panel=SURE,
        examples=(
            "eiderdown stability data.csv --resamples 10 --export edges.csv",
            "eiderdown stability data.csv --target y --algorithm mmpc --resamples 20",
        ),
        algorithms="eiderdown.api.learners:GRAPH_LEARNERS",
        extras=ConsensusOptions,
        check=check_files,
        finish=write_consensus,
    ),
    Command(
        "confidence",
        "measure_confidence",
        "Measure how sure one can be of edges, directed paths and Markov boundaries.",
        panel=SURE,
        examples=(
            "eiderdown confidence data.csv --runs 50 --plot-curves errors.png",
            "eiderdown confidence data.csv --target y --source boundaries --runs 20",
        ),
        algorithms="eiderdown.api:LEARNERS",
        extras=ConfidenceExtras,
        check=check_confidence,
        finish=draw_confidence,
        deliver=deliver_confidence,
    ),
)


class _Listed(NamedTuple):
    """A command that is no verb on a table: what runs, where it is listed, and lines to write."""

    function: Callable[..., None]
    panel: str
    examples: tuple[str, ...]


OTHERS: Final = (
    _Listed(show, LOOK, ("eiderdown show y.json",)),
    _Listed(changes, LOOK, ("eiderdown changes y.json later.json",)),
    _Listed(report, LOOK, ("eiderdown report y.json", "eiderdown report y.json --out y.html")),
    _Listed(
        algorithms,
        OTHER,
        ("eiderdown algorithms", "eiderdown algorithms find", "eiderdown algorithms kiamb --json"),
    ),
    _Listed(selectors, OTHER, ("eiderdown selectors",)),
    _Listed(networks, OTHER, ("eiderdown networks",)),
    _Listed(
        sample,
        OTHER,
        (
            "eiderdown sample alarm --out alarm.csv",
            "eiderdown sample asia --rows 1000 --seed 7 --out asia.parquet",
        ),
    ),
    _Listed(
        store,
        OTHER,
        ("eiderdown store", "eiderdown store --remove parts/", "eiderdown store --remove all"),
    ),
    _Listed(demo, OTHER, ("eiderdown demo", "eiderdown demo --out folder")),
)

app = typer.Typer(
    cls=group_of((*VERBS, EXPLORE)),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"eiderdown {__version__}")
        raise typer.Exit


def _print_versions(wanted: bool) -> None:
    if wanted:
        for name, version in installed_versions().items():
            typer.echo(f"{name} {version}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
    versions: Annotated[
        bool,
        typer.Option(
            "--versions",
            help="Print the versions of Python and of the libraries, too.",
            callback=_print_versions,
            is_eager=True,
        ),
    ] = False,
) -> None:
    """Find the Markov boundary of a column: the columns that make all others irrelevant to it."""


def _unbuilt() -> None:
    """Stand for a verb in the list of commands."""


for verb in (*VERBS, EXPLORE):
    app.command(verb.name, help=verb.summary, rich_help_panel=verb.panel)(_unbuilt)
for other in OTHERS:
    app.command(rich_help_panel=other.panel, epilog=epilog_of(other.examples))(other.function)
