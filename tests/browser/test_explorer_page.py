"""The explorer in a real browser: growing, evidence, marks, undo, keys, dark, hostile names."""

from __future__ import annotations

import re
import threading
from contextlib import contextmanager
from urllib.request import Request, urlopen

import numpy as np
import pytest

from eiderdown import Dataset, networks
from eiderdown.explorer import Session
from eiderdown.explorer.app import make_app
from eiderdown.explorer.work import Worker

pytest.importorskip("uvicorn", reason="the explorer needs the extra 'explore'")

IDLE = "body:not([data-busy])"
TITLE = "Explorer \N{EN DASH} Eiderdown"


@contextmanager
def served(session, worker=None):
    """Serve a session on a free port in a thread; give the address."""
    import uvicorn

    from eiderdown.explorer.server import LOOPBACK, listening

    with listening(0) as listener:
        port = listener.getsockname()[1]
        app = make_app(session, "token-of-the-test", port, worker)
        config = uvicorn.Config(app, log_level="critical", lifespan="off")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield f"http://{LOOPBACK}:{port}/token-of-the-test/"
        finally:
            server.should_exit = True
            thread.join(20)


@pytest.fixture(scope="module")
def asia():
    return networks.load("asia").sample(2_000, random_state=0)


def opened(page, address):
    """Open the page, which grows the target by itself."""
    page.emulate_media(reduced_motion="reduce")
    page.goto(address)
    page.wait_for_selector("#changes:not([hidden])")
    page.wait_for_selector(IDLE)


def names_shown(page):
    return [chip.get_attribute("data-name") for chip in page.locator("#nodes button").all()]


def edges_drawn(page):
    """Return the ends of the drawn edges, as Cytoscape has them."""
    return page.locator("#canvas").evaluate(
        "box => box._cyreg.cy.edges().map(e => [e.source().data('name'), e.target().data('name')])"
    )


def test_growing_evidence_marks_undo_redo_fit_and_export(page, asia, tmp_path):
    session = Session.start(asia, "dysp")
    with served(session) as address:
        opened(page, address)
        assert names_shown(page) == ["dysp", "bronc", "either"]
        assert len(edges_drawn(page)) == 2

        # A click on a node in the drawing shows it; its button grows it.
        box = page.locator("#canvas").bounding_box()
        at = page.locator("#canvas").evaluate(
            "box => box._cyreg.cy.getElementById('neither').renderedPosition()"
        )
        page.mouse.click(box["x"] + at["x"], box["y"] + at["y"])
        assert page.text_content("#detail h2") == "either"
        page.click("#grow")
        page.wait_for_selector("#nodes button[data-name='xray']")
        assert session.state.grown == ("dysp", "either")
        assert "What changed" in page.text_content("#changes")

        # An edge shows its evidence.
        at = page.locator("#canvas").evaluate(
            "box => box._cyreg.cy.edges()"
            ".filter(e => e.source().data('name') + e.target().data('name') == 'eitherdysp')"
            "[0].renderedMidpoint()"
        )
        page.mouse.click(box["x"] + at["x"], box["y"] + at["y"])
        assert page.text_content("#detail h2") == "either → dysp"
        shown = page.text_content("#detail")
        (edge,) = [e for e in session.graph.edges if e.pair == {"either", "dysp"}]
        assert f"p{edge.test.p_text}" in shown
        assert "The two alone" in shown

        # Impossible: it goes, its consequences are listed, undo brings it back, redo takes it.
        page.click("#detail [data-mark=impossible]")
        page.wait_for_selector("#marks-block:not([hidden])")
        assert ["either", "dysp"] not in edges_drawn(page)
        assert "gone: either → dysp" in page.text_content("#changes")
        page.click("#undo")
        page.wait_for_selector("#marks-block", state="hidden")
        assert ["either", "dysp"] in edges_drawn(page)
        page.click("#redo")
        page.wait_for_selector("#marks-block:not([hidden])")
        assert ["either", "dysp"] not in edges_drawn(page)
        page.click("#undo")
        page.wait_for_selector("#marks-block", state="hidden")

        page.click("#fit")
        page.wait_for_selector("#answer:not([hidden])")
        assert "implied independence" in page.text_content("#answer")

        page.click("#export-menu summary")
        with page.expect_download() as download:
            page.click("#exports [data-form=dot]")
        path = tmp_path / "graph.dot"
        download.value.save_as(path)
        assert download.value.suggested_filename == "eiderdown-dysp.dot"
        assert '"either" -> "dysp"' in path.read_text() or "either -> dysp" in path.read_text()


def test_controls_change_alpha_and_test_and_say_what_is_wrong(page, asia):
    session = Session.start(asia, "dysp")
    with served(session) as address:
        opened(page, address)
        page.fill("#alpha", "1e-250")
        page.press("#alpha", "Enter")
        page.wait_for_selector(IDLE)
        page.wait_for_selector("#redo:disabled")
        assert session.state.alpha == 1e-250
        page.select_option("#test", "g_square")
        page.wait_for_selector(IDLE)
        assert session.state.test == "g_square"
        # A wrong one is refused in a sentence, and the control shows what is the case.
        page.fill("#alpha", "many")
        page.press("#alpha", "Enter")
        assert "alpha must be a number" in page.text_content("#problem")
        assert page.input_value("#alpha") == "1e-250"
        page.click("#lock")
        page.wait_for_selector("#lock[aria-pressed=true]")
        assert page.locator("#alpha").is_disabled()
        assert session.state.locked


