"""Calls of scores and tests by themselves."""

from __future__ import annotations

import corpus_tables as tables
import neutral
from calls import (
    call,
    made_score,
    made_test,
    over_subsets,
)

from eiderdown import DAG, Dataset

_SCORES = {
    "bic": {"parameters": "observed"},
    "aic": {},
    "bdeu": {"equivalent_sample_size": 1.0},
    "k2": {},
    "k2_penalised": {},
    "gaussian_bic": {},
    "bge": {"mean_weight": 2.0},
    "kgv": {"kappa": 0.05},
    "degenerate_gaussian": {},
}


def each_score(name):
    continuous = name in ("gaussian_bic", "bge")
    data = tables.ten_genes() if continuous else tables.asia()
    if name in ("kgv", "degenerate_gaussian"):
        data = Dataset.of(tables.mixed()).drop(["same"])
    chain = DAG(data.names, list(zip(data.names[:-1], data.names[1:], strict=True)))

    def numbers(score):
        return {
            "local": [score.local(0), score.local(1, [0]), score.local(2, [0, 1])],
            "additions": score.additions(0, [1], [2, 3]),
            "removals": score.removals(3, [0, 1, 2]),
            "total": score.total(chain),
        }

    return {
        "default": numbers(made_score(data, name)),
        "options": numbers(made_score(data, name, **_SCORES[name])),
    }


for _name in _SCORES:
    call(f"score/{_name}", _name)(each_score)


def each_test(name):
    if name in ("g_square", "chi_square"):
        data = tables.alarm()
        made = [
            made_test(name, data, dof, rule, factor)
            for dof in ("adjusted", "nominal")
            for rule in ("rows_per_stratum", "rows_per_dof", "rows_per_cell", "always")
            for factor in (5.0,)
        ]
    else:
        data = tables.genes()
        made = [
            made_test(name, data),
            made_test(name, data, rule="rows_per_cell", factor=200.0),
            made_test(name, data, collinear="shrink"),
        ]
    return [
        [
            neutral.tests(test.sweep([0, 1, 2, 3, 4], 8)),
            neutral.tests(test.sweep([0, 1, 2], 8, [5, 6])),
            neutral.tests(test.each_given_rest([1, 2, 3], 9)),
            neutral.tests(test.pairs([(0, 1, [2]), (3, 4, [5, 6, 7])])),
            neutral.tests(over_subsets(test, [0, 1, 2, 3], 10, [4, 5, 6], 0.01, 2)),
        ]
        for test in made
    ]


for _name in ("g_square", "chi_square", "fisher_z", "student_t"):
    call(f"test/{_name}", _name)(each_test)


@call("test/oracle")
def oracle():
    from eiderdown.independence import OracleTest

    test = OracleTest(tables.true_graph("asia"))
    answers = over_subsets(test, [0, 1, 2], 5, [3, 4], 0.01, 2)
    return [
        [[int(item.x), sorted(map(int, item.given)), bool(item.dependent(0.01))] for item in batch]
        for batch in (test.sweep([0, 1, 2, 3], 7), test.sweep([0, 1, 2], 7, [5]), answers)
    ]
