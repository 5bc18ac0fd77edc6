"""What polynomial SVMs tell: products of variables that matter together; selectors side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import ClassVar, Literal, TypeAlias

from eiderdown.results.codec import Limits, stored_as
from eiderdown.results.evidence import Evidence
from eiderdown.results.local import LocalResult
from eiderdown.results.result import Result, Run

Measure: TypeAlias = Literal["AUC", "R2"]


@dataclass(frozen=True)
class CrossValidation:
    """How well something predicts the target in rows that it was not trained on.

    Attributes
    ----------
    measure : {"AUC", "R2"}
        Area under the ROC curve (its mean over pairs of classes if there are more than two), or
        the share of a continuous target's variance that is explained.
    mean, standard_error : float
        Over the folds.
    n_folds : int
        How many folds.
    """

    measure: Measure
    mean: float
    standard_error: float
    n_folds: int


@dataclass(frozen=True)
class TriedSVM:
    """One pair of options that was tried.

    Attributes
    ----------
    degree : int
        Degree of the kernel.
    C : float
        What a row on the wrong side costs.
    mean, standard_error : float
        Cross-validated AUC or R2 over the folds.
    """

    degree: int
    C: float = field(metadata=stored_as("cost"))
    mean: float
    standard_error: float


@dataclass(frozen=True)
class FittedSVM:
    """The support vector machine whose monomials were searched.

    Attributes
    ----------
    degree : int
        Degree of its polynomial kernel.
    C : float
        What a row on the wrong side costs.
    n_support_vectors : int
        Support vectors of all its models: one, or one for each pair of classes.
    score : CrossValidation or None
        How well it predicts with this degree and C; None if interrupted before.
    nested_score : CrossValidation or None
        How well an SVM predicts whose degree and C are chosen without the test rows; None if
        they were given.
    tried : tuple of TriedSVM
        What was tried to choose degree and C; () if they were given.
    """

    degree: int
    C: float = field(metadata=stored_as("cost"))
    n_support_vectors: int
    score: CrossValidation | None = None
    nested_score: CrossValidation | None = None
    tried: tuple[TriedSVM, ...] = ()


@dataclass(frozen=True)
class MonomialSearch:
    """How the monomials with the largest weights were found, and how many were judged.

    Attributes
    ----------
    method : str
        Search for the largest weights.
    n_total : int
        Monomials of the SVM's space.
    n_built : int
        Monomials whose weight was computed, over all models.
    n_found : int
        Monomials with the largest weights that were taken.
    n_proven : int
        So many of them, from the top, have the largest weights for certain.
    unseen : float
        No monomial that was not built has a larger absolute weight.
    n_constant, n_repeated : int
        Monomials that were not judged because they do not vary, or because a simpler monomial
        carries the same information.
    stopped : str or None
        What ended the search early: "monomials", "seconds" or "interrupted".
    seconds : float
        Wall-clock time.
    """

    limits: ClassVar[Limits] = {"n_total": (1, math.inf)}

    method: str
    n_total: int
    n_built: int
    n_found: int
    n_proven: int
    unseen: float
    n_constant: int
    n_repeated: int
    stopped: str | None
    seconds: float

    @property
    def proven(self) -> bool:
        """Whether all monomials that were taken have the largest weights for certain."""
        return self.n_proven == self.n_found

    def log_level(self, alpha: float) -> float:
        """Logarithm of a significance level that is divided by the number of all monomials."""
        return math.log(alpha) - math.log(self.n_total)


@dataclass(frozen=True)
class KeptMonomial:
    """A product of variables in the boundary of the target.

    Attributes
    ----------
    name : str
        Such as ``x3 * x7^2``.
    factors : tuple of pairs
        Numeric columns and their exponents; the numeric columns of a text with more than two
        categories are indicators, such as ``colour=red``.
    variables : tuple of str
        The columns of the table that it is a product of.
    weight : float
        Its weight in the SVM.
    evidence : Evidence
        Its decisive test.
    same_as : tuple of str
        Monomials with large weights that carry the same information.
    classes : pair of str or None
        The two classes that the SVM with this weight tells apart, where there are more.
    """

    name: str
    factors: tuple[tuple[str, int], ...]
    variables: tuple[str, ...]
    weight: float
    evidence: Evidence
    same_as: tuple[str, ...] = ()
    classes: tuple[str, str] | None = None

    @property
    def degree(self) -> int:
        """Sum of the exponents."""
        return sum(exponent for _, exponent in self.factors)


@dataclass(frozen=True)
class Interactions(Result):
    """The boundary of a variable in the feature space of a polynomial SVM.

    Attributes
    ----------
    target : str
        The variable that was asked about.
    variables : tuple of str
        The columns that the kept monomials are products of, those of the strongest monomial first.
    monomials : tuple of KeptMonomial
        The kept monomials, from the strongest evidence to the weakest.
    boundary : LocalResult or None
        The local search among the monomials, with all its evidence; None if interrupted before.
    svm : FittedSVM or None
        The support vector machine; None if interrupted before.
    search : MonomialSearch or None
        The search for its largest weights; None if interrupted before.
    linear_score : CrossValidation or None
        How well a linear model of the kept monomials predicts. Its coefficients are
        cross-validated; the monomials were chosen with all rows, which flatters it.
    run : Run
        How it was found.
    by_chance : tuple of KeptMonomial
        What the local search kept as well, and was left out because chance alone could have put it
        there, among so many monomials, while others are beyond that.
    warnings : tuple of str
        For what the data were insufficient, or what was left out.
    complete : bool
        False if the search was interrupted and this is what there is so far.
    """

    kind = "interactions"

    target: str
    variables: tuple[str, ...]
    monomials: tuple[KeptMonomial, ...] = field(metadata=stored_as("features"))
    boundary: LocalResult | None
    svm: FittedSVM | None = field(metadata=stored_as("machine"))
    search: MonomialSearch | None
    linear_score: CrossValidation | None
    run: Run
    by_chance: tuple[KeptMonomial, ...] = ()
    warnings: tuple[str, ...] = ()
    complete: bool = True

    def refuse_contradictions(self) -> None:
        """Refuse a run that is not one of a search for interactions."""
        self.run.require_alpha()
        if not isinstance(self.run.options.get("local"), str):
            raise ValueError("its run does not name a local search")

    @property
    def members(self) -> tuple[str, ...]:
        """The columns of the kept monomials, under the name that other results have for it."""
        return self.variables

    @property
    def beyond_chance(self) -> tuple[str, ...]:
        """Names of the kept monomials that pass their test even if all monomials had been tested.

        The SVM picks monomials by the same rows that test them. Its choice cannot explain a
        p-value that, times the number of all its monomials, is below the significance level.
        """
        if self.search is None:
            return ()
        limit = self.search.log_level(self.run.options["alpha"])
        return tuple(item.name for item in self.monomials if item.evidence.log_p <= limit)


@dataclass(frozen=True)
class Trial:
    """One selector on one split of the rows.

    Attributes
    ----------
    n_variables : int
        How many columns it selected.
    variables : tuple of str or None
        Which ones; None where they are too many to be listed.
    score : float
        How well an SVM that was trained on them predicts the rows kept aside.
    degree, C
        The SVM, chosen without those rows; None where nothing was selected.
    seconds : float
        Wall-clock time of the selection.
    """

    limits: ClassVar[Limits] = {"score": (-1e100, 1e100), "seconds": (0.0, 1e100)}

    n_variables: int
    variables: tuple[str, ...] | None
    score: float
    degree: int | None
    C: float | None = field(metadata=stored_as("cost"))
    seconds: float


@dataclass(frozen=True)
class ComparedSelector:
    """One row of the comparison.

    Attributes
    ----------
    name : str
        Registered name of the selector.
    summary : str
        What it does.
    trials : tuple of Trial
        One for each split that it finished.
    problem : str or None
        Why some splits are missing; None if none are.
    """

    name: str
    summary: str
    trials: tuple[Trial, ...]
    problem: str | None = None

    @property
    def n_variables(self) -> float | None:
        """Mean number of selected columns; None without a trial."""
        return _mean([trial.n_variables for trial in self.trials])

    @property
    def score(self) -> float | None:
        """Mean score; None without a trial."""
        return _mean([trial.score for trial in self.trials])

    @property
    def standard_error(self) -> float | None:
        """Standard error of the score over the splits; None with fewer than two trials."""
        scores = [trial.score for trial in self.trials]
        return stdev(scores) / len(scores) ** 0.5 if len(scores) > 1 else None

    @property
    def seconds(self) -> float | None:
        """Mean time of a selection; None without a trial."""
        return _mean([trial.seconds for trial in self.trials])


@dataclass(frozen=True)
class SelectorComparison(Result):
    """Several selectors of columns, and how well an SVM predicts with what each selects.

    Iterating gives the selectors in the order in which they were asked for.

    Attributes
    ----------
    target : str
        The column to predict.
    measure : {"AUC", "R2"}
        What the scores are.
    n_variables : int
        Columns to select from.
    n_splits : int
        How often rows were kept aside.
    tested_on : str
        Which rows were, for people.
    selectors : tuple of ComparedSelector
        One row for each selector.
    run, warnings, complete
        See :class:`Result`.
    """

    kind = "selector_comparison"
    limits: ClassVar[Limits] = {"n_variables": (1, math.inf)}

    target: str
    measure: Measure
    n_variables: int
    n_splits: int
    tested_on: str
    selectors: tuple[ComparedSelector, ...]
    run: Run
    warnings: tuple[str, ...] = ()
    complete: bool = True

    def __iter__(self) -> Iterator[ComparedSelector]:
        return iter(self.selectors)

    def __len__(self) -> int:
        return len(self.selectors)

    def __getitem__(self, name: str) -> ComparedSelector:
        return {row.name: row for row in self.selectors}[name]

    def percentage(self, row: ComparedSelector) -> float | None:
        """Return how many of a hundred columns a selector keeps; None without a trial."""
        return None if row.n_variables is None else 100.0 * row.n_variables / self.n_variables


def _mean(numbers: list[float] | list[int]) -> float | None:
    return fmean(numbers) if numbers else None
