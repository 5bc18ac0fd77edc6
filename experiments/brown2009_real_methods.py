"""What the methods of Brown (2009) select in real data, and how well an SVM does with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from brown2009_real_data import SEED, RealData, Split
from brown2009_searches import ALPHA, HITON, MAX_GIVEN
from scipy.sparse import issparse
from sklearn.feature_selection import VarianceThreshold
from sklearn.metrics import roc_auc_score

from eiderdown import Dataset, find_boundary, find_interactions, find_parents_children
from eiderdown.arrays import IntArray
from eiderdown.boundary import HITON_PC
from eiderdown.estimators import BoundaryWrapper
from eiderdown.results import KeptMonomial
from eiderdown.svm import Monomial, map_to_monomials
from eiderdown.svm.elimination import Narrowing, recursive_elimination
from eiderdown.svm.training import fit_polynomial_svm
from eiderdown.svm.tuning import DEGREES, GridScore, Tuner
from eiderdown.svm.weights.search import top_monomials_of_all

INNER_FOLDS = 5
TARGET = "target"
N_BUILT = 20_000  # features that Heur2 builds
MOST_COLUMNS = 50_000  # around each of which HITON-MB searches
HITON_NEAR = HITON_PC(symmetry="none", interleaving="semi")


@dataclass(frozen=True, eq=False)
class Part:
    """One split, with columns scaled by the training rows, and what was chosen there."""

    train: Any
    test: Any
    train_classes: IntArray
    test_classes: IntArray
    degree: int
    cost: float
    n_features: int

    @classmethod
    def of(cls, data: RealData, split: Split) -> Part:
        """Cut, scale, and choose degree and cost."""
        train, test = (data.matrix[rows] for rows in split)
        if not issparse(train):
            train, test = _scaled(train, test)
        of_train, of_test = (data.classes[rows] for rows in split)
        best = _chosen(train, of_train)
        return cls(train, test, of_train, of_test, best.degree, best.C, data.n_features)

    def table(self, target: Any) -> Dataset:
        """Return the training rows and a target as a table."""
        if issparse(self.train):
            return Dataset.from_sparse(self.train, extra={TARGET: target})
        columns = {f"x{i}": column for i, column in enumerate(self.train.T)}
        return Dataset.from_columns(columns | {TARGET: target})

    def auc(self, train: Any, test: Any, **chosen: Any) -> float:
        """Train a machine on some columns, and measure it on the test rows."""
        (machine,) = fit_polynomial_svm(train, self.train_classes, **chosen)
        return float(roc_auc_score(self.test_classes == machine.classes[1], machine.decision(test)))


@dataclass(frozen=True)
class Selected:
    """What was selected in one part, and the AUC with it."""

    variables: frozenset[int]
    auc: float
    features: tuple[Monomial, ...] | None = None


def everything(part: Part) -> Selected:
    """Select nothing."""
    auc = part.auc(part.train, part.test, degree=part.degree, C=part.cost)
    return Selected(frozenset(range(part.train.shape[1])), auc)


def rfe(part: Part) -> Selected:
    """Halve the variables by the weights of the SVM."""
    return _eliminated(part, part.degree, part.cost)


def linear_rfe(part: Part) -> Selected:
    """Halve the variables by the weights of a linear SVM, as the thesis does (II.4.4)."""
    return _eliminated(part, 1, _chosen(part.train, part.train_classes, degrees=(1,)).C)


def _eliminated(part: Part, degree: int, cost: float) -> Selected:
    found = recursive_elimination(
        part.train, part.train_classes, Narrowing(degree=degree, C=cost, random_state=SEED)
    )
    return _with_columns(part, list(found.members))


def hiton(part: Part) -> Selected:
    """Search by pairwise tests: G2, or Fisher's z if the variables are numbers."""
    return _with_columns(part, _hiton_members(part))


