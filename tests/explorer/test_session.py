"""Growing by an oracle gives the truth; undo and redo restore; marks are kept to."""

from __future__ import annotations

import networkx
import pytest
from exploring import asia_session, oracle_session, table_of

from eiderdown import DAG, Knowledge, find_parents_children, networks
from eiderdown.errors import (
    ConstantColumnError,
    EiderdownError,
    KnowledgeError,
    OptionError,
    UnknownColumnError,
)
from eiderdown.explorer import Session
from eiderdown.explorer.fit import holds_whatever_grows, implied_independences
from eiderdown.graphs import random_dag
from eiderdown.progress import Cancellation, Cancelled, Trace

DAGS = [
    DAG.from_string("A->C<-B, C->D->E"),
    DAG.from_string("A->B->C->D, A->D"),
    networks.load("asia").dag,
    *(random_dag(8, expected_degree=2.2, random_state=seed) for seed in range(12)),
]


@pytest.mark.parametrize("dag", DAGS, ids=range(len(DAGS)))
def test_growing_every_column_by_an_oracle_gives_the_true_cpdag(dag):
    session = oracle_session(dag, dag.nodes[0])
    session.grow(*dag.nodes)
    assert session.graph.pdag == dag.to_cpdag()
    assert session.graph.doubts == ()


@pytest.mark.parametrize("dag", DAGS, ids=range(len(DAGS)))
def test_whatever_is_grown_every_edge_and_direction_shown_is_true(dag):
    session, truth = oracle_session(dag, dag.nodes[0]), dag.to_cpdag()
    for name in dag.topological_order[::-1]:
        session.grow(name)
        shown = session.graph.pdag
        assert set(shown.directed) <= set(truth.directed)
        for edge in shown.undirected:
            assert edge[1] in truth.adjacent(edge[0])
        assert shown.adjacent(name) == truth.adjacent(name)


def test_growing_finds_what_find_parents_children_finds():
    data = networks.load("asia").sample(2_000, random_state=0)
    session = Session.start(data, "dysp", alpha=0.05)
    for name in ("dysp", "either"):
        session.grow(name)
    one = Session.start(data, "either", alpha=0.05)
    one.grow("either")
    found = find_parents_children(data, "either", alpha=0.05)
    assert one.graph.pdag.adjacent("either") == set(found.members)
    weakest = {e.variable: e for e in found.evidence if e.decision == "kept"}
    for edge in one.graph.edges:
        (member,) = edge.pair - {"either"}
        assert edge.test.log_p == weakest[member].log_p
        assert edge.test.given == weakest[member].given


def test_undo_and_redo_restore_exactly():
    session = asia_session()
    seen = [(session.state, session.graph)]
    session.grow("dysp")
    seen.append((session.state, session.graph))
    session.mark("dysp", "bronc", "impossible")
    seen.append((session.state, session.graph))
    session.set_alpha(0.2)
    seen.append((session.state, session.graph))
    for state, graph in reversed(seen[:-1]):
        session.undo()
        assert (session.state, session.graph) == (state, graph)
    with pytest.raises(OptionError, match="nothing to undo"):
        session.undo()
    for state, graph in seen[1:]:
        session.redo()
        assert (session.state, session.graph) == (state, graph)
    with pytest.raises(OptionError, match="nothing to redo"):
        session.redo()
    session.undo()
    session.grow("either")
    assert not session.can_redo


@pytest.mark.parametrize("agreement", ["and", "or"])
def test_impossible_edges_never_appear(agreement):
    session = asia_session(agreement=agreement)
    session.mark("dysp", "bronc", "impossible")
    session.mark("either", "dysp", "not")
    session.grow(*networks.load("asia").dag.nodes)
    assert "bronc" not in session.graph.pdag.adjacent("dysp")
    assert ("either", "dysp") not in session.graph.pdag.directed
    assert all(edge.pair != {"dysp", "bronc"} for edge in session.graph.doubts)
    session.state.knowledge(Knowledge()).check(session.graph.pdag)


def test_known_edges_appear_and_direct_others():
    dag = DAG.from_string("A->B->C->D")
    session = oracle_session(dag, "A")
    session.grow(*"ABCD")
    assert session.graph.pdag.directed == ()
    changed = session.mark("A", "B", "known")
    assert session.graph.pdag == DAG.from_string("A->B->C->D").to_cpdag().apply_meek_rules(
        known=[("A", "B")]
    )
    assert [(c.kind, c.left, c.right) for c in changed] == [
        ("directed", "A", "B"),
        ("directed", "B", "C"),
        ("directed", "C", "D"),
    ]
    whys = {(e.left, e.right): e.why for e in session.graph.edges}
    assert whys["A", "B"] == "You marked this edge as known."
    assert "follows" in whys["C", "D"]


