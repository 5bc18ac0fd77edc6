"""What every result can do: go to JSON and to a file, and come back unchanged."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

from eiderdown.errors import ResultFormatError, UnreadableFileError

VERSION = 1


class Stored(ABC):
    """A record with a JSON round trip.

    Subclasses write their fields with ``_fields`` and read them back with ``_of_fields``; the name
    of the format and its version are written and checked here.
    """

    kind: ClassVar[str]
    indent: ClassVar[int | None] = 2  # None where columns of numbers would be lines of their own

    @abstractmethod
    def _fields(self) -> dict[str, Any]:
        """Return plain lists, dictionaries, texts and numbers."""

    @classmethod
    @abstractmethod
    def _of_fields(cls, fields: dict[str, Any]) -> Self:
        """Read back what :meth:`_fields` returned."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists, dictionaries, texts and numbers."""
        return {"format": f"eiderdown.{self.kind}", "version": VERSION, **self._fields()}

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
            fields = dict(record)
            _check_format(cls.kind, fields.pop("format"), fields.pop("version"))
            return cls._of_fields(fields)
        except ResultFormatError:
            raise
        except (LookupError, TypeError, ValueError, AttributeError) as problem:
            raise not_a_result(cls.kind, str(problem)) from problem

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read back what :meth:`to_json` wrote."""
        return cls.from_dict(record_in(text, cls.kind))

    def save(self, path: str | Path) -> None:
        """Write as a JSON file."""
        Path(path).write_text(self.to_json() + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a JSON file."""
        text = read_text(path)
        try:
            return cls.from_json(text)
        except ResultFormatError as problem:
            raise in_file(path, problem) from problem


def record_in(text: str, kind: str) -> dict[str, Any]:
    """Return the record that a JSON text holds, or say that it holds none."""
    try:
        record = json.loads(text)
    except json.JSONDecodeError as problem:
        raise not_a_result(kind, "it is not JSON") from problem
    if not isinstance(record, dict):
        raise not_a_result(kind, "it holds no record")
    return record


def read_text(path: str | Path) -> str:
    """Read a text file, or say in one sentence why not."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        reason = getattr(problem, "strerror", None) or "it is not text"
        raise UnreadableFileError(
            f"Cannot read {str(path)!r} ({reason}); give the path of a result saved as JSON."
        ) from problem


def in_file(path: str | Path, problem: ResultFormatError) -> ResultFormatError:
    """Name the file in which a result could not be read."""
    return ResultFormatError(f"In {str(path)!r}: {problem}")


def not_a_result(kind: str, reason: str) -> ResultFormatError:
    """Say that a text is no result of this kind."""
    return ResultFormatError(
        f"This is not the JSON of a {_in_words(kind)} ({reason}); it must come from to_json, save, "
        "or 'eiderdown find --json'."
    )


def _check_format(kind: str, written: str, version: int) -> None:
    if written != f"eiderdown.{kind}":
        raise ResultFormatError(
            f"This JSON holds something other than a {_in_words(kind)}: {written!r}."
        )
    if version != VERSION:
        raise ResultFormatError(
            f"This result was written in format version {version}, but this Eiderdown reads "
            f"version {VERSION}; read it with the Eiderdown that wrote it."
        )


def _in_words(kind: str) -> str:
    return kind.replace("_", " ").replace("markov", "Markov")
