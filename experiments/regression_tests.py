"""Tests by regression: sizes on null tables, and boundaries of classes beside the test of blocks.

    python experiments/regression_tests.py sizes 150
    python experiments/regression_tests.py boundaries 40
    python experiments/regression_tests.py ordered 40

The number is that of tables for each cell. What is printed stands in docs/regression.md, and of
ordered and counted targets in docs/kinds.md. The tables of boundaries begin with seed 5,000; none
of them was looked at while the tests were made.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np

from eiderdown import Dataset, EiderdownWarning, find_boundary
from eiderdown.independence import AUTO, RegressionTest

FAMILIES = (
    *("linear", "logistic", "rare", "multinomial", "ordinal"),
    *("poisson", "negative_binomial", "cox"),
)
TESTS = ("auto", "wilks", "regression", "confirmed")
N_CANDIDATES = 20
Table = tuple[dict[str, np.ndarray], str, set[str]]


def response(family: str, rng: np.random.Generator, eta: np.ndarray) -> np.ndarray:
    n = len(eta)
    draws: dict[str, Callable[[], np.ndarray]] = {
        "linear": lambda: eta + rng.normal(size=n),
        "logistic": lambda: (eta + rng.logistic(size=n) > 0).astype(int),
        "rare": lambda: (eta + rng.logistic(size=n) > 2).astype(int),
        "multinomial": lambda: np.digitize(eta + rng.logistic(size=n), [-0.7, 0.7]),
        "ordinal": lambda: np.digitize(eta + rng.logistic(size=n), [-0.7, 0.7]),
        "poisson": lambda: rng.poisson(np.exp(eta)),
        "negative_binomial": lambda: rng.poisson(np.exp(eta) * rng.gamma(1.0, 1.0, n)),
        "cox": lambda: rng.exponential(np.exp(-eta)),
    }
    return draws[family]()


def null_p_values(family: str, n: int, k: int, seed: int) -> np.ndarray:
    """P-values of columns that tell nothing given k others; without those that say nothing."""
    rng = np.random.default_rng([seed, n, k, FAMILIES.index(family)])
    z = rng.normal(size=(k, n))
    y = response(family, rng, 0.5 * z.sum(axis=0))
    columns = {f"x{i}": z[:1].sum(axis=0) / 2 + rng.normal(size=n) for i in range(10)}
    columns |= {f"c{i}": rng.integers(0, 3, n) for i in range(N_CANDIDATES - 10)}
    columns |= {f"z{i}": z[i] for i in range(k)}
    columns |= {"y": y, "event": (rng.random(n) < 0.7).astype(int)}
    name = "logistic" if family == "rare" else family
    is_class = name in ("logistic", "multinomial", "ordinal")
    if len(np.unique(y)) < 2:
        return np.empty(0)
    data = Dataset.from_columns(columns, kinds={"y": "discrete" if is_class else "continuous"})
    event = "event" if family == "cox" else None
    target, given = N_CANDIDATES + k, range(N_CANDIDATES, N_CANDIDATES + k)
    test = RegressionTest(data, target=target, family=name, event=event)
    batch = test.sweep(np.arange(N_CANDIDATES), target, list(given))
    return np.exp(batch.log_p[batch.allows > 0])


def sizes(n_tables: int) -> Iterator[str]:
    yield f"| rows, columns given | {' | '.join(FAMILIES)} |"
    for n in (50, 100, 200, 1_000):
        for k in (0, 2, 5):
            cells = []
            for family in FAMILIES:
                found = [null_p_values(family, n, k, seed) for seed in range(n_tables)]
                p = np.concatenate(found)
                cells.append(f"{np.mean(p < 0.05):.3f} {np.mean(p < 0.01):.3f}".replace("0.", "."))
            yield f"| {n:,}, {k} | {' | '.join(cells)} |"


def in_a_network(seed: list[int], n: int, *, share: float, n_classes: int = 2) -> Table:
    """Draw a class in the middle of a random network of 30 columns, a share of them categories."""
    rng, size = np.random.default_rng(seed), 30
    order, is_class = rng.permutation(size), rng.random(size) < share
    edges = np.zeros((size, size), dtype=bool)
    for i in range(size):
        edges[order[:i], order[i]] = rng.random(i) < 4 / (size - 1)
    target = order[size // 2]
    is_class[target] = True
    shifts = 1.2 * rng.normal(size=(size, 3))
    seen: dict[int, np.ndarray] = {}
    for v in order:
        parents = np.flatnonzero(edges[:, v])
        effects = {q: shifts[q][seen[q]] if is_class[q] else seen[q] for q in parents}
        if is_class[v]:
            odds = np.zeros((n_classes if v == target else 3, n))
            for c in range(len(odds) - 1):
                odds[c] = sum(
                    rng.uniform(0.5, 1.5) * rng.choice([-1, 1]) * e for e in effects.values()
                )
            seen[v] = (odds + rng.gumbel(size=odds.shape)).argmax(axis=0)
        else:
            x = rng.normal(size=n)
            for q, e in effects.items():
                x = x + (e if is_class[q] else rng.uniform(0.3, 0.9) * rng.choice([-1, 1]) * e)
            seen[v] = x / x.std()
    children = np.flatnonzero(edges[target])
    boundary = {*np.flatnonzero(edges[:, target]), *children}
    boundary = boundary.union(*(np.flatnonzero(edges[:, c]) for c in children)) - {target}
    names = [f"v{i:02d}" for i in range(size)]
    columns = {
        names[v]: np.char.add("c", seen[v].astype(str)) if is_class[v] else seen[v]
        for v in range(size)
    }
    return columns, names[target], {names[v] for v in boundary}


def an_effect(seed: list[int], n: int, *, skewed: bool, strength: float) -> Table:
    """Draw a class that is an effect of 5 of 20 numbers which are related."""
    rng, size = np.random.default_rng(seed), 20
    among = np.tril(rng.normal(size=(size, size)) * (rng.random((size, size)) < 0.2), -1)
    x = np.linalg.inv(np.eye(size) - 0.7 * among) @ rng.normal(size=(size, n))
    x /= x.std(axis=1, keepdims=True)
    x = np.exp(x) if skewed else x
    x /= x.std(axis=1, keepdims=True)
    causes = rng.choice(size, 5, replace=False)
    effect = strength * rng.uniform(0.4, 1.6, 5) * rng.choice([-1, 1], 5) @ x[causes]
    y = np.where(effect - np.median(effect) + rng.logistic(size=n) > 0, "a", "b")
    names = [f"v{i:02d}" for i in range(size)]
    return dict(zip(names, x, strict=True)) | {"y": y}, "y", {names[i] for i in causes}


PROBLEMS: dict[str, Callable[[int], Table]] = {
    "a mixed network, 500 rows": lambda s: in_a_network([s, 1], 500, share=0.3),
    "three classes, 500 rows": lambda s: in_a_network([s, 2], 500, share=0.3, n_classes=3),
    "a mixed network, 2,000 rows": lambda s: in_a_network([s, 3], 2_000, share=0.3),
    "a network of numbers, 500 rows": lambda s: in_a_network([s, 4], 500, share=0.0),
    "an effect of numbers, 1,000 rows": lambda s: an_effect(
        [s, 5], 1_000, skewed=False, strength=1
    ),
    "of skewed numbers, 300 rows": lambda s: an_effect([s, 6], 300, skewed=True, strength=1),
    "of skewed numbers, 1,000 rows": lambda s: an_effect([s, 7], 1_000, skewed=True, strength=1),
    "strong, skewed, 1,000 rows": lambda s: an_effect([s, 8], 1_000, skewed=True, strength=2),
}


def boundaries(n_tables: int) -> Iterator[str]:
    yield f"| the class is in | {' | '.join(TESTS)} |"
    for problem, drawn in PROBLEMS.items():
        found: dict[str, list[float]] = {test: [] for test in TESTS}
        for seed in range(5_000, 5_000 + n_tables):
            columns, target, truth = drawn(seed)
            counts = np.unique(columns[target], return_counts=True)[1]
            if len(counts) < 2 or counts.min() < 5:
                continue
            for test in TESTS:
                members = set(find_boundary(columns, target=target, test=test).members)
                either = members | truth
                found[test].append(len(members & truth) / len(either) if either else 1.0)
        means = (f"{np.mean(found[test]):.2f}".replace("0.", ".") for test in TESTS)
        yield f"| {problem} | {' | '.join(means)} |"


def an_ordered_effect(
    seed: list[int], n: int, *, n_levels: int, share: float, n_effects: int
) -> Table:
    """Draw ordered categories, or with no levels counts, in the middle of 20 related columns."""
    rng, size = np.random.default_rng(seed), 20
    among = np.tril(rng.normal(size=(size, size)) * (rng.random((size, size)) < 0.2), -1)
    x = np.linalg.inv(np.eye(size) - 0.7 * among) @ rng.normal(size=(size, n))
    x /= x.std(axis=1, keepdims=True)
    names, columns = [f"v{i:02d}" for i in range(size)], dict[str, np.ndarray]()
    for i, is_class in enumerate(rng.random(size) < share):
        columns[names[i]] = x[i]
        if is_class:
            codes = np.digitize(x[i], [-0.5, 0.5])
            x[i], columns[names[i]] = codes - 1.0, np.char.add("c", codes.astype(str))
    causes = rng.choice(size, 5, replace=False)
    effect = rng.uniform(0.4, 1.2, 5) * rng.choice([-1, 1], 5) @ x[causes]
    if n_levels:
        latent = effect + rng.logistic(size=n)
        y = np.digitize(latent, np.quantile(latent, np.linspace(0, 1, n_levels + 1)[1:-1]))
        scale = 2.0 * y / (n_levels - 1) - 1.0
    else:
        y = rng.poisson(np.exp(0.4 * effect) * rng.gamma(2.0, 0.5, n))
        scale = y / max(1.0, float(y.std()))
    for i in range(n_effects):
        columns[f"w{i}"] = rng.uniform(0.4, 0.8) * scale + rng.normal(size=n)
    return columns | {"y": y}, "y", {*(names[i] for i in causes), *list(columns)[size:]}


WAYS = {  # kind of the target and test
    "as classes": ("category", AUTO(basis="linear")),
    "as numbers": ("number", "auto"),
    "auto": ("ordered", "auto"),
    "regression": ("ordered", "regression"),
}


def ordered(n_tables: int) -> Iterator[str]:
    """Compare ways to take ordered and counted targets."""
    yield f"| target, rows, share of categories, effects | {' | '.join(WAYS)} |"
    for number, (n, n_levels, share, n_effects) in enumerate(
        product((300, 1_000), (3, 5, 0), (0.0, 0.4, 1.0), (0, 3))
    ):
        found: dict[str, list[float]] = {way: [] for way in WAYS}
        for seed in range(5_000, 5_000 + n_tables):
            columns, target, truth = an_ordered_effect(
                [seed, 9, number], n, n_levels=n_levels, share=share, n_effects=n_effects
            )
            for way, (kind, test) in WAYS.items():
                if kind == "category" and n_levels == 0:
                    continue
                own = "count" if kind == "ordered" and n_levels == 0 else kind
                members = set(
                    find_boundary(columns, target, test=test, kinds={target: own}).members
                )
                found[way].append(len(members & truth) / len(members | truth))
        means = (f"{np.mean(v):.2f}".replace("0.", ".") if v else "" for v in found.values())
        what = f"{n_levels} categories" if n_levels else "counts"
        yield f"| {what}, {n:,}, {share:g}, {n_effects} | {' | '.join(means)} |"


def main() -> None:
    warnings.simplefilter("ignore", EiderdownWarning)
    what, n_tables = sys.argv[1], int(sys.argv[2])
    for line in {"sizes": sizes, "boundaries": boundaries, "ordered": ordered}[what](n_tables):
        print(line, flush=True)


if __name__ == "__main__":
    main()
