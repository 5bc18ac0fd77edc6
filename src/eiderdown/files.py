"""Texts in files, compressed if the name ends in ``.gz``."""

from __future__ import annotations

import gzip
import os
import zlib
from pathlib import Path

from eiderdown.errors import UnreadableFileError


def read_text(path: str | os.PathLike[str], way_out: str = "check the path.") -> str:
    """Return the text of a file; whoever gave a path that cannot be read is told a way out."""
    try:
        content = Path(path).read_bytes()
        return (gzip.decompress(content) if Path(path).suffix == ".gz" else content).decode()
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as problem:
        reason = getattr(problem, "strerror", None) or "it is not text"
        raise UnreadableFileError(f"Cannot read {str(path)!r} ({reason}); {way_out}") from problem


def write_text(text: str, path: str | os.PathLike[str]) -> None:
    """Write a text, with a fixed time stamp: the same text gives the same bytes."""
    content = text.encode("utf-8")
    zipped = Path(path).suffix == ".gz"
    Path(path).write_bytes(gzip.compress(content, mtime=0) if zipped else content)
