"""A result in a notebook's page: readable in light and dark, opened by keyboard, harmless."""

from __future__ import annotations

import pytest

from eiderdown.results import Evidence, MarkovBoundary, Run

HOSTILE = "<img src=x onerror=document.title='owned'><script>document.title='owned'</script>"
PAGES = {"light": ("#ffffff", "#111111"), "dark": ("#111111", "#dddddd")}


def boundary() -> MarkovBoundary:
    names = [HOSTILE, *(f"column_{i}" for i in range(30))]
    evidence = tuple(Evidence(name, "kept", (), 9.0, 1.0, -20.0, 100, 0.3) for name in names)
    run = Run.of("iamb", None, {"alpha": 0.01})
    return MarkovBoundary(HOSTILE, tuple(names), evidence, run, warnings=(f"About {HOSTILE}.",))


def channels(colour: str) -> list[float]:
    return [float(part) for part in colour.strip("rgba()").split(",")[:3]]


def luminance(colour: str) -> float:
    """Relative luminance, as WCAG 2 defines it."""
    shares = [part / 255 for part in channels(colour)]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", PAGES)
def test_a_result_is_readable_harmless_and_opens_by_keyboard(page, scheme):
    background, ink = PAGES[scheme]
    body = f"<body style='background:{background};color:{ink}'>{boundary()._repr_html_()}</body>"
    page.set_content(f"<title>quiet</title>{body}")
    assert page.title() == "quiet"
    assert page.locator(".eiderdown script, .eiderdown img").count() == 0
    assert HOSTILE[:20] in page.locator("td").first.inner_text()
    assert page.locator("tbody tr:visible").count() == 8
    page.get_by_text("20 more", exact=True).focus()
    page.keyboard.press("Enter")
    assert page.locator("tbody tr:visible").count() == 28
    for text in ("p.title", "p.doubt", "td", "th", "summary"):
        colour = page.locator(text).first.evaluate("node => getComputedStyle(node).color")
        dim, bright = sorted((luminance(colour), luminance(background_of(background))))
        assert (bright + 0.05) / (dim + 0.05) >= 4.5


def background_of(code: str) -> str:
    return f"rgb({', '.join(str(int(code[i : i + 2], 16)) for i in (1, 3, 5))})"
