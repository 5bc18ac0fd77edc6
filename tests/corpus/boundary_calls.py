"""Calls for Markov boundaries, and for parents and children."""

from __future__ import annotations

import corpus_tables as tables
import neutral
from calls import (
    MACHINE,
    boundary,
    call,
    how,
    near,
)

import eiderdown
from eiderdown import Dataset, networks
from eiderdown.boundary import KIAMB, KPCMB

_DEFAULT = {"kiamb": {"random_state": 3}, "kpcmb": {"random_state": 3}}
_OWN = {
    "kiamb": {"fraction": 0.4},
    "kpcmb": {"fraction": 0.4},
    "iamb_fdr": {"dependence": "positive"},
    "fbed": {"runs": 2},
    "koller_sahami": {"n_members": 4, "blanket_size": 1},
    "mmmb": {"symmetry": "none"},
    "mmpc": {"symmetry": "none"},
    "hiton_mb": {"symmetry": "none", "interleaving": "semi"},
    "hiton_pc": {"symmetry": "none", "interleaving": "semi"},
}
_TARGETS = ("CATECHOL", "VENTLUNG", "INTUBATION", "VENTALV", "LVEDVOLUME", "SHUNT")
_BOUNDARY = [
    "iamb",
    "inter_iamb",
    "iamb_npc",
    "inter_iamb_npc",
    "kiamb",
    "iamb_fdr",
    "gs",
    "fbed",
    "koller_sahami",
    "mmmb",
    "hiton_mb",
    "pcmb",
    "kpcmb",
    "ipc_mb",
    "bamb",
    "consensus",
]


def each_boundary(algorithm):
    """Discrete and continuous columns; then other options and a larger significance level."""
    seed = _DEFAULT.get(algorithm, {})
    other = boundary(
        tables.child(), "Disease", algorithm, _OWN.get(algorithm), alpha=0.05, max_given=2, **seed
    )
    return {
        "discrete": neutral.local(boundary(tables.alarm(), "HR", algorithm, **seed)),
        "continuous": neutral.local(boundary(tables.genes(), "lacA", algorithm, **seed)),
        "options": neutral.local(other),
        "targets": {
            target: neutral.members(boundary(tables.alarm(), target, algorithm, **seed))
            for target in _TARGETS
        },
    }


for _name in _BOUNDARY:
    call(f"boundary/{_name}", _name)(each_boundary)


def each_near(algorithm):
    other = near(tables.child(), "Disease", algorithm, _OWN.get(algorithm), alpha=0.05, max_given=1)
    return {
        "discrete": neutral.local(near(tables.alarm(), "HR", algorithm)),
        "continuous": neutral.local(near(tables.genes(), "lacA", algorithm)),
        "options": neutral.local(other),
        "targets": {
            target: neutral.members(near(tables.alarm(), target, algorithm)) for target in _TARGETS
        },
    }


for _name in ("mmpc", "hiton_pc", "get_pc"):
    call(f"parents_children/{_name}", _name)(each_near)


@call("boundary/by_each_test")
def by_each_test():
    discrete = [("g_square", "adjusted"), ("g_square", "nominal"), ("chi_square", "adjusted")]
    return {
        **{
            f"{test} {dof}": neutral.local(
                boundary(tables.alarm(), "VENTLUNG", "inter_iamb", test=how(test, dof))
            )
            for test, dof in discrete
        },
        **{
            test: neutral.local(boundary(tables.genes(), "asnA", "mmmb", test=how(test)))
            for test in ("fisher_z", "student_t")
        },
    }


@call("boundary/by_each_reliability_rule")
def by_each_reliability_rule():
    return {
        f"{rule} {factor}": neutral.local(
            boundary(tables.alarm(), "CATECHOL", test=how("g_square", rule=rule, factor=factor))
        )
        for rule in ("rows_per_stratum", "rows_per_dof", "rows_per_cell", "always")
        for factor in (5.0, 2.0)
    }


