"""Exams for tests and searches of your own; the ones in Eiderdown pass the same.

Each check returns nothing when all is well, and otherwise raises an ``AssertionError`` whose
sentence says which promise is broken and by which example. No test runner is needed.
"""

from eiderdown.testing.independence_checks import check_independence_test
from eiderdown.testing.search_checks import check_boundary_search, check_oracle_like

__all__ = ["check_boundary_search", "check_independence_test", "check_oracle_like"]
