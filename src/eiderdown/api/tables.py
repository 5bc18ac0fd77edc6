"""The border of the verbs: any table becomes a `Dataset`, and labels of columns become names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from eiderdown.data import Dataset
from eiderdown.data.column_groups import with_column_groups
from eiderdown.data.rows import with_row_roles
from eiderdown.errors import TargetAmongCandidatesError
from eiderdown.options import options_of

P = ParamSpec("P")
R = TypeVar("R")

_COLUMNS = ("required", "targets", "given")
"""Options that name columns which take part; ``exclude`` names those that do not."""


_ROLES = ("row_counts", "sample_weight", "groups")
"""Options that say what rows are, by a column or an array."""


def about_table(verb: Callable[P, R]) -> Callable[P, R]:
    """Let a verb about a `Dataset` take any table, and columns by any label.

    What the verb takes by position behind the table are columns. Excluded ones are left out before
    anything is read or checked.
    """
    known, parameters = options_of(verb), inspect.signature(verb).parameters.values()
    columns = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD][1:]

    @wraps(verb)
    def on_any_table(data: Any, *args: Any, **given: Any) -> R:
        asked = dict(zip(columns, args, strict=False))
        asked |= {name: given.pop(name) for name in columns if given.get(name) is not None}
        exclude = known["exclude"].checked(given["exclude"]) if "exclude" in given else ()
        _require_apart(asked, exclude)
        kinds = known["kinds"].checked(given.pop("kinds", None)) if "kinds" in known else None
        table = _read(data, exclude, kinds)
        # Done here once: searches that a verb starts get a table that has it all.
        roles = {role: given.pop(role, None) for role in _ROLES if role in known}
        table = with_row_roles(table, **roles)
        if "column_groups" in known:
            table = with_column_groups(table, given.pop("column_groups", None))
        names = {name: table.name(label) for name, label in asked.items() if label is not None}
        for option in _COLUMNS:
            if given.get(option):
                labels = known[option].checked(given[option])
                given[option] = [table.name(label) for label in labels]
        if exclude:
            given["exclude"] = [table.name(x) for x in exclude if not table.has_left_out(x)]
        return verb(table, *args[len(columns) :], **names, **given)  # type: ignore[arg-type]

    return on_any_table  # type: ignore[return-value]


def _read(data: Any, exclude: Collection[Any], kinds: Mapping[Any, Any] | None) -> Dataset:
    """Read a table; a `Dataset` keeps its excluded columns, which verbs leave out themselves."""
    if isinstance(data, Dataset):
        return Dataset.of(data, kinds=kinds)
    return Dataset.of(data, exclude=exclude, kinds=kinds)


def _require_apart(asked: Mapping[str, Any], exclude: Collection[Any]) -> None:
    excluded = set(map(str, exclude))
    for label in map(str, asked.values()):
        if label in excluded:
            raise TargetAmongCandidatesError(
                f"Column {label!r} is both the target and excluded; take it out of the excluded "
                "ones."
            )
