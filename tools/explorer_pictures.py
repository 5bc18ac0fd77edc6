"""Make the pictures of docs/explorer.md: the explorer on a sample of Alarm, light and dark.

python tools/explorer_pictures.py
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from pathlib import Path

from eiderdown import networks
from eiderdown.explorer import Session
from eiderdown.explorer.app import make_app
from eiderdown.explorer.server import LOOPBACK, listening

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
GROWN = ("HR", "CO", "CATECHOL", "HRBP", "ARTCO2", "STROKEVOLUME")
CHOSEN = ("HR", "CO")


def explored(folder: str) -> Session:
    """Grow a few columns around the heart rate."""
    table = Path(folder) / "alarm.csv"
    networks.load("alarm").sample(5_000, random_state=0).to_pandas().to_csv(table, index=False)
    session = Session.start(table, "HR")
    session.grow(*GROWN)
    session.origin = type(session.origin)("alarm.csv", "HR")  # not the folder of this run
    return session


def main() -> None:
    """Serve it, open it in Chromium, and take the pictures."""
    import uvicorn
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, listening(0) as listener:
        port = listener.getsockname()[1]
        app = make_app(explored(folder), "token", port)
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        with sync_playwright() as playwright:
            chromium = shutil.which("chromium") or shutil.which("chromium-browser")
            browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
            page = browser.new_page(
                viewport={"width": 1280, "height": 800}, reduced_motion="reduce"
            )
            page.goto(f"http://{LOOPBACK}:{port}/token/")
            page.click(f"#nodes button[data-name={CHOSEN[0]}]")
            page.click(f"#detail .link:has-text('{CHOSEN[0]} → {CHOSEN[1]}')")
            for theme in ("light", "dark"):
                page.wait_for_timeout(400)
                page.screenshot(path=PICTURES / f"explorer-{theme}.png")
                page.click("#theme")
            browser.close()
        server.should_exit = True
        thread.join(20)


if __name__ == "__main__":
    main()
