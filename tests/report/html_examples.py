"""Results of every kind for tests of pages: files of 0.1, and some made by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from result_examples import CHECK, SKELETON
from test_text_report import RUN, evidence, result

from eiderdown.graphs import PDAG
from eiderdown.results import (
    BoundaryPath,
    Change,
    ComparedColumns,
    IndependenceAnswer,
    JudgedColumns,
    NeighbourRole,
    Orientation,
    Predictions,
    PredictiveColumns,
    Result,
    ResultChanges,
    SpouseRole,
    Substitute,
    UsedColumns,
    YStructure,
    load_result,
)

CHANGE = Change("job", "entered", "outside", "a parent or child", "alpha is larger")
PATH = BoundaryPath("pay", (0.01, 0.1), (("age",), ("age", "job")), RUN)
CHANGES = ResultChanges("markov_boundary", "pay", (CHANGE,), 3, ("alpha was 0.01, is 0.1",), RUN)

OLD = Path(__file__).parents[1] / "results" / "files_of_0_1"

BOUNDARY = result(
    evidence("age", given=("job",), log_p=-50.0, effect=0.31),
    evidence("job", log_p=-20.0, allows="dependence"),
    evidence("sex", given=("job", "age"), log_p=-7.0),
    evidence("town", "removed", given=("age",), log_p=-1.0),
    evidence("shoe", "not_admitted", log_p=-0.1),
    parents_children=("age", "job"),
    spouses={"sex": "job"},
    probabilities={"age": 1.0, "job": 0.75, "sex": 0.5},
    warnings=("With 50 rows little can be said.",),
)
JUDGED = JudgedColumns("the boundary", 3, 0.81, 0.78, 0.84, 0.02, 0.01)
PREDICTING = replace(
    BOUNDARY,
    prediction=PredictiveColumns(
        measure="AUC",
        columns=("age", "job", "sex", "town"),
        layers=(("age", "job", "sex"), ("town",)),
        boundary=JUDGED,
        chosen=replace(JUDGED, name="two layers", n_columns=4, score=0.83, low=0.8, high=0.86),
        all_columns=replace(JUDGED, name="all", n_columns=36, score=0.82),
        sets=(JUDGED, replace(JUDGED, name="two layers", n_columns=4, score=0.83)),
        substitutes=(Substitute("town", "job", 2),),
        model="linear model",
        n_folds=5,
        n_rows=5000,
    ),
)
ORIENTATION = Orientation(
    target="lung",
    neighbours=(
        NeighbourRole("smoke", cause=0.9, effect=0.0, undecided=0.1, why="18 of 20 say so."),
        NeighbourRole("xray", cause=0.0, effect=0.8, undecided=0.2),
        NeighbourRole("cough", cause=0.3, effect=0.3, undecided=0.4),
    ),
    spouses=(SpouseRole("tub", ("xray",), 0.7, "14 of 20 say so."),),
    y_structures=(YStructure("a", "b", "smoke", "lung", 0.4),),
    graph=PDAG.from_string("smoke->lung, lung->xray, tub->xray, lung--cough"),
    engine="GES with BIC",
    run=RUN,
)
ANSWER = IndependenceAnswer(
    x="age",
    y="pay",
    given=("job",),
    answer="cannot say",
    reason="There are too few rows.",
    alpha=0.01,
    test="ChiSquareTest",
    chosen="all columns are categories",
    statistic=3.5,
    dof=4.0,
    log_p=-0.7,
    n_used=40,
    effect=0.02,
    run=RUN,
)
PREDICTIONS = Predictions(
    target="pay",
    task="classification",
    values=("low", "high"),
    classes=("high", "low"),
    probabilities=((0.2, 0.8), (0.9, 0.1)),
    used=UsedColumns(
        target="pay",
        manipulated=("town",),
        columns=("age",),
        products=("age * job",),
        reasons={"age": "a cause", "town": "set from outside"},
        holds=False,
        offence="'shoe' is an effect of what is set.",
        weights={"age": 0.5},
        compared=(ComparedColumns("all", ("age", "town"), (), 0.9, 0.01, True),),
        measure="AUC",
    ),
    orientation=ORIENTATION,
    score=0.75,
    run=RUN,
)


def of_every_kind() -> dict[str, Result]:
    """Return results by name: all files of 0.1, and what there was none of."""
    old = {path.stem: load_result(path) for path in sorted(OLD.glob("*.json"))}
    new = {
        "roles": BOUNDARY,
        "predicting": PREDICTING,
        "orientation": ORIENTATION,
        "answer": ANSWER,
        "check": CHECK,
        "predictions": PREDICTIONS,
        "path": PATH,
        "skeleton": SKELETON,
        "changes": CHANGES,
    }
    return {**old, **new}
