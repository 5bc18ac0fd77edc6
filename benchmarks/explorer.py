"""How long people wait in the explorer: first paint, growing on Alarm and on Thrombin.

    python benchmarks/explorer.py

A real browser (Chromium, driven by Playwright) opens the page of a server on this machine; what is
measured is what somebody in front of it sees: from the request to the first paint, and from the
press of "Grow" until the graph stands. Without a browser only the session is measured. CPU seconds
say what it would be on a machine that does nothing else; the load average, whether this one did.
"""

from __future__ import annotations

import os
import shutil
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from measuring import thrombin_parts, write_record

from eiderdown import Dataset, networks
from eiderdown.explorer import Session
from eiderdown.explorer.app import make_app
from eiderdown.explorer.server import LOOPBACK, listening

N_GROWN = 12
IDLE = "body:not([data-busy])"
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


@contextmanager
def served(session: Session) -> Iterator[str]:
    """Serve a session in a thread, and give its address."""
    import uvicorn

    with listening(0) as listener:
        port = listener.getsockname()[1]
        config = uvicorn.Config(make_app(session, "token", port), log_level="critical")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        yield f"http://{LOOPBACK}:{port}/token/"
        server.should_exit = True
        thread.join(20)


def in_session(data: Dataset, target: str) -> dict[str, Any]:
    """Grow without a browser: the target first, then what came up, breadth first."""
    started = time.perf_counter()
    session = Session.start(data, target)
    found: dict[str, Any] = {"start_seconds": time.perf_counter() - started}
    seconds, cpu = {}, []
    while len(seconds) < N_GROWN:
        name = next((n for n in session.graph.nodes if n not in session.state.grown), None)
        if name is None:
            break
        started, busy = time.perf_counter(), time.process_time()
        session.grow(name)
        seconds[name] = time.perf_counter() - started
        cpu.append(time.process_time() - busy)
    first, *rest = seconds.values()
    started = time.perf_counter()
    session.fit()
    found |= {
        "first_growth_seconds": first,
        "median_growth_seconds": statistics.median(rest),
        "slowest_growth_seconds": max(rest),
        "slowest_growth_cpu_seconds": max(cpu[1:]),
        "n_grown": len(seconds),
        "n_shown": len(session.graph.nodes),
        "fit_seconds": time.perf_counter() - started,
        "undo_seconds": _timed(session.undo),
        "find_column_seconds": _timed(lambda: session.columns("1")),
    }
    return found


def _timed(work: Any) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def in_browser(browser: Any, data: Dataset, target: str) -> dict[str, Any]:
    """Grow in a browser, and read from it when it painted first."""
    session = Session.start(data, target)
    with served(session) as address:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(120_000)
        page.goto(address)
        page.wait_for_selector("#nodes button")
        shown = page.evaluate("performance.now()") / 1000
        page.wait_for_selector("#nodes button >> nth=1")
        page.wait_for_selector(IDLE)
        paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        seconds: list[float] = []
        cpu: list[float] = []
        while len(seconds) < N_GROWN:
            chip = page.locator("#nodes button:not(.grown):not(.target)").first
            if chip.count() == 0:
                break
            chip.click()
            n_grown = len(session.state.grown)
            started, busy = time.perf_counter(), time.process_time()
            page.click("#grow")
            page.wait_for_selector(f"#nodes button.grown >> nth={n_grown - 1}")
            page.wait_for_selector(IDLE)
            seconds.append(time.perf_counter() - started)
            cpu.append(time.process_time() - busy)
        page.close()
    return {
        "first_paint_seconds": paint / 1000,
        "target_shown_seconds": shown,
        "median_growth_seconds": statistics.median(seconds),
        "slowest_growth_seconds": max(seconds),
        "slowest_growth_cpu_seconds_of_the_server": max(cpu),
        "n_grown": len(seconds),
    }


def thrombin() -> Dataset | None:
    """Return Thrombin, 1,909 rows x 139,352 columns, if it is there."""
    parts = thrombin_parts()
    if parts is None:
        return None
    from scipy.sparse import csr_array

    ones = np.ones(len(parts["indices"]), np.uint8)
    matrix = csr_array((ones, parts["indices"], parts["indptr"]), shape=tuple(parts["shape"]))
    return Dataset.from_sparse(matrix, extra={"activity": parts["y"]})


def main() -> None:
    networks_ = {"alarm_5000": (networks.load("alarm").sample(5_000, random_state=0), "HR")}
    wide = thrombin()
    tables = networks_ | ({} if wide is None else {"thrombin": (wide, "activity")})
    record: dict[str, Any] = {name: {"session": in_session(*ask)} for name, ask in tables.items()}
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        print("There is no Chromium; the page is not measured.")
    else:
        from playwright.sync_api import sync_playwright

        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
            for name, ask in tables.items():
                record[name]["browser"] = in_browser(browser, *ask)
            browser.close()
    for name, parts in record.items():
        for part, numbers in parts.items():
            shown = ", ".join(f"{key} {value:.3g}" for key, value in numbers.items())
            print(f"{name}, {part}: {shown}")
    write_record("explorer", {"load_average": os.getloadavg()[0], **record})


if __name__ == "__main__":
    main()
