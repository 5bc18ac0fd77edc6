"""What ``accuracy.py`` measures, in which order, and how it is kept.

A *cell* is one search on one table. Cells are made in *batches* of all searches of one tier on one
table, and batches come round by round: in the first the searches that matter most meet the first
sample of every network at every number of rows, and so on. A run that is cut short therefore still
compares the same searches on the same tables.

A *line* is what the record keeps of a cell about one question, as text with commas.
"""

from __future__ import annotations

import hashlib
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from accuracy_measures import graph_measures, set_measures, true_sets
from accuracy_peers import PEERS, Peer, is_installed
from accuracy_searches import DEFAULT, Answer, Search, searches_by_key
from accuracy_tables import ROWS, SEEDS, SLOW, Part, Sample, networks_of, sample
from harness import ROOT
from kept_cells import KeptCells

from eiderdown.errors import EiderdownWarning

ORDER_OF_ROWS = (500, 5_000, 200, 1_000, 100, 20_000)
"""If the last round is cut short, these say the most."""

KEPT = ROOT / "experiments" / ".kept"
COLUMNS = (
    *("part", "network", "seed", "rows", "question", "search"),
    *("f1", "precision", "recall", "distance", "adjacency", "arrowheads", "shd", "seconds"),
)
STOPPED = "stopped by the time limit"
LEAST_SECONDS = 2.0
"""With less time than this left, no further cell is begun."""


@dataclass(frozen=True)
class Limits:
    """Seconds that a cell may take, and when the run must be over (by ``time.time``)."""

    search: float
    peer: float
    deadline: float

    def of(self, search: Search | Peer) -> float:
        """Return how long a cell may take now."""
        return min(self.longest(search), self.deadline - time.time())

    def longest(self, search: Search | Peer) -> float:
        """Return how long a cell may take if there is time enough."""
        return self.peer if isinstance(search, Peer) else self.search


@dataclass(frozen=True)
class Batch:
    """All searches of one tier on one table."""

    part: Part
    network: str
    seed: int
    n_rows: int
    searches: tuple[Search | Peer, ...]

    def name(self, search: Search | Peer) -> str:
        """Return the name under which a cell is kept."""
        words = f"{self.network} {self.seed} {self.n_rows} {search.key}"
        return "".join(c if c.isalnum() else "_" for c in words)


def all_searches() -> list[Search | Peer]:
    """Return every search of ours, and the peers that are installed."""
    return [*searches_by_key().values(), *(peer for peer in PEERS if is_installed(peer.package))]


def missing_peers() -> list[str]:
    """Return the packages that are not installed."""
    return sorted({peer.package for peer in PEERS if not is_installed(peer.package)})


def batches(
    part: Part,
    searches: Sequence[Search | Peer],
    *,
    networks: Sequence[str] | None = None,
    rows: Sequence[int] = ROWS,
    seeds: Sequence[int] | None = None,
) -> list[Batch]:
    """List all batches, the most important first."""
    tiers = sorted({search.tier for search in searches})
    by_tier = {tier: tuple(s for s in searches if s.tier == tier) for tier in tiers}
    chosen = [network for network in networks_of(part) if networks is None or network in networks]
    listed = [
        ((tier + place + (network in SLOW), at, i), Batch(part, network, seed, n, by_tier[tier]))
        for tier in tiers
        for place, seed in enumerate(SEEDS[part] if seeds is None else seeds)
        for at, n in enumerate(n for n in ORDER_OF_ROWS if n in rows)
        for i, network in enumerate(chosen)
    ]
    return [batch for _, batch in sorted(listed, key=lambda pair: pair[0])]


def run_batch(batch: Batch, ours: KeptCells, theirs: KeptCells, limits: Limits) -> list[str]:
    """Return the lines of a batch, read or made, in a process of its own."""
    warnings.simplefilter("ignore", EiderdownWarning)
    lines: list[str] = []
    made = _Made(batch)
    for search in batch.searches:
        kept = theirs if isinstance(search, Peer) else ours
        cell = kept.peek(batch.name(search))
        if cell is None and limits.of(search) < LEAST_SECONDS:
            continue
        if cell is None and _gave_up(batch, search, kept):
            cell = {"problem": "not tried: it was stopped with fewer rows"}
        try:
            cell = cell or kept.get(batch.name(search), partial(made.cell, search, limits))
        except OutOfTimeError:
            continue
        lines += lines_of(batch, search, cell)
    return lines


