"""What every result can do: go to JSON and to a file, and come back unchanged."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

from eiderdown.errors import ResultFormatError, UnreadableFileError
from eiderdown.results.codec import plain_fields, read_fields

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
            record = json.loads(text)
        except json.JSONDecodeError as problem:
            raise _not_a_result(cls.kind, "it is not JSON") from problem
        if not isinstance(record, dict):
            raise _not_a_result(cls.kind, "it holds no record")
        return cls.from_dict(record)

    def save(self, path: str | Path) -> None:
        """Write as a JSON file."""
        Path(path).write_text(self.to_json() + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a JSON file."""
        try:
            return cls.from_json(Path(path).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as problem:
            reason = getattr(problem, "strerror", None) or "it is not text"
            raise UnreadableFileError(
                f"Cannot read {str(path)!r} ({reason}); give the path of a result saved as JSON."
            ) from problem
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
