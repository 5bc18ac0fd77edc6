"""Selectors of columns by name: those of the thesis's comparison (Brown 2009, tables B-6 to B-8).

Names end in how they narrow down where they do: ``_50`` drops half of the columns in each round,
``_20`` a fifth. A selector is a function of a :class:`SelectionTask` that
returns the columns to keep. Cancelled, it raises, whatever it has so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, TypeAlias

import numpy as np

from eiderdown.api.boundary import find_boundary, find_parents_children
from eiderdown.api.interactions import find_interactions
from eiderdown.api.penalised_selectors import elastic_net, l1, l1_products
from eiderdown.api.selection_task import Columns, SelectionTask, accepted, jobs
from eiderdown.arrays import FloatArray
from eiderdown.boundary import ALGORITHMS, BOUNDARY_ALGORITHMS
from eiderdown.errors import OptionError
from eiderdown.options import Option
from eiderdown.progress import Cancelled
from eiderdown.registry import Entry, Registry
from eiderdown.svm.elimination import (
    Narrowing,
    Ranking,
    SubsetSelection,
    ranked_selection,
    recursive_elimination,
)
from eiderdown.svm.monomials import Coding, Matrix, coding_of
from eiderdown.svm.rankings import (
    Criterion,
    kruskal_wallis_scores,
    relief_scores,
    signal_to_noise_scores,
)

ALPHA = 0.05
"""Significance level, as in the thesis."""

_N_TREES = 500

Keep: TypeAlias = Annotated[
    float, Option("share of the columns that is kept in each round", default=0.5, inside=(0, 1))
]


@dataclass(frozen=True, eq=False, repr=False)
class Selector(Entry[..., Columns]):
    """A way to select columns."""

    paper: str = field(default="Brown 2009", kw_only=True)


def everything(task: SelectionTask) -> Columns:
    """Keep all columns that vary."""
    return task.sources(range(len(task.source_columns)))


# --- ever fewer columns --------------------------------------------------------------------------


def rfe(task: SelectionTask, *, keep: Keep = 0.5) -> Columns:
    """Drop what a polynomial SVM makes least use of, and train again."""
    found = recursive_elimination(task.X, task.y, _narrowing(task, keep), trace=task.trace)
    return _complete(task, found)


def ranked(
    task: SelectionTask,
    *,
    ranking: Annotated[str, Option("how columns are ranked")],
    keep: Keep = 0.5,
) -> Columns:
    """Rank columns once, and let an SVM say how many of them are best."""
    scores = _RANKINGS[ranking](task)
    found = ranked_selection(task.X, task.y, _narrowing(task, keep), scores, trace=task.trace)
    return _complete(task, found)


def _narrowing(task: SelectionTask, keep: float) -> Narrowing:
    return Narrowing(task.degree, task.C, keep, random_state=task.random_state, params=task.params)


def _complete(task: SelectionTask, found: SubsetSelection) -> Columns:
    if not found.complete:
        raise Cancelled
    return task.sources(found.members)


def _of_classes(task: SelectionTask, ranking: Ranking) -> Ranking:
    """Refuse numbers as the target of a ranking by classes."""
    if task.params.regression:
        raise OptionError(
            f"It needs classes, but target {task.target!r} is continuous; use f_test_50."
        )
    return ranking


def _relief(task: SelectionTask, n_neighbours: int, criterion: Criterion = "difference") -> Ranking:
    return partial(
        relief_scores,
        n_neighbours=n_neighbours,
        regression=task.params.regression,
        criterion=criterion,
    )


def _f_test(task: SelectionTask) -> Ranking:
    from sklearn.feature_selection import f_classif, f_regression

    def scores(X: Matrix, y: Any) -> FloatArray:
        statistics, _ = (f_regression if task.params.regression else f_classif)(accepted(X), y)
        return np.asarray(np.nan_to_num(statistics, nan=0.0), dtype=np.float64)

    return scores


def _mutual_information(task: SelectionTask) -> Ranking:
    from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

    estimate = mutual_info_regression if task.params.regression else mutual_info_classif

    def scores(X: Matrix, y: Any) -> FloatArray:
        discrete = coding_of(X) is not Coding.NUMBERS
        found = estimate(accepted(X), y, discrete_features=discrete, random_state=task.random_state)
        return np.asarray(found, dtype=np.float64)

    return scores


def _forest(task: SelectionTask) -> Ranking:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    options = {"n_estimators": _N_TREES, "random_state": task.random_state, "n_jobs": jobs(task)}
    if task.params.regression:
        forest = RandomForestRegressor(**options)
    else:
        forest = RandomForestClassifier(class_weight=task.params.class_weight, **options)

    def scores(X: Matrix, y: Any) -> FloatArray:
        return np.asarray(forest.fit(accepted(X), y).feature_importances_)

    return scores


_RANKINGS: dict[str, Callable[[SelectionTask], Ranking]] = {
    "kruskal_wallis": partial(_of_classes, ranking=kruskal_wallis_scores),
    "signal_to_noise": partial(_of_classes, ranking=signal_to_noise_scores),
    "f_test": _f_test,
    "mutual_information": _mutual_information,
    "relief_1": partial(_relief, n_neighbours=1),
    "relief_5": partial(_relief, n_neighbours=5),
    "relief_ratio_5": partial(_relief, n_neighbours=5, criterion="ratio"),
    "random_forest": _forest,
}


# --- local searches ------------------------------------------------------------------------------


def searched(
    task: SelectionTask,
    *,
    algorithm: Annotated[str, Option("the local search")],
    max_given: Annotated[int | None, Option("largest conditioning set")] = None,
    params: Annotated[Mapping[str, Any] | None, Option("options of the search's own")] = None,
) -> Columns:
    """Search the boundary, or the parents and children, of the target."""
    is_boundary = algorithm in BOUNDARY_ALGORITHMS
    found = (find_boundary if is_boundary else find_parents_children)(
        task.data,
        target=task.target,
        algorithm=ALGORITHMS[algorithm].with_params(params or {}),
        alpha=ALPHA,
        max_given=max_given,
        n_jobs=task.n_jobs,
        progress=False,
        explain_all=False,
    )
    if not found.complete:
        raise Cancelled
    return tuple(sorted(found.members))


def fsmb(task: SelectionTask) -> Columns:
    """Search interactions."""
    approximation = task.params.approximation
    found = find_interactions(
        task.data,
        target=task.target,
        degree=task.degree,
        C=task.C,
        alpha=ALPHA,
        class_weight=task.params.class_weight,
        approximate=approximation.approximate,
        max_rows=approximation.max_rows,
        n_landmarks=approximation.n_landmarks,
        folds=0,
        random_state=task.random_state,
        n_jobs=task.n_jobs,
        progress=False,
    )
    if not found.complete:
        raise Cancelled
    return tuple(sorted(found.variables))


def _narrowing_selectors() -> Iterator[Selector]:
    """Give each ranking in two speeds."""
    ways = {
        "rfe": ("Drops what a polynomial SVM makes least use of", "Guyon et al. 2002"),
        "kruskal_wallis": ("Ranks columns with the Kruskal-Wallis test", "Kruskal & Wallis 1952"),
        "signal_to_noise": ("Ranks columns by class means over their spread", "Golub et al. 1999"),
        "f_test": ("Ranks columns with an F test", "scikit-learn"),
        "mutual_information": ("Ranks columns by their mutual information", "Ross 2014"),
        "relief_1": ("Ranks columns by ReliefF with one neighbour", "Kononenko 1994"),
        "relief_5": ("Ranks columns by ReliefF with five neighbours", "Kononenko 1994"),
        "relief_ratio_5": (
            "Ranks columns by Relief as a ratio, with five neighbours",
            "Guyon & Elisseeff 2006",
        ),
    }
    for name, (summary, paper) in ways.items():
        for dropped, keep in ((50, 0.5), (20, 0.8)):
            yield Selector(
                rfe if name == "rfe" else ranked,
                f"{summary}; drops {dropped} % each round.",
                name=f"{name}_{dropped}",
                params={"keep": keep} | ({} if name == "rfe" else {"ranking": name}),
                paper=paper,
            )


def _search_selectors() -> Iterator[Selector]:
    """Give the local searches with the options of the thesis, which corrects by no symmetry."""
    max_min: dict[str, Any] = {"symmetry": "none"}
    hiton: dict[str, Any] = {"symmetry": "none", "interleaving": "semi"}
    for name, algorithm, max_given, params in (
        ("koller_sahami_0", "koller_sahami", None, {"blanket_size": 0}),
        ("koller_sahami_1", "koller_sahami", None, {"blanket_size": 1}),
        ("koller_sahami_2", "koller_sahami", None, {"blanket_size": 2}),
        ("iamb", "iamb", None, {}),
        ("hiton_pc_3", "hiton_pc", 3, hiton),
        ("hiton_pc_2", "hiton_pc", 2, hiton),
        ("mmpc_3", "mmpc", 3, max_min),
        ("mmpc_2", "mmpc", 2, max_min),
        ("hiton_mb", "hiton_mb", 3, hiton),
        ("mmmb", "mmmb", 3, max_min),
    ):
        options = [f"max_given={max_given}"] if max_given is not None else []
        options += [f"{option}={value}" for option, value in params.items()]
        yield Selector(
            searched,
            f"The search {algorithm!r} with alpha={ALPHA}{''.join(f', {o}' for o in options)}.",
            name=name,
            params={"algorithm": algorithm, "max_given": max_given, "params": params},
            paper=f"see 'eiderdown algorithms {algorithm}'",
        )


SELECTORS: Registry[Selector] = Registry(
    [
        Selector(everything, "Keeps all columns that vary.", name="none"),
        *_narrowing_selectors(),
        Selector(
            ranked,
            "Ranks columns by their importance in a random forest; drops 50 % each round.",
            name="random_forest",
            params={"ranking": "random_forest", "keep": 0.5},
            paper="Breiman 2001",
        ),
        Selector(
            elastic_net,
            "Keeps what has a coefficient in a linear model with an elastic net.",
            paper="Zou & Hastie 2005",
        ),
        Selector(
            l1,
            "Keeps what has a coefficient in a linear SVM with an L1 penalty.",
            paper="Tibshirani 1996; Zhu, Rosset, Hastie & Tibshirani 2004",
        ),
        Selector(
            l1_products,
            "Keeps the columns of products with a weight in a sparse polynomial SVM.",
            paper="Zhu, Rosset, Hastie & Tibshirani 2004; Brown 2009, II.5.1",
        ),
        *_search_selectors(),
        Selector(fsmb, "Feature space Markov blanket: a boundary among products of columns."),
    ],
    noun="selector",
)
"""Every selector that :func:`eiderdown.compare_selectors` knows."""

COMMON = (
    "none",
    "rfe_50",
    "f_test_50",
    "random_forest",
    "elastic_net",
    "relief_5_50",
    "iamb",
    "hiton_pc_3",
    "hiton_mb",
    "fsmb",
)
"""One of each sort, for those who do not choose."""
