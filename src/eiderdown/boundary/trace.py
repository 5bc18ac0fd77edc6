"""What a search tells while it runs: evidence, progress and cancellation all listen here.

A search calls these methods and does not know who listens. Raising from any of them (as Ctrl-C
does on its own) ends the search; what was told until then is the best so far.
"""

from __future__ import annotations

from eiderdown import progress
from eiderdown.independence import IndependenceBatch, IndependenceResult


class Trace(progress.Trace):
    """Listens to a search and does nothing; override what you need."""

    def admitted(self, result: IndependenceResult) -> None:
        """Tell that a variable came in, because of this test."""

    def removed(self, result: IndependenceResult) -> None:
        """Tell that a variable went out, because of this test."""

    def kept(self, batch: IndependenceBatch) -> None:
        """Tell the tests that the present members have all survived."""

    def not_admitted(self, batch: IndependenceBatch) -> None:
        """Tell the tests by which nobody outside came in; they replace earlier ones."""

    def separated(self, batch: IndependenceBatch) -> None:
        """Tell the tests by which these candidates were ruled out for good."""


class EvidenceTrace(Trace):
    """Remembers the decisive test of every variable.

    Attributes
    ----------
    members : dict of int to IndependenceResult
        Present members, each with the last test that it survived.
    gone : dict of int to IndependenceResult
        Removed variables that have not come back, each with the test that removed it.
    unconfirmed : set of int
        Members whose last test, given the others, the data could not carry.
    outside : IndependenceBatch or None
        The last tests of those that were not admitted.
    ruled_out : list of IndependenceBatch
        Tests that ruled candidates out for good.
    """

    def __init__(self) -> None:
        super().__init__()
        self.members: dict[int, IndependenceResult] = {}
        self.gone: dict[int, IndependenceResult] = {}
        self.unconfirmed: set[int] = set()
        self.outside: IndependenceBatch | None = None
        self.ruled_out: list[IndependenceBatch] = []

    def admitted(self, result: IndependenceResult) -> None:
        """Note a new member."""
        self.members[result.x] = result
        self.gone.pop(result.x, None)

    def removed(self, result: IndependenceResult) -> None:
        """Note a removal."""
        self.members.pop(result.x, None)
        self.gone[result.x] = result

    def kept(self, batch: IndependenceBatch) -> None:
        """Note what the members survived; a test that says nothing replaces none that did."""
        for result in batch:
            if result.reliable or result.x not in self.members:
                self.members[result.x] = result
            self.unconfirmed.discard(result.x)
            if not result.reliable:
                self.unconfirmed.add(result.x)

    def not_admitted(self, batch: IndependenceBatch) -> None:
        """Note the last look outside."""
        self.outside = batch

    def separated(self, batch: IndependenceBatch) -> None:
        """Note who was ruled out."""
        self.ruled_out.append(batch)


class Traces(EvidenceTrace):
    """Remembers the evidence and passes progress on."""

    def __init__(self, listener: progress.Trace) -> None:
        super().__init__()
        self._listener = listener

    def progressed(self, phase: str, n: int) -> None:
        """Pass on."""
        self._listener.progressed(phase, n)
