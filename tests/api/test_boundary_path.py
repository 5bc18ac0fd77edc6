"""The boundary at each significance level is the one that a search at that level finds."""

from __future__ import annotations

import json

import pytest
from api_tables import discrete_table

from eiderdown import BoundaryPath, boundary_path, find_boundary, networks
from eiderdown.errors import OptionError, ResultFormatError
from eiderdown.graphs import DAG
from eiderdown.independence import OracleTest

pytestmark = pytest.mark.filterwarnings("ignore::eiderdown.EiderdownWarning")

ALPHAS = (1e-6, 1e-3, 0.02, 0.1)
ALARM = networks.load("alarm").sample(500, random_state=1)


@pytest.mark.parametrize("algorithm", ["auto", "mmmb"])
def test_each_level_is_a_search_of_its_own(algorithm):
    path = boundary_path(ALARM, "HR", alphas=ALPHAS, algorithm=algorithm, progress=False)
    assert path.alphas == ALPHAS
    for alpha, members in zip(path.alphas, path.members, strict=True):
        alone = find_boundary(ALARM, "HR", alpha=alpha, algorithm=algorithm, progress=False)
        assert members == alone.members
    for name, alpha in path.smallest_alpha.items():
        assert path.levels_of(name).index(True) == ALPHAS.index(alpha)
    assert set(path.columns) == {name for members in path.members for name in members}
    assert BoundaryPath.from_json(path.to_json()) == path


def test_tests_are_asked_once_for_all_levels():
    one = find_boundary(ALARM, "HR", alpha=0.1, algorithm="iamb", progress=False)
    path = boundary_path(ALARM, "HR", algorithm="iamb", progress=False)
    assert len(path.alphas) == 10
    assert path.run.n_tests < 3 * one.run.n_tests


def test_the_truth_does_not_depend_on_alpha():
    dag = DAG.from_string("A->T, T->C, S->C, C->D")
    data = discrete_table(50)
    table = data.select(data.names[:5])
    named = DAG(
        table.names,
        [(table.names["ATCSD".index(a)], table.names["ATCSD".index(b)]) for a, b in dag.edges],
    )
    path = boundary_path(
        table, table.names[1], test=lambda _: OracleTest(named), algorithm="iamb", progress=False
    )
    truth = {table.names["ATCSD".index(name)] for name in "ACS"}
    assert all(set(members) == truth for members in path.members)


def test_levels_are_put_in_order_and_must_be_levels():
    path = boundary_path(ALARM, "HR", alphas=[0.1, 1e-4, 0.1], algorithm="iamb", progress=False)
    assert path.alphas == (1e-4, 0.1)
    for wrong in ([], [0.0], [0.5, 1.0]):
        with pytest.raises(OptionError, match="alphas"):
            boundary_path(ALARM, "HR", alphas=wrong, progress=False)


def test_no_time_gives_the_levels_so_far():
    path = boundary_path(ALARM, "HR", algorithm="iamb", time_limit=0, progress=False)
    assert not path.complete
    assert len(path.alphas) == len(path.members) < 10
    assert "significance levels are done" in path.warnings[-1]


@pytest.mark.parametrize(
    ("field", "value"),
    [("alphas", [0.1, 0.01]), ("alphas", [0.1]), ("alphas", [0.5, 1.5]), ("members", [["a"]])],
)
def test_a_path_that_cannot_be_is_refused(field, value):
    stored = boundary_path(ALARM, "HR", alphas=[0.01, 0.1], algorithm="iamb", progress=False)
    record = json.loads(stored.to_json()) | {field: value}
    with pytest.raises(ResultFormatError):
        BoundaryPath.from_dict(record)
