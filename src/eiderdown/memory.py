"""Amounts of memory: as people write them, and whether something fits before it is made.

    require_memory(8 * n_rows * n_rows, "the kernel of 40,000 rows", "give fewer rows")

A table that is too large would otherwise end in a MemoryError after minutes of work, or in a
process that the system kills without a word. What is free is the least of what the system has left,
what the control group of a container allows, and what RLIMIT_AS allows this process.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final, Self

from eiderdown.errors import InsufficientMemoryError

SMALL: Final = 1 << 26
"""Bytes that are always tried: to ask for them costs more than to be refused."""

SPARE: Final = 0.95
"""Share of the free memory that may be asked for at once."""

_GROUPS: Final = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
        "/sys/fs/cgroup/memory/memory.stat",
    ),
)
"""Files of control groups, of both versions: the limit, the use, and what can be given back."""


_UNITS: Final = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_AMOUNT: Final = re.compile(r"(\d+(?:\.\d+)?) *([KMGT]?)(?:I?B)?", re.IGNORECASE | re.ASCII)


class Memory(int):
    """An amount of memory in bytes, which people write as ``"2GB"`` or ``"500MB"``.

    Examples
    --------
    >>> Memory("2GB") == 2 * 2**30, Memory("0.5 MiB"), Memory(1000)
    (True, '512KB', '1000')
    """

    def __new__(cls, amount: str | int) -> Self:
        """Read an amount; ValueError where it is none."""
        if isinstance(amount, int):
            return super().__new__(cls, amount)
        read = _AMOUNT.fullmatch(amount.strip())
        if read is None:
            raise ValueError(f"{amount!r} is no amount of memory")
        return super().__new__(cls, int(float(read[1]) * _UNITS[read[2].upper()]))

    def __str__(self) -> str:
        n_bytes = int(self)
        for unit in "TGMK":
            if n_bytes and n_bytes % _UNITS[unit] == 0:
                return f"{n_bytes // _UNITS[unit]}{unit}B"
        return f"{n_bytes}"

    def __repr__(self) -> str:
        return repr(str(self))


def require_memory(n_bytes: float, what: str, way_out: str) -> None:
    """Refuse work that needs more memory than is free.

    Parameters
    ----------
    n_bytes : float
        What it needs at its peak.
    what : str
        What needs it, as the subject of a sentence.
    way_out : str
        What to do instead, as a request.

    Raises
    ------
    InsufficientMemoryError
        When it does not fit.

    Examples
    --------
    >>> require_memory(1_000, "A small table", "give fewer rows")
    >>> require_memory(1e18, "A table of all pairs", "give fewer columns")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    eiderdown.errors.InsufficientMemoryError: A table of all pairs needs about 931 million GB of ...
    """
    if n_bytes <= SMALL:
        return
    free = free_memory()
    if free is not None and n_bytes > SPARE * free:
        raise InsufficientMemoryError(
            f"{what} needs about {in_words(n_bytes)} of memory, but {in_words(free)} are free; "
            f"{way_out}."
        )


def in_words(n_bytes: float) -> str:
    """Write an amount of memory for people.

    Examples
    --------
    >>> in_words(3 * 2**30), in_words(2**20), in_words(0)
    ('3 GB', '1 MB', '0 MB')
    """
    gigabytes = n_bytes / 2**30
    if gigabytes >= 1e6:
        return f"{gigabytes / 1e6:,.3g} million GB"
    return f"{gigabytes:,.3g} GB" if gigabytes >= 1 else f"{n_bytes / 2**20:.3g} MB"


def free_memory() -> int | None:
    """Return how many bytes this process can still have; None where the system does not say."""
    known = [_left_by_system(), *map(_left_by_group, _GROUPS), _left_by_limit()]
    return min((max(0, left) for left in known if left is not None), default=None)


def _left_by_system() -> int | None:
    available = _field("/proc/meminfo", "MemAvailable:")
    if available is not None:
        return available * 1024
    return None


def _left_by_group(files: tuple[str, str, str]) -> int | None:
    """Return what the control group leaves; files that it only keeps in memory do not count."""
    limit, used = _number(files[0]), _number(files[1])
    if limit is None or used is None or limit >= 1 << 60:
        return None
    return limit - used + (_field(files[2], "inactive_file") or 0)


def _left_by_limit() -> int | None:
    if sys.platform == "win32":
        return None
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    used = _number("/proc/self/statm")
    if limit == resource.RLIM_INFINITY or used is None:
        return None
    return limit - used * resource.getpagesize()


def _number(path: str) -> int | None:
    """Return the number with which a file of the system begins."""
    try:
        return int(Path(path).read_text(encoding="ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return None


def _field(path: str, name: str) -> int | None:
    """Return the number behind a name in a file of the system."""
    try:
        lines = Path(path).read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    for line in lines:
        words = line.split()
        if len(words) > 1 and words[0] == name and words[1].isdigit():
            return int(words[1])
    return None
