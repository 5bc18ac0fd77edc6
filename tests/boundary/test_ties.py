"""What breaks ties is asked wherever candidates tie; whatever it says, exact searches stay exact.

To an oracle all dependences are alike, so that every choice is a tie.
"""

from __future__ import annotations

import numpy as np
import pytest
from searching import random_dags, registered
from table_oracle import TableOracle

from eiderdown.boundary import ALGORITHMS, TestProblem
from eiderdown.boundary.problem import random_ties
from eiderdown.graphs import DAG
from eiderdown.independence import OracleTest

ADDING = [a.name for a in ALGORITHMS if not a.name.startswith(("consensus", "koller"))]
PARENTS = DAG.from_string("A->T, B->T, C->T, D->T")
EXACT = {
    "markov_boundary": ["iamb", "kiamb", "iamb_npc", "mmmb", "hiton_mb", "pcmb", "ipc_mb", "bamb"],
    "parents_children": ["mmpc", "hiton_pc", "get_pc"],
}


def searched(algorithm, test, target, ties, **params):
    t = test.names.index(target)
    others = np.array([i for i in range(test.n_variables) if i != t])
    problem = TestProblem(test, t, others, 0.01, test.n_variables, ties=ties)
    return [test.names[x] for x in registered(algorithm).with_params(params).run(problem).members]


@pytest.mark.parametrize("algorithm", ADDING)
def test_members_come_in_by_the_order_that_is_given(algorithm):
    oracle = OracleTest(PARENTS)
    by_name = searched(algorithm, oracle, "T", None)
    turned = searched(algorithm, oracle, "T", -oracle.name_rank)
    if not registered(algorithm).random:
        assert by_name == sorted(by_name)
    assert turned != by_name
    assert sorted(turned) == sorted(by_name)


def test_koller_and_sahami_keep_the_first_in_the_order_that_is_given():
    oracle = OracleTest(PARENTS)
    assert searched("koller_sahami", oracle, "T", None, n_members=1) == ["A"]
    assert searched("koller_sahami", oracle, "T", -oracle.name_rank, n_members=1) == ["D"]


@pytest.mark.no_cover
@pytest.mark.parametrize(("truth", "names"), EXACT.items())
def test_exact_searches_stay_exact_however_ties_are_broken(truth, names):
    for seed, dag in enumerate(random_dags({4: 6, 5: 6}, seed=18)):
        oracle = TableOracle(dag)
        ties = random_ties(oracle, seed)
        for target in dag.nodes:
            expected = getattr(dag, truth)(target)
            for name in names:
                found = searched(name, oracle, target, ties)
                assert set(found) == expected, (name, dag.edges, target)


def test_the_order_belongs_to_the_names():
    one, other = OracleTest(PARENTS), OracleTest(DAG(PARENTS.nodes[::-1], PARENTS.edges))
    drawn = [
        dict(zip(test.names, random_ties(test, 3).tolist(), strict=True)) for test in (one, other)
    ]
    assert drawn[0] == drawn[1]
    assert sorted(drawn[0].values()) == list(range(5))
    assert len({tuple(random_ties(one, seed)) for seed in range(20)}) > 10
