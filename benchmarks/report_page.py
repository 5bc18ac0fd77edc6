"""Reports in Chromium: how large they are, how soon they are painted, how fast they answer.

Run with ``python benchmarks/report_page.py``, on a machine with Chromium (``tools/install_browser``
installs it). Each page is opened several times; medians are kept. The table of 100,000 columns is
made up; Thrombin is left out where it is not at hand.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from measuring import thrombin_parts, write_record
from playwright.sync_api import Browser, Page, sync_playwright

import eiderdown
from eiderdown import Dataset, networks
from eiderdown.report.html import report_text
from eiderdown.results import Result

OPENED = 5
MOVED = 20
_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]

_PAINTED = """() => {
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    const [whole] = performance.getEntriesByType("navigation");
    return paint ? [paint.startTime, whole.loadEventEnd] : null;
}"""

_ASKED = """async (name) => {
    const field = document.querySelector("#why-not input");
    const said = document.querySelector("[data-reason]");
    const started = performance.now();
    field.focus();
    field.value = name;
    field.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter"}));
    while (!said.textContent) await new Promise((done) => setTimeout(done, 1));
    return performance.now() - started;
}"""

_SLID = """async (n) => {
    const graph = [...eiderdownGraphs.values()][0];
    const slider = document.querySelector("[data-slider]");
    const times = [];
    for (let i = 0; i < n; i += 1) {
        const started = performance.now();
        await new Promise((drawn) => {
            graph.cy.one("render", drawn);
            slider.value = i % 2 ? 0.1 : 0.9;
            slider.dispatchEvent(new Event("input"));
        });
        times.push(performance.now() - started);
    }
    return times;
}"""


def made_up(n_rows: int, n_columns: int) -> Dataset:
    """Return columns of two categories, five of which decide the last."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (n_columns + 1, n_rows), dtype=np.int8)
    codes[-1] = codes[:5].sum(axis=0) + rng.normal(0, 0.5, n_rows) > 2.5
    names = [*(f"x{i}" for i in range(n_columns)), "y"]
    return Dataset.from_codes(codes, names=names, categories=[("no", "yes")] * len(names))


def cases() -> Iterator[tuple[str, Result]]:
    """Yield results by what they are of."""
    large = networks.load("andes").sample(27_000, random_state=0)
    table = large.to_arrow().select(large.names[:80])
    yield "27,000 rows x 80 columns", eiderdown.find_boundary(table, target=large.names[0])
    wide = made_up(1_000, 100_000)
    yield (
        "1,000 rows x 100,001 columns",
        eiderdown.find_boundary(wide, target="y", algorithm="iamb", alpha=1e-4),
    )
    thrombin = _thrombin()
    if thrombin is not None:
        yield "Thrombin, 1,909 rows x 139,352 columns", thrombin
    forty = networks.load("andes").sample(2_000, random_state=0)
    table = forty.to_arrow().select(forty.names[:40])
    yield "confidence, 40 columns", eiderdown.measure_confidence(table, runs=20)


def _thrombin() -> Result | None:
    parts = thrombin_parts()
    if parts is None:
        return None
    from scipy.sparse import csr_array

    ones = np.ones(len(parts["indices"]), np.uint8)
    matrix = csr_array((ones, parts["indices"], parts["indptr"]), shape=tuple(parts["shape"]))
    data = Dataset.from_sparse(matrix, extra={"activity": parts["y"]})
    return eiderdown.find_boundary(data, target="activity", algorithm="iamb", alpha=1e-4)


def measured(name: str, found: Result, browser: Browser, folder: Path) -> dict[str, Any]:
    """Write a report and open it some times."""
    started = time.perf_counter()
    text = report_text(found)
    seconds = time.perf_counter() - started
    path = folder / "report.html"
    path.write_text(text, encoding="utf-8")
    row: dict[str, Any] = {"bytes": path.stat().st_size, "write_seconds": seconds}
    opened = [_opened(browser, path) for _ in range(OPENED)]
    for key in opened[0]:
        row[key] = statistics.median(one[key] for one in opened)
    print(f"  {name}: {row}")
    return row


def _opened(browser: Browser, path: Path) -> dict[str, float]:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(path.as_uri())
    page.wait_for_function(_PAINTED)
    paint, whole = page.evaluate(_PAINTED)
    times = {"paint_milliseconds": paint, "loaded_milliseconds": whole, **_used(page)}
    page.close()
    return times


def _used(page: Page) -> dict[str, float]:
    """Ask for a column, or move the slider."""
    times = {}
    if page.locator("#why-not input").count():
        times["why_not_milliseconds"] = page.evaluate(_ASKED, "")
    if page.locator("[data-slider]").count():
        times["slider_milliseconds"] = statistics.median(page.evaluate(_SLID, MOVED))
    return times


def main() -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium, args=_FLAGS)
        pages = {n: measured(n, found, browser, Path(folder)) for n, found in cases()}
        write_record("report_page", {"chromium": browser.version, "pages": pages})
        browser.close()


if __name__ == "__main__":
    main()
