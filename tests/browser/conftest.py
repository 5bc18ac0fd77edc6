"""A real browser for the tests of pages: Debian's Chromium, driven by Playwright.

``tools/install_browser`` installs it. Without it these tests are skipped, unless the environment
says ``EIDERDOWN_BROWSER=required``, as ``.ci/run`` does.
"""

from __future__ import annotations

import os
import shutil

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
REQUIRED = os.environ.get("EIDERDOWN_BROWSER") == "required"

# Chromium refuses its own sandbox to root, and would otherwise ask the network for updates.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser():
    """Start Chromium for the tests of a file.

    Playwright runs an event loop in the thread of the tests, so it must not outlast them: others
    have event loops of their own.
    """
    if CHROMIUM is None and not REQUIRED:
        pytest.skip("there is no Chromium on this machine; tools/install_browser installs it")
    assert CHROMIUM is not None, "EIDERDOWN_BROWSER=required, but there is no Chromium"
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def page(browser):
    """Open an empty page; whatever it writes to the console as an error fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened, problems = context.new_page(), []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on(
        "console",
        lambda message: problems.append(message.text) if message.type == "error" else None,
    )
    opened.set_default_timeout(10_000)
    yield opened
    context.close()
    assert problems == []
