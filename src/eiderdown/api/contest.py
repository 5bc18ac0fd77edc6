"""The ground on which selectors are compared: splits of the rows, and machines that judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from eiderdown.api.feature_space import affordable_folds
from eiderdown.api.selection_task import SelectionTask
from eiderdown.arrays import IntArray
from eiderdown.data.prepare import Prepared
from eiderdown.errors import OptionError, TooFewRowsError
from eiderdown.randomness import as_generator
from eiderdown.results import Trial
from eiderdown.results.interactions import Measure
from eiderdown.svm.folds import hold_out, make_folds, usable_folds
from eiderdown.svm.monomials import Matrix
from eiderdown.svm.numeric_columns import learn_coding, numeric_target
from eiderdown.svm.polynomial_model import check_kernel
from eiderdown.svm.scoring import score
from eiderdown.svm.svm_settings import SVMSettings
from eiderdown.svm.training import trained
from eiderdown.svm.tuning import choose_degree_and_cost

MOST_LISTED = 1_000
"""A selection of more columns is told by its size only."""


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to select and train with, rows to judge on, and a seed for what happens in between."""

    train: IntArray
    test: IntArray
    seed: int


@dataclass(frozen=True)
class Verdict:
    """How well the best machine for some columns predicts."""

    score: float
    degree: int | None
    cost: float | None


@dataclass(frozen=True)
class MachineChoice:
    """Which machines there are to choose from, and how one is chosen.

    Attributes
    ----------
    degrees, costs, inner_folds
        As in :func:`eiderdown.compare_selectors`.
    params : SVMSettings
        What all of them have in common.
    """

    degrees: tuple[int, ...]
    costs: tuple[float, ...]
    inner_folds: int
    params: SVMSettings

    def __post_init__(self) -> None:
        if len(self.degrees) == 0 or len(self.costs) == 0:
            raise OptionError("degrees and costs must each have something to choose from.")
        for degree in self.degrees:
            check_kernel(degree, gamma=1.0, coef0=1.0)
        if not min(self.costs) > 0.0:
            raise OptionError(f"costs must be positive, not {min(self.costs)!r}.")

    @property
    def is_made(self) -> bool:
        """Whether there is nothing to choose."""
        return len(self.degrees) == len(self.costs) == 1

    def best(self, X: Matrix, y: Any, seed: int) -> tuple[int, float]:
        """Return the degree and cost that do best on folds of some rows."""
        if self.is_made:
            return self.degrees[0], float(self.costs[0])
        tuning = choose_degree_and_cost(
            X,
            y,
            degrees=self.degrees,
            costs=self.costs,
            folds=self.inner_folds,
            random_state=seed,
            regression=self.params.regression,
            class_weight=self.params.class_weight,
        )
        if not tuning.complete:
            raise KeyboardInterrupt
        return tuning.best.degree, tuning.best.C


