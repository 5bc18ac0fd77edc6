"""How quickly rows are passed over, and how long the rest will take."""

from __future__ import annotations

from time import monotonic
from typing import Final

from eiderdown.progress import tell_detail

_FIRST: Final = 0.5  # seconds before anything is said
_PAUSE: Final = 0.1  # seconds between two times that it is said


class Pace:
    """Says how many rows a second are passed over, and how long the rest will take.

    Parameters
    ----------
    n_all : int
        Rows of the whole pass.
    n_before : int
        Those that were passed over before, in other time.
    """

    def __init__(self, n_all: int, n_before: int = 0) -> None:
        self._n_all, self._n_before, self._n_passed = n_all, n_before, n_before
        self._began = self._told = monotonic()

    def add(self, n_rows: int) -> None:
        """Take note of more rows."""
        self._n_passed += n_rows

    def passed(self, n_rows: int) -> None:
        """Take note of more rows, and tell whoever watches the work now and then."""
        self.add(n_rows)
        now = monotonic()
        if now - self._told > _PAUSE:
            self._told = now
            tell_detail(self.said())

    def said(self) -> str:
        """Say it in words, or nothing as long as there is little to go by."""
        seconds = monotonic() - self._began
        pace = (self._n_passed - self._n_before) / seconds if seconds > _FIRST else 0.0
        if not pace:
            return ""
        left = max(0.0, (self._n_all - self._n_passed) / pace)
        return f"{pace:,.0f} rows a second, about {left:,.0f} s left"
