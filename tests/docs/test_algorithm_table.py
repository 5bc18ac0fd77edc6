"""The table of algorithms shows the registry, and every algorithm has its page."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from eiderdown.boundary import BOUNDARY_ALGORITHMS, PARENTS_CHILDREN_ALGORITHMS
from eiderdown.options import options_of
from eiderdown.structure import NETWORK_ALGORITHMS, REGION_ALGORITHMS

ROOT = Path(__file__).parents[2]
TOOL = runpy.run_path(str(ROOT / "tools" / "render_algorithms.py"))
FINDER = runpy.run_path(str(ROOT / "tools" / "find_counterexamples.py"))
ALGORITHMS = [
    *BOUNDARY_ALGORITHMS,
    *PARENTS_CHILDREN_ALGORITHMS,
    *REGION_ALGORITHMS,
    *NETWORK_ALGORITHMS,
]


def test_the_table_is_what_the_tool_renders():
    page = TOOL["PAGE"].read_text(encoding="utf-8")
    assert page == TOOL["with_tables"](page)


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda algorithm: algorithm.name)
def test_every_algorithm_has_a_page_that_says_its_name_options_and_limits(algorithm):
    page = (ROOT / "docs" / "algorithms" / f"{algorithm.name}.md").read_text(encoding="utf-8")
    assert f"`{algorithm.name}`" in page
    assert [name for name in options_of(algorithm.function) if f"`{name}" not in page] == []
    for heading in ("## What it does", "## When it is right", "## Example"):
        assert heading in page


FALSE_CHILD = '"A->C, A->D, B->C, C->D", target B: found {C, D}, not {C}'


@pytest.mark.parametrize("algorithm", ["mmpc", "hiton_pc"])
def test_the_smallest_counterexample_is_the_one_in_the_docs(algorithm):
    found = FINDER["smallest_counterexample"](algorithm, {"symmetry": "none"}, max_nodes=4)
    assert str(found) == FALSE_CHILD


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["get_pc", "pcmb", "ipc_mb", "bamb"])
def test_exact_searches_have_no_counterexample_of_up_to_four_nodes(algorithm):
    assert FINDER["smallest_counterexample"](algorithm, {}, max_nodes=4, n_orders=2) is None
