"""The answer to one question of independence; what was found around one variable or every one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias

from eiderdown.errors import OptionError
from eiderdown.graphs import Skeleton
from eiderdown.results.codec import (
    LOG_P,
    SHARE,
    STORED_IF_ANY,
    Limits,
    of_plain,
    stored_as,
    stored_by,
)
from eiderdown.results.predictive_columns import PredictiveColumns
from eiderdown.results.result import Result, Run

Answer: TypeAlias = Literal["dependent", "independent", "cannot say"]


@dataclass(frozen=True)
class IndependenceAnswer(Result):
    """Whether two columns are independent given others, with the evidence; ``print`` shows it.

    Attributes
    ----------
    x, y : str
        The two columns.
    given : tuple of str
        The columns that are held fixed.
    answer : {"dependent", "independent", "cannot say"}
        What the test says at significance level ``alpha``.
    reason : str
        Why it cannot say more, or an empty text.
    alpha : float
        The significance level.
    test, chosen : str
        The test, and why it was this one.
    statistic, dof, log_p, n_used, effect
        The test's numbers, as in :class:`eiderdown.independence.IndependenceResult`.
    run, warnings, complete
        See :class:`Result`.
    """

    kind = "independence_answer"
    limits: ClassVar[Limits] = {"alpha": SHARE, "log_p": LOG_P}

    x: str
    y: str
    given: tuple[str, ...]
    answer: Answer
    reason: str
    alpha: float
    test: str
    chosen: str
    statistic: float
    dof: float
    log_p: float
    n_used: int
    effect: float
    run: Run
    warnings: tuple[str, ...] = ()
    complete: bool = True

    @property
    def p_value(self) -> float:
        """The p-value; 0.0 where it is too small for a float (rank by ``log_p``)."""
        return math.exp(self.log_p)

    @property
    def p_text(self) -> str:
        """The p-value for people, however small."""
        return p_text(self.log_p)

    def __str__(self) -> str:
        """Say the answer in a few lines."""
        given = f" given {', '.join(map(repr, self.given))}" if self.given else ""
        lines = [f"{self.x!r} and {self.y!r}{given}: {self.answer} (alpha {self.alpha:g})"]
        if self.reason:
            lines.append(self.reason)
        family = self.run.options.get("family")
        name = self.test if family is None else f"{self.test} ({family})"
        lines += [
            f"{name}: statistic {self.statistic:,.4g}, dof {round(self.dof, 1):g}, "
            f"p {self.p_text}, effect {self.effect:.3g}, "
            f"{self.n_used:,} of {self.run.n_rows:,} rows used",
            f"Why this test: {self.chosen}.",
        ]
        return "\n".join(lines)


def p_text(log_p: float) -> str:
    """Write a p-value for people, however small.

    Examples
    --------
    >>> p_text(-2302.585093), p_text(-1.0)
    ('1e-1000', '0.368')
    """
    log10_p = log_p / math.log(10.0)
    exponent = math.floor(log10_p)
    if exponent >= -3:
        return f"{math.exp(log_p):.3g}"
    mantissa = f"{10.0 ** (log10_p - exponent):.2g}"
    return f"1e{exponent + 1}" if mantissa == "10" else f"{mantissa}e{exponent}"


Decision: TypeAlias = Literal["kept", "removed", "not_admitted"]
Allowed: TypeAlias = Literal["both", "dependence", "nothing", "function"]

_IN_FILES = {"both": True, "nothing": False}


@dataclass(frozen=True)
class Evidence:
    """The decisive test of one variable.

    Attributes
    ----------
    variable : str
        The variable that was judged.
    decision : {"kept", "removed", "not_admitted"}
        Kept in the boundary; admitted first and removed later; or never admitted.
    given : tuple of str
        The conditioning set of the decisive test.
    statistic, dof, log_p, n_used, effect
        The test, as in :class:`eiderdown.independence.IndependenceResult`.
    allows : {"both", "dependence", "nothing", "function"}
        What the data allow the test to say: that the two are dependent or independent; the former
        only; nothing, for want of rows; or nothing, because one is a function of ``given``.
    """

    limits: ClassVar[Limits] = {"log_p": LOG_P}

    variable: str
    decision: Decision
    given: tuple[str, ...]
    statistic: float
    dof: float
    log_p: float
    n_used: int
    effect: float
    allows: Allowed = field(
        default="both",
        metadata=stored_as("reliable")  # as which it began, true or false
        | stored_by(
            write=lambda allows, _: _IN_FILES.get(allows, allows),
            read=lambda plain, _: of_plain(
                Allowed, next((word for word, old in _IN_FILES.items() if old is plain), plain)
            ),
        ),
    )

    def answer(self, alpha: float) -> Answer:
        """Say "dependent", "independent" or "cannot say"."""
        if self.log_p <= math.log(alpha):
            return "dependent" if self.allows in ("both", "dependence") else "cannot say"
        return "independent" if self.allows == "both" else "cannot say"

    @property
    def p_value(self) -> float:
        """The p-value; 0.0 where it is too small for a float (rank by ``log_p``)."""
        return math.exp(self.log_p)

    @property
    def p_text(self) -> str:
        """The p-value for people, however small.

        Examples
        --------
        >>> Evidence("x", "kept", (), 9.0, 1.0, -2302.585093, 100, 0.1).p_text
        '1e-1000'
        >>> Evidence("x", "kept", (), 9.0, 1.0, -1.0, 100, 0.1).p_text
        '0.368'
        """
        return p_text(self.log_p)


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

    def refuse_contradictions(self) -> None:
        """Refuse numbers that no search can have found."""
        self.run.require_alpha()
        if not all(SHARE[0] <= share <= SHARE[1] for share in self.probabilities.values()):
            raise ValueError("a probability is not from 0 to 1")

    def evidence_with(self, decision: Decision) -> tuple[Evidence, ...]:
        """Return the evidence of one kind of decision, strongest first."""
        return tuple(item for item in self.evidence if item.decision == decision)


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


@dataclass(frozen=True)
class Accuracy:
    """How well a boundary predicts its target.

    Attributes
    ----------
    score : float
        Share of right predictions of a discrete target; R2 of a continuous one.
    balanced : float or None
        Mean of the classes' own shares; None for a continuous target.
    """

    score: float
    balanced: float | None = None


@dataclass(frozen=True)
class AlternativeBoundary:
    """One of several boundaries.

    Attributes
    ----------
    boundary : MarkovBoundary
        The boundary, with the evidence of the first run that found it.
    n_runs : int
        How many runs found it.
    accuracy : Accuracy or None
        How well it predicts the target, where that was asked for.
    """

    boundary: MarkovBoundary
    n_runs: int
    accuracy: Accuracy | None = None

    @property
    def members(self) -> tuple[str, ...]:
        """The boundary's members."""
        return self.boundary.members


