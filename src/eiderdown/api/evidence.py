"""Which test judges a table, and with which options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from eiderdown.data import Dataset
from eiderdown.errors import OptionError
from eiderdown.independence import (
    CachedTest,
    ChiSquareTest,
    FisherZTest,
    GSquareTest,
    IndependenceTest,
    Reliability,
    StudentTTest,
)
from eiderdown.independence.contingency import DegreesOfFreedom
from eiderdown.statistics.moments import Collinear

TestName: TypeAlias = Literal["auto", "g_square", "chi_square", "fisher_z", "student_t"]
TEST_NAMES: tuple[TestName, ...] = ("auto", "g_square", "chi_square", "fisher_z", "student_t")

_CONTINGENCY = {"g_square": GSquareTest, "chi_square": ChiSquareTest}
_CORRELATION = {"fisher_z": FisherZTest, "student_t": StudentTTest}


@dataclass(frozen=True)
class EvidenceOptions:
    """How independence is tested.

    Parameters
    ----------
    test : {"auto", "g_square", "chi_square", "fisher_z", "student_t"}
        The test; "auto" takes G2 for discrete columns and Fisher's z for continuous ones.
    dof : {"adjusted", "nominal"}
        Degrees of freedom of the tests for discrete columns.
    reliability : Reliability
        Which tests the data can carry.
    collinear : {"error", "drop", "shrink"}
        What tests for continuous columns do with linear functions of other columns.
    """

    test: TestName = "auto"
    dof: DegreesOfFreedom = "adjusted"
    reliability: Reliability = field(default_factory=Reliability)
    collinear: Collinear = "error"

    def __post_init__(self) -> None:
        if self.test not in TEST_NAMES:
            raise OptionError(f"There is no test {self.test!r}; choose from {TEST_NAMES}.")
        if self.dof not in get_args(DegreesOfFreedom):
            raise OptionError(f"dof must be one of {get_args(DegreesOfFreedom)}, not {self.dof!r}.")
        if self.collinear not in get_args(Collinear):
            raise OptionError(
                f"collinear must be one of {get_args(Collinear)}, not {self.collinear!r}."
            )

    def build(self, data: Dataset, target: int, *, n_jobs: int | None = None) -> IndependenceTest:
        """Make the test for a table whose columns are all of the target's kind."""
        name = self.test
        if name == "auto":
            name = "g_square" if data.is_discrete[target] else "fisher_z"
        if name in _CONTINGENCY:
            return _CONTINGENCY[name](
                data, dof=self.dof, reliability=self.reliability, n_jobs=n_jobs
            )
        return _CORRELATION[name](data, reliability=self.reliability, collinear=self.collinear)


EvidenceSource: TypeAlias = EvidenceOptions | Callable[[Dataset], IndependenceTest]


def recorded_test(
    source: EvidenceSource | None, data: Dataset, target: int, n_jobs: int | None
) -> CachedTest:
    """Make the test that a user asked for, wrapped so that it counts and remembers."""
    if callable(source):
        return CachedTest(source(data))
    options = source or EvidenceOptions()
    return CachedTest(options.build(data, target, n_jobs=n_jobs))
