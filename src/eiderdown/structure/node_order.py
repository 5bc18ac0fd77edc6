"""An order of the columns that their scores decide, not their names or places.

Greedy searches meet ties all the time: the first edge between two columns gains the same in either
direction. Whichever is taken sends the search to another optimum. N. K. Kitson & A. C. Constantinou
("Eliminating variable order instability in greedy score-based structure learning", PGM 2024)
therefore derive an order from the data, and let it break ties.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.scores.sweeps import Sweep

if TYPE_CHECKING:
    from eiderdown.scores import LocalScore

_AT_ONCE = 64  # sweeps; their candidates and gains are held together


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
    in_order = sorted(by_name, key=alone.__getitem__)
    times = Counter(scores)
    tied = [column for column in in_order if times[alone[column]] > 1]
    with_others: dict[int, float] = {}
    for start in range(0, len(tied), _AT_ONCE):
        sweeps: list[Sweep] = []
        for column in tied[start : start + _AT_ONCE]:
            others = everyone if candidates is None else candidates[column]
            sweeps.append((column, (), others[others != column]))
        for (column, _, _), gains in zip(sweeps, score.gains_of_all(sweeps), strict=True):
            with_others[column] = math.fsum(gains.tolist())
    return sorted(in_order, key=lambda column: (alone[column], with_others.get(column, 0.0)))
