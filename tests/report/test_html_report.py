"""Reports in HTML: each kind of result has a page, nothing is lost, and names stay texts."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode, b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest
from html_examples import (
    ANSWER,
    BOUNDARY,
    ORIENTATION,
    PREDICTING,
    PREDICTIONS,
    of_every_kind,
)
from hypothesis import given
from hypothesis import strategies as st
from test_text_report import evidence, result

from eiderdown.errors import UnwritableFileError
from eiderdown.report.html import report_text, write_report
from eiderdown.report.html.arrange import arrange
from eiderdown.report.html.arrange.local import MOST_DRAWN
from eiderdown.report.html.arrange.many import _substitutions
from eiderdown.report.html.cells import MOST_ROWS
from eiderdown.report.html.packing import packed_answers, packed_within, script_json
from eiderdown.report.html.positions import around, width_of
from eiderdown.report.html.view import (
    Facts,
    Graph,
    Intervals,
    Node,
    Steps,
    Table,
    Threshold,
    WhyNot,
)
from eiderdown.results import AllBoundaries, BoundaryPath, Replacement, load_result
from eiderdown.results.result import _KINDS
from eiderdown.terminal import visible
from examples import examples

EXAMPLES = of_every_kind()
HOSTILE = "</script><script>alert(1)</script>\"'<b>&amp;\u202e\n\x00"


class Parsed(HTMLParser):
    """What a browser would see: elements, attributes, texts, and what is in scripts."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.scripts, self.texts = [], [], [], []
        self.within = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *attr) for attr in attrs]
        if tag in ("script", "style"):
            self.within = dict(attrs).get("type", tag)
            self.scripts.append((self.within, ""))

    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            self.within = None

    def handle_data(self, data):
        if self.within is not None:
            kind, text = self.scripts[-1]
            self.scripts[-1] = (kind, text + data)
        else:
            self.texts.append(data)

    @property
    def text(self):
        return " ".join(self.texts)


def blocks(found, kind):
    page = arrange(found)
    return [block for part in page.sections for block in part.blocks if isinstance(block, kind)]


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_result_has_a_page_that_loads_nothing(name):
    page = arrange(EXAMPLES[name])
    anchors = [section.anchor for section in page.sections]
    assert len(set(anchors)) == len(anchors)
    assert {"asked", "data", "repeat", "provenance"} < set(anchors)
    parsed = Parsed(report_text(EXAMPLES[name]))
    assert not [a for a in parsed.attributes if a[1] in ("src", "style") or a[1].startswith("on")]
    links = [value for _, name, value in parsed.attributes if name == "href"]
    assert {link[1:] for link in links} == {*anchors, "main"}
    assert visible(page.subject) in parsed.text
    for sentence in page.warnings:
        assert visible(sentence) in parsed.text


def test_there_is_an_example_of_every_kind():
    assert {f"eiderdown.{found.kind}" for found in EXAMPLES.values()} == set(_KINDS)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_interrupted_result_says_so(name):
    whole, part = (
        Parsed(report_text(replace(EXAMPLES[name], complete=complete))).text
        for complete in (True, False)
    )
    assert "Interrupted." not in whole
    assert "Interrupted." in part


