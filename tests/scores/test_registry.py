"""Scores by name: every entry can be made, and the page about them tells the truth."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from scored_tables import chained_codes, coded, measured, mixed_values

from eiderdown.scores import SCORES, make_score

PAGE = Path(__file__).parents[2] / "docs" / "scores.md"
ROWS = re.findall(r"^\| `(\w+)` \| (\w+) \| .+ \| (yes|no) \|$", PAGE.read_text(), re.MULTILINE)

KINDS = {
    "discrete": ("discrete",),
    "continuous": ("continuous",),
    "both": ("discrete", "continuous"),
}


def fitting_table(columns):
    rng = np.random.default_rng(0)
    if columns == "continuous":
        return measured(mixed_values(rng, 3, 50))
    return coded(chained_codes(rng, 3, 50), [3] * 3)


def test_the_page_lists_every_score():
    assert tuple(name for name, _, _ in ROWS) == SCORES.names


@pytest.mark.parametrize(("name", "columns", "equivalent"), ROWS)
def test_every_score_can_be_made_and_is_as_described(name, columns, equivalent):
    score = make_score(name, fitting_table(columns))
    assert score.equivalent == SCORES[name].equivalent == (equivalent == "yes")
    assert score.name == name
    assert SCORES[name].kinds == KINDS[columns]
    params = SCORES[name].all_params
    assert score.description == {"score": name, **params}
    assert np.isfinite(score.local(0, [1, 2]))
