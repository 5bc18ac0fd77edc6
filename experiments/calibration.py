"""How often each test of independence rejects what is true, and finds what is not.

Run with ``make experiment-calibration``; ``--quick`` makes few tables and saves nothing, ``--only
NAME`` measures one part anew and leaves the others as they are saved.

Size: tables in which x and y are independent given z1 .. zk; a test that holds its level rejects
one in twenty at .05 and one in a hundred at .01. With k = 0 nothing depends on anything; else x and
y both follow z1. Cells outside .04 to .06 (or .007 to .013) are shown red. Power: x follows y
within every stratum; a test may only be praised for power where it holds its level. G2 and X2 with
nominal and adjusted degrees of freedom are the formulas of bnlearn's tests ``mi``, ``mi-adf``,
``x2`` and ``x2-adf``.

Thousands of tables stand side by side as columns of one Dataset, so that one call answers them all.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from calibration_tables import MOST_GIVEN, Design, Draw, mixed, numbers, two_categories
from harness import RESULTS, Cell, Record, Table, recording, say, verdict
from numpy.typing import NDArray

from eiderdown import find_boundary
from eiderdown.data import Dataset
from eiderdown.independence.registry import TESTS, make_test

LEVELS = (0.05, 0.01)
BOUNDS = {0.05: (0.04, 0.06), 0.01: (0.007, 0.013)}
AT_ONCE = 250

CATEGORY_TESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "calibrated_chi_square": ("calibrated_chi_square", {}),
    "g_square, adjusted (mi-adf)": ("g_square", {"dof": "adjusted", "reliability": "always"}),
    "g_square, nominal (mi)": ("g_square", {"dof": "nominal", "reliability": "always"}),
    "chi_square, adjusted (x2-adf)": ("chi_square", {"dof": "adjusted", "reliability": "always"}),
    "chi_square, nominal (x2)": ("chi_square", {"dof": "nominal", "reliability": "always"}),
}
ADJUSTED_TESTS = {name: test for name, test in CATEGORY_TESTS.items() if "nominal" not in name}
NUMBER_TESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "fisher_z": ("fisher_z", {}),
    "student_t": ("student_t", {}),
    "wilks": ("wilks", {"basis": "linear"}),
    "wilks, quadratic": ("wilks", {"basis": "quadratic"}),
    "wilks, ranks": ("wilks", {"basis": "linear", "ranks": True}),
}
MIXED_TESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "wilks": ("wilks", {"basis": "linear"}),
    "regression": ("regression", {}),
}


def side_by_side(draw: Draw, n: int, generator: np.random.Generator) -> Dataset:
    """Put the columns of n tables into one: x, y, z1 .. z5 of the first, then of the next."""
    columns: list[Any] = []
    for _ in range(n):
        x, y, zs = draw(generator)
        columns += [x, y, *zs]
    names = [f"{i}" for i in range(len(columns))]
    if isinstance(columns[0], np.ndarray) and columns[0].dtype.kind == "i":
        codes = np.array(columns)
        categories = tuple(range(int(codes.max()) + 1))
        return Dataset.from_codes(codes, names=names, categories=[categories] * len(names))
    return Dataset.of(dict(zip(names, columns, strict=True)))


def rejections(
    draw: Draw, tests: dict[str, tuple[str, dict[str, Any]]], sizes: range, n_tables: int, seed: int
) -> dict[tuple[str, int], NDArray[np.float64]]:
    """Return the share of p-values below each level, for each test and size of given set.

    A test that says that there is nothing to test has a p-value of 1.
    """
    generator = np.random.default_rng(seed)
    log_p: dict[tuple[str, int], list[NDArray[np.float64]]] = {}
    for start in range(0, n_tables, AT_ONCE):
        n = min(AT_ONCE, n_tables - start)
        data = side_by_side(draw, n, generator)
        for label, (name, params) in tests.items():
            test = make_test(TESTS[name].with_params(params), data, 1)
            for k in sizes:
                firsts = range(0, data.n_columns, 2 + MOST_GIVEN)
                questions = [(i, i + 1, range(i + 2, i + 2 + k)) for i in firsts]
                log_p.setdefault((label, k), []).append(test.pairs(questions).log_p)
    thresholds = np.log(LEVELS)
    return {
        key: (np.concatenate(parts)[:, None] <= thresholds).mean(axis=0)
        for key, parts in log_p.items()
    }


def marked(share: float, level: float) -> str:
    """Write a share, and mark it red where a test does not hold its level."""
    low, high = BOUNDS[level]
    text = f"{share:.4f}"
    return text if low <= share <= high else f"🔴 {text}"


def add_size(table: Table, cells: tuple[Cell, ...], found: dict[Any, NDArray[np.float64]]) -> None:
    """Write a row for each test and size of given set."""
    for (label, k), shares in found.items():
        table.rows.append(
            [*cells, k, label, *(marked(s, a) for s, a in zip(shares, LEVELS, strict=True))]
        )


def designs(quick: bool) -> Iterator[Design]:
    """Go through the tables of categories."""
    for rows in (50, 500) if quick else (50, 100, 200, 500, 1_000, 5_000):
        for categories in (2, 3) if quick else (2, 3, 5, 8):
            for skewed in (False, True):
                yield Design(rows, categories, skewed, common_cause=True)


def size_of_categories(record: Record, quick: bool) -> None:
    """Measure tests of categories where independence is true."""
    whole = record.table(
        "Categories: share of red cells by test",
        (
            "test",
            "cells",
            "red at .05",
            "too high at .05",
            "red at .01",
            "too high at .01",
            "worst",
        ),
    )
    table = record.table(
        "Categories: every cell of the calibrated test",
        ("rows", "categories", "margins", "given", "test", "at .05", "at .01"),
    )
    every: dict[str, list[NDArray[np.float64]]] = {}
    for seed, design in enumerate(designs(quick)):
        n_tables = 500 if quick else 2_000
        found = rejections(
            design.codes, ADJUSTED_TESTS, range(1, MOST_GIVEN + 1), n_tables, 1_000 + 2 * seed
        )
        apart = replace(design, common_cause=False)
        found |= rejections(apart.codes, ADJUSTED_TESTS, range(1), n_tables, 1_001 + 2 * seed)
        say(f"{design}")
        for (label, _), shares in found.items():
            every.setdefault(label, []).append(shares)
        margins = "skewed" if design.skewed else "even"
        ours = {key: found[key] for key in found if key[0] == "calibrated_chi_square"}
        add_size(table, (design.rows, design.categories, margins), ours)
    for label, parts in every.items():
        shares = np.array(parts)
        cells: list[Cell] = [label, len(shares)]
        for i, level in enumerate(LEVELS):
            low, high = BOUNDS[level]
            red = (shares[:, i] < low) | (shares[:, i] > high)
            cells += [int(red.sum()), int((shares[:, i] > high).sum())]
        whole.rows.append(
            [*cells, f"{shares[:, 0].max():.3f} at .05, {shares[:, 1].max():.3f} at .01"]
        )
    whole.notes.append(
        "Red below the bounds is caution where few tables are possible (few rows, many strata, "
        "rare categories): a discrete statistic cannot reach its level exactly. Red above is a "
        "lie. With 2,000 tables the standard error of a share is .0049 at .05 and .0022 at .01, "
        "so that of exact tests about 4 in 100 cells would be red at .05 and 18 in 100 at .01, by "
        "chance alone."
    )


def size_of_numbers(record: Record, quick: bool) -> None:
    """Measure tests of numbers and of both kinds, with and without missing values."""
    columns = ("rows", "columns", "missing", "given", "test", "at .05", "at .01")
    table = record.table("Numbers, mixed kinds and missing values", columns)
    n_tables = 250 if quick else 2_000
    seed = 5_000
    for rows in (50, 500):
        for shape in ("normal", "heavy tails (t, 3 dof)", "skewed (exponential)"):
            seed += 1
            found = rejections(
                numbers(rows, shape), NUMBER_TESTS, range(1, MOST_GIVEN + 1, 2), n_tables, seed
            )
            add_size(table, (rows, f"numbers, {shape}", "none"), found)
        for y_kind in ("number", "class of 2", "class of 4"):
            for missing in (0.0, 0.1):
                seed += 1
                found = rejections(
                    mixed(rows, y_kind, missing), MIXED_TESTS, range(2, 5, 2), n_tables, seed
                )
                add_size(table, (rows, f"mixed, y a {y_kind}", f"{missing:.0%}"), found)
        say(f"numbers and mixed kinds, {rows} rows")
    table.notes.append(
        "Normal scores (`ranks`) bend the straight lines between skewed numbers, so that z1 no "
        "longer explains all that x and y have in common: red there is a wrong model, not a wrong "
        "level."
    )


def size_of_two_categories(record: Record, quick: bool) -> None:
    """Measure tests of two categories that follow what is given, numbers among it."""
    columns = ("rows", "columns", "given", "test", "at .05", "at .01")
    table = record.table("Two categories that depend strongly on numbers", columns)
    tests: dict[str, tuple[str, dict[str, Any]]] = {
        "wilks": ("wilks", {}),
        "wilks, confirmed (auto)": ("wilks", {"confirm": True}),
        "regression": ("regression", {}),
    }
    for seed, (rows, states) in enumerate([(200, 2), (200, 3), (1_000, 2), (1_000, 3)]):
        n_tables = 250 if quick else 2_000
        found = rejections(two_categories(rows, states), tests, range(4, 5), n_tables, 7_000 + seed)
        add_size(table, (rows, f"two of {states}"), found)
        say(f"two categories of {states}, {rows} rows")
    table.notes.append(
        "A test that takes the answer of the regression wherever Wilks' p-value is below .1 "
        "rejects what both reject; red below the bounds is the price."
    )


def size_of_imputed(record: Record, quick: bool) -> None:
    """Measure tests of categories and of both kinds whose missing values are filled in."""
    columns = ("rows", "columns", "missing", "given", "test", "at .05", "at .01")
    table = record.table("Values filled in several times (missing='impute')", columns)
    n_tables, missing = 20 if quick else 200, 0.2
    generator = np.random.default_rng(8_000)
    for kind, k in (("categories", 0), ("categories", 1), ("mixed, y a class of 2", 2)):
        log_p = []
        for _ in range(n_tables):
            if kind == "categories":
                x, y, zs = Design(200, 3, common_cause=k > 0).codes(generator)
                drawn = [np.where(generator.random(200) < missing, -1, c) for c in (x, y, *zs[:k])]
                names = [str(i) for i in range(len(drawn))]
                data = Dataset.from_codes(
                    np.array(drawn), names=names, categories=[(0, 1, 2)] * len(names)
                )
            else:
                x, y, zs = mixed(200, "class of 2", missing)(generator)
                data = Dataset.of({"x": x, "y": y, **{f"z{i}": zs[i] for i in range(k)}})
            test = make_test("auto", data, 1, missing="impute")
            log_p.append(test.test(0, 1, range(2, 2 + k)).log_p)
        shares = (np.array(log_p)[:, None] <= np.log(LEVELS)).mean(axis=0)
        add_size(table, (200, kind, f"{missing:.0%}"), {("auto", k): shares})
        say(f"imputed {kind} given {k}")
    table.notes.append(
        f"{n_tables} tables each: the standard error of a share is .015 at .05 and .007 at .01."
    )


def power(record: Record, quick: bool) -> None:
    """Measure how often a true dependence is found, beside bnlearn's formulas."""
    table = record.table(
        "Power: x repeats y in a share of the rows",
        (
            "rows",
            "categories",
            "given",
            "share",
            "test",
            "found at .05",
            "found at .01",
            "size at .05",
        ),
    )
    n_tables = 250 if quick else 2_000
    for rows in (100, 500):
        for categories in (2, 3, 5):
            strength = {2: 0.25, 3: 0.2, 5: 0.15}[categories] * (200 / rows) ** 0.5
            sizes = range(0, MOST_GIVEN, 2)
            seed = 9_000 + rows + categories
            null = rejections(Design(rows, categories).codes, CATEGORY_TESTS, sizes, n_tables, seed)
            design = Design(rows, categories, strength=strength)
            for (label, k), shares in rejections(
                design.codes, CATEGORY_TESTS, sizes, n_tables, seed + 1
            ).items():
                size = marked(null[label, k][0], 0.05)
                table.rows.append([rows, categories, k, strength, label, *shares.tolist(), size])
        say(f"power, {rows} rows")
    table.notes.append("Power at a level that a test does not hold (red) is not power.")


