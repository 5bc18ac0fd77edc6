"""Which score judges a graph, and on which table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from eiderdown.data import Dataset
from eiderdown.data.prepare import Prepared
from eiderdown.errors import OptionError
from eiderdown.scores.base import LocalScore
from eiderdown.scores.registry import SCORES, make_score

ScoreSource: TypeAlias = str | Callable[[Dataset], LocalScore]


def takes_mixed(source: ScoreSource) -> bool:
    """Whether the score takes discrete and continuous columns as they are."""
    if callable(source):
        return True
    return source != "auto" and "columns of any kind" in SCORES[source].assumes


def built_score(
    source: ScoreSource,
    params: Mapping[str, Any] | None,
    prepared: Prepared,
    n_jobs: int | None,
) -> LocalScore:
    """Make the score that a user asked for."""
    data = prepared.uncut if takes_mixed(source) else prepared.data
    if not callable(source):
        return make_score(data, source, n_jobs=n_jobs, **(params or {}))
    if params:
        raise OptionError(
            "score_params are options of a score by name; those of a function of your own go "
            "into the function."
        )
    return source(data)
