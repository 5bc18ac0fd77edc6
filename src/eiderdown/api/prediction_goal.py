"""``goal="prediction"``: from the boundary to the smallest set that predicts as well as any.

A minimal boundary is not the best set to predict from where rows are few and columns say nearly the
same. So nested sets are made (:mod:`eiderdown.api.nested_columns`): the boundary, its union with
one more layer, and so on, then the strongest other columns, and at last all of them. Everything is
searched again in each fold, on rows that the models are not tested on. The smallest set is taken
that is within one standard error of the best, and the error is that of the *paired* differences:
folds that are hard are hard for all sets, which the plain standard error takes for noise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from eiderdown.api.column_models import GAUSSIAN, MODELS, ColumnNumbers, Judge
from eiderdown.api.local import ConfiguredSearch, prepared_for, test_of
from eiderdown.api.nested_columns import NestedColumns, Peeling
from eiderdown.api.paired_choice import (
    N_FOLDS,
    Scores,
    best_models,
    chosen_set,
    fallback,
    interval,
)
from eiderdown.api.set_plan import SetPlan
from eiderdown.arrays import FloatArray, IntArray
from eiderdown.boundary import BOUNDARY_ALGORITHMS, Search
from eiderdown.data import Dataset
from eiderdown.data.prepare import Prepared
from eiderdown.data.rows import require_plain_rows
from eiderdown.errors import ConstantColumnError, InputError, TooFewRowsError
from eiderdown.progress import Cancelled, Trace, stop_if_cancelled
from eiderdown.results import JudgedColumns, MarkovBoundary, PredictiveColumns
from eiderdown.svm.cross_validation import Split, make_folds, n_rarest

N_LAYERS = 3
"""How often the boundary is taken away and searched again, the first included."""

FEW_ROWS = 300
"""With so few rows or fewer, folds are made twice."""

MOST_ROWS = 2_000
"""Models are trained on so many rows at most, and tested on as many."""

LARGE = 20_000_000
"""In a table of more cells there are three folds, and nothing is checked unless it is the goal."""

QUICK = "iamb"
"""Searches in folds and in layers, where the algorithm is one that asks several others."""

_NEAR = 0.005
_SEVERAL = ("auto", "consensus")
_NOTHING_TO_FIND = (TooFewRowsError, ConstantColumnError, InputError)


def with_prediction(
    boundary: MarkovBoundary, table: Dataset, options: Mapping[str, Any], shown: Trace
) -> MarkovBoundary:
    """Return a boundary that says how well it predicts; with the goal, with the chosen set."""
    choosing = options["goal"] == "prediction"
    require_plain_rows(table, "goal='prediction'" if choosing else "check_prediction=True")
    task = PredictionTask.of(table, boundary, options)
    refused = task.refused(choosing=choosing)
    if refused:
        return replace(boundary, warnings=(*boundary.warnings, refused))
    try:
        found = task.judged(N_LAYERS if choosing else 1, shown)
    except Cancelled:
        note = "Interrupted while predicting; no columns were chosen for it."
        return replace(boundary, warnings=(*boundary.warnings, note), complete=False)
    run = boundary.run
    if choosing:
        run = replace(run, options={**run.options, "goal": "prediction"})
    notes = task.notes(found) if choosing else ()
    return replace(boundary, prediction=found, run=run, warnings=(*boundary.warnings, *notes))


@dataclass(frozen=True, eq=False)
class PredictionTask:
    """A table, a target and its boundary, and how columns are searched."""

    boundary: MarkovBoundary
    prepared: Prepared
    options: Mapping[str, Any]
    search: ConfiguredSearch
    judge: Judge

    @classmethod
    def of(
        cls, table: Dataset, boundary: MarkovBoundary, options: Mapping[str, Any]
    ) -> PredictionTask:
        """Prepare the table as the search for the boundary did."""
        prepared = prepared_for(table, boundary.target, options)
        source = prepared.source
        column, seed = source.index(boundary.target), options["random_state"] or 0
        if source.is_discrete[column]:
            classes, y = np.unique(source.codes(column), return_inverse=True)
            judge = Judge(y, "AUC" if len(classes) == 2 else "accuracy", seed)
        else:
            judge = Judge(source.values(column), "R2", seed)
        search = ConfiguredSearch.of(_search_in_folds(options["algorithm"]), options)
        return cls(boundary, prepared, options, search, judge)

    def refused(self, *, choosing: bool) -> str:
        """Say why nothing can be judged, or nothing."""
        target, y = self.boundary.target, self.judge.y
        if len(y) < 2 * N_FOLDS or (self.judge.measure == "AUC" and n_rarest(y) < 2):
            rows = f"{len(y)} rows, or those of the rarest class,"
            return f"How well columns predict {target!r} was not measured: {rows} are too few."
        if not choosing and self._is_large:
            return (
                f"How well the boundary predicts {target!r} was not checked: the table has more "
                f"than {LARGE:,} cells, and would be searched several times again; ask for "
                "goal='prediction' if that is worth it."
            )
        return ""

    @property
    def _is_large(self) -> bool:
        return self.prepared.source.n_rows * len(self.prepared.candidates) > LARGE

    @cached_property
    def _peeling(self) -> Peeling:
        test = test_of(self.prepared, self.options)
        return Peeling(self.prepared, test, self.search, self.options["required"])

    def judged(self, n_layers: int, shown: Trace) -> PredictiveColumns:
        """Make the nested sets, judge each in all folds, and choose one."""
        members = self.boundary.members
        nested = self._peeling.nested(n_layers, shown.silent(), first=members)
        n_required = len(self.options["required"])
        plan = SetPlan.of(nested, len(self.judge.y), choosing=n_layers > 1, n_required=n_required)
        folds = list(self._folds())
        scores, model = self._scores(plan, folds, shown)
        choose = chosen_set if n_layers > 1 else lambda _: plan.boundary_at
        position = choose(scores)
        by_others = [choose(np.delete(scores, i, axis=1)) for i in range(len(folds))]
        if not members and n_layers > 1:  # with nothing found, something must be better
            position, by_others = fallback(scores, self.judge.nothing)
        columns = [columns_of(nested) for _, columns_of in plan.sets]
        columns[-1] = tuple(sorted(self.prepared.candidate_names))
        judged = self._in_words(plan, scores, [len(c) for c in columns])
        honest = scores[by_others, np.arange(len(folds))]
        return PredictiveColumns(
            measure=self.judge.measure,
            columns=columns[position],
            layers=nested.layers,
            boundary=judged[plan.boundary_at],
            chosen=self._interval(judged[position], honest, len(columns[position])),
            all_columns=judged[-1],
            sets=judged,
            substitutes=self._peeling.substitutes(nested.layers),
            model=model[position],
            n_folds=len(folds),
            n_rows=len(self.judge.y),
            is_choice=n_layers > 1,
        )

    def notes(self, found: PredictiveColumns) -> Iterator[str]:
        """Say where nothing was found, and where what was found does not predict."""
        target, chosen = self.boundary.target, found.chosen
        score = score_text(found.measure, chosen)
        nothing = f"Nothing depends on {target!r} at significance level {self.search.alpha:g}"
        if not self.boundary.members and found.columns:
            yield (
                f"{nothing}; the {len(found.columns)} columns that come nearest are chosen, "
                f"which predict it better than none ({score})."
            )
        elif not found.columns:
            yield (
                f"{nothing}, and the columns that come nearest predict it no better than none; "
                "no column is chosen."
            )
        if found.columns and chosen.low <= self.judge.nothing:
            yield f"The chosen columns may predict {target!r} no better than none ({score})."

    # --- folds ------------------------------------------------------------------------------------

    def _folds(self) -> Iterator[Split]:
        judge = self.judge
        regression = judge.measure == "R2"
        most = 3 if self._is_large else N_FOLDS
        least = n_rarest(judge.y) if judge.measure == "AUC" else most
        n_repeats = 2 if len(judge.y) <= FEW_ROWS else 1
        for repeat in range(n_repeats):
            seed = judge.random_state + repeat
            n_folds = max(2, min(most, least))
            yield from _quiet_folds(judge.y, n_folds, seed, regression=regression)

    def _scores(
        self, plan: SetPlan, folds: Sequence[Split], shown: Trace
    ) -> tuple[Scores, list[str]]:
        """Judge all sets in all folds; return their scores, and the best model of each."""
        numbers = ColumnNumbers(self.prepared.source)
        models: list[int] = []
        found: list[list[list[float]]] = []
        for n, (train, test) in enumerate(folds):
            nested = self._nested_in(train, plan.n_layers, shown.silent())
            some = (_some(train, self.judge.random_state), _some(test, self.judge.random_state))
            part = _Part(self.judge, numbers, *some)
            models = models or part.worth_trying([pilot(nested) for pilot in plan.pilots])
            found.append(part.scores([columns_of(nested) for _, columns_of in plan.sets], models))
            shown.progressed("judging sets of columns", n + 1)
        cube = np.moveaxis(np.array(found), 0, 2)  # sets x models x folds
        return best_models(cube), [MODELS[models[i]][0] for i in cube.mean(axis=2).argmax(axis=1)]

    def _nested_in(self, train: IntArray, n_layers: int, listener: Trace) -> NestedColumns:
        """Peel again, on the rows to train on."""
        try:
            part = prepared_for(
                self.prepared.source.take(train), self.boundary.target, self.options
            )
            peeling = Peeling(
                part, test_of(part, self.options), self.search, self.options["required"]
            )
            return peeling.nested(n_layers, listener)
        except _NOTHING_TO_FIND:
            return NestedColumns((), ())

    # --- the choice -------------------------------------------------------------------------------

    def _in_words(
        self, plan: SetPlan, scores: Scores, sizes: Sequence[int]
    ) -> tuple[JudgedColumns, ...]:
        best = scores.mean(axis=1).argmax()
        behind = scores[best] - scores
        errors = behind.std(axis=1, ddof=1) / math.sqrt(behind.shape[1])
        judged = []
        for i, (name, _) in enumerate(plan.sets):
            blank = JudgedColumns(
                name, sizes[i], 0.0, 0.0, 0.0, float(behind[i].mean()), float(errors[i])
            )
            judged.append(self._interval(blank, scores[i], sizes[i]))
        return tuple(judged)

    def _interval(self, judged: JudgedColumns, scores: FloatArray, size: int) -> JudgedColumns:
        low, high = interval(scores)
        least = -math.inf if self.judge.measure == "R2" else 0.0
        return replace(
            judged,
            n_columns=size,
            score=float(scores.mean()),
            low=max(least, low),
            high=min(1.0, high),
        )


@dataclass(frozen=True, eq=False)
class _Part:
    """Rows to train on and rows to test on."""

    judge: Judge
    numbers: ColumnNumbers
    train: IntArray
    test: IntArray

    def scores(self, sets: Sequence[tuple[str, ...]], models: Sequence[int]) -> list[list[float]]:
        """Score each model with each set of columns; equal sets are judged once."""
        found: dict[tuple[str, ...], list[float]] = {}
        for names in sets:
            stop_if_cancelled()
            if names not in found:
                matrices = self.numbers.matrix(names, self.train, self.test)
                found[names] = self.judge.scores(*matrices, self.train, self.test, models)
        return [found[names] for names in sets]

    def worth_trying(self, sets: Sequence[tuple[str, ...]]) -> list[int]:
        """Return the models to try: no SVM where it is far behind with each of some sets."""
        everyone = list(range(len(MODELS)))
        bent = np.array([name == GAUSSIAN for name, _ in MODELS])
        scores = np.array(self.scores(sets, everyone))
        gains = scores[:, bent].max(axis=1) - scores[:, ~bent].max(axis=1)
        return [i for i in everyone if not bent[i] or gains.max() >= -_NEAR]


def score_text(measure: str, judged: JudgedColumns) -> str:
    """Write a score with its interval."""
    return f"{measure} {judged.score:.3f}, {judged.low:.3f} to {judged.high:.3f}"


def _search_in_folds(algorithm: str | Search) -> Search:
    name = algorithm if isinstance(algorithm, str) else algorithm.name
    return BOUNDARY_ALGORITHMS[QUICK if name in _SEVERAL else algorithm]


def _some(rows: IntArray, seed: int) -> IntArray:
    if len(rows) <= MOST_ROWS:
        return rows
    return np.sort(np.random.default_rng(seed).permutation(rows)[:MOST_ROWS])


def _quiet_folds(y: Any, n_folds: int, seed: int, *, regression: bool) -> list[Split]:
    import warnings

    with warnings.catch_warnings():  # a class with few rows is not in every fold
        warnings.simplefilter("ignore", UserWarning)
        return make_folds(y, n_folds, seed, regression=regression)
