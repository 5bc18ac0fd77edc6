"""What polynomial SVMs tell: a model explained, interactions, and selectors side by side."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from eiderdown.errors import OptionError
from eiderdown.report.text import (
    Fitting,
    add_numbers,
    cell,
    counted,
    cut_off,
    effort,
    say,
    table_of,
)
from eiderdown.results import (
    ComparedSelector,
    CrossValidation,
    FittedSVM,
    Interactions,
    KeptMonomial,
    MonomialSearch,
    SelectorComparison,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from eiderdown.estimators.explainer import SVMExplanation
    from eiderdown.svm.weights.top_k import TopMonomials

_LONGEST_LABEL = 45
_POSITIVE, _NEGATIVE = "#4c6a92", "#b5654a"
_STOPPED = {
    "monomials": "the search stopped at its limit of monomials",
    "seconds": "the search stopped at its limit of seconds",
    "interrupted": "the search was interrupted",
}


def render_explanation(explanation: SVMExplanation, console: Console) -> None:
    """Print the monomials of largest weight, how sure they are, and the function if it is small."""
    model = explanation.model
    say(
        console,
        f"Polynomial SVM of degree {model.degree} with {model.n_vectors:,} support vectors, "
        f"{explanation.about}",
    )
    if explanation.after:
        say(console, f"Columns are as they come out of {', '.join(explanation.after)}.")
    console.print(_monomial_table(explanation))
    say(console, certainty(explanation.top))
    try:
        say(console, explanation.decision_function_text())
    except OptionError:  # too long for people
        return


def certainty(top: TopMonomials) -> str:
    """Say how many monomials were built of how many, and whether those shown are proven the top."""
    built = f"{top.method}: {top.n_built:,} of {top.n_total:,} monomials built"
    if top.proven:
        return f"{built}; these {len(top.monomials):,} are proven to have the largest weights."
    why = f" because {_STOPPED[top.stopped]}" if top.stopped else ""
    sure = f"only the first {top.n_proven:,} are" if top.n_proven else "none of these is"
    return (
        f"{built}; {sure} proven to be at the top{why}: a monomial that was not built may weigh up "
        f"to {top.unseen:.4g}."
    )


def plot_weights(explanation: SVMExplanation, ax: Axes | None = None) -> Axes:
    """Draw the weights of the monomials as bars, the largest on top."""
    monomials = explanation.monomials
    if ax is None:
        from matplotlib.figure import Figure

        height = 1.2 + 0.25 * len(monomials)
        ax = Figure(figsize=(8, height), layout="constrained").subplots()
    weights = [monomial.weight for monomial in monomials]
    places = list(range(len(monomials)))
    colours = [_NEGATIVE if weight < 0.0 else _POSITIVE for weight in weights]
    ax.barh(places, weights, color=colours)
    ax.set_yticks(
        places, [cut_off(monomial.name, _LONGEST_LABEL) for monomial in monomials], fontsize=8
    )
    ax.invert_yaxis()
    ax.axvline(0.0, color="black", linewidth=0.8)
    ax.set_xlabel("weight")
    ax.set_title(explanation.about, fontsize=10)
    return ax


def _monomial_table(explanation: SVMExplanation) -> Table:
    table = table_of(("monomial",))
    add_numbers(table, ("weight", "coefficient", "degree", "proven"))
    for position, monomial in enumerate(explanation.monomials):
        table.add_row(
            cell(monomial.name),
            f"{monomial.weight:.4g}",
            f"{monomial.coefficient:.4g}",
            str(monomial.degree),
            "yes" if position < explanation.top.n_proven else "no",
        )
    return table


def interactions_table(result: Interactions) -> Table:
    """Make a table of the kept monomials: weight, decisive test, and the test corrected.

    ``p, all`` is the p-value times the number of all monomials of the SVM.
    """
    table = table_of(("monomial",), dispensable=("dof", "statistic"))
    with_classes = len({monomial.classes for monomial in result.monomials}) > 1
    if with_classes:
        table.add_column("tells apart")
    add_numbers(table, ("weight",))
    table.add_column("given")
    add_numbers(table, ("statistic", "dof", "p", "p, all"))
    n_total = result.search.n_total if result.search is not None else 1
    for monomial in result.monomials:
        classes = [cell(" and ".join(monomial.classes or ()))] if with_classes else []
        table.add_row(cell(monomial.name, style="bold"), *classes, *_numbers(monomial, n_total))
    return table


def render_interactions(result: Interactions, console: Console) -> None:
    """Print the kept monomials, the source columns, and how well all that predicts."""
    monomials = counted(len(result.monomials), "monomial")
    variables = counted(len(result.variables), "variable")
    interrupted = "" if result.complete else " (interrupted: what there is so far)"
    say(console, f"Interactions around {result.target!r}: {monomials} of {variables}{interrupted}")
    if result.monomials:
        console.print(interactions_table(result))
        say(console, f"Variables: {', '.join(result.variables)}")
    if result.by_chance:
        left_out = ", ".join(monomial.name for monomial in result.by_chance)
        say(console, f"Left out, because chance could have put them there: {left_out}.")
    for monomial in result.monomials:
        if monomial.same_as:
            say(console, f"{monomial.name} has the same values as {', '.join(monomial.same_as)}.")
    if result.svm is not None:
        say(console, _svm(result.svm))
    if result.linear_score is not None:
        say(
            console,
            f"Linear model of the kept monomials: {_score(result.linear_score)}; they were chosen "
            "with all rows, which flatters it.",
        )
    if result.search is not None:
        say(console, _search(result.search))
    run = result.run
    say(
        console,
        f"{run.options['local']}: {counted(run.n_tests, 'test')} ran, {run.n_skipped:,} of them "
        f"could not say; in all {effort(run)}",
    )


def _numbers(monomial: KeptMonomial, n_total: int) -> tuple[Text | Fitting, ...]:
    evidence = monomial.evidence
    corrected = replace(evidence, log_p=min(0.0, evidence.log_p + math.log(n_total)))
    n_given = len(evidence.given)
    return (
        cell(f"{monomial.weight:.3g}"),
        Fitting(", ".join(evidence.given) or "-", f"{n_given} others" if n_given > 1 else None),
        cell(f"{evidence.statistic:,.1f}"),
        cell(f"{round(evidence.dof, 1):g}"),
        cell(evidence.p_text),
        cell(corrected.p_text),
    )


def _svm(svm: FittedSVM) -> str:
    how = f" (the best of {len(svm.tried)} tried)" if svm.tried else ""
    parts = [f"SVM: degree {svm.degree}, C {svm.C:g}{how}"]
    if svm.n_support_vectors:
        parts.append(f"{svm.n_support_vectors:,} support vectors")
    if svm.score is not None:
        parts.append(_score(svm.score))
    if svm.nested_score is not None:
        parts.append(f"{_score(svm.nested_score)} if chosen anew in each fold")
    return f"{', '.join(parts)}."


def _search(search: MonomialSearch) -> str:
    if search.proven:
        certain = f"the {search.n_found:,} largest weights are proven"
    else:
        certain = (
            f"of the {search.n_found:,} largest weights {search.n_proven:,} are proven, and an "
            f"unseen one may be up to {search.unseen:.3g}"
        )
    left_out = {"constant": search.n_constant, "equal to simpler ones": search.n_repeated}
    reasons = [f"{count:,} {reason}" for reason, count in left_out.items() if count]
    return (
        f"Monomials: {search.n_built:,} of {search.n_total:,} built ({search.method}), "
        f"{'; '.join([certain, *reasons])}."
    )


def _score(score: CrossValidation) -> str:
    return f"{score.measure} {score.mean:.3f} +- {score.standard_error:.3f} ({score.n_folds} folds)"


def comparison_table(result: SelectorComparison) -> Table:
    """Make a table with a row for each selector: columns kept, percentage, score, seconds."""
    table = table_of(("selector",), ("variables", "%", result.measure, "+-", "seconds"))
    best = max((row.score for row in result if row.score is not None), default=None)
    for row in result:
        style = "bold" if row.score is not None and row.score == best else ""
        table.add_row(cell(row.name, style=style), *_judged(result, row))
    return table


def render_comparison(result: SelectorComparison, console: Console) -> None:
    """Print the selectors, how well an SVM predicts with each, and what went wrong."""
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


def _judged(result: SelectorComparison, row: ComparedSelector) -> list[str]:
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