def test_the_policy_names_each_script_and_the_style_by_its_hash():
    text = report_text(BOUNDARY)
    parsed = Parsed(text)
    (policy,) = [
        value for tag, name, value in parsed.attributes if name == "content" and "script" in value
    ]
    assert policy.startswith("default-src 'none';")
    run = [script for kind, script in parsed.scripts if kind in ("script", "style")]
    assert len(run) == 4  # theme, library, our own, and the style
    for script in run:
        digest = b64encode(sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


def test_pages_without_a_graph_are_small():
    assert len(report_text(ANSWER)) < 100_000
    assert len(report_text(BOUNDARY)) > 400_000


# --- what is shown -------------------------------------------------------------------------------


def test_a_boundary_is_drawn_with_its_roles():
    (graph,) = blocks(BOUNDARY, Graph)
    assert [(node.name, node.role) for node in graph.nodes] == [
        ("income", "target"),
        ("age", "adjacent"),
        ("job", "adjacent"),
        ("sex", "spouse"),
    ]
    drawn = {(graph.nodes[e.source].name, graph.nodes[e.target].name): e for e in graph.edges}
    assert drawn["sex", "job"].directed
    assert drawn["income", "job"].directed, "what a spouse shares is a child"
    assert not drawn["income", "age"].directed
    assert ("role", "spouse via job") in graph.nodes[3].facts


def test_evidence_has_a_row_for_each_decisive_test_and_sorts_by_its_numbers():
    (table,) = blocks(BOUNDARY, Table)
    assert len(table.rows) == 5
    first = dict(zip([heading.text for heading in table.headings], table.rows[0], strict=True))
    assert first["Column"].shown == ("age",)
    assert first["p"].shown == "1.9e-22"
    assert first["p"].order == -50.0
    assert first["Role"].shown == "parent or child"
    assert first["Probability"].share == 1.0
    assert first["Given"].shown == ("job",)
    assert [row[1].shown for row in table.rows[3:]] == ["removed", "outside"]


def test_three_sets_predict_side_by_side():
    (chart,) = blocks(PREDICTING, Intervals)
    assert [row.label for row in chart.rows] == ["boundary", "chosen", "all columns"]
    places = [float(chart.place(row.value)[:-1]) for row in chart.rows]
    assert 0 < places[0] < places[2] < places[1] < 100
    only = replace(PREDICTING, prediction=replace(PREDICTING.prediction, is_choice=False))
    (chart,) = blocks(only, Intervals)
    assert [row.label for row in chart.rows] == ["boundary", "all columns"]


def test_causes_stand_above_effects():
    (graph,) = blocks(ORIENTATION, Graph)
    at = {node.name: node for node in graph.nodes}
    assert at["smoke"].y < at["lung"].y < at["xray"].y
    assert [at[name].role for name in ("smoke", "xray", "cough", "tub")] == [
        "cause",
        "effect",
        "undecided",
        "spouse",
    ]


def test_a_path_over_alpha_has_a_row_for_each_column():
    levels = {"age": (True, True), "job": (False, True)}
    found = BoundaryPath("pay", (0.01, 0.1), (("age",), ("age", "job")), BOUNDARY.run)
    (steps,) = blocks(found, Steps)
    assert steps.x == ("0.01", "0.1")
    assert dict(steps.rows) == levels
    assert "2 columns are in the boundary of 'pay' at some level, 1 at all" in arrange(found).answer
    assert "●" in Parsed(report_text(found)).text


def test_changes_are_listed_with_their_reasons():
    found = EXAMPLES["changes"]
    text = Parsed(report_text(found)).text
    for said in ("1 change, 3 the same.", "alpha was 0.01, is 0.1", "alpha is larger", "outside"):
        assert said in text


def test_members_have_their_substitutes_where_the_result_holds_them():
    found = EXAMPLES["boundaries"]
    member = found.alternatives[0].members[0]
    known = [SimpleNamespace(member=member, by={"twin": 7, "copy": 2})]
    stand_in = SimpleNamespace(replacements=(), substitutions=known)
    assert _substitutions(stand_in) == {member: {"twin": 7, "copy": 2}}
    first = found.alternatives[0]
    other = replace(first, boundary=replace(first.boundary, members=("twin",)))
    standing = Replacement((member,), ("twin",), 4)
    several = replace(found, alternatives=(first, other), replacements=(standing,))
    tables = [one for one in blocks(several, Table) if one.caption.startswith("Substitutions")]
    assert [row[0].shown[0] for row in tables[0].rows] == list(first.members)
    assert tables[0].rows[0][-1].shown[0].startswith("twin (")


def test_predictions_say_why_and_beware():
    text = Parsed(report_text(PREDICTIONS)).text
    assert "Beware: 'shoe' is an effect of what is set." in text
    assert "set from outside" in text
    assert "age * job" in text


def test_confidence_has_its_errors_at_every_threshold():
    found = EXAMPLES["confidence"]
    (slider,) = blocks(found, Threshold)
    assert slider.start == found.suggested_threshold("edges")
    assert [curve.name for curve in slider.curves] == list(found.groups)
    for curve, group in zip(slider.curves, found.groups, strict=True):
        points = found.curve(group)
        assert list(curve.false_positives) == [point.false_positives for point in points]
        assert list(curve.false_negatives) == [point.false_negatives for point in points]
    drawn = {edge.share for edge in slider.graph.edges}
    assert drawn == {feature.confidence for feature in found.of_group("edges")}


def test_thousands_of_boundaries_are_substitutions_not_a_list():
    found = EXAMPLES["boundaries"]
    first = found.alternatives[0]
    many = replace(found, alternatives=(first,) * 3_000, n_runs=3_000)
    size = len(report_text(many)) - len(report_text(found))
    assert size < 100_000
    assert any(table.n_left_out == 2_950 for table in blocks(many, Table))


def test_tables_are_cut_and_say_so():
    one = EXAMPLES["boundary"]
    many = AllBoundaries({f"x{i}": replace(one, target=f"x{i}") for i in range(MOST_ROWS + 5)})
    (table,) = blocks(many, Table)
    assert len(table.rows) == MOST_ROWS
    assert "5 more in the saved result." in Parsed(report_text(many)).text


def test_many_members_are_not_all_drawn():
    members = [evidence(f"x{i}") for i in range(MOST_DRAWN + 7)]
    found = result(*members)
    (graph,) = blocks(found, Graph)
    assert len(graph.nodes) == MOST_DRAWN + 1
    assert "7 members with weaker evidence in the table only." in Parsed(report_text(found)).text


def test_a_result_without_members_has_no_graph():
    empty = result(evidence("age", "not_admitted", log_p=-0.1))
    assert blocks(empty, Graph) == []
    assert "No column was found to depend on 'income'." in Parsed(report_text(empty)).text


def test_data_call_and_versions_are_shown_where_they_are_known():
    table = SimpleNamespace(
        source="pay.csv",
        n_rows=5000,
        n_columns=37,
        kinds={"discrete": 30, "continuous": 7},
        n_missing=12,
        missing={"age": 9, "job": 3},
        target=SimpleNamespace(
            name="income", kind="discrete", n_missing=0, levels={"low": 4000}, quantiles=None
        ),
        notes=("'id' was left out.",),
        left_out={"id": "it is different in every row"},
    )
    call = SimpleNamespace(command=lambda: "eiderdown find a.csv", code=lambda: "import x\nx.y()")
    run = SimpleNamespace(**vars(BOUNDARY.run) | {"table": table, "call": call})
    from eiderdown.report.html.arrange import framing

    facts = [item for block in framing._data(run) for item in getattr(block, "items", ())]
    assert ("Missing values", "12 of 185,000 cells") in facts
    assert ("Kinds of columns", "30 discrete, 7 continuous") in facts
    codes = [block.text for block in framing._repeat(run)]
    assert codes == ["eiderdown find a.csv", "import x\nx.y()"]
    provenance = replace(BOUNDARY.run, versions={"numpy": "9.9"})
    (facts,) = framing._provenance(provenance)
    assert isinstance(facts, Facts)
    assert ("Version of numpy", "9.9") in facts.items


# --- why not -------------------------------------------------------------------------------------


def unpacked(packed):
    """Do in Python what the page does."""
    columns = json.loads(zlib.decompress(b64decode(packed)))
    answers = {}
    for name, which, numbers in zip(
        columns["names"], columns["which"], columns["numbers"], strict=True
    ):
        left = iter(numbers.split(" "))
        text = re.sub("\ue000", lambda _, left=left: next(left), columns["wordings"][which])
        answers[name] = text.replace("\ue001", f"'{name}'")
    return answers


def test_columns_that_were_tested_say_why_they_are_outside():
    (why,) = blocks(BOUNDARY, WhyNot)
    assert "newer versions" in why.note
    assert unpacked(why.packed) == {
        "town": "'town' was admitted first and removed later. It is independent of 'income': given "
        "age, p is 0.368 and the effect 0.123.",
        "shoe": "'shoe' is independent of 'income': alone, p is 0.905 and the effect 0.123.",
    }


def screened(n, width=8):
    names = tuple(f"x{i:0{width}}" for i in range(n))
    log_p = [-((i * 7919) % n) / 10 for i in range(n)]
    said = {name: f"Alone p is {i * 0.37:.3g}, given 'a', 'b' it is 0.{i}." for i, name in
            enumerate(names)}  # fmt: skip
    return SimpleNamespace(
        names=names, alone_log_p=log_p, left_out={"constant": ("flat",)},
        why=lambda name: said.get(name, "Left out: it is constant."),
    )  # fmt: skip


def test_every_column_of_a_screen_has_its_sentence_the_strongest_first():
    screen = screened(500)
    found = result(evidence("a"))
    object.__setattr__(found, "screen", screen)
    (why,) = blocks(found, WhyNot)
    answers = unpacked(why.packed)
    assert why.n_columns == len(answers) == 501
    assert answers == {name: screen.why(name) for name in (*screen.names, "flat")}
    order = [screen.alone_log_p[screen.names.index(name)] for name in list(answers)[:-1]]
    assert order == sorted(order)


def test_what_does_not_fit_is_left_out_from_the_weakest_on_and_counted():
    names = [f"{sha256(bytes([i, j])).hexdigest()}" for i in range(20) for j in range(20)]
    packed, kept = packed_within(names, ["Nothing."] * 400, 8_000)
    assert len(packed) <= 8_000
    assert 50 < kept < 400
    assert list(unpacked(packed)) == names[:kept]


@examples(50)
@given(
    st.dictionaries(st.text(min_size=1), st.text(), max_size=5),
    st.floats(0, 1),
)
def test_packed_sentences_come_back(texts, p):
    names = [name for name in texts if visible(name).isprintable()]
    sentences = [f"{texts[name]} about {name!r}, p {p:.3g}" for name in names]
    answers = unpacked(packed_answers(names, sentences))
    for name, sentence in zip(names, sentences, strict=True):
        if not set("\ue000\ue001") & set(sentence):
            assert answers[visible(name)] in (
                visible(sentence),
                visible(sentence.replace(repr(name), f"'{visible(name)}'")),
            )


# --- hostile names -------------------------------------------------------------------------------


def named(name):
    """Results in which the name stands wherever a name can stand."""
    boundary = replace(
        BOUNDARY,
        target=name,
        members=(name + "1", *BOUNDARY.members),
        evidence=(evidence(name + "1", given=(name + "2",)), *BOUNDARY.evidence),
        warnings=(f"{name} is odd.",),
        spouses={"sex": name + "1"},
    )
    orientation = replace(
        ORIENTATION,
        target=name,
        neighbours=(replace(ORIENTATION.neighbours[0], name=name + "1", why=f"{name} says so"),),
        graph=type(ORIENTATION.graph)([name, name + "1"], directed=[(name, name + "1")]),
    )
    return boundary, orientation


@examples(25)
@given(st.one_of(st.just(HOSTILE), st.text(min_size=1, max_size=30)))
def test_names_are_texts_whatever_they_are(name):
    for found, plain in zip(named(name), named("harmless"), strict=True):
        parsed, harmless = Parsed(report_text(found)), Parsed(report_text(plain))
        assert parsed.tags == harmless.tags
        assert [a[:2] for a in parsed.attributes] == [a[:2] for a in harmless.attributes]
        assert visible(name) in "".join(parsed.texts)
        data = [json.loads(script) for kind, script in parsed.scripts if kind.endswith("json")]
        assert visible(name) in [node["name"] for graph in data for node in graph["nodes"]]


def test_json_in_pages_has_no_markup():
    text = script_json({"a": "<!--<script>&\u2028\u2029", "b": float("inf"), "c": [1.5, None]})
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == {
        "a": "<!--<script>&\\u2028\\u2029",
        "b": None,
        "c": [1.5, None],
    }


# --- where boxes stand ---------------------------------------------------------------------------


@examples(40)
@given(st.integers(0, 40), st.integers(0, 12), st.integers(1, 26))
def test_boxes_around_a_target_do_not_overlap(n_members, n_spouses, longest):
    members = [Node("m" * (1 + i % longest) + str(i), "adjacent") for i in range(n_members)]
    spouses = [Node(f"s{i}", "spouse") for i in range(n_spouses if members else 0)]
    partners = {node.name: members[i % len(members)].name for i, node in enumerate(spouses)}
    nodes = [Node("t", "target"), *members, *spouses]
    placed = around(nodes, partners)
    assert placed == around(nodes, partners)
    assert (placed[0].x, placed[0].y) == (0.0, 0.0)
    for centre in (lambda node: (node.x, node.y), lambda node: node.narrow):
        for i, one in enumerate(placed):
            for other in placed[:i]:
                (x, y), (u, v) = centre(one), centre(other)
                apart = abs(x - u) >= (one.width + other.width) / 2 or abs(y - v) >= 34
                assert apart, (one.name, other.name)
    assert placed[0].width == width_of("t")


# --- files ---------------------------------------------------------------------------------------


def test_a_report_replaces_its_file_or_leaves_it(tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("old")
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space")))
    with pytest.raises(UnwritableFileError, match="No space"):
        write_report(ANSWER, path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
    monkeypatch.undo()
    assert write_report(ANSWER, str(path)) == path
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_same_result_gives_the_same_bytes_from_memory_and_from_a_file(tmp_path):
    PREDICTING.save(tmp_path / "run.json")
    assert report_text(load_result(tmp_path / "run.json")) == report_text(PREDICTING)
