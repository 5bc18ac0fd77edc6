"""How the command line speaks: results on stdout; warnings, errors and progress on stderr.

Bad input ends with one sentence and exit code 2, Ctrl-C with exit code 130. Anything else that goes
wrong is a bug and keeps its traceback.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import typer
from typer.core import TyperGroup

from eiderdown.errors import EiderdownError, EiderdownWarning, OptionError

BAD_INPUT = 2
INTERRUPTED = 130


class MannerlyGroup(TyperGroup):
    """Turns errors and warnings about the user's input into sentences on stderr."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            with _spoken_warnings():
                return super().invoke(ctx)
        except EiderdownError as problem:
            typer.echo(f"error: {problem}", err=True)
            raise typer.Exit(BAD_INPUT) from problem
        except KeyboardInterrupt as problem:
            typer.echo("error: interrupted before there was a result.", err=True)
            raise typer.Exit(INTERRUPTED) from problem


def say_warning(sentence: str) -> None:
    """Print one warning."""
    typer.echo(f"warning: {sentence}", err=True)


def require_folder(path: Path | None, option: str = "--out") -> None:
    """Refuse a file to write whose folder is not there, before any work is done for it."""
    if path is None:
        return
    if path.is_dir():
        raise OptionError(f"{str(path)!r} is a folder; give {option} the name of a file in it.")
    if not path.parent.is_dir():
        raise OptionError(
            f"There is no folder {str(path.parent)!r} to write {path.name!r} into; make it first."
        )


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn the failure to write a file into a sentence."""
    try:
        yield
    except OSError as problem:
        raise OptionError(
            f"Cannot write {str(path)!r} ({problem.strerror or problem}); choose another place."
        ) from problem


@contextmanager
def _spoken_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("always", EiderdownWarning)
        ordinary, said = warnings.showwarning, set[str]()

        def speak(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if not issubclass(category, EiderdownWarning):
                ordinary(message, category, filename, lineno, file, line)
            elif str(message) not in said:
                said.add(str(message))
                say_warning(str(message))

        warnings.showwarning = speak
        yield