def test_progress_is_streamed_while_a_search_is_at_work_and_it_can_be_cancelled(page, asia):
    session, worker = Session.start(asia, "dysp"), Worker()
    session.grow("dysp")
    go_on, ordinary = threading.Event(), session.do

    def slow(name, arguments, trace=None):
        n = 0
        while name == "grow" and not go_on.wait(0.02):
            n += 1
            trace.progressed("looking around", n)
        return ordinary(name, arguments, trace)

    session.do = slow
    with served(session, worker) as address:
        page.goto(address)
        page.wait_for_selector("#nodes button")
        page.click("#nodes button[data-name=either]")
        page.click("#grow")
        page.wait_for_selector("#progress:not([hidden])")
        page.wait_for_selector("#progress-text:has-text('looking around')")
        first = page.text_content("#progress-text")
        page.wait_for_selector(f"#progress-text:not(:has-text('{first}'))")
        # The page answers meanwhile.
        page.fill("#search", "tub")
        page.wait_for_selector("#found [data-name=tub]")
        page.press("#search", "Escape")
        page.click("#cancel")
        page.wait_for_selector("#progress", state="hidden")
        assert "Cancelled" in page.text_content("#problem")
        assert session.state.grown == ("dysp",)
        go_on.set()
        page.click("#grow")
        page.wait_for_selector("#nodes button[data-name=xray]")
        assert page.locator("#problem").is_hidden()


def test_everything_can_be_done_by_keys(page, asia):
    session = Session.start(asia, "dysp")
    with served(session) as address:
        opened(page, address)
        page.keyboard.press("/")
        page.keyboard.type("lun")
        page.wait_for_selector("#found [data-name=lung]")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        assert page.text_content("#detail h2") == "lung"
        page.locator("#search").blur()
        page.keyboard.press("g")
        page.wait_for_selector("#nodes button[data-name=lung]")
        page.keyboard.press("u")
        page.wait_for_selector("#nodes button[data-name=lung]", state="detached")
        page.keyboard.press("Control+y")
        page.wait_for_selector("#nodes button[data-name=lung]")
        # To an edge through the lists, which Tab reaches.
        page.locator("#nodes button[data-name=bronc]").focus()
        page.keyboard.press("Enter")
        page.locator("#detail .link").first.focus()
        page.keyboard.press("Enter")
        assert "bronc" in page.text_content("#detail h2")
        page.keyboard.press("i")
        page.wait_for_selector("#marks-block:not([hidden])")
        assert len(session.state.impossible) == 2
        page.keyboard.press("?")
        page.wait_for_selector("#help[open]")
        page.keyboard.press("Escape")
        page.wait_for_selector("#help", state="hidden")


def _contrast(page, selector):
    """Return the ratio of contrast between a text and what is behind it (WCAG 2)."""
    colours = page.locator(selector).first.evaluate(
        """element => {
          let behind = element;
          const ground = () => getComputedStyle(behind).backgroundColor;
          while (ground() === "rgba(0, 0, 0, 0)") behind = behind.parentElement;
          return [getComputedStyle(element).color, ground()];
        }"""
    )

    def light(colour):
        parts = np.array([float(x) for x in re.findall(r"[\d.]+", colour)[:3]]) / 255
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    low, high = sorted(map(light, colours))
    return (high + 0.05) / (low + 0.05)


def test_light_and_dark_are_both_readable(page, asia):
    with served(Session.start(asia, "dysp")) as address:
        opened(page, address)
        grounds = []
        for _ in range(2):
            grounds.append(
                page.locator("body").evaluate("e => getComputedStyle(e).backgroundColor")
            )
            for selector in (
                "h1",
                "#table",
                "#detail .why",
                ".chip.target",
                "#changes .kind",
                "#fit",
            ):
                assert _contrast(page, selector) >= 4.5, (grounds[-1], selector)
            page.click("#theme")
        assert grounds[0] != grounds[1]


HOSTILE = [
    "<script>document.title='taken'</script>",
    "<img src=x onerror=\"document.title='taken'\">",
    "quotes \"and' `ticks` ${x}",
    "שלום \u202eevil",
    "x" * 200,
    "__proto__",
    "line\nbreak",
]


def test_hostile_names_are_text(page):
    rng = np.random.default_rng(0)
    cause = rng.integers(0, 2, 400)
    noisy = {name: np.where(rng.random(400) < 0.2, 1 - cause, cause) for name in HOSTILE[1:]}
    data = Dataset.from_columns(
        {HOSTILE[0]: cause.astype(bool)} | {k: v.astype(bool) for k, v in noisy.items()}
    )
    session = Session.start(data, HOSTILE[0])
    with served(session) as address:
        opened(page, address)
        assert page.title() == TITLE
        assert set(names_shown(page)) == set(session.graph.nodes)
        assert len(session.graph.nodes) > 3
        for place in range(len(session.graph.nodes)):
            page.locator("#nodes button").nth(place).click()
            page.wait_for_selector("#detail h2")
        page.locator("#detail .link").first.click()
        page.click("#detail [data-mark=impossible]")
        page.wait_for_selector("#marks-block:not([hidden])")
        assert page.locator("aside script, aside img").count() == 0
        assert page.title() == TITLE
        width = page.locator("aside").evaluate("e => e.scrollWidth - e.clientWidth")
        assert width <= 0, "a long name widens the panel"


def test_the_address_answers_the_page_only(asia):
    with served(Session.start(asia, "dysp")) as address:
        with urlopen(address) as response:
            assert response.status == 200
        for name, value in {"Origin": "http://evil.example", "Host": "evil.example"}.items():
            with pytest.raises(OSError, match="403"):
                urlopen(Request(address, headers={name: value}))