@call("boundary/required_and_excluded")
def required_and_excluded():
    options = {"required": ["MINVOL", "PAP"], "exclude": ["VENTALV", "LVFAILURE"]}
    return {
        **{
            name: neutral.local(boundary(tables.alarm(), "INTUBATION", name, **options))
            for name in ("iamb", "hiton_mb", "pcmb")
        },
        "get_pc": neutral.local(near(tables.alarm(), "INTUBATION", **options)),
    }


@call("boundary/mixed_columns")
def mixed_columns():
    return {
        "grade": neutral.local(boundary(tables.mixed(), "grade")),
        "height": neutral.local(boundary(tables.mixed(), "height", exclude=["colour"])),
    }


@call("boundary/sparse_columns")
def sparse_columns():
    words, topic = tables.sparse()
    data = Dataset.from_sparse(words, names=[f"w{i}" for i in range(words.shape[1])])
    data = data.with_columns({"topic": topic})
    return {
        name: neutral.local(boundary(data, "topic", name, alpha=0.05)) for name in ("iamb", "pcmb")
    }


@call("boundary/collinear_columns")
def collinear_columns():
    return {
        manner: neutral.local(
            boundary(tables.collinear(), "lacY", "inter_iamb", test=how(collinear=manner))
        )
        for manner in ("drop", "shrink")
    }


@call("boundary/true_graph")
def by_the_true_graph():
    """Ask the graph itself, a test of the user's own."""
    from eiderdown.independence import OracleTest

    graph = tables.true_graph("child")
    oracle = lambda data: OracleTest(graph.subgraph(data.names))  # noqa: E731
    data = tables.child(100).select(graph.nodes)
    return {
        name: sorted(boundary(data, "Disease", name, test=oracle, max_given=3).members)
        for name in ("iamb", "gs", "fbed", "hiton_mb", "mmmb", "pcmb")
    }


@call("boundary/check_interactions", tolerance=MACHINE)
def check_interactions():
    return neutral.local(
        boundary(tables.xor(300), "t", check_interactions=True, random_state=0, alpha=0.01)
    )


@call("all_boundaries")
def all_boundaries():
    every = eiderdown.find_all_boundaries(tables.asia(), algorithm="pcmb", n_jobs=1, progress=False)
    some = eiderdown.find_all_boundaries(
        tables.child(),
        algorithm="get_pc",
        targets=["Disease", "LungParench", "Age", "Sick"],
        n_jobs=2,
        progress=False,
    )
    return {
        "every": neutral.all_boundaries(every),
        "skeleton": neutral.edges(every.skeleton()),
        "some": {target: neutral.members(found)[0] for target, found in some.items()},
        "some_skeleton": neutral.edges(some.skeleton()),
    }


@call("boundaries/kiamb")
def several_boundaries():
    found = eiderdown.find_boundaries(
        tables.copies(),
        target="t",
        algorithm=KIAMB(fraction=0.3),
        runs=30,
        random_state=1,
        n_jobs=1,
        progress=False,
    )
    return neutral.boundaries(found)


@call("boundaries/kpcmb")
def several_boundaries_on_test_data():
    found = eiderdown.find_boundaries(
        tables.alarm(),
        target="CATECHOL",
        algorithm=KPCMB(fraction=0.2),
        runs=10,
        patience=6,
        test_data=networks.load("alarm").sample(500, random_state=9),
        random_state=1,
        n_jobs=1,
        progress=False,
    )
    return neutral.boundaries(found)


@call("boundaries/continuous")
def several_boundaries_of_numbers():
    found = eiderdown.find_boundaries(
        tables.genes(),
        target="lacA",
        algorithm=KIAMB(fraction=0.5),
        runs=8,
        cv=3,
        random_state=2,
        n_jobs=1,
        progress=False,
    )
    return neutral.boundaries(found)
