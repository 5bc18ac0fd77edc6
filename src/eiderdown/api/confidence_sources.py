"""Where the models of a feature analysis come from, other than KES on the whole table."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from eiderdown.api.multiplicity import find_boundaries
from eiderdown.api.resampled import NamedLearner, Resamples, chosen_learner
from eiderdown.boundary import BOUNDARY_ALGORITHMS
from eiderdown.confidence import ModelCollection, Resampling, found_model, summarised
from eiderdown.confidence.doubts import doubts
from eiderdown.confidence.found_models import ModelLearner, columns_in
from eiderdown.confidence.summary import check_weighting
from eiderdown.data import Dataset
from eiderdown.data.prepare import Prepared, prepare_network
from eiderdown.errors import OptionError, listed
from eiderdown.progress import abandon
from eiderdown.registry import Algorithm, Entry
from eiderdown.results import FeatureConfidence, FoundModel, Run, Weighting, withheld_warnings
from eiderdown.structure.registry import NETWORK_ALGORITHMS

N_RUNS = 100
"""How many runs there are if nobody says; each costs more than one of KES."""

_SET_BY_US = (
    *("data", "target", "algorithm", "runs", "cv", "test_data"),
    *("random_state", "n_jobs", "progress"),
)


@dataclass(frozen=True, eq=False)
class Question:
    """What all sources are asked.

    Attributes
    ----------
    data : Dataset
        The table.
    target, runs, weighting, random_state, n_jobs, progress
        As in :func:`eiderdown.measure_confidence`.
    exclude : collection of str
        Columns that take no part.
    """

    data: Dataset
    target: str | None
    runs: int | None
    weighting: Weighting | None
    exclude: Collection[str]
    random_state: int | None
    n_jobs: int | None
    progress: bool

    def __post_init__(self) -> None:
        check_weighting(self.chosen_weighting)
        self._prepared  # noqa: B018  refuses targets that cannot be in a model

    @property
    def n_runs(self) -> int:
        """How many runs are wanted."""
        return N_RUNS if self.runs is None else self.runs

    @property
    def chosen_weighting(self) -> Weighting:
        """What each model counts."""
        return "runs" if self.weighting is None else self.weighting

    @property
    def nodes(self) -> tuple[str, ...]:
        """The columns that take part."""
        return self._prepared.data.names

    @cached_property
    def _prepared(self) -> Prepared:
        return prepare_network(self.data, target=self.target, exclude=self.exclude, mixed=True)

    def answer(
        self,
        source: str,
        models: tuple[FoundModel, ...],
        *,
        nodes: tuple[str, ...],
        run: Run,
        said: tuple[str, ...],
        doubted: tuple[str, ...],
        complete: bool,
    ) -> FeatureConfidence:
        """Say which features the models share."""
        return FeatureConfidence(
            nodes=nodes,
            features=summarised(models, nodes, weighting=self.chosen_weighting),
            models=models,
            source=source,
            weighting=self.chosen_weighting,
            n_runs=sum(model.n_runs for model in models),
            target=self.target,
            run=run,
            warnings=(*said, *doubted),
            complete=complete,
        )


def from_resamples(
    question: Question,
    *,
    algorithm: str | ModelLearner | None,
    resampling: Resampling,
    options: Mapping[str, Any],
) -> FeatureConfidence:
    """Learn a model from each of many resamples.

    Parameters
    ----------
    question : Question
        What is asked.
    algorithm : str, callable or None
        A search by name, or a function of a table and a seed; None for MMHC.
    resampling : Resampling
        How rows are drawn.
    options : mapping
        What a search by name is told.
    """
    _refuse_scores(question, "resamples", "are scores of different rows")
    chosen = "mmhc_restarts" if algorithm is None else algorithm
    # Of whole networks, and of functions, only the report is about the target.
    is_around = (
        isinstance(chosen, str | Entry)
        and getattr(chosen, "name", chosen) not in NETWORK_ALGORITHMS.names
    )
    target = question.target if is_around else None
    learner = chosen_learner(chosen, target=target, options=options, boundaries=True)
    resamples = Resamples(
        question.data,
        learner,
        question.n_runs,
        resampling,
        question.random_state,
        question.n_jobs,
        question.progress,
    )
    learn = learner.result if isinstance(learner, NamedLearner) else learner
    collection, strangers = ModelCollection(), dict[str, None]()
    known = frozenset(question.nodes)

    def gather(learned: Any) -> None:
        collection.add(replace(found_model(learned), score=None))
        strangers.update(dict.fromkeys(n for n in columns_in(learned) if n not in known))

    run, said, complete = resamples.gathered(learn, gather)
    models = collection.ranked()
    return question.answer(
        "resamples",
        models,
        nodes=(*question.nodes, *strangers),
        run=run,
        said=said,
        doubted=tuple(doubts(models, weighting=question.chosen_weighting, same_rows=False)),
        complete=complete,
    )


def from_boundaries(
    question: Question, *, algorithm: str | ModelLearner | None, options: Mapping[str, Any]
) -> FeatureConfidence:
    """Search for the boundary of one column again and again, with random choices.

    Parameters
    ----------
    question : Question
        What is asked.
    algorithm : str or None
        A search with random choices; None for KIAMB.
    options : mapping
        Options of :func:`eiderdown.find_boundaries`.
    """
    if question.target is None:
        raise OptionError("source='boundaries' is about one column; name it as target.")
    chosen = "kiamb" if algorithm is None else algorithm
    if not isinstance(chosen, str | Algorithm):
        raise OptionError("source='boundaries' takes a search by name, such as 'kiamb'.")
    _refuse_scores(question, "boundaries", "have no score")
    own = dict(options)
    search = BOUNDARY_ALGORITHMS[chosen].with_params(own.pop("params", None) or {})
    _check_options("boundaries", find_boundaries, own)
    with withheld_warnings():
        found = find_boundaries(
            question.data,
            target=question.target,
            algorithm=search,
            runs=question.n_runs,
            cv=None,
            random_state=question.random_state,
            n_jobs=question.n_jobs,
            progress=question.progress,
            **own,
        )
    if not found.alternatives:
        abandon()
    models = ModelCollection(map(found_model, found)).ranked()
    more = "a smaller fraction or more runs"
    return question.answer(
        "boundaries",
        models,
        nodes=question.nodes,
        run=found.run,
        said=found.warnings,
        doubted=tuple(
            doubts(models, weighting=question.chosen_weighting, same_rows=True, more=more)
        ),
        complete=found.complete,
    )


def _refuse_scores(question: Question, source: str, reason: str) -> None:
    if question.chosen_weighting == "score":
        raise OptionError(
            f"weighting='score' is not for source={source!r}, whose models {reason}; choose 'runs' "
            "or 'distinct'."
        )


def _check_options(source: str, function: Callable[..., Any], options: Mapping[str, Any]) -> None:
    legal = [name for name in inspect.signature(function).parameters if name not in _SET_BY_US]
    for name in options:
        if name not in legal:
            raise OptionError(f"source={source!r} has no option {name!r}; it has {listed(legal)}.")