def test_a_v_structure_says_why():
    session = oracle_session(DAG.from_string("A->C<-B"), "C")
    session.grow("C")
    why = {edge.left: edge.why for edge in session.graph.edges}["A"]
    assert "'A' and 'B' are independent given nothing" in why
    assert "'C' is given, too" in why


def test_what_one_end_alone_finds_is_in_doubt_and_no_part_of_the_graph():
    data = networks.load("alarm").sample(2_000, random_state=0)
    session = Session.start(data, "LVFAILURE")
    session.grow("LVFAILURE")
    assert "CO" in session.graph.pdag.adjacent("LVFAILURE")
    changed = session.grow("CO")
    (doubt,) = session.graph.doubts
    assert doubt.pair == {"LVFAILURE", "CO"}
    assert (doubt.found_from, doubt.missed_from) == (("LVFAILURE",), ("CO",))
    assert "CO" not in session.graph.pdag.adjacent("LVFAILURE")
    assert {"CO", "LVFAILURE"} in [{c.left, c.right} for c in changed if c.kind == "doubted"]
    session.do("set_agreement", {"agreement": "or"})
    assert session.graph.doubts == ()
    assert "CO" in session.graph.pdag.adjacent("LVFAILURE")
    assert any("Growing 'LVFAILURE': With 2000 rows" in note for note in session.graph.notes)


def test_another_level_or_test_grows_anew():
    data = networks.load("asia").sample(2_000, random_state=0)
    session = Session.start(data, "dysp", algorithm="get_pc")
    session.grow("dysp")
    session.set_alpha(1e-60)
    strict = session.graph
    found = find_parents_children(data, "dysp", algorithm="get_pc", alpha=1e-60)
    assert strict.pdag.adjacent("dysp") == set(found.members)
    session.set_test("g_square")
    assert session.result().run.options["test"] == "GSquareTest"
    session.undo()
    assert session.graph == strict


