"""Reports in a real browser: slider, sorting, filtering, clicks, keys, themes, print, odd names."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace

import pytest

from eiderdown.results import (
    Evidence,
    FeatureConfidence,
    FoundModel,
    GraphFeature,
    MarkovBoundary,
    Run,
)

RUN = Run("pcmb", {"alpha": 0.01}, 120, 3, 0, 0.5, 5000, 40, "f00d", 0, {"numpy": "2.0"})
HOSTILE = (
    "<script>window.hacked = 1</script>",
    "\"quoted\" 'twice' & <b>bold</b>",
    "\u0645\u062a\u063a\u064a\u0631 \u0627\u0644\u0639\u0645\u0631",
    "long_" * 40,
    "two\nlines\ttab",
    "\u202eturned",
    "</textarea><img src=x onerror=window.hacked=2>",
)


def decided(variable, decision, log_p, given=()):
    return Evidence(variable, decision, given, -2 * log_p, 2.0, log_p, 5000, 0.2)


def boundary(target, names):
    members, outside = names[:4], names[4:]
    tests = [decided(name, "kept", -90.0 + i, members[:i]) for i, name in enumerate(members)]
    tests += [decided(name, "not_admitted", -0.5 / (i + 1)) for i, name in enumerate(outside)]
    return MarkovBoundary(
        target,
        tuple(members),
        tuple(tests),
        RUN,
        parents_children=tuple(members[:3]),
        spouses={members[3]: members[0]},
        warnings=(f"{target} has few rows.",),
    )


def confidence(n_nodes=40):
    nodes = tuple(f"node{i:02}" for i in range(n_nodes))
    pairs = [
        (nodes[i], nodes[(i * 3 + 1) % n_nodes]) for i in range(n_nodes) if (i * 2 + 1) % n_nodes
    ]
    features = tuple(
        GraphFeature("directed", a, b, (i % 20 + 1) / 20, i % 3 > 0)
        for i, (a, b) in enumerate(pairs)
        if a != b
    )
    model = FoundModel(((nodes[0], nodes[1]),), (), -1.0, 5)
    return FeatureConfidence(
        nodes=nodes,
        features=features,
        models=(model,),
        source="kes",
        weighting="distinct",
        n_runs=5,
        run=RUN,
    )


NAMES = ["age", "job", "sex", "town", *(f"other{i}" for i in range(9))]
PLAIN = boundary("pay", NAMES)
CONFIDENCE = confidence()


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Write the pages of this module, and return where they are."""
    from eiderdown.report.html import write_report

    folder = tmp_path_factory.mktemp("pages")
    results = {
        "plain": PLAIN,
        "confidence": CONFIDENCE,
        "hostile": boundary(HOSTILE[0], [*HOSTILE[1:], "z"]),
        "interrupted": replace(PLAIN, complete=False),
    }
    return {name: write_report(found, folder / f"{name}.html") for name, found in results.items()}


