"""Compiled searches do what the searches as they are written do, event by event."""

from __future__ import annotations

from contextlib import contextmanager
from threading import current_thread, main_thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eiderdown import networks
from eiderdown.boundary import Found, TestProblem, compiled
from eiderdown.boundary.ahead import SearchAhead
from eiderdown.boundary.compiled import CompiledSearch
from eiderdown.boundary.hiton import hiton_pcd, semi_hiton_pcd
from eiderdown.boundary.mmmb import mmpc_bar
from eiderdown.boundary.pcmb import get_pcd
from eiderdown.data import Dataset
from eiderdown.independence import (
    CachedTest,
    CalibratedChiSquareTest,
    ChiSquareTest,
    GSquareTest,
)
from eiderdown.progress import Cancelled, Trace
from eiderdown.work_sharing import N_OTHERS, SharedWork, n_jobs_posted
from examples import examples

SEARCHES = [mmpc_bar, get_pcd, hiton_pcd, semi_hiton_pcd]
TESTS = [CalibratedChiSquareTest, GSquareTest]

every_search = pytest.mark.parametrize("search", SEARCHES, ids=lambda one: one.__name__)
every_test = pytest.mark.parametrize("kind", TESTS)


@pytest.fixture(autouse=True)
def always_compiled(monkeypatch):
    """Compile whatever can be, however small."""
    monkeypatch.setattr(compiled, "COMPILING_PAYS_FROM", 0)


@pytest.fixture
def searched_compiled(monkeypatch):
    """Return a list that has an item for each compiled search."""
    rooms, n_searches = compiled.SearchRooms.search, []

    def search(self, *args):
        n_searches.append(1)
        return rooms(self, *args)

    monkeypatch.setattr(compiled.SearchRooms, "search", search)
    return n_searches


def around(test, target, **options):
    candidates = np.delete(np.arange(test.n_variables), target)
    return TestProblem(test, target, candidates, **{"alpha": 0.01, **options})


def told(found):
    """Everything in a record, in its order."""
    return (
        list(found.members.items()),
        list(found.removed.items()),
        [list(batch) for batch in found.separated],
        None if found.outside is None else list(found.outside),
        found.unconfirmed,
    )


def both(search: CompiledSearch, data, kind, **options):
    """Search around every column, as written and compiled; yield what each found and counted."""
    plain, quick = CachedTest(kind(data, n_jobs=1)), CachedTest(kind(data, n_jobs=1))
    for target in range(data.n_columns):
        found, again = Found(), Found()
        search.as_written(around(plain, target, **options), found)
        search(around(quick, target, **options), again)
        yield (told(found), plain.counts), (told(again), quick.counts)


def noisy_table(rng, n_rows, n_columns, n_categories):
    """Columns that depend on some of those before them, of one to ``n_categories`` categories."""
    columns = []
    for i in range(n_columns):
        column = rng.integers(0, n_categories, n_rows)
        for parent in rng.permutation(i)[:2]:
            column = np.where(rng.random(n_rows) < 0.4, columns[parent], column)
        columns.append(column % rng.integers(1, n_categories + 1))
    names = [f"x{i}" for i in rng.permutation(n_columns)]
    return Dataset.from_columns(dict(zip(names, columns, strict=True)))


@pytest.mark.no_cover
@examples(40)
@given(
    seed=st.integers(0, 2**32 - 1),
    shape=st.tuples(st.sampled_from([30, 64, 200, 1_000]), st.integers(2, 9), st.integers(2, 6)),
    max_given=st.sampled_from([None, 0, 1, 2, 4]),
    alpha=st.sampled_from([0.001, 0.05, 0.5]),
    search=st.sampled_from(SEARCHES),
    kind=st.sampled_from(TESTS),
)
def test_both_tell_the_same_of_random_tables(seed, shape, max_given, alpha, search, kind):
    data = noisy_table(np.random.default_rng(seed), *shape)
    for written, quick in both(search, data, kind, max_given=max_given, alpha=alpha):
        assert quick == written


@every_search
@every_test
@pytest.mark.parametrize(("network", "n_rows"), [("asia", 500), ("alarm", 2_000)])
def test_both_tell_the_same_of_networks(search, kind, network, n_rows, searched_compiled):
    data = networks.load(network).sample(n_rows, random_state=1)
    for written, quick in both(search, data, kind):
        assert quick == written
    assert len(searched_compiled) == data.n_columns


