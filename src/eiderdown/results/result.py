"""What every result can do: go to JSON and to a file, and come back unchanged.

How fields are written and read stands in :mod:`eiderdown.results.codec`; here is what a file says
of itself, its format and its version, and how a result came about.
"""

from __future__ import annotations

import json
import platform
import reprlib
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

from eiderdown.errors import EiderdownWarning, ResultFormatError
from eiderdown.files import read_text, write_text
from eiderdown.plain_json import plain_json
from eiderdown.results.codec import STORED_IF_ANY, plain_fields, read_record
from eiderdown.results.presentation import Presented
from eiderdown.results.provenance import Call, TableSummary
from eiderdown.terminal import visible

VERSION = 1

_KINDS: dict[str, type[Result]] = {}


class Result(Presented):
    """A record of what was found, with a JSON round trip; every result is a frozen dataclass.

    It shows itself: in a line (``repr``), in a few (``print``, :meth:`summary`), in a notebook, as
    a table (:meth:`to_frame`), as a picture (:meth:`plot`) and as a page (:meth:`report`).

    Attributes
    ----------
    run : Run
        How it was found; of repeated work, all runs in sum.
    warnings : tuple of str
        For what there was insufficient data, what was left out or changed.
    complete : bool
        False if the work was interrupted and this is the best so far.

    Notes
    -----
    Fields are written and read by their type hints (see :mod:`eiderdown.results.codec`); the name
    of the format and its version are written and checked here. A class that names its ``kind`` can
    be read, by itself or through any class above it.
    """

    kind: ClassVar[str] = "result"
    indent: ClassVar[int | None] = 2  # None where columns of numbers would be lines of their own

    warnings: tuple[str, ...]
    complete: bool

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "__repr__" not in vars(cls):  # or the dataclass would write one with every field
            cls.__repr__ = Presented.__repr__  # type: ignore[method-assign]
        if "kind" in vars(cls):
            _KINDS[f"eiderdown.{cls.kind}"] = cls

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists, dictionaries, texts and numbers."""
        return {"format": f"eiderdown.{self.kind}", "version": VERSION, **plain_fields(self)}

    def to_json(self) -> str:
        """Write as JSON text."""
        separators = (",", ":") if self.indent is None else None
        return json.dumps(
            self.to_dict(), indent=self.indent, separators=separators, allow_nan=False
        )

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Read back what :meth:`to_dict` returned."""
        try:
            plain = dict(record)
            kind = cls._kind_of(plain.pop("format", None), plain.pop("version", None))
            found: Self = read_record(kind, plain)
            return found
        except ResultFormatError:
            raise
        except (LookupError, TypeError, ValueError, AttributeError) as problem:
            raise _not_a_result(cls.kind, str(problem)) from problem

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read back what :meth:`to_json` wrote."""
        try:
            record = plain_json(text)
        except json.JSONDecodeError as problem:
            raise _not_a_result(cls.kind, "it is not JSON") from problem
        except ValueError as problem:
            raise _not_a_result(cls.kind, str(problem)) from problem
        if not isinstance(record, dict):
            raise _not_a_result(cls.kind, "it holds no record")
        return cls.from_dict(record)

    def save(self, path: str | Path) -> None:
        """Write as a JSON file."""
        write_text(self.to_json() + "\n", path)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a JSON file."""
        text = read_text(path, "give the path of a result saved as JSON.")
        try:
            return cls.from_json(text)
        except ResultFormatError as problem:
            raise ResultFormatError(f"In {str(path)!r}: {problem}") from problem

    @classmethod
    def _kind_of(cls, written: Any, version: Any) -> type[Self]:
        """Return the class that a record names, which must be this one or one below it."""
        kind = _KINDS.get(written) if isinstance(written, str) else None
        if written is None or version is None or (kind is None and cls.kind == "result"):
            raise _not_a_result(cls.kind, "it does not say that it is one of Eiderdown's")
        if kind is None or not issubclass(kind, cls):
            raise ResultFormatError(
                f"This JSON holds something other than a {_in_words(cls.kind)}: "
                f"{reprlib.repr(written)}."
            )
        if type(version) is not int or version != VERSION:
            raise ResultFormatError(
                f"This result was written in format version {reprlib.repr(version)}, but this "
                f"Eiderdown reads version {VERSION}; read it with the Eiderdown that wrote it, or "
                "a newer one."
            )
        return kind


def load_result(path: str | Path) -> Result:
    """Read a saved result of any kind."""
    return Result.load(path)


def _not_a_result(kind: str, reason: str) -> ResultFormatError:
    return ResultFormatError(
        f"This is not the JSON of a {_in_words(kind)} ({reason}); it must come from to_json, save, "
        "or 'eiderdown find --json'."
    )


def _in_words(kind: str) -> str:
    return kind.replace("_", " ").replace("markov", "Markov")


_LIBRARIES = ("eiderdown", "numpy", "scipy", "numba", "scikit-learn")


