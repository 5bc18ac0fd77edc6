"""Missing values, weights and groups: how often noise is taken for evidence, and what is found.

Usage::

    python experiments/missing_values.py sizes --tables 600
    python experiments/missing_values.py networks --samples 2

``sizes`` tests noise x against y given z (and w), which both depend on, and prints the shares of
p-values below .05 and .01: of imputed tables by all kinds of columns, and of the robust test with
weights and groups. ``networks`` learns Alarm and Insurance, which were not looked at while the
node average was built, with and without missing values.
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from eiderdown import Dataset, learn_network, networks
from eiderdown.data.rows import with_row_roles
from eiderdown.independence import make_test

KINDS = {"numbers": "", "categories": "xyzw", "both": "yz"}


def noise(
    kind: str, n_rows: int, generator: np.random.Generator, groups: Any = None
) -> dict[str, Any]:
    """Draw x and y that are independent given z and w; rows of one group are alike."""

    def drawn() -> Any:
        if groups is None:
            return generator.normal(size=n_rows)
        shared = generator.normal(size=groups.max() + 1)[groups]
        return 0.8 * shared + 0.6 * generator.normal(size=n_rows)

    columns = {"z": drawn(), "w": drawn()}
    for name, values in list(columns.items()):
        if name in KINDS[kind]:
            columns[name] = np.digitize(values, [-0.6, 0.6]).astype(float)
    for name in "xy":
        columns[name] = drawn() + 0.5 * columns["z"] + 0.5 * columns["w"]
        if name in KINDS[kind]:
            columns[name] = np.digitize(columns[name], [0.0, 1.0]).astype(float)
    return columns


def table(kind: str, columns: dict[str, Any]) -> Dataset:
    """Make the table of these columns."""
    kinds = {name: "discrete" if name in KINDS[kind] else "continuous" for name in columns}
    return Dataset.from_columns(columns, kinds=kinds)


def holes(columns: dict[str, Any], share: float, how: str, generator: np.random.Generator) -> None:
    """Take values away, completely at random or where z is large; never of y."""
    at_risk = columns["z"] > np.median(columns["z"])
    for name in "xzw":
        chance = np.full(len(at_risk), share)
        if how == "at random":
            if name == "z":
                continue
            chance = np.where(at_risk, 1.5 * share, 0.5 * share)
        columns[name] = np.where(generator.random(len(at_risk)) < chance, np.nan, columns[name])


def imputed_sizes(n_tables: int, n_rows: int = 300) -> Iterator[tuple[str, list[float]]]:
    """Give p-values of noise after imputation, and by test-wise deletion beside them."""
    for kind in KINDS:
        for how in ("completely at random", "at random"):
            p: dict[str, list[float]] = {"testwise": [], "impute": []}
            for seed in range(n_tables):
                generator = np.random.default_rng([seed, 21])
                columns = noise(kind, n_rows, generator)
                holes(columns, 0.2, how, generator)
                data = table(kind, columns)
                x, y, z, w = map(data.index, "xyzw")
                for missing, known in p.items():
                    test = make_test("auto", data, y, 1, missing=missing, random_state=seed)
                    known.append(math.exp(test.test(x, y, [z, w]).log_p))
            for missing, values in p.items():
                yield f"{missing}, {kind}, missing {how}", values


def robust_sizes(n_tables: int) -> Iterator[tuple[str, list[float]]]:
    """Give p-values of noise by the robust test."""
    for kind in KINDS:
        for what, n_rows, size in (("weights", 400, 1), ("groups of 8", 800, 8), ("both", 800, 4)):
            p = []
            for seed in range(n_tables):
                generator = np.random.default_rng([seed, 22])
                groups = np.arange(n_rows) // size if size > 1 else None
                data = table(kind, noise(kind, n_rows, generator, groups))
                weights = generator.lognormal(0.0, 0.8, n_rows) if "groups" not in what else None
                data = with_row_roles(data, sample_weight=weights, groups=groups)
                x, y, z = map(data.index, "xyz")
                p.append(
                    math.exp(make_test("auto", data, y).test(x, y, [z, data.index("w")]).log_p)
                )
            yield f"robust, {kind}, {what}", p


def sizes(n_tables: int) -> None:
    """Print the shares of small p-values."""
    print(f"{'':50} P(p < .05)  P(p < .01)   of {n_tables} tables")
    for part in (robust_sizes(n_tables), imputed_sizes(n_tables)):
        for what, p in part:
            below = [np.mean(np.array(p) < level) for level in (0.05, 0.01)]
            print(f"{what:50} {below[0]:10.3f}  {below[1]:10.3f}", flush=True)


def found(name: str, seed: int, share: float = 0.05) -> Iterator[tuple[str, float, int, float]]:
    """Learn a network from a complete sample, and from one with holes in three ways."""
    network = networks.load(name)
    truth = {frozenset(edge) for edge in network.dag.edges}
    whole = network.sample(2_000, random_state=50 + seed)
    codes = np.stack([whole.codes(i).astype(np.int64) for i in range(whole.n_columns)])
    codes[np.random.default_rng([seed, 99]).random(codes.shape) < share] = -1
    categories = [whole.categories(i) for i in range(whole.n_columns)]
    broken = Dataset.from_codes(codes, names=whole.names, categories=categories)
    for what, data, missing in (
        ("complete", whole, "error"),
        ("testwise", broken, "testwise"),
        ("drop", broken, "drop"),
    ):
        started = time.perf_counter()
        edges = learn_network(data, missing=missing, progress=False).edges
        seen = {frozenset((edge.left, edge.right)) for edge in edges}
        seconds = time.perf_counter() - started
        yield what, len(seen & truth) / len(truth), len(seen - truth), seconds


def learned(n_samples: int) -> None:
    """Print how many edges are found, and how many of those are wrong."""
    for name in ("alarm", "insurance"):
        for seed in range(n_samples):
            for what, recall, n_wrong, seconds in found(name, seed):
                print(
                    f"{name:10} sample {seed} {what:9} recall {recall:.2f}, {n_wrong} wrong, "
                    f"{seconds:.1f} s",
                    flush=True,
                )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("sizes", "networks"))
    parser.add_argument("--tables", type=int, default=600)
    parser.add_argument("--samples", type=int, default=2)
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    if chosen.what == "sizes":
        sizes(chosen.tables)
    else:
        learned(chosen.samples)