def test_both_tell_the_same_of_a_hub():
    for written, quick in both(mmpc_bar, hub_with_leaves(3_000, 24), GSquareTest):
        assert quick == written


def test_a_memory_that_is_too_small_changes_nothing(monkeypatch):
    monkeypatch.setattr(compiled, "_MOST_FRESH", 64)
    data = networks.load("alarm").sample(1_000, random_state=0)
    for written, quick in both(mmpc_bar, data, GSquareTest):
        assert quick[0] == written[0]


def test_ties_are_broken_as_written():
    rng = np.random.default_rng(3)
    copy = rng.integers(0, 2, 400)
    data = Dataset.from_columns(dict.fromkeys("dbca", copy) | {"e": rng.integers(0, 2, 400)})
    ties = np.array([2, 0, 3, 1, 4])
    for written, quick in both(mmpc_bar, data, GSquareTest, ties=ties):
        assert quick == written


@pytest.mark.parametrize(
    "kind", [ChiSquareTest, lambda data: CalibratedChiSquareTest(data, n_jobs=1)]
)
def test_what_cannot_be_compiled_is_searched_as_written(kind, searched_compiled):
    gaps = np.random.default_rng(0).integers(0, 2, (200, 3)).astype(float)
    if kind is not ChiSquareTest:
        gaps[0, 1] = np.nan
    columns = {name: gaps[:, i] for i, name in enumerate("abc")}
    data = Dataset.from_columns(columns, kinds=dict.fromkeys("abc", "discrete"))
    mmpc_bar(around(CachedTest(kind(data)), 0), Found())
    assert not searched_compiled


def test_a_small_first_search_compiles_nothing(monkeypatch, searched_compiled):
    monkeypatch.setattr(compiled, "_pays", lambda work: work >= 1_000_000)
    data = networks.load("alarm").sample(1_000, random_state=0)
    mmpc_bar(around(CachedTest(GSquareTest(data)), 0), Found())
    assert not searched_compiled


class _Impatient(Trace):
    """Cancels when so many members are in."""

    def __init__(self, n):
        super().__init__()
        self._n = n

    def progressed(self, phase, n):
        if n >= self._n:
            raise Cancelled


def test_a_cancelled_search_has_what_came_in_before():
    data = networks.load("alarm").sample(2_000, random_state=0)
    members = []
    for run in (mmpc_bar.as_written, mmpc_bar):
        found = Found(trace=_Impatient(2))
        with pytest.raises(Cancelled):
            run(around(CachedTest(GSquareTest(data)), data.index("CATECHOL")), found)
        members.append(list(found.members.items()))
    assert members[0] == members[1]
    assert len(members[0]) == 2


@contextmanager
def nobody_at_a_board_for_two(*_):
    """Let a search share its tests, and do all of them itself."""
    board = SharedWork().board
    board[N_OTHERS] = 1
    yield board


class TestHelped:
    """Searches that list tests given several sets at once, for others to make some of them."""

    @pytest.mark.no_cover
    @examples(40)
    @given(
        seed=st.integers(0, 2**32 - 1),
        shape=st.tuples(st.sampled_from([64, 1_000]), st.integers(4, 12), st.integers(2, 4)),
        max_given=st.sampled_from([None, 1, 4]),
        alpha=st.sampled_from([0.001, 0.05, 0.5]),
        search=st.sampled_from(SEARCHES),
        kind=st.sampled_from(TESTS),
    )
    def test_tell_and_count_the_same(self, seed, shape, max_given, alpha, search, kind):
        data = noisy_table(np.random.default_rng(seed), *shape)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(compiled, "waiting_threads", nobody_at_a_board_for_two)
            for written, quick in both(search, data, kind, max_given=max_given, alpha=alpha):
                assert quick == written

    @every_search
    def test_share_the_tests_of_a_hub(self, search, monkeypatch):
        monkeypatch.setattr("eiderdown.statistics.cost.available_cores", lambda: 2)
        boards = []

        @contextmanager
        def kept(*_):
            with nobody_at_a_board_for_two() as board:
                boards.append(board)
                yield board

        data = hub_with_leaves(n_rows=5_000, n_leaves=30)
        alone, helped = (CachedTest(GSquareTest(data, n_jobs=n)) for n in (1, 2))
        found, again = Found(), Found()
        search(around(alone, 0), found)
        monkeypatch.setattr(compiled, "waiting_threads", kept)
        search(around(helped, 0), again)
        assert told(again) == told(found)
        assert helped.counts == alone.counts
        assert n_jobs_posted(boards[0]) > 5

    def test_do_so_with_somebody_who_helps(self, monkeypatch):
        monkeypatch.setattr("eiderdown.statistics.cost.available_cores", lambda: 2)
        monkeypatch.setattr(compiled, "SHARING_PAYS_FROM", 0)
        data = hub_with_leaves(n_rows=5_000, n_leaves=30)
        alone, helped = (CachedTest(GSquareTest(data, n_jobs=n)) for n in (1, 2))
        for target in range(4):
            found, again = Found(), Found()
            mmpc_bar(around(alone, target), found)
            mmpc_bar(around(helped, target), again)
            assert told(again) == told(found)
        assert helped.counts == alone.counts

    def test_ask_one_set_after_the_other_where_tests_are_forgotten(self, monkeypatch):
        monkeypatch.setattr(compiled, "_MOST_FRESH", 64)
        monkeypatch.setattr(compiled, "waiting_threads", nobody_at_a_board_for_two)
        data = networks.load("alarm").sample(1_000, random_state=0)
        for written, quick in both(mmpc_bar, data, GSquareTest):
            assert quick[0] == written[0]


