"""Which files a table is made of: one, a folder of them, a glob or a list, here or elsewhere."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from eiderdown.data.files import COMPRESSED, FORMS
from eiderdown.errors import UnreadableFileError
from eiderdown.files import shortened

PACKED_FORMS: Final = ("Parquet", "Arrow", "delimited")
"""What can be read in batches."""


@dataclass(frozen=True)
class Files:
    """Files that together are a table.

    Attributes
    ----------
    given : str
        What the user wrote.
    paths : tuple of str
        In the order of the rows, as the file system names them.
    form : str
        One of `PACKED_FORMS`.
    filesystem : object
        Arrow's.
    root : str
        Below it, folders may be called ``key=value``.
    """

    given: str
    paths: tuple[str, ...]
    form: str
    filesystem: Any
    root: str = ""

    def states(self) -> list[tuple[str, int, int]]:
        """Return path, bytes and time of change of each file."""
        found = self.filesystem.get_file_info(list(self.paths))
        return [(info.path, info.size or 0, info.mtime_ns or 0) for info in found]


def is_source(table: Any) -> bool:
    """Say whether something is the name of several files, or of one that is not in a local folder.

    Examples
    --------
    >>> is_source("data.csv"), is_source("parts/*.parquet"), is_source("file:///data/x.parquet")
    (False, True, True)
    """
    if isinstance(table, list | tuple):
        return bool(table) and all(isinstance(one, str | os.PathLike) for one in table)
    if not isinstance(table, str | os.PathLike):
        return False
    path = os.fsdecode(table)
    return "://" in path or os.path.isdir(path) or _is_glob(path)  # noqa: PTH112  too long ones are none


def _is_glob(path: str) -> bool:
    return glob.has_magic(path) and not os.path.exists(path)  # noqa: PTH110


def files_of(table: Any, form: str = "") -> Files:
    """Find the files of a table, or raise if there are none that can be read in batches."""
    from pyarrow import fs

    local = fs.LocalFileSystem()
    if isinstance(table, list | tuple):
        given = ", ".join(os.fsdecode(one) for one in table)
        paths = [os.path.abspath(os.fsdecode(one)) for one in table]  # noqa: PTH100
        return Files(given, *_of_one_form(given, paths, form), local, os.path.commonpath(paths))
    given = os.fsdecode(table)
    if "://" in given:
        return _of_address(given, form)
    if _is_glob(given):
        paths = sorted(glob.glob(os.path.abspath(given), recursive=True))  # noqa: PTH100, PTH207
        root = os.path.abspath(given[: _magic_at(given)]).rpartition(os.sep)[0]  # noqa: PTH100
        paths = [path for path in paths if not os.path.isdir(path)]  # noqa: PTH112
        return Files(given, *_of_one_form(given, paths, form), local, root)
    path = os.path.abspath(given)  # noqa: PTH100
    if os.path.isdir(path):  # noqa: PTH112
        return Files(given, *_of_one_form(given, _below(local, path), form), local, path)
    return Files(given, *_of_one_form(given, [path], form), local, os.path.dirname(path))  # noqa: PTH120


def _magic_at(path: str) -> int:
    return min(path.find(sign) for sign in "*?[" if sign in path)


def _of_address(given: str, form: str) -> Files:
    import pyarrow as pa
    from pyarrow import fs

    try:
        system, path = fs.FileSystem.from_uri(given)
        info = system.get_file_info(path)
    except (pa.ArrowException, OSError, ValueError) as problem:
        raise UnreadableFileError(
            f"Cannot read {shortened(given)!r} ({problem!s:.200}); check the address."
        ) from problem
    if info.type == fs.FileType.Directory:
        return Files(given, *_of_one_form(given, _below(system, path), form), system, path)
    paths = [path] if info.type == fs.FileType.File else []
    return Files(given, *_of_one_form(given, paths, form), system, path.rpartition("/")[0])


def _below(system: Any, folder: str) -> list[str]:
    """Return the files in a folder and below, but for hidden ones and notes of other programs."""
    from pyarrow import fs

    infos = system.get_file_info(fs.FileSelector(folder, recursive=True))
    paths = [info.path for info in infos if info.type == fs.FileType.File]
    return sorted(path for path in paths if not _is_hidden(path[len(folder) :]))


def _is_hidden(path: str) -> bool:
    return any(step.startswith((".", "_")) for step in path.split("/") if "=" not in step)


def _of_one_form(given: str, paths: Sequence[str], form: str) -> tuple[tuple[str, ...], str]:
    """Return those of the files that are tables, and what they are."""
    forms = {path: form or form_of(path) for path in paths}
    tables = {path: own for path, own in forms.items() if own}
    if not tables:
        what = "is a directory without" if os.path.isdir(given) else "names no"  # noqa: PTH112
        raise UnreadableFileError(
            f"{shortened(given)!r} {what} Parquet, Arrow or text files; give the path of a file, "
            "or of a folder with such files."
        )
    first = next(iter(tables.values()))
    for path, own in tables.items():
        if own != first:
            raise UnreadableFileError(
                f"{shortened(path)!r} is a {own} file among {first} files; give files of one form."
            )
    return tuple(tables), first


def form_of(path: str) -> str:
    """Return as what a file would be read in batches, by its name; "" if not at all."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        if COMPRESSED[suffixes.pop()] in ("zip", "xz"):
            return ""
        form = FORMS.get(suffixes[-1] if suffixes else ".csv", "")
        return form if form == "delimited" else ""
    form = FORMS.get(suffixes[-1] if suffixes else "", "")
    return form if form in PACKED_FORMS else ""
