"""An alarm for boundaries to which tests of single columns were blind.

The rows are halved. On one half interactions are searched and variables eliminated, and SVMs
are trained with the columns of the boundary and with those that were found; on parts of the other
half they predict. Nothing is claimed from rows that took part in a choice, but for the boundary,
which was found with all rows: if that flatters anything, it is what the alarm is raised against.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from eiderdown.api.interactions import find_interactions
from eiderdown.arrays import IntArray
from eiderdown.data.prepare import Prepared
from eiderdown.errors import listed
from eiderdown.progress import Cancelled, Trace
from eiderdown.randomness import as_generator
from eiderdown.results import Interactions, KeptMonomial, MarkovBoundary, withheld_warnings
from eiderdown.svm.cross_validation import FoldScores, hold_out, make_folds, n_rarest, score_models
from eiderdown.svm.elimination import Narrowing, recursive_elimination
from eiderdown.svm.monomials import Matrix, dense
from eiderdown.svm.numeric import NumericTarget, learn_coding, numeric_target
from eiderdown.svm.training import SVMParams
from eiderdown.svm.tuning import GridScore, Tuner

MARGIN = 0.02
"""What is gained must be worth saying: so much AUC, or R2."""

N_ERRORS = 3.0
"""And so many standard errors, since two sets are compared with the boundary."""

_MOST_ROWS = 2_000  # an SVM's time grows with the square of its rows, or faster
_LEAST_ROWS = 20  # of the rarest class, for halves in which there is something to test
_N_PARTS = 10
_N_FOLDS = 3
_DEGREES = (2, 3)
_CS = (1e-6, 1e-4, 1e-2, 1.0)
_LEAST_CHI_SQUARE = 10.0  # of rows times share explained, for a monomial to be named


def with_interactions_checked(
    boundary: MarkovBoundary,
    problem: Prepared,
    *,
    random_state: int,
    n_jobs: int | None,
    shown: Trace,
) -> MarkovBoundary:
    """Return a boundary with a warning if columns outside it predict the target better."""
    n_rows = problem.data.n_rows
    if n_rows > _MOST_ROWS:
        rows = as_generator(random_state).permutation(n_rows)[:_MOST_ROWS]
        problem = problem.take(np.sort(rows))
    target = numeric_target(problem.data, boundary.target)
    n_least = 0 if len(target.classes) == 1 else n_rarest(target.values)
    if not target.is_continuous and n_least < _LEAST_ROWS:
        note = (
            f"Interactions were not looked for: of {problem.data.n_rows:,} rows fewer than "
            f"{_LEAST_ROWS} are of the rarest class of {boundary.target!r}."
        )
        return replace(boundary, warnings=(*boundary.warnings, note))
    halves = _Halves.of(problem, target, random_state)
    try:
        found = _Comparison.of(halves, boundary, n_jobs, shown)
    except Cancelled:
        note = "Interrupted while looking for interactions that the boundary may lack."
        return replace(boundary, warnings=(*boundary.warnings, note), complete=False)
    options = {**boundary.run.options, "interaction_check": found.record(halves)}
    return replace(
        boundary,
        run=replace(boundary.run, options=options),
        warnings=(*boundary.warnings, *found.alarm(halves, boundary)),
    )


@dataclass(frozen=True, eq=False)
class _Halves:
    """Rows to choose and train on, and rows to predict."""

    problem: Prepared
    target: NumericTarget
    matrix: Matrix
    names: tuple[str, ...]
    source_columns: tuple[str, ...]
    train: IntArray
    parts: tuple[IntArray, ...]
    random_state: int

    @classmethod
    def of(cls, problem: Prepared, target: NumericTarget, random_state: int) -> _Halves:
        """Divide the rows, classes alike."""
        regression = target.is_continuous
        coding = learn_coding(problem.data, list(problem.candidate_names))
        train, test = hold_out(target.values, 0.5, random_state, regression=regression)
        y = target.values[test]
        n_parts = min(_N_PARTS, n_rarest(y, regression=regression))
        parts = make_folds(y, n_parts, random_state, regression=regression)
        return cls(
            problem,
            target,
            coding.matrix(problem.data),
            coding.names,
            coding.source_columns,
            train,
            tuple(test[part] for _, part in parts),
            random_state,
        )

    @property
    def params(self) -> SVMParams:
        return SVMParams(regression=self.target.is_continuous)

    def tuner(self, columns: IntArray) -> Tuner:
        """Return the rows to train on, with some of the columns."""
        matrix = self.matrix[self.train][:, columns]
        y = self.target.values[self.train]
        return Tuner(matrix, y, self.params, _N_FOLDS, self.random_state)

    def tuned(self, tuner: Tuner, shown: Trace) -> GridScore:
        """Choose degree and C."""
        tuning = tuner.tune(_DEGREES, _CS, shown)
        if not tuning.complete:
            raise Cancelled
        return tuning.best

    def scores(self, variables: Collection[str], shown: Trace) -> FoldScores:
        """Train with some columns, degree and C chosen for them, and predict each part."""
        wanted = set(variables)
        columns = np.flatnonzero([name in wanted for name in self.source_columns])
        if len(columns) == 0:
            return FoldScores((0.0 if self.target.is_continuous else 0.5,) * len(self.parts))
        tuner = self.tuner(columns)
        best = self.tuned(tuner, shown)
        models, _ = tuner.train(best.degree, best.C)
        return FoldScores(
            tuple(
                score_models(models, self.matrix[part][:, columns], self.target.values[part])
                for part in self.parts
            )
        )

    def strongest_outside(
        self, monomials: Sequence[KeptMonomial], members: Collection[str]
    ) -> KeptMonomial | None:
        """Return the monomial with a column outside that tells most of the rows to predict."""
        inside = set(members)
        outside = [item for item in monomials if not inside.issuperset(item.variables)]
        strengths = [self._share_explained(item) for item in outside]
        if not outside or max(strengths) * sum(map(len, self.parts)) < _LEAST_CHI_SQUARE:
            return None
        return outside[int(np.argmax(strengths))]

    def _share_explained(self, monomial: KeptMonomial) -> float:
        """Return how much of a monomial's variance lies between classes, or goes with numbers."""
        test = np.concatenate(self.parts)
        y, values = self.target.values[test], np.ones(len(test))
        for name, exponent in monomial.factors:
            column = self.matrix[test][:, [self.names.index(name)]]
            values = values * dense(column).ravel() ** exponent
        deviations = values - values.mean()
        total = float(deviations @ deviations)
        if total == 0.0:
            return 0.0
        if self.target.is_continuous:
            centred = y - y.mean()
            return float(deviations @ centred) ** 2 / (total * float(centred @ centred))
        sums = np.bincount(y, deviations)
        return float((sums**2 / np.maximum(np.bincount(y), 1)).sum()) / total