@contextmanager
def opened(browser, path, **how):
    """Open a page, and see that it reports no problem and asks for nothing else."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **how})
    page, problems = context.new_page(), []
    page.set_default_timeout(10_000)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda said: problems.append(said.text) if said.type != "log" else None)
    page.on("dialog", lambda shown: problems.append(shown.message))
    page.on("request", lambda asked: problems.append(asked.url) if "data:" not in asked.url else 0)
    page.goto(path.as_uri())
    problems.remove(path.as_uri())
    yield page
    context.close()
    assert [one for one in problems if one != path.as_uri()] == []


@pytest.fixture(scope="module")
def plain(browser, reports):
    with opened(browser, reports["plain"]) as page:
        yield page


@pytest.fixture(scope="module")
def sliding(browser, reports):
    with opened(browser, reports["confidence"]) as page:
        yield page


def column(page, place):
    return page.locator("#evidence tbody tr:visible > *").evaluate_all(
        "(cells, place) => cells.filter((c) => c.cellIndex === place).map((c) => c.textContent)",
        place,
    )


def test_tables_are_sorted_by_their_headings(plain):
    heading = plain.locator("#evidence thead th", has_text="Column")
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    assert column(plain, 0) == sorted(NAMES)
    heading.get_by_role("button").press("Enter")
    assert heading.get_attribute("aria-sort") == "descending"
    assert column(plain, 0) == sorted(NAMES, reverse=True)
    plain.locator("#evidence thead button").get_by_text("p", exact=True).click()
    assert heading.get_attribute("aria-sort") is None
    assert column(plain, 0)[:4] == NAMES[:4], "the smallest p-values first"


def test_tables_are_filtered_by_words(plain):
    field = plain.locator("#evidence [data-filter]")
    field.fill("outside OTHER3")
    assert column(plain, 0) == ["other3"]
    assert plain.locator("#evidence [data-count]").text_content() == "1 of 13 rows"
    field.fill("")
    assert len(column(plain, 0)) == 13


def test_a_click_on_a_node_shows_its_evidence(plain):
    place = "() => [...eiderdownGraphs.values()][0].cy.getElementById('n1').renderedPosition()"
    plain.locator(".canvas").click(position=plain.evaluate(place))
    detail = plain.locator("[data-detail]")
    detail.locator("h3", has_text="age").wait_for()
    assert "parent or child" in detail.text_content()
    assert plain.locator(".chip[aria-pressed=true]").text_content() == "age"


def test_nodes_are_reached_by_keys_through_the_list(plain):
    chip = plain.locator(".chip", has_text="town")
    chip.focus()
    chip.press("Enter")
    assert plain.locator("[data-detail] h3").text_content() == "town"
    assert "spouse via age" in plain.locator("[data-detail]").text_content()


def test_any_column_says_why_it_is_not_a_member(plain):
    field = plain.locator("#why-not input")
    field.fill("other")
    plain.locator("#why-not [role=option]").first.wait_for()
    assert plain.locator("#why-not [role=option]").count() == 9
    field.press("ArrowDown")
    field.press("ArrowDown")
    active = field.get_attribute("aria-activedescendant")
    chosen = plain.locator(f"#{active}").text_content()
    field.press("Enter")
    assert field.input_value() == chosen
    said = plain.locator("[data-reason]").text_content()
    assert said.startswith(f"'{chosen}' is independent of 'pay': alone, p is ")
    assert field.get_attribute("aria-expanded") == "false"
    field.fill("age")
    plain.locator("[data-reason]", has_text="No such column outside").wait_for()


def test_every_step_by_tab_is_seen(plain):
    plain.locator("body").press("Home")
    plain.evaluate("document.activeElement.blur()")
    seen = []
    for _ in range(14):
        plain.keyboard.press("Tab")
        seen.append(
            plain.evaluate(
                """() => {
                    const focused = document.activeElement;
                    const drawn = getComputedStyle(focused);
                    const line = drawn.outlineStyle === "none" ? 0 : parseFloat(drawn.outlineWidth);
                    return [focused.textContent.trim(), line >= 2];
                }"""
            )
        )
    assert all(shown for _, shown in seen), seen
    assert seen[0][0] == "Skip to the result"
    assert "Evidence" in [text for text, _ in seen]


def edges_at(page):
    return page.evaluate(
        """() => [...eiderdownGraphs.values()][0].cy.edges()
            .filter((edge) => edge.style('display') !== 'none').length"""
    )


def test_the_slider_redraws_graph_and_curve(sliding):
    slider = sliding.locator("[data-slider]")
    drawn = {}
    for value in ("0.05", "0.5", "1"):
        slider.fill(value)
        drawn[value] = (
            edges_at(sliding),
            sliding.locator("[data-curve] .marker").get_attribute("x1"),
            sliding.locator("[data-said]").text_content(),
        )
    shares = [feature.confidence for feature in CONFIDENCE.features]
    for value, (n_edges, _, said) in drawn.items():
        passing = sum(share >= float(value) - 1e-9 for share in shares)
        assert n_edges == passing
        point = CONFIDENCE.counts_at("edges", float(value))
        assert said.startswith(f"{passing} edges pass;")
        assert f"{point.false_positives} false positive" in said
        assert f"{point.false_negatives} false negative" in said
    assert len({x for _, x, _ in drawn.values()}) == 3
    faded = "() => [...eiderdownGraphs.values()][0].cy.nodes('.faded').length"
    assert sliding.evaluate(faded) > 0


def test_the_slider_moves_by_arrow_keys_and_goes_back_to_the_suggestion(sliding):
    slider = sliding.locator("[data-slider]")
    slider.fill("0.5")
    slider.press("ArrowRight")
    assert slider.input_value() == "0.55"
    assert sliding.locator("[data-value]").text_content() == "0.55"
    sliding.locator("[data-suggested]").click()
    suggested = CONFIDENCE.suggested_threshold("edges")
    assert float(slider.input_value()) == pytest.approx(suggested)
    sliding.get_by_role("radio", name="paths").press("Space")
    assert " paths pass" in sliding.locator("[data-said]").text_content()


def test_an_edge_shows_its_confidence(sliding):
    sliding.evaluate("() => [...eiderdownGraphs.values()][0].chooseEdge(0)")
    detail = sliding.locator("[data-detail]").text_content()
    assert "confidence" in detail
    assert "→" in detail


def test_graphs_are_made_larger_smaller_and_fitted(sliding):
    zoom = "() => [...eiderdownGraphs.values()][0].cy.zoom()"
    before = sliding.evaluate(zoom)
    sliding.get_by_role("button", name="Larger").click()
    assert sliding.evaluate(zoom) > before
    sliding.get_by_role("button", name="Fit").click()
    assert sliding.evaluate(zoom) == pytest.approx(before)


COLOURS = """() => [
    getComputedStyle(document.body).backgroundColor, document.getElementById("theme").textContent
]"""


def test_the_theme_is_the_systems_until_one_is_chosen_and_that_stays(browser, reports):
    with opened(browser, reports["plain"], color_scheme="dark") as page:
        dark, offered = page.evaluate(COLOURS)
        assert offered == "Light"
        canvas = "() => [...eiderdownGraphs.values()][0].cy.getElementById('n1').style('color')"
        of_dark = page.evaluate(canvas)
        page.locator("#theme").click()
        light, offered = page.evaluate(COLOURS)
        assert offered == "Dark"
        assert light != dark
        assert page.evaluate(canvas) != of_dark
        page.reload()
        assert page.evaluate(COLOURS) == [light, "Dark"]


def test_paper_is_light_and_without_controls(browser, reports):
    with opened(browser, reports["plain"], color_scheme="dark") as page:
        page.emulate_media(media="print")
        body = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        assert body == "rgb(255, 255, 255)"
        for hidden in (".top", ".contents", "#why-not", ".zoom", "[data-filter]"):
            assert page.locator(hidden).first.is_hidden()
        assert page.locator("#evidence table").is_visible()
        assert page.pdf().startswith(b"%PDF")


CONTRASTS = """() => {
    const channel = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    const parsed = (text) => text.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
    const ground = (element) => {
        for (let one = element; one; one = one.parentElement) {
            const colour = parsed(getComputedStyle(one).backgroundColor);
            if (colour.length < 4 || colour[3] === 1) return colour;
        }
        return [255, 255, 255];
    };
    const poor = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let n = 0;
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        if (!walker.currentNode.textContent.trim() || !element.checkVisibility()) continue;
        if (["SCRIPT", "STYLE"].includes(element.tagName)) continue;
        const style = getComputedStyle(element);
        const fill = element.namespaceURI.endsWith("svg") ? style.fill : style.color;
        const [a, b] = [light(parsed(fill)), light(ground(element))].sort((x, y) => y - x);
        const ratio = (a + 0.05) / (b + 0.05);
        n += 1;
        if (ratio < 4.5) poor.push([walker.currentNode.textContent.trim().slice(0, 40), ratio]);
    }
    const root = getComputedStyle(document.documentElement);
    const named = (name) => {
        const hex = root.getPropertyValue(`--${name}`).trim();
        return light([1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));
    };
    const pairs = [["on-accent", "accent"], ["text", "accent-soft"], ["text", "surface"]];
    for (const [text, behind] of pairs) {
        const [a, b] = [named(text), named(behind)].sort((x, y) => y - x);
        if ((a + 0.05) / (b + 0.05) < 4.5) poor.push([text, behind]);
    }
    const [line, paper] = [named("edge"), named("surface")].sort((x, y) => y - x);
    if ((line + 0.05) / (paper + 0.05) < 3) poor.push(["edge", "surface"]);
    return [n, poor];
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["interrupted", "confidence"])
def test_texts_and_lines_stand_out(browser, reports, name, scheme):
    with opened(browser, reports[name], color_scheme=scheme) as page:
        page.evaluate("() => document.querySelectorAll('details').forEach((d) => (d.open = true))")
        n, poor = page.evaluate(CONTRASTS)
        assert n > 100
        assert poor == []


