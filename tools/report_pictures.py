"""Make the pictures of docs/report.md: reports in Chromium, light and dark.

They need Chromium (``tools/install_browser``). The result is the same in every run; how letters are
drawn depends on the fonts of the machine. Usage::

    python tools/report_pictures.py
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

import eiderdown
from eiderdown import networks
from eiderdown.report.html import write_report
from eiderdown.results import Result

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def results() -> dict[str, Result]:
    """Return what is drawn: a boundary, and how sure edges are."""
    alarm = networks.load("alarm").sample(5_000, random_state=0)
    child = networks.load("child").sample(5_000, random_state=0)
    return {
        "boundary": eiderdown.find_boundary(
            alarm, target="HR", check_prediction=True, progress=False
        ),
        "confidence": eiderdown.measure_confidence(child, runs=40, random_state=0, progress=False),
    }


def opened(browser: Browser, path: Path, scheme: str, width: int = 1180) -> Page:
    """Open a report."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(path.as_uri())
    page.wait_for_timeout(300)
    return page


def pictures(browser: Browser, boundary: Path, confidence: Path) -> None:
    """Write one picture of each part that the page speaks of."""
    page = opened(browser, boundary, "light")
    page.locator(".chip", has_text="STROKEVOLUME").click()
    page.evaluate("scrollTo(0, 0)")
    page.mouse.move(0, 0)
    page.screenshot(path=PICTURES / "report-boundary.png")
    part(page, "#evidence", "report-evidence.png")
    field = page.locator("#why-not input")
    field.fill("BP")
    field.press("Enter")
    page.locator("[data-reason]:not(:empty)").wait_for()
    part(page, "#why-not", "report-why-not.png")
    part(opened(browser, confidence, "dark", width=880), ".threshold", "report-confidence.png")


def part(page: Page, which: str, name: str) -> None:
    """Write a picture of a part, with a margin around it."""
    box = page.locator(which).bounding_box()
    assert box is not None
    top = page.evaluate("scrollY") + box["y"] - 20.0
    wide, high = box["width"] + 56.0, box["height"] + 40.0
    clip = {"x": box["x"] - 28.0, "y": top, "width": wide, "height": high}
    page.mouse.move(0, 0)
    page.screenshot(path=PICTURES / name, full_page=True, clip=clip)  # type: ignore[arg-type]


def main() -> None:
    """Write all pictures."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        pages = {
            name: write_report(found, Path(folder) / f"{name}.html")
            for name, found in results().items()
        }
        browser = playwright.chromium.launch(executable_path=chromium, args=_FLAGS)
        pictures(browser, pages["boundary"], pages["confidence"])
        browser.close()


if __name__ == "__main__":
    main()
