"""The pages of interactions, and of selectors side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from eiderdown.report.html.arrange.framing import framed
from eiderdown.report.html.cells import (
    TEST_HEADINGS,
    evidence_cells,
    name,
    names,
    number,
    p_value,
    shown_first,
    text,
)
from eiderdown.report.html.view import (
    Block,
    Cell,
    Facts,
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
    ComparedSelector,
    CrossValidation,
    Interactions,
    KeptMonomial,
    SelectorComparison,
)


def arrange_interactions(result: Interactions) -> Page:
    """Arrange the kept monomials, and the model they come from."""
    products = sum(len(item.variables) > 1 for item in result.monomials)
    answer = f"No product of columns was found to depend on {result.target!r}."
    if result.monomials:
        answer = (
            f"{counted(len(result.monomials), 'monomial')} of "
            f"{counted(len(result.variables), 'column')} in the boundary of {result.target!r}, "
            f"{products:,} of them products of several columns."
        )
    return framed(
        result,
        what="Interactions about",
        subject=result.target,
        question=(
            f"Which products of columns say of {result.target!r} what single columns may not?"
        ),
        answer=answer,
        figures=(
            ("monomials", f"{len(result.monomials):,}"),
            ("columns in them", f"{len(result.variables):,}"),
        ),
        sections=(
            Section("evidence", "Monomials", tuple(_monomials(result))),
            Section("chance", "Left out as chance", tuple(_by_chance(result))),
            Section("prediction", "How well it predicts", tuple(_scores(result))),
            Section("model", "The model, and the search in it", tuple(_model(result))),
        ),
    )


def _monomials(result: Interactions) -> Iterator[Block]:
    if not result.monomials:
        return
    yield Words(
        (
            "“p, all” is the p-value times the number of all monomials of the model: below the "
            "significance level, its choice among so many cannot be the reason.",
        )
    )
    yield _table("Kept monomials", result.monomials, result)


def _by_chance(result: Interactions) -> Iterator[Block]:
    if result.by_chance:
        yield Words(("Chance alone could have put these there, among so many monomials.",))
        yield _table("Left out", result.by_chance, result)


def _table(caption: str, monomials: tuple[KeptMonomial, ...], result: Interactions) -> Table:
    with_classes = len({item.classes for item in monomials}) > 1
    with_same = any(item.same_as for item in monomials)
    headings = (
        Heading("Monomial", "name"),
        Heading("Columns", "name"),
        *((Heading("Tells apart"),) if with_classes else ()),
        Heading("Weight", "number", "Its weight in the model."),
        Heading("p, all", "number", "p times the number of all monomials."),
        *TEST_HEADINGS,
        *((Heading("Same information", "name"),) if with_same else ()),
    )
    n_total = result.search.n_total if result.search is not None else 1
    shown, n_left_out = shown_first(monomials)
    rows = tuple(
        (
            name(item.name, strong=True),
            names(item.variables),
            *((text(" and ".join(item.classes or ())),) if with_classes else ()),
            number(item.weight, ".4g"),
            _p_of_all(item, n_total),
            *evidence_cells(item.evidence),
            *((names(item.same_as),) if with_same else ()),
        )
        for item in shown
    )
    return Table(caption, headings, rows, n_left_out)


def _p_of_all(item: KeptMonomial, n_total: int) -> Cell:
    log_p = min(0.0, item.evidence.log_p + math.log(n_total))
    return p_value(replace(item.evidence, log_p=log_p))


def _scores(result: Interactions) -> Iterator[Block]:
    svm = result.svm
    known = {
        "SVM, degree and C chosen apart": svm.nested_score if svm is not None else None,
        "SVM": svm.score if svm is not None else None,
        "linear model of the monomials": result.linear_score,
    }
    found = {label: score for label, score in known.items() if score is not None}
    if found:
        measure = next(iter(found.values())).measure
        yield Intervals(measure, tuple(_interval(label, one) for label, one in found.items()))
        yield Words(
            (
                "Cross-validated, with one standard error to each side. The monomials of the "
                "linear model were chosen with all rows, which flatters it.",
            )
        )


def _interval(label: str, score: CrossValidation) -> Interval:
    low, high = score.mean - score.standard_error, score.mean + score.standard_error
    return Interval(label, score.mean, low, high, counted(score.n_folds, "fold"))


def _model(result: Interactions) -> Iterator[Block]:
    svm, search = result.svm, result.search
    facts: list[tuple[str, str]] = []
    if svm is not None:
        facts += [
            ("Degree of the polynomial", str(svm.degree)),
            ("C", f"{svm.C:g}"),
            ("Support vectors", f"{svm.n_support_vectors:,}"),
        ]
    if search is not None:
        facts += [
            ("Search for the largest weights", search.method),
            ("Monomials of the space", f"{search.n_total:,}"),
            ("Monomials built", f"{search.n_built:,}"),
            ("Taken", f"{search.n_found:,}, {search.n_proven:,} of them proven to be at the top"),
        ]
        if search.stopped is not None:
            facts.append(("Stopped by", search.stopped))
    if facts:
        yield Facts(tuple(facts))


def arrange_comparison(result: SelectorComparison) -> Page:
    """Arrange selectors side by side."""
    best = max(
        (row for row in result.selectors if row.score is not None),
        key=lambda row: row.score or 0.0,
        default=None,
    )
    answer = "No selector finished a split."
    if best is not None and best.score is not None:
        answer = (
            f"{best.name} has the best {result.measure}, {best.score:.3f}, with "
            f"{best.n_variables:,.1f} of {result.n_variables:,} columns on average."
        )
    return framed(
        result,
        what="Selectors of columns for",
        subject=result.target,
        question=(
            f"With which selected columns does a model predict {result.target!r} best? Scored on "
            f"{result.tested_on}."
        ),
        answer=answer,
        figures=(("selectors", str(len(result))), ("splits", str(result.n_splits))),
        sections=(
            Section("prediction", "How well a model predicts", tuple(_chart(result))),
            Section("evidence", "Selectors", tuple(_selectors(result))),
        ),
    )


def _chart(result: SelectorComparison) -> Iterator[Block]:
    rows = [row for row in result.selectors if row.score is not None]
    if rows:
        yield Intervals(result.measure, tuple(map(_selector_interval, rows)))
        yield Words(("Means over the splits, with one standard error to each side.",))


def _selector_interval(row: ComparedSelector) -> Interval:
    score, error = row.score or 0.0, row.standard_error or 0.0
    note = f"{row.n_variables:,.1f} columns"
    return Interval(row.name, score, score - error, score + error, note)


def _selectors(result: SelectorComparison) -> Iterator[Block]:
    headings = (
        Heading("Selector"),
        Heading("Columns", "number", "Mean number of selected columns."),
        Heading("Of all, %", "number"),
        Heading(result.measure, "number"),
        Heading("Std. error", "number"),
        Heading("Seconds", "number"),
        Heading("What it does"),
        Heading("Remarks"),
    )
    rows = tuple(_selector_row(row, result) for row in result.selectors)
    if rows:
        yield Table("Selectors", headings, rows)


def _selector_row(row: ComparedSelector, result: SelectorComparison) -> tuple[Cell, ...]:
    return (
        text(row.name, "strong"),
        number(row.n_variables, ",.1f"),
        number(result.percentage(row), ".1f"),
        number(row.score, ".3f"),
        number(row.standard_error, ".3f"),
        number(row.seconds, ",.2f"),
        text(row.summary),
        text(row.problem or ""),
    )
