"""An alarm for boundaries to which tests of single columns were blind.

The rows are halved. On one half interactions are searched and variables eliminated, and machines
are trained with the columns of the boundary and with those that were found; on parts of the other
half they predict. Nothing is claimed from rows that took part in a choice, but for the boundary,
which was found with all rows: if that flatters anything, it is what the alarm is raised against.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from eiderdown.api.interactions import interactions_of, local_options
from eiderdown.api.machine_options import MachineOptions
from eiderdown.arrays import FloatArray, IntArray
from eiderdown.data.prepare import Prepared
from eiderdown.errors import listed
from eiderdown.progress import Trace
from eiderdown.randomness import as_generator
from eiderdown.results import Interactions, KeptFeature, MarkovBoundary
from eiderdown.svm.elimination import recursive_elimination
from eiderdown.svm.folds import hold_out, make_folds
from eiderdown.svm.grid_scores import FoldScores, GridScore
from eiderdown.svm.monomials import Matrix
from eiderdown.svm.numeric_columns import NumericTarget, learn_coding, numeric_target
from eiderdown.svm.scoring import score
from eiderdown.svm.svm_settings import SVMSettings
from eiderdown.svm.workbench import Workbench

MARGIN = 0.02
"""What is gained must be worth saying: so much AUC, or R2."""

N_ERRORS = 3.0
"""And so many standard errors, since two sets are compared with the boundary."""

_MOST_ROWS = 2_000  # a machine's time grows with the square of its rows, or faster
_LEAST_ROWS = 20  # of the rarest class, for halves in which there is something to test
_N_PARTS = 10
_N_FOLDS = 3
_DEGREES = (2, 3)
_COSTS = (1e-6, 1e-4, 1e-2, 1.0)
_LEAST_CHI_SQUARE = 10.0  # of rows times share explained, for a feature to be named


def with_interactions_checked(
    boundary: MarkovBoundary,
    problem: Prepared,
    *,
    random_state: int,
    n_jobs: int | None,
    shown: Trace,
) -> MarkovBoundary:
    """Return a boundary with a warning if columns outside it predict the target better.

    Parameters
    ----------
    boundary : MarkovBoundary
        What was found.
    problem : Prepared
        The table, of whatever kinds, with the target and the candidates.
    random_state : int
        Decides which row is in which half.
    n_jobs : int or None
        Threads of the tests.
    shown : Trace
        Listens to progress.
    """
    problem = _sampled(problem, random_state)
    target = numeric_target(problem.data, boundary.target)
    if not target.is_continuous and _n_rarest(target) < _LEAST_ROWS:
        said = (
            f"Interactions were not looked for: of {problem.data.n_rows:,} rows fewer than "
            f"{_LEAST_ROWS} are of the rarest class of {boundary.target!r}."
        )
        return replace(boundary, warnings=(*boundary.warnings, said))
    halves = _Halves.of(problem, target, random_state)
    try:
        found = _Comparison.of(halves, boundary, n_jobs, shown)
    except KeyboardInterrupt:
        said = "Interrupted while looking for interactions that the boundary may lack."
        return replace(boundary, warnings=(*boundary.warnings, said), complete=False)
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
    behind: tuple[str, ...]
    train: IntArray
    parts: tuple[IntArray, ...]
    random_state: int

    @classmethod
    def of(cls, problem: Prepared, target: NumericTarget, random_state: int) -> _Halves:
        """Divide the rows, classes alike."""
        generator, regression = as_generator(random_state), target.is_continuous
        coding = learn_coding(problem.data, list(problem.candidate_names))
        train, test = hold_out(target.values, 0.5, generator, regression=regression)
        y = target.values[test]
        rarest = len(y) if regression else int(np.bincount(y).min())
        parts = make_folds(y, min(_N_PARTS, rarest), generator, regression=regression)
        return cls(
            problem,
            target,
            coding.matrix(problem.data),
            coding.names,
            coding.behind,
            train,
            tuple(test[part] for part in parts),
            random_state,
        )

    @property
    def params(self) -> SVMSettings:
        return SVMSettings(regression=self.target.is_continuous)

    def workbench(self, columns: IntArray) -> Workbench:
        """Return the rows to train on, with some of the columns."""
        matrix = self.matrix[self.train][:, columns]
        y = self.target.values[self.train]
        return Workbench(matrix, y, self.params, _N_FOLDS, self.random_state)

    def tuned(self, bench: Workbench, shown: Trace) -> GridScore:
        """Choose degree and cost."""
        tuning = bench.tune(_DEGREES, _COSTS, shown.progressed)
        if not tuning.complete:
            raise KeyboardInterrupt
        return tuning.best

    def scores(self, variables: Collection[str], shown: Trace) -> FoldScores:
        """Train with some columns, degree and cost chosen for them, and predict each part."""
        wanted = set(variables)
        columns = np.flatnonzero([name in wanted for name in self.behind])
        if len(columns) == 0:
            return FoldScores((0.0 if self.target.is_continuous else 0.5,) * len(self.parts))
        bench = self.workbench(columns)
        best = self.tuned(bench, shown)
        models, _ = bench.train(best.degree, best.C)
        values = []
        for part in self.parts:
            rows = self.matrix[part][:, columns]
            decisions = np.column_stack([model.decision(rows) for model in models])
            y = self.target.values[part]
            values.append(score(y, decisions, [model.classes for model in models]))
        return FoldScores(tuple(values))

    def strongest_outside(
        self, features: Sequence[KeptFeature], members: Collection[str]
    ) -> KeptFeature | None:
        """Return the feature with a column outside that tells most of the rows to predict."""
        inside = set(members)
        outside = [item for item in features if not inside.issuperset(item.variables)]
        strengths = [self._share_explained(item) for item in outside]
        if not outside or max(strengths) * sum(map(len, self.parts)) < _LEAST_CHI_SQUARE:
            return None
        return outside[int(np.argmax(strengths))]

    def _share_explained(self, feature: KeptFeature) -> float:
        """Return how much of a feature's variance lies between classes, or goes with numbers."""
        test = np.concatenate(self.parts)
        y, values = self.target.values[test], np.ones(len(test))
        for name, exponent in feature.factors:
            column = self.matrix[test][:, [self.names.index(name)]]
            dense = column.toarray() if hasattr(column, "toarray") else column
            values = values * dense.ravel() ** exponent
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
    by_features: FoldScores
    by_elimination: FoldScores

    @classmethod
    def of(
        cls, halves: _Halves, boundary: MarkovBoundary, n_jobs: int | None, shown: Trace
    ) -> _Comparison:
        """Search interactions and eliminate variables, and let all sets predict."""
        everything = halves.workbench(np.arange(len(halves.names)))
        best = halves.tuned(everything, shown)
        interactions = _interactions(halves, best.degree, best.C, n_jobs, shown)
        left = recursive_elimination(
            everything.matrix,
            everything.y,
            degree=best.degree,
            C=best.C,
            random_state=halves.random_state,
            names=halves.names,
            progress=shown.progressed,
            regression=halves.target.is_continuous,
        )
        eliminated_to = tuple(dict.fromkeys(halves.behind[v] for v in left.members))
        if not (interactions.complete and left.complete):
            raise KeyboardInterrupt
        sets = (boundary.members, interactions.variables, eliminated_to)
        return cls(interactions, eliminated_to, *(halves.scores(names, shown) for names in sets))

    def record(self, halves: _Halves) -> dict[str, object]:
        """Return the scores, for the record of the run."""
        return {
            "measure": halves.params.measure,
            "n_rows_trained": len(halves.train),
            "n_rows_tested": sum(map(len, halves.parts)),
            "boundary": self.by_boundary.mean,
            "feature_space": self.by_features.mean,
            "elimination": self.by_elimination.mean,
        }

    def alarm(self, halves: _Halves, boundary: MarkovBoundary) -> list[str]:
        """Say what the boundary lacks, if one of the other sets predicts clearly better."""
        better = [
            scores
            for scores in (self.by_features, self.by_elimination)
            if _clearly_better(scores, self.by_boundary)
        ]
        if not better:
            return []
        best = max(better, key=lambda scores: scores.mean)
        named = halves.strongest_outside(self.interactions.features, boundary.members)
        outside = sorted(set(self.eliminated_to) - set(boundary.members))
        what = (
            f"there the strongest feature with a column outside is {named.name}"
            if named is not None
            else f"recursive elimination keeps {listed(outside)} outside"
        )
        measure = halves.params.measure
        return [
            f"Columns outside the boundary of {boundary.target!r} tell something that its tests "
            f"did not see: on rows that took no part in the choice a machine predicts with "
            f"{measure} {best.mean:.3f}, and with the boundary's columns alone "
            f"{self.by_boundary.mean:.3f}; {what}. See find_interactions."
        ]


def _sampled(problem: Prepared, random_state: int) -> Prepared:
    """Take a sample of the rows if there are many."""
    n_rows = problem.data.n_rows
    if n_rows <= _MOST_ROWS:
        return problem
    rows = np.sort(as_generator(random_state).permutation(n_rows)[:_MOST_ROWS])
    return problem.take(rows)


def _n_rarest(target: NumericTarget) -> int:
    counts = np.bincount(target.values)
    return int(counts.min()) if len(counts) > 1 else 0


def _interactions(
    halves: _Halves, degree: int, cost: float, n_jobs: int | None, shown: Trace
) -> Interactions:
    problem = replace(halves.problem.take(halves.train), warnings=())
    options = MachineOptions(degree=degree, cost=cost, random_state=halves.random_state)
    knowledge = {"test": "auto", "required": (), "n_jobs": n_jobs}
    return interactions_of(problem, options, local_options(), knowledge, shown)


def _clearly_better(ours: FoldScores, theirs: FoldScores) -> bool:
    gains: FloatArray = np.subtract(ours.scores, theirs.scores)
    paired = FoldScores(tuple(gains.tolist()))
    return paired.mean > max(MARGIN, N_ERRORS * paired.standard_error)
