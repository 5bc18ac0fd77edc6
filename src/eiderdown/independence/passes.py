"""Searches over subsets where every look at the rows is a pass over a disk or a cluster.

One after the other, as in memory, thousands of subsets would be as many passes. So several subsets
are asked about in one pass, and the answers then taken in their order: what is found is the same,
only some tests are made that a separation before them would have spared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from eiderdown.arrays import BoolArray, FloatArray, IntArray
from eiderdown.independence.batch import ALLOWS, N_VALUES, IndependenceBatch
from eiderdown.independence.kernels.cache import ResultTable, recall, remember

if TYPE_CHECKING:
    from eiderdown.independence.contingency import ContingencyTest

SUBSETS_OF_PASS = 32
"""Subsets that are asked about in one pass."""


def max_p_in_passes(
    test: ContingencyTest,
    candidates: IntArray,
    target: int,
    subsets: IntArray,
    alpha: float,
    cache: ResultTable,
) -> IndependenceBatch:
    """Do what :meth:`CompiledTest.max_p_of_subsets` does, with several subsets in each pass."""
    values = np.zeros((len(candidates), N_VALUES))
    chosen = np.full(len(candidates), -1, dtype=np.int64)
    largest = np.full(len(candidates), -np.inf)  # log p of the decided tests
    open_ = np.ones(len(candidates), dtype=np.bool_)
    for start in range(0, len(subsets), SUBSETS_OF_PASS):
        if not open_.any():
            break
        sets = subsets[start : start + SUBSETS_OF_PASS]
        answers = _answers(test, candidates, target, sets, open_, cache)
        for k, answer in enumerate(answers, start):
            asked = np.flatnonzero(open_ & ~np.isnan(answer[:, ALLOWS]))
            y = np.full(len(asked), target, dtype=np.int64)
            batch = IndependenceBatch(candidates[asked], y, ((),) * len(asked), answer[asked])
            weaker = batch.decided(alpha) & (batch.log_p > largest[asked])
            largest[asked[weaker]] = batch.log_p[weaker]
            kept = (chosen[asked] < 0) | weaker
            values[asked[kept]] = batch.values[kept]
            chosen[asked[kept]] = k
            open_[asked[batch.independent(alpha)]] = False
    return IndependenceBatch.of_subsets(candidates, target, subsets, chosen, values)


def _answers(
    test: ContingencyTest,
    candidates: IntArray,
    target: int,
    subsets: IntArray,
    open_: BoolArray,
    cache: ResultTable,
) -> list[FloatArray]:
    """Return the values of all open candidates given each subset; NaN where none was asked."""
    answers, questions, places = [], [], []
    for row in subsets:
        given = row[row >= 0]
        answer = np.full((len(candidates), N_VALUES), np.nan)
        asked = np.flatnonzero(open_ & ~np.isin(candidates, given))
        known = np.empty((len(asked), N_VALUES))
        recall(cache, candidates[asked], target, given, known)
        answer[asked] = known
        new = asked[np.isnan(known[:, ALLOWS])]
        if len(new):
            questions.append((candidates[new], target, tuple(given.tolist())))
            places.append((answer, new))
        answers.append(answer)
    batches = test.sweeps(questions) if questions else []
    for (answer, new), batch, (_, _, given_) in zip(places, batches, questions, strict=True):
        answer[new] = batch.values
        remember(cache, batch.x, target, np.array(given_, dtype=np.int64), batch.values)
    return answers
