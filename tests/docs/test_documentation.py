"""The documentation agrees with the files and the library it speaks of."""

from __future__ import annotations

import json
import pkgutil
import re
import runpy
from pathlib import Path

import pytest

from eiderdown import errors, networks

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
TOOL = runpy.run_path(str(ROOT / "tools" / "render_performance.py"))
RECORD = json.loads(TOOL["RESULTS"].read_text(encoding="utf-8"))
PEERS = TOOL["read_peers"]()
OTHERS = tuple(
    TOOL[f"read_{name}"]()
    for name in (
        "structure",
        "feature_space",
        "equivalence",
        "first_answer",
        "order",
        "pc",
        "class_search",
        "all_targets",
    )
)
EXPERIMENTS = runpy.run_path(str(ROOT / "tools" / "render_experiments.py"))
SCALE = runpy.run_path(str(ROOT / "tools" / "render_scale.py"))
ACCURACY = runpy.run_path(str(ROOT / "tools" / "render_accuracy.py"))


def links(text: str) -> list[str]:
    """Return the links of a page to other files, without those in code blocks."""
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)\s]+)\)", prose)
    return [target for target in targets if "://" not in target]


def anchors(text: str) -> set[str]:
    """Return the anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def leads_somewhere(page: Path, target: str) -> bool:
    path, _, anchor = target.partition("#")
    file = page.parent / path if path else page
    return file.exists() and (not anchor or anchor in anchors(file.read_text(encoding="utf-8")))


def test_links_are_found_in_prose_but_not_in_code():
    page = "[a](b.md#part) [c](https://d.org)\n```python\nx = y[0](1)\n```\n"
    assert links(page) == ["b.md#part"]


def test_link_to_a_missing_file_or_heading_leads_nowhere():
    readme = ROOT / "README.md"
    assert leads_somewhere(readme, "docs/evidence.md#three-answers")
    assert not leads_somewhere(readme, "docs/evidence.md#no-such-heading")
    assert not leads_somewhere(readme, "docs/no-such-page.md")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_leads_somewhere(page):
    targets = links(page.read_text(encoding="utf-8"))
    assert [target for target in targets if not leads_somewhere(page, target)] == []


def linked_pages(page: Path) -> set[Path]:
    """Return the pages in docs/ to which a page links."""
    targets = (target.partition("#")[0] for target in links(page.read_text(encoding="utf-8")))
    found = {(page.parent / target).resolve() for target in targets if target.endswith(".md")}
    return {target for target in found if target.is_relative_to(ROOT / "docs")}


def test_every_page_can_be_reached_from_the_index_in_two_steps():
    reached = {ROOT / "docs" / "index.md"}
    for _ in range(2):
        reached |= {target for page in reached for target in linked_pages(page)}
    pages = {page for page in PAGES if page.is_relative_to(ROOT / "docs")}
    assert pages - reached == set()


def hops() -> dict[str, list[str]]:
    """Return for each verb of the page on architecture the functions that a table passes."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    sections = re.findall(r"^### `(\w+)\(.*?`\n(.*?)(?=^##)", page, re.MULTILINE | re.DOTALL)
    return {verb: re.findall(r"^\d+\. `([\w.]+)`", text, re.MULTILINE) for verb, text in sections}


@pytest.mark.parametrize("verb", hops())
def test_every_hop_of_a_verb_exists_and_there_are_at_most_twenty(verb):
    names = hops()[verb]
    assert f".{verb}" in names[1]
    assert len(names) <= 20
    assert all(callable(pkgutil.resolve_name(f"eiderdown.{name}")) for name in names)


def test_the_four_main_verbs_are_described_hop_by_hop():
    assert list(hops()) == [
        "find_boundary",
        "learn_network",
        "find_interactions",
        "measure_confidence",
    ]


def test_table_of_networks_lists_what_is_available():
    text = (ROOT / "docs" / "graphs-and-networks.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| ([\w-]+) \| (discrete|gaussian) \| (\d+) \| (\d+) \|", text, re.MULTILINE
    )
    shown = {
        name: networks.NetworkSummary(kind, int(nodes), int(edges))
        for name, kind, nodes, edges in rows
    }
    assert shown == networks.available()
    assert len(rows) == len(shown)


def test_every_class_of_error_is_explained():
    text = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
    classes = [name for name in vars(errors) if name.endswith(("Error", "Warning"))]
    assert [name for name in classes if f"`{name}`" not in text] == []


