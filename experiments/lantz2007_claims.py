"""What the text of Lantz, Ray & Page (2007) says, beside what was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from harness import verdict
from lantz2007_measures import (
    F1,
    LOG_LIKELIHOOD,
    LOOKAHEAD,
    PATIENT,
    PLAIN,
    SKEWED,
    Outcome,
    mean,
    no_worse,
    p_value,
    seconds,
)

CERTAINTIES = (1.0, 0.9, 0.8)
IMMUNE, RANDOM = "correlation-immune", "random"
ALL_ARCS, DOWNWARD = "all", "downward"
PAPER_F1_WITH_TIERS = 0.975
AIM_WITH_TIERS = 0.97

Curves = Mapping[tuple[str, float, int], Sequence[Outcome]]
"""By kind of function, certainty and number of rows."""

Shares = Mapping[tuple[str, int], Sequence[Outcome]]
"""By arcs allowed and share of immune tables, in percent."""

Claim = tuple[str, str, str]

_DIGITS = {F1: ".3f", LOG_LIKELIHOOD: ",.0f"}
_NAMES = {F1: "F1", LOG_LIKELIHOOD: "log-likelihood"}
_SEARCHES = {SKEWED: "skewed", PATIENT: "patient"}


def claims(curves: Curves, shares: Shares) -> Iterator[Claim]:
    """Judge every claim, of the published search and of the patient one."""
    for search, name in _SEARCHES.items():
        yield from _significant(name, search, curves, (IMMUNE, 400, 0.001))
        yield from _significant(name, search, curves, (RANDOM, 1_600, 0.05))
        yield _with_tiers(name, search, shares)
        for measure in (F1, LOG_LIKELIHOOD):
            yield _nowhere_worse(name, search, measure, curves, shares)
        yield _falls_with_noise(name, search, curves)
    yield from _of_the_plain_search(curves, shares)
    yield from _of_cost(curves, shares)


def _significant(
    name: str, search: str, curves: Curves, claim: tuple[str, int, float]
) -> Iterator[Claim]:
    """Check by each measure that a search is better with at least so many rows."""
    kind, from_rows, level = claim
    cells = {n: cell for (k, c, n), cell in curves.items() if (k, c) == (kind, 1.0)}
    for measure in (F1, LOG_LIKELIHOOD):
        text = f"{name}, {kind}, exact: better from {from_rows} rows on by {_NAMES[measure]}"
        judged = {n: cell for n, cell in cells.items() if n >= from_rows and cell}
        if not judged:
            yield f"{text}, p < {level:g}", "not run", ""
            continue
        weakest = max(judged, key=lambda n: p_value(judged[n], measure, search))
        largest = p_value(judged[weakest], measure, search)
        here = f"largest p {largest:.2g}: with {weakest} rows, "
        here += _compared(judged[weakest], measure, search)
        better = all(no_worse(cell, measure, search) for cell in judged.values())
        yield f"{text}, p < {level:g}", here, verdict(better and largest < level)


def _compared(cell: Sequence[Outcome], measure: str, search: str) -> str:
    digits = _DIGITS[measure]
    found, plain = (mean(cell, measure, each) for each in (search, PLAIN))
    return f"{found:{digits}} against {plain:{digits}}"


def _with_tiers(name: str, search: str, shares: Shares) -> Claim:
    text = f"{name}: downward arcs, 100 % immune: F1 {PAPER_F1_WITH_TIERS} (aim {AIM_WITH_TIERS})"
    found = mean(shares[DOWNWARD, 100], F1, search)
    return text, f"F1 {found:.3f}", verdict(found >= AIM_WITH_TIERS)


def _nowhere_worse(name: str, search: str, measure: str, curves: Curves, shares: Shares) -> Claim:
    every = [(f"{k}, certainty {c:g}, {n} rows", cell) for (k, c, n), cell in curves.items()]
    every += [(f"{arcs} arcs, {share} % immune", cell) for (arcs, share), cell in shares.items()]
    every = [(where, cell) for where, cell in every if cell]
    worse = [
        f"{where}: {_compared(cell, measure, search)} (p {p_value(cell, measure, search):.2g})"
        for where, cell in every
        if not no_worse(cell, measure, search)
    ]
    here = "; ".join(worse) or f"in none of {len(every)} rows of the tables"
    text = f"{name}: nowhere worse than plain, by {_NAMES[measure]}"
    return text, here, verdict(not worse)


def _falls_with_noise(name: str, search: str, curves: Curves) -> Claim:
    many = max(n for _, _, n in curves)
    kept = [mean(curves[IMMUNE, certainty, many], F1, search) for certainty in CERTAINTIES]
    falls = kept[1] < kept[0] / 2 and kept[2] < kept[1] / 2
    return (
        f"{name}, {IMMUNE}: falls by more than half with every tenth of certainty lost",
        "F1 " + ", ".join(f"{value:.3f}" for value in kept) + f" with {many} rows",
        "as in the paper" if falls else "falls less here",
    )


def _of_the_plain_search(curves: Curves, shares: Shares) -> Iterator[Claim]:
    sizes = sorted({n for _, _, n in curves})
    first, last = (mean(curves[IMMUNE, 1.0, n], F1, PLAIN) for n in (sizes[0], sizes[-1]))
    yield (
        f"plain, {IMMUNE}, exact: does not improve with more rows",
        f"F1 {first:.3f} with {sizes[0]} rows, {last:.3f} with {sizes[-1]}",
        verdict(last < first + 0.1),
    )
    plain = mean(shares[ALL_ARCS, 100], F1, PLAIN)
    yield (
        "plain: all arcs allowed, 100 % immune: finds no true arc",
        f"F1 {plain:.3f}",
        verdict(plain < 0.05),
    )


def _of_cost(curves: Curves, shares: Shares) -> Iterator[Claim]:
    """Compare the published search with that of two parents at once, on the paper's networks."""
    for where, cells in (("30 columns", curves.values()), ("40 columns", shares.values())):
        every = [each for cell in cells for each in cell]
        skewed, ahead, patient = (
            seconds(every, search) / seconds(every, PLAIN)
            for search in (SKEWED, LOOKAHEAD, PATIENT)
        )
        yield (
            f"cost, {where}: skewed takes less time than two parents at once",
            f"{skewed:.1f} times the plain search's CPU seconds against {ahead:.1f} "
            f"(patient: {patient:.1f})",
            verdict(skewed < ahead),
        )
