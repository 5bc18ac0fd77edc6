"""Several selectors side by side, as a table in the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from eiderdown.report.text import effort, say, table_of
from eiderdown.results import ComparedSelector, SelectorComparison


def comparison_table(result: SelectorComparison) -> Table:
    """Make a table with a row for each selector: columns kept, percentage, score, seconds."""
    table = table_of(("selector",), ("variables", "%", result.measure, "+-", "seconds"))
    best = max((row.score for row in result if row.score is not None), default=None)
    for row in result:
        style = "bold" if row.score is not None and row.score == best else ""
        table.add_row(Text(row.name, style=style), *_numbers(result, row))
    return table


def render_comparison(result: SelectorComparison, console: Console) -> None:
    """Print the selectors, how well an SVM predicts with each, and what went wrong.

    Parameters
    ----------
    result : SelectorComparison
        What was compared. Its warnings are left to the caller.
    console : rich.console.Console
        Where to print.
    """
    interrupted = "" if result.complete else " (interrupted: what was done until then)"
    say(
        console,
        f"Selectors of columns for {result.target!r}, out of {result.n_variables:,}{interrupted}",
    )
    if len(result):
        console.print(comparison_table(result))
    for row in result:
        if row.problem is not None:
            say(console, f"{row.name}: {row.problem}")
    say(
        console,
        f"{result.measure} of polynomial support vector machines, {result.tested_on}; columns, "
        "degree and C were chosen without the rows tested on.",
    )
    say(console, effort(result.run))


def _numbers(result: SelectorComparison, row: ComparedSelector) -> list[str]:
    percentage = result.percentage(row)
    if row.n_variables is None or row.score is None or row.seconds is None or percentage is None:
        return ["-"] * 5
    error = "-" if row.standard_error is None else f"{row.standard_error:.3f}"
    whole = all(trial.n_variables == row.n_variables for trial in row.trials)
    return [
        f"{row.n_variables:,.{0 if whole else 1}f}",
        f"{percentage:.3g}",
        f"{row.score:.3f}",
        error,
        f"{row.seconds:.2f}",
    ]
