"""What changed from one result to another, in the terminal."""

from __future__ import annotations

from rich.console import Console

from eiderdown.report.text import say
from eiderdown.results import ResultChanges


def render_changes(result: ResultChanges, console: Console) -> None:
    """Print what changed, and why."""
    for line in str(result).split("\n"):
        say(console, line)
