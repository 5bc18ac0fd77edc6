"""The experiments on Tsamardinos et al. (2003) test, search, count and judge as they say."""

from __future__ import annotations

import math
from itertools import chain, combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eiderdown import find_boundary, find_parents_children, networks
from eiderdown.boundary import ALGORITHMS
from eiderdown.data import Dataset
from eiderdown.independence import Allows, IndependenceTest
from examples import examples

FOLDER = Path(__file__).parents[2] / "experiments"
ALPHA = 0.05
pytestmark = pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")


@pytest.fixture(autouse=True)
def _beside_each_other(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))


def with_copies(n_rows=200):
    """Make a table in which b is a copy of a, and both tell about c."""
    generator = np.random.default_rng(1)
    a = generator.integers(0, 2, n_rows)
    c = a ^ (generator.random(n_rows) < 0.2)
    d = c ^ (generator.random(n_rows) < 0.2)
    return Dataset.from_columns({"a": a, "b": a, "c": c.astype(int), "d": d.astype(int)})


def subsets(members, most):
    return chain.from_iterable(combinations(members, n) for n in range(most + 1))


def mmpc_as_printed(test, target, most):
    """Figure 2 of the paper, line by line; of no test that has no rows is anything asked."""

    def made(x, sets):
        results = (test.test(x, target, s) for s in sets if x not in s)
        return [r for r in results if r.allows != Allows.NOTHING]

    others = [x for x in range(test.n_variables) if x != target]
    cpc = []
    while True:
        weakest = {}
        for x in set(others) - set(cpc):
            results = made(x, subsets(cpc, most))
            if results and all(r.dependent(ALPHA) for r in results):
                weakest[x] = max(r.log_p for r in results)
        if not weakest:
            break
        cpc.append(min(weakest, key=lambda x: (weakest[x], test.name_rank[x])))
    kept = [x for x in cpc if all(r.dependent(ALPHA) for r in made(x, subsets(cpc, most)))]
    return {test.names[x] for x in kept}


@pytest.mark.parametrize("n_rows", [120, 300])
def test_mmpc_with_the_papers_test_is_what_figure_2_prints(n_rows):
    from tsamardinos2003_cells import PaperTest, largest_set
    from tsamardinos2003_mmpc import found

    data = networks.load("asia").sample(n_rows, random_state=4)
    test = PaperTest(data)
    for target in data.names:
        expected = mmpc_as_printed(test, data.index(target), largest_set(n_rows))
        assert set(found(data, target)) == expected, target


def test_where_nothing_varies_the_papers_test_finds_independence():
    from tsamardinos2003_cells import AnyRowsTest, PaperTest

    test = PaperTest(with_copies())
    result = test.test(2, 0, [1])
    assert (result.allows, result.log_p) == (Allows.BOTH, 0.0)
    assert test.test(2, 0).dependent(ALPHA)
    assert PaperTest(with_copies(39)).test(2, 0, [1]).allows == Allows.NOTHING  # of 40 rows
    assert AnyRowsTest(with_copies(39)).test(2, 0, [1]).allows == Allows.BOTH


@examples(24)
@given(st.lists(st.integers(2, 5), max_size=6), st.integers(1, 60), st.integers(0, 4))
def test_sets_with_few_strata_are_listed_all_and_in_order(n_categories, most_strata, most):
    from tsamardinos2003_cells import sets_with_strata

    listed = sets_with_strata(np.array(n_categories, dtype=float), most_strata, most)
    positions = range(len(n_categories))
    assert listed == [
        s
        for s in subsets(positions, min(most, len(n_categories)))
        if math.prod(n_categories[i] for i in s) <= most_strata
    ]


def test_no_set_larger_than_the_largest_has_its_rows():
    from tsamardinos2003_cells import largest_set

    assert [largest_set(n) for n in (19, 300, 500, 700, 1_000, 5_000)] == [0, 3, 4, 5, 5, 7]


def test_sets_that_are_not_tried_change_no_answer():
    from tsamardinos2003_cells import PaperTest, largest_set

    class TriesAll(PaperTest):
        _sets_to_try = IndependenceTest._sets_to_try

    data = networks.load("insurance").sample(500, random_state=0)
    for target in data.names[:6]:
        few, every = (
            find_parents_children(
                data,
                target=target,
                algorithm=ALGORITHMS["mmpc"].with_params({"symmetry": "none"}),
                alpha=ALPHA,
                test=test,
                max_given=largest_set(500),
                progress=False,
            )
            for test in (PaperTest, TriesAll)
        )
        assert few.members == every.members
        assert few.run.n_tests <= every.run.n_tests


@pytest.mark.parametrize("v", [1, 2, 3])
def test_koller_sahami_keeps_as_many_as_asked_for_though_some_add_nothing(v):
    from tsamardinos2003 import kept_by_koller_sahami

    data = with_copies()
    for k in (0, 1, 2):
        assert len(kept_by_koller_sahami(data, {"c": v}, k)["c"]) == v
    by_default = ALGORITHMS["koller_sahami"].with_params({"n_members": 3, "blanket_size": 1})
    assert len(find_boundary(data, target="c", algorithm=by_default).members) < 3


