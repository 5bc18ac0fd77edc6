"""How fast the sweep is: tests per second of each path, and Thrombin against one memory pass.

Run with ``make benchmark``. Every time stands beside a reference measured in the same run, since
machines differ and are noisy; the ratios are what counts. Thrombin is looked for under the folder
EIDERDOWN_DATA (../shared/data by default); without it that part is left out, and says so.
"""

from __future__ import annotations

import resource
import time
from functools import partial
from typing import Any

import numpy as np
from measuring import median_seconds, thrombin_parts, write_record

from eiderdown import networks
from eiderdown.arrays import IntArray
from eiderdown.boundary import TestProblem, iamb
from eiderdown.data import Dataset
from eiderdown.independence import CalibratedChiSquareTest, GSquareTest
from eiderdown.statistics import CountStatistics
from eiderdown.statistics import Path as CountPath

PAPER_SECONDS = 2426.0  # IAMB on Thrombin, Pena et al. 2007, on a 2.4 GHz Pentium


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def tests_per_second() -> list[dict[str, Any]]:
    """Each path on wide random binary data, for growing conditioning sets."""
    rng = np.random.default_rng(0)
    rows = []
    for n_rows, n_columns in ((500, 20_000), (5_000, 4_000), (100_000, 200)):
        codes = (rng.random((n_columns, n_rows)) < 0.3).astype(np.uint8)
        names = [f"v{i}" for i in range(n_columns)]
        data = Dataset.from_codes(codes, names=names, categories=[(0, 1)] * n_columns)
        candidates = np.arange(10, n_columns)
        for n_given in (0, 2, 5):
            given = tuple(range(1, 1 + n_given))
            row: dict[str, Any] = {"rows": n_rows, "columns": n_columns, "given": n_given}
            for path in (CountPath.CODES, CountPath.PLANES, None):
                test = GSquareTest(data, n_jobs=1)
                test.statistics = CountStatistics(data, n_jobs=1, path=path)
                seconds = median_seconds(partial(test.sweep, candidates, 0, given), 3)
                row[path.value if path else "chosen"] = len(candidates) / seconds
            rows.append(row)
            print("  {rows:>7} rows, {given} given: ".format(**row), end="")
            print(", ".join(f"{k} {row[k]:,.0f}/s" for k in ("codes", "planes", "chosen")))
    return rows


def calibrated_ratios() -> dict[str, float]:
    """Compare the calibrated sweep with that of G2; 1.5 times at most is wanted."""
    rng, ratios = np.random.default_rng(0), {}
    for n_rows, n_columns in ((500, 20_000), (5_000, 4_000)):
        codes = (rng.random((n_columns, n_rows)) < 0.3).astype(np.uint8)
        names = [f"v{i}" for i in range(n_columns)]
        data = Dataset.from_codes(codes, names=names, categories=[(0, 1)] * n_columns)
        _add_ratios(ratios, data, np.arange(10, n_columns), f"binary_{n_rows}_rows")
    alarm = networks.load("alarm").sample(5_000, random_state=0)
    _add_ratios(ratios, alarm, np.arange(6, alarm.n_columns), "alarm_5000_rows")
    return ratios


def _add_ratios(ratios: dict[str, float], data: Dataset, xs: IntArray, name: str) -> None:
    for n_given in (0, 2, 5):
        tests = GSquareTest(data, n_jobs=1), CalibratedChiSquareTest(data, n_jobs=1)
        given = range(1, 1 + n_given)
        plain, calibrated = (median_seconds(partial(t.sweep, xs, 0, given), 9) for t in tests)
        ratios[f"{name}_{n_given}_given"] = calibrated / plain
        print(f"  {name}, {n_given} given: {calibrated / plain:.2f} times G2")


def single_tests() -> dict[str, float]:
    """Single questions of 0 to 3 conditions about a table of 5,000 x 37, per second."""
    data = networks.load("alarm").sample(5_000, random_state=0)
    rng = np.random.default_rng(0)
    drawn = [rng.choice(37, 2 + k % 4, replace=False).tolist() for k in range(1_000)]
    questions = [(x, y, given) for x, y, *given in drawn]
    test = CalibratedChiSquareTest(data, n_jobs=1)
    one_by_one = median_seconds(lambda: [test.test(*question) for question in questions], 5)
    together = median_seconds(lambda: test.pairs(questions), 5)
    found = {"test": len(questions) / one_by_one, "pairs": len(questions) / together}
    print(f"  test {found['test']:,.0f}/s (20,000 wanted), pairs {found['pairs']:,.0f}/s")
    return found


