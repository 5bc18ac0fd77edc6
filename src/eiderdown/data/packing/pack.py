"""Packing: a source is read once, in batches, and written in parts: codes, bit planes, numbers.

    batches ──► SeenColumn.put ──► cut ──► plan ──► write_part      (in a thread of its own)
                ids, numbers       1 M rows  rules    cells, note

Parts that were written before later rows changed the plan are written again in the end, from what
they hold. What has been packed is kept when the work is stopped, and gone on from.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from time import monotonic
from typing import Any, Final

from eiderdown.data.pace import Pace
from eiderdown.data.packing.part_files import (
    is_current,
    read_note,
    recovered,
    tidy,
    write_part,
)
from eiderdown.data.packing.plan import Plan, made_plan
from eiderdown.data.packing.seen import SeenColumn
from eiderdown.data.packing.seen_entries import SeenEntries
from eiderdown.data.packing.seen_numbers import SeenNumbers
from eiderdown.data.packing.seen_state import restored, state_of
from eiderdown.data.packing.sources import Reread, Source
from eiderdown.errors import TooFewRowsError, TooManyCategoriesError
from eiderdown.files import write_text
from eiderdown.progress import Cancelled, Trace
from eiderdown.shared_options import ReadOptions

MOST_ROWS: Final = 1 << 20
"""Rows of a part."""

_FEWEST_ROWS: Final = 1 << 12
_PAUSE: Final = 5.0  # seconds between two writings of what has been seen


class Packer:
    """Packs a source into a folder.

    Parameters
    ----------
    source : Source
        What is read.
    folder : Path
        Where parts are written; what is there already is gone on from.
    options : ReadOptions
        How it is read.
    given : mapping
        What the user says that columns hold.
    excluded : list of str
        Columns that are left out before reading.
    budget : int
        Bytes of memory to take.
    """

    def __init__(
        self,
        source: Source,
        folder: Path,
        options: ReadOptions,
        given: Mapping[str, str],
        excluded: list[str],
        budget: int,
    ) -> None:
        self._source, self._folder, self._options = source, folder, options
        self._given, self._excluded, self._budget = given, excluded, budget
        self._state = folder / "state.json"
        self._pending: Future[None] | None = None
        self._known: Any = None
        self._plan: Plan | None = None
        self._saved_at = monotonic()
        self._begin_anew()

    def _begin_anew(self) -> None:
        source, dates = self._source, self._options.get("dates", "days")
        self.seen: dict[str, SeenColumn] = {
            name: _kind_of_column(kind, is_text=name in source.texts)(
                name,
                kind,
                self._given.get(name, ""),
                is_text=name in source.texts,
                dates=dates,
                typed=source.guesses.typed,
            )
            for name, kind in source.types.items()
        }
        self.n_parts = self.n_rows = 0
        self._part_rows, self._filled = 0, 0

    def pack(self, trace: Trace) -> Plan:
        """Read everything that has not been packed yet; return what all columns are."""
        while True:
            self._go_on()
            with ThreadPoolExecutor(1) as self._writer:
                try:
                    self._read(trace)
                    self._wait()
                    break
                except Reread:
                    self._wait()
                    self._state.unlink(missing_ok=True)
                    self._begin_anew()
                except Cancelled:
                    self._wait()
                    if self.n_parts:
                        self._save_state()
                    raise
        if self.n_rows == 0:
            raise TooFewRowsError("The table has no rows; give it at least one.")
        plan = self._make_plan()
        self._write_again(plan, trace)
        tidy(self._folder, self.n_parts)
        return plan

    # Going on from where earlier work was stopped

    def _go_on(self) -> None:
        try:
            state = json.loads(self._state.read_text(encoding="utf-8"))
            types = {name: str(kind) for name, kind in self._source.types.items()}
            if state["types"] != types:
                return
            for name, own in state["seen"].items():
                restored(self.seen[name], own)
            self.n_parts, self.n_rows = int(state["parts"]), int(state["rows"])
            self._part_rows = int(state["part_rows"])
            for number in range(self.n_parts):
                read_note(self._folder, number)
        except FileNotFoundError:
            return
        except Exception:  # whatever is wrong with it, all can be read again
            self._begin_anew()

    def _save_state(self) -> None:
        """Write what has been seen of the parts that are on disk."""
        state = {
            "types": {name: str(kind) for name, kind in self._source.types.items()},
            "seen": {name: state_of(own) for name, own in self.seen.items()},
            "parts": self.n_parts,
            "rows": self.n_rows,
            "part_rows": self._part_rows,
        }
        write_text(json.dumps(state), self._state)
        self._saved_at = monotonic()

    # Reading

    def _read(self, trace: Trace) -> None:
        ahead = max(1 << 22, self._budget // 8)
        pace = Pace(self._source.n_rows, self.n_rows)
        for batch in self._source.batches(self.n_rows, ahead, coded=True):
            said = pace.said()
            trace.progressed(
                f"packing at {said}" if said else "packing", self.n_rows + self._filled
            )
            self._take(batch)
            pace.add(batch.num_rows)
        if self._filled:
            self._cut()

    def _take(self, batch: Any) -> None:
        """Write the cells of a batch, into this part and perhaps the next."""
        start = 0
        while start < batch.num_rows:
            if self._filled == 0:
                self._begin_part(batch)
            n = min(batch.num_rows - start, self._part_rows - self._filled)
            rows = batch.slice(start, n)
            for name, own in self.seen.items():
                own.put(rows.column(name), self._filled)
            self._filled += n
            start += n
            if self._filled == self._part_rows:
                self._cut()

    def _begin_part(self, batch: Any) -> None:
        if self._part_rows == 0:
            self._part_rows = self._rows_of_part(batch)
        for own in self.seen.values():
            own.begin(self._part_rows)

    def _rows_of_part(self, batch: Any) -> int:
        """Return how many rows a part has: two of them, and what is read ahead, must fit."""
        trial = {name: _trial(own) for name, own in self.seen.items()}
        n_bytes = 0
        for name, own in trial.items():
            own.begin(batch.num_rows)
            own.put(batch.column(name), 0)
            n_bytes += 4 if own.has_ids else 8
        rows = MOST_ROWS
        while rows > _FEWEST_ROWS and 4 * rows * n_bytes > self._budget // 2:
            rows //= 2
        return rows

    def _cut(self) -> None:
        """Hand the rows at hand over to be written, as soon as the part before is."""
        n_rows, self._filled = self._filled, 0
        cells = {name: own.cut(n_rows) for name, own in self.seen.items()}
        self._wait()
        plan = self._current_plan()
        number = self.n_parts
        self.n_rows += n_rows
        self.n_parts += 1
        # What was seen must not be ahead of the parts: it is written when this one is.
        state = monotonic() - self._saved_at > _PAUSE
        self._pending = self._writer.submit(write_part, self._folder, number, plan, cells, n_rows)
        if state:
            self._wait()
            self._save_state()

    def _wait(self) -> None:
        """Wait for the part that is being written."""
        pending, self._pending = self._pending, None
        if pending is not None:
            pending.result()

    def _current_plan(self) -> Plan:
        known = [own.knowledge for own in self.seen.values()]
        if self._plan is None or known != self._known:
            try:
                self._plan = self._make_plan()
            except TooManyCategoriesError:  # which more rows may put right
                self._plan = Plan((), {}, (), {})
            self._known = known
        return self._plan

    def _make_plan(self) -> Plan:
        return made_plan(
            self.seen, self._source.guesses, self._options, self._given, self._excluded
        )

    def _write_again(self, plan: Plan, trace: Trace) -> None:
        """Write the parts again that are not as the plan wants them."""
        notes = {number: read_note(self._folder, number) for number in range(self.n_parts)}
        stale = [n for n, note in notes.items() if not is_current(note, plan, self.seen)]
        if stale:
            self._save_state()  # so that whoever stops this need not read anything again
        for number in stale:
            trace.progressed("writing parts again", number)
            cells = recovered(self._folder, number, notes[number], self.seen)
            write_part(self._folder, number, plan, cells, int(notes[number]["rows"]))


def _kind_of_column(kind: Any, *, is_text: bool) -> type[SeenColumn]:
    """Say what takes up a column of one of Arrow's types."""
    from pyarrow import types

    are_entries = is_text or types.is_dictionary(kind) or types.is_null(kind)
    return SeenEntries if are_entries else SeenNumbers


def _trial(own: SeenColumn) -> SeenColumn:
    """Return a column like another of which nothing has been seen."""
    import copy

    return copy.deepcopy(own)
