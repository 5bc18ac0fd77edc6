"""Parameters as typer reads them, made from the declarations of options.

A parameter is an annotation and a default; None stands for "not given". What a shell may complete
is said here, too: names of entries (:mod:`eiderdown.cli.completion`), legal words, and columns of
the file.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from eiderdown.cli.completion import Completer, columns_of_file, entries_of, words
from eiderdown.options import REQUIRED, Declared

TESTS: Final = "eiderdown.independence.registry:TESTS"
SCORES: Final = "eiderdown.scores.registry:SCORES"
SELECTORS: Final = "eiderdown.api.selectors:SELECTORS"

_COLUMN: Final = "COLUMN"
"""What stands for the value of options that name columns."""

_DATA_HELP: Final = (
    "A table: CSV and the like, Parquet, Feather, Excel, JSON lines; compressed or not."
)
_NEW_ROWS_HELP: Final = "A table of other rows, read in the same way."


def flag_of(option: Declared) -> str:
    """Return what an option is called on the command line."""
    return option.option.flag or f"--{option.name.replace('_', '-')}"


def sign(function: Callable[..., None], **parameters: tuple[Any, Any]) -> None:
    """Give a function the signature from which typer makes the options."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    function.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(name, keyword, annotation=annotation, default=default)
            for name, (annotation, default) in parameters.items()
        ]
    )
    function.__annotations__ = {name: annotation for name, (annotation, _) in parameters.items()}


def file_argument() -> tuple[Any, Any]:
    """Return the parameter for the file that is read."""
    return Annotated[Path, typer.Argument(metavar="FILE", help=_DATA_HELP)], REQUIRED


def target_argument() -> tuple[Any, Any]:
    """Return the parameter for a target that stands behind the file."""
    said = typer.Argument(
        metavar="TARGET",
        help="Column to ask about.",
        show_default=False,
        autocompletion=columns_of_file,
    )
    return Annotated[str | None, said], None


def column_argument(name: str) -> tuple[Any, Any]:
    """Return the parameter for a column, or for a second table, that is given by position."""
    is_file = name == "new_rows"
    said = typer.Argument(
        metavar=name.upper(),
        help=_NEW_ROWS_HELP if is_file else f"Column {name}.",
        show_default=False,
        autocompletion=None if is_file else columns_of_file,
    )
    return Annotated[str, said], REQUIRED


def parameter(
    option: Declared, registries: Mapping[str, str], panel: str | None = None
) -> tuple[Any, Any]:
    """Return the parameter of an option.

    Parameters
    ----------
    option : Declared
        The option.
    registries : mapping
        For options that name entries, where the registry of these stands.
    panel : str or None
        The part of the help in which it stands.
    """
    flag, help_ = flag_of(option), option.command_help[:1].upper() + option.command_help[1:]
    completer = _completer(option, registries)
    if option.is_repeated or option.is_mapping:
        return repeated(flag, option.option.metavar or "NAME", help_, panel, completer)
    if option.kinds == (bool,):
        return _switch(option, flag, help_, panel)
    said = typer.Option(
        flag,
        help=f"{help_}. {_shown_default(option)}".rstrip(),
        metavar=option.option.metavar or "|".join(option.choices) or _metavar(option),
        show_default=False,
        rich_help_panel=panel,
        autocompletion=completer,
    )
    return Annotated[str | None, said], None


def repeated(
    flag: str,
    metavar: str,
    help_: str,
    panel: str | None = None,
    completer: Completer | None = None,
) -> tuple[Any, Any]:
    """Return the parameter of an option that may be given several times."""
    said = typer.Option(
        flag,
        metavar=metavar,
        help=f"{help_}; may be repeated.",
        show_default=False,
        rich_help_panel=panel,
        autocompletion=completer,
    )
    return Annotated[list[str] | None, said], None


def _completer(option: Declared, registries: Mapping[str, str]) -> Completer | None:
    """Return what completes the values of an option, if anything can."""
    if option.name in registries:
        auto = "auto" if option.default == "auto" else ""
        return entries_of(registries[option.name], auto=auto)
    if option.name == "target" or option.option.metavar == _COLUMN:
        return columns_of_file
    return words(option.choices) if option.choices else None


def _switch(option: Declared, flag: str, help_: str, panel: str | None) -> tuple[Any, Any]:
    if option.option.flag and option.default is True:
        help_ = f"Do not {option.command_help}"
    elif option.default is not False:
        flag = f"{flag}/--no-{flag[2:]}"
    said = typer.Option(flag, help=f"{help_}.", show_default=False, rich_help_panel=panel)
    return Annotated[bool | None, said], None


def _shown_default(option: Declared) -> str:
    default = option.default
    if default is REQUIRED or default in (None, "", ()):
        return ""
    if isinstance(default, tuple):
        return f"(default: {', '.join(x if isinstance(x, str) else f'{x:g}' for x in default)})"
    return f"(default: {default})"


def _metavar(option: Declared) -> str:
    kind = option.kinds[0] if option.kinds else str
    return {int: "N", float: "X", Path: "FILE"}.get(kind, "NAME")
