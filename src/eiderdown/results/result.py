"""What every result can do: go to JSON and to a file, and come back unchanged.

A dataclass becomes a dictionary of its fields, tuples become lists, and mappings keep their keys.
Reading goes by the hints, so that a new field needs nothing but its annotation. A field whose name
in files is another one, or that is written in a shape of its own, says so::

    C: float = field(metadata=stored_as("cost"))
    models: tuple[FoundModel, ...] = field(metadata=stored_by(write_models, read_models))
"""

from __future__ import annotations

import json
import platform
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Any,
    ClassVar,
    Literal,
    Protocol,
    Self,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from eiderdown.errors import EiderdownWarning, ResultFormatError
from eiderdown.files import read_text, write_text
from eiderdown.plain_json import plain_json
from eiderdown.terminal import visible

Plain = Any  # lists, dictionaries, texts, numbers, truths and None

_NAME, _WRITE, _READ = "stored_as", "stored_write", "stored_read"

STORED_IF_ANY: Mapping[str, Any] = {"stored_if_any": True}
"""Says of a field that came later that it stands in files only if it holds something."""


def stored_as(name: str) -> dict[str, Any]:
    """Say under which name a field stands in files, if not its own."""
    return {_NAME: name}


def stored_by(
    write: Callable[[Any, Any], Plain], read: Callable[[Plain, Mapping[str, Any]], Any]
) -> dict[str, Any]:
    """Say how a field is written and read that does not go by its type."""
    return {_WRITE: write, _READ: read}


def to_plain(value: Any) -> Plain:
    """Write a record, or anything that records hold, as plain values."""
    if hasattr(value, "to_dict"):  # a result within a result says of what kind it is
        return value.to_dict()
    if is_dataclass(value):
        return plain_fields(value)
    if isinstance(value, Mapping):
        return {key: to_plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [to_plain(item) for item in value]
    return value


def plain_fields(record: Any) -> dict[str, Plain]:
    """Write the fields of a record as plain values."""
    written = {}
    for item in fields(record):
        value, write = getattr(record, item.name), item.metadata.get(_WRITE)
        if not value and STORED_IF_ANY.items() <= item.metadata.items():
            continue
        written[_name_of(item)] = to_plain(value) if write is None else write(value, record)
    return written


def of_plain(hint: Any, plain: Plain) -> Any:
    """Read a value of a type.

    Examples
    --------
    >>> of_plain(tuple[int, ...] | None, [1, 2])
    (1, 2)
    >>> of_plain(Literal["kept", "removed"], "lost")
    Traceback (most recent call last):
    ValueError: 'lost' is none of 'kept', 'removed'
    """
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any or (plain is None and NoneType in inner):
        return plain
    if origin in (Union, UnionType):
        (only,) = (kind for kind in inner if kind is not NoneType)
        return of_plain(only, plain)
    if origin is not None:
        return _container(origin, inner, plain)
    if hasattr(hint, "from_dict"):
        return hint.from_dict(_checked(dict, plain))
    if is_dataclass(hint):
        return hint(**read_fields(hint, _checked(dict, plain)))  # type: ignore[operator]
    return _checked(hint, plain)


def read_fields(kind: Any, plain: Mapping[str, Plain]) -> dict[str, Any]:
    """Read the fields of a record; those with a default may be missing, unknown ones may not be."""
    hints, known = _hints(kind), {_name_of(item): item for item in fields(kind)}
    unknown = [name for name in plain if name not in known]
    if unknown:
        raise ValueError(f"it has an unknown field {unknown[0]!r}")
    found: dict[str, Any] = {}
    for name, item in known.items():
        if name in plain:
            read = item.metadata.get(_READ)
            hint, value = hints[item.name], plain[name]
            found[item.name] = of_plain(hint, value) if read is None else read(value, found)
        elif item.default is MISSING and item.default_factory is MISSING:
            raise ValueError(f"it has no field {name!r}")
    return found


def _container(origin: Any, inner: tuple[Any, ...], plain: Plain) -> Any:
    """Read a literal, a mapping or a tuple."""
    if origin is Literal:
        if plain not in inner:
            raise ValueError(f"{plain!r} is none of {', '.join(map(repr, inner))}")
        return plain
    if origin is not tuple:
        return {key: of_plain(inner[1], item) for key, item in _checked(dict, plain).items()}
    items = _checked(list, plain)
    kinds = (inner[0],) * len(items) if inner[1:] == (...,) else inner
    if len(kinds) != len(items):
        raise ValueError(f"{items!r} should have {len(kinds)} parts")
    return tuple(of_plain(kind, item) for kind, item in zip(kinds, items, strict=True))


def _checked(kind: type, plain: Plain) -> Any:
    """Refuse what is not of a plain type; whole numbers will do for others."""
    wanted = (int, float) if kind is float else kind
    if not isinstance(plain, wanted) or (isinstance(plain, bool) and kind is not bool):
        shown = plain if not isinstance(plain, list | dict) else type(plain).__name__
        raise ValueError(f"{shown!r} should be of type {kind.__name__}")
    return plain


def _name_of(item: Field[Any]) -> str:
    return str(item.metadata.get(_NAME, item.name))


_hints = cache(get_type_hints)


VERSION = 1

_KINDS: dict[str, type[Result]] = {}


class Result:
    """A record of what was found, with a JSON round trip; every result is a frozen dataclass.

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
    Fields are written and read by their type hints (see :mod:`eiderdown.results.result`); the name
    of the format and its version are written and checked here. A class that names its ``kind`` can
    be read, by itself or through any class above it.
    """

    kind: ClassVar[str] = "result"
    indent: ClassVar[int | None] = 2  # None where columns of numbers would be lines of their own

    warnings: tuple[str, ...]
    complete: bool

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
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
            return kind(**read_fields(kind, plain))
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
        kind = _KINDS.get(str(written))
        if written is None or version is None or (kind is None and cls.kind == "result"):
            raise _not_a_result(cls.kind, "it does not say that it is one of Eiderdown's")
        if kind is None or not issubclass(kind, cls):
            raise ResultFormatError(
                f"This JSON holds something other than a {_in_words(cls.kind)}: {written!r}."
            )
        if version != VERSION:
            raise ResultFormatError(
                f"This result was written in format version {version}, but this Eiderdown reads "
                f"version {VERSION}; read it with the Eiderdown that wrote it."
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


_WITHHELD: ContextVar[bool] = ContextVar("withheld", default=False)


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


def _depth_of_caller() -> int:
    """Count the frames of this package on the stack, seen from :func:`issue_warnings`."""
    package = __name__.partition(".")[0]
    frame, depth = sys._getframe(1), 1
    while frame.f_back is not None and _package_of(frame.f_globals) == package:
        frame, depth = frame.f_back, depth + 1
    return depth


def _package_of(variables: Mapping[str, Any]) -> str:
    return str(variables.get("__name__", "")).partition(".")[0]
