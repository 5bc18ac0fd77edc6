"""Searches on behalf of others keep their warnings in the result, and do not issue them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_SILENT: ContextVar[bool] = ContextVar("silent", default=False)


@contextmanager
def silence() -> Iterator[None]:
    """Issue no warnings of results, in this thread and as long as the context lasts."""
    token = _SILENT.set(True)
    try:
        yield
    finally:
        _SILENT.reset(token)


def is_silent() -> bool:
    """Whether warnings of results are not to be issued."""
    return _SILENT.get()
