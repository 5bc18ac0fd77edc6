"""FSMB, the Feature Space Markov Blanket (Brown 2009, chapter III).

    1. encode the columns as numbers in [-1, 1]
    2. choose degree and C by cross-validation, and train an SVM with the kernel (x.x' + 1)^d
    3. F = the r monomials (products of columns) with the largest weights, there or in a sparse SVM
    4. B = HITON's boundary of T among the columns of F
    5. return the monomials in B, and the columns that they are products of

Then it is measured how well the SVM and a linear model of the monomials predict. Cancelled in one
of the steps, what the steps before it found stays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np

from eiderdown.data import Dataset
from eiderdown.data.prepare import Prepared
from eiderdown.errors import OptionError
from eiderdown.independence.registry import AUTO, TestSource, entry_of
from eiderdown.progress import Cancelled, Trace
from eiderdown.results import (
    CrossValidation,
    Evidence,
    FittedSVM,
    KeptMonomial,
    LocalResult,
    MonomialSearch,
    TriedSVM,
)
from eiderdown.svm.approximation import Approximation
from eiderdown.svm.cross_validation import FoldScores, affordable_folds
from eiderdown.svm.interaction_options import InteractionOptions
from eiderdown.svm.monomial_table import (
    MonomialTable,
    few_valued,
    monomial_dataset,
    monomial_table,
)
from eiderdown.svm.monomials import Monomial
from eiderdown.svm.numeric import NumericTarget, learn_coding, numeric_target
from eiderdown.svm.sparse import choose_sparse_cost, fit_sparse_svms, largest_of_sparse
from eiderdown.svm.training import SVMParams
from eiderdown.svm.tuning import CS, DEGREES, Tuner
from eiderdown.svm.weights.search import top_monomials_of_all, weights_with
from eiderdown.svm.weights.top_k import TopMonomials

BoundarySearch: TypeAlias = Callable[[Dataset, Sequence[str], int], LocalResult]
"""Finds the target's boundary, given a table of monomials, those that are required, and what to
divide alpha by."""


class FSMB:
    """One search in feature space; its attributes hold what was found so far."""

    def __init__(
        self,
        problem: Prepared,
        options: InteractionOptions,
        find_boundary: BoundarySearch,
        *,
        test: TestSource,
    ) -> None:
        degree, C, folds = options["degree"], options["C"], options["folds"]
        self._is_chosen = degree is None or C is None
        if folds == 1:
            raise OptionError("folds must be at least 2, or 0 for none, not 1.")
        if (
            options["penalty"] == "l1"
            and numeric_target(problem.data, problem.target_name).is_continuous
        ):
            raise OptionError(
                f"penalty='l1' is for classes, but target {problem.target_name!r} is continuous; "
                "use 'l2'."
            )
        if folds == 0 and self._is_chosen:
            raise OptionError("Without folds nothing can be chosen; give both degree and C.")
        self._grid = (DEGREES if degree is None else (degree,), CS if C is None else (C,))
        self._data, self._options, self._find_boundary = problem.data, options, find_boundary
        self._test = test
        self._target_name = problem.target_name
        self._target = numeric_target(problem.data, self._target_name)
        # 1. Columns as numbers.
        self._coding = learn_coding(
            problem.data, list(problem.candidate_names), coding=options["coding"]
        )
        sources, wanted = self._coding.source_columns, set(options["required"])
        self._required = [Monomial.of([v]) for v, name in enumerate(sources) if name in wanted]
        self._X = self._coding.matrix(problem.data)
        self._tuner = self._tuner_of(folds)
        self.svm: FittedSVM | None = None
        self.search: MonomialSearch | None = None
        self.boundary: LocalResult | None = None
        self.monomials: tuple[KeptMonomial, ...] = ()
        self.by_chance: tuple[KeptMonomial, ...] = ()
        self.linear_score: CrossValidation | None = None
        self.interrupted_while: str | None = None

    def _tuner_of(self, folds: int) -> Tuner:
        """Take the rows that SVMs are trained with: all of them, or a sample."""
        options, target = self._options, self._target
        self.approximation = Approximation.of(options)
        params = SVMParams(
            regression=target.is_continuous,
            class_weight=options["class_weight"],
            approximation=self.approximation,
        )
        self._sample, params = params.sampled(target.values)
        X = self._X
        if self._sample is not None:
            X, target = X[self._sample], replace(target, values=target.values[self._sample])
        n_folds, self.notes = affordable_folds(target, self._target_name, folds)
        warning = self.approximation.warning(self._data.n_rows)
        if warning is not None:
            self.notes.append(f"{warning} Products were tested with all rows.")
        return Tuner(X, target.values, params, n_folds, options["random_state"])

    def run(self, trace: Trace) -> None:
        """Go through the steps until one is cancelled."""
        steps: dict[str, Callable[[], None]] = {
            "choosing degree and C": lambda: self._choose(trace),
            "training the SVM": self._train,
            "searching its monomials": self._find,
            "judging the monomials": self._judge,
            "measuring how well they predict": self._measure,
        }
        if self._is_chosen and self._options["nested"]:
            steps["repeating the choice of degree and C"] = lambda: self._nest(trace)
        for phase, step in steps.items():
            try:
                trace.progressed(phase, 0)
                step()
            except Cancelled:
                self.interrupted_while = phase
                return

    def _choose(self, trace: Trace) -> None:
        """2. Degree and C, unless they are given."""
        degree, C = self._options["degree"], self._options["C"]
        if degree is not None and C is not None:
            self.svm = FittedSVM(degree, C, 0)
            return
        tuning = self._tuner.tune(*self._grid, trace=trace)
        tried = [TriedSVM(p.degree, p.C, p.mean, p.standard_error) for p in tuning.table]
        best = tuning.best
        self.svm = FittedSVM(best.degree, best.C, 0, score=self._score(best), tried=tuple(tried))
        if not tuning.complete:
            raise Cancelled

    def _train(self) -> None:
        """2. The SVM."""
        assert self.svm is not None
        self._models, converged = self._tuner.train(self.svm.degree, self.svm.C)
        n_vectors = sum(model.n_vectors for model in self._models)
        self.svm = replace(self.svm, n_support_vectors=n_vectors)
        if not converged:
            self.notes.append(
                f"The SVM of degree {self.svm.degree} with C={self.svm.C:g} was still improving "
                "when its training was ended; its weights may be off, and a smaller C may be "
                "better."
            )

    def _find(self) -> None:
        """3. The monomials with the largest weights, as columns."""
        options = self._options
        self._tuner.forget_gram()  # weights need as much memory as the training did
        if options["penalty"] == "l1":
            found = self._sparse()
            self._weights = weights_with(found, (), self._required)
        else:
            found = top_monomials_of_all(
                self._models,
                self._X,
                options["n_monomials"],
                method=options["method"],
                max_built=options["max_built"],
                max_seconds=options["max_seconds"],
            )
            self._weights = weights_with(found, self._models, self._required)
        table = self._table = monomial_table(
            self._X,
            self._coding.names,
            list(self._weights),
            np.array([weight for weight, _ in self._weights.values()]),
            required=self._required,
            reserved=(self._target_name,),
        )
        self.search = MonomialSearch(
            method=found.method,
            n_total=found.n_total,
            n_built=found.n_built,
            n_found=len(found.monomials),
            n_proven=found.n_proven,
            unseen=found.unseen,
            n_constant=table.n_constant,
            n_repeated=sum(map(len, table.twins)),
            stopped=found.stopped,
            seconds=found.seconds,
        )
        if found.stopped == "interrupted":
            raise Cancelled

    def _sparse(self) -> TopMonomials:
        """3. Or those with a weight in a sparse SVM of the same degree."""
        assert self.svm is not None
        options, X, y = self._options, self._tuner.X, self._tuner.y
        how: dict[str, Any] = {
            "class_weight": options["class_weight"],
            "method": options["method"],
            "max_built": options["max_built"],
            "max_seconds": options["max_seconds"],
        }
        degree, C = self.svm.degree, options["C"]
        if C is None:
            folds, seed = self._tuner.n_folds, options["random_state"]
            C = choose_sparse_cost(X, y, degree=degree, folds=folds, random_state=seed, **how)
        models = fit_sparse_svms(X, y, degree=degree, C=C, **how)
        found = largest_of_sparse(models, self._X, options["n_monomials"])
        return replace(found, method=f"l1, C={C:g}")

    def _judge(self) -> None:
        """4. The boundary among them, and 5. its monomials."""
        if len(self._table) == 0:
            self.notes.append("No monomial with a large weight varies, so there is none to judge.")
            return
        assert self.search is not None
        as_numbers = tested_as_numbers(self._test, self._table, self._target)
        columns = monomial_dataset(
            self._table, self._data, self._target_name, as_numbers=as_numbers
        )
        required = [self._table.name_of(q) for q in self._required]
        divisor = self.search.n_total if self._options["strict"] else 1
        self.boundary = self._find_boundary(columns, required, divisor)
        self.monomials = tuple(map(self._kept, self.boundary.evidence_with("kept")))
        if self._options["strict"] is None:
            self._leave_out_chance(set(required))
        if not self.boundary.complete:
            raise Cancelled

    def _leave_out_chance(self, required: set[str]) -> None:
        """Keep what is beyond chance, if there is such a monomial and the SVM had a choice."""
        assert self.search is not None
        level = self.search.log_level(self._options["alpha"])
        sure = [q for q in self.monomials if q.evidence.log_p <= level or q.name in required]
        had_choice = self.search.n_total > self._options["n_monomials"]
        if had_choice and any(q.name not in required for q in sure):
            self.by_chance = tuple(q for q in self.monomials if q not in sure)
            self.monomials = tuple(sure)

    def _kept(self, evidence: Evidence) -> KeptMonomial:
        k = self._table.names.index(evidence.variable)
        monomial = self._table.monomials[k]
        weight, pair = self._weights[monomial]
        sources, classes = self._coding.source_columns, self._target.classes
        return KeptMonomial(
            name=evidence.variable,
            factors=tuple((self._coding.names[v], exponent) for v, exponent in monomial.factors),
            variables=tuple(dict.fromkeys(sources[v] for v in monomial.variables)),
            weight=weight,
            evidence=evidence,
            same_as=self._table.twins[k],
            classes=None if pair is None else (str(classes[pair[0]]), str(classes[pair[1]])),
        )

    def _measure(self) -> None:
        assert self.svm is not None
        if self._options["folds"] == 0:
            return
        if self.monomials:
            columns = [self._table.names.index(monomial.name) for monomial in self.monomials]
            values = self._table.values[:, columns]
            values = values if self._sample is None else values[self._sample]
            self.linear_score = self._score(self._tuner.linear(values))
        if self.svm.score is None:
            found = self._tuner.score(self.svm.degree, self.svm.C)
            self.svm = replace(self.svm, score=self._score(found))

    def _nest(self, trace: Trace) -> None:
        assert self.svm is not None
        nested = self._tuner.nested(*self._grid, trace=trace)
        if nested is None:
            return
        self.svm = replace(self.svm, nested_score=self._score(nested))
        if not nested.complete:
            raise Cancelled

    def _score(self, folds: FoldScores) -> CrossValidation:
        measure: Literal["AUC", "R2"] = "R2" if self._target.is_continuous else "AUC"
        return CrossValidation(measure, folds.mean, folds.standard_error, len(folds.scores))


def tested_as_numbers(test: TestSource, table: MonomialTable, target: NumericTarget) -> bool:
    """Decide whether monomials are tested as numbers: two classes can be, more cannot."""
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