def test_performance_page_is_what_the_tool_renders():
    page = TOOL["page"](RECORD, PEERS, *OTHERS)
    assert TOOL["PAGE"].read_text(encoding="utf-8") == page


def test_performance_on_the_home_page_is_what_the_tool_renders():
    home = TOOL["HOME"].read_text(encoding="utf-8")
    assert home == TOOL["with_summary"](home, RECORD)


def test_missed_aim_is_called_missed():
    slow = RECORD | {"two_threads_over_one": {"alarm_1000_rows": 1.5}}
    assert "| Alarm, 1,000 rows | at most 1, give or take 0.05 | 1.50 | missed |" in TOOL["page"](
        slow, PEERS
    )


def test_performance_page_has_the_ratios_of_searches_around_every_column():
    row = {
        "network": "pigs",
        "algorithm": "mmpc",
        "n_tests": 1_234,
        "seconds": {"1": 1.0, "2": 0.5},
        "second_thread": 2.0,
        "pybnesian_seconds": 1.5,
        "as_quick_as_pybnesian": 1.5,
    }
    aims = {"as quick as pybnesian": 1.5, "second thread": 1.7}
    record = {"n_rows": 5_000, "aims": aims, "searches": [row]}
    assert (
        "| Pigs | `mmpc` | 1,234 | 1 | 0.5 | 2.00 times as quick | 1.50 times as quick |"
        in TOOL["page"](RECORD, PEERS, all_targets=record)
    )
    assert "run `make benchmark-all-targets`" in TOOL["page"](RECORD, PEERS)


def test_performance_page_says_when_thrombin_was_not_measured():
    without = RECORD | {"thrombin": None}
    assert "the data set was not at hand" in TOOL["page"](without, PEERS)
    assert "Thrombin" not in TOOL["summary"](without)


def test_performance_page_says_when_peers_were_not_measured_or_were_stopped():
    assert "Not measured: run `make benchmark-peers`" in TOOL["page"](RECORD, None)
    run = {
        "name": "snail",
        "version": "1",
        "what": "boundary",
        "n_done": 2,
        "stopped": True,
        "seconds": 180.0,
        "twin": "eiderdown iamb",
        "times_slower": 90.0,
        "n_tests": None,
        "precision": 1.0,
        "recall": 0.5,
        "f1": 0.6,
    }
    case = {"network": "alarm", "rows": 100, "targets": 37, "runs": [run]}
    page = TOOL["page"](RECORD, {"time_limit": 180.0, "cases": [case]})
    assert "| snail 1 | boundary | 2 of 37 (stopped) | 180 | 90 x eiderdown iamb |" in page


def structure_run(name, what, seconds, shd, bic, **more):
    return {
        "name": name,
        "version": "1",
        "what": what,
        "seconds": seconds,
        "shd": shd,
        "bic": bic,
        **more,
    }


def test_performance_page_says_which_runs_of_pc_did_not_finish():
    assert "run `make benchmark-pc`" in TOOL["page"](RECORD, PEERS)
    run = {"network": "link", "columns": 676, "n_jobs": 1, "wall": 60.2, "cpu": 59.1, "n_tests": 7}
    run |= {"test": "calibrated_chi_square", "complete": False}
    pc = {"rows": 5_000, "alpha": 0.01, "time_limit": 60.0, "published": {"link": 62_900.0}}
    pc |= {"load_average": [0.1, 2.0], "runs": [run], "before": [run | {"cpu": 99.0}]}
    row = "| Link | 676 | 1 | not finished (60.2) | not finished (59.1) | 7 | not finished (99) |"
    assert row in TOOL["page"](RECORD, PEERS, pc=pc)


