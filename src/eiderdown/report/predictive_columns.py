"""How well boundary, chosen columns and all columns predict, in the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from eiderdown.report.text import cell, say, table_of
from eiderdown.results import JudgedColumns, MarkovBoundary, PredictiveColumns

N_SHOWN = 20
"""How many chosen columns and substitutes are shown; the result itself holds all."""


def render_prediction(result: MarkovBoundary, console: Console) -> None:
    """Print which columns were chosen for prediction, or how well the members predict.

    Examples
    --------
    >>> from eiderdown import find_boundary, networks
    >>> data = networks.load("asia").sample(5_000, random_state=0)
    >>> found = find_boundary(data, target="dysp", check_prediction=True)
    >>> render_prediction(found, Console(width=120))
    The 2 members predict 'dysp' as well as all 7 columns (AUC 0.866 against 0.861).
    """
    found = result.prediction
    if found is None:
        return
    say(console, found.sentence(result.target))
    if not found.is_choice:
        return
    console.print(sets_table(found))
    names = list(found.columns[:N_SHOWN])
    more = len(found.columns) - len(names)
    listed = ", ".join(names) + (f" and {more:,} more" if more else "")
    say(console, f"Chosen to predict {result.target!r}: {listed or 'no column'}.")
    if found.substitutes:
        pairs = [f"{s.column} for {s.stands_for}" for s in found.substitutes[:N_SHOWN]]
        say(console, f"Outside the boundary, and able to stand for members: {', '.join(pairs)}.")


def sets_table(found: PredictiveColumns) -> Table:
    """Make a table of the sets that were judged: size, score, interval, and behind the best."""
    table = table_of(("set",), ("columns", found.measure, "95% interval", "behind the best"))
    for judged in found.sets:
        is_chosen = judged.name == found.chosen.name
        name = f"{judged.name} (chosen)" if is_chosen else judged.name
        table.add_row(cell(name, "bold" if is_chosen else ""), *_numbers(judged))
    return table


def _numbers(judged: JudgedColumns) -> tuple[str, ...]:
    return (
        f"{judged.n_columns:,}",
        f"{judged.score:.3f}",
        f"{judged.low:.3f} to {judged.high:.3f}",
        f"{judged.behind:.3f} +- {judged.behind_error:.3f}",
    )
