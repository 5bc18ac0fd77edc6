"""The tests by name, and the one way from what a user says to a test of a table.

A test of your own needs no place here: give ``test=`` a :class:`eiderdown.registry.Test` that names
its class, or any function that makes an :class:`IndependenceTest` from a :class:`Dataset`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.data import Dataset, Kind
from eiderdown.data.prepare import Prepared, Takes
from eiderdown.errors import OptionError
from eiderdown.independence.base import IndependenceTest
from eiderdown.independence.bends import BasisChoice, chosen_basis
from eiderdown.independence.cache import DEFAULT_MEMORY, CachedTest
from eiderdown.independence.calibrated import CalibratedChiSquareTest, PermutationTest
from eiderdown.independence.confirmed import ConfirmedTest
from eiderdown.independence.contingency import ChiSquareTest, GSquareTest
from eiderdown.independence.missing import ImputedTest, deletion_for
from eiderdown.independence.power import Detect
from eiderdown.independence.regression import RegressionTest
from eiderdown.independence.robust import RobustTest
from eiderdown.independence.wilks import CollinearColumns, FisherZTest, StudentTTest, WilksTest
from eiderdown.randomness import as_seed
from eiderdown.registry import Registry, Test
from eiderdown.statistics.moments import Ranks

TestSource: TypeAlias = str | Test[..., Any] | Callable[[Dataset], IndependenceTest]
"""What users say: a name, a configured entry, or a function that makes a test from a table."""


def by_kinds(
    data: Dataset,
    *,
    basis: BasisChoice = "auto",
    ranks: Ranks = False,
    detect: Detect = "medium",
    collinear: CollinearColumns = "drop",
    n_jobs: int | None = None,
) -> IndependenceTest:
    """Make the test that the kinds of all columns choose; see :func:`chosen_by_kinds`."""
    entry, why = chosen_by_kinds(data, basis=basis, ranks=ranks, detect=detect, collinear=collinear)
    test: IndependenceTest = entry.run(data, n_jobs=n_jobs)
    test.why = why
    return test


def chosen_by_kinds(
    data: Dataset,
    target: int | None = None,
    columns: IntArray | None = None,
    *,
    basis: BasisChoice,
    ranks: bool,
    **shared: Any,
) -> tuple[Test[..., Any], str]:
    """Choose the test by the kinds of the columns that take part, and say why.

    Parameters
    ----------
    data : Dataset
        The table.
    target : int or None
        The column around which is searched; None for none.
    columns : IntArray or None
        Columns that take part; None for all.
    basis, ranks
        How numbers are coded; see :class:`WilksTest`.
    **shared
        Options that the test gets if it has them.

    Examples
    --------
    >>> table = Dataset.from_columns({"age": [31.5, 40.0, 28.1], "smoker": ["no", "yes", "no"]})
    >>> entry, why = chosen_by_kinds(table, basis="auto", ranks=False)
    >>> entry, why.split("; ")[0]
    (wilks(basis='linear', ranks=False), 'columns are numbers and categories')
    """
    asked = np.arange(data.n_columns) if columns is None else columns
    discrete = data.is_discrete[asked]
    in_order = target is not None and _in_order(data, target)
    if in_order and basis == "auto" and not ranks:
        return _with_those_it_has(CONFIRMED, shared), (
            "the target's categories are in order, so Wilks' test is confirmed by regression where "
            "it is not clear"
        )
    if discrete.all():
        return _with_those_it_has(CALIBRATED_CHI_SQUARE, shared), "all columns are categories"
    kinds = "columns are numbers and categories" if discrete.any() else "all columns are numbers"
    if target is not None and data.kind(target) is Kind.COUNT:
        kinds += "; counts are taken as numbers"
    chosen, why = chosen_basis(data, asked, target, basis=basis, ranks=ranks)
    coded: Test[..., Any] = WILKS(basis=chosen, ranks=ranks)
    if chosen == "linear" and not ranks and not discrete.any():
        coded = FISHER_Z
    if target is not None and data.is_discrete[target] and discrete.sum() > 1:
        coded = coded(confirm=True)
        kinds += "; two categories given numbers are confirmed by regression"
    return _with_those_it_has(coded, shared), f"{kinds}; {why}" if why else kinds


def _in_order(data: Dataset, column: int) -> bool:
    return data.kind(column) is Kind.ORDERED and int(data.n_categories[column]) > 2


def _with_those_it_has(entry: Test[..., Any], options: Mapping[str, Any]) -> Test[..., Any]:
    return entry.with_params({k: v for k, v in options.items() if k in entry.options})


AUTO = Test(
    by_kinds,
    "By the kinds of columns: of contingency tables for categories, Fisher's z for numbers, "
    "Wilks' for both, or where numbers bend; confirmed by regression for an ordered target.",
    name="auto",
    kinds=("discrete", "continuous"),
    mixed=True,
)
CALIBRATED_CHI_SQUARE = Test(
    CalibratedChiSquareTest,
    "Pearson's test against its own permutations, right in thin tables.",
    name="calibrated_chi_square",
    kinds=("discrete",),
)
PERMUTATION = Test(
    PermutationTest,
    "Pearson's test by permutation within strata; slow, the arbiter.",
    name="permutation",
    kinds=("discrete",),
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
REGRESSION = Test(
    RegressionTest,
    "Likelihood ratio of regressions, by the kind of the target.",
    name="regression",
    kinds=("discrete", "continuous"),
    mixed=True,
)
CONFIRMED = Test(
    ConfirmedTest,
    "Wilks' test, confirmed by regression of the target where it is not clear.",
    name="confirmed",
    kinds=("discrete", "continuous"),
    mixed=True,
)

TESTS: Registry[Test[..., Any]] = Registry(
    [
        AUTO,
        CALIBRATED_CHI_SQUARE,
        G_SQUARE,
        CHI_SQUARE,
        PERMUTATION,
        FISHER_Z,
        STUDENT_T,
        WILKS,
        REGRESSION,
        CONFIRMED,
    ],
    noun="test",
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
    new = {k: v for k, v in defaults.items() if k not in entry.params}
    return _with_those_it_has(entry, new)


def kinds_taken(source: TestSource) -> Takes:
    """Say which columns a test takes: both kinds, or one; a function takes the table as it is.

    Examples
    --------
    >>> kinds_taken("auto"), kinds_taken("g_square"), kinds_taken("fisher_z")
    ('both kinds', 'discrete', 'continuous')
    """
    entry = entry_of(source)
    if entry is None or entry.mixed:
        return "both kinds"
    return entry.kinds[0] if len(entry.kinds) == 1 else "one kind"


def columns_named_by(source: TestSource) -> tuple[str, ...]:
    """Return the columns that a test itself names, which are no candidates.

    Examples
    --------
    >>> columns_named_by(REGRESSION(event="died")), columns_named_by("regression")
    (('died',), ())
    """
    entry = entry_of(source)
    event = None if entry is None else entry.params.get("event")
    return () if event is None else (event,)


def make_test(
    source: TestSource,
    data: Dataset | Prepared,
    target: int | None = None,
    n_jobs: int | None = None,
    *,
    missing: str = "testwise",
    random_state: int | None = 0,
    memory: int = DEFAULT_MEMORY,
) -> CachedTest:
    """Make the test that a user asked for, wrapped so that it counts and remembers.

    In a table with missing values every question is answered from the rows in which its columns
    have values, or with ``missing="impute"`` from several tables in which they are filled in.

    Parameters
    ----------
    source : str, Test or callable
        A name, a configured entry, or a function that makes a test from a table.
    data : Dataset or Prepared
        The table; prepared, it says which columns take part, and around which one.
    target : int or None
        The column around which is searched; None for none.
    n_jobs : int or None
        Threads of tests that use them; None means every available core.
    missing : str
        "impute" to fill in missing values; anything else leaves out rows.
    random_state : int or None
        Seed of what is filled in.
    memory : int
        Bytes that remembered results may take.

    Examples
    --------
    >>> from eiderdown import networks
    >>> data = networks.load("asia").sample(200, random_state=0)
    >>> make_test(G_SQUARE(dof="nominal"), data, 0, 1).description
    {'test': 'GSquareTest', 'dof': 'nominal', 'reliability': 'rows_per_stratum', 'min_rows': 5.0}
    """
    columns = None
    if isinstance(data, Prepared):
        target, columns, data = data.target, data.columns, data.data
    make, why = _maker(source, data, target, columns, n_jobs)
    if data.roles is not None:
        _require_robust(source)
        make, why = RobustTest, "rows have weights or belong together"
    if not data.has_missing.any() or (missing != "impute" and _takes_missing(make)):
        inner = make(data)
    elif missing == "impute":
        from eiderdown.data.impute import imputed_tables  # imports scikit-learn

        tables = imputed_tables(data, seed=as_seed(random_state))
        inner = ImputedTest([make(table) for table in tables], data)
    else:
        inner = deletion_for(data)(data, make)
    test = CachedTest(inner, memory=memory)
    test.why = "; ".join(filter(None, (why, test.why)))
    return test


def _require_robust(source: TestSource) -> None:
    """Refuse tests that know nothing of weights and groups."""
    entry = entry_of(source)
    if entry is None or entry.name != "auto":
        name = "of your own" if entry is None else repr(entry.name)
        raise OptionError(
            f"The test {name} takes neither sample_weight nor groups; leave test as 'auto', which "
            "is one that does then."
        )


def _takes_missing(make: Callable[[Dataset], IndependenceTest]) -> bool:
    """Whether what makes a test makes one that leaves out missing values itself."""
    made_by = make.entry.function if isinstance(make, _Maker) else make
    return bool(getattr(made_by, "takes_missing", False))


def _maker(
    source: TestSource,
    data: Dataset,
    target: int | None,
    columns: IntArray | None,
    n_jobs: int | None,
) -> tuple[Callable[[Dataset], IndependenceTest], str]:
    """Return what makes the test, of the table or of some of its rows, and why it is this one."""
    entry, why = entry_of(source), ""
    if entry is None:
        return cast("Callable[[Dataset], IndependenceTest]", source), ""
    if entry.function is by_kinds:
        entry, why = chosen_by_kinds(data, target, columns, **entry.all_params)
    name = None if target is None else data.names[target]
    return _Maker(entry, name, n_jobs), why


@dataclass(frozen=True)
class _Maker:
    """Makes a test of a table, or of some rows and columns of it."""

    entry: Test[..., Any]
    target: str | None
    n_jobs: int | None

    def __call__(self, data: Dataset) -> IndependenceTest:
        """Make the test; the target has another number where columns were left out."""
        held = self.target is not None and self.target in data.names
        about = {"target": data.index(self.target) if held else None, "n_jobs": self.n_jobs}
        taken = inspect.signature(self.entry.function).parameters
        test: IndependenceTest = self.entry.run(
            data, **{k: v for k, v in about.items() if k in taken}
        )
        return test
