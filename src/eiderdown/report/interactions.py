"""Interactions in the terminal: the kept monomials, and how far they can be trusted."""

from __future__ import annotations

import math
from dataclasses import replace

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eiderdown.report.text import Fitting, counted, effort, say
from eiderdown.results import CrossValidation, FittedSVM, Interactions, KeptMonomial, MonomialSearch

_LONGEST_NAME = 32  # leaves room for the numbers in 80 columns


def interactions_table(result: Interactions) -> Table:
    """Make a table of the kept monomials: weight, decisive test, and the test corrected.

    Parameters
    ----------
    result : Interactions
        What was found.

    Returns
    -------
    rich.table.Table
        One row for each kept monomial; ``p, all`` is the p-value times the number of all monomials
        of the SVM. In a narrow terminal conditioning sets give way.
    """
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    table.add_column("monomial", no_wrap=True, max_width=_LONGEST_NAME)
    with_classes = len({monomial.classes for monomial in result.monomials}) > 1
    if with_classes:
        table.add_column("tells apart", no_wrap=True)
    table.add_column("weight", justify="right", no_wrap=True)
    table.add_column("given")
    for heading in ("statistic", "dof", "p", "p, all"):
        table.add_column(heading, justify="right", no_wrap=True)
    n_total = result.search.n_total if result.search is not None else 1
    for monomial in result.monomials:
        classes = [Text(" and ".join(monomial.classes or ()))] if with_classes else []
        table.add_row(Text(monomial.name, style="bold"), *classes, *_numbers(monomial, n_total))
    return table


def render_interactions(result: Interactions, console: Console) -> None:
    """Print the kept monomials, the source columns, and how well all that predicts.

    Parameters
    ----------
    result : Interactions
        What was found. Its warnings are left to the caller.
    console : rich.console.Console
        Where to print.
    """
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
        f"{run.options['local']}: {run.n_tests:,} tests ran, {run.n_skipped:,} of them skipped as "
        f"unreliable; in all {effort(run)}",
    )


def _numbers(monomial: KeptMonomial, n_total: int) -> tuple[Text | Fitting, ...]:
    evidence = monomial.evidence
    corrected = replace(evidence, log_p=min(0.0, evidence.log_p + math.log(n_total)))
    n_given = len(evidence.given)
    return (
        Text(f"{monomial.weight:.3g}"),
        Fitting(", ".join(evidence.given) or "-", f"{n_given} others" if n_given > 1 else None),
        Text(f"{evidence.statistic:,.1f}"),
        Text(f"{evidence.dof:g}"),
        Text(evidence.p_text),
        Text(corrected.p_text),
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