def boundaries_with_noise(record: Record, quick: bool) -> None:
    """Count default boundaries that contain a column which has nothing to do with the target."""
    table = record.table(
        "Boundaries of a binary target with noise: 500 rows, 20 columns of three categories",
        ("causes", "search", "tables", "with noise", "causes found", "aim", "verdict"),
    )
    n_tables = 20 if quick else 100
    searches: dict[str, dict[str, Any]] = {
        "default": {"test": "calibrated_chi_square"},
        "default search, g_square": {"test": "g_square"},
        "iamb_fdr": {"algorithm": "iamb_fdr", "test": "calibrated_chi_square"},
    }
    for n_causes in (2, 3, 4):
        for label, options in searches.items():
            with_noise = n_found = 0
            for seed in range(n_tables):
                generator = np.random.default_rng(20_000 + seed)
                codes = generator.integers(3, size=(20, 500))
                logit = 1.1 * (codes[:n_causes] - 1).sum(axis=0)
                target = (generator.random(500) < 1 / (1 + np.exp(-logit))).astype(int)
                columns = {f"x{i:02d}": column for i, column in enumerate(codes)}
                found = find_boundary({"t": target, **columns}, "t", progress=False, **options)
                numbers_found = [int(name[1:]) for name in found.members]
                with_noise += any(i >= n_causes for i in numbers_found)
                n_found += sum(i < n_causes for i in numbers_found)
            is_default = label == "default"
            table.rows.append(
                [
                    n_causes,
                    label,
                    n_tables,
                    with_noise,
                    f"{n_found} of {n_causes * n_tables}",
                    "at most 2 in 100" if is_default else None,
                    verdict(with_noise <= 0.02 * n_tables) if is_default else None,
                ]
            )
    table.notes.append(
        "At significance level .01 each noise column has its chance of one in a hundred against "
        "the members, so that a test that holds its level lets noise into about 15 of 100 tables, "
        "whatever the test. What asks for less is a search that counts its hypotheses, as "
        "`iamb_fdr` does."
    )


PARTS = {
    "categories": size_of_categories,
    "boundaries": boundaries_with_noise,
    "power": power,
    "numbers": size_of_numbers,
    "two": size_of_two_categories,
    "imputed": size_of_imputed,
}


def main() -> None:
    """Measure everything, or one part anew."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few tables; nothing is saved")
    parser.add_argument("--only", choices=PARTS, help="one part; the others stay as they are")
    asked = parser.parse_args()
    record = Record(
        name="calibration",
        title="Size and power of the tests of independence",
        paper="Haldane (1940), Wilks (1932) and Rao (1951), on tables of our own",
        params={"levels": list(LEVELS), "bounds": [list(BOUNDS[a]) for a in LEVELS]},
    )
    with recording(record, quick=asked.quick):
        for part in [asked.only] if asked.only else PARTS:
            PARTS[part](record, asked.quick)
        if asked.only:
            saved = json.loads((RESULTS / "calibration.json").read_text(encoding="utf-8"))
            new = {table.title for table in record.tables}
            old = [Table(**table) for table in saved["tables"] if table["title"] not in new]
            record.tables[:0] = old
            record.seconds = saved["seconds"]


if __name__ == "__main__":
    main()
