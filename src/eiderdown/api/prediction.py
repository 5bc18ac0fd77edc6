"""A predictor that knows which columns it may use when others are set from outside.

Steps of Brown (2009), chapter V:

1. find the Markov boundary, and compare it with other sets of columns (:mod:`column_sets`)
2. when columns are set from outside: causes and effects around the target (``find_causes``)
3. the blanket under manipulation (:mod:`eiderdown.manipulation.blanket`)
4. a model of exactly these columns (:mod:`models`), kept for the next time

Step 2 is done when it is first needed: many tables are never manipulated.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from eiderdown.api.boundary import LocalSearch
from eiderdown.api.causes import DirectionOptions, find_causes
from eiderdown.api.column_sets import (
    SETS,
    PredictionTask,
    SetName,
    compared,
    product_name,
)
from eiderdown.api.hedging import cause_probabilities, cause_sets
from eiderdown.api.models import fit_model
from eiderdown.arrays import FloatArray
from eiderdown.boundary import Search
from eiderdown.data import Dataset
from eiderdown.data.blocks import Category
from eiderdown.data.missing import require_complete
from eiderdown.errors import InputError, OptionError, UnknownColumnError, listed
from eiderdown.manipulation.blanket import Caution, blanket_under, refuse_target
from eiderdown.option_types import fit, shown
from eiderdown.options import Option, options_of
from eiderdown.progress import abandon
from eiderdown.results import (
    Blanket,
    ComparedColumns,
    MarkovBoundary,
    Orientation,
    UsedColumns,
    withheld_warnings,
)
from eiderdown.results.causes import Manipulated
from eiderdown.svm.standard_coding import Features, StandardCoding

Task = Literal["auto", "classification", "regression"]
Plan: TypeAlias = tuple[tuple[float, Features], ...]
"""Features of models whose predictions are averaged, with their weights."""


_OF_CAUSES = (*options_of(DirectionOptions), "test", "max_given")
"""Options of the search for causes."""

MOST_ALPHA, CHANCE_MEMBERS = 0.1, 5
"""The tests for the boundary are lenient, as long as chance lets only so many columns in: in
samples of Alarm, Child and Insurance (500 and 5,000 rows, seed 200) a needless column cost less
than a missing one."""


class PredictionOptions(LocalSearch, DirectionOptions, total=False):
    """How a predictor is made."""

    algorithm: Annotated[
        str | Search,
        Option(
            "search for the boundary: a name, 'auto', or a configured entry such as "
            "PCMB(max_given=2)",
            default="iamb",
            command_help="search for the boundary; 'eiderdown algorithms predict' lists them",
        ),
    ]
    alpha: Annotated[  # type: ignore[misc]  # wider than the searches' own
        float | None,
        Option(
            "significance level of the tests; None for that of find_causes for causes and, for "
            "the boundary, 5 divided by the number of columns, but at most 0.1",
            default=None,
            inside=(0, 1),
        ),
    ]

    task: Annotated[
        Task, Option("whether the target is a class or a number; 'auto' goes by it", default="auto")
    ]
    estimator: Annotated[
        Any,
        Option(
            "what predicts, any classifier or regressor of scikit-learn; None for a support vector "
            "machine with the best of 54 kernels and Cs",
            default=None,
            flag="",
        ),
    ]
    candidates: Annotated[
        Collection[SetName],
        Option(
            "sets of columns to compare for rows that nobody touched",
            default=SETS,
            metavar="NAME,...",
        ),
    ]
    caution: Annotated[
        Caution,
        Option(
            "what to do with columns that may be causes or effects: keep them if they may be "
            "needed, if they are as likely needed as not, or only if they very likely are",
            default="cautious",
        ),
    ]
    network_score: Annotated[
        Any,
        Option("score of graphs by which edges are directed; see find_causes", default="auto"),
    ]
    cv: Annotated[int, Option("folds that models are chosen with", default=5, between=(2, 1_000))]
    scoring: Annotated[
        str | Callable[..., Any] | None,
        Option(
            "how sets of columns are compared: a scorer of scikit-learn; None for AUC (the mean "
            "over classes) or R2",
            default=None,
            flag="",
        ),
    ]


@dataclass(eq=False)
class Predictor:
    """What was learned from a table in order to predict one of its columns."""

    task: PredictionTask
    boundary: MarkovBoundary
    compared: tuple[ComparedColumns, ...]
    chosen: Features
    coding: StandardCoding
    classes: tuple[Category, ...]
    models: dict[Features, Any] = field(default_factory=dict)

    @classmethod
    def fitted(cls, data: Dataset, target: str, options: Mapping[str, Any]) -> Predictor:
        """Search the boundary, compare sets of columns, and train the model for untouched rows."""
        require_complete(data, "Learning to predict")
        task, classes = _task(data, target, options)
        records, chosen = compared(task)
        coding = StandardCoding.learned(task.data, task.names)
        predictor = cls(task, task.boundary, records, chosen, coding, classes)
        predictor.model(chosen)
        return predictor

    @cached_property
    def orientation(self) -> Orientation:
        """Causes and effects around the target; searched when first needed."""
        own = self.task.options
        passed = {name: own[name] for name in (*_OF_CAUSES, "random_state", "n_jobs")}
        if own["alpha"] is not None:
            passed["alpha"] = own["alpha"]
        with withheld_warnings():
            found = find_causes(
                self.task.data,
                self.task.target,
                score=own["network_score"],
                progress=False,
                **passed,
            )
        if not found.complete:
            abandon()
        return found

    @property
    def is_oriented(self) -> bool:
        """Whether causes and effects were searched."""
        return "orientation" in vars(self)

    def checked(self, manipulated: Iterable[Any] | str | None) -> Manipulated:
        """Refuse names that the table does not have, and the target."""
        if manipulated is None or (isinstance(manipulated, str) and manipulated == "unknown"):
            return manipulated  # type: ignore[return-value]
        fits, given = fit(
            Collection[Any], [manipulated] if isinstance(manipulated, str) else manipulated
        )
        if not fits:
            raise OptionError(
                "manipulated must be names of columns, 'unknown' or None, not "
                f"{shown(manipulated)}."
            )
        names = tuple(dict.fromkeys(str(name) for name in given))
        refuse_target(self.task.target, names)
        unknown = [name for name in names if name not in self.task.data.names]
        if unknown:
            raise UnknownColumnError(
                f"manipulated names {listed(unknown)}, but the table has no such column; it has "
                f"{listed(self.task.names)}."
            )
        return tuple(sorted(names))

    def used(self, manipulated: Iterable[Any] | str | None = None) -> UsedColumns:
        """Say which columns are used, and why."""
        names = self.checked(manipulated)
        blanket, plan = self._blanket(names), self.plan(names)
        columns = sorted({name for _, features in plan for name in features.columns})
        reasons = dict(blanket.reasons)
        for name in sorted({*self.chosen.columns, *self.boundary.members} - set(reasons)):
            reasons[name] = _reason(name, names, used=name in columns)
        weights = {
            name: sum(weight for weight, features in plan if name in features.columns)
            for name in columns
        }
        if len(plan) > 1:
            reasons |= {
                name: f"kept with weight {weights[name]:.0%}, as likely as it is a cause"
                for name in columns
            }
        return UsedColumns(
            self.task.target,
            names,
            tuple(columns),
            tuple(dict.fromkeys(product_name(p) for _, f in plan for p, _ in f.products)),
            {name: reasons[name] for name in sorted(reasons)},
            blanket.holds,
            blanket.offence,
            weights,
            self.compared,
            self.task.measure,
        )

    def model(self, features: Features) -> Any:
        """Train a model of some features, or return the one that was trained."""
        if features not in self.models:
            X = self.coding.matrix(self.task.data, features)
            self.models[features] = fit_model(self.task, X)
        return self.models[features]

    def plan(self, manipulated: Iterable[Any] | str | None = None) -> Plan:
        """Return the features that are used; several sets if their predictions are averaged."""
        names = self.checked(manipulated)
        if names == "unknown" and self.task.options["caution"] == "cautious":
            likely = cause_probabilities(self.orientation, self.boundary.members)
            return tuple((weight, self._of(columns)) for weight, columns in cause_sets(likely))
        return ((1.0, self._features(names, self._blanket(names))),)

    def probabilities(self, rows: Dataset, plan: Plan) -> FloatArray:
        """Return the probability of each class."""
        found: FloatArray = sum(
            weight * self.model(features).predict_proba(self.coding.matrix(rows, features))
            for weight, features in plan
        )
        return found

    def values(self, rows: Dataset, plan: Plan) -> Any:
        """Return numbers."""
        return sum(
            weight * self.model(features).predict(self.coding.matrix(rows, features))
            for weight, features in plan
        )

    def _blanket(self, names: Manipulated) -> Blanket:
        """Choose the columns by causes and effects, where anything that matters is set."""
        concerned = {*self.chosen.columns, *self.boundary.members}
        if names is None or (names != "unknown" and not concerned & set(names)):
            return Blanket(self.task.target, names, tuple(self.chosen.columns), {})
        return blanket_under(self.orientation, names, caution=self.task.options["caution"])

    def _features(self, names: Manipulated, blanket: Blanket) -> Features:
        """Take the blanket, and what else was chosen unless what is set may reach it."""
        if names is None or (names != "unknown" and not blanket.reasons):
            return self.chosen
        allowed = set(blanket.columns)
        if names != "unknown":
            others = {*self.chosen.columns, *self.boundary.members} - set(blanket.reasons)
            allowed |= others - set(names) - self._below(names)
        return self._of(allowed)

    def _of(self, columns: Collection[str]) -> Features:
        """Return some columns, with the products of which all factors are among them."""
        return Features(tuple(sorted(columns)), self.chosen.among(columns).products)

    def _below(self, names: Collection[str]) -> frozenset[str]:
        """Return what may be a descendant of columns that are set."""
        graph = self.orientation.graph
        found: set[str] = set()
        ahead = [name for name in names if name in graph.nodes]
        while ahead:
            here = ahead.pop()
            new = graph.adjacent(here) - graph.parents(here) - found - {self.task.target}
            found |= new
            ahead += new
        return frozenset(found)


def _reason(name: str, names: Manipulated, *, used: bool) -> str:
    """Say why a column that has no edge to the target is used or not."""
    if names is None:
        return "kept: nobody sets anything" if used else "left out: it adds nothing"
    if used:
        return "kept: it helps to predict, and nothing that is set may reach it"
    if names == "unknown":
        return "left out: it is no cause that is known, and may be set from outside"
    return (
        "left out: it is set from outside"
        if name in names
        else "left out: what is set from outside may reach it"
    )


def _require_sklearn(estimator: Any, scoring: Any) -> None:
    """Refuse what scikit-learn would not take, before anything is searched."""
    is_made = hasattr(estimator, "get_params") and not isinstance(estimator, type)
    if estimator is not None and not (is_made and hasattr(estimator, "fit")):
        raise OptionError(
            f"estimator must be a classifier or regressor of scikit-learn, not {shown(estimator)}."
        )
    if isinstance(scoring, str):
        from sklearn.metrics import get_scorer_names

        if scoring not in get_scorer_names():
            raise OptionError(
                f"There is no scoring {shown(scoring)}; sklearn.metrics.get_scorer_names() lists "
                "those that there are."
            )


def _task(
    data: Dataset, target: str, options: Mapping[str, Any]
) -> tuple[PredictionTask, tuple[Category, ...]]:
    """Read the target as codes of classes, or as numbers."""
    index = data.index(target)
    _require_sklearn(options["estimator"], options["scoring"])
    if data.n_columns < 2:
        raise InputError(f"The table has no column beside {target!r} to predict it from.")
    search = {
        n: options[n] for n in (*options_of(LocalSearch), "algorithm", "random_state", "n_jobs")
    }
    if options["alpha"] is None:
        search["alpha"] = min(MOST_ALPHA, CHANCE_MEMBERS / (data.n_columns - 1))
    discrete = bool(data.is_discrete[index])
    if options["task"] == "regression" and discrete:
        raise OptionError(
            f"Target {target!r} holds categories, so it cannot be predicted as a number; use "
            "task='classification', or give it as numbers."
        )
    if not discrete:
        return PredictionTask(data, target, data.values(index), True, options, search), ()
    seen, codes = np.unique(data.codes(index), return_inverse=True)
    if len(seen) < 2:
        raise InputError(
            f"All rows have the same class of {target!r}, so there is nothing to predict; give "
            "rows of two classes or more."
        )
    categories = data.categories(index)
    classes = tuple(categories[code] for code in seen)
    return PredictionTask(data, target, codes.astype(np.int64), False, options, search), classes
