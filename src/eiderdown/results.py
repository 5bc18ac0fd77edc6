"""Plain, frozen records of what was found and why; they survive a trip through JSON unchanged."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeAlias

from eiderdown.errors import OptionError, ResultFormatError, UnreadableFileError
from eiderdown.graphs import Skeleton

Decision: TypeAlias = Literal["kept", "removed", "not_admitted"]

_VERSION = 1


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
    statistic, dof, log_p, n_used, effect, reliable
        The test, as in :class:`eiderdown.independence.IndependenceResult`.
    """

    variable: str
    decision: Decision
    given: tuple[str, ...]
    statistic: float
    dof: float
    log_p: float
    n_used: int
    effect: float
    reliable: bool

    @property
    def p_value(self) -> float:
        """The p-value; 0.0 where it is too small for a float (rank by ``log_p``)."""
        return math.exp(self.log_p)

    @property
    def p_text(self) -> str:
        """The p-value for people, however small.

        Examples
        --------
        >>> Evidence("x", "kept", (), 9.0, 1.0, -2302.585093, 100, 0.1, True).p_text
        '1e-1000'
        >>> Evidence("x", "kept", (), 9.0, 1.0, -1.0, 100, 0.1, True).p_text
        '0.368'
        """
        log10_p = self.log_p / math.log(10.0)
        exponent = math.floor(log10_p)
        if exponent >= -3:
            return f"{self.p_value:.3g}"
        mantissa = f"{10.0 ** (log10_p - exponent):.2g}"
        return f"1e{exponent + 1}" if mantissa == "10" else f"{mantissa}e{exponent}"


@dataclass(frozen=True)
class Run:
    """How a result came about.

    Attributes
    ----------
    algorithm : str
        Registered name of the search.
    options : mapping
        Options of the search and of its test.
    n_tests, n_repeated, n_skipped : int
        Tests computed, questions answered from memory, tests the data could not carry.
    seconds : float
        Wall-clock time of the search.
    n_rows, n_columns : int
        Shape of the table.
    fingerprint : str
        Hash of the table's bytes.
    random_state : int or None
        Seed, where the search uses one.
    versions : mapping of str to str
        Versions of Eiderdown and of the libraries that computed the numbers.
    """

    algorithm: str
    options: Mapping[str, Any]
    n_tests: int
    n_repeated: int
    n_skipped: int
    seconds: float
    n_rows: int
    n_columns: int
    fingerprint: str
    random_state: int | None
    versions: Mapping[str, str]


@dataclass(frozen=True)
class LocalResult:
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

    kind: ClassVar[str]
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

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists, dictionaries, texts and numbers."""
        return {"format": f"eiderdown.{self.kind}", "version": _VERSION, **asdict(self)}

    def to_json(self) -> str:
        """Write as JSON text."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Read back what :meth:`to_dict` returned."""
        try:
            fields = dict(record)
            _check_format(cls.kind, fields.pop("format"), fields.pop("version"))
            fields["evidence"] = tuple(
                Evidence(**{**item, "given": tuple(item["given"])}) for item in fields["evidence"]
            )
            fields["run"] = Run(**fields["run"])
            for name in ("members", "warnings", "parents_children"):
                fields[name] = None if fields[name] is None else tuple(fields[name])
            return cls(**fields)
        except (KeyError, TypeError, AttributeError) as problem:
            raise _not_a_result(cls.kind, problem) from problem

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read back what :meth:`to_json` wrote."""
        try:
            record = json.loads(text)
        except json.JSONDecodeError as problem:
            raise _not_a_result(cls.kind, problem) from problem
        if not isinstance(record, dict):
            raise _not_a_result(cls.kind, "it holds no record")
        return cls.from_dict(record)

    def save(self, path: str | Path) -> None:
        """Write as a JSON file."""
        Path(path).write_text(self.to_json() + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a JSON file."""
        return cls.from_json(read_text(path))


class MarkovBoundary(LocalResult):
    """The Markov boundary of one variable, with the evidence for each decision."""

    kind = "markov_boundary"
    what = "boundary"


class ParentsChildren(LocalResult):
    """The parents and children of one variable, with the evidence for each decision."""

    kind = "parents_children"
    what = "neighbourhood"


@dataclass(frozen=True)
class AllBoundaries(Mapping[str, LocalResult]):
    """Results of many targets of one table, by name of the target.

    Attributes
    ----------
    results : mapping of str to LocalResult
        One result for each target.
    warnings : tuple of str
        What was left out, or that the search was interrupted.
    """

    results: Mapping[str, LocalResult]
    warnings: tuple[str, ...] = ()

    def __getitem__(self, target: str) -> LocalResult:
        return self.results[target]

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def skeleton(self) -> Skeleton:
        """Join every target with its parents and children, where both sides agree.

        Needs a search that tells parents and children from spouses.
        """
        around = {}
        for target, result in self.results.items():
            if result.parents_children is None:
                raise OptionError(
                    f"{result.run.algorithm!r} does not tell parents and children from spouses; "
                    "use a search that does, such as 'pcmb' or 'get_pc'."
                )
            around[target] = set(result.parents_children)
        edges = [
            (x, y) for x in around for y in around if x < y and y in around[x] and x in around[y]
        ]
        return Skeleton(tuple(around), edges)

    def to_json(self) -> str:
        """Write as JSON text."""
        record = {
            "format": "eiderdown.all_boundaries",
            "version": _VERSION,
            "results": [result.to_dict() for result in self.results.values()],
            "warnings": self.warnings,
        }
        return json.dumps(record, indent=2, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> AllBoundaries:
        """Read back what :meth:`to_json` wrote."""
        try:
            record = json.loads(text)
            _check_format("all_boundaries", record["format"], record["version"])
            results = [_KINDS[item["format"]].from_dict(item) for item in record["results"]]
            return cls({result.target: result for result in results}, tuple(record["warnings"]))
        except (KeyError, TypeError, json.JSONDecodeError) as problem:
            raise _not_a_result("all_boundaries", problem) from problem


_KINDS: dict[str, type[LocalResult]] = {
    f"eiderdown.{kind.kind}": kind for kind in (MarkovBoundary, ParentsChildren)
}


def load_result(path: str | Path) -> LocalResult:
    """Read a saved result of any kind."""
    text = read_text(path)
    try:
        kind = _KINDS.get(json.loads(text)["format"], MarkovBoundary)
    except (json.JSONDecodeError, KeyError, TypeError) as problem:
        raise _not_a_result("result", problem) from problem
    return kind.from_json(text)


def read_text(path: str | Path) -> str:
    """Read a text file, or say in one sentence why not."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        reason = getattr(problem, "strerror", None) or "it is not text"
        raise UnreadableFileError(
            f"Cannot read {str(path)!r} ({reason}); give the path of a result saved as JSON."
        ) from problem


def _check_format(kind: str, written: str, version: int) -> None:
    if written != f"eiderdown.{kind}":
        raise ResultFormatError(
            f"This JSON holds something other than a {kind.replace('_', ' ')}: {written!r}."
        )
    if version != _VERSION:
        raise ResultFormatError(
            f"This result was written in format version {version}, but this Eiderdown reads "
            f"version {_VERSION}; read it with the Eiderdown that wrote it."
        )


def _not_a_result(kind: str, problem: object) -> ResultFormatError:
    return ResultFormatError(
        f"This is not the JSON of a {kind.replace('_', ' ')} ({problem}); it must come from "
        "to_json or from 'eiderdown find --json'."
    )
