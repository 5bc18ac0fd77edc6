"""The console: commands that import their verbs when they run, results, and errors as sentences.

Results go to stdout; warnings, errors and progress to stderr. Bad input ends with one sentence and
exit code 2, Ctrl-C with exit code 130. Anything else that goes wrong is a bug and keeps its
traceback.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, Final, TextIO

import typer
from typer.core import TyperGroup

from eiderdown.cli.commands import Command
from eiderdown.errors import EiderdownError, EiderdownWarning
from eiderdown.terminal import visible

if TYPE_CHECKING:
    from pathlib import Path

    from eiderdown.results import Result

BAD_INPUT: Final = 2
INTERRUPTED: Final = 130


class CommandGroup(TyperGroup):
    """Builds a verb's command when it is asked for; says what is wrong with the user's input."""

    verbs: ClassVar[dict[str, Command]] = {}

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command; one of a verb is made now, with the verb's options."""
        name, command, rest = super().resolve_command(ctx, args)
        if name in self.verbs:
            command = typer.main.get_command(self.verbs[name].build())
        return name, command, rest

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            with _warnings_as_sentences():
                return super().invoke(ctx)
        except EiderdownError as problem:
            echo(f"error: {problem}", err=True)
            raise typer.Exit(BAD_INPUT) from problem
        except KeyboardInterrupt as problem:
            echo("error: interrupted before there was a result.", err=True)
            raise typer.Exit(INTERRUPTED) from problem


def group_of(verbs: tuple[Command, ...]) -> type[CommandGroup]:
    """Return a class of groups with the commands of some verbs."""
    return type("VerbGroup", (CommandGroup,), {"verbs": {verb.name: verb for verb in verbs}})


def echo(text: str, *, err: bool = False) -> None:
    """Print lines in which names may stand: what a terminal would obey is escaped."""
    stream = sys.stderr if err else sys.stdout  # typer would write UTF-8 to a terminal of ASCII
    if stream is not None:
        stream.write(f"{visible(text, lines=True)}\n")
        stream.flush()


def print_warning(sentence: str) -> None:
    """Print one warning."""
    echo(f"warning: {sentence}", err=True)


@contextmanager
def _warnings_as_sentences() -> Iterator[None]:
    """Print each of our own warnings once, as a sentence."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", EiderdownWarning)
        ordinary, printed = warnings.showwarning, set[str]()

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if not issubclass(category, EiderdownWarning):
                ordinary(message, category, filename, lineno, file, line)
            elif str(message) not in printed:
                printed.add(str(message))
                print_warning(str(message))

        warnings.showwarning = show
        yield


def print_result(
    result: Result, *, as_json: bool = False, truth: Collection[str] | None = None
) -> None:
    """Print a result for people, or for programs."""
    if as_json:
        typer.echo(result.to_json())
    else:
        from rich.console import Console

        from eiderdown.report import render

        render(result, Console(), truth)


def save(result: Result, path: Path | None) -> None:
    """Save a result, where that was asked for."""
    if path is not None:
        result.save(path)


def deliver(result: Result, *, as_json: bool) -> None:
    """Print a result, and end as an interrupted one has to."""
    print_result(result, as_json=as_json)
    if not result.complete:
        raise typer.Exit(INTERRUPTED)