@dataclass(frozen=True, eq=False)
class _Comparison:
    """What was found on one half, and how well each set of columns predicts the other."""

    interactions: Interactions
    eliminated_to: tuple[str, ...]
    by_boundary: FoldScores
    by_monomials: FoldScores
    by_elimination: FoldScores

    @classmethod
    def of(
        cls, halves: _Halves, boundary: MarkovBoundary, n_jobs: int | None, shown: Trace
    ) -> _Comparison:
        """Search interactions and eliminate variables, and let all sets predict."""
        everything = halves.tuner(np.arange(len(halves.names)))
        best = halves.tuned(everything, shown)
        interactions = _interactions(halves, best.degree, best.C, n_jobs)
        left = recursive_elimination(
            everything.X,
            everything.y,
            Narrowing(best.degree, best.C, random_state=halves.random_state, params=halves.params),
            names=halves.names,
            trace=shown,
        )
        eliminated_to = tuple(dict.fromkeys(halves.source_columns[v] for v in left.members))
        if not (interactions.complete and left.complete):
            raise Cancelled
        sets = (boundary.members, interactions.variables, eliminated_to)
        return cls(interactions, eliminated_to, *(halves.scores(names, shown) for names in sets))

    def record(self, halves: _Halves) -> dict[str, object]:
        """Return the scores, for the record of the run."""
        return {
            "measure": halves.params.measure,
            "n_rows_trained": len(halves.train),
            "n_rows_tested": sum(map(len, halves.parts)),
            "boundary": self.by_boundary.mean,
            "feature_space": self.by_monomials.mean,
            "elimination": self.by_elimination.mean,
        }

    def alarm(self, halves: _Halves, boundary: MarkovBoundary) -> list[str]:
        """Say what the boundary lacks, if one of the other sets predicts clearly better."""
        better = []
        for scores in (self.by_monomials, self.by_elimination):
            gains = np.subtract(scores.scores, self.by_boundary.scores)
            paired = FoldScores(tuple(gains.tolist()))
            if paired.mean > max(MARGIN, N_ERRORS * paired.standard_error):
                better.append(scores)
        if not better:
            return []
        best = max(better, key=lambda scores: scores.mean)
        named = halves.strongest_outside(self.interactions.monomials, boundary.members)
        outside = sorted(set(self.eliminated_to) - set(boundary.members))
        what = (
            f"there the strongest monomial with a column outside is {named.name}"
            if named is not None
            else f"recursive elimination keeps {listed(outside)} outside"
        )
        measure = halves.params.measure
        return [
            f"Columns outside the boundary of {boundary.target!r} tell something that its tests "
            f"did not see: on rows that took no part in the choice an SVM predicts with "
            f"{measure} {best.mean:.3f}, and with the boundary's columns alone "
            f"{self.by_boundary.mean:.3f}; {what}. See find_interactions."
        ]


def _interactions(halves: _Halves, degree: int, C: float, n_jobs: int | None) -> Interactions:
    data, candidates = halves.problem.data, set(halves.problem.candidate_names)
    target = halves.problem.target_name
    with withheld_warnings():
        return find_interactions(
            data.take(halves.train),
            target=target,
            exclude=[name for name in data.names if name not in candidates and name != target],
            degree=degree,
            C=C,
            folds=0,
            random_state=halves.random_state,
            n_jobs=n_jobs,
            progress=False,
        )
