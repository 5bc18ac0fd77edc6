"""One result of every kind, small and made by hand or read from the files of 0.1."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from test_text_report import RUN, evidence, result

from eiderdown.graphs import PDAG
from eiderdown.results import (
    BoundaryCheck,
    BoundaryPath,
    Change,
    IndependenceAnswer,
    LearnedSkeleton,
    NeighbourRole,
    Orientation,
    Predictions,
    Result,
    ResultChanges,
    SpouseRole,
    UsedColumns,
    load_result,
)

FILES = Path(__file__).parents[1] / "results" / "files_of_0_1"

ORIENTATION = Orientation(
    target="t",
    neighbours=(
        NeighbourRole("a", 0.75, 0.0, 0.25, 2, 0, None, True, "Because."),
        NeighbourRole("c", 0.125, 0.625, 0.25, 0, 3, 0.6),
    ),
    spouses=(SpouseRole("s", ("c",), 0.5, "It meets."),),
    graph=PDAG.from_string("a->t, t->c, s->c"),
    engine="GES",
    run=RUN,
)
PREDICTIONS = Predictions(
    target="y",
    task="classification",
    values=("high", "low", "high"),
    classes=("high", "low"),
    probabilities=((0.9, 0.1), (0.25, 0.75), (0.6, 0.4)),
    used=UsedColumns("y", ("z",), ("x",), (), {"x": "a cause", "z": "it is set"}),
    orientation=None,
    score=0.875,
    run=RUN,
)
NUMBERS = Predictions(
    target="y",
    task="regression",
    values=(1.5, 2.5, -1.0),
    classes=(),
    probabilities=(),
    used=UsedColumns("y", None, ("x",), (), {"x": "a cause"}),
    orientation=None,
    run=RUN,
)
ANSWER = IndependenceAnswer(
    x="x",
    y="y",
    given=("z",),
    answer="dependent",
    reason="",
    alpha=0.01,
    test="x2",
    chosen="both are categories",
    statistic=12.5,
    dof=1.0,
    log_p=-7.8,
    n_used=4_990,
    effect=0.25,
    run=RUN,
)
SPOUSES = result(
    evidence("age", given=("job", "sex"), effect=0.5),
    evidence("job", given=("age",), log_p=-20.0),
    evidence("sex", given=("age",), allows="nothing", log_p=-9.0),
    evidence("rent", "removed", ("age",), log_p=-1.0),
    evidence("city", "not_admitted", log_p=-0.5),
    parents_children=("age", "job"),
    spouses={"sex": "job"},
    probabilities={"age": 1.0, "job": 0.95, "sex": 0.6, "city": 0.1},
    warnings=("With few rows, beware.",),
)

CHECK = BoundaryCheck(
    target="t",
    members=("a", "b"),
    answer="no",
    alpha=0.01,
    dependent=("c",),
    redundant=("b",),
    unconfirmed=(),
    n_outside=4,
    n_undecided=1,
    evidence=(
        evidence("a", given=("b",)),
        evidence("b", "removed", ("a",), log_p=-0.5),
        evidence("c", "not_admitted", ("a", "b"), log_p=-12.0),
    ),
    added=(evidence("c", given=("a", "b"), log_p=-12.0),),
    boundary=("a", "c"),
    run=RUN,
)
PATH = BoundaryPath("t", (0.001, 0.01, 0.1), (("b",), ("b", "a"), ("c", "a")), RUN)
CHANGES = ResultChanges(
    compared="markov_boundary",
    target="t",
    changes=(
        Change("a", "entered", "absent", "member", "alpha rose"),
        Change("b", "left", "member", "absent"),
    ),
    n_same=3,
    reasons=("alpha was 0.01 and is 0.05",),
    run=RUN,
)

SKELETON = LearnedSkeleton(
    path="edges.arrow",
    n_targets=1_000,
    n_finished=900,
    n_edges=700,
    n_one_sided=3,
    run=replace(RUN, n_evicted=12),
    degree_counts=(100, 300, 300, 200),
    warnings=("Interrupted: 900 of 1,000 columns are done; the same call goes on from there.",),
    complete=False,
)

EXAMPLES: dict[str, Result] = {path.stem: load_result(path) for path in FILES.glob("*.json")}
EXAMPLES |= {
    "orientation": ORIENTATION,
    "predictions": PREDICTIONS,
    "numbers": NUMBERS,
    "answer": ANSWER,
    "path": PATH,
    "changes": CHANGES,
    "check": CHECK,
    "skeleton": SKELETON,
    "spouses": SPOUSES,
}