def _gave_up(batch: Batch, search: Search | Peer, kept: KeptCells) -> bool:
    """Whether a search was stopped on fewer rows of the same network."""
    fewer = (replace(batch, n_rows=n) for n in ROWS if n < batch.n_rows)
    found = (kept.peek(smaller.name(search)) or {} for smaller in fewer)
    return any(cell.get("problem") == STOPPED for cell in found)


class OutOfTimeError(Exception):
    """The run was over before a cell was: it is made again another time."""


class _Made:
    """The table of a batch, drawn when it is first needed."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._sample: Sample | None = None

    def cell(self, search: Search | Peer, limits: Limits) -> dict[str, Any]:
        """Run one search and measure what it found."""
        if self._sample is None:
            self._sample = sample(self._batch.network, self._batch.seed, self._batch.n_rows)
        if not search.takes(self._sample):
            return {}
        limit = limits.of(search)
        try:
            answer = search.find(self._sample, limit)
        except Exception as error:  # one search must not end a long run; it is told
            return {"problem": f"{type(error).__name__}: {error}"}
        if not answer.complete and limit < limits.longest(search):
            raise OutOfTimeError
        return measured(answer, self._sample)


def measured(answer: Answer, one: Sample) -> dict[str, Any]:
    """Compare what was found with the truth; what was stopped is not judged."""
    if not answer.complete:
        return {"problem": STOPPED}
    truth = true_sets(one.dag, one.targets)
    cell: dict[str, Any] = {}
    if answer.boundary is not None:
        cell["boundary"] = set_measures(answer.boundary, truth["boundary"])
    if answer.parents_children is not None:
        near = set_measures(answer.parents_children, truth["parents_children"])
        cell["parents_children"] = near
    # A graph is learned once for all targets: a target costs its share.
    seconds = answer.seconds / len(one.targets)
    for of_question in cell.values():
        of_question["seconds"] = seconds
    if answer.cpdag is not None:
        cell["graph"] = graph_measures(answer.cpdag, one.cpdag) | {"seconds": answer.seconds}
    return cell


def lines_of(batch: Batch, search: Search | Peer, cell: dict[str, Any]) -> Iterator[str]:
    """Write a cell as lines of the record: one for each question that the search answers."""
    if "problem" in cell:
        what = cell["problem"].replace(",", ";").replace("\n", " ")
        yield ",".join([*_place(batch, "problem", search.name), what])
        return
    for question, found in cell.items():
        name = _read_off(search, question)
        numbers = (f"{found[c]:.4g}" if c in found else "" for c in COLUMNS[6:])
        yield ",".join([*_place(batch, question, name), *numbers])


def _read_off(search: Search | Peer, question: str) -> str:
    """Name a search that answers another question than the one it was made for.

    A graph's boundary is "graph: ges bic"; a boundary search tells parents and children, too.
    """
    if search.question == "graph" and question != "graph":
        return f"graph: {search.name}"
    if search.question != question and search.name == DEFAULT:
        return f"{DEFAULT} of {search.question}"
    return search.name


def _place(batch: Batch, question: str, name: str) -> list[str]:
    return [batch.part, batch.network, str(batch.seed), str(batch.n_rows), question, name]


def kept_cells(part: Part, alpha: float, *, quick: bool) -> tuple[KeptCells, KeptCells]:
    """Return where our cells and those of peers are kept; ours depend on the code."""
    folder = None if quick else KEPT / f"accuracy_{part}"
    ours = KeptCells(folder, {"alpha": alpha, "code": code_digest()})
    return ours, KeptCells(folder and folder / "peers", {"alpha": alpha})


def code_digest() -> str:
    """Return a short fingerprint of the library's sources."""
    digest = hashlib.sha256()
    for path in sorted((ROOT / "src").rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
