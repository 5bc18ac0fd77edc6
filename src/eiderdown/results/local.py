"""What was found around one variable or every one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Self

from eiderdown.errors import OptionError, UnknownColumnError
from eiderdown.graphs import Skeleton
from eiderdown.option_types import shown
from eiderdown.results.codec import SHARE, STORED_IF_ANY, of_plain, stored_by
from eiderdown.results.evidence import Decision, Evidence
from eiderdown.results.predictive_columns import PredictiveColumns
from eiderdown.results.result import Result, Run
from eiderdown.results.screen import ColumnScreen, unknown_column

_MAKING: Final = "_make_evidence"


@dataclass(frozen=True)
class LocalResult(Result):
    """What a search found around one variable, with the evidence for each decision.

    Attributes
    ----------
    target : str
        The variable that was asked about.
    members : tuple of str
        What was found, from the strongest evidence to the weakest.
    evidence : tuple of Evidence
        One for each member and each removed variable, then the nearest misses.
    parents_children : tuple of str or None
        The members that are parents or children; None where the search cannot tell.
    spouses : mapping of str to str
        Members known to be spouses, each with a child that it shares with the target.
    probabilities : mapping of str to float
        How likely a column is a member, where the search can tell; others are 0.
    adjacency : mapping of str to float
        How likely it is a parent or child, where a search for the boundary can tell.
    screen : ColumnScreen or None
        The tests of every column outside; None where they were not asked for, or the search was
        interrupted.
    run, warnings, complete
        See :class:`Result`.
    """

    what: ClassVar[str]

    target: str
    members: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    run: Run
    parents_children: tuple[str, ...] | None = None
    spouses: Mapping[str, str] = field(default_factory=dict)
    probabilities: Mapping[str, float] = field(default_factory=dict, metadata=STORED_IF_ANY)
    adjacency: Mapping[str, float] = field(default_factory=dict, metadata=STORED_IF_ANY)
    warnings: tuple[str, ...] = ()
    complete: bool = True
    screen: ColumnScreen | None = field(default=None, metadata=STORED_IF_ANY)

    @classmethod
    def with_evidence_of(
        cls, make_evidence: Callable[[], tuple[Evidence, ...]], **fields: Any
    ) -> Self:
        """Make a result whose evidence is made when somebody looks at it, as of many few do."""
        result = cls(evidence=(), **fields)
        vars(result)[_MAKING] = make_evidence
        del vars(result)["evidence"]
        return result

    if not TYPE_CHECKING:  # to which every name would be known

        def __getattr__(self, name: str) -> Any:
            make = vars(self).get(_MAKING)
            if name != "evidence" or (make is None and "evidence" not in vars(self)):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            if make is not None:  # else another thread has just made it
                vars(self).setdefault("evidence", make())
                vars(self).pop(_MAKING, None)
            return vars(self)["evidence"]

    def __getstate__(self) -> dict[str, Any]:
        """Return what is stored and copied: the evidence, and not how to make it."""
        evidence = self.evidence  # made now, if it is not yet
        return {**vars(self), "evidence": evidence}

    def refuse_contradictions(self) -> None:
        """Refuse numbers that no search can have found."""
        self.run.require_alpha()
        if not all(SHARE[0] <= share <= SHARE[1] for share in self.probabilities.values()):
            raise ValueError("a probability is not from 0 to 1")

    def evidence_with(self, decision: Decision) -> tuple[Evidence, ...]:
        """Return the evidence of one kind of decision, strongest first."""
        return tuple(item for item in self.evidence if item.decision == decision)

    def why(self, name: str) -> str:
        """Say in a sentence or two why a column is in the answer, or why it is not.

        Examples
        --------
        >>> from eiderdown import find_boundary, networks
        >>> data = networks.load("asia").sample(5_000, random_state=0)
        >>> found = find_boundary(data, target="dysp")
        >>> found.why("either")
        "Kept: given 'bronc', 'dysp' depends on it (p 2.4e-67, effect 0.304)."
        >>> found.why("lung").partition(", but ")[2]
        "given 'bronc', 'either' nothing is left (p 0.113)."
        """
        if name == self.target:
            return f"{name!r} is the target."
        said = self._why_tested(name)
        share = self.probabilities.get(name)
        is_open = share is not None and 0.0 < share < 1.0
        return f"{said} Its share of the votes is {share:.2f}." if is_open else said

    def _why_tested(self, name: str) -> str:
        by_name = {item.variable: item for item in self.evidence}
        if name in self.members and name in by_name:
            return by_name[name].sentence(self.target, self._level)
        if self.screen is not None and name in self.screen:
            return self.screen.why(name)
        if name in by_name:
            return by_name[name].sentence(self.target, self._level)
        raise UnknownColumnError(self._unknown(name))

    @property
    def _level(self) -> float:
        """Significance level of the tests."""
        options = self.run.options
        return float(options.get("level", options.get("alpha", 1.0)))

    def _unknown(self, name: str) -> str:
        if self.screen is None:
            return (
                f"This result holds no test of {shown(name)}; a search with explain_all=True keeps "
                "those of every column."
            )
        return unknown_column(name, (self.target, *self.members, *self.screen.names))


@dataclass(frozen=True)
class MarkovBoundary(LocalResult):
    """The Markov boundary of one variable, with the evidence for each decision.

    Attributes
    ----------
    prediction : PredictiveColumns or None
        How well the boundary predicts, and which columns are best for that, where it was asked for.
    target, members, evidence, run, parents_children, spouses, probabilities, warnings, complete
        See :class:`LocalResult`.
    """

    kind = "markov_boundary"
    what = "boundary"

    prediction: PredictiveColumns | None = field(default=None, metadata=STORED_IF_ANY)

    @property
    def predictors(self) -> tuple[str, ...]:
        """The columns to predict from: those chosen where the goal was prediction, or members."""
        return self.members if self.prediction is None else self.prediction.columns


class ParentsChildren(LocalResult):
    """The parents and children of one variable, with the evidence for each decision."""

    kind = "parents_children"
    what = "set of parents and children"


@dataclass(frozen=True)
class AllBoundaries(Result, Mapping[str, LocalResult]):
    """Results of many targets of one table, by name of the target.

    Attributes
    ----------
    results : mapping of str to LocalResult
        One result for each target.
    warnings : tuple of str
        What was left out, or that the search was interrupted.
    complete : bool
        False if the search was interrupted and some targets are missing.
    run : Run or None
        All searches in sum; files of 0.1 have none.
    """

    kind = "all_boundaries"

    results: Mapping[str, LocalResult] = field(
        metadata=stored_by(
            write=lambda results, _: [result.to_dict() for result in results.values()],
            read=lambda plain, _: _by_target(of_plain(tuple[LocalResult, ...], plain)),
        )
    )
    warnings: tuple[str, ...] = ()
    complete: bool = True
    run: Run | None = field(default=None, metadata=STORED_IF_ANY)

    def __getitem__(self, target: str) -> LocalResult:
        return self.results[target]

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def skeleton(self, symmetry: Literal["and", "or"] = "and") -> Skeleton:
        """Join every target with its parents and children.

        Needs a search that tells parents and children from spouses.

        Parameters
        ----------
        symmetry : {"and", "or"}
            Whether both sides must have found each other, or either.
        """
        if symmetry not in ("and", "or"):
            raise OptionError(f"symmetry must be 'and' or 'or', not {symmetry!r}.")
        around = {}
        for target, result in self.results.items():
            if result.parents_children is None:
                raise OptionError(
                    f"{result.run.algorithm!r} does not tell parents and children from spouses; "
                    "use a search that does, such as 'pcmb' or 'get_pc'."
                )
            around[target] = set(result.parents_children)
        joined = all if symmetry == "and" else any
        edges = [
            (x, y)
            for x in around
            for y in around
            if x < y and joined((y in around[x], x in around[y]))
        ]
        return Skeleton(tuple(around), edges)


def _by_target(results: tuple[LocalResult, ...]) -> dict[str, LocalResult]:
    found = {result.target: result for result in results}
    if len(found) < len(results):
        raise ValueError("a target is there twice")
    return found
