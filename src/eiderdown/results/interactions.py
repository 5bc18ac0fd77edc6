"""Products of variables that matter together, found in the feature space of a machine."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from eiderdown.results.local import Evidence, LocalResult
from eiderdown.results.result import Result
from eiderdown.results.run import Run

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
class TriedMachine:
    """One pair of options that was tried.

    Attributes
    ----------
    degree : int
        Degree of the kernel.
    cost : float
        What a row on the wrong side costs (C).
    mean, standard_error : float
        Cross-validated AUC or R2 over the folds.
    """

    degree: int
    cost: float
    mean: float
    standard_error: float


@dataclass(frozen=True)
class Machine:
    """The support vector machine whose features were searched.

    Attributes
    ----------
    degree : int
        Degree of its polynomial kernel.
    cost : float
        What a row on the wrong side costs (C).
    n_support_vectors : int
        Support vectors of all its models: one, or one for each pair of classes.
    score : CrossValidation or None
        How well it predicts with this degree and cost; None if interrupted before.
    nested_score : CrossValidation or None
        How well a machine predicts whose degree and cost are chosen without the test rows; None if
        they were given.
    tried : tuple of TriedMachine
        What was tried to choose degree and cost; () if they were given.
    """

    degree: int
    cost: float
    n_support_vectors: int
    score: CrossValidation | None = None
    nested_score: CrossValidation | None = None
    tried: tuple[TriedMachine, ...] = ()


@dataclass(frozen=True)
class FeatureSearch:
    """How the features with the largest weights were found, and how many were judged.

    Attributes
    ----------
    method : str
        Search for the largest weights.
    n_total : int
        Features of the machine's space.
    n_built : int
        Features whose weight was computed, over all models.
    n_found : int
        Features with the largest weights that were taken.
    n_proven : int
        So many of them, from the top, have the largest weights for certain.
    unseen : float
        No feature that was not built has a larger absolute weight.
    n_constant, n_repeated : int
        Features that were not judged because they do not vary, or because a simpler feature
        carries the same information.
    stopped : str or None
        What ended the search early: "features", "seconds" or "interrupted".
    seconds : float
        Wall-clock time.
    """

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
        """Whether all features that were taken have the largest weights for certain."""
        return self.n_proven == self.n_found

    def log_level(self, alpha: float) -> float:
        """Logarithm of a level that is divided by the number of all features."""
        return math.log(alpha) - math.log(self.n_total)


@dataclass(frozen=True)
class KeptFeature:
    """A product of variables in the boundary of the target.

    Attributes
    ----------
    name : str
        Such as ``x3 * x7^2``.
    factors : tuple of pairs
        Numeric columns and their exponents; the numeric columns of a text with more than two
        categories are indicators, such as ``colour=red``.
    variables : tuple of str
        The columns of the table behind them.
    weight : float
        Its weight in the machine.
    evidence : Evidence
        Its decisive test.
    same_as : tuple of str
        Features with large weights that carry the same information.
    classes : pair of str or None
        The two classes that the machine with this weight tells apart, where there are more.
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
    """The boundary of a variable in the feature space of a polynomial machine.

    Attributes
    ----------
    target : str
        The variable that was asked about.
    variables : tuple of str
        The columns behind the kept features, those of the strongest feature first.
    features : tuple of KeptFeature
        The kept features, from the strongest evidence to the weakest.
    boundary : LocalResult or None
        The local search among the features, with all its evidence; None if interrupted before.
    machine : Machine or None
        The support vector machine; None if interrupted before.
    search : FeatureSearch or None
        The search for its largest weights; None if interrupted before.
    linear_score : CrossValidation or None
        How well a linear model of the kept features predicts. Its coefficients are cross-validated;
        the features were chosen with all rows, which flatters it.
    run : Run
        How it was found.
    by_chance : tuple of KeptFeature
        What the local search kept as well, and was left out because chance alone could have put it
        there, among so many features, while others are beyond that.
    warnings : tuple of str
        What the data could not carry, or what was left out.
    complete : bool
        False if the search was interrupted and this is what there is so far.
    """

    kind = "interactions"

    target: str
    variables: tuple[str, ...]
    features: tuple[KeptFeature, ...]
    boundary: LocalResult | None
    machine: Machine | None
    search: FeatureSearch | None
    linear_score: CrossValidation | None
    run: Run
    by_chance: tuple[KeptFeature, ...] = ()
    warnings: tuple[str, ...] = ()
    complete: bool = True

    @property
    def members(self) -> tuple[str, ...]:
        """The columns behind the kept features, under the name that other results have for it."""
        return self.variables

    @property
    def beyond_chance(self) -> tuple[str, ...]:
        """Names of the kept features that pass their test even if all features had been tested.

        The machine picks features by the same rows that test them. Its choice cannot explain a
        p-value that, times the number of all its features, is below the significance level.
        """
        if self.search is None:
            return ()
        limit = self.search.log_level(self.run.options["alpha"])
        return tuple(item.name for item in self.features if item.evidence.log_p <= limit)