class Counts(Protocol):
    """How many tests something took; a :class:`Run` is one, too."""

    @property
    def n_tests(self) -> int: ...  # noqa: D102
    @property
    def n_repeated(self) -> int: ...  # noqa: D102
    @property
    def n_skipped(self) -> int: ...  # noqa: D102
    @property
    def n_evicted(self) -> int: ...  # noqa: D102


class Table(Protocol):
    """Which table it was; a :class:`Run` knows that of its own."""

    @property
    def n_rows(self) -> int: ...  # noqa: D102
    @property
    def n_columns(self) -> int: ...  # noqa: D102
    @property
    def fingerprint(self) -> str: ...  # noqa: D102


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
        Tests computed, questions answered from memory, tests for which there was insufficient data.
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
    call : Call or None
        What was asked, for which it knows the code and the command; of the result of a verb, and
        not of results within it.
    table : TableSummary or None
        The table that was asked about, likewise.
    n_evicted : int
        Results of tests that were forgotten to make room for others.
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
    call: Call | None = field(default=None, metadata=STORED_IF_ANY)
    table: TableSummary | None = field(default=None, metadata=STORED_IF_ANY)
    n_evicted: int = field(default=0, metadata=STORED_IF_ANY)

    def require_alpha(self) -> None:
        """Refuse a significance level that is none: reports compare p-values with it."""
        alpha = self.options.get("alpha", 1.0)
        if not isinstance(alpha, int | float) or not 0.0 < alpha <= 1.0:
            raise ValueError(f"alpha cannot be {reprlib.repr(alpha)}")

    @classmethod
    def of(
        cls,
        algorithm: str,
        table: Table | None,
        options: Mapping[str, Any],
        *,
        counts: Iterable[Counts] = (),
        seconds: float = 0.0,
        random_state: int | None = None,
    ) -> Self:
        """Write down how a result came about, with the versions that are installed.

        Parameters
        ----------
        algorithm : str
            Registered name of the search.
        table : Dataset, Run or None
            The table, or a run on the same table; None if there was no table, or several.
        options : mapping
            Options of the search and of its test.
        counts : iterable of TestCounts or Run
            What is to be summed.
        seconds : float
            Wall-clock time.
        random_state : int or None
            Seed, where the search uses one.
        """
        counted = tuple(counts)
        return cls(
            algorithm=algorithm,
            options=options,
            n_tests=sum(count.n_tests for count in counted),
            n_repeated=sum(count.n_repeated for count in counted),
            n_skipped=sum(count.n_skipped for count in counted),
            n_evicted=sum(count.n_evicted for count in counted),
            seconds=seconds,
            n_rows=0 if table is None else table.n_rows,
            n_columns=0 if table is None else table.n_columns,
            fingerprint="" if table is None or _UNNAMED.get() else table.fingerprint,
            random_state=random_state,
            versions={name: _version(name) for name in ("python", *_LIBRARIES)},
        )


@cache
def _version(name: str) -> str:
    if name == "python":
        return platform.python_version()
    try:
        return version(name)
    except PackageNotFoundError:  # a source tree on the path has no metadata
        return "not installed"


# --- warnings ------------------------------------------------------------------------------------


_WITHHELD: ContextVar[bool] = ContextVar("withheld", default=False)
_UNNAMED: ContextVar[bool] = ContextVar("unnamed", default=False)


def issue_warnings(result: Result) -> None:
    """Issue the warnings of a result, as of the line that called Eiderdown.

    Nothing is issued where the search is on behalf of another; see :func:`withheld_warnings`.
    """
    if not _WITHHELD.get():
        for sentence in result.warnings:
            shown = visible(sentence, lines=True)
            warnings.warn(shown, EiderdownWarning, stacklevel=_depth_of_caller())


@contextmanager
def withheld_warnings() -> Iterator[None]:
    """Keep warnings in the results, and issue none, in this thread while the context lasts."""
    token = _WITHHELD.set(True)
    try:
        yield
    finally:
        _WITHHELD.reset(token)


@contextmanager
def without_fingerprints() -> Iterator[None]:
    """Leave them out of runs, in this thread, on tables that nobody sees again, like resamples.

    To go over all cells once more took GES a tenth of its time, and a sixth on 100,000 rows.
    """
    token = _UNNAMED.set(True)
    try:
        yield
    finally:
        _UNNAMED.reset(token)


def is_on_behalf_of_another() -> bool:
    """Say whether warnings are withheld in this thread."""
    return _WITHHELD.get()


def _depth_of_caller() -> int:
    """Count the frames of this package on the stack, seen from :func:`issue_warnings`."""
    package = __name__.partition(".")[0]
    frame, depth = sys._getframe(1), 1
    while frame.f_back is not None and _package_of(frame.f_globals) == package:
        frame, depth = frame.f_back, depth + 1
    return depth


def _package_of(variables: Mapping[str, Any]) -> str:
    return str(variables.get("__name__", "")).partition(".")[0]
