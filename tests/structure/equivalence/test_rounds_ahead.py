"""Rounds done ahead by another thread: found, known and counted as if nobody had."""

from __future__ import annotations

import math
from concurrent.futures import Future

import numpy as np
import pytest

from eiderdown import networks
from eiderdown.progress import Cancellation, Cancelled, Trace
from eiderdown.scores import make_score
from eiderdown.statistics import cost
from eiderdown.structure.equivalence import (
    gain_table,
    ges_restarts,
    rounds_ahead,
    scored_filling,
    search,
)
from eiderdown.structure.equivalence.cpdag import pairs, set_bit
from eiderdown.structure.equivalence.gain_memory import (
    FALLING,
    NEEDED,
    NO_ROW,
    RISING,
    Requests,
)
from eiderdown.structure.equivalence.gain_table import GainsAhead, GainTable
from eiderdown.structure.equivalence.ges_restarts import run_ges_restarts
from eiderdown.structure.equivalence.request_log import (
    N_NOTED,
    OVERFULL,
    RequestLog,
    note_requests,
    requests_of_call,
)
from eiderdown.structure.equivalence.scored_filling import retell
from eiderdown.structure.equivalence.search import EquivalenceSearch


@pytest.fixture(autouse=True)
def _two_cores_and_kernels(monkeypatch):
    monkeypatch.setattr(cost, "available_cores", lambda: 2)
    for kernel in rounds_ahead._KERNELS:
        kernel.compile()


class AtOnce:
    """Does what a thread would do while the caller waits."""

    def __init__(self, _n):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def submit(self, work, *args):
        future = Future()
        future.set_result(work(*args))
        return future


class Never(AtOnce):
    """Never comes to it."""

    def submit(self, *_):
        return Future()


def searched(name="insurance", score="bic", n_rows=400, n_jobs=2, seed=3):
    data = networks.load(name).sample(n_rows, random_state=seed)
    return EquivalenceSearch(make_score(score, data, n_jobs=n_jobs))


def known(table):
    """Rows by hash, with the nodes of which they say what these add."""
    rows = table.memory.slots[table.memory.slots[:, 0] != NO_ROW]
    marks = table.memory.marks[RISING] | table.memory.marks[FALLING]
    return {int(row ^ check): marks[int(row)].tolist() for row, check in rows.tolist()}


def run(of, seed=0, **options):
    """Run GES with restarts, and tell all that is to be the same with one thread and two."""
    found = run_ges_restarts(of, generator=np.random.default_rng(seed), **options)
    counts = of.score.counts.n_computed, of.counts.n_computed
    return found, counts, known(of.gains)


@pytest.fixture
def told(monkeypatch):
    """Count how many rounds were done ahead, and how many were asked for."""
    answers, done = [], rounds_ahead.RoundsAhead.done

    def noted(self, *args):
        answers.append(done(self, *args))
        return answers[-1]

    monkeypatch.setattr(rounds_ahead.RoundsAhead, "done", noted)
    return lambda: (sum(answer is not None for answer in answers), len(answers))


@pytest.mark.parametrize("pool", [None, AtOnce, Never])
@pytest.mark.parametrize(
    ("name", "score", "n_rows"),
    [("insurance", "bic", 400), ("insurance", "bdeu", 2_000), ("child", "qnml", 800)],
)
def test_who_does_rounds_changes_nothing(pool, name, score, n_rows, monkeypatch, told):
    alone = run(searched(name, score, n_rows, n_jobs=1))
    assert told() == (0, 0)
    if pool is not None:
        monkeypatch.setattr(rounds_ahead, "ThreadPoolExecutor", pool)
    assert run(searched(name, score, n_rows)) == alone
    n_told, n_asked = told()
    assert n_asked > 30
    assert n_told >= 10 if pool is AtOnce else n_told == 0 if pool is Never else n_told >= 0


@pytest.mark.parametrize("most", [3, 11])
def test_requests_may_be_split_anywhere(most, monkeypatch, told):
    monkeypatch.setattr(gain_table, "MOST_REQUESTS", most)
    monkeypatch.setattr(scored_filling, "MOST_REQUESTS", most)
    alone = run(searched("alarm", n_rows=1_000, n_jobs=1))
    monkeypatch.setattr(rounds_ahead, "ThreadPoolExecutor", AtOnce)
    assert run(searched("alarm", n_rows=1_000)) == alone
    assert told()[0] >= 10


def test_with_no_room_for_notes_the_first_does_all(monkeypatch, told):
    alone = run(searched(n_jobs=1))
    monkeypatch.setattr(rounds_ahead, "ThreadPoolExecutor", AtOnce)
    monkeypatch.setattr(gain_table, "_MOST_NOTED", 30)
    assert run(searched()) == alone
    assert told()[0] < 10


def test_with_a_memory_that_began_anew_the_first_does_the_rest(monkeypatch, told):
    monkeypatch.setattr(gain_table, "FIRST_ROWS", 90)
    monkeypatch.setattr(gain_table, "FIRST_ROWS_EACH", 1)
    monkeypatch.setattr(gain_table, "MOST_BYTES", 0)
    alone = run(searched(n_jobs=1))[:2]
    monkeypatch.setattr(rounds_ahead, "ThreadPoolExecutor", AtOnce)
    assert run(searched())[:2] == alone
    n_told, n_asked = told()
    assert n_told < n_asked // 2


def test_a_problem_in_the_other_thread_is_told(monkeypatch):
    def failing(of, *args):
        if isinstance(of.gains, GainsAhead):
            raise ValueError("in the other thread")
        return done(of, *args)

    done = ges_restarts._do
    monkeypatch.setattr(ges_restarts, "_do", failing)
    monkeypatch.setattr(rounds_ahead, "ThreadPoolExecutor", AtOnce)
    with pytest.raises(ValueError, match="in the other thread"):
        run(searched())


