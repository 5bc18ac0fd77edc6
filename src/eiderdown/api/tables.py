"""The border of the verbs: any table becomes a `Dataset`, and labels of columns become names."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from eiderdown.data import Dataset
from eiderdown.errors import TargetAmongCandidatesError
from eiderdown.options import options_of

P = ParamSpec("P")
R = TypeVar("R")

_COLUMNS = ("required", "targets")
"""Options that name columns which take part; ``exclude`` names those that do not."""


def about_table(verb: Callable[P, R]) -> Callable[P, R]:
    """Let a verb about a `Dataset` take any table, and columns by any label.

    Excluded columns are left out before anything is read or checked.
    """
    known = options_of(verb)
    has_target = "target" in inspect.signature(verb).parameters

    @wraps(verb)
    def on_any_table(data: Any, *args: Any, **given: Any) -> R:
        if args and has_target:
            given["target"], *args = args  # type: ignore[assignment]
        exclude = known["exclude"].checked(given["exclude"]) if "exclude" in given else ()
        target = given.get("target")
        if target is not None and str(target) in map(str, exclude):
            raise TargetAmongCandidatesError(
                f"Column {str(target)!r} is both the target and excluded; take it out of the "
                "excluded ones."
            )
        table = Dataset.of(data, exclude=exclude)
        if exclude:
            left_out = table.left_out
            given["exclude"] = [table.name(x) for x in exclude if str(x) not in left_out]
        if target is not None:
            given["target"] = table.name(target)
        for option in _COLUMNS:
            if given.get(option):
                labels = known[option].checked(given[option])
                given[option] = [table.name(label) for label in labels]
        return verb(table, *args, **given)  # type: ignore[arg-type]

    return on_any_table  # type: ignore[return-value]