def wrapped_hiton(part: Part) -> Selected:
    """Search by pairwise tests, then drop what an SVM predicts no worse without."""
    members = _hiton_members(part)
    if not members:
        return _with_columns(part, [])
    wrapper = BoundaryWrapper(selector=VarianceThreshold())
    wrapper.fit(part.train[:, members], part.train_classes)
    return _with_columns(part, [members[i] for i in wrapper.get_support(indices=True)])


@cache
def _hiton_members(part: Part) -> list[int]:
    """Search around the target; in a wide table without searches around each neighbour."""
    classes = part.train_classes
    is_wide = part.train.shape[1] > MOST_COLUMNS
    found = (find_parents_children if is_wide else find_boundary)(
        part.table(classes if issparse(part.train) else classes.astype(float)),
        target=TARGET,
        algorithm=HITON_NEAR if is_wide else HITON,
        alpha=ALPHA,
        max_given=MAX_GIVEN,
        explain_all=False,
        progress=False,
    )
    return [int(name[1:]) for name in found.members]


def top_features(part: Part) -> Selected:
    """Put the features of degree 2 (as in II-8) that Heur2 finds into a linear SVM."""
    best = _chosen(part.train, part.train_classes, degrees=(2,))
    models = fit_polynomial_svm(part.train, part.train_classes, degree=2, C=best.C)
    found = top_monomials_of_all(
        models, part.train, part.n_features, method="heur2", max_built=N_BUILT
    )
    return _with_features(part, found.monomials)


def fsmb(part: Part) -> Selected:
    """Search among the features with the largest weights; judge them by a linear SVM."""
    return _with_features(part, fsmb_features(part))


def fsmb_features(part: Part) -> tuple[Monomial, ...]:
    """Return the features that FSMB keeps, the largest weight first."""
    found = find_interactions(
        part.table(part.train_classes),
        target=TARGET,
        degree=part.degree,
        C=part.cost,
        n_monomials=part.n_features,
        alpha=ALPHA,
        max_given=MAX_GIVEN,
        algorithm=HITON,
        progress=False,
    )
    return tuple(_monomial(feature) for feature in found.monomials)


METHODS: dict[str, Callable[[Part], Selected]] = {
    "all": everything,
    "RFE, linear": linear_rfe,
    "RFE": rfe,
    "HITON": hiton,
    "HITON with wrapper": wrapped_hiton,
    "top features": top_features,
    "FSMB": fsmb,
}


def _with_columns(part: Part, columns: list[int]) -> Selected:
    if not columns:
        return Selected(frozenset(), 0.5)
    train, test = part.train[:, columns], part.test[:, columns]
    best = _chosen(train, part.train_classes)
    return Selected(frozenset(columns), part.auc(train, test, degree=best.degree, C=best.C))


def _with_features(part: Part, features: tuple[Monomial, ...]) -> Selected:
    if not features:
        return Selected(frozenset(), 0.5, ())
    train, test = (map_to_monomials(matrix, features) for matrix in (part.train, part.test))
    cost = _chosen(train, part.train_classes, degrees=(1,)).C
    variables = frozenset(v for feature in features for v in feature.variables)
    return Selected(variables, part.auc(train, test, degree=1, C=cost), features)


def _chosen(matrix: Any, classes: IntArray, degrees: Sequence[int] = DEGREES) -> GridScore:
    """Choose degree and C in the training rows."""
    return Tuner.of(matrix, classes, folds=INNER_FOLDS, random_state=SEED).tune(degrees).best


def _scaled(train: Any, test: Any) -> tuple[Any, Any]:
    """Scale to [-1, 1] by the training rows; leave out what does not vary there."""
    low, high = train.min(axis=0), train.max(axis=0)
    varies = high > low
    low, high = low[varies], high[varies]
    return tuple(2.0 * (rows[:, varies] - low) / (high - low) - 1.0 for rows in (train, test))


def _monomial(feature: KeptMonomial) -> Monomial:
    """Turn the names of columns back into their numbers."""
    return Monomial(tuple(sorted((int(name[1:]), power) for name, power in feature.factors)))
