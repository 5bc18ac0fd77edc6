"""Predictions for people: what they were made from and why, and the first of them."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from eiderdown.report.text import cell, counted, effort, say, table_of
from eiderdown.results import Predictions

_MOST_SHOWN = 5


def predictions_table(result: Predictions) -> Table:
    """Make a table of the first predictions."""
    probabilities = [f"p({label})" for label in result.classes[:_MOST_SHOWN]]
    table = table_of([], ["row", result.target, *probabilities])
    for row, value in enumerate(result.values[:_MOST_SHOWN]):
        shown = cell(f"{value:.4g}" if isinstance(value, float) else str(value))
        shares = result.probabilities[row][:_MOST_SHOWN] if result.probabilities else ()
        table.add_row(str(row + 1), shown, *(f"{share:.3f}" for share in shares))
    return table


def render_predictions(result: Predictions, console: Console) -> None:
    """Print which columns were used, which not, why, and the first predictions."""
    for line in result.used.lines():
        say(console, line)
    console.print(predictions_table(result))
    more = len(result) - _MOST_SHOWN
    if more > 0:
        say(console, f"and {counted(more, 'row')} more.")
    if result.score is not None:
        measure = "AUC" if result.task == "classification" else "R2"
        say(console, f"{measure} on these rows: {result.score:.3f}.")
    say(console, effort(result.run))
