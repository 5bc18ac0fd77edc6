"""algorithm="auto": which search, and why."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from eiderdown import find_all_boundaries, find_boundary, find_parents_children, networks
from eiderdown.independence import GSquareTest
from eiderdown.independence.registry import REGRESSION, WILKS

pytestmark = pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")


def asia(n_rows=300):
    return networks.load("asia").sample(n_rows, random_state=0).to_pandas()


def chosen(found):
    return found.run.algorithm, found.run.options["chosen"]


def test_a_plain_table_is_searched_by_tests_and_graphs():
    data = asia()
    assert chosen(find_boundary(data, target="dysp"))[0] == "consensus"
    assert chosen(find_parents_children(data, target="dysp"))[0] == "consensus_pc"
    assert chosen(find_all_boundaries(data, targets=["dysp"])["dysp"])[0] == "consensus"


def numbers(bent):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 300))
    return pd.DataFrame({"x": x, "y": y, "t": (x**2 if bent else x) + 0.1 * y})


@pytest.mark.parametrize(
    ("table", "options", "why"),
    [
        (asia(), {"sample_weight": np.linspace(0.5, 1.5, 300)}, "weights"),
        (asia(), {"test": GSquareTest}, "test of your own"),
        (asia(), {"test": REGRESSION}, "orders, bends, ranks or times"),
        (numbers(bent=True), {}, "orders, bends, ranks or times"),
        (numbers(bent=False), {"test": WILKS(ranks=True)}, "orders, bends, ranks or times"),
        (asia().where(np.random.default_rng(1).random((300, 8)) > 0.2), {}, "incomplete"),
    ],
    ids=["weights", "own", "regression", "bent", "ranks", "missing"],
)
def test_where_graphs_cannot_be_learned_tests_search_alone_and_say_why(table, options, why):
    target = "t" if "t" in table else "dysp"
    search, said = chosen(find_boundary(table, target=target, **options))
    assert search == "iamb"
    assert why in said


def test_a_search_that_was_named_needs_no_reason():
    assert "chosen" not in find_boundary(asia(), target="dysp", algorithm="iamb").run.options
