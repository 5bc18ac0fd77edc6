"""Wrong members among many columns: alpha for each test against alpha as the false discovery rate.

Run with ``make experiment-false-discoveries``; ``--quick`` looks at a few tables and saves nothing.
Tables are drawn: blocks of five columns that depend on each other, and a target that depends on
nothing or on the first columns of five blocks. Two checks need no known truth: the target is
permuted, so that every member is wrong; and each column gets a decoy, a permuted copy of itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from statistics import fmean
from typing import Any

import numpy as np
from harness import ROOT, Record, quick_wanted, recording, say
from kept_cells import KeptCells

from eiderdown import Dataset, find_boundary, networks
from eiderdown.boundary import PCMB

KINDS = ("categories", "numbers")
N_ROWS = 500
BLOCK = 5
N_TRUE = 5
TABLES = {100: 60, 1_000: 12}
ALPHAS = (0.01, 0.05)
RATES = ("test", "fdr_positive", "fdr")
SEARCHES: dict[str, Any] = {
    "iamb": "iamb",
    "pcmb": "pcmb",
    "pcmb, or": PCMB(symmetry="or"),
    "bamb": "bamb",
}
MANY = 1_000
ALONE = ("iamb", "pcmb", "bamb")  # "or" looks around 200 columns of each target: not of many
CHECKED = (("alarm", "HR"), ("insurance", "Accident"), ("hailfinder", "Boundaries"))
N_CHECKS = 12

NOTES = [
    "Numbers: the first column of a block is standard normal, the others are .7 of it plus noise; "
    "the target is the sum of the five, times .5, plus noise. Categories: three, the others of a "
    "block copy the first in 60 of 100 rows; the target is 1 with a probability that is logistic "
    "in the five.",
    "A table without wrong members and without members counts as a proportion of 0. `fdr` is the "
    "rate under any dependence of the p-values (Benjamini & Yekutieli), `fdr_positive` under a "
    "positive one (Benjamini & Hochberg).",
    'PCMB with `symmetry="or"` was left out of the tables of 1,000 columns and of the checks for '
    "want of time, before any of its numbers there were seen. In the checks each rate has "
    "permutations of its own.",
]

Drawn = tuple[Dataset, set[str]]
Cell = dict[str, list[float]]


def main() -> None:
    """Run the experiment."""
    quick = quick_wanted(__doc__)
    params: dict[str, Any] = {
        "rows": N_ROWS,
        "tables": ", ".join(f"{n} of {m:,} columns" for m, n in TABLES.items()),
        "checks": f"{N_CHECKS} samples of 1,000 rows each",
    }
    record = Record(
        "false_discoveries",
        "False discoveries",
        "Pena 2008; Tsamardinos & Brown 2008; Li & Wang 2009; Barber & Candes 2015 (decoys)",
        params,
        notes=NOTES,
    )
    kept = KeptCells(
        None if quick else ROOT / "experiments" / ".kept" / "false_discoveries", params
    )
    with recording(record, quick=quick):
        drawn_tables(record, kept, quick=quick)
        checks(record, kept, quick=quick)
    if record.complete and not quick:
        kept.clear()


def drawn_tables(record: Record, kept: KeptCells, *, quick: bool) -> None:
    """Search tables whose truth is known."""
    for n_true, what in ((0, "no column matters"), (N_TRUE, f"{N_TRUE} columns matter")):
        shown = ["any wrong", "wrong of members", "found"][: 3 if n_true else 1]
        table = record.table(
            f"Drawn tables in which {what}: share of tables with any wrong member"
            + (
                "; mean share of wrong ones among the members; mean share of the true found"
                * bool(n_true)
            ),
            ["kind", "columns", "search", "alpha", *(f"{r}: {s}" for r in RATES for s in shown)],
        )
        for kind in KINDS:
            for n_columns, n_tables in TABLES.items():
                for search in SEARCHES if n_columns < MANY else ALONE:
                    name = f"{kind}-{n_columns}-{n_true}-{search}"
                    started = time.perf_counter()
                    cell = kept.get(
                        name,
                        lambda: measured(
                            lambda seed: drawn(kind, n_columns, n_true, seed),  # noqa: B023
                            search,  # noqa: B023
                            2 if quick else n_tables,  # noqa: B023
                        ),
                    )
                    say(f"{name}: {time.perf_counter() - started:.0f} s")
                    for alpha in ALPHAS:
                        numbers = [
                            three(x) for r in RATES for x in cell[f"{alpha} {r}"][: len(shown)]
                        ]
                        table.rows.append([kind, n_columns, search, str(alpha), *numbers])


def drawn(kind: str, n_columns: int, n_true: int, seed: int) -> Drawn:
    """Draw a table and say which columns matter to its target t."""
    generator = np.random.default_rng([seed, n_columns, n_true])
    shape = (N_ROWS, n_columns // BLOCK)
    if kind == "numbers":
        heads = generator.normal(size=shape)
        noise = generator.normal(size=(*shape, BLOCK - 1))
        others = 0.7 * heads[..., None] + np.sqrt(1 - 0.49) * noise
        target = 0.5 * heads[:, :n_true].sum(axis=1) + generator.normal(size=N_ROWS)
    else:
        heads = generator.integers(3, size=shape).astype(float)
        copies = generator.random((*shape, BLOCK - 1)) < 0.6
        random = generator.integers(3, size=copies.shape)
        others = np.where(copies, heads[..., None], random)
        pull = 1.2 * (heads[:, :n_true] - 1).sum(axis=1)
        target = (generator.random(N_ROWS) < 1 / (1 + np.exp(-pull))).astype(float)
    columns = {f"h{j}": heads[:, j] for j in range(shape[1])}
    for k in range(BLOCK - 1):
        columns |= {f"h{j}_{k}": others[:, j, k] for j in range(shape[1])}
    columns["t"] = target
    kinds = dict.fromkeys(columns, "discrete" if kind == "categories" else "continuous")
    return Dataset.from_columns(columns, kinds=kinds), {f"h{j}" for j in range(n_true)}


def measured(draw: Callable[[int], Drawn], search: str, n_tables: int) -> Cell:
    """Return for each alpha and rate: share with any wrong member, their mean share, recall."""
    sums: dict[str, list[tuple[bool, float, float]]] = {}
    for seed in range(n_tables):
        data, truth = draw(seed)
        for alpha in ALPHAS:
            for rate in RATES:
                found = set(
                    find_boundary(
                        data,
                        "t",
                        algorithm=SEARCHES[search],
                        alpha=alpha,
                        error_rate=rate,
                        progress=False,
                    ).members
                )
                wrong = len(found - truth)
                recall = len(found & truth) / len(truth) if truth else 1.0
                row = (wrong > 0, wrong / max(len(found), 1), recall)
                sums.setdefault(f"{alpha} {rate}", []).append(row)
    return {key: [fmean(part) for part in zip(*rows, strict=True)] for key, rows in sums.items()}


def checks(record: Record, kept: KeptCells, *, quick: bool) -> None:
    """Permute the target of samples of networks, and put a decoy beside each column."""
    table = record.table(
        "Networks, 1,000 rows: mean number of members if the target is permuted (all are wrong); "
        "members with decoys beside the columns, and decoys among them",
        ["network", "search", "alpha", "rate", "permuted", "members", "decoys"],
    )
    for network, target in CHECKED:
        for search in ALONE:
            cell = kept.get(
                f"checks-{network}-{search}",
                lambda: checked(network, target, search, 1 if quick else N_CHECKS),  # noqa: B023
            )
            say(f"checks of {network}, {search}")
            for key, numbers in cell.items():
                alpha, rate = key.split()
                table.rows.append([network, search, alpha, rate, *map(three, numbers)])


def checked(network: str, target: str, search: str, n_samples: int) -> Cell:
    """Return the mean numbers of both checks."""
    counts: dict[str, list[tuple[int, int, int]]] = {}
    for seed in range(n_samples):
        data = networks.load(network).sample(1_000, random_state=seed)
        generator = np.random.default_rng([seed, 3])
        for alpha in ALPHAS:
            for rate in RATES:
                how = {
                    "algorithm": SEARCHES[search],
                    "alpha": alpha,
                    "error_rate": rate,
                    "progress": False,
                }
                chance = find_boundary(permuted(data, [target], generator), target, **how).members
                others = [name for name in data.names if name != target]
                decoys = dict(decoys_of(data, others, generator))
                both = find_boundary(data.with_columns(decoys), target, **how).members
                fake = sum(name in decoys for name in both)
                counts.setdefault(f"{alpha} {rate}", []).append((len(chance), len(both), fake))
    return {key: [fmean(part) for part in zip(*rows, strict=True)] for key, rows in counts.items()}


def permuted(data: Dataset, names: list[str], generator: np.random.Generator) -> Dataset:
    """Return a table with some columns permuted."""
    frame = data.to_pandas()
    for name in names:
        frame[name] = generator.permutation(frame[name].to_numpy())
    return Dataset.of(frame)


def decoys_of(
    data: Dataset, names: list[str], generator: np.random.Generator
) -> Iterator[tuple[str, Any]]:
    """Give each column's permuted copy."""
    frame = data.to_pandas()
    for name in names:
        yield f"decoy of {name}", generator.permutation(frame[name].to_numpy())


def three(value: float) -> str:
    """Write a number with three decimals at the most."""
    return f"{value:.3g}"


if __name__ == "__main__":
    main()