class Contest:
    """A table of which a selector sees some rows and is judged on others.

    Columns become numbers once, with all rows, which needs no look at the target.

    Parameters
    ----------
    problem : Prepared
        Table, target and candidates.
    degrees, costs, inner_folds, class_weight, random_state, n_jobs
        As in :func:`eiderdown.compare_selectors`.
    """

    def __init__(
        self,
        problem: Prepared,
        *,
        degrees: Sequence[int],
        costs: Sequence[float],
        inner_folds: int,
        class_weight: Literal["balanced"] | None,
        random_state: int,
        n_jobs: int | None,
    ) -> None:
        self.problem = problem
        self._generator, self._n_workers = as_generator(random_state), n_jobs
        data = problem.data
        self._target_name = problem.target_name
        self._target = numeric_target(data, self._target_name)
        self._y: Any = self._target.values
        params = SVMSettings(regression=self._target.is_continuous, class_weight=class_weight)
        self._choice = MachineChoice(tuple(degrees), tuple(costs), inner_folds, params)
        self.notes = list(problem.warnings)
        self._coding = learn_coding(data, list(problem.candidate_names))
        self._matrix: Matrix = self._coding.matrix(data)

    @property
    def measure(self) -> Measure:
        """How machines are judged."""
        return "R2" if self._choice.params.regression else "AUC"

    def splits(self, folds: int, test_share: float | None) -> list[Split]:
        """Split the rows, by folds or once."""
        regression, rows = self._choice.params.regression, np.arange(len(self._y))
        wanted = folds if test_share is None else 2
        affordable, doubts = affordable_folds(self._target, self._target_name, wanted)
        self.notes += doubts
        if test_share is not None:
            parts = [hold_out(self._y, test_share, self._generator, regression=regression)]
        else:
            n_folds = usable_folds(self._y, affordable, regression=regression)
            tests = make_folds(self._y, n_folds, self._generator, regression=regression)
            parts = [(np.setdiff1d(rows, test), test) for test in tests]
        self._afford_inner_folds([train for train, _ in parts])
        return [Split(*part, int(self._generator.integers(2**31))) for part in parts]

    def _afford_inner_folds(self, trains: Sequence[IntArray]) -> None:
        """Choose machines with no more folds than the rarest class has rows to train with."""
        if self._choice.params.regression or self._choice.is_made:
            return
        counts = np.min([np.bincount(self._y[train]) for train in trains], axis=0)
        rarest, n_rows = self._target.classes[int(counts.argmin())], int(counts.min())
        if n_rows < 2:
            raise TooFewRowsError(
                f"Class {rarest!r} of target {self._target_name!r} has a single row to choose "
                "degree and cost with; give one of each, leave the class out, or merge it."
            )
        if n_rows < self._choice.inner_folds:
            self.notes.append(
                f"Degree and cost were chosen with {n_rows} folds, because only {n_rows} rows of "
                f"class {rarest!r} were left to choose with."
            )
            self._choice = replace(self._choice, inner_folds=n_rows)

    def round(self, split: Split) -> Round:
        """Prepare a split: choose the machine for all columns that vary in its training rows."""
        data = self.problem.data.take(split.train)
        constant = {*data.constant_columns(), self._target_name}
        used = np.flatnonzero([name not in constant for name in self._coding.behind])
        behind = tuple(self._coding.behind[i] for i in used)
        X, y = self._matrix[split.train][:, used], self._y[split.train]
        degree, cost = self._choice.best(X, y, split.seed)
        task = SelectionTask(
            data=data.select([*dict.fromkeys(behind), self._target_name]),
            target=self._target_name,
            X=X,
            behind=behind,
            y=y,
            params=self._choice.params,
            degree=degree,
            cost=cost,
            random_state=split.seed,
            n_jobs=self._n_workers,
        )
        return Round(task, self._choice, self._matrix[split.test][:, used], self._y[split.test])


class Round:
    """One split: what selectors are given, and the rows on which their selections are judged.

    Parameters
    ----------
    task : SelectionTask
        The training rows.
    choice : MachineChoice
        How the machine for a selection is chosen.
    X_test, y_test
        The other rows, with the same numeric columns.
    """

    def __init__(
        self, task: SelectionTask, choice: MachineChoice, X_test: Matrix, y_test: Any
    ) -> None:
        self.task = task
        self._choice, self._X_test, self._y_test = choice, X_test, y_test
        self._verdicts: dict[tuple[int, ...], Verdict] = {}

    def judged(self, columns: tuple[str, ...], seconds: float) -> Trial:
        """Judge a selection; one that was judged before is remembered."""
        numeric = self.task.numeric_of(columns)
        key = tuple(numeric.tolist())
        if key not in self._verdicts:
            self._verdicts[key] = self._verdict(numeric)
        verdict = self._verdicts[key]
        return Trial(
            n_variables=len(columns),
            variables=columns if len(columns) <= MOST_LISTED else None,
            score=verdict.score,
            degree=verdict.degree,
            cost=verdict.cost,
            seconds=seconds,
        )

    def _verdict(self, numeric: IntArray) -> Verdict:
        task = self.task
        if len(numeric) == 0:
            return Verdict(0.0 if task.params.regression else 0.5, None, None)
        X = task.X[:, numeric]
        whole = len(numeric) == len(task.behind)
        degree, cost = (
            (task.degree, task.cost) if whole else self._choice.best(X, task.y, task.random_state)
        )
        models, _ = trained(X, task.y, degree=degree, cost=cost, params=task.params)
        seen = self._X_test[:, numeric]
        decisions = np.column_stack([model.decision(seen) for model in models])
        value = score(self._y_test, decisions, [model.classes for model in models])
        return Verdict(value, degree, cost)
