"""What commands do with a result beside printing it: files for other programs, pictures, optima."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from eiderdown.cli.commands import DeliveryOptions, Outcome
from eiderdown.cli.console import INTERRUPTED, print_result
from eiderdown.errors import OptionError
from eiderdown.options import Option, options_of

if TYPE_CHECKING:
    from eiderdown.results import OptimaBySize

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


class PictureOptions(DeliveryOptions, total=False):
    """Where several boundaries are drawn."""

    plot: Annotated[
        Path | None,
        Option("draw frequencies, sizes and accuracies", default=None, metavar="FILE.png"),
    ]


def draw_boundaries(outcome: Outcome) -> None:
    """Draw several boundaries, where that was asked for."""
    plot = outcome.extras["plot"]
    if plot is not None:
        from eiderdown.report.plots import plot_multiplicity

        plot_multiplicity(outcome.result, plot)


def check_files(extras: Mapping[str, Any]) -> None:
    """Refuse files of which nobody knows the format, before any work is done."""
    if extras.get("export") is not None:
        from eiderdown.export import format_of

        format_of(extras["export"], extras["form"])
    for name, path in extras.items():
        if name.startswith("plot") and path is not None:
            from eiderdown.report.plots import require_picture

            require_picture(path)


def write_learned_graph(outcome: Outcome) -> None:
    """Write a learned graph for other programs, and draw it, where that was asked for."""
    export, plot = outcome.extras["export"], outcome.extras["plot"]
    if export is not None:
        from eiderdown.data.prepare import prepare_network
        from eiderdown.export import BIF, format_of, write_graph

        form = format_of(export, outcome.extras["form"])
        if form is BIF:
            form = BIF(equivalent_sample_size=outcome.extras["prior"])
        excluded = outcome.options.get("exclude", ())
        data = prepare_network(outcome.table, exclude=excluded, isolates=True).with_isolated()
        write_graph(outcome.result, export, form=form, data=data)
    if plot is not None:
        from eiderdown.report.graph_plot import plot_graph

        plot_graph(outcome.result, plot)


def write_consensus(outcome: Outcome) -> None:
    """Write the edges that came back often enough, where that was asked for."""
    export = outcome.extras["export"]
    if export is not None:
        from eiderdown.export import write_graph

        consensus = outcome.result.consensus(threshold=outcome.extras["threshold"])
        write_graph(consensus, export, form=outcome.extras["form"])


_SHARES = (0.1, 0.25, 0.5, 1.0)


class ConfidenceExtras(DeliveryOptions, total=False):
    """What is shown of a confidence, and where pictures go."""

    threshold: Annotated[
        float | None,
        Option("least confidence; by default where the errors are fewest", default=None),
    ]
    plot_curves: Annotated[
        Path | None,
        Option("draw false positives against false negatives", default=None, metavar="FILE.png"),
    ]
    plot_graph: Annotated[
        Path | None,
        Option("draw the edges by confidence, around --target", default=None, metavar="FILE.png"),
    ]
    shares: Annotated[
        Collection[float] | None,
        Option(
            "also count the local optima in samples of these shares of the rows, such as 0.1,0.5,1",
            default=None,
            metavar="X,...",
        ),
    ]
    repeats: Annotated[int, Option("samples for each of the --shares", default=5, at_least=1)]
    plot_optima: Annotated[
        Path | None,
        Option("draw the number of local optima by share", default=None, metavar="FILE.png"),
    ]


def check_confidence(asked: Mapping[str, Any]) -> None:
    """Refuse thresholds, pictures and counts that cannot be, before any work is done."""
    if asked["threshold"] is not None:
        from eiderdown.results.graph_features import check_threshold

        check_threshold(asked["threshold"])
    if _wants_optima(asked) and asked.get("source", "kes") != "kes":
        raise OptionError("--shares and --plot-optima count local optima; leave out --source.")
    check_files(asked)


def draw_confidence(outcome: Outcome) -> None:
    """Draw the curves and the graph, where that was asked for."""
    result, extras = outcome.result, outcome.extras
    if extras["plot_curves"] is not None:
        from eiderdown.report.plots import plot_trade_off

        plot_trade_off(result, extras["plot_curves"])
    if extras["plot_graph"] is not None:
        from eiderdown.report.graph_plot import plot_confident_graph

        path, threshold = extras["plot_graph"], extras["threshold"]
        plot_confident_graph(result, path, threshold=threshold, target=result.target)


def deliver_confidence(outcome: Outcome) -> None:
    """Print the confidence; count optima by rows, too, where that was asked for."""
    from rich.console import Console

    from eiderdown.report.networks import render_confidence

    result, extras = outcome.result, outcome.extras
    if extras["json"]:
        typer.echo(result.to_json())
    else:
        render_confidence(result, Console(), threshold=extras["threshold"])
    complete = result.complete
    if complete and _wants_optima(extras):
        complete = _deliver_optima(outcome).complete
    if not complete:
        raise typer.Exit(INTERRUPTED)


def _wants_optima(extras: Mapping[str, Any]) -> bool:
    return extras["shares"] is not None or extras["plot_optima"] is not None


def _deliver_optima(outcome: Outcome) -> OptimaBySize:
    """Count optima by rows, draw and print them; what programs read is about confidence alone."""
    from eiderdown.api import measure_optima

    extras = outcome.extras
    known = options_of(measure_optima)
    how = {name: value for name, value in outcome.options.items() if name in known}
    how |= {"shares": extras["shares"] or _SHARES, "repeats": extras["repeats"]}
    counted = measure_optima(outcome.table, **how)
    if extras["plot_optima"] is not None:
        from eiderdown.report.plots import plot_optima

        plot_optima(counted, extras["plot_optima"])
    if not extras["json"]:
        print_result(counted)
    return counted
