"""Background knowledge from a file that people write: JSON or TOML."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from eiderdown.errors import KnowledgeError, UnreadableFileError
from eiderdown.knowledge.background import Knowledge

KnowledgeSource: TypeAlias = Knowledge | Mapping[str, Any] | str | Path
"""Knowledge, a mapping with its keys, or the path of a file with it."""


def knowledge_from(source: KnowledgeSource) -> Knowledge:
    """Take knowledge in any of the ways that people may give it.

    Examples
    --------
    >>> knowledge_from({"forbidden": [["B", "A"]]}).forbidden
    (('B', 'A'),)
    """
    if isinstance(source, Knowledge):
        return source
    return read_knowledge(source) if isinstance(source, str | Path) else Knowledge.from_dict(source)


def read_knowledge(path: str | Path) -> Knowledge:
    """Read tiers, required and forbidden edges and the most parents from a file."""
    is_toml = Path(path).suffix.lower() == ".toml"
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        reason = getattr(problem, "strerror", None) or "it is not text"
        raise UnreadableFileError(
            f"Cannot read {str(path)!r} ({reason}); give the path of a .json or .toml file with "
            "knowledge."
        ) from problem
    try:
        return Knowledge.from_dict(tomllib.loads(text) if is_toml else json.loads(text))
    except KnowledgeError as problem:
        raise KnowledgeError(f"In {str(path)!r}: {problem}") from problem
    except ValueError as problem:
        form = "TOML" if is_toml else "JSON"
        raise KnowledgeError(
            f"In {str(path)!r}: This is not {form} ({problem}); correct it there."
        ) from problem
