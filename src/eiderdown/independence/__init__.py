"""Tests of independence: one interface, evidence in every answer."""

from eiderdown.independence.base import IndependenceTest, Question
from eiderdown.independence.batch import Allows, IndependenceBatch, IndependenceResult
from eiderdown.independence.cache import CachedTest, TestCounts
from eiderdown.independence.calibrated import CalibratedChiSquareTest
from eiderdown.independence.contingency import ChiSquareTest, ContingencyTest, GSquareTest
from eiderdown.independence.correlation import CorrelationTest, FisherZTest, StudentTTest
from eiderdown.independence.oracle import OracleTest
from eiderdown.independence.registry import (
    AUTO,
    CHI_SQUARE,
    FISHER_Z,
    G_SQUARE,
    STUDENT_T,
    TESTS,
    TestSource,
    make_test,
)

__all__ = [
    "AUTO",
    "CHI_SQUARE",
    "FISHER_Z",
    "G_SQUARE",
    "STUDENT_T",
    "TESTS",
    "Allows",
    "CachedTest",
    "CalibratedChiSquareTest",
    "ChiSquareTest",
    "ContingencyTest",
    "CorrelationTest",
    "FisherZTest",
    "GSquareTest",
    "IndependenceBatch",
    "IndependenceResult",
    "IndependenceTest",
    "OracleTest",
    "Question",
    "StudentTTest",
    "TestCounts",
    "TestSource",
    "make_test",
]