def test_hostile_names_are_texts_and_fit_on_a_phone(browser, reports):
    from eiderdown.terminal import visible

    with opened(browser, reports["hostile"], viewport={"width": 400, "height": 800}) as page:
        assert page.evaluate("() => window.hacked") is None
        assert page.locator("h1 .subject").text_content() == visible(HOSTILE[0])
        chips = page.locator(".chip").all_text_contents()
        assert chips == [visible(name) for name in HOSTILE[:5]]
        assert set(column(page, 0)) == {visible(name) for name in (*HOSTILE[1:], "z")}
        page.locator(".chip").nth(3).click()
        assert page.locator("[data-detail] h3").text_content() == HOSTILE[3]
        field = page.locator("#why-not input")
        field.fill("img src")
        field.press("Enter")
        page.locator("[data-reason]", has_text="is independent of").wait_for()
        assert visible(HOSTILE[6]) in page.locator("[data-reason]").text_content()
        too_wide = (
            "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert page.evaluate(too_wide) <= 0
        assert page.locator("img").count() == 0
        assert page.evaluate("() => window.hacked") is None


def test_an_interrupted_search_says_so_at_the_top(browser, reports):
    with opened(browser, reports["interrupted"]) as page:
        note = page.get_by_role("note").first
        assert note.text_content().startswith("Interrupted.")
        assert note.bounding_box()["y"] < 900
