"""What commands do with a graph beside printing it: files for other programs, and a picture."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from eiderdown.cli.commands import DeliveryOptions, Outcome
from eiderdown.options import Option

_EXPORT_HELP = (
    "write the graph for other programs: .dot, .graphml, .bif, .dagitty, .bnlearn, .tetrad or .csv "
    "(pcalg)"
)
Export: TypeAlias = Annotated[Path | None, Option(_EXPORT_HELP, default=None)]
Format: TypeAlias = Annotated[
    str | None,
    Option("format of --export, where the file's name says another", default=None, flag="--format"),
]


class GraphOptions(DeliveryOptions, total=False):
    """Where a learned graph goes."""

    export: Export
    form: Format
    prior: Annotated[
        float, Option("rows that the prior of the tables in a .bif file is worth", default=0.0)
    ]
    plot: Annotated[
        Path | None,
        Option("draw the graph as .png, .svg or .pdf", default=None, metavar="FILE.png"),
    ]


class ConsensusOptions(DeliveryOptions, total=False):
    """Where the edges go that came back often enough."""

    threshold: Annotated[
        float,
        Option(
            "least share of the resamples that an exported edge was in", default=0.5, between=(0, 1)
        ),
    ]
    export: Export
    form: Format


def check_files(extras: Mapping[str, Any]) -> None:
    """Refuse files of which nobody knows the format, before any work is done."""
    if extras.get("export") is not None:
        from eiderdown.export import format_of

        format_of(extras["export"], extras["form"])
    if extras.get("plot") is not None:
        from eiderdown.report.plots import require_picture

        require_picture(extras["plot"])


def write_learned_graph(outcome: Outcome) -> None:
    """Write a learned graph for other programs, and draw it, where that was asked for."""
    from eiderdown.cli.output import writing

    export, plot = outcome.extras["export"], outcome.extras["plot"]
    if export is not None:
        from eiderdown.data.prepare import prepare_network
        from eiderdown.export import BIF, format_of, write_graph

        form = format_of(export, outcome.extras["form"])
        if form is BIF:
            form = BIF(equivalent_sample_size=outcome.extras["prior"])
        data = prepare_network(outcome.table, exclude=outcome.options.get("exclude", ())).data
        with writing(export):
            write_graph(outcome.result, export, form=form, data=data)
    if plot is not None:
        from eiderdown.report.graph_plot import plot_graph

        with writing(plot):
            plot_graph(outcome.result, plot)


def write_consensus(outcome: Outcome) -> None:
    """Write the edges that came back often enough, where that was asked for."""
    from eiderdown.cli.output import writing

    export = outcome.extras["export"]
    if export is not None:
        from eiderdown.export import write_graph

        consensus = outcome.result.consensus(threshold=outcome.extras["threshold"])
        with writing(export):
            write_graph(consensus, export, form=outcome.extras["form"])
