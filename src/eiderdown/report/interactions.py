"""Interactions in the terminal: the kept features, and how far they can be trusted."""

from __future__ import annotations

import math
from dataclasses import replace

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eiderdown.report.text import Fitting, counted, effort, say
from eiderdown.results import CrossValidation, FeatureSearch, Interactions, KeptFeature, Machine

_LONGEST_NAME = 32  # leaves room for the numbers in 80 columns


def interactions_table(result: Interactions) -> Table:
    """Make a table of the kept features: weight, decisive test, and the test corrected.

    Parameters
    ----------
    result : Interactions
        What was found.

    Returns
    -------
    rich.table.Table
        One row for each kept feature; ``p, all`` is the p-value times the number of all features
        of the machine. In a narrow terminal conditioning sets give way.
    """
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    table.add_column("feature", no_wrap=True, max_width=_LONGEST_NAME)
    with_classes = len({feature.classes for feature in result.features}) > 1
    if with_classes:
        table.add_column("tells apart", no_wrap=True)
    table.add_column("weight", justify="right", no_wrap=True)
    table.add_column("given")
    for heading in ("statistic", "dof", "p", "p, all"):
        table.add_column(heading, justify="right", no_wrap=True)
    n_total = result.search.n_total if result.search is not None else 1
    for feature in result.features:
        classes = [Text(" and ".join(feature.classes or ()))] if with_classes else []
        table.add_row(Text(feature.name, style="bold"), *classes, *_numbers(feature, n_total))
    return table


def render_interactions(result: Interactions, console: Console) -> None:
    """Print the kept features, the variables behind them, and how well all that predicts.

    Parameters
    ----------
    result : Interactions
        What was found. Its warnings are left to the caller.
    console : rich.console.Console
        Where to print.
    """
    features = counted(len(result.features), "feature")
    variables = counted(len(result.variables), "variable")
    interrupted = "" if result.complete else " (interrupted: what there is so far)"
    say(console, f"Interactions around {result.target!r}: {features} of {variables}{interrupted}")
    if result.features:
        console.print(interactions_table(result))
        say(console, f"Variables: {', '.join(result.variables)}")
    if result.by_chance:
        left_out = ", ".join(feature.name for feature in result.by_chance)
        say(console, f"Left out, because chance could have put them there: {left_out}.")
    for feature in result.features:
        if feature.same_as:
            say(console, f"{feature.name} has the same values as {', '.join(feature.same_as)}.")
    if result.machine is not None:
        say(console, _machine(result.machine))
    if result.linear_score is not None:
        say(
            console,
            f"Linear model of the kept features: {_score(result.linear_score)}; they were chosen "
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


def _numbers(feature: KeptFeature, n_total: int) -> tuple[Text | Fitting, ...]:
    evidence = feature.evidence
    corrected = replace(evidence, log_p=min(0.0, evidence.log_p + math.log(n_total)))
    n_given = len(evidence.given)
    return (
        Text(f"{feature.weight:.3g}"),
        Fitting(", ".join(evidence.given) or "-", f"{n_given} others" if n_given > 1 else None),
        Text(f"{evidence.statistic:,.1f}"),
        Text(f"{evidence.dof:g}"),
        Text(evidence.p_text),
        Text(corrected.p_text),
    )


def _machine(machine: Machine) -> str:
    how = f" (the best of {len(machine.tried)} tried)" if machine.tried else ""
    parts = [f"Machine: degree {machine.degree}, cost {machine.cost:g}{how}"]
    if machine.n_support_vectors:
        parts.append(f"{machine.n_support_vectors:,} support vectors")
    if machine.score is not None:
        parts.append(_score(machine.score))
    if machine.nested_score is not None:
        parts.append(f"{_score(machine.nested_score)} if chosen anew in each fold")
    return f"{', '.join(parts)}."


def _search(search: FeatureSearch) -> str:
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
        f"Features: {search.n_built:,} of {search.n_total:,} built ({search.method}), "
        f"{'; '.join([certain, *reasons])}."
    )


def _score(score: CrossValidation) -> str:
    return f"{score.measure} {score.mean:.3f} +- {score.standard_error:.3f} ({score.n_folds} folds)"
