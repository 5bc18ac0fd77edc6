"""The words of a BIF file, each with the place it came from.

A word is anything but white space and the punctuation of the format, so that category names such as
``<5``, ``5-12`` and ``Asy/Patch`` are words. Names with other characters stand in double quotes,
inside which a backslash protects a quote or a backslash.
"""

from __future__ import annotations

import re
from typing import NoReturn

from eiderdown.errors import NetworkFormatError

_TOKEN = re.compile(
    r"""
      (?P<skip>  \s+ | , | //[^\n]* | /\*.*?\*/ )
    | (?P<quoted> "(?:[^"\\]|\\.)*" )
    | (?P<word>   (?:[^\s{}()\[\],;|"/]|/(?![/*]))+ )
    | (?P<mark>   [{}()\[\];|] )
    """,
    re.VERBOSE | re.DOTALL,
)
_PLAIN = re.compile(r'(?:[^\s{}()\[\],;|"/\\]|/(?![/*]))+')
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


class Tokens:
    """A cursor over the words and marks of a BIF text; commas and comments are left out.

    Parameters
    ----------
    text
        The text.
    source
        Where it came from, for messages.
    """

    def __init__(self, text: str, source: str) -> None:
        self._text = text
        self._source = source
        self._at = 0
        self._tokens: list[str] = []
        self._offsets: list[int] = []
        self._split()

    @property
    def position(self) -> int:
        """The place of the next token, to give to ``fail`` later."""
        return self._at

    def peek(self) -> str:
        """Return the next token as written, or an empty text at the end."""
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def take(self) -> str:
        """Return the next token as written and step over it."""
        if self._at >= len(self._tokens):
            self.fail(self._at, "the file ends in the middle of a block")
        self._at += 1
        return self._tokens[self._at - 1]

    def expect(self, wanted: str) -> None:
        """Step over a token that has to be there."""
        place = self._at
        found = self.take()
        if found != wanted:
            self.fail(place, f"expected {wanted!r} but found {found!r}")

    def name(self) -> str:
        """Return the next token as a name, without its quotes."""
        place = self._at
        token = self.take()
        if token[0] == '"':
            return _ESCAPE.sub(r"\1", token[1:-1])
        if token in set("{}()[];|"):
            self.fail(place, f"expected a name but found {token!r}")
        return token

    def number(self) -> float:
        """Return the next token as a number."""
        place = self._at
        token = self.take()
        try:
            return float(token)
        except ValueError:
            self.fail(place, f"expected a number but found {token!r}")

    def skip_statement(self) -> None:
        """Step over everything up to and including the next semicolon."""
        while self.take() != ";":
            pass

    def skip_block(self) -> None:
        """Step over a block in braces."""
        self.expect("{")
        depth = 1
        while depth:
            depth += {"{": 1, "}": -1}.get(self.take(), 0)

    def fail(self, position: int, message: str) -> NoReturn:
        """Raise an error that names the file and the line of a token."""
        offset = self._offsets[position] if position < len(self._offsets) else len(self._text)
        line = self._text.count("\n", 0, offset) + 1
        raise NetworkFormatError(f"{self._source}, line {line}: {message}.")

    def _split(self) -> None:
        end = 0
        for match in _TOKEN.finditer(self._text):
            if match.start() != end:
                break
            end = match.end()
            if match.lastgroup != "skip":
                self._tokens.append(match.group())
                self._offsets.append(match.start())
        if end != len(self._text):
            self._offsets.append(end)
            self.fail(len(self._tokens), "a quote or a comment is opened here and never closed")


def quoted(name: str) -> str:
    r"""Return a name as it has to stand in a BIF file.

    Examples
    --------
    >>> quoted("5-12"), quoted("two words")
    ('5-12', '"two words"')
    """
    if _PLAIN.fullmatch(name):
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