@pytest.mark.parametrize("pool", [None, AtOnce])
@pytest.mark.parametrize("n_before", [0, 300, 1_200])
def test_cancelled_it_keeps_the_best_so_far(pool, n_before, monkeypatch):
    class Cancelling(Trace):
        def __init__(self):
            super().__init__(Cancellation())

        def progressed(self, phase, n):
            if n > n_before:
                self.cancel()
            super().progressed(phase, n)

    if pool is not None:
        monkeypatch.setattr(rounds_ahead, "ThreadPoolExecutor", pool)
    found, *_ = run(searched(), trace=Cancelling())
    assert not found.complete
    assert math.isfinite(found.score)


def test_who_waits_for_the_other_thread_can_be_cancelled(monkeypatch):
    def taken(self, _pool, rows, first):
        for number in range(first, len(rows)):
            self._taken[number, rows[number].key] = Future()

    monkeypatch.setattr(rounds_ahead, "ThreadPoolExecutor", Never)
    monkeypatch.setattr(rounds_ahead.RoundsAhead, "begin", taken)
    monkeypatch.setattr(rounds_ahead, "_PAUSE", 0.001)
    waited: list[int] = []

    class Impatient(Trace):
        def progressed(self, phase, n):
            waited.append(n)
            if waited[-50:] == [n] * 50:
                raise Cancelled

    found, *_ = run(searched(), trace=Impatient())
    assert not found.complete


# --- what is written down and asked again ---------------------------------------------------------


def requested(n, families, capacity=16):
    requests = Requests.none(n, capacity)
    for i, (child, parents, extra, needed) in enumerate(families):
        requests.family[i] = child, extra
        for parent in parents:
            set_bit.as_python(requests.parents, 0, i, parent)
        for node in needed:
            set_bit.as_python(requests.parents, NEEDED, i, node)
        requests.n[0] = i + 1
    return requests


def listed(requests):
    n = int(requests.n[0])
    parents = [[] for _ in range(n)]
    for i, parent in pairs(requests.parents[0, :n]):
        parents[i].append(parent)
    return [
        (child, tuple(of), extra)
        for (child, extra), of in zip(requests.family[:n].tolist(), parents, strict=True)
    ]


def test_what_is_known_already_is_not_asked_again():
    gains = searched("asia").gains
    families = [(0, (1,), -1, (2, 3)), (1, (), 4, ()), (2, (3, 4), -1, (0,)), (1, (), 5, ())]
    log, possible = RequestLog.none(8, 8), gains.rows.possible
    note_requests.as_python(log, requested(8, families[:3]))
    note_requests.as_python(log, requested(8, families[3:]))
    assert log.n.tolist() == [4, 2, 0]
    gains.fill(requested(8, [families[0], (1, (), 4, ())]))
    asked = Requests.none(8, 16)
    end = requests_of_call.as_python(log, (0, 4), gains.memory, possible, asked)
    assert (end, listed(asked)) == (3, [(2, (3, 4), -1)])
    end = requests_of_call.as_python(log, (3, 4), gains.memory, possible, asked)
    assert (end, listed(asked)) == (4, [(1, (), 5)])
    # A whole row, of which this memory holds what was needed and not the rest.
    gains.fill(requested(8, [(2, (3, 4), 0, ())]))
    assert requests_of_call.as_python(log, (0, 4), gains.memory, possible, asked) == -1
    gains.fill(requested(8, [families[2]]))
    end = requests_of_call.as_python(log, (0, 4), gains.memory, possible, asked)
    assert (end, listed(asked)) == (3, [])


def test_a_list_that_is_full_is_not_trusted():
    log = RequestLog.none(8, 8)
    note_requests.as_python(log, requested(8, [(0, (1,), 2, ()), (0, (1,), 3, ())], capacity=2))
    assert log.n[OVERFULL]
    log = RequestLog.none(8, 1)
    note_requests.as_python(log, requested(8, [(0, (1,), 2, ()), (0, (1,), 3, ())]))
    assert log.n[OVERFULL]
    assert log.n[N_NOTED] == 0


def test_what_another_memory_knows_is_counted_and_not_computed():
    families = [(0, (1,), -1, (2, 3)), (1, (), 4, ()), (2, (3, 4), -1, (0,)), (5, (), -1, (0,))]
    plain, of = searched("asia").gains, searched("asia")
    plain.fill(requested(8, families))
    ahead = GainsAhead(of.gains, of.gains.kernel_score)
    ahead.fill(requested(8, families))
    assert of.counts.n_computed == 0
    of.gains.beside = ahead
    log = ahead.log
    assert retell(of.gains, of.gains.kernel_score, log, (0, int(log.n[N_NOTED])))
    assert known(of.gains) == known(ahead) == known(plain)
    assert of.score.counts.n_computed == plain._score.counts.n_computed
    n = int(plain.rows.n[0])
    assert np.array_equal(of.gains.memory.gains[:n], plain.memory.gains[:n], equal_nan=True)


def test_a_search_ahead_leaves_the_other_as_it_was():
    of = searched("asia")
    state = search.SearchState(of)
    state.climb((0, 0, 0))
    before, n_before = known(of.gains), of.score.counts.n_computed
    ahead = GainsAhead(of.gains, of.gains.kernel_score)
    assert isinstance(ahead, GainTable)
    assert known(ahead) == before
    ahead.fill(requested(8, [(0, (1, 2, 3, 4, 5), -1, (6, 7))]))
    assert known(of.gains) == before != known(ahead)
    assert of.score.counts.n_computed == n_before