@pytest.mark.parametrize(
    ("command", "arguments", "problem", "words"),
    [
        ("grow", {"names": ["nobody"]}, UnknownColumnError, "nobody"),
        ("grow", {"names": []}, OptionError, "names must be a list of names"),
        ("grow", {"name": "dysp"}, OptionError, "takes names"),
        ("mark", {"a": "dysp", "b": "dysp", "mark": "known"}, OptionError, "two columns"),
        ("mark", {"a": "dysp", "b": "lung", "mark": "perhaps"}, OptionError, "one of known"),
        ("set_alpha", {"alpha": 2.0}, OptionError, "between 0 and 1"),
        ("set_alpha", {"alpha": True}, OptionError, "a number"),
        ("set_test", {"test": "fisher_z"}, OptionError, "no test 'fisher_z' for this table"),
        ("explode", {}, OptionError, "no command 'explode'"),
        ("grow", ["dysp"], OptionError, "a record"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence_and_changes_nothing(
    command, arguments, problem, words
):
    session = asia_session()
    before = session.state
    with pytest.raises(problem, match=words):
        session.checked(command, arguments).applied_to(session.state)
    with pytest.raises(EiderdownError):
        session.do(command, arguments if isinstance(arguments, dict) else {"x": arguments})
    assert session.state == before
    assert not session.can_undo


def test_contradicting_marks_are_refused_and_change_nothing():
    session = asia_session()
    session.mark("smoke", "lung", "known")
    session.mark("lung", "either", "known")
    before = session.state
    with pytest.raises(KnowledgeError, match="required edges"):
        session.mark("either", "smoke", "known")
    assert session.state == before


def test_columns_of_a_single_value_are_refused():
    data = table_of("AB").with_columns({"C": ["x"] * 40})
    with pytest.raises(ConstantColumnError, match="'C' has a single value"):
        Session.start(data, "C")
    with pytest.raises(ConstantColumnError, match="'C' has a single value"):
        Session.start(data, "A").grow("C")


def test_a_locked_graph_stays_until_it_is_unlocked():
    session = asia_session()
    session.do("set_locked", {"locked": True})
    for refused in (lambda: session.grow("dysp"), lambda: session.mark("dysp", "lung", "known")):
        with pytest.raises(OptionError, match="locked"):
            refused()
    session.do("set_locked", {"locked": False})
    assert session.grow("dysp")


class _Impatient(Trace):
    """Cancels at the n-th step."""

    def __init__(self, n):
        super().__init__(Cancellation())
        self.left = n

    def progressed(self, phase, n):
        self.left -= 1
        if self.left <= 0:
            self.cancel()
        super().progressed(phase, n)


def test_cancelled_nothing_changes_or_what_is_done_stays():
    session = asia_session()
    with pytest.raises(Cancelled):
        session.grow("dysp", trace=_Impatient(1))
    assert session.state.grown == ()
    session.grow("dysp")
    with pytest.raises(Cancelled):
        session.set_alpha(0.2, trace=_Impatient(1))
    assert session.state.alpha == 0.01
    before = session.state.grown
    n_steps = 1
    while session.state.grown == before:  # until the first of the two is done in time
        n_steps += 1
        try:
            session.grow("smoke", "tub", trace=_Impatient(n_steps))
        except Cancelled:
            assert session.state.grown == before
    assert session.state.grown in (("dysp", "smoke"), ("dysp", "smoke", "tub"))


def test_a_time_limit_shows_the_best_so_far():
    session = asia_session()
    cancellation = Cancellation(time_limit=0.0)
    session.grow("dysp", trace=Trace(cancellation))
    assert session.state.grown == ("dysp",)
    assert any("interrupted" in note for note in session.graph.notes)
    session.undo()
    session.grow("dysp")
    assert not any("interrupted" in note for note in session.graph.notes)


# --- what a graph implies ------------------------------------------------------------------------


@pytest.mark.parametrize("dag", DAGS, ids=range(len(DAGS)))
def test_implied_independences_are_those_of_d_separation(dag):
    implied = list(implied_independences(dag.to_cpdag(), frozenset(dag.nodes)))
    graph = dag.to_networkx()
    assert None not in implied
    assert len(implied) == len(dag.nodes) * (len(dag.nodes) - 1) // 2 - dag.n_edges
    for x, y, given in implied:
        assert networkx.is_d_separator(graph, {x}, {y}, set(given))
        for z in given:  # none of the few could be left out, unless all parents were needed
            fewer = set(given) - {z}
            smaller = networkx.is_d_separator(graph, {x}, {y}, fewer)
            assert not smaller or set(given) == set(dag.parents(x) | dag.parents(y))


@pytest.mark.parametrize("dag", DAGS, ids=range(len(DAGS)))
def test_what_a_part_of_the_graph_implies_holds_in_the_whole(dag):
    session, graph = oracle_session(dag, dag.nodes[0]), dag.to_networkx()
    for name in dag.topological_order:
        session.grow(name)
        part = session.graph.pdag
        for implied in implied_independences(part, frozenset(session.state.grown)):
            if implied is not None:
                x, y, given = implied
                assert networkx.is_d_separator(graph, {x}, {y}, set(given))
        assert session.fit().n_against == 0


def test_a_given_column_that_is_not_grown_may_open_a_path():
    graph = DAG.from_string("A->B<-C").to_cpdag()
    asked = ("A", "C", ())
    assert holds_whatever_grows(graph, graph.to_dag(), frozenset("ABC"), asked)
    assert not holds_whatever_grows(graph, graph.to_dag(), frozenset("A"), asked)


def test_a_wrong_graph_does_not_fit_and_the_worst_comes_first():
    data = networks.load("asia").sample(2_000, random_state=0)
    session = Session.start(data, "dysp")
    session.grow(*data.names)
    right = session.fit()
    session.mark("either", "xray", "impossible")
    wrong = session.fit()
    assert wrong.n_certain > right.n_certain
    assert {wrong.tested[0].x, wrong.tested[0].y} == {"either", "xray"}
    assert wrong.tested[0].answer == "does not fit"
    said = [row.test.log_p for row in wrong.tested if row.test.allows in ("both", "dependence")]
    assert said == sorted(said)
    adjusted = [row.holm_log_p for row in wrong.tested[: len(said)]]
    assert adjusted == sorted(adjusted)
    assert all(p <= q for p, q in zip(said, adjusted, strict=True))


def test_nothing_is_implied_before_anything_is_grown():
    assert "grow more" in asia_session().fit().verdict