def test_performance_page_compares_whole_networks_with_the_best_peer():
    assert "Not measured: run `make benchmark-structure`" in TOOL["page"](RECORD, PEERS, None)
    runs = [
        structure_run("eiderdown hill_climbing, restarts 0", "score", 1.0, 9, -110.0),
        structure_run("eiderdown hill_climbing", "score", 4.0, 0, -100.0),
        structure_run("eiderdown mmhc", "tests, then score", 16.0, 0, -100.0),
        structure_run("snail", "score", 2.0, 5, -105.0),
        structure_run("hare", "score", 0.5, 5, -105.0),
        structure_run("fly", "score", 0.1, 9, -200.0),
        {"name": "slug", "version": "1", "what": "score", "stopped": True, "seconds": 60.0},
        {"name": "worm", "version": None, "what": "tests", "problem": "no torch", "seconds": 60.0},
    ]
    case = {"network": "pigs", "columns": 441, "time_limit": 60.0, "true_bic": -99.0, "runs": runs}
    page = TOOL["page"](RECORD, PEERS, {"cases": [case]})
    quick, whole = "Pigs, hill_climbing, restarts 0", "Pigs, hill_climbing"
    fastest = "time over that of hare, the fastest with that BIC | at most 1"
    assert f"| {quick}: BIC over the best peer's | at least 0 | -5.0 | missed |" in page
    assert f"| {whole}: BIC over the best peer's | at least 0 | 5.0 | met |" in page
    assert f"| {quick}: {fastest} | 2 | missed |" in page
    assert f"| {whole}: {fastest} | 8 | missed |" in page
    assert "| Pigs, hill_climbing | SHD at most 0 in under 20 s | SHD 0 in 4 s | met |" in page
    assert "| Pigs, mmhc | SHD at most 1 in under 15 s | SHD 0 in 16 s | missed |" in page
    assert "| slug (1) | score | stopped | | |" in page
    assert "| worm | tests | failed: no torch | | |" in page


def test_performance_page_decides_nothing_where_no_peer_finished_and_says_what_was_odd():
    run = structure_run("eiderdown hill_climbing", "score", 4.0, 0, -100.0)
    case = {"network": "link", "columns": 7, "time_limit": 9.0, "true_bic": -9.0, "runs": [run]}
    page = TOOL["page"](RECORD, PEERS, {"notes": ["The machine was busy."], "cases": [case]})
    row = "Link, hill_climbing: BIC over the best peer's | at least 0 | no peer finished"
    assert f"| {row} | undecided |" in page
    assert "\n- The machine was busy.\n" in page


def test_performance_page_shows_what_a_second_thread_gives_and_how_many_columns_ges_takes():
    assert "Not measured yet" in TOOL["page"](RECORD, PEERS)
    verb = {"name": "KES", "outside_kernels": 0.31, "one_thread": 1.8, "two_threads": 1.0}
    slow = verb | {"name": "a chain", "two_threads": 1.7}
    tiles = {"columns": 5292, "true_edges": 8, "edges": 9, "distance": 1}
    tiles |= {"seconds": 90.0, "peak_bytes": 2**30}
    record = {"wide_rows": 1000, "threads": [verb, slow], "wide": [tiles]}
    page = TOOL["page"](RECORD, PEERS, class_search=record)
    assert "| KES | 1.8 | 1.80, met | 31% |" in page
    assert "| a chain | 1.8 | 1.06, missed | 31% |" in page
    assert "0.3 seconds and more, 1 of 2 reach the\naim, and of what takes less 0 of 0." in page
    assert "| 5,292 | 8 | 9 | 1 | 1.5 | 1.0 |" in page


def equivalence_page(*samples, network="alarm", score="bic", **record):
    """Render a case whose samples are lists of (name, seconds, distance, score)."""
    runs = [
        [{"name": n, "version": "1", "seconds": t, "shd": d, "score": s} for n, t, d, s in sample]
        for sample in samples
    ]
    case = {
        "network": network,
        "score": score,
        "time_limit": 60.0,
        "samples": [{"seed": i, "true_score": -99.0, "runs": r} for i, r in enumerate(runs)],
        "further": [],
    }
    found = {"rows": 5_000, "cases": [case], **record}
    return TOOL["page"](RECORD, PEERS, None, None, found)


def test_performance_page_compares_equivalence_search_with_the_best_peer_of_each_sample():
    assert "Not measured: run `make benchmark-equivalence`" in TOOL["page"](RECORD, PEERS)
    page = equivalence_page(
        [
            ("eiderdown ges_restarts", 0.5, 4, -100.0),
            ("hare", 2.0, 6, -101.5),
            ("snail", 9.0, 9, -120.0),
        ],
        [("eiderdown ges_restarts", 0.7, 5, -100.0), ("hare", 2.5, 4, -98.0)],
        notes=["The machine was busy."],
    )
    assert "| Alarm, BIC: score over the best peer's | at least 0 | 1.5, -2.0 | missed |" in page
    assert "| Alarm, ges_restarts: SHD | at most 4 | 4, 5 | missed |" in page
    assert "| Alarm, ges_restarts: time | under 1 s | 0.5, 0.7 s | met |" in page
    assert "| hare (1) | 2, 2.5 | 6, 4 | -1.5, 2.0 |" in page
    assert "| snail (1) | 9 | 9 | -20.0 |" in page
    assert "| the true graph | | 0 | 1.0, 1.0 |" in page
    assert "\n- The machine was busy.\n" in page


