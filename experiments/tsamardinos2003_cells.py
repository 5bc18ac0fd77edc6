"""Networks, targets, rows and the test of Tsamardinos et al. (2003), for figures 4, 5 and 6.

As in the paper, every node of a small network is a target (50 random ones of Pigs), and in the
tiled networks 10 random nodes with more than four boundary members.
"""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from statistics import fmean
from types import FrameType
from typing import Any, ClassVar, NoReturn, TypeAlias

import numpy as np
from harness import ROOT, Record, say
from kept_cells import KeptCells

from eiderdown import learn_network, networks
from eiderdown.arrays import FloatArray, IntArray
from eiderdown.data import Dataset
from eiderdown.graphs import sensitivity_specificity_distance
from eiderdown.independence import Allows, GSquareTest, IndependenceBatch, IndependenceTest
from eiderdown.independence.batch import ALLOWS
from eiderdown.networks import DiscreteNetwork
from eiderdown.results import LearnedNetwork

SEED = 2003
ALPHA = 0.05
SIZES = (300, 500, 700, 1_000, 5_000)
N_PIGS, N_TILED, TRIVIAL = 50, 10, 4
SMALL = ("alarm", "pigs", "hailfinder", "insurance", "win95pts")
TILES = {"alarm": 135, "pigs": 11, "hailfinder": 89}
PC_NODES = 100  # the paper runs PC on no network with more
PER_CELL = 5.0  # rows
KEPT = ROOT / "experiments" / ".kept"

NOTHING_VARIES = (0.0, 0.0, 0.0, 0.0, float(Allows.BOTH), 0.0)
"""Values of a test in which there is nothing to see: p is 1, which is independence."""

Members: TypeAlias = tuple[str, ...]
Answers: TypeAlias = dict[str, Members]

PARAMS: Mapping[str, Any] = {
    "alpha": ALPHA,
    "seed": SEED,
    "test": "G2, five rows per cell on average",
    "targets": f"all; pigs {N_PIGS}; tiled {N_TILED} with more than {TRIVIAL} members",
}


