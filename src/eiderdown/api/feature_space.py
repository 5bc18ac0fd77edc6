"""The Feature Space Markov Blanket (Brown 2009, chapter III), stage by stage.

A machine is trained, its features with the largest weights become columns, and a local search among
those finds the target's boundary. Ctrl-C ends the stage at hand; what the stages before it found
stays.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Literal

import numpy as np

from eiderdown.api.local import SearchOptions, run_search
from eiderdown.api.machine_options import MachineOptions
from eiderdown.boundary import BOUNDARY_ALGORITHMS
from eiderdown.data.prepare import Prepared, prepare_target
from eiderdown.errors import OptionError, TooFewRowsError
from eiderdown.independence.registry import AUTO, TestSource, entry_of, make_test, with_defaults
from eiderdown.progress import Trace
from eiderdown.results import (
    CrossValidation,
    Evidence,
    FeatureSearch,
    KeptFeature,
    LocalResult,
    Machine,
    MarkovBoundary,
    ParentsChildren,
    TriedMachine,
)
from eiderdown.svm.feature_table import (
    FeatureTable,
    feature_dataset,
    feature_table,
    few_valued,
)
from eiderdown.svm.grid_scores import FoldScores
from eiderdown.svm.machine_features import (
    MachineFeatures,
    machine_features,
    weights_with,
)
from eiderdown.svm.monomials import Monomial
from eiderdown.svm.numeric_columns import NumericTarget, learn_coding, numeric_target
from eiderdown.svm.svm_settings import SVMSettings
from eiderdown.svm.workbench import Workbench

_FEW_ROWS = 20  # of a class, for five folds with a handful each


class FeatureSpaceSearch:
    """One search in feature space; its attributes hold what was found so far.

    Parameters
    ----------
    problem : Prepared
        Table, target and candidates, of whatever kinds.
    options : MachineOptions
        How to train the machine and to search its features.
    local : SearchOptions
        How to search among the features.
    test : TestSource
        How to test features.
    required : collection of str
        Columns that must be behind the kept features.
    n_jobs : int or None
        Threads of the tests.
    """

    def __init__(
        self,
        problem: Prepared,
        options: MachineOptions,
        local: SearchOptions,
        *,
        test: TestSource,
        required: Collection[str],
        n_jobs: int | None,
    ) -> None:
        self._problem, self._options, self._local = problem, options, local
        self._test, self._n_workers = with_defaults(test, collinear="drop"), n_jobs
        self._target_name = problem.target_name
        self._target = numeric_target(problem.data, self._target_name)
        self._coding = learn_coding(
            problem.data, list(problem.candidate_names), coding=options.coding
        )
        behind, wanted = self._coding.behind, set(required)
        self._required = [Monomial.of([v]) for v, name in enumerate(behind) if name in wanted]
        n_folds, doubts = affordable_folds(self._target, self._target_name, options.folds)
        self._bench = Workbench(
            self._coding.matrix(problem.data),
            self._target.values,
            SVMSettings(regression=self._target.is_continuous, class_weight=options.class_weight),
            n_folds,
            options.random_state,
        )
        self.notes = doubts
        self.machine: Machine | None = None
        self.search: FeatureSearch | None = None
        self.boundary: LocalResult | None = None
        self.features: tuple[KeptFeature, ...] = ()
        self.by_chance: tuple[KeptFeature, ...] = ()
        self.linear_score: CrossValidation | None = None
        self.interrupted_while: str | None = None

    def run(self, shown: Trace) -> None:
        """Go through the stages; Ctrl-C ends them."""
        stages: dict[str, Callable[[], None]] = {
            "choosing degree and cost": lambda: self._choose(shown),
            "training the machine": self._train,
            "searching its features": self._find,
            "judging the features": lambda: self._judge(shown),
            "measuring how well they predict": self._measure,
        }
        if self._options.are_chosen and self._options.nested:
            stages["repeating the choice of degree and cost"] = lambda: self._nest(shown)
        for phase, stage in stages.items():
            try:
                shown.progressed(phase, 0)
                stage()
            except KeyboardInterrupt:
                self.interrupted_while = phase
                return

    def _choose(self, shown: Trace) -> None:
        degree, cost = self._options.degree, self._options.cost
        if degree is not None and cost is not None:
            self.machine = Machine(degree, cost, 0)
            return
        tuning = self._bench.tune(**self._options.grid, progress=shown.progressed)
        tried = [TriedMachine(p.degree, p.C, p.mean, p.standard_error) for p in tuning.table]
        best = tuning.best
        score = self._score(best)
        self.machine = Machine(best.degree, best.C, 0, score=score, tried=tuple(tried))
        if not tuning.complete:
            raise KeyboardInterrupt

    def _train(self) -> None:
        assert self.machine is not None
        self._models, converged = self._bench.train(self.machine.degree, self.machine.cost)
        n_vectors = sum(model.n_vectors for model in self._models)
        self.machine = replace(self.machine, n_support_vectors=n_vectors)
        if not converged:
            self.notes.append(
                f"The machine of degree {self.machine.degree} and cost {self.machine.cost:g} was "
                "still improving when its training was ended; its weights may be off, and a "
                "smaller cost may be better."
            )

    def _find(self) -> None:
        options = self._options
        found = machine_features(
            self._models,
            self._bench.matrix,
            options.n_features,
            method=options.method,
            max_built=options.max_built,
            max_seconds=options.max_seconds,
        )
        self._weights = weights_with(found, self._models, self._required)
        self._table = feature_table(
            self._bench.matrix,
            self._coding.names,
            list(self._weights),
            np.array([weight for weight, _ in self._weights.values()]),
            required=self._required,
            reserved=(self._target_name,),
        )
        self.search = _search_record(options.method, found, self._table)
        if found.stopped == "interrupted":
            raise KeyboardInterrupt

    def _judge(self, shown: Trace) -> None:
        if len(self._table) == 0:
            self.notes.append("No feature with a large weight varies, so there is none to judge.")
            return
        as_numbers = tested_as_numbers(self._test, self._table, self._target)
        name = self._target_name
        columns = feature_dataset(self._table, self._problem.data, name, as_numbers=as_numbers)
        question = prepare_target(columns, name)
        test = make_test(self._test, question.data, question.target, self._n_workers)
        is_boundary = self._local.algorithm.name in BOUNDARY_ALGORITHMS.names
        self.boundary = run_search(
            MarkovBoundary if is_boundary else ParentsChildren,
            question,
            test,
            self._local_options(),
            listener=shown,
            required=[self._table.name_of(q) for q in self._required],
        )
        self.features = tuple(map(self._kept, self.boundary.evidence_with("kept")))
        if self._options.strict is None:
            self._leave_out_chance()
        if not self.boundary.complete:
            raise KeyboardInterrupt

    def _leave_out_chance(self) -> None:
        """Keep what is beyond chance, if there is such a feature and the machine had a choice."""
        assert self.search is not None
        level = self.search.log_level(self._local.alpha)
        required = {self._table.name_of(q) for q in self._required}
        sure = [f for f in self.features if f.evidence.log_p <= level or f.name in required]
        had_choice = self.search.n_total > self._options.n_features
        if had_choice and any(f.name not in required for f in sure):
            self.by_chance = tuple(f for f in self.features if f not in sure)
            self.features = tuple(sure)

    def _local_options(self) -> SearchOptions:
        assert self.search is not None
        if not self._options.strict:
            return self._local
        return replace(self._local, alpha=self._local.alpha / self.search.n_total)

    def _kept(self, evidence: Evidence) -> KeptFeature:
        k = self._table.names.index(evidence.variable)
        feature = self._table.features[k]
        weight, pair = self._weights[feature]
        classes = self._target.classes
        return KeptFeature(
            name=evidence.variable,
            factors=tuple((self._coding.names[v], exponent) for v, exponent in feature.factors),
            variables=tuple(dict.fromkeys(self._coding.behind[v] for v in feature.variables)),
            weight=weight,
            evidence=evidence,
            same_as=self._table.twins[k],
            classes=None if pair is None else (str(classes[pair[0]]), str(classes[pair[1]])),
        )

    def _measure(self) -> None:
        assert self.machine is not None
        if self._options.folds == 0:
            return
        if self.features:
            columns = [self._table.names.index(feature.name) for feature in self.features]
            self.linear_score = self._score(self._bench.linear(self._table.values[:, columns]))
        if self.machine.score is None:
            found = self._bench.score(self.machine.degree, self.machine.cost)
            self.machine = replace(self.machine, score=self._score(found))

    def _nest(self, shown: Trace) -> None:
        assert self.machine is not None
        nested = self._bench.nested(**self._options.grid, progress=shown.progressed)
        if nested is None:
            return
        self.machine = replace(self.machine, nested_score=self._score(nested))
        if not nested.complete:
            raise KeyboardInterrupt

    def _score(self, folds: FoldScores) -> CrossValidation:
        measure: Literal["AUC", "R2"] = "R2" if self._target.is_continuous else "AUC"
        return CrossValidation(measure, folds.mean, folds.standard_error, len(folds.scores))


def affordable_folds(target: NumericTarget, name: str, folds: int) -> tuple[int, list[str]]:
    """Return no more folds than the rarest class has rows, and say if that is few."""
    if target.is_continuous:
        return min(folds, len(target.values)), []
    counts = np.bincount(target.values)
    n_rows = int(counts.min())
    rarest = f"Class {target.classes[int(counts.argmin())]!r} of target {name!r}"
    if n_rows < 2:
        raise TooFewRowsError(
            f"{rarest} has a single row, so it cannot be trained on and tested on; leave the class "
            "out, or merge it with another."
        )
    few = n_rows < _FEW_ROWS
    doubts = [f"{rarest} has only {n_rows} rows, which can carry little."] if few else []
    return min(folds, n_rows), doubts


def tested_as_numbers(test: TestSource, table: FeatureTable, target: NumericTarget) -> bool:
    """Decide whether features are tested as numbers: two classes can be, more cannot."""
    entry = entry_of(test)
    kinds = AUTO.kinds if entry is None else entry.kinds
    if target.is_continuous:
        return True
    if "discrete" not in kinds and len(target.classes) > 2:
        assert entry is not None
        raise OptionError(
            f"{entry.name!r} takes a target of two classes as the numbers 0 and 1, but this one "
            f"has {len(target.classes)} classes; use 'auto', 'g_square' or 'chi_square'."
        )
    if len(kinds) == 1:
        return "continuous" in kinds
    return len(target.classes) == 2 and not few_valued(table).all()


def _search_record(method: str, found: MachineFeatures, table: FeatureTable) -> FeatureSearch:
    return FeatureSearch(
        method=method,
        n_total=found.n_total,
        n_built=found.n_built,
        n_found=len(found.features),
        n_proven=found.n_proven,
        unseen=found.unseen,
        n_constant=table.n_constant,
        n_repeated=sum(map(len, table.twins)),
        stopped=found.stopped,
        seconds=found.seconds,
    )
