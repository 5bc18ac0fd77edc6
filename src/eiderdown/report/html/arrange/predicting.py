"""How well sets of columns predict, and the page of predictions for new rows."""

from __future__ import annotations

from collections.abc import Iterator

from eiderdown.report.html.arrange.causes import orientation_blocks
from eiderdown.report.html.arrange.framing import framed
from eiderdown.report.html.cells import name, number, share, shown_first, text
from eiderdown.report.html.view import (
    Block,
    Cell,
    Heading,
    Interval,
    Intervals,
    Page,
    Section,
    Table,
    Words,
)
from eiderdown.report.text import counted
from eiderdown.results import (
    JudgedColumns,
    MarkovBoundary,
    Predictions,
    PredictiveColumns,
    UsedColumns,
)

_MOST_CLASSES = 8
_MOST_ROWS = 100


def prediction_blocks(result: MarkovBoundary) -> Iterator[Block]:
    """Arrange how well the boundary, the chosen set and all columns predict."""
    found = result.prediction
    if found is None:
        return
    yield Words((found.sentence(result.target),))
    three = {"boundary": found.boundary, "chosen": found.chosen, "all columns": found.all_columns}
    if not found.is_choice:
        del three["chosen"]
    yield Intervals(
        found.measure, tuple(_interval(label, judged) for label, judged in three.items())
    )
    yield Words(
        (
            f"Each dot is the mean over {found.n_folds} folds of {found.n_rows:,} rows with its "
            f"95% interval; rows that are predicted took no part in finding the columns. "
            f"Best model: {found.model}.",
        )
    )
    if found.is_choice and found.sets:
        yield _judged(found)
    if found.substitutes:
        yield _substitutes(found)


def _judged(found: PredictiveColumns) -> Table:
    headings = (
        Heading("Set"),
        Heading("Columns", "number"),
        Heading(found.measure, "number"),
        Heading("From", "number", "Lower end of the 95% interval."),
        Heading("To", "number", "Upper end of the 95% interval."),
        Heading("Behind the best", "number"),
    )
    rows = tuple(_judged_row(item, found.chosen.name) for item in found.sets)
    return Table("Nested sets that were judged", headings, rows)


def _substitutes(found: PredictiveColumns) -> Table:
    headings = (
        Heading("Column", "name"),
        Heading("Stands for", "name"),
        Heading("Layer", "number"),
    )
    shown, n_left_out = shown_first(found.substitutes)
    rows = tuple(
        (name(item.column), name(item.stands_for), number(item.layer, "d")) for item in shown
    )
    return Table("Columns outside that can stand for members", headings, rows, n_left_out)


def _interval(label: str, judged: JudgedColumns) -> Interval:
    size = counted(judged.n_columns, "column")
    return Interval(label, judged.score, judged.low, judged.high, size, label == "chosen")


def _judged_row(judged: JudgedColumns, chosen: str) -> tuple[Cell, ...]:
    is_chosen = judged.name == chosen
    return (
        text(
            f"{judged.name} (chosen)" if is_chosen else judged.name, "strong" if is_chosen else ""
        ),
        number(judged.n_columns, ","),
        number(judged.score, ".3f"),
        number(judged.low, ".3f"),
        number(judged.high, ".3f"),
        number(judged.behind, ".3f"),
    )


def arrange_predictions(result: Predictions) -> Page:
    """Arrange which columns were used and why, and the first predictions."""
    used = result.used
    measure = "AUC" if result.task == "classification" else "R2"
    scored = () if result.score is None else ((f"{measure} on these rows", f"{result.score:.3f}"),)
    causes = () if result.orientation is None else tuple(orientation_blocks(result.orientation))
    return framed(
        result,
        what="Predictions of",
        subject=result.target,
        question=f"What is {result.target!r} in new rows, in which columns may have been set?",
        answer=used.lines()[0],
        figures=((("predictions", f"{len(result):,}")), *scored),
        sections=(
            Section("used", "Columns used, and why", tuple(_used(used))),
            Section("prediction", "How well sets of columns predict", tuple(_compared(used))),
            Section("graph", "Causes and effects", causes),
            Section("rows", "Predictions", (_first_rows(result),)),
        ),
    )


def _used(used: UsedColumns) -> Iterator[Block]:
    if used.offence is not None:
        yield Words((f"Beware: {used.offence}",))
    if used.products:
        yield Words((f"Products as well: {', '.join(used.products)}.",))
    headings = (
        Heading("Column", "name"),
        Heading("Used"),
        Heading("Part", "number", "Share of the averaged predictions that use it."),
        Heading("Why"),
    )
    considered, n_left_out = shown_first((*used.columns, *used.left_out))
    inside = set(used.columns)
    rows = tuple(
        (
            name(column, strong=column in inside),
            text("used" if column in inside else "left out", "accent" if column in inside else ""),
            share(used.weights.get(column, 1.0) if column in inside else 0.0),
            text(used.reasons[column]),
        )
        for column in considered
    )
    yield Table("Columns that were considered", headings, rows, n_left_out)


def _compared(used: UsedColumns) -> Iterator[Block]:
    if not used.compared:
        return
    yield Words(
        (
            "On rows in which nothing was set; each line is the mean, plus and minus one standard "
            "error.",
        )
    )
    yield Intervals(
        used.measure,
        tuple(
            Interval(
                item.name,
                item.score,
                item.score - item.standard_error,
                item.score + item.standard_error,
                counted(len(item.columns), "column") + (", chosen" if item.chosen else ""),
                item.chosen,
            )
            for item in used.compared
        ),
    )


def _first_rows(result: Predictions) -> Table:
    classes = result.classes[:_MOST_CLASSES] if result.probabilities else ()
    headings = (
        Heading("Row", "number"),
        Heading(result.target, "number" if result.task == "regression" else "text"),
        *(Heading(f"p({label})", "number") for label in classes),
    )
    rows = []
    for row, value in enumerate(result.values[:_MOST_ROWS]):
        shown = number(value, ",.4g") if isinstance(value, float) else text(str(value))
        shares = result.probabilities[row][: len(classes)] if classes else ()
        rows.append((number(row + 1, ","), shown, *map(share, shares)))
    left = max(0, len(result.values) - _MOST_ROWS)
    return Table("The first predictions", headings, tuple(rows), left)