def hub_with_leaves(n_rows, n_leaves):
    rng = np.random.default_rng(0)
    hub = rng.integers(0, 2, n_rows)
    leaves = {
        f"leaf{i:02}": np.where(rng.random(n_rows) < 0.8, hub, 1 - hub) for i in range(n_leaves)
    }
    return Dataset.from_columns({"hub": hub, **leaves})


def only_in_threads(method):
    """Let whoever asks for searches neither begin nor make one."""
    return lambda self, *args: current_thread() is not main_thread() and method(self, *args)


class TestAhead:
    """Searches in threads."""

    def searched(self, data, n_jobs, order):
        test = CachedTest(CalibratedChiSquareTest(data, n_jobs=n_jobs))
        told_in_order = []
        with SearchAhead(range(data.n_columns)) as ahead:
            for target in order:
                found = Found()
                mmpc_bar(around(test, target, ahead=ahead), found)
                told_in_order.append((told(found), test.counts))
        return told_in_order

    def test_answers_and_counts_are_those_of_one_thread_in_any_order(self, monkeypatch):
        monkeypatch.setattr("eiderdown.statistics.cost.available_cores", lambda: 3)
        monkeypatch.setattr("eiderdown.boundary.ahead.PAYS_FROM", 0.0)
        data = networks.load("alarm").sample(1_000, random_state=2)
        order = np.random.default_rng(0).permutation(data.n_columns).tolist()
        assert self.searched(data, 3, order) == self.searched(data, 1, order)

    def test_another_significance_level_is_searched_apart(self, monkeypatch):
        monkeypatch.setattr("eiderdown.statistics.cost.available_cores", lambda: 2)
        monkeypatch.setattr("eiderdown.boundary.ahead.PAYS_FROM", 0.0)
        data = networks.load("asia").sample(1_000, random_state=2)
        test, alone = (CachedTest(GSquareTest(data, n_jobs=2)) for _ in range(2))
        with SearchAhead(range(8)) as ahead:
            for alpha in (0.01, 0.2):
                found, apart = Found(), Found()
                mmpc_bar(around(test, 3, alpha=alpha, ahead=ahead), found)
                mmpc_bar(around(alone, 3, alpha=alpha), apart)
                assert told(found) == told(apart)

    def test_what_goes_wrong_in_a_thread_is_raised_where_it_is_asked_for(self, monkeypatch):
        monkeypatch.setattr("eiderdown.statistics.cost.available_cores", lambda: 2)
        monkeypatch.setattr("eiderdown.boundary.ahead.PAYS_FROM", 0.0)

        threads = []

        def fail(self, *_):
            threads.append(current_thread())
            raise MemoryError

        for name in ("_do_next", "_may_begin"):  # whoever asks would else do it
            monkeypatch.setattr(SearchAhead, name, only_in_threads(getattr(SearchAhead, name)))
        monkeypatch.setattr(compiled.SearchRooms, "search", fail)
        data = networks.load("asia").sample(500, random_state=2)
        test = CachedTest(GSquareTest(data, n_jobs=2))
        with SearchAhead(range(8)) as ahead, pytest.raises(MemoryError):
            mmpc_bar(around(test, 0, ahead=ahead), Found())
        assert threads
        assert main_thread() not in threads
