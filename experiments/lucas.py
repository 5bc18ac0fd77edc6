"""LUCAS, the toy network of the Causality Challenge: causes, boundary or all columns in test 2.

All columns but the target are set at random. The challenge published the AUC of its own table for
the sets of columns that its graph gives; these are tables of our own, and columns that were
learned stand beside them.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from statistics import fmean
from typing import Any

from brown2009_manipulation_measures import EqualModel, interval
from brown2009_manipulation_networks import SEED, Study
from brown2009_manipulation_strategies import Strategies
from harness import Record, say, verdict
from kept_cells import KeptCells

from eiderdown.networks import load

TARGET = "Lung_Cancer"
LUCAS1 = ("Yellow_Fingers", "Smoking", "Fatigue", "Attention_Disorder")
TRUE_LUCAS1 = {"Smoking", "Genetics", "Coughing", "Allergy"}
"""MB_M(T): the parents, the child that nobody sets, and its other parent."""
PUBLISHED = {"causes": 0.791, "boundary": 0.741, "all": 0.735}
N_ROWS = 2_000
N_TABLES = 10


MODELS = {
    "gradient boosting": EqualModel,
    "logistic regression": lambda train, target: EqualModel(train, target, boosts=False),
}


def run_lucas(record: Record, cells: KeptCells, *, quick: bool) -> None:
    """Measure the three sets of columns, and those that were learned, in tables of our own."""
    n_tables = 2 if quick else N_TABLES
    numbers = range(n_tables)
    tables = [cells.get(f"lucas_{number}", partial(measured, number)) for number in numbers]
    table = record.table(
        f"LUCAS, test 2, {N_ROWS:,} rows, {n_tables} tables of our own: AUC",
        ("columns", *MODELS, "published"),
    )
    sets = (*PUBLISHED, "CausalPredictor")
    scores = {
        (columns, name): [own["scores"][columns][name] for own in tables]
        for columns in sets
        for name in MODELS
    }
    for columns in sets:
        shown = [_written(scores[columns, name]) for name in MODELS]
        published = PUBLISHED.get(columns)
        table.rows.append((columns, *shown, published and f"{published:.3f}"))
    means = {name: [fmean(scores[columns, name]) for columns in PUBLISHED] for name in MODELS}
    met = all(own == sorted(own, reverse=True) for own in means.values())
    n_right = sum(own["right in LUCAS1"] for own in tables)
    table.notes.append(
        f"The same order as published, causes before boundary before all: {verdict(met)}. With "
        f"LUCAS1's list of what is set, CausalPredictor uses exactly the right columns in "
        f"{n_right} of {n_tables} tables."
    )


def measured(number: int) -> dict[str, Any]:
    """Return the scores of all sets of columns in one table."""
    say(f"LUCAS {number}")
    network = load("lucas")
    dag = network.dag
    study = Study("LUCAS", network, (), (TARGET,), SEED + number)
    train, test = study.train(N_ROWS), study.test(TARGET, 2)
    ours = Strategies(study, train, TARGET)
    sets: dict[str, Collection[str]] = {
        "causes": dag.parents(TARGET),
        "boundary": dag.markov_boundary(TARGET),
        "all": study.observed(TARGET),
        "CausalPredictor": ours.columns("default", "unknown"),
    }
    models = {name: make(train, TARGET) for name, make in MODELS.items()}
    return {
        "scores": {
            columns: {name: model.score(chosen, test) for name, model in models.items()}
            for columns, chosen in sets.items()
        },
        "right in LUCAS1": set(ours.columns("default", LUCAS1)) == TRUE_LUCAS1,
    }


def _written(numbers: list[float]) -> str:
    mean, low, high = interval(numbers)
    return f"{mean:.3f} ({low:.3f} to {high:.3f})"
