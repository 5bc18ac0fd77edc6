"""Strata of parts put together, compared with dictionaries from what they hold to their counts."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from eiderdown.statistics.counts import CountBlock
from eiderdown.statistics.partitioned_counts import PartCounts, merge_counts

N_TARGET, SIZES = 2, (2, 3)


@st.composite
def answers(draw, n_given):
    """Draw the answer of a part: some strata, in order, and any counts."""
    key = st.tuples(*[st.integers(0, 3)] * n_given)
    keys = sorted(draw(st.sets(key, min_size=1, max_size=12)))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))

    def counts(*shape):
        return rng.integers(0, 50, (*shape,), dtype=np.int32)

    blocks = [
        CountBlock(np.arange(2) + 2 * k, counts(2, len(keys), N_TARGET, size), complete=True)
        for k, size in enumerate(SIZES)
    ]
    array = np.array(keys, np.int64).reshape(len(keys), n_given)
    return PartCounts(array, counts(len(keys), N_TARGET), blocks)


def as_dictionary(found):
    """Return every count that is not zero, by what its stratum holds."""
    total = {}
    for stratum, key in enumerate(map(tuple, found.keys.tolist())):
        for place in np.ndindex(N_TARGET):
            total[key, "target", place] = int(found.table[stratum][place])
        for block in found.blocks:
            for row, position in enumerate(block.positions.tolist()):
                for place, n in np.ndenumerate(block.counts[row, stratum]):
                    total[key, position, place] = int(n)
    return total


def added(dictionaries):
    """Add dictionaries of counts."""
    total = {}
    for own in dictionaries:
        for key, n in own.items():
            total[key] = total.get(key, 0) + n
    return total


@settings(deadline=None)
@given(st.data(), st.integers(0, 4), st.integers(2, 5), st.booleans())
def test_merged_counts_are_sums_by_what_strata_hold(data, n_given, n_parts, frozen):
    parts = [data.draw(answers(n_given)) for _ in range(n_parts)]
    expected = added(map(as_dictionary, parts))
    if frozen:  # as arrays are that came from a worker
        for part in parts:
            for array in (part.keys, part.table, *(block.counts for block in part.blocks)):
                array.flags.writeable = False
    merged = [parts[0]]
    for part in parts[1:]:
        merged = merge_counts(merged, [part])
    assert as_dictionary(merged[0]) == expected
    keys = merged[0].keys.tolist()
    assert keys == sorted(keys)
    assert merged[0].table.shape == (len(keys), N_TARGET)


def test_merging_is_associative():
    rng = np.random.default_rng(4)

    def part():
        keys = np.unique(rng.integers(0, 5, (20, 3)), axis=0)
        return PartCounts(keys, rng.integers(0, 9, (len(keys), 2), dtype=np.int32))

    a, b, c = [part()], [part()], [part()]
    left = merge_counts(merge_counts(a, b), c)[0]
    right = merge_counts(a, merge_counts(b, c))[0]
    np.testing.assert_array_equal(left.keys, right.keys)
    np.testing.assert_array_equal(left.table, right.table)