@dataclass(frozen=True)
class Replacement:
    """Variables that stand for others: with the one side replaced a boundary is another one.

    Attributes
    ----------
    these, those : tuple of str
        The two sides, the smaller first; it has a single variable.
    n_pairs : int
        In how many pairs of boundaries the one side stands for the other.
    """

    these: tuple[str, ...]
    those: tuple[str, ...]
    n_pairs: int

    def refuse_contradictions(self) -> None:
        """Refuse a side without variables."""
        if not self.these or not self.those:
            raise ValueError("a replacement has an empty side")


@dataclass(frozen=True)
class Boundaries(Result):
    """The distinct Markov boundaries that repeated searches found.

    Iterating gives the alternatives, the most frequent first.

    Attributes
    ----------
    target : str
        The variable that was asked about.
    alternatives : tuple of AlternativeBoundary
        The distinct boundaries, by number of runs, then by names.
    n_runs : int
        How many runs there were.
    replacements : tuple of Replacement
        Which variables stand for which, the most frequent first.
    interchangeable : tuple of tuple of str
        Groups of variables that stand for each other one by one, directly or in a chain.
    predicted_by : str or None
        How accuracies were measured.
    run, warnings, complete
        See :class:`Result`.
    """

    kind = "boundaries"

    target: str
    alternatives: tuple[AlternativeBoundary, ...]
    n_runs: int
    replacements: tuple[Replacement, ...]
    interchangeable: tuple[tuple[str, ...], ...]
    run: Run
    predicted_by: str | None = None
    warnings: tuple[str, ...] = ()
    complete: bool = True

    def refuse_contradictions(self) -> None:
        """Refuse boundaries that no run found."""
        if any(not 0 < item.n_runs <= self.n_runs for item in self.alternatives):
            raise ValueError("a boundary was found in more runs than there were, or in none")

    def __iter__(self) -> Iterator[AlternativeBoundary]:
        return iter(self.alternatives)

    def __len__(self) -> int:
        return len(self.alternatives)

    def __getitem__(self, position: int) -> AlternativeBoundary:
        return self.alternatives[position]

    @property
    def member_counts(self) -> dict[str, int]:
        """In how many runs each variable was a member, the most frequent first."""
        counts: Counter[str] = Counter()
        for found in self.alternatives:
            counts.update(dict.fromkeys(found.members, found.n_runs))
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
