"""The tests by name, and the one way from what a user says to a test of a table.

A test of your own needs no place here: give ``test=`` a :class:`eiderdown.registry.Test` that names
its class, or any function that makes an :class:`IndependenceTest` from a :class:`Dataset`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from eiderdown.data import Dataset
from eiderdown.errors import OptionError
from eiderdown.independence.base import IndependenceTest, MinRows, ReliabilityRule
from eiderdown.independence.cache import CachedTest
from eiderdown.independence.contingency import ChiSquareTest, DegreesOfFreedom, GSquareTest
from eiderdown.independence.correlation import CollinearColumns, FisherZTest, StudentTTest
from eiderdown.independence.imputed import ImputedTest
from eiderdown.independence.regression import RegressionTest
from eiderdown.independence.robust import RobustTest
from eiderdown.independence.testwise import TestwiseDeletion
from eiderdown.randomness import as_seed
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
    collinear: CollinearColumns = "error",
    n_jobs: int | None = None,
) -> IndependenceTest:
    """Make G2 for a discrete target and Fisher's z for a continuous one."""
    if data.is_discrete[target]:
        return GSquareTest(data, dof=dof, reliability=reliability, min_rows=min_rows, n_jobs=n_jobs)
    return FisherZTest(data, reliability=reliability, min_rows=min_rows, collinear=collinear)


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
REGRESSION = Test(
    RegressionTest,
    "Likelihood ratio of regressions, by the kind of the target.",
    name="regression",
    kinds=("discrete", "continuous"),
    mixed=True,
)

TESTS: Registry[Test[..., Any]] = Registry(
    [AUTO, G_SQUARE, CHI_SQUARE, FISHER_Z, STUDENT_T, REGRESSION], noun="test"
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
    source: TestSource,
    data: Dataset,
    target: int | None = None,
    n_jobs: int | None = None,
    *,
    missing: str = "testwise",
    random_state: int | None = 0,
) -> CachedTest:
    """Make the test that a user asked for, wrapped so that it counts and remembers.

    In a table with missing values every question is answered from the rows in which its columns
    have values, or with ``missing="impute"`` from several tables in which they are filled in.

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
    missing : str
        "impute" to fill in missing values; anything else leaves out rows.
    random_state : int or None
        Seed of what is filled in.

    Examples
    --------
    >>> from eiderdown import networks
    >>> data = networks.load("asia").sample(200, random_state=0)
    >>> make_test(G_SQUARE(dof="nominal"), data, 0, 1).description
    {'test': 'GSquareTest', 'dof': 'nominal', 'reliability': 'rows_per_stratum', 'min_rows': 5.0}
    """
    make = _maker(source, data, target or 0, n_jobs)
    if data.roles is not None:
        _require_robust(source)
        make = RobustTest
    if not data.has_missing.any():
        return CachedTest(make(data))
    if missing == "impute":
        from eiderdown.data.impute import imputed_tables  # imports scikit-learn

        tables = imputed_tables(data, seed=as_seed(random_state))
        return CachedTest(ImputedTest([make(table) for table in tables], data))
    test = make(data)
    return CachedTest(test if test.takes_missing else TestwiseDeletion(data, make))


def _require_robust(source: TestSource) -> None:
    """Refuse tests that know nothing of weights and groups."""
    entry = entry_of(source)
    if entry is None or entry.name != "auto":
        name = "of your own" if entry is None else repr(entry.name)
        raise OptionError(
            f"The test {name} takes neither sample_weight nor groups; leave test as 'auto', which "
            "is one that does then."
        )


def _chosen(entry: Test[..., Any], data: Dataset, target: int) -> Test[..., Any]:
    """Return the test that "auto" is for this table, and any other test as it is."""
    if entry.function is not by_kind_of_target:
        return entry
    found: Test[..., Any] = G_SQUARE if data.is_discrete[target] else FISHER_Z
    return found.with_params({k: v for k, v in entry.params.items() if k in found.options})


def _maker(
    source: TestSource, data: Dataset, target: int, n_jobs: int | None
) -> Callable[[Dataset], IndependenceTest]:
    """Return what makes the test, of the table or of some of its rows and columns."""
    if callable(source) and not isinstance(source, Test):
        return source
    entry = _chosen(source if isinstance(source, Test) else TESTS[source], data, target)
    taken = inspect.signature(entry.function).parameters
    about = {"target": target, "n_jobs": n_jobs}
    return partial(entry.run, **{k: v for k, v in about.items() if k in taken})
