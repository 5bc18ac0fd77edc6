"""Files: texts read whole, and the one way in which everything is written.

:func:`replacing` writes a file beside its place, and gives it the place only when all of it is on
the disk. Whoever ends the program in the middle of it, or runs out of space, still has what was
there before, and nothing else is left behind. :class:`GrowingFile` is for files that are whole
after every piece that is appended. No other module opens files for writing
(``tests/robustness/test_what_modules_do.py``).
"""

from __future__ import annotations

import gzip
import io
import os
import stat
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from eiderdown.errors import UnreadableFileError, UnwritableFileError

LARGEST_TEXT: Final = 2**31
"""Bytes of a text that is read whole, after decompression; anything larger is refused."""

_STREAMS: Final = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")
"""Paths of what is already open; a file of another name cannot take their place."""

_SECONDS_OFF_DISK: Final = 5.0  # after which what was appended is written to the disk itself

_LONGEST_NAME: Final = 40  # letters of a name that a file beside it repeats


def read_text(path: str | os.PathLike[str], way_out: str = "check the path.") -> str:
    """Return the text of a file; whoever gave a path that cannot be read is told a way out.

    A name that ends in ``.gz`` is decompressed.
    """
    try:
        content = _content(Path(path))
        text = content.decode()
    except UnicodeDecodeError as problem:
        raise _unreadable(path, "it is not text", way_out) from problem
    except (EOFError, gzip.BadGzipFile, zlib.error) as problem:
        raise _unreadable(path, "it is damaged, or not compressed by gzip", way_out) from problem
    except (OSError, ValueError) as problem:
        raise _unreadable(path, reason_of(problem), way_out) from problem
    return text


def _content(path: Path) -> bytes:
    """Return what a file holds, if that is not too much."""
    with path.open("rb") as file:
        zipped = path.suffix == ".gz"
        if zipped and not file.peek(1):
            raise EOFError  # even of an empty text something would be left
        content = (gzip.GzipFile(fileobj=file) if zipped else file).read(LARGEST_TEXT + 1)
    if len(content) > LARGEST_TEXT:
        raise OSError(0, f"it holds more than {LARGEST_TEXT / 2**30:g} GB")
    return content


def reason_of(problem: Exception) -> str:
    """Say in a few words why the system refused something.

    Examples
    --------
    >>> reason_of(FileNotFoundError(2, "No such file or directory")), reason_of(ValueError("odd"))
    ('No such file or directory', 'odd')
    """
    return str(getattr(problem, "strerror", None) or problem or type(problem).__name__)


def _unreadable(path: object, reason: str, way_out: str) -> UnreadableFileError:
    return UnreadableFileError(f"Cannot read {shortened(path)!r} ({reason}); {way_out}")


def shortened(path: object, most: int = 300) -> str:
    """Return a path for a message, without its middle if nobody would read it to the end.

    Examples
    --------
    >>> shortened("x" * 1000, most=10)
    'xxxxx[...]xxxxx'
    """
    text = str(path)
    return text if len(text) <= most else f"{text[: most // 2]}[...]{text[-(most // 2) :]}"


def write_text(text: str, path: str | os.PathLike[str]) -> None:
    """Write a text, compressed if the name ends in ``.gz``: the same text gives the same bytes."""
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError as problem:
        letter = text[problem.start]
        raise UnwritableFileError(
            f"Cannot write {shortened(path)!r}, because a name in it holds {letter!r}, half a "
            "character, which no text file can hold; rename it."
        ) from problem
    zipped = Path(path).suffix == ".gz"
    with replacing(path) as file:
        file.write(gzip.compress(content, mtime=0) if zipped else content)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Give a file to write into, which takes its place when all of it is written.

    Links are followed, the permissions of a file that was there are kept, and pipes and devices
    are written into directly, because nothing can take their place.

    Raises
    ------
    UnwritableFileError
        When anything of it cannot be done; what was there is there still.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "note.txt"
    >>> with replacing(path) as file:
    ...     _ = file.write(b"whole")
    >>> path.read_text(), [other.name for other in path.parent.iterdir()]
    ('whole', ['note.txt'])
    """
    try:
        with _direct(path) if is_open_elsewhere(path) else _beside(path) as file:
            yield file
    except (OSError, ValueError) as problem:
        if isinstance(problem, ValueError) and "null" not in str(problem):
            raise
        told = UnwritableFileError(
            f"Cannot write {shortened(path)!r} ({reason_of(problem)}); choose another place."
        )
        told.errno, told.strerror = getattr(problem, "errno", None), reason_of(problem)
        raise told from problem


def is_open_elsewhere(path: str | os.PathLike[str]) -> bool:
    """Say whether a path is that of a pipe, a device or an open file."""
    if os.path.abspath(path).startswith(_STREAMS):  # noqa: PTH100  it follows no links
        return True
    with suppress(OSError):
        mode = os.stat(path).st_mode  # noqa: PTH116
        return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)
    return False


@contextmanager
def _direct(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    whole = io.BytesIO()  # because some writers go back in what they wrote, and pipes do not
    yield whole
    with Path(path).open("wb") as file:
        file.write(whole.getbuffer())


@contextmanager
def _beside(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    place = Path(os.path.realpath(path))
    if place.is_dir():
        raise IsADirectoryError(21, "it is a folder")
    mode = stat.S_IMODE(place.stat().st_mode) if place.exists() else None
    beside = place.with_name(f".{place.name[:_LONGEST_NAME]}.{os.urandom(6).hex()}.part")
    how = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(beside, how, 0o666), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            beside.chmod(mode)
        beside.replace(place)
    except BaseException:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise
    _keep_name(place.parent)


def _keep_name(folder: Path) -> None:
    """Write a folder to the disk, too, where that can be done: it holds the new name."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class GrowingFile:
    r"""A file that grows by pieces, each appended by one write, so that SIGKILL leaves it whole.

    Every few seconds it is written to the disk itself, for the sake of machines that stop.

    Parameters
    ----------
    path : path
        The file; made if it is not there.
    n_kept : int
        How many of its bytes stay; what is behind them is cut off.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "lines.txt"
    >>> for n_kept in (0, 4):
    ...     file = GrowingFile(path, n_kept)
    ...     file.append(b"one\ntw")
    ...     file.close()
    >>> path.read_bytes()
    b'one\none\ntw'
    """

    def __init__(self, path: str | os.PathLike[str], n_kept: int) -> None:
        how = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
        self._file = os.fdopen(os.open(path, how, 0o666), "r+b", buffering=0)
        self._file.truncate(n_kept)
        self._file.seek(n_kept)
        self._n_bytes = n_kept
        self._on_disk = time.monotonic()

    def append(self, piece: bytes) -> None:
        """Append a piece; where that fails, nothing of it is left.

        Raises
        ------
        OSError
            When there is no space, or the file cannot be written.
        """
        left = memoryview(piece)
        try:
            while left:
                left = left[self._file.write(left) or 0 :]
        except OSError:
            with suppress(OSError):
                self._file.truncate(self._n_bytes)
                self._file.seek(self._n_bytes)
            raise
        self._n_bytes += len(piece)
        if time.monotonic() - self._on_disk > _SECONDS_OFF_DISK:
            os.fsync(self._file.fileno())
            self._on_disk = time.monotonic()

    def close(self) -> None:
        """Write all to the disk, and close the file."""
        with suppress(OSError):
            os.fsync(self._file.fileno())
        self._file.close()
