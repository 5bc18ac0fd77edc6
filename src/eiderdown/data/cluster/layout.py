"""How a table is shared out among the workers of a cluster: the one place that says it, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

COLUMNS_PER_ROW: Final = 4
"""Columns for each row from which a table is wide."""

WIDE: Final = 2_000
"""Columns below which no table is wide: one worker counts them in less time than it is asked."""

SMALL: Final = 1 << 30
"""Bytes up to which every worker can have the whole table."""


@dataclass(frozen=True)
class Layout:
    """How a table is shared out.

    Attributes
    ----------
    by : str
        "rows": each worker has some rows of all columns, and counts are added up. "columns": each
        has all rows of some columns, and counts those against what it is sent of the target.
        "targets": each has the whole table, and searches around some targets.
    why : str
        A sentence for the record.
    """

    by: Literal["rows", "columns", "targets"]
    why: str


def layout_of(n_rows: int, n_columns: int, n_bytes: int, n_targets: int = 1) -> Layout:
    """Choose how to share out a table.

    Parameters
    ----------
    n_rows, n_columns : int
        Its shape.
    n_bytes : int
        What its cells take in memory.
    n_targets : int
        Around how many columns is searched.

    Examples
    --------
    >>> layout_of(10_000_000, 50, 500_000_000).by
    'rows'
    >>> layout_of(500, 100_000, 50_000_000).by
    'columns'
    >>> layout_of(5_000, 200, 1_000_000, n_targets=200).by
    'targets'
    """
    if n_targets > 1 and n_bytes <= SMALL:
        return Layout(
            "targets",
            f"targets: every worker has the whole table, which is small, and searches around some "
            f"of the {n_targets:,} targets",
        )
    if n_columns >= max(WIDE, COLUMNS_PER_ROW * n_rows):
        return Layout(
            "columns",
            f"columns: every worker has all rows of some columns, of which there are "
            f"{n_columns:,} for {n_rows:,} rows",
        )
    return Layout("rows", f"rows: every worker has some of the {n_rows:,} rows, and counts add up")
