"""``learn_skeleton``: which columns are adjacent, of tables with very many, streamed to a file.

Around every column its parents and children are searched for, by itself; two columns are joined if
each is found around the other. Nothing is kept of a finished column but its rows of the file, and
of those whose other side is still to come the two numbers, so that memory does not grow with the
square of the columns.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Unpack

import numpy as np

from eiderdown.api.kept_targets import table_in_words
from eiderdown.api.local import ConfiguredSearch, test_of
from eiderdown.api.skeleton_file import Side, SkeletonWriter
from eiderdown.api.tables import about_table
from eiderdown.boundary import PARENTS_CHILDREN_ALGORITHMS, Found, Search, TestProblem
from eiderdown.boundary.problem import shared_level
from eiderdown.data import Dataset
from eiderdown.data.prepare import Prepared, prepare_targets
from eiderdown.independence import CachedTest
from eiderdown.independence.registry import kinds_taken
from eiderdown.options import Option, declared
from eiderdown.progress import Cancelled, Trace, watched
from eiderdown.randomness import as_generator
from eiderdown.registry import Registry
from eiderdown.results import LearnedSkeleton, Run, issue_warnings
from eiderdown.shared_options import (
    IndependenceOptions,
    RememberingOptions,
    RunOptions,
    TableOptions,
    TieOptions,
)

PAUSE: Final = 2.0
"""Seconds between two batches of the file; so much work is lost to SIGKILL."""

MOST_SIDES: Final = 50_000
"""How many rows a batch has at the most."""


SKELETON_ALGORITHMS: Final = Registry(
    entry for entry in PARENTS_CHILDREN_ALGORITHMS if "symmetry" in entry.all_params
)
"""Searches around one column alone, which leave the other side of an edge to be looked at."""


class SkeletonOptions(
    IndependenceOptions,
    TieOptions,
    RememberingOptions,
    TableOptions,
    RunOptions,
    total=False,
):
    """What :func:`learn_skeleton` takes."""

    to: Annotated[
        Path,
        Option(
            "file to write the edges to, an Arrow stream; if it is there, the work goes on from it",
            metavar="FILE.arrow",
        ),
    ]
    algorithm: Annotated[
        str | Search,
        Option(
            "search for parents and children: a name or a configured entry such as "
            "MMPC(max_given=2)",
            default="get_pc",
            command_help="search; 'eiderdown algorithms skeleton' lists them",
        ),
    ]
    correction: Annotated[
        Literal["column", "table", "none"],
        Option(
            "by what alpha is divided, because of many pairs some depend by chance: the pairs of "
            "one column, all pairs of the table, or nothing",
            default="column",
        ),
    ]


@about_table
@declared
def learn_skeleton(data: Any, **options: Unpack[SkeletonOptions]) -> LearnedSkeleton:
    """Learn which columns are adjacent, and write the edges to a file as they are found.

    Two columns are joined if each is among the parents and children found around the other. The
    file is whole at any moment: after Ctrl-C, a time limit or SIGKILL the same call goes on where
    the last one ended.

    Parameters
    ----------
    data : any table
        See :meth:`eiderdown.Dataset.of`.
    **options

    Returns
    -------
    LearnedSkeleton
        How many edges there are, and how far the work is. :func:`eiderdown.read_skeleton` reads
        the edges.

    Examples
    --------
    >>> import tempfile
    >>> from eiderdown import learn_skeleton, networks, read_skeleton
    >>> data = networks.load("asia").sample(5_000, random_state=0)
    >>> path = Path(tempfile.mkdtemp()) / "edges.arrow"
    >>> learn_skeleton(data, to=path).n_edges
    7
    >>> "lung" in read_skeleton(path).graph().adjacent("smoke")
    True
    """
    table = Dataset.of(data, exclude=options["exclude"])
    taken = kinds_taken(options["test"])
    prepared = prepare_targets(table, takes=taken, missing=options["missing"])
    n_columns = len(prepared.candidates)
    what, limit = f"skeleton of {n_columns:,} columns", options["time_limit"]
    with watched(what, progress=options["progress"], counted="columns", time_limit=limit) as shown:
        started = time.perf_counter()
        test = test_of(prepared, options)
        search = _one_sided_search(options, n_columns)
        asked = _asked(search, test, options)
        question = {
            "table": table_in_words(prepared.source),
            "algorithm": search.algorithm.name,
            **asked,
            "missing": options["missing"],
            "random_state": search.random_state,
        }
        names = [prepared.data.names[i] for i in prepared.candidates.tolist()]
        with SkeletonWriter(options["to"], question, names) as file:
            streamed = StreamedSkeleton(prepared, test, search, file)
            streamed.go_on()
            streamed.run(shown)
    run = Run.of(
        search.algorithm.name,
        prepared.data,
        asked,
        counts=[test.counts],
        seconds=time.perf_counter() - started,
        random_state=search.random_state,
    )
    found = streamed.result(str(options["to"]), run, (*prepared.warnings, *test.notes))
    issue_warnings(found)
    return found


def _one_sided_search(options: Mapping[str, Any], n_columns: int) -> ConfiguredSearch:
    """Return the search without its own correction by symmetry, which is ours to make."""
    algorithm: Search = SKELETON_ALGORITHMS[options["algorithm"]]
    n_pairs = {"column": n_columns - 1, "table": n_columns * (n_columns - 1) / 2, "none": 1}
    level = shared_level(options["alpha"], n_pairs[options["correction"]])
    return ConfiguredSearch.of(algorithm(symmetry="none"), {**options, "alpha": level})


def _asked(
    search: ConfiguredSearch, test: CachedTest, options: Mapping[str, Any]
) -> dict[str, Any]:
    """Write down the options of the search and of its test."""
    own = {name: value for name, value in search.params.items() if name != "symmetry"}
    return {
        "alpha": options["alpha"],
        "correction": options["correction"],
        "level": search.alpha,
        "max_given": search.max_given,
        **own,
        **({"ties": search.ties} if search.ties != "name" else {}),
        **test.description,
    }


@dataclass
class StreamedSkeleton:
    """Searches around one column after the other, and writes what was found.

    ``waiting`` has for each column to come those that have found it.
    """

    prepared: Prepared
    test: CachedTest
    search: ConfiguredSearch
    file: SkeletonWriter
    n_finished: int = 0
    n_edges: int = 0
    n_one_sided: int = 0
    waiting: defaultdict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    _sides: list[Side] = field(default_factory=list)
    _n_written: int = 0

    def __post_init__(self) -> None:
        self._columns = self.prepared.candidates
        self._degrees = np.zeros(len(self._columns), dtype=np.int64)
        self._position = {int(column): i for i, column in enumerate(self._columns)}

    def go_on(self) -> None:
        """Take over what an earlier process has found."""
        n_finished, pairs = self.file.earlier()
        found = defaultdict(list)
        for x, y in pairs:
            found[self._position[self.prepared.data.index(x)]].append(
                self._position[self.prepared.data.index(y)]
            )
        for target in range(n_finished):
            self._join(target, found.pop(target, []))
        self._n_written = self.n_finished

    def run(self, shown: Trace) -> None:
        """Search around the columns that are left, until all are done or it is cancelled."""
        written = time.monotonic()
        try:
            for target, found in self._searched(shown):
                members = {self._position[x]: test for x, test in found.members.items()}
                mutual = self._join(target, members)
                self._sides += [Side(target, y, mutual[y], members[y]) for y in sorted(members)]
                if time.monotonic() > written + PAUSE or len(self._sides) >= MOST_SIDES:
                    self._write()
                    written = time.monotonic()
                shown.progressed("searching", self.n_finished)
        except Cancelled:
            pass
        finally:  # whatever ends the work, what was finished is kept
            self._write()

    def result(self, path: str, run: Run, said: tuple[str, ...]) -> LearnedSkeleton:
        """Say how far the work is."""
        n_targets = len(self._columns)
        if self.n_finished < n_targets:
            said = (
                *said,
                f"Interrupted: {self.n_finished:,} of {n_targets:,} columns are done; the same "
                "call goes on from there.",
            )
        by_degree = Counter(self._degrees[: self.n_finished].tolist())
        return LearnedSkeleton(
            path=path,
            n_targets=n_targets,
            n_finished=self.n_finished,
            n_edges=self.n_edges,
            n_one_sided=self.n_one_sided,
            run=run,
            degree_counts=tuple(by_degree[n] for n in range(max(by_degree, default=-1) + 1)),
            warnings=said,
            complete=self.n_finished == n_targets,
        )

    def _searched(self, shown: Trace) -> Iterator[tuple[int, Found]]:
        """Search around each column that is left, in order, until one search is cancelled."""
        listener, ties = shown.silent(), self.search.tie_ranks(self.test)
        for target in range(self.n_finished, len(self._columns)):
            problem = TestProblem(
                self.test,
                int(self._columns[target]),
                np.delete(self._columns, target),
                self.search.alpha,
                self.search.max_given,
                trace=listener,
                generator=as_generator(self.search.random_state),
                ties=ties,
            )
            found, _ = self.search.searched(problem)
            if not found.complete:
                return
            yield target, found

    def _join(self, target: int, members: Any) -> dict[int, bool | None]:
        """Note what was found around the next column; say which members have found it before."""
        found_by = self.waiting.pop(target, set())
        mutual: dict[int, bool | None] = {}
        for y in members:
            mutual[y] = None if y > target else y in found_by
            if y > target:
                self.waiting[y].add(target)
            elif mutual[y]:
                self.n_edges += 1
                self._degrees[[target, y]] += 1
        self.n_one_sided += len(found_by.symmetric_difference(y for y in members if y < target))
        self.n_finished += 1
        return mutual

    def _write(self) -> None:
        if self.n_finished > self._n_written:
            self.file.append(self._sides, self.n_finished)
        self._sides, self._n_written = [], self.n_finished
