"""Searches that answer what a test tells them to, so that the way around them can be seen."""

from contextlib import contextmanager
from typing import Annotated
from unittest.mock import patch

from eiderdown.api import network, network_choice
from eiderdown.options import Option
from eiderdown.registry import Algorithm, Registry


@contextmanager
def answering(function, *, tests=False, scores=False, random=False):
    """Make ``algorithm="fake"`` of networks and regions call a function of the search."""

    def fake(problem, *, loud: Annotated[bool, Option("nothing")] = False):
        return function(problem, loud)

    entry = Algorithm(
        fake,
        "Answers what it is told.",
        paper="none",
        returns="directed graph",
        needs=(*(["test"] if tests else []), *(["score"] if scores else [])),
        random=random,
    )
    with (
        patch.object(network_choice, "NETWORK_ALGORITHMS", Registry([entry])),
        patch.object(network, "REGION_ALGORITHMS", Registry([entry])),
    ):
        yield entry
