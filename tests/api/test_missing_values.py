"""Every verb takes tables with missing values, does what the option says, and tells it."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pandas as pd
import pytest

import eiderdown
from eiderdown import (
    compare_selectors,
    find_all_boundaries,
    find_boundaries,
    find_boundary,
    find_interactions,
    find_parents_children,
    learn_network,
    learn_region,
    measure_confidence,
    measure_stability,
)
from eiderdown.errors import MissingValuesError
from eiderdown.options import options_of

N_ROWS = 300


@pytest.fixture(scope="module")
def frame():
    generator = np.random.default_rng(0)
    a, b, noise = generator.normal(size=(3, N_ROWS))
    table = pd.DataFrame({"a": a, "b": b, "noise": noise})
    table["y"] = a + b + 0.5 * generator.normal(size=N_ROWS)
    table = table.mask(generator.random(table.shape) < 0.04)
    table["empty"] = np.nan
    return table


AROUND = [
    (find_boundary, {}),
    (find_parents_children, {}),
    (find_boundaries, {"algorithm": "kiamb", "runs": 3}),
    (learn_region, {}),
    (find_interactions, {"degree": 1, "C": 1.0}),
    (compare_selectors, {"selectors": ["none", "iamb"], "folds": 2}),
]
OF_ALL = [
    (find_all_boundaries, {"algorithm": "iamb"}),
    (learn_network, {}),
    (learn_network, {"algorithm": "ges"}),
    (measure_stability, {"algorithm": "pc_confirmed", "resamples": 3}),
    (measure_confidence, {"runs": 5}),
]


def quietly(verb, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return verb(*args, progress=False, **options)


def with_two_ways(cases):
    """Every verb with the default and one other way; the third is slow."""
    ways = [("impute", "drop"), ("drop", "impute")] * len(cases)
    few = [
        (*case, way)
        for case, (also, _) in zip(cases, ways, strict=False)
        for way in ("testwise", also)
    ]
    more = [(*case, way) for case, (_, way) in zip(cases, ways, strict=False)]
    return few + [pytest.param(*case, marks=pytest.mark.slow) for case in more]


@pytest.mark.parametrize(("verb", "options", "missing"), with_two_ways(AROUND))
def test_searches_around_a_column(frame, verb, options, missing):
    result = quietly(verb, frame, target="y", missing=missing, **options)
    said = " ".join(result.warnings)
    assert f"Left out {frame['y'].isna().sum()} of {N_ROWS} rows" in said
    assert "Values are missing in 3 of 4 columns" in said
    assert "no value in any row: 'empty'" in said
    assert result.complete


@pytest.mark.parametrize(("verb", "options", "missing"), with_two_ways(OF_ALL))
def test_searches_among_all_columns(frame, verb, options, missing):
    result = quietly(verb, frame, missing=missing, **options)
    assert "Values are missing in 4 of 4 columns" in " ".join(result.warnings)
    assert result.complete


@pytest.mark.parametrize(("verb", "options"), [*AROUND, *OF_ALL])
def test_missing_values_can_be_refused_by_every_verb(frame, verb, options):
    around = {"target": "y"} if (verb, options) in AROUND else {}
    with pytest.raises(MissingValuesError, match=r"Values are missing in \d of 4 columns"):
        quietly(verb, frame, missing="error", **around, **options)


def test_every_verb_about_a_table_has_the_option():
    verbs = [getattr(eiderdown, name) for name in eiderdown.__all__]
    verbs = [verb for verb in verbs if hasattr(verb, "declared_options")]
    learns = [v for v in verbs if "data" in inspect.signature(v).parameters]
    assert len(learns) > 8
    without = [verb.__name__ for verb in learns if "missing" not in options_of(verb)]
    assert without == ["predict"]  # whose models take complete rows: it refuses others by name


def test_answers_say_how_many_rows_they_rest_on(frame):
    found = quietly(find_boundary, frame, target="y")
    assert sorted(found.members) == ["a", "b"]
    for one in found.evidence:
        asked = frame[["y", one.variable, *one.given]]
        assert one.n_used == asked.dropna().shape[0]


def test_what_is_filled_in_depends_on_the_seed_only(frame):
    first, again, other = (
        quietly(find_boundary, frame, target="y", missing="impute", random_state=seed)
        for seed in (1, 1, 2)
    )
    assert first.evidence == again.evidence
    assert first.evidence != other.evidence
    turned = frame[sorted(frame, reverse=True)]
    assert quietly(
        find_boundary, turned, target="y", missing="impute", random_state=1
    ).evidence == (first.evidence)


def test_a_refused_answer_can_be_the_answer():
    generator = np.random.default_rng(3)
    refused = generator.random(500) < 0.3
    answer = pd.Series(np.where(generator.random(500) < 0.5, "yes", "no")).mask(refused)
    income = np.where(refused ^ (generator.random(500) < 0.1), "high", "low")
    table = pd.DataFrame({"answer": answer, "income": income})
    assert quietly(find_boundary, table, target="income").members == ()
    assert quietly(find_boundary, table, target="income", missing="level").members == ("answer",)
