"""The calls of the frozen corpus: every verb, algorithm, test, score, estimator and command.

The calls stand in boundary_calls.py, network_calls.py and so on; what they share is here. When a
public name changes, follow it here and there and in neutral.py, never in answers.json.

``changes`` says what issue 11 itself changes. Where a published name is to mean the published
algorithm, its answer is that of the options that gave the published form before ("today's"), and
what used to be the default is frozen under a name of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import eiderdown
from eiderdown.structure import NETWORK_ALGORITHMS, REGION_ALGORITHMS


@dataclass(frozen=True)
class Call:
    """One call; its tolerance is relative, and looser where a machine's training asks for it."""

    function: Callable[[], Any]
    tolerance: float = 1e-9
    changes: str = ""


CALLS: dict[str, Call] = {}

MACHINE = 1e-6
"""Tolerance of what a support vector machine was trained for: it stops within its own tolerance."""


def call(name, *arguments, tolerance=1e-9, changes="", **options):
    """Add a call of the decorated function under a name."""

    def add(function):
        assert name not in CALLS, name
        CALLS[name] = Call(lambda: function(*arguments, **options), tolerance, changes)
        return function

    return add


# How the library is called.


def how(test="auto", dof="adjusted", rule="rows_per_stratum", factor=5.0, collinear="drop"):
    """Which test judges, and when it is trusted."""
    from eiderdown.independence import TESTS

    given = {"dof": dof, "reliability": rule, "min_rows": factor, "collinear": collinear}
    entry = TESTS[test]
    return entry.with_params({k: v for k, v in given.items() if k in entry.options})


def searched(algorithm, own):
    """Find a search by tests by its name and configure it."""
    from eiderdown.boundary import ALGORITHMS

    return ALGORITHMS[algorithm].with_params(own or {})


def boundary(data, target, algorithm="iamb", own=None, **options):
    """``own``: options of the algorithm's own."""
    return eiderdown.find_boundary(
        data,
        target=target,
        algorithm=searched(algorithm, own),
        n_jobs=1,
        progress=False,
        **options,
    )


def near(data, target, algorithm="get_pc", own=None, **options):
    return eiderdown.find_parents_children(
        data,
        target=target,
        algorithm=searched(algorithm, own),
        n_jobs=1,
        progress=False,
        **options,
    )


def network(data, algorithm, own=None, score="auto", score_own=None, **options):
    return eiderdown.learn_network(
        data,
        algorithm=NETWORK_ALGORITHMS[algorithm].with_params(own or {}),
        score=eiderdown.scores.SCORES[score](**score_own) if score_own else score,
        n_jobs=1,
        progress=False,
        **options,
    )


def region(data, target, algorithm, own=None, **options):
    return eiderdown.learn_region(
        data,
        target=target,
        algorithm=REGION_ALGORITHMS[algorithm].with_params(own or {}),
        n_jobs=1,
        progress=False,
        **options,
    )


def made_score(data, name, **own):
    from eiderdown.scores import SCORES, make_score

    return make_score(SCORES[name](**own), data, n_jobs=1)


def made_test(name, data, dof="adjusted", rule="rows_per_stratum", factor=5.0, collinear="drop"):
    from eiderdown.independence import make_test

    return make_test(how(name, dof, rule, factor, collinear), data, n_jobs=1).inner


def over_subsets(test, candidates, target, pool, alpha, max_given):
    return test.max_p_over_subsets(candidates, target, pool, alpha=alpha, max_given=max_given)


def interacting(data, degree=2, cost=1.0, **options):
    return eiderdown.find_interactions(
        data,
        target="t",
        degree=degree,
        C=cost,
        alpha=0.05,
        max_given=3,
        random_state=0,
        n_jobs=1,
        progress=False,
        **options,
    )


ALL_SETS = 8
"""A largest conditioning set beyond which the small tables have none to offer."""

MMHC = {"algorithm": "mmhc"}
"""The published MMHC, as options of measure_stability and measure_confidence."""
