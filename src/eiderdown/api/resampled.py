"""Learning again and again from resampled rows: what stability and confidence share."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from eiderdown.api.named_learners import NamedLearner, named_learner
from eiderdown.confidence import Resampled, Resampling, learn_resampled
from eiderdown.confidence.found_models import ModelLearner
from eiderdown.data import Dataset
from eiderdown.errors import OptionError, listed
from eiderdown.progress import watched
from eiderdown.randomness import as_seed
from eiderdown.registry import Entry
from eiderdown.results import Run

_Learned = TypeVar("_Learned")
_Learner = TypeVar("_Learner", bound=ModelLearner)


@dataclass(frozen=True, eq=False)
class Resamples:
    """Many resamples of one table, and who learns from them.

    Attributes
    ----------
    data : Dataset
        The table.
    learner : callable
        A search by name, or a function of the user's own.
    number : int
        How many resamples.
    resampling : Resampling
        How rows are drawn.
    random_state, n_jobs, progress
        As in :func:`eiderdown.measure_stability`.
    """

    data: Dataset
    learner: ModelLearner
    number: int
    resampling: Resampling
    random_state: int | None
    n_jobs: int | None
    progress: bool

    @property
    def name(self) -> str:
        """What the learner is called."""
        if isinstance(self.learner, NamedLearner):
            return self.learner.name
        return str(getattr(self.learner, "__name__", "function"))

    def gathered(
        self,
        learn: Callable[[Dataset, int], _Learned],
        gather: Callable[[_Learned], None],
    ) -> tuple[Run, tuple[str, ...], bool]:
        """Learn from each resample; return the record, the warnings, and whether all are done.

        Parameters
        ----------
        learn : callable
            Has the learner learn from a table and a seed.
        gather : callable
            Is given what was learned, in the order of the resamples.
        """
        started, seed = time.perf_counter(), as_seed(self.random_state)
        what = f"{self.name} on resampled rows"
        with watched(what, progress=self.progress, counted="graphs") as shown:
            went = learn_resampled(
                learn,
                self.data,
                gather=gather,
                n_resamples=self.number,
                resampling=self.resampling,
                seed=seed,
                n_jobs=self.n_jobs,
                trace=shown,
            )
        went.require_some()
        run = self._record(seed, time.perf_counter() - started)
        return run, tuple(self._doubts(went)), went.complete

    def _record(self, seed: int, seconds: float) -> Run:
        """Write down how all resamples went, with their tests in sum."""
        runs = self.learner.runs if isinstance(self.learner, NamedLearner) else []
        said = {
            "resamples": self.number,
            "method": self.resampling.method,
            "share": self.resampling.drawn,
        }
        return Run.of(
            self.name,
            self.data,
            {**(runs[0].options if runs else {}), **said},
            counts=runs,
            seconds=seconds,
            random_state=seed,
        )

    def _doubts(self, went: Resampled) -> Iterator[str]:
        """Say what is true of the table, as most searches found, and what befell some of them."""
        heard: Sequence[str] = ()
        if isinstance(self.learner, NamedLearner):
            heard = self.learner.heard
        for sentence, n_times in sorted(Counter(heard).items()):
            if 2 * n_times > went.n_tried:
                yield sentence
        if went.failures:
            first = went.failures[min(went.failures)]
            yield (
                f"{len(went.failures)} of {went.n_tried} resamples gave no graph; the first: "
                f"{first}"
            )
        if not went.complete:
            yield f"Interrupted: {went.n_tried} of {self.number} resamples are done."


def chosen_learner(
    algorithm: str | Entry[..., Any] | _Learner,
    *,
    target: str | None,
    options: Mapping[str, Any],
    boundaries: bool = False,
) -> NamedLearner | _Learner:
    """Find a search by its name, or take a function as it is.

    Parameters
    ----------
    algorithm : str or callable
        Name of a search, or a function of a table and a seed.
    target : str or None
        Around which column a search by name goes.
    options : mapping
        What a search by name is told.
    boundaries : bool
        Whether searches for Markov boundaries will do, too.
    """
    if isinstance(algorithm, str | Entry):
        return named_learner(algorithm, target=target, options=options, boundaries=boundaries)
    given = [*options, *([] if target is None else ["target"])]
    if given:
        raise OptionError(
            f"A function of your own is told a table and a seed only; {listed(given)} must go into "
            "the function."
        )
    return algorithm
