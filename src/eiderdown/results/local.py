"""What a search found around one variable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Self

from eiderdown.results.evidence import Decision, Evidence
from eiderdown.results.run import Run
from eiderdown.results.stored import Stored


@dataclass(frozen=True)
class LocalResult(Stored):
    """What a search found around one variable, with the evidence for each decision.

    Attributes
    ----------
    target : str
        The variable that was asked about.
    members : tuple of str
        What was found, from the strongest evidence to the weakest.
    evidence : tuple of Evidence
        One for each member and each removed variable, then the nearest misses.
    run : Run
        How it was found.
    parents_children : tuple of str or None
        The members that are parents or children; None where the search cannot tell.
    spouses : mapping of str to str
        Members known to be spouses, each with a child that it shares with the target.
    warnings : tuple of str
        What the data could not carry, or what was left out.
    complete : bool
        False if the search was interrupted and this is the best so far.
    """

    what: ClassVar[str]

    target: str
    members: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    run: Run
    parents_children: tuple[str, ...] | None = None
    spouses: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    complete: bool = True

    def evidence_with(self, decision: Decision) -> tuple[Evidence, ...]:
        """Return the evidence of one kind of decision, strongest first."""
        return tuple(item for item in self.evidence if item.decision == decision)

    def _fields(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def _of_fields(cls, fields: dict[str, Any]) -> Self:
        fields["evidence"] = tuple(
            Evidence(**{**item, "given": tuple(item["given"])}) for item in fields["evidence"]
        )
        fields["run"] = Run(**fields["run"])
        for name in ("members", "warnings", "parents_children"):
            fields[name] = None if fields[name] is None else tuple(fields[name])
        return cls(**fields)


class MarkovBoundary(LocalResult):
    """The Markov boundary of one variable, with the evidence for each decision."""

    kind = "markov_boundary"
    what = "boundary"


class ParentsChildren(LocalResult):
    """The parents and children of one variable, with the evidence for each decision."""

    kind = "parents_children"
    what = "neighbourhood"
