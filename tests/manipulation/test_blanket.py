"""The boundary under manipulation: Theorem V.1 by exact inference, and learned graphs by role."""

from __future__ import annotations

import numpy as np
import pytest

from eiderdown.errors import GraphError, InputError, OptionError
from eiderdown.graphs import DAG, PDAG, random_dag
from eiderdown.manipulation.blanket import blanket_under
from eiderdown.networks.random import random_network
from eiderdown.results import NeighbourRole, Orientation, Run, SpouseRole

FIGURE_V1A = DAG.from_string("A->T, T->S, T->C, S->C, B->S")  # S is set: figure V-1b


def conditional(network, target, columns):
    """P(target | columns) as an array with the target last."""
    table = network.marginal(*columns, target)
    return table / table.sum(axis=-1, keepdims=True)


def set_at_random(network, manipulated, generator):
    """Set each of some nodes with probabilities of its own."""
    actions = {}
    for node in manipulated:
        states = network.states(node)
        actions[node] = dict(zip(states, generator.dirichlet(np.ones(len(states))), strict=True))
    return network.do(actions)


def largest_change(dag, target, manipulated, columns, seed):
    """How far P_M(T | columns) is from P(T | columns) for random tables."""
    generator = np.random.default_rng(seed)
    network = random_network(dag, n_states=(2, 2), random_state=generator)
    after = set_at_random(network, manipulated, generator)
    before = conditional(network, target, columns)
    return float(np.abs(before - conditional(after, target, columns)).max())


@pytest.mark.no_cover
@pytest.mark.parametrize("seed", range(60))
def test_theorem_v1_by_exact_inference(seed):
    generator = np.random.default_rng(seed)
    dag = random_dag(6, expected_degree=2.5, random_state=generator)
    target = dag.nodes[0]
    others = generator.permutation(dag.nodes[1:])
    manipulated = others[: generator.integers(1, 4)].tolist()
    blanket = blanket_under(dag, manipulated, target=target)
    change = largest_change(dag, target, manipulated, blanket.columns, seed)
    # Random tables are faithful, so that the condition is necessary as well.
    assert (change < 1e-9) == blanket.holds
    assert (blanket.offence is None) == blanket.holds
    unknown = blanket_under(dag, "unknown", target=target)
    assert set(unknown.columns) == dag.parents(target)
    assert largest_change(dag, target, manipulated, unknown.columns, seed) < 1e-9


@pytest.mark.no_cover
@pytest.mark.parametrize("seed", range(40))
def test_with_hidden_nodes_what_holds_is_true_by_exact_inference(seed):
    generator = np.random.default_rng(1000 + seed)
    dag = random_dag(7, expected_degree=2.5, random_state=generator)
    target, hidden = dag.nodes[0], set(dag.nodes[1:3])
    manipulated = [name for name in dag.nodes[3:] if generator.random() < 0.5]
    blanket = blanket_under(dag, manipulated, target=target, hidden=hidden)
    change = largest_change(dag, target, manipulated, blanket.columns, seed)
    assert not hidden & set(blanket.columns)
    assert (change < 1e-9) == blanket.holds


def test_figure_v1b_fails_and_says_which_child_and_descendant():
    blanket = blanket_under(FIGURE_V1A, ["S"], target="T")
    assert blanket.columns == ("A", "S", "C")
    assert not blanket.holds
    assert blanket.offence.startswith("'S', an effect of 'T', is set from outside")
    assert "its descendant 'C' is used" in blanket.offence
    assert largest_change(FIGURE_V1A, "T", ["S"], blanket.columns, 0) > 0.01
    assert blanket.reasons["B"].startswith("left out: 'S', through which")


def test_without_manipulation_it_is_the_boundary():
    blanket = blanket_under(FIGURE_V1A, target="T")
    assert set(blanket.columns) == FIGURE_V1A.markov_boundary("T")
    assert blanket.holds
    assert all(why.startswith("kept") for why in blanket.reasons.values())


def test_a_spouse_goes_only_when_all_shared_children_are_set():
    dag = DAG.from_string("T->C, T->D, S->C, S->D")
    assert blanket_under(dag, ["C"], target="T").columns == ("D", "S")
    assert blanket_under(dag, ["C", "D"], target="T").columns == ()
    assert blanket_under(dag, ["C", "S"], target="T").columns == ("D", "S")


