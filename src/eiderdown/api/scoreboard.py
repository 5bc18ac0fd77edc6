"""What selectors have done so far, split by split, and what was said meanwhile."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from eiderdown.api.contest import Contest, Round, Split
from eiderdown.api.selection_task import ColumnSelector
from eiderdown.api.time_limit import TimeIsUp, within
from eiderdown.errors import EiderdownError
from eiderdown.old_registry import Algorithm
from eiderdown.progress import Trace
from eiderdown.results import ComparedSelector, Trial

EVERYONE = "everyone"
"""Who gives warnings that are about the rows and not about a selector."""


class Scoreboard:
    """Selectors, their trials and their problems.

    Parameters
    ----------
    selectors : list of Algorithm
        Who takes part.
    n_splits : int
        How many splits there are.
    max_seconds : float or None
        How long one selection may take.
    """

    def __init__(
        self,
        selectors: list[Algorithm[ColumnSelector]],
        n_splits: int,
        max_seconds: float | None,
    ) -> None:
        self._selectors = selectors
        self._n_splits, self._max_seconds = n_splits, max_seconds
        self._trials: dict[str, list[Trial]] = {selector.name: [] for selector in selectors}
        self._problems: dict[str, str] = {}
        self.notes = Notes()

    @property
    def n_wanted(self) -> int:
        """How many selections there are to make."""
        return len(self._selectors) * self._n_splits

    @property
    def n_done(self) -> int:
        """How many selections are made."""
        return sum(map(len, self._trials.values()))

    def play(self, contest: Contest, splits: Sequence[Split], shown: Trace) -> bool:
        """Let every selector select on every split; return False if interrupted."""
        try:
            for number, split in enumerate(splits, start=1):
                shown.progressed(f"choosing a machine for split {number}", self.n_done)
                with self.notes.by(EVERYONE):
                    current = contest.round(split)
                for selector in self._selectors:
                    shown.progressed(f"{selector.name} on split {number}", self.n_done)
                    if selector.name not in self._problems:
                        self._try(selector, current, number)
        except KeyboardInterrupt:
            return False
        return True

    def _try(self, selector: Algorithm[ColumnSelector], current: Round, number: int) -> None:
        where = f"split {number} of {self._n_splits}"
        try:
            with self.notes.by(selector.name):
                started = time.perf_counter()
                columns = within(self._max_seconds, lambda: selector.function(current.task))
                seconds = time.perf_counter() - started
                self._trials[selector.name].append(current.judged(columns, seconds))
        except TimeIsUp:
            limit = f"{self._max_seconds:g} seconds"
            self._problems[selector.name] = f"given up on {where}: it took more than {limit}."
        except EiderdownError as problem:
            self._problems[selector.name] = f"failed on {where}: {problem}"
        except Exception as problem:
            # One broken library must not take the others' results with it.
            self._problems[selector.name] = f"failed on {where}: {_in_words(problem)}"

    def rows(self) -> tuple[ComparedSelector, ...]:
        """Return a row for each selector, in the order in which they were named."""
        return tuple(
            ComparedSelector(
                selector.name,
                selector.summary,
                tuple(self._trials[selector.name]),
                self._problem(selector.name),
            )
            for selector in self._selectors
        )

    def _problem(self, name: str) -> str | None:
        n_done = len(self._trials[name])
        if name not in self._problems and n_done < self._n_splits:
            return f"interrupted after {n_done} of {self._n_splits} splits."
        return self._problems.get(name)


class Notes:
    """Warnings of all selections, each sort once, with those who gave it."""

    def __init__(self) -> None:
        self._sentences: dict[str, tuple[str, list[str]]] = {}

    @contextmanager
    def by(self, name: str) -> Iterator[None]:
        """Listen to a selector."""
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            yield
        for warning in heard:
            sentence = " ".join(str(warning.message).split())
            # On another split a sentence differs in its numbers and in the columns it names.
            sort = re.sub(r"'[^']*'|\d+", "", sentence)
            _, names = self._sentences.setdefault(sort, (sentence, []))
            if name not in names:
                names.append(name)

    def told(self) -> list[str]:
        """Return the sentences, each with the names of the selectors."""
        return [
            sentence if EVERYONE in names else f"{', '.join(names)}: {sentence}"
            for sentence, names in self._sentences.values()
        ]


def _in_words(problem: Exception) -> str:
    first_line = str(problem).strip().partition("\n")[0]
    return f"{type(problem).__name__}: {first_line}"
