"""What scores of tables with as many rows have in common, kept while somebody scores many of them.

Resamples of a table have as many rows each. The functions that discrete scores sum over cells are
then the same, and so is what families of one shape need. Python finds both out as families of new
shapes are scored, which a search must stop for each time; done anew for each resample, that was a
quarter of what GES took on Insurance.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any, Final, TypeVar

from eiderdown.forked import held_while_forking

TERMS_LOCK: Final = RLock()
"""Held while something is added to terms that scores in several threads may have in common."""

held_while_forking(TERMS_LOCK)

_MOST_KEPT = 16  # of tables with other numbers of rows, there may be as many as resamples
_kept: dict[Hashable, Any] = {}
_state = {"n_keepers": 0}

_Terms = TypeVar("_Terms")


@contextmanager
def common_terms_kept() -> Iterator[None]:
    """Let scores that are made meanwhile have in common what they can.

    Examples
    --------
    >>> with common_terms_kept():
    ...     common_terms("rows", list) is common_terms("rows", list)
    True
    >>> common_terms("rows", list) is common_terms("rows", list)
    False
    """
    with TERMS_LOCK:
        _state["n_keepers"] += 1
    try:
        yield
    finally:
        with TERMS_LOCK:
            _state["n_keepers"] -= 1
            if _state["n_keepers"] == 0:
                _kept.clear()


def common_terms(key: Hashable, make: Callable[[], _Terms]) -> _Terms:
    """Return what was made for a key before, if somebody keeps it; otherwise make it."""
    with TERMS_LOCK:
        if _state["n_keepers"] == 0:
            return make()
        if key not in _kept:
            if len(_kept) == _MOST_KEPT:
                del _kept[next(iter(_kept))]
            _kept[key] = make()
        terms: _Terms = _kept[key]
        return terms
