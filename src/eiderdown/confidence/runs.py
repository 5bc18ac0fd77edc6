"""Numbered runs of a search: their seeds, their threads, the boundaries they found.

Outcomes come in the order of the numbers. Their sequence is therefore the same with any number of
threads; after Ctrl-C there are also those that were finished behind one that was not.

Pena, Nilsson, Bjorkegren & Tegner (2007), section 5: where the intersection property fails, as it
does if columns determine each other, a variable has several boundaries, and a search with random
choices finds them if it is run often enough (theorem 10).
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import combinations
from threading import Condition, Lock
from typing import Any, Generic, Self, TypeVar, cast

import numpy as np

from eiderdown.errors import OptionError
from eiderdown.forked import ForkedWorker, WorkerLostError, can_fork
from eiderdown.handovers import quick_handovers
from eiderdown.kernel_time import KernelTime
from eiderdown.progress import carried
from eiderdown.results import FeatureConfidence, MarkovBoundary, Replacement, Run
from eiderdown.statistics.cost import Workers

_Outcome = TypeVar("_Outcome")

_FEWEST_SEEDS = 1_000  # drawn at once
_RUNS_AHEAD = 16  # begun before they are asked for, for each thread


class RunSeeds(Sequence[int]):
    """A seed for each run, drawn when it is asked for; more runs begin with the seeds of fewer.

    Examples
    --------
    >>> list(RunSeeds(0, 5))[:2] == list(RunSeeds(0, 2))
    True
    >>> RunSeeds(0, 10**15)[1] == RunSeeds(0, 2)[1]
    True
    """

    def __init__(self, seed: int, n_runs: int) -> None:
        self._source, self._n_runs = np.random.SeedSequence(seed), n_runs
        self._drawn: list[int] = []

    def __len__(self) -> int:
        return self._n_runs

    def __getitem__(self, number: Any) -> Any:
        """Return the seed of a run."""
        if not 0 <= number < self._n_runs:
            raise IndexError(number)
        drawn = self._drawn
        if number >= len(drawn):
            n = min(self._n_runs, max(_FEWEST_SEEDS, 2 * (number + 1)))
            drawn = self._drawn = self._source.generate_state(n).tolist()
        return drawn[number]


@dataclass(eq=False)
class _Begun(Generic[_Outcome]):
    """A run that was begun."""

    number: int
    is_done: bool = False
    outcome: _Outcome | None = None
    problem: BaseException | None = None

    def do(self, run: Callable[[int], _Outcome]) -> None:
        """Make the run, and keep what comes of it."""
        try:
            self.outcome = run(self.number)
        except BaseException as problem:  # whoever takes the outcome is to see it
            self.problem = problem
        self.is_done = True

    def taken(self) -> tuple[int, _Outcome]:
        """Return the outcome, or raise what there was instead."""
        if self.problem is not None:
            raise self.problem
        return self.number, cast("_Outcome", self.outcome)


class OrderedRuns(Generic[_Outcome]):
    """The outcomes of numbered runs, in the order of the numbers; made by :func:`runs_in_order`.

    Whoever takes the outcomes makes runs, too, while the next one is not there, so that there are
    no more threads than jobs. Only a few more runs are begun than outcomes were taken.

    With ``forks`` the others are processes, each with a thread that waits for it. Else, with
    ``first_alone``, the first run is made before there are other threads, and says whether there
    will be any.
    """

    def __init__(
        self,
        run: Callable[[int], _Outcome],
        numbers: Iterable[int],
        n_jobs: int,
        *,
        first_alone: bool = False,
        forks: bool = False,
    ) -> None:
        self._run, self._numbers, self._n_jobs = run, iter(numbers), n_jobs
        self._forks = forks and can_fork()
        self._first_alone = first_alone and n_jobs > 1 and not self._forks
        self._workers: list[ForkedWorker[int, _Outcome]] = []
        self._ahead: deque[_Begun[_Outcome]] = deque()
        self._pool: ThreadPoolExecutor | None = None
        self._beginning, self._changed = Lock(), Condition()
        self._n_waiting, self._closed = 0, False

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> tuple[int, _Outcome]:
        while not (self._ahead and self._ahead[0].is_done):
            own = self._begin()
            if own is not None and self._first_alone:
                self._try_alone(own)
                continue
            if self._pool is None and self._n_jobs > 1:
                self._start_others()
            if own is not None:
                own.do(self._run)
            elif not self._ahead:
                raise StopIteration
            else:
                self._wait_until(lambda: self._ahead[0].is_done)
        found = self._ahead[0].taken()
        self._ahead.popleft()
        self._tell()
        return found

    def _begin(self) -> _Begun[_Outcome] | None:
        """Take the next number; None if there is none, or enough was begun."""
        with self._beginning:
            if not self._closed and len(self._ahead) < self._most_ahead:
                for number in self._numbers:
                    self._ahead.append(_Begun(number))
                    return self._ahead[-1]
        return None

    @property
    def _most_ahead(self) -> int:
        return _RUNS_AHEAD * self._n_jobs if self._n_jobs > 1 else 1

    def _try_alone(self, first: _Begun[_Outcome]) -> None:
        """Make a run, and stay with one thread if others would not gain from runs like it."""
        self._first_alone = False
        with KernelTime() as spent:
            first.do(self._run)
        if not spent.threads_pay(self._n_jobs):
            self._n_jobs = 1

    def _start_others(self) -> None:
        n_others, run = self._n_jobs - 1, carried(self._run)
        if self._forks:
            self._workers = [ForkedWorker(self._run) for _ in range(n_others)]
        ways = [self._by(worker, run) for worker in self._workers] or [run] * n_others
        self._pool = ThreadPoolExecutor(n_others, thread_name_prefix="eiderdown-run")
        for way in ways:
            self._pool.submit(self._make_runs, way)

    def _by(
        self, worker: ForkedWorker[int, _Outcome], run: Callable[[int], _Outcome]
    ) -> Callable[[int], _Outcome]:
        """Return a way to make runs in a process; here, if that was lost."""

        def by_worker(number: int) -> _Outcome:
            try:
                return worker(number)
            except WorkerLostError:
                if self._closed:
                    raise
                return run(number)

        return by_worker

    def _make_runs(self, run: Callable[[int], _Outcome]) -> None:
        """Make runs in a thread of the pool, until there are no more."""
        while not self._closed:
            begun = self._begin()
            if begun is not None:
                begun.do(run)
                self._tell()
            elif len(self._ahead) < self._most_ahead:
                return
            else:
                self._wait_until(lambda: self._closed or len(self._ahead) < self._most_ahead)

    def _wait_until(self, is_true: Callable[[], bool]) -> None:
        with self._changed:
            self._n_waiting += 1
            self._changed.wait_for(is_true)
            self._n_waiting -= 1

    def _tell(self) -> None:
        """Wake whoever waits; mostly nobody does, and then there is no lock to take."""
        if self._n_waiting:
            with self._changed:
                self._changed.notify_all()

    def finished_behind(self) -> Iterator[tuple[int, _Outcome]]:
        """Give what was finished behind a run that was not, after a cancellation."""
        self.close()
        while self._ahead:
            begun = self._ahead.popleft()
            if begun.is_done and begun.problem is None:
                yield begun.taken()

    def close(self) -> None:
        """Begin no more runs, and do not wait for those under way."""
        self._closed = True
        self._tell()
        for worker in self._workers:
            worker.close()
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def runs_in_order(
    run: Callable[[int], _Outcome],
    numbers: Iterable[int],
    *,
    n_jobs: int | None,
    first_alone: bool = False,
    forks: bool = False,
) -> Iterator[OrderedRuns[_Outcome]]:
    """Give the outcomes of numbered runs; on the way out those under way are not waited for.

    ``forks`` is for runs of which much is Python, whose outcomes can be pickled, and which change
    nothing that others look at; they are shared with forked processes where there can be some, and
    with threads elsewhere. ``first_alone`` is for runs that are alike and may be too short between
    kernels for threads; the first of them then says whether threads are woken.

    Examples
    --------
    >>> with runs_in_order(lambda number: number**2, range(2, 5), n_jobs=2) as squares:
    ...     list(squares)
    [(2, 4), (3, 9), (4, 16)]
    """
    n_threads = Workers(n_jobs).n_jobs
    runs = OrderedRuns(run, numbers, n_threads, first_alone=first_alone, forks=forks)
    try:
        with quick_handovers() if n_threads > 1 else nullcontext():
            yield runs
    finally:
        runs.close()


def check_agreement(earlier: FeatureConfidence, *, run: Run, nodes: tuple[str, ...]) -> None:
    """Refuse to go on from runs that answer another question than the run that begins."""
    if earlier.source != run.algorithm:
        raise _other("come from", "source", earlier.source, run.algorithm)
    if earlier.run.fingerprint != run.fingerprint or earlier.nodes != nodes:
        raise OptionError(
            f"The earlier runs were made on another table ({earlier.run.n_rows:,} rows x "
            f"{len(earlier.nodes):,} columns that take part) than this one ({run.n_rows:,} x "
            f"{len(nodes):,}); give the same rows and columns in the same order, or begin anew."
        )
    for name in {**run.options, **earlier.run.options}:
        before, now = earlier.run.options.get(name), run.options.get(name)
        if name != "runs" and _plain(before) != _plain(now):
            raise _other("were made with", name, before, now)
    if earlier.run.random_state != run.random_state:
        raise _other("were made with", "random_state", earlier.run.random_state, run.random_state)
    if earlier.n_runs + len(earlier.gaps) > run.options["runs"]:
        raise OptionError(
            f"There are {earlier.n_runs:,} earlier runs, but only {run.options['runs']:,} are "
            "wanted; ask for at least as many, or begin anew."
        )


def _other(verb: str, name: str, before: Any, now: Any) -> OptionError:
    return OptionError(
        f"The earlier runs {verb} {name}={before!r}, not {now!r}; give the same {name}, or begin "
        "anew without them."
    )


def _plain(value: Any) -> str:
    """Write a value as JSON does, because earlier ones may have been there and back."""
    return json.dumps(value, sort_keys=True, default=str)


def distinct_boundaries(found: Iterable[MarkovBoundary]) -> list[tuple[MarkovBoundary, int]]:
    """Return the distinct boundaries with their number of runs, the most frequent first.

    Of runs with the same members the first speaks; ties are in the order of the members' names.
    """
    first: dict[tuple[str, ...], MarkovBoundary] = {}
    counts: Counter[tuple[str, ...]] = Counter()
    for boundary in found:
        members = tuple(sorted(boundary.members))
        first.setdefault(members, boundary)
        counts[members] += 1
    ranked = sorted(first, key=lambda members: (-counts[members], members))
    return [(first[members], counts[members]) for members in ranked]


def replacements(boundaries: Sequence[Collection[str]]) -> tuple[Replacement, ...]:
    """Say which variables stand for which in distinct boundaries of one target.

    Two boundaries that differ in one variable on one side, and in one or more on the other, show a
    replacement, unless some boundary holds both sides.

    Examples
    --------
    >>> replacements([{"a", "x"}, {"a", "y"}])
    (Replacement(these=('x',), those=('y',), n_pairs=1),)
    >>> replacements([{"i1", "i2"}, {"r"}])
    (Replacement(these=('r',), those=('i1', 'i2'), n_pairs=1),)
    """
    sets = [frozenset(boundary) for boundary in boundaries]
    counts: Counter[tuple[tuple[str, ...], tuple[str, ...]]] = Counter()
    for one, other in combinations(sets, 2):
        sides = sorted((sorted(one - other), sorted(other - one)), key=lambda s: (len(s), s))
        if len(sides[0]) == 1:
            counts[tuple(sides[0]), tuple(sides[1])] += 1
    found = [
        Replacement(these, those, n_pairs)
        for (these, those), n_pairs in counts.items()
        if not any(both.issuperset(these + those) for both in sets)
    ]
    return tuple(sorted(found, key=lambda r: (-r.n_pairs, len(r.those), r.these, r.those)))


def interchangeable(found: Iterable[Replacement]) -> tuple[tuple[str, ...], ...]:
    """Join variables that stand for each other one by one, directly or in a chain.

    Examples
    --------
    >>> interchangeable([Replacement(("x",), ("y",), 1), Replacement(("y",), ("z",), 1)])
    (('x', 'y', 'z'),)
    """
    groups: list[set[str]] = []
    for replacement in found:
        if len(replacement.those) == 1:
            joined = {*replacement.these, *replacement.those}
            apart = [group for group in groups if not group & joined]
            groups = [*apart, joined.union(*(group for group in groups if group & joined))]
    return tuple(sorted(tuple(sorted(group)) for group in groups))
