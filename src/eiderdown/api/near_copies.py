"""A warning where columns that stand for each other have emptied a result, with their names.

Two columns that are nearly the same separate each other from the target: given the one, nothing is
left of the other. A search that admits one of them first keeps it. But a search by subsets that
asks for symmetry looks around that one too, finds its copy there instead of the target, and lets
both go; where all columns have such copies, nothing is left.

What is looked at is little: of the columns outside that depend on the target beyond chance, the
strongest few. If they still depend on it given all members, the result has lost them; then they are
compared, row by row, with what separated them and with each other. There is a warning if some are
near-copies, or if more are lost than found, as where nothing is left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.boundary import Found
from eiderdown.boundary.problem import shared_level
from eiderdown.data import Dataset
from eiderdown.data.partitioned import PartitionedDataset
from eiderdown.data.prepare import Prepared
from eiderdown.errors import listed
from eiderdown.independence import CachedTest, IndependenceBatch
from eiderdown.results import Run
from eiderdown.results.evidence import p_text
from eiderdown.statistics import moment_source

MOST_LOOKED_AT = 6
"""How many of the strongest columns outside are looked at."""

MOST_NAMED = 3
"""How many pairs of copies are named."""

SHARED_ENTROPY = 0.8
"""Two columns of categories are near-copies if each tells so much of the other's entropy."""

CORRELATION = 0.98
"""Two columns of numbers are near-copies if they correlate so much."""

_FEWEST = 3  # rows of which a correlation says something


@dataclass(frozen=True)
class NearCopies:
    """Two columns that are nearly the same, and how nearly."""

    first: str
    second: str
    how_near: str


def near_copy_warnings(
    what: str, problem: Prepared, test: CachedTest, found: Found, run: Run
) -> list[str]:
    """Say that columns were lost to their copies, or that nothing is left of some that depend.

    Parameters
    ----------
    what : str
        What was searched for, in words.
    problem : Prepared
        The table and its target.
    test : CachedTest
        The test of the search, which remembers its answers.
    found : Found
        What was found.
    run : Run
        The record of the search.
    """
    assert problem.target is not None
    if not found.complete:
        return []
    alone = test.sweep(problem.candidates, problem.target)  # remembered from the search
    lost = _lost(problem, test, found, alone, run.options.get("level", run.options["alpha"]))
    copies = list(_copies(problem.data, found, lost))
    if not copies and len(lost) <= len(found.members):
        return []
    depend = listed([problem.data.names[x] for x in lost])
    if found.members:
        said = (
            f"Lost from the {what}, though {problem.target_name!r} depends on each even given its "
            f"members: {depend}."
        )
    else:
        said = (
            f"The {what} is empty, though {problem.target_name!r} depends on {depend} "
            f"(p {p_text(min(lost.values()))}): each is separated from it by others."
        )
    return [" ".join([said, *_copies_said(copies), _way_out(copies, run)])]


def _lost(
    problem: Prepared, test: CachedTest, found: Found, alone: IndependenceBatch, level: float
) -> dict[int, float]:
    """Return those outside that depend on the target beyond chance, and given the members too."""
    assert problem.target is not None
    is_outside = np.ones(test.n_variables, dtype=np.bool_)
    is_outside[list(found.members)] = False
    strong = alone.dependent(shared_level(level, len(alone))) & is_outside[alone.x]
    if not strong.any():
        return {}
    alone = alone.take(strong)
    alone = alone.take(alone.by_strength(test.name_rank)[:MOST_LOOKED_AT])
    if found.members and len(alone):
        # Not of the cached test: what later searches compute does not depend on this one.
        given = test.inner.sweep(alone.x, problem.target, list(found.members))
        alone = alone.take(given.dependent(level))
    return dict(zip(alone.x.tolist(), alone.log_p.tolist(), strict=True))


def _copies(data: Dataset, found: Found, lost: dict[int, float]) -> Iterator[NearCopies]:
    """Compare each with what separated it from the target, and with the others that were lost."""
    separators = found.given_of(lost)
    pairs = [(x, z) for x in lost for z in separators.get(x, ()) if z not in found.members]
    pairs += combinations(lost, 2)
    by_name = (sorted(pair, key=data.names.__getitem__) for pair in pairs)
    for x, z in dict.fromkeys(map(tuple, by_name)):
        how_near = compared(data, x, z)
        if how_near is not None:
            yield NearCopies(data.names[x], data.names[z], how_near)


def compared(data: Dataset, x: int, z: int) -> str | None:
    """Say how nearly two columns are the same, if they are near-copies.

    Examples
    --------
    >>> a = np.repeat([0, 1], 50)
    >>> b = a.copy()
    >>> b[0] = 1
    >>> compared(Dataset.from_columns({"a": a, "b": b, "c": np.tile([0, 1], 50)}), 0, 1)
    'they differ in 1 of 100 rows'
    """
    if data.is_discrete[x] != data.is_discrete[z]:
        return None
    if not data.is_discrete[x]:
        correlation = _correlation(data, x, z)
        return (
            f"their correlation is {correlation:.4f}" if abs(correlation) >= CORRELATION else None
        )
    counts = data.reduce(_together, np.add, [x, z])
    together, alone = _entropy(counts), (_entropy(counts.sum(axis=1)), _entropy(counts.sum(axis=0)))
    if sum(alone) - together < SHARED_ENTROPY * max(alone):
        return None
    n_same = min(counts.max(axis=0).sum(), counts.max(axis=1).sum())
    return f"they differ in {counts.sum() - n_same:,} of {counts.sum():,} rows"


def _together(pair: Dataset) -> IntArray:
    """Count how often each two categories of two columns, or missing values, come together."""
    n_x, n_z = pair.n_categories.tolist()
    codes = pair.codes(0).astype(np.int64) * (n_z + 1) + pair.codes(1)
    return np.bincount(codes, minlength=(n_x + 1) * (n_z + 1)).reshape(n_x + 1, n_z + 1)


def _correlation(data: Dataset, x: int, z: int) -> float:
    """Correlate two numbers where both are there; 0 where they do not vary."""
    if isinstance(data, PartitionedDataset):
        return _correlation_of_parts(data.select([data.names[x], data.names[z]]))
    first, second = data.values(x), data.values(z)
    both = np.isfinite(first) & np.isfinite(second)
    first, second = first[both], second[both]
    if len(first) < _FEWEST or np.ptp(first) == 0 or np.ptp(second) == 0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])


def _correlation_of_parts(pair: Dataset) -> float:
    incomplete = np.flatnonzero(pair.has_missing).tolist()
    if (pair.n_complete(incomplete) if incomplete else pair.n_rows) < _FEWEST:
        return 0.0
    moments = moment_source(pair.complete_in(incomplete) if incomplete else pair)
    return float(moments.correlations(0)[0, 1])


def _entropy(counts: IntArray) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def _copies_said(copies: list[NearCopies]) -> Iterator[str]:
    for pair in copies[:MOST_NAMED]:
        yield f"{pair.first!r} and {pair.second!r} are near-copies ({pair.how_near})."
    if len(copies) > MOST_NAMED:
        yield f"So are {len(copies) - MOST_NAMED} more pairs."


def _way_out(copies: list[NearCopies], run: Run) -> str:
    ways = []
    if copies:
        ways.append(f"leave one out with exclude=[{copies[0].second!r}]")
    if run.options.get("symmetry", "or") != "or":
        ways.append("use symmetry='or'")
    if run.algorithm != "iamb":
        ways.append("use algorithm='iamb'")
    said = ", or ".join(ways)
    return f"{said[:1].upper()}{said[1:]}." if said else ""
