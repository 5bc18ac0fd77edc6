"""LUCAS, the toy network of the Causality Challenge: causes, boundary or all columns in test 2.

All columns but the target are set at random. The challenge published the AUC of its own table for
the sets of columns that its graph gives; these are tables of our own, and columns that were
learned stand beside them.
"""

from __future__ import annotations

from collections.abc import Collection
from statistics import fmean

from brown2009_manipulation_measures import EqualModel, interval
from brown2009_manipulation_networks import SEED, Study
from brown2009_manipulation_strategies import Strategies
from harness import Record, say, verdict

from eiderdown.networks import load

TARGET = "Lung_Cancer"
LUCAS1 = ("Yellow_Fingers", "Smoking", "Fatigue", "Attention_Disorder")
TRUE_LUCAS1 = {"Smoking", "Genetics", "Coughing", "Allergy"}
"""MB_M(T): the parents, the child that nobody sets, and its other parent."""
PUBLISHED = {"causes": 0.791, "boundary": 0.741, "all": 0.735}
N_ROWS = 2_000
N_TABLES = 20


MODELS = {
    "gradient boosting": EqualModel,
    "logistic regression": lambda train, target: EqualModel(train, target, boosts=False),
}


def run_lucas(record: Record, *, quick: bool) -> None:
    """Measure the three sets of columns, and those that were learned, in tables of our own."""
    say("LUCAS")
    network = load("lucas")
    dag = network.dag
    true: dict[str, Collection[str]] = {
        "causes": dag.parents(TARGET),
        "boundary": dag.markov_boundary(TARGET),
        "all": [node for node in dag.nodes if node != TARGET],
    }
    n_tables = 2 if quick else N_TABLES
    scores: dict[tuple[str, str], list[float]] = {}
    n_right = 0
    for number in range(n_tables):
        study = Study("LUCAS", network, (), (TARGET,), SEED + number)
        train, test = study.train(N_ROWS), study.test(TARGET, 2)
        ours = Strategies(study, train, TARGET)
        sets = true | {"CausalPredictor": ours.columns("default", "unknown")}
        for name, make in MODELS.items():
            model = make(train, TARGET)
            for columns, chosen in sets.items():
                scores.setdefault((columns, name), []).append(model.score(chosen, test))
        n_right += set(ours.columns("default", LUCAS1)) == TRUE_LUCAS1
    table = record.table(
        f"LUCAS, test 2, {N_ROWS:,} rows, {n_tables} tables of our own: AUC",
        ("columns", *MODELS, "published"),
    )
    for columns in (*true, "CausalPredictor"):
        cells = [_written(scores[columns, name]) for name in MODELS]
        published = PUBLISHED.get(columns)
        table.rows.append((columns, *cells, published and f"{published:.3f}"))
    means = {name: [fmean(scores[columns, name]) for columns in true] for name in MODELS}
    met = all(own == sorted(own, reverse=True) for own in means.values())
    table.notes.append(
        f"The same order as published, causes before boundary before all: {verdict(met)}. With "
        f"LUCAS1's list of what is set, CausalPredictor uses exactly the right columns in "
        f"{n_right} of {n_tables} tables."
    )


def _written(numbers: list[float]) -> str:
    mean, low, high = interval(numbers)
    return f"{mean:.3f} ({low:.3f} to {high:.3f})"
