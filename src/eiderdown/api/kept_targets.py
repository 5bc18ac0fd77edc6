"""Results of many targets, kept in a file as they come, to go on from after whatever ended a run.

A record is a result as JSON. The file says of which question: the table, the search and the test
with their options. Which targets are asked about may change from run to run.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, TypedDict

from eiderdown.api.local import ConfiguredSearch, run_record
from eiderdown.data import Dataset
from eiderdown.data.prepare import Prepared
from eiderdown.errors import ResultFormatError
from eiderdown.independence import CachedTest, TestCounts
from eiderdown.options import Option
from eiderdown.results import LocalResult
from eiderdown.state import RecordFile


class TargetStateOptions(TypedDict, total=False):
    """Where the results of many targets are kept."""

    state: Annotated[
        Path | None,
        Option(
            "file in which each target is kept as soon as it is done: read if it is there, to go "
            "on from whatever ended an earlier run",
            default=None,
            metavar="FILE",
        ),
    ]


def question_of(
    prepared: Prepared, test: CachedTest, search: ConfiguredSearch, options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what results must have in common to stand in one file, by names for people."""
    run = run_record(prepared, test, search, TestCounts(), 0.0)
    return {
        "table": table_in_words(prepared.source),
        "algorithm": run.algorithm,
        **run.options,
        "error_rate": search.error_rate,
        "missing": options["missing"],
        "random_state": run.random_state,
    }


def table_in_words(table: Dataset) -> str:
    """Name a table by its size and its fingerprint, weights and groups of the rows among it."""
    said = f"{table.n_rows:,} rows x {table.n_columns:,} columns, fingerprint {table.fingerprint}"
    roles = table.roles
    if roles is None:
        return said
    arrays = [array for array in (roles.weights, roles.groups) if array is not None]
    return f"{said}, roles {zlib.crc32(b''.join(array.tobytes() for array in arrays)):08x}"


def kept_targets(state: RecordFile, kind: type[LocalResult]) -> dict[str, LocalResult]:
    """Return the results that a file holds, by target; what is none counts for nothing."""
    found = {}
    for record in state.earlier():
        try:
            result = kind.from_dict(record)
        except (ResultFormatError, TypeError, ValueError):
            continue
        found[result.target] = result
    return found