def test_performance_page_takes_equal_scores_of_equivalence_search_for_equal():
    page = equivalence_page(
        [("eiderdown ges_restarts", 0.5, 4, -100.0), ("hare", 2.0, 4, -100.0 + 1e-9)]
    )
    assert "| Alarm, BIC: score over the best peer's | at least 0 | 0.0 | met |" in page


def test_performance_page_says_which_equivalence_searches_gave_no_answer():
    page = equivalence_page([("eiderdown ges_restarts", 9.5, 4, -100.0)], network="pigs")
    row = "Pigs, BIC: score over the best peer's | at least 0 | no peer finished"
    assert f"| {row} | undecided |" in page
    assert "ges: SHD" not in page
    peers = [
        {"name": "slug", "version": "1", "stopped": True, "seconds": 60.0},
        {"name": "worm", "problem": "worm is not installed"},
        {"name": "moth", "version": "1", "seconds": 1.0, "shd": 3, "score": None},
    ]
    ours = {
        "name": "eiderdown ges_restarts",
        "version": "1",
        "seconds": 1.0,
        "shd": 4,
        "score": -9.0,
    }
    sample = {"seed": 0, "true_score": -9.0, "runs": [ours, *peers]}
    fresh = {"seed": 9, "true_score": -9.0, "runs": [ours, peers[2] | {"score": -8.0}]}
    case = {"network": "pigs", "score": "gaussian_bic", "time_limit": 60.0}
    case |= {"samples": [sample], "further": [fresh]}
    page = TOOL["page"](RECORD, PEERS, None, None, {"rows": 100, "cases": [case]})
    row = "Pigs, Gaussian BIC, further samples: score over xges's | at least 0 | -1.0"
    assert f"| {row} | missed |" in page
    assert "**Pigs, Gaussian BIC** (peers stopped after 60 s, Eiderdown never)" in page
    assert "| slug (1) | stopped | | |" in page
    assert "| worm | failed: worm is not installed | | |" in page
    assert "| moth (1) | 1 | 3 | no equivalence class |" in page


def test_page_on_experiments_is_what_the_tool_renders():
    page = EXPERIMENTS["page"](EXPERIMENTS["records"]())
    assert EXPERIMENTS["PAGE"].read_text(encoding="utf-8") == page


def test_page_on_experiments_says_when_one_was_interrupted():
    record = EXPERIMENTS["records"]()[0]
    assert "Interrupted" not in EXPERIMENTS["section"](record | {"complete": True})
    assert "Interrupted" in EXPERIMENTS["section"](record | {"complete": False})


def test_the_page_on_sizes_shows_what_was_measured():
    text = SCALE["PAGE"].read_text(encoding="utf-8")
    assert text == SCALE["page"](text)


def test_page_on_accuracy_is_what_the_tool_renders():
    assert ACCURACY["PAGE"].read_text(encoding="utf-8") == ACCURACY["page"](ACCURACY["read"]())


def test_pictures_on_accuracy_are_small_and_all_on_the_page():
    drawn = list(ACCURACY["PICTURES"].glob("accuracy-*.svg"))
    page = ACCURACY["PAGE"].read_text(encoding="utf-8")
    assert [path.name for path in drawn if f"pictures/{path.name})" not in page] == []
    assert sum(path.stat().st_size for path in drawn) < 600_000


def test_pictures_of_records_are_drawn_small_and_on_their_pages():
    tool = runpy.run_path(str(ROOT / "tools" / "record_pictures.py"))
    shown = {
        TOOL["PAGE"]: tool["PERFORMANCE"],
        EXPERIMENTS["PAGE"]: tool["PICTURES"],
        SCALE["PAGE"]: tool["SCALE"],
    }
    for page, pictures in shown.items():
        text = page.read_text(encoding="utf-8")
        for name, picture in pictures.items():
            assert picture.markdown() in text, name
            assert 1_000 < (tool["FOLDER"] / picture.file).stat().st_size < 60_000
