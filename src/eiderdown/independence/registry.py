"""The tests by name, and the one way from what a user says to a test of a table.

A test of your own needs no place here: give ``test=`` a :class:`eiderdown.registry.Test` that names
its class, or any function that makes an :class:`IndependenceTest` from a :class:`Dataset`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeAlias

from eiderdown.data import Dataset
from eiderdown.independence.base import IndependenceTest, MinRows, ReliabilityRule
from eiderdown.independence.cache import CachedTest
from eiderdown.independence.contingency import ChiSquareTest, DegreesOfFreedom, GSquareTest
from eiderdown.independence.correlation import FisherZTest, StudentTTest
from eiderdown.independence.wilks import CollinearColumns, WilksTest
from eiderdown.registry import Registry, Test

TestSource: TypeAlias = str | Test[..., Any] | Callable[[Dataset], IndependenceTest]
"""What users say: a name, a configured entry, or a function that makes a test from a table."""


def by_kind_of_target(
    data: Dataset,
    *,
    target: int = 0,
    dof: DegreesOfFreedom = "adjusted",
    reliability: ReliabilityRule = "rows_per_stratum",
    min_rows: MinRows = 5.0,
    collinear: CollinearColumns = "drop",
    n_jobs: int | None = None,
) -> IndependenceTest:
    """Make G2 for a discrete target and Fisher's z for a continuous one."""
    if data.is_discrete[target]:
        return GSquareTest(data, dof=dof, reliability=reliability, min_rows=min_rows, n_jobs=n_jobs)
    return FisherZTest(data, collinear=collinear, n_jobs=n_jobs)


AUTO = Test(
    by_kind_of_target,
    "G2 for discrete columns, Fisher's z for continuous ones.",
    name="auto",
    kinds=("discrete", "continuous"),
)
G_SQUARE = Test(
    GSquareTest,
    "Likelihood-ratio test of contingency tables.",
    name="g_square",
    kinds=("discrete",),
)
CHI_SQUARE = Test(
    ChiSquareTest, "Pearson's test of contingency tables.", name="chi_square", kinds=("discrete",)
)
FISHER_Z = Test(
    FisherZTest, "Fisher's z of the partial correlation.", name="fisher_z", kinds=("continuous",)
)
STUDENT_T = Test(
    StudentTTest, "Student's t of the partial correlation.", name="student_t", kinds=("continuous",)
)
WILKS = Test(
    WilksTest,
    "Wilks' likelihood ratio between blocks of columns.",
    name="wilks",
    kinds=("discrete", "continuous"),
    mixed=True,
)

TESTS: Registry[Test[..., Any]] = Registry(
    [AUTO, G_SQUARE, CHI_SQUARE, FISHER_Z, STUDENT_T, WILKS], noun="test"
)


def entry_of(source: TestSource) -> Test[..., Any] | None:
    """Return the entry that a source names or is; None for a function."""
    if isinstance(source, Test):
        return source
    if callable(source):
        return None
    return TESTS[source]


def with_defaults(source: TestSource, **defaults: Any) -> TestSource:
    """Set options that the test has and for which nobody gave a value.

    Examples
    --------
    >>> with_defaults("fisher_z", collinear="drop"), with_defaults("g_square", collinear="drop")
    (fisher_z(collinear='drop'), g_square())
    """
    entry = entry_of(source)
    if entry is None:
        return source
    return entry.with_params(
        {k: v for k, v in defaults.items() if k in entry.options and k not in entry.params}
    )


def make_test(
    source: TestSource, data: Dataset, target: int | None = None, n_jobs: int | None = None
) -> CachedTest:
    """Make the test that a user asked for, wrapped so that it counts and remembers.

    Parameters
    ----------
    source : str, Test or callable
        A name, a configured entry, or a function that makes a test from a table.
    data : Dataset
        The table.
    target : int or None
        The column whose kind decides what "auto" is; None for the first.
    n_jobs : int or None
        Threads of tests that use them; None means every available core.

    Examples
    --------
    >>> from eiderdown import networks
    >>> data = networks.load("asia").sample(200, random_state=0)
    >>> make_test(G_SQUARE(dof="nominal"), data, 0, 1).description
    {'test': 'GSquareTest', 'dof': 'nominal', 'reliability': 'rows_per_stratum', 'min_rows': 5.0}
    """
    if callable(source) and not isinstance(source, Test):
        return CachedTest(source(data))
    entry = source if isinstance(source, Test) else TESTS[source]
    taken = inspect.signature(entry.function).parameters
    about = {"target": target or 0, "n_jobs": n_jobs}
    return CachedTest(entry.run(data, **{k: v for k, v in about.items() if k in taken}))
