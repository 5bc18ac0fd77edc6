"""Tests of independence: one interface, evidence in every answer."""

from eiderdown.independence.base import IndependenceTest, Question
from eiderdown.independence.batch import Allows, IndependenceBatch, IndependenceResult
from eiderdown.independence.cache import CachedTest, TestCounts
from eiderdown.independence.calibrated import CalibratedChiSquareTest, PermutationTest
from eiderdown.independence.confirmed import ConfirmedTest
from eiderdown.independence.contingency import ChiSquareTest, ContingencyTest, GSquareTest
from eiderdown.independence.oracle import OracleTest
from eiderdown.independence.registry import (
    AUTO,
    CALIBRATED_CHI_SQUARE,
    CHI_SQUARE,
    CONFIRMED,
    FISHER_Z,
    G_SQUARE,
    PERMUTATION,
    REGRESSION,
    STUDENT_T,
    TESTS,
    WILKS,
    TestSource,
    make_test,
)
from eiderdown.independence.regression import RegressionTest
from eiderdown.independence.wilks import CorrelationTest, FisherZTest, StudentTTest, WilksTest

__all__ = [
    "AUTO",
    "CALIBRATED_CHI_SQUARE",
    "CHI_SQUARE",
    "CONFIRMED",
    "FISHER_Z",
    "G_SQUARE",
    "PERMUTATION",
    "REGRESSION",
    "STUDENT_T",
    "TESTS",
    "WILKS",
    "Allows",
    "CachedTest",
    "CalibratedChiSquareTest",
    "ChiSquareTest",
    "ConfirmedTest",
    "ContingencyTest",
    "CorrelationTest",
    "FisherZTest",
    "GSquareTest",
    "IndependenceBatch",
    "IndependenceResult",
    "IndependenceTest",
    "OracleTest",
    "PermutationTest",
    "Question",
    "RegressionTest",
    "StudentTTest",
    "TestCounts",
    "TestSource",
    "WilksTest",
    "make_test",
]
