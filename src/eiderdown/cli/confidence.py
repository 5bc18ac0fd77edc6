"""What ``eiderdown confidence`` does with its result: pictures, and optima counted by rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eiderdown.cli.commands import DeliveryOptions, Outcome
from eiderdown.errors import OptionError
from eiderdown.options import Option, options_of

if TYPE_CHECKING:
    from eiderdown.results import OptimaBySize

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
    for name in ("plot_curves", "plot_graph", "plot_optima"):
        if asked[name] is not None:
            from eiderdown.report.plots import require_picture

            require_picture(asked[name])


def draw_confidence(outcome: Outcome) -> None:
    """Draw the curves and the graph, where that was asked for."""
    from eiderdown.cli.output import writing

    result, extras = outcome.result, outcome.extras
    if extras["plot_curves"] is not None:
        from eiderdown.report.plots import plot_trade_off

        with writing(extras["plot_curves"]):
            plot_trade_off(result, extras["plot_curves"])
    if extras["plot_graph"] is not None:
        from eiderdown.report.graph_plot import plot_confident_graph

        path, threshold = extras["plot_graph"], extras["threshold"]
        with writing(path):
            plot_confident_graph(result, path, threshold=threshold, target=result.target)


def deliver_confidence(outcome: Outcome) -> None:
    """Save and print the confidence; count optima by rows, too, where that was asked for."""
    from rich.console import Console

    from eiderdown.cli.group import INTERRUPTED
    from eiderdown.cli.output import save
    from eiderdown.report.confidence import render_confidence

    result, extras = outcome.result, outcome.extras
    save(result, extras["out"])
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
    from eiderdown.cli.output import print_result, writing

    extras = outcome.extras
    known = options_of(measure_optima)
    how = {name: value for name, value in outcome.options.items() if name in known}
    how |= {"shares": extras["shares"] or _SHARES, "repeats": extras["repeats"]}
    counted = measure_optima(outcome.table, **how)
    if extras["plot_optima"] is not None:
        from eiderdown.report.plots import plot_optima

        with writing(extras["plot_optima"]):
            plot_optima(counted, extras["plot_optima"])
    if not extras["json"]:
        print_result(counted)
    return counted
