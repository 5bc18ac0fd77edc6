"""Data within a page: JSON that no reader takes for markup, and long lists compressed."""

from __future__ import annotations

import json
import math
import re
import zlib
from base64 import b64encode
from collections.abc import Sequence
from typing import Any

from eiderdown.terminal import visible

_MARKUP = {
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}
_NUMBER = re.compile(r"\d[\d.,]*(?:e[-+]?\d+)?")
_SLOT, _NAME = "\ue000", "\ue001"  # letters of nobody's alphabet


def script_json(plain: Any) -> str:
    r"""Write JSON that may stand within a ``<script>`` element.

    Examples
    --------
    >>> print(script_json({"name": "</script>"}))
    {"name":"\u003c/script\u003e"}
    """
    text = json.dumps(_shown(plain), separators=(",", ":"), allow_nan=False)
    return "".join(_MARKUP.get(letter, letter) for letter in text)


def _shown(plain: Any) -> Any:
    """Write what nobody would see in texts as escapes, and numbers JSON has no word for as None."""
    if isinstance(plain, str):
        return visible(plain)
    if isinstance(plain, dict):
        return {visible(key): _shown(value) for key, value in plain.items()}
    if isinstance(plain, list | tuple):
        return [_shown(value) for value in plain]
    if isinstance(plain, float) and not math.isfinite(plain):
        return None
    return plain


def packed_answers(names: Sequence[str], sentences: Sequence[str]) -> str:
    """Compress names with a sentence for each.

    Sentences about thousands of columns differ in their numbers only: each wording is written once,
    and numbers apart. ``assets/why_not.js`` puts them together again.
    """
    wordings: dict[str, int] = {}
    which, numbers = [], []
    for name, sentence in zip(names, sentences, strict=True):
        text = visible(_escaped(sentence).replace(repr(name), _NAME))
        numbers.append(" ".join(_NUMBER.findall(text)))
        which.append(wordings.setdefault(_NUMBER.sub(_SLOT, text), len(wordings)))
    columns = {
        "names": [visible(name) for name in names],
        "wordings": list(wordings),
        "which": which,
        "numbers": numbers,
    }
    text = json.dumps(columns, ensure_ascii=False, separators=(",", ":"))
    return b64encode(zlib.compress(text.encode("utf-8"), 6)).decode("ascii")


def _escaped(text: str) -> str:
    return text.replace(_SLOT, "\\ue000").replace(_NAME, "\\ue001")


def packed_within(names: Sequence[str], sentences: Sequence[str], most: int) -> tuple[str, int]:
    """Compress as many as fit into so many letters, from the first on, and say how many."""
    kept = len(names)
    packed = packed_answers(names, sentences)
    while len(packed) > most and kept:
        kept = int(0.95 * kept * most / len(packed))
        packed = packed_answers(names[:kept], sentences[:kept])
    return packed, kept
