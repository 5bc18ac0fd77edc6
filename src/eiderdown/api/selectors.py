"""Selectors of columns by name: those of the thesis's comparison (Brown 2009, tables B-6 to B-8).

Names end in how they narrow down where they do: ``_50`` drops half of the columns in each round,
``_20`` a fifth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

from eiderdown.api.boundary import find_boundary, find_parents_children
from eiderdown.api.interactions import find_interactions
from eiderdown.api.library_selectors import (
    elastic_net,
    f_scores,
    forest_scores,
    information_scores,
    l1,
)
from eiderdown.api.selection_task import ColumnSelector, SelectionTask
from eiderdown.arrays import FloatArray
from eiderdown.boundary import BOUNDARY_ALGORITHMS
from eiderdown.errors import OptionError
from eiderdown.independence.registry import AUTO
from eiderdown.old_registry import Algorithm, Registry
from eiderdown.svm.elimination import recursive_elimination
from eiderdown.svm.filters import kruskal_wallis_scores, signal_to_noise_scores
from eiderdown.svm.monomials import Matrix
from eiderdown.svm.relief import relief_selection
from eiderdown.svm.subset_wrapper import HeldOut, SubsetSelection, narrow

ALPHA = 0.05
"""Significance level, as in the thesis."""

_TEST_SHARE = 0.2
_THESIS = "Brown 2009"

Scores: TypeAlias = Callable[[SelectionTask, Matrix, Any], FloatArray]


def _everything(task: SelectionTask) -> tuple[str, ...]:
    return task.columns_behind(range(len(task.behind)))


def _narrowed(task: SelectionTask, found: SubsetSelection) -> tuple[str, ...]:
    if not found.complete:
        raise KeyboardInterrupt
    return task.columns_behind(found.members)


def _eliminated(task: SelectionTask, *, keep: float) -> tuple[str, ...]:
    found = recursive_elimination(task.X, task.y, keep=keep, **_machine(task))
    return _narrowed(task, found)


def _relief(task: SelectionTask, *, n_neighbours: int, keep: float) -> tuple[str, ...]:
    options = _machine(task)
    found = relief_selection(task.X, task.y, n_neighbours=n_neighbours, keep=keep, **options)
    return _narrowed(task, found)


def _machine(task: SelectionTask) -> dict[str, Any]:
    return {
        "degree": task.degree,
        "C": task.cost,
        "random_state": task.random_state,
        "regression": task.params.regression,
        "class_weight": task.params.class_weight,
    }


def _ranked(task: SelectionTask, *, scores: Scores, keep: float) -> tuple[str, ...]:
    """Rank columns once, and let a machine say how many of them are best."""
    data = HeldOut.of(
        task.X,
        task.y,
        test_share=_TEST_SHARE,
        random_state=task.random_state,
        names=None,
        params=task.params,
    )
    fixed = scores(task, data.X_train, data.y_train)
    found = narrow(
        data,
        lambda left, _: fixed[left],
        degree=task.degree,
        cost=task.cost,
        keep=keep,
        params=task.params,
    )
    return _narrowed(task, found)


def _by_class(scores: Callable[[Matrix, Any], FloatArray]) -> Scores:
    """Refuse numbers as the target of a score of classes."""

    def checked(task: SelectionTask, X: Matrix, y: Any) -> FloatArray:
        if task.params.regression:
            raise OptionError(
                f"It needs classes, but target {task.target!r} is continuous; use f_test_50."
            )
        return scores(X, y)

    return checked


def _searched(
    task: SelectionTask, *, algorithm: str, max_given: int | None, params: dict[str, Any]
) -> tuple[str, ...]:
    is_boundary = algorithm in BOUNDARY_ALGORITHMS.names
    found = (find_boundary if is_boundary else find_parents_children)(
        task.data,
        target=task.target,
        algorithm=algorithm,
        alpha=ALPHA,
        max_given=max_given,
        params=params,
        test=AUTO(collinear="drop"),
        n_jobs=task.n_jobs,
        progress=False,
    )
    if not found.complete:
        raise KeyboardInterrupt
    return tuple(sorted(found.members))


def _interacting(task: SelectionTask) -> tuple[str, ...]:
    found = find_interactions(
        task.data,
        target=task.target,
        degree=task.degree,
        cost=task.cost,
        alpha=ALPHA,
        class_weight=task.params.class_weight,
        folds=0,
        random_state=task.random_state,
        n_jobs=task.n_jobs,
        progress=False,
    )
    if not found.complete:
        raise KeyboardInterrupt
    return tuple(sorted(found.variables))


def _entry(name: str, function: ColumnSelector, summary: str, paper: str) -> Algorithm[Any]:
    return Algorithm(name, function, summary, paper, assumes=(), returns="columns", exact=False)


def _narrowing() -> Iterator[Algorithm[Any]]:
    """Give each ranking in two speeds."""
    ways: tuple[tuple[str, Callable[..., tuple[str, ...]], str, str], ...] = (
        (
            "rfe",
            _eliminated,
            "Drops what a polynomial machine makes least use of, and trains again",
            "Guyon, Weston, Barnhill & Vapnik 2002",
        ),
        (
            "kruskal_wallis",
            partial(_ranked, scores=_by_class(kruskal_wallis_scores)),
            "Ranks columns one by one with the Kruskal-Wallis test",
            "Kruskal & Wallis 1952",
        ),
        (
            "signal_to_noise",
            partial(_ranked, scores=_by_class(signal_to_noise_scores)),
            "Ranks columns by the difference of class means over their spread",
            "Golub and others 1999",
        ),
        (
            "f_test",
            partial(_ranked, scores=f_scores),
            "Ranks columns one by one with an F test",
            "scikit-learn",
        ),
        (
            "mutual_information",
            partial(_ranked, scores=information_scores),
            "Ranks columns by an estimate of their mutual information with the target",
            "Kraskov, Stoegbauer & Grassberger 2004; Ross 2014",
        ),
        (
            "relief_1",
            partial(_relief, n_neighbours=1),
            "Ranks columns by ReliefF with one neighbour",
            "Kononenko 1994",
        ),
        (
            "relief_5",
            partial(_relief, n_neighbours=5),
            "Ranks columns by ReliefF with five neighbours",
            "Kononenko 1994",
        ),
    )
    for name, function, summary, paper in ways:
        for dropped, keep in ((50, 0.5), (20, 0.8)):
            yield _entry(
                f"{name}_{dropped}",
                partial(function, keep=keep),
                f"{summary}; drops {dropped} % each round.",
                paper,
            )


def _searches() -> Iterator[Algorithm[Any]]:
    """Give the local searches with the options of the thesis, which corrects by no symmetry."""
    max_min: dict[str, Any] = {"corrected": False}
    hiton: dict[str, Any] = {"corrected": False, "interleaving": "semi"}
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
        yield _entry(
            name,
            partial(_searched, algorithm=algorithm, max_given=max_given, params=params),
            f"The search {algorithm!r} with alpha={ALPHA}{''.join(f', {o}' for o in options)}.",
            f"see 'eiderdown algorithms {algorithm}'",
        )


SELECTORS: Registry[ColumnSelector] = Registry(
    [
        _entry("none", _everything, "Keeps all columns that vary.", _THESIS),
        *_narrowing(),
        _entry(
            "random_forest",
            partial(_ranked, scores=forest_scores, keep=0.5),
            "Ranks columns by their importance in a random forest; drops 50 % each round.",
            "Breiman 2001",
        ),
        _entry(
            "elastic_net",
            elastic_net,
            "Keeps what has a coefficient in a linear model with an elastic net.",
            "Zou & Hastie 2005",
        ),
        _entry(
            "l1",
            l1,
            "Keeps what has a coefficient in a linear machine with an L1 penalty.",
            "Tibshirani 1996; Zhu, Rosset, Hastie & Tibshirani 2004",
        ),
        *_searches(),
        _entry(
            "fsmb",
            _interacting,
            "Feature space Markov blanket: a boundary among products of columns.",
            _THESIS,
        ),
    ]
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
