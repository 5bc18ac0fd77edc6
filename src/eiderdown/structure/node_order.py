"""An order of the columns that their scores decide, not their names or places.

Greedy searches meet ties all the time: the first edge between two columns gains the same in either
direction. Whichever is taken sends the search to another optimum. N. K. Kitson & A. C. Constantinou
("Eliminating variable order instability in greedy score-based structure learning", PGM 2024)
therefore derive an order from the data, and let it break ties.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from eiderdown.arrays import IntArray

if TYPE_CHECKING:
    from eiderdown.scores import LocalScore


def score_order(
    score: LocalScore,
    columns: Sequence[int],
    candidates: Mapping[int, IntArray] | None = None,
) -> list[int]:
    """Put columns in the order of their scores without parents, the lowest first.

    Of columns that score the same, the one that gains less by the others as single parents comes
    first; only columns that agree in this, too, such as copies, are in the order of their names.
    The others are its candidates, if there are any given, else all.

    Of an edge that gains the same in either direction, searches then make the column that is harder
    to foretell the child. That was better than the names' order, and than the opposite one, on the
    networks of ``docs/structure.md``.

    Examples
    --------
    >>> from eiderdown.data import Dataset
    >>> from eiderdown.scores import BicScore
    >>> table = {"a": [0, 1, 0, 1, 0, 1], "b": [0, 0, 0, 0, 0, 1]}
    >>> score_order(BicScore(Dataset.from_columns(table)), [0, 1])
    [0, 1]
    """
    by_name = sorted(columns, key=score.name_rank.__getitem__)
    everyone = np.array(by_name, dtype=np.int64)
    scores = score.local_of_all([(column, ()) for column in by_name])
    alone = dict(zip(by_name, scores, strict=True))

    def with_others(column: int) -> float:
        others = everyone if candidates is None else candidates[column]
        return math.fsum(score.gains(column, (), others[others != column]).tolist())

    found: list[int] = []
    for _, group in groupby(sorted(by_name, key=alone.__getitem__), key=alone.__getitem__):
        tied = list(group)
        found.extend(sorted(tied, key=with_others) if len(tied) > 1 else tied)
    return found
