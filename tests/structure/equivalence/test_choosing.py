"""The list of operators by node: after each step as if all were listed anew and looked at."""

from __future__ import annotations

import numpy as np
import pytest

from eiderdown import networks
from eiderdown.scores import make_score
from eiderdown.structure.equivalence import search as search_module
from eiderdown.structure.equivalence.listing import (
    ALL_LISTED,
    GAINS_MISSING,
    Workspace,
    list_operators,
)
from eiderdown.structure.equivalence.operators import (
    BARRED,
    COUNT,
    FIRST,
    KIND,
    NOBODY,
    SKIPPED,
    UNKNOWN,
    Operators,
    X,
    Y,
)
from eiderdown.structure.equivalence.search import EquivalenceSearch, SearchState
from eiderdown.structure.equivalence.steps import NONE_LEFT


def listed(operators):
    """The operators by node, each as what it says."""
    found = {}
    first, count = operators.by_node[[FIRST, COUNT]].tolist()
    for y, (start, n) in enumerate(zip(first, count, strict=True)):
        assert np.all(operators.move[start : start + n, Y] == y)
        for i in range(start, start + n):
            words = tuple(operators.clique[0, i].tolist())
            key = (*operators.move[i, [KIND, X, Y]].tolist(), words)
            assert key not in found
            found[key] = float(operators.gain[i]), i
    return found


def check_by_node(operators, priority):
    """What is said by node is what a look at all operators says."""
    ranked = [(-gain, key, i) for key, (gain, i) in listed(operators).items()]
    for y, (first, n, best, level, n_barred) in enumerate(operators.by_node.T.tolist()):
        assert n_barred == np.count_nonzero(operators.move[first : first + n, BARRED])
        if best == UNKNOWN or n == 0:
            assert best != NOBODY or n == 0
            continue
        free = [
            (priority[kind], loss, kind, x, words, i)
            for loss, (kind, x, at, words), i in ranked
            if at == y and not operators.move[i, [BARRED, SKIPPED]].any()
        ]
        assert best == (min(free)[-1] if free else NOBODY)
        if free:
            assert (level, operators.best_gain[y]) == (min(free)[0], -min(free)[1])


def listed_anew(state, priority):
    """List the operators of the present class as if nothing was listed before."""
    space, now = state._space, state.search.gains.memory
    fresh = Workspace.at_empty_graph(space.constraints, now)._replace(graph=space.graph)
    fresh = fresh._replace(operators=Operators.none(state.n_nodes, 8_192))
    ended = GAINS_MISSING
    while ended != ALL_LISTED:
        ended = list_operators(fresh, priority, 1.0)
        if ended == GAINS_MISSING:
            state.search.gains.fill(fresh.requests)
            fresh = fresh._replace(memory=state.search.gains.memory)
    return fresh.operators


@pytest.mark.no_cover
@pytest.mark.parametrize("k", [1.0, 0.6])
@pytest.mark.parametrize("capacity", [40, 200, 4_096])
def test_the_list_is_after_each_step_as_if_it_was_made_anew(k, capacity, monkeypatch):
    monkeypatch.setattr(search_module, "scoring_kernel", lambda *_: None)
    score = make_score("bic", networks.load("child").sample(1_500, random_state=2), n_jobs=1)
    state = SearchState(EquivalenceSearch(score), np.random.default_rng(1))
    state._space = state._space._replace(operators=Operators.none(state.n_nodes, capacity))
    n_gaps = 0
    for priority in ((0, 0, 0), (2, 0, 1)):
        state.list_kinds(priority)
        order, ended = np.array(priority, dtype=np.int64), ALL_LISTED
        while ended != NONE_LEFT:
            ended, _ = state._steps(order, k, np.array([0.4]))
            state._space = state._provided(state._space, ended)
            check_by_node(state._space.operators, priority)
            ended_again = GAINS_MISSING
            while ended_again != ALL_LISTED:
                space = state._space._replace(memory=state.search.gains.memory)
                ended_again = list_operators(space, order, k)
                state._space = state._provided(state._space, ended_again)
            operators = state._space.operators
            check_by_node(operators, priority)
            anew = listed(listed_anew(state, order))
            assert {key: gain for key, (gain, _) in listed(operators).items()} == {
                key: gain for key, (gain, _) in anew.items()
            }
            n_gaps += int(operators.n[0]) - len(anew)
    assert state.n_steps > 20
    assert n_gaps > 0
