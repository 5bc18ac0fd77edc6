"""Searches for Markov boundaries: functions of a test and a target, nothing else."""

from typing import Protocol

from eiderdown.arrays import IntArray
from eiderdown.independence import IndependenceTest
from eiderdown.local.iamb import iamb
from eiderdown.local.trace import EvidenceTrace, Trace, Traces
from eiderdown.registry import Algorithm, Registry


class BoundarySearch(Protocol):
    """What every registered search looks like."""

    def __call__(
        self,
        test: IndependenceTest,
        target: int,
        *,
        candidates: IntArray,
        alpha: float,
        max_given: int | None = None,
        trace: Trace,
    ) -> tuple[int, ...]:
        """Return the members of the boundary of ``target``."""
        ...


BOUNDARY_ALGORITHMS: Registry[BoundarySearch] = Registry(
    [
        Algorithm(
            name="iamb",
            function=iamb,
            summary="Adds the strongest variable given the present members, then removes the idle.",
            paper="Tsamardinos et al. 2003; Pena et al. 2007, table 1",
            assumes=("composition",),
            returns="Markov boundary",
            options=("alpha", "max_given"),
        ),
    ]
)

__all__ = [
    "BOUNDARY_ALGORITHMS",
    "BoundarySearch",
    "EvidenceTrace",
    "Trace",
    "Traces",
    "iamb",
]
