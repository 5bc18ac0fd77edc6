"""The simulated networks of Lantz et al. (2007) are what their descriptions claim."""

from __future__ import annotations

import runpy
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "experiments"
problems = SimpleNamespace(**runpy.run_path(str(FOLDER / "lantz2007_problems.py")))


# Counts of correlation-immune functions by number of inputs, as published in cryptography.
@pytest.mark.parametrize(("n_inputs", "n_immune"), [(2, 4), (3, 18), (4, 648)])
def test_there_are_as_many_immune_functions_as_are_known(n_inputs, n_immune):
    every = np.array(list(product((0, 1), repeat=2**n_inputs)))
    assert problems.are_immune(every).sum() == n_immune


def test_only_exclusive_or_and_its_negation_are_immune_and_use_both_inputs():
    every = np.array(list(product((0, 1), repeat=4)))
    kept = every[problems.are_immune(every) & problems.use_all_inputs(every)]
    assert kept.tolist() == [[0, 1, 1, 0], [1, 0, 0, 1]]


def test_no_parent_alone_tells_anything_about_the_child_but_all_together_tell_it():
    for seed in range(3):
        generator = np.random.default_rng(seed)
        network = problems.one_child(problems.immune_function, 0.9, generator)
        (child,) = {child for _, child in network.dag.edges}
        parents = network.parents(child)
        assert len(parents) == 5
        for parent in parents:
            joint = network.marginal(parent, child)
            assert joint[0] == pytest.approx(joint[1])
        assert set(network.table(child).ravel().round(9)) == {0.1, 0.9}


def test_arcs_go_from_causes_to_signs_and_the_share_of_immune_tables_is_as_asked():
    for share in (0.0, 1.0):
        network = problems.causes_and_signs(share, np.random.default_rng(0))
        assert {len(network.parents(name)) for name in problems.BOTTOM} == {2, 3}
        assert not any(network.parents(name) for name in problems.TOP)
        for name in problems.BOTTOM:
            telling = [
                not np.allclose(*network.marginal(parent, name)) for parent in network.parents(name)
            ]
            assert any(telling) == (share == 0.0)