def alarm_workers() -> dict[str, float]:
    """Two threads against one, on many rows and on few."""
    network = networks.load("alarm")
    ratios = {}
    for n_rows in (1_000, 100_000):
        data = network.sample(n_rows, random_state=0)
        candidates = np.arange(4, data.n_columns)
        one, two = (GSquareTest(data, n_jobs=n) for n in (1, 2))
        first = median_seconds(partial(one.sweep, candidates, 0, (2, 3)), 31)
        second = median_seconds(partial(two.sweep, candidates, 0, (2, 3)), 31)
        ratios[f"alarm_{n_rows}_rows"] = second / first
        print(f"  alarm, {n_rows} rows: two threads take {second / first:.2f} of one's time")
    return ratios


def thrombin(baseline: float) -> dict[str, Any] | None:
    """Sweep and IAMB on 1,909 rows x 139,351 columns."""
    parts = thrombin_parts()
    if parts is None:
        return None
    from scipy.sparse import csr_array

    ones = np.ones(len(parts["indices"]), np.uint8)
    matrix = csr_array((ones, parts["indices"], parts["indptr"]), shape=tuple(parts["shape"]))
    started = time.perf_counter()
    data = Dataset.from_sparse(matrix, extra={"activity": parts["y"]})
    loading = time.perf_counter() - started
    del matrix, ones, parts
    target, candidates = data.index("activity"), np.arange(data.n_columns - 1)
    found: dict[str, Any] = {"load_seconds": loading}
    for n_jobs in (1, 2):
        test = GSquareTest(data, n_jobs=n_jobs)
        found[f"sweep_seconds_{n_jobs}"] = median_seconds(partial(test.sweep, candidates, target))
        search = TestProblem(test, target, candidates, alpha=1e-4)
        found[f"iamb_seconds_{n_jobs}"] = median_seconds(partial(iamb, search), 5)
        found[f"boundary_{n_jobs}"] = [data.names[i] for i in iamb(search).members]
    calibrated = CalibratedChiSquareTest(data, n_jobs=1)
    found["calibrated_sweep_seconds"] = median_seconds(
        partial(calibrated.sweep, candidates, target)
    )
    search = TestProblem(calibrated, target, candidates, alpha=1e-4)
    found["calibrated_iamb_seconds"] = median_seconds(partial(iamb, search), 5)
    found["peak_megabytes_above_interpreter"] = peak_megabytes() - baseline
    planes = data.bit_planes(int(data.block_of[0])).planes
    found["pass_seconds"] = median_seconds(lambda: int(np.bitwise_xor.reduce(planes, axis=None)))
    forced = GSquareTest(data, n_jobs=1)
    forced.statistics = CountStatistics(data, n_jobs=1, path=CountPath.PLANES)
    found["sweep_seconds_planes"] = median_seconds(lambda: forced.sweep(candidates, target))
    found["megabytes_all_forms"] = data.nbytes / 1e6
    found["sweep_in_passes"] = found["sweep_seconds_1"] / found["pass_seconds"]
    found["times_faster_than_paper"] = PAPER_SECONDS / found["iamb_seconds_1"]
    report_thrombin(found)
    return found


def report_thrombin(found: dict[str, Any]) -> None:
    print(
        f"  one pass over the bit planes {1e3 * found['pass_seconds']:.1f} ms; "
        f"sweep given the empty set {1e3 * found['sweep_seconds_1']:.1f} ms = "
        f"{found['sweep_in_passes']:.1f} passes (at most 20 wanted); "
        f"forced through the planes {1e3 * found['sweep_seconds_planes']:.1f} ms"
    )
    print(
        f"  IAMB (alpha 1e-4): {found['iamb_seconds_1']:.2f} s with one thread, "
        f"{found['iamb_seconds_2']:.2f} s with two (under 1 s wanted; paper "
        f"{PAPER_SECONDS:,.0f} s), {len(found['boundary_1'])} features (paper 6), same with both: "
        f"{found['boundary_1'] == found['boundary_2']}"
    )
    ratio = found["calibrated_iamb_seconds"] / found["iamb_seconds_1"]
    print(f"  IAMB by the calibrated test takes {ratio:.2f} times as long (at most 1.3 wanted)")
    print(
        f"  table in all forms {found['megabytes_all_forms']:.0f} MB (under 120 wanted); peak "
        f"{found['peak_megabytes_above_interpreter']:.0f} MB above the interpreter (under 300)"
    )


def main() -> None:
    baseline = peak_megabytes()
    print("Thrombin:")
    of_thrombin = thrombin(baseline)
    print("Tests per second, one thread, binary columns:")
    per_second = tests_per_second()
    print("Calibrated sweep over that of G2 (at most 1.5 wanted):")
    ratios = calibrated_ratios()
    print("Single tests:")
    single = single_tests()
    print("Threads:")
    threads = alarm_workers()
    write_record(
        "sweep",
        {
            "thrombin": of_thrombin,
            "tests_per_second": per_second,
            "calibrated_over_g_square": ratios,
            "single_tests_per_second": single,
            "two_threads_over_one": threads,
        },
    )


if __name__ == "__main__":
    main()
