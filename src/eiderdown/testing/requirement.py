"""How a check fails."""

from __future__ import annotations


def require(promise: bool, violation: str) -> None:
    """Raise an ``AssertionError`` with the sentence ``violation`` unless the promise holds.

    Unlike an assert statement this also works under ``python -O``.

    Examples
    --------
    >>> require(1 + 1 == 2, "Sums are wrong.")
    >>> require(1 + 1 == 3, "Sums are wrong.")
    Traceback (most recent call last):
    AssertionError: Sums are wrong.
    """
    if not promise:
        raise AssertionError(violation)
