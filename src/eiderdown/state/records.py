"""A state file to which records are appended as they come, one line for each.

Every line is the checksum of a record, a space, and the record as JSON; the first is the question
that all the others answer. A line is written by one call, so that a killed process leaves at most
one that is torn: it is cut off by who comes next. A line with a wrong checksum counts for nothing.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from eiderdown.errors import OptionError, UnreadableFileError
from eiderdown.files import GrowingFile, reason_of, shortened
from eiderdown.plain_json import plain_json
from eiderdown.state.lock import ClaimedFile

FORMAT: Final = "eiderdown.records"
VERSION: Final = 1

Question = Mapping[str, Any]
"""What all records of a file answer: plain values by names for people."""


class RecordFile(ClaimedFile):
    """Records in a file, if there is one; made for one question.

    Parameters
    ----------
    path : Path or None
        The file; None keeps nothing.
    question : mapping
        What the records answer, by names for people; a file about another is refused.
    """

    def __init__(self, path: Path | None, question: Question) -> None:
        super().__init__(path)
        self._question = {"format": FORMAT, "version": VERSION, **plain_question(question)}
        self._file: GrowingFile | None = None

    def earlier(self) -> list[Any]:
        """Return the records that are there, and open the file for more."""
        if self.path is None:
            return []
        content = _content(self.path)
        lines = list(_whole_lines(content))
        records = [_record(line) for line in lines]
        if lines or content:
            written = records[0] if records else None
            if not isinstance(written, dict) or written.get("format") != FORMAT:
                raise OptionError(
                    f"{shortened(self.path)!r} is no state file of such a search; name another "
                    "file."
                )
            require_same(self.what, self.path, self._question, written)
        try:
            self._file = GrowingFile(self.path, sum(map(len, lines)))
        except OSError as problem:
            self._note(problem, "what is found is")
        if not lines:
            self.append(self._question)
        return [record for record in records[1:] if record is not None]

    @property
    def is_written(self) -> bool:
        """Whether a record that is appended goes anywhere; making it may take longer than all."""
        return self._file is not None

    def append(self, record: Any) -> None:
        """Write one more record; where that fails, ``problem`` says why, and no more come."""
        if self._file is None:
            return
        text = json.dumps(record, allow_nan=False, separators=(",", ":")).encode()
        try:
            self._file.append(b"%08x %s\n" % (zlib.crc32(text), text))
        except OSError as problem:
            self._note(problem, "what was found since is")
            self._close()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()
        super().__exit__(kind, problem, trace)

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def require_same(what: str, path: Path, question: Question, written: Question) -> None:
    """Refuse a file that answers another question, and say in what they differ first."""
    for name in {**question, **written}:
        before, now = written.get(name), question.get(name)
        if before != now:
            raise OptionError(
                f"The {what} {shortened(path)!r} is of {name}={before!r}, not {now!r}; give the "
                "same, or name another file."
            )


def plain_question(question: Question) -> dict[str, Any]:
    """Write values as JSON does, because earlier ones have been there and back."""
    plain: dict[str, Any] = json.loads(json.dumps(question, default=str))
    return plain


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes() if path.exists() else b""
    except OSError as problem:
        raise UnreadableFileError(
            f"Cannot read the state file {shortened(path)!r} ({reason_of(problem)}); name another."
        ) from problem


def _whole_lines(content: bytes) -> Iterator[bytes]:
    """Return the lines that have an end."""
    start = 0
    while (end := content.find(b"\n", start)) >= 0:
        yield content[start : end + 1]
        start = end + 1


def _record(line: bytes) -> Any:
    """Return the record of a line; None if its checksum is wrong."""
    checksum, _, text = line.rstrip(b"\n").partition(b" ")
    if checksum != b"%08x" % zlib.crc32(text):
        return None
    try:
        return plain_json(text.decode())
    except (ValueError, UnicodeDecodeError):
        return None
