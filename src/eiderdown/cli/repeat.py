"""The command that asks what a call asked: from its options back to the words of a command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from shlex import quote
from typing import Any

from eiderdown.cli.app import VERBS
from eiderdown.cli.commands import SETTERS, columns_of_verb, options_of_verb
from eiderdown.cli.parameters import flag_of
from eiderdown.options import Declared, options_of
from eiderdown.results import Call
from eiderdown.results.python_code import comments_of, mark_of
from eiderdown.shared_options import ReadOptions

FILE_OF_TABLE = "data.csv"
"""What stands for the file of a table that was in memory."""


class _NotOnCommandLineError(Exception):
    """A command line cannot say this."""


def command_of(call: Call) -> str:
    """Return the command that asks the same, quoted for a shell; "" if no command does.

    Examples
    --------
    >>> print(command_of(Call("test", {"x": "a b", "y": "c", "given": ["d"]}, "t.csv")))
    eiderdown test t.csv 'a b' c --given d
    """
    command = next((command for command in VERBS if command.verb == call.verb), None)
    if command is None:
        return ""
    verb = getattr(import_module("eiderdown.api"), command.verb)
    known, columns = {**options_of(ReadOptions), **options_of_verb(verb)}, columns_of_verb(verb)
    comments = [line.replace("# data:", f"# {FILE_OF_TABLE}:", 1) for line in comments_of(call)]
    positional = [FILE_OF_TABLE if call.source is None else call.source]
    words: list[str] = []
    for name, value in {**call.options, **call.reading}.items():
        try:
            if name in columns:
                positional.append(_positional(value))
            else:
                words += _words(name, known.get(name), value)
        except _NotOnCommandLineError:
            comments.append(f"# {name} is not among the words below: only the Python code has it")
    return "\n".join([*comments, _line(command.name, positional, words)])


def _line(name: str, positional: list[str], words: list[str]) -> str:
    """Write a command; what begins with a dash stands behind a double one."""
    start = ["eiderdown", name]
    if any(word.startswith("-") for word in positional):
        return " ".join(map(quote, [*start, *words, "--", *positional]))
    return " ".join(map(quote, [*start, *positional, *words]))


def _positional(value: Any) -> str:
    if mark_of(value) == "$table":
        return str(value["$table"])
    if mark_of(value) or value is None:
        raise _NotOnCommandLineError
    return str(value)


def _words(name: str, option: Declared | None, value: Any) -> list[str]:
    """Write an option that was given."""
    if option is None:
        raise _NotOnCommandLineError
    if value is None and option.default is None:
        return []
    flag = flag_of(option)
    if mark_of(value) == "$entry" and name in SETTERS:
        return [flag, value["name"], *_settings(SETTERS[name], value["params"])]
    if option.kinds == (bool,):
        return _switch(option, flag, value)
    if option.is_mapping:
        return [word for pair in _pairs(value) for word in _pair(flag, pair)]
    if option.is_repeated and isinstance(value, list):
        return [word for item in value for word in _pair(flag, _text(item))]
    return _pair(flag, _text(value))


def _settings(flag: str, params: Mapping[str, Any]) -> Iterator[str]:
    for name, value in params.items():
        yield from _pair(flag, f"{name}={_text(value)}")


def _switch(option: Declared, flag: str, value: bool) -> list[str]:
    if option.option.flag or option.default is False:
        return [] if value is option.default else [flag]
    return [flag if value else f"--no-{flag[2:]}"]


def _pairs(value: Any) -> Iterator[str]:
    pairs = value["$items"] if mark_of(value) == "$items" else list(value.items())
    for key, item in pairs:
        text = _text(item)
        if "=" in text:  # names may hold equals signs, what is behind the last one may not
            raise _NotOnCommandLineError
        yield f"{_text(key)}={text}"


def _pair(flag: str, text: str) -> list[str]:
    return [f"{flag}={text}"] if text.startswith("-") else [flag, text]


def _text(value: Any) -> str:
    """Write a value as a command line reads it."""
    if mark_of(value) == "$number":
        return str(value["$number"])
    if isinstance(value, Mapping):
        raise _NotOnCommandLineError
    if isinstance(value, list):
        texts = [_text(item) for item in value]
        if not texts or any("," in text or text != text.strip() for text in texts):
            raise _NotOnCommandLineError
        return ",".join(texts)
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    return repr(value) if isinstance(value, float) else str(value)