def test_confounded_manipulated_ones_go_and_true_parents_stay():
    dag = DAG.from_string("A->T, H->T, H->B, T->D, S->D, I->Q, I->D")  # figure V-1c
    hidden = {"H", "I"}
    assert set(blanket_under(dag, target="T", hidden=hidden).columns) == set("ABDSQ")
    everything = blanket_under(dag, ["A", "B", "S", "Q"], target="T", hidden=hidden)
    assert everything.columns == ("A", "D", "S")
    assert everything.holds
    assert blanket_under(dag, "unknown", target="T", hidden=hidden).columns == ("A",)


def test_a_parent_that_shares_a_hidden_cause_is_an_offence_when_set():
    dag = DAG.from_string("A->T, H->A, H->T")
    blanket = blanket_under(dag, ["A"], target="T", hidden={"H"})
    assert not blanket.holds
    assert "hidden cause" in blanket.offence
    unknown = blanket_under(dag, "unknown", target="T", hidden={"H"})
    assert unknown.columns == ()
    assert unknown.reasons["A"].startswith("left out: it shares a hidden cause")


@pytest.mark.parametrize(
    ("caution", "columns"),
    [("cautious", ("a", "b")), ("balanced", ("a", "b")), ("strict", ("a",))],
)
def test_undirected_edges_go_by_caution(caution, columns):
    pdag = PDAG.from_string("a->t, b--t, t->c, s->c")
    blanket = blanket_under(pdag, list("abc"), target="t", caution=caution)
    assert blanket.columns == columns
    assert blanket.reasons.keys() == set("abcs")


def orientation(*neighbours, spouses=(), graph="a->t, b--t, t->c, s->c"):
    return Orientation(
        target="t",
        neighbours=neighbours,
        spouses=spouses,
        graph=PDAG.from_string(graph),
        engine="by hand",
        run=Run.of("causes", None, {}),
    )


def test_an_orientation_goes_by_its_probabilities():
    found = orientation(
        NeighbourRole("a", 0.9, 0.0, 0.1, unconfounded=True),
        NeighbourRole("b", 0.2, 0.3, 0.5),
        NeighbourRole("c", 0.05, 0.9, 0.05),
        spouses=(SpouseRole("s", ("c",), 0.9),),
    )
    names = ["a", "b", "c", "elsewhere"]
    assert blanket_under(found, names).columns == ("a", "b")
    assert blanket_under(found, names, caution="balanced").columns == ("a",)
    assert blanket_under(found, "unknown", caution="strict").columns == ("a",)
    assert set(blanket_under(found).columns) == set("abcs")
    assert blanket_under(found, ["a"]).holds
    assert blanket_under(found, ["c"]).columns == ("a", "b")
    assert "'c', through which" in blanket_under(found, ["c"]).reasons["s"]


def test_a_confounded_neighbour_is_left_out_when_it_is_set():
    found = orientation(NeighbourRole("a", 0.8, 0.0, 0.2, confounded=True))
    assert blanket_under(found, ["a"]).columns == ()
    assert blanket_under(found, "unknown").columns == ()
    assert blanket_under(found, ["b"]).columns == ("a",)


def test_the_condition_is_checked_on_a_learned_graph():
    found = orientation(
        NeighbourRole("c", 0.0, 1.0, 0.0),
        NeighbourRole("d", 0.0, 1.0, 0.0),
        graph="t->c->d, t->d",
    )
    blanket = blanket_under(found, ["c"])
    assert blanket.columns == ("c", "d")  # as a cause of d it is still of use
    assert not blanket.holds
    assert "'c', an effect of 't'" in blanket.offence


def test_wrong_questions_are_refused_in_a_sentence():
    dag = DAG.from_string("a->t")
    with pytest.raises(InputError, match="The target 't' is among the manipulated columns"):
        blanket_under(dag, ["t"], target="t")
    with pytest.raises(GraphError, match="no node 'x'"):
        blanket_under(dag, ["x"], target="t")
    with pytest.raises(OptionError, match="give target"):
        blanket_under(dag, ["a"])
    with pytest.raises(OptionError, match="caution must be one of"):
        blanket_under(dag, ["a"], target="t", caution="bold")
    with pytest.raises(OptionError, match="hidden names nodes of a DAG"):
        blanket_under(PDAG.from_string("a->t"), ["a"], target="t", hidden={"a"})
    with pytest.raises(OptionError, match="about 't', not about 'a'"):
        blanket_under(orientation(), target="a")
