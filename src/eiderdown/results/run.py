"""How a result came about, and the warnings that go with it."""

from __future__ import annotations

import platform
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Protocol, Self

from eiderdown.errors import EiderdownWarning

_LIBRARIES = ("eiderdown", "numpy", "scipy", "numba", "scikit-learn")


class Counts(Protocol):
    """How many tests something took; a :class:`Run` is one, too."""

    @property
    def n_tests(self) -> int: ...  # noqa: D102
    @property
    def n_repeated(self) -> int: ...  # noqa: D102
    @property
    def n_skipped(self) -> int: ...  # noqa: D102


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
            seconds=seconds,
            n_rows=0 if table is None else table.n_rows,
            n_columns=0 if table is None else table.n_columns,
            fingerprint="" if table is None else table.fingerprint,
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


class Warned(Protocol):
    """A result with warnings."""

    @property
    def warnings(self) -> tuple[str, ...]: ...  # noqa: D102


_WITHHELD: ContextVar[bool] = ContextVar("withheld", default=False)


def issue_warnings(result: Warned) -> None:
    """Issue the warnings of a result, as of the line that called Eiderdown.

    Nothing is issued where the search is on behalf of another; see :func:`withheld_warnings`.
    """
    if not _WITHHELD.get():
        for sentence in result.warnings:
            warnings.warn(sentence, EiderdownWarning, stacklevel=_depth_of_caller())


@contextmanager
def withheld_warnings() -> Iterator[None]:
    """Keep warnings in the results, and issue none, in this thread while the context lasts."""
    token = _WITHHELD.set(True)
    try:
        yield
    finally:
        _WITHHELD.reset(token)


def _depth_of_caller() -> int:
    """Count the frames of this package on the stack, seen from :func:`issue_warnings`."""
    package = __name__.partition(".")[0]
    frame, depth = sys._getframe(1), 1
    while frame.f_back is not None and _package_of(frame.f_globals) == package:
        frame, depth = frame.f_back, depth + 1
    return depth


def _package_of(variables: Mapping[str, Any]) -> str:
    return str(variables.get("__name__", "")).partition(".")[0]
