"""Searches by name, run again and again on resampled rows: what stability and confidence share."""

from __future__ import annotations

import inspect
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from eiderdown.api.boundary import find_boundary, find_parents_children
from eiderdown.api.network import learn_network, learn_region
from eiderdown.boundary import BOUNDARY_ALGORITHMS, PARENTS_CHILDREN_ALGORITHMS
from eiderdown.confidence import Resampled, Resampling, learn_resampled
from eiderdown.confidence.found_models import ModelLearner
from eiderdown.data import Dataset
from eiderdown.errors import OptionError, listed
from eiderdown.graphs import Skeleton
from eiderdown.graphs.named_graph import NamedGraph
from eiderdown.progress import Cancelled, watched
from eiderdown.randomness import as_seed
from eiderdown.registry import Entry
from eiderdown.results import LearnedGraph, LocalResult, Run, withheld_warnings
from eiderdown.structure.registry import NETWORK_ALGORITHMS, REGION_ALGORITHMS

_Learned = TypeVar("_Learned")
_Learner = TypeVar("_Learner", bound=ModelLearner)

_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    NETWORK_ALGORITHMS: learn_network,
    REGION_ALGORITHMS: learn_region,
    PARENTS_CHILDREN_ALGORITHMS: find_parents_children,
    BOUNDARY_ALGORITHMS: find_boundary,
}
_OF_GRAPHS = (NETWORK_ALGORITHMS, REGION_ALGORITHMS, PARENTS_CHILDREN_ALGORITHMS)
_SET_BY_US = ("data", "algorithm", "target", "random_state", "n_jobs", "progress")


@dataclass(frozen=True, eq=False)
class NamedLearner:
    """A registered search with its options.

    Attributes
    ----------
    algorithm : str or Entry
        The search, by its name or configured.
    function : callable
        The function of the library that it belongs to.
    options : mapping
        What the function is told besides the table and the seed.
    runs : list of Run
        How each call went.
    heard : list of str
        What the searches warned of.
    """

    algorithm: str | Entry[..., Any]
    function: Callable[..., Any]
    options: Mapping[str, Any]
    runs: list[Run] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """What the search is called."""
        return self.algorithm.name if isinstance(self.algorithm, Entry) else self.algorithm

    def __call__(self, data: Dataset, seed: int) -> NamedGraph:
        """Learn a graph, as :meth:`result` does; a pattern, where it is directed."""
        result = self.result(data, seed)
        if isinstance(result, LocalResult):
            edges = [(result.target, member) for member in result.members]
            return Skeleton((result.target, *result.members), edges)
        return result.cpdag

    def result(self, data: Dataset, seed: int) -> LearnedGraph | LocalResult:
        """Search in one thread and without a word.

        Raises
        ------
        Cancelled
            When the search was cancelled, for what it found is not the whole.
        """
        seeded = {"random_state": seed} if "random_state" in _takes(self.function) else {}
        with withheld_warnings():
            result: LearnedGraph | LocalResult = self.function(
                data,
                algorithm=self.algorithm,
                n_jobs=1,
                progress=False,
                **seeded,
                **self.options,
            )
        if not result.complete:
            raise Cancelled
        self.runs.append(result.run)
        self.heard.extend(result.warnings)
        return result


def named_learner(
    algorithm: str | Entry[..., Any],
    *,
    target: str | None,
    options: Mapping[str, Any],
    boundaries: bool = False,
) -> NamedLearner:
    """Find a search by its name, and check what it is told.

    Parameters
    ----------
    algorithm : str
        A search for networks, for regions, or for parents and children.
    target : str or None
        Around which column; None for networks.
    options : mapping
        Options of :func:`learn_network`, :func:`learn_region` or :func:`find_parents_children`.
    boundaries : bool
        Whether searches for Markov boundaries will do, too, with options of :func:`find_boundary`.
    """
    search = registered(algorithm, boundaries=boundaries)
    given = dict(options)
    if isinstance(search, Entry):
        algorithm = search.with_params(given.pop("params", None) or {})
    function = next(f for registry, f in _FUNCTIONS.items() if search.name in registry.names)
    legal = [name for name in _takes(function) if name not in _SET_BY_US]
    for name in given:
        if name not in legal:
            raise OptionError(f"{search.name!r} has no option {name!r}; it has {listed(legal)}.")
    if "target" not in _takes(function):
        if target is not None:
            raise OptionError(
                f"{search.name!r} learns the whole network; leave out target, or choose a search "
                f"for regions or for parents and children: {listed(_around_a_target())}."
            )
        return NamedLearner(algorithm, function, given)
    if target is None:
        raise OptionError(f"{search.name!r} searches around a column; name it as target.")
    return NamedLearner(algorithm, function, {"target": target, **given})


def registered(algorithm: str | Entry[..., Any], *, boundaries: bool = False) -> Any:
    """Return a search for networks, regions or neighbours (or boundaries) by its name."""
    name = algorithm.name if isinstance(algorithm, Entry) else algorithm
    registries = [registry for registry in _FUNCTIONS if boundaries or registry in _OF_GRAPHS]
    for registry in registries:
        if name in registry.names:
            return registry[algorithm]
    names = [name for registry in registries for name in registry.names]
    what = "graphs or boundaries" if boundaries else "graphs"
    raise OptionError(f"There is no search {name!r} for {what}; choose from {listed(names)}.")


def _around_a_target() -> list[str]:
    return [*REGION_ALGORITHMS.names, *PARENTS_CHILDREN_ALGORITHMS.names]


def _takes(function: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)


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
    random_state, n_jobs, progress, time_limit
        As in :func:`eiderdown.measure_stability`.
    """

    data: Dataset
    learner: ModelLearner
    number: int
    resampling: Resampling
    random_state: int | None
    n_jobs: int | None
    progress: bool
    time_limit: float | None = None

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
        with watched(
            what, progress=self.progress, counted="graphs", time_limit=self.time_limit
        ) as shown:
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