def test_a_cell_is_the_least_distance_of_the_others_less_that_of_mmmb():
    from tsamardinos2003 import gain
    from tsamardinos2003_cells import Outcome

    distances = {
        "mmmb": {"a": 0.2, "b": 0.4},
        "mmmb corrected": {"a": 0.0, "b": 0.0},
        "iamb": {"a": 0.1, "b": 0.7},
        "pc": {"a": 0.5, "b": 0.5},
    }
    assert gain(Outcome(distances)) == pytest.approx(10.0)
    assert gain(Outcome({name: {} for name in distances})) is None  # MMMB ended for nobody


def test_searches_with_any_rows_are_compared_around_the_targets_that_are_left():
    from tsamardinos2003 import gain, with_any_rows
    from tsamardinos2003_cells import Outcome

    cell = Outcome({"mmmb": {"a": 0.2}, "iamb": {"a": 0.5}, "pc": {"a": 0.4}}, given_up=["b"])
    other = with_any_rows(cell, Outcome({"iamb": {"a": 0.1, "b": 0.9}}))
    assert (gain(cell), gain(other)) == (pytest.approx(20.0), pytest.approx(-10.0))


def test_a_table_grows_by_cells_and_tells_which_are_not_there():
    from harness import Record
    from tsamardinos2003 import Tables
    from tsamardinos2003_cells import Outcome

    record = Record("name", "title", "paper", {})
    tables = Tables.of(record, (300, 500))
    cell = Outcome({"mmmb": {"a": 0.2}, "iamb": {"a": 0.5}}, {"mmmb": 1.0}, given_up=["b"])
    tables.add("alarm", 500, cell, Outcome({"iamb": {"a": 0.1, "b": 0.9}}))
    tables.add("pigs", 300, Outcome(), Outcome())
    assert tables.gains.rows[0][:3] == ["alarm", None, pytest.approx(30.0)]
    assert tables.of_any_rows.rows[0][:3] == ["alarm", None, pytest.approx(-10.0)]
    assert tables.gains.rows[1][:3] == ["pigs", None, None]
    tables.finish()
    assert "in 1 of 1 cells" in tables.gains.notes[0]
    assert "around 1 targets" in tables.means.notes[0]
    assert all(len(row) == len(t.columns) for t in record.tables for row in t.rows)


def test_cells_are_counted_and_a_tie_is_not_won():
    from harness import Table
    from tsamardinos2003 import count_best

    table = Table("gains", ("network", "300", "500", "(paper)"))
    table.rows += [
        ("alarm", 1.0, 0.0, ""),
        ("pigs", 2.0, 3.0, ""),
        ("hailfinder 5K", None, 4.0, ""),
    ]
    note = count_best(table)
    assert "in 4 of 5 cells (paper: 33 of 40): missed." in note
    assert note.endswith("The other cells: alarm 1.")


def test_a_search_that_takes_too_long_is_given_up():
    from tsamardinos2003_cells import TooLongError, limited

    def search():
        while True:
            pass

    with pytest.raises(TooLongError), limited(0.01):
        search()
    with limited(60.0):
        pass


def figure(**of_networks):
    """Make cells of a figure from distances by network, size and target."""
    from tsamardinos2003_cells import Outcome

    return {
        name.replace("_", " "): {n: Outcome({"mmpc": d, "pc": d}) for n, d in cells.items()}
        for name, cells in of_networks.items()
    }


def test_figure_4_is_over_targets_and_figure_5_over_networks():
    from tsamardinos2003_mmpc import average, pooled

    cells = figure(one={300: {"a": 0.1, "b": 0.2, "c": 0.3}}, other={300: {"d": 0.6}})
    assert pooled(cells, "mmpc", 300) == pytest.approx(0.3)
    assert average(cells, [300]) == pytest.approx(0.4)
    cells["third"] = figure(third={300: {}})["third"]  # MMPC ended for nobody
    assert average(cells, [300]) == pytest.approx(0.4)


def test_claims_on_the_figures_are_judged():
    from tsamardinos2003_mmpc import large_claims, small_claims

    small = figure(alarm={300: {"a": 0.3}, 500: {"a": 0.2}, 1_000: {"a": 0.2}})
    assert [row[-1] for row in small_claims(small, (300, 500))] == ["met"] * 4
    assert [row[-1] for row in small_claims(small, (500, 1_000))] == [
        "met",
        "met",
        "missed",
        "missed",
    ]
    large = figure(
        alarm_5K={300: {"a": 0.2}, 1_000: {"a": 0.1}},
        pigs_5K={300: {"a": 0.01}, 1_000: {"a": 0.0}},
        hailfinder_5K={300: {"a": 0.5}, 1_000: {"a": 0.3}},
    )
    verdicts = {row[0]: row[-1] for row in large_claims(large, (300, 1_000))}
    assert len(verdicts) == 6
    assert set(verdicts.values()) == {"met"}
    worse = {**large, "alarm 5K": large["pigs 5K"], "pigs 5K": large["hailfinder 5K"]}
    verdicts = [row[-1] for row in large_claims(worse, (300, 1_000))]
    assert verdicts[:4] == ["missed", "missed", "missed", "missed"]
