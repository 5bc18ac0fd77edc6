"""The browser of these tests is a browser."""

from __future__ import annotations


def test_a_page_runs_scripts_and_takes_clicks(page):
    page.set_content("<button onclick='this.textContent = 6 * 7'>?</button>")
    page.click("button")
    assert page.text_content("button") == "42"