class PaperTest(IndependenceTest):
    """G2 as in the paper: made with five rows per cell on average, and not otherwise.

    Where in every stratum one of the two variables does not vary, G2 is 0 and p is 1, so that the
    two are independent. (The library's G2 says nothing then, and its searches over subsets look at
    copies once; here copies are columns like others.) Sets with which no test has its rows are not
    tried, which changes no answer.
    """

    rows_per_cell: ClassVar[float] = PER_CELL

    def __init__(self, data: Dataset) -> None:
        super().__init__(data.names)
        self._inner = GSquareTest(data, reliability="always", n_jobs=1)
        self._n_categories = data.n_categories.astype(float)
        self._most_cells = data.n_rows / self.rows_per_cell if self.rows_per_cell else math.inf

    @property
    def description(self) -> dict[str, object]:
        """Name and options, for the record of a run."""
        return {"test": type(self).__name__, "rows_per_cell": self.rows_per_cell}

    def _sweep(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        n_others = self._n_categories[[target, *given]].prod()
        has_rows = self._n_categories[candidates] * n_others <= self._most_cells
        batch = IndependenceBatch.of_sweep(candidates, target, given, allows=Allows.NOTHING)
        if has_rows.any():
            made = self._inner.sweep(candidates[has_rows], target, given).values.copy()
            made[made[:, ALLOWS] == Allows.FUNCTION] = NOTHING_VARIES
            batch.values[has_rows] = made
        return batch

    def _sets_to_try(
        self,
        xs: IntArray,
        target: int,
        pool: Sequence[int],
        max_given: int,
        always: tuple[int, ...],
    ) -> IntArray:
        """List the sets with which a test has its rows: smallest first, in the order of names."""
        n_categories = self._n_categories
        n_cells = n_categories[xs].min(initial=2.0) * n_categories[[target, *always]].prod()
        free = sorted(set(pool) - set(always), key=self.name_rank.__getitem__)
        most_strata, most = self._most_cells / n_cells, max_given - len(always)
        sets = sets_with_strata(n_categories[free], most_strata, most)
        rows = np.full((len(sets), max(map(len, sets), default=0) + len(always)), -1, np.int64)
        for row, positions in zip(rows, sets, strict=True):
            members = [*always, *(free[i] for i in positions)]
            row[: len(members)] = sorted(members, key=self.name_rank.__getitem__)
        return rows


def sets_with_strata(
    n_categories: FloatArray, most_strata: float, most: int
) -> list[tuple[int, ...]]:
    """List the sets of up to so many positions with no more strata than that, smallest first."""
    level: list[tuple[tuple[int, ...], float]] = [((), 1.0)]
    sets: list[tuple[int, ...]] = []
    while level:
        sets += [positions for positions, _ in level]
        level = [
            ((*positions, i), n_strata * n_categories[i])
            for positions, n_strata in level
            if len(positions) < most
            for i in range(positions[-1] + 1 if positions else 0, len(n_categories))
            if n_strata * n_categories[i] <= most_strata
        ]
    return sets


def largest_set(n_rows: int) -> int:
    """How many variables a set has at most of which a test has its rows: all of two categories."""
    return max(0, int(math.log2(n_rows / PER_CELL / 4.0)))


class AnyRowsTest(PaperTest):
    """The same with any number of rows."""

    rows_per_cell = 0.0


class RankingTest(PaperTest):
    """The same for Koller-Sahami, which ranks by effects: it finds nobody independent.

    So as many variables remain as are asked for.
    """

    def _sweep(
        self, candidates: IntArray, target: int, given: tuple[int, ...]
    ) -> IndependenceBatch:
        batch = super()._sweep(candidates, target, given)
        batch.values[batch.allows == Allows.BOTH, ALLOWS] = Allows.DEPENDENCE
        return batch


def learned_by_pc(data: Dataset) -> LearnedNetwork:
    """Learn the whole graph by PC, with sets as large as their rows allow."""
    return learn_network(
        data,
        algorithm="pc_stable",
        alpha=ALPHA,
        test=PaperTest,
        max_given=largest_set(data.n_rows),
        n_jobs=1,
        progress=False,
    )


@dataclass
class Setting:
    """A network and the targets to ask about."""

    name: str
    network: DiscreteNetwork
    targets: list[str]
    is_small: bool = True

    def sample(self, n_rows: int) -> Dataset:
        """Draw the rows of a cell."""
        return self.network.sample(n_rows, random_state=np.random.default_rng([SEED, n_rows]))

    def distance(self, target: str, members: Members, *, pc_set: bool = False) -> float:
        """Distance of one answer from the target's boundary, or from its parents and children."""
        dag = self.network.dag
        truth = dag.adjacent(target) if pc_set else dag.markov_boundary(target)
        return sensitivity_specificity_distance(members, truth, n_candidates=dag.n_nodes - 1)


def small(name: str) -> Setting:
    """Load a network, and draw its targets."""
    network = networks.load(name)
    nodes = list(network.dag.nodes)
    generator = np.random.default_rng([SEED, SMALL.index(name)])
    return Setting(name, network, _some(nodes, N_PIGS, generator) if name == "pigs" else nodes)


def tiled(name: str) -> Setting:
    """Tile a network to some 5,000 nodes, and draw its targets."""
    generator = np.random.default_rng([SEED, len(SMALL) + list(TILES).index(name)])
    network = networks.tile(networks.load(name), TILES[name], random_state=generator)
    dag = network.dag
    large = [v for v in dag.nodes if len(dag.markov_boundary(v)) > TRIVIAL]
    return Setting(f"{name} 5K", network, _some(large, N_TILED, generator), is_small=False)


def _some(nodes: list[str], n: int, generator: np.random.Generator) -> list[str]:
    chosen = generator.choice(len(nodes), size=min(n, len(nodes)), replace=False)
    return [nodes[int(i)] for i in sorted(chosen)]


@dataclass
class Outcome:
    """What the searches of one cell found: distances by search and target, and their seconds.

    ``seconds`` are of the processor, for each target; ``given_up`` the targets that took too long;
    ``total`` the seconds that all of the cell took.
    """

    distances: dict[str, dict[str, float]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    given_up: list[str] = field(default_factory=list)
    total: float = 0.0

    def measure(
        self, name: str, setting: Setting, search: Callable[[], Answers], *, pc_set: bool = False
    ) -> Answers:
        """Run a search, and note how far its answers are from the truth and what they took."""
        started = time.process_time()
        answers = search()
        self.seconds[name] = (time.process_time() - started) / max(1, len(answers))
        self.distances[name] = {
            v: setting.distance(v, members, pc_set=pc_set) for v, members in answers.items()
        }
        return answers

    def mean(self, name: str) -> float | None:
        """Mean distance of a search; None if it was not run."""
        return fmean(self.distances[name].values()) if self.distances.get(name) else None


class Cells:
    """The cells of an experiment, each made once, also if the experiment is stopped between.

    Parameters
    ----------
    record
        The experiment; its name and its params tell which cells are its own.
    quick
        Whether nothing is to be kept.
    """

    def __init__(self, record: Record, *, quick: bool) -> None:
        folder = None if quick else KEPT / record.name
        self._kept, self._record = KeptCells(folder, record.params), record
        if len(self._kept):
            say(
                f"{len(self._kept)} cells of a stopped run are taken from {folder}; "
                "delete it to start afresh."
            )

    def outcome(self, name: str, n_rows: int, make: Callable[[], Outcome]) -> Outcome:
        """Make a cell, unless that is done."""

        def measured() -> dict[str, Any]:
            say(f"{name}, {n_rows:,} rows")
            started = time.process_time()
            return asdict(replace(make(), total=time.process_time() - started))

        was_kept = self._kept.peek(f"{name} {n_rows}") is not None
        cell = Outcome(**self._kept.get(f"{name} {n_rows}", measured))
        if was_kept:
            self._record.seconds += cell.total
        return cell

    def clear(self) -> None:
        """Forget what was kept; the experiment is done."""
        self._kept.clear()


class TooLongError(Exception):
    """A search took more than its seconds."""


def _too_long(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise TooLongError


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise TooLongError after so many seconds of the processor, which other work does not slow."""
    before = signal.signal(signal.SIGPROF, _too_long)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
