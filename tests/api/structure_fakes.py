"""Searches that answer what a test tells them to, so that the way around them can be seen."""

from contextlib import contextmanager
from unittest.mock import patch

from eiderdown.api import structure
from eiderdown.old_registry import Algorithm, Option, Registry


@contextmanager
def answering(function, *, tests=False, scores=False, random=False):
    """Make ``algorithm="fake"`` of networks and regions call a function of the search."""
    fake = Algorithm(
        name="fake",
        function=function,
        summary="Answers what it is told.",
        paper="none",
        assumes=(),
        returns="directed graph",
        options=(Option("loud", False, "nothing"),),
        random=random,
    )
    names = {
        "NETWORK_ALGORITHMS": Registry([fake]),
        "REGION_ALGORITHMS": Registry([fake]),
        "TESTING": frozenset(["fake"] if tests else []),
        "SCORING": frozenset(["fake"] if scores else []),
    }
    with patch.multiple(structure, **names):
        yield
