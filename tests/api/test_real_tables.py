"""Tables as people have them: what the verbs make of them, and what they say about it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from eiderdown import (
    Dataset,
    EiderdownWarning,
    find_all_boundaries,
    find_boundaries,
    find_boundary,
    find_interactions,
    learn_network,
    measure_confidence,
    measure_stability,
)
from eiderdown.errors import MissingValuesError, NonFiniteError, OptionError

N = 300


@pytest.fixture
def table():
    """A class that depends on a number and a category, and a number of noise."""
    rng = np.random.default_rng(1)
    x, g = rng.normal(size=N), rng.choice(["a", "b", "c"], N)
    y = np.where(x + 2.0 * (g == "a") + rng.normal(size=N) > 0.5, "yes", "no")
    return {"x": x, "g": g, "z": rng.normal(size=N), "y": y}


@pytest.fixture
def incomplete(table):
    """The same with missing numbers and categories."""
    rng = np.random.default_rng(2)
    table["x"] = np.where(rng.random(N) < 0.1, np.nan, table["x"])
    table["g"] = np.where(rng.random(N) < 0.1, None, table["g"])
    return table


def quietly(verb, *args, **options):
    """Call a verb without its warnings, which the result has."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EiderdownWarning)
        return verb(*args, **options)


def test_a_typographic_minus_is_a_minus(tmp_path):
    path = tmp_path / "minus.csv"
    numbers = np.round(np.random.default_rng(0).normal(size=100), 2)
    path.write_text("x\n" + "\n".join(str(x).replace("-", "\u2212") for x in numbers))
    np.testing.assert_allclose(Dataset.of(path).values(0), numbers)


def test_columns_of_nothing_are_not_called_constant(table):
    found = quietly(
        find_boundary, {**table, "empty": np.full(N, np.nan), "flat": np.full(N, 1.5)}, "y"
    )
    assert "Left out because they have a single value: 'flat'." in found.warnings
    assert "Left out because they have no value in any row: 'empty'." in found.warnings


def test_infinite_numbers_are_missing_with_a_word(table):
    table["x"][3] = np.inf
    found = quietly(find_boundary, table, "y")
    assert "Infinite numbers were read as missing: 'x'." in found.warnings
    with pytest.raises(NonFiniteError, match=r"'x'; replace them, or leave it out \(--exclude x"):
        Dataset.from_columns(table)  # exactly what is given, or nothing


def test_notes_name_what_python_takes():
    rng = np.random.default_rng(0)
    table = {"bins": rng.integers(0, 3, N).astype(float), "id": np.arange(N)}
    notes = " ".join(Dataset.of(table).notes)
    assert "kinds={'bins': 'number'}" in notes
    assert "kinds={'id': 'category'}" in notes


def test_nobody_asked_for_categories_where_scores_need_them(table):
    (warning,) = quietly(learn_network, table).warnings
    assert warning.startswith("Cut into 3 categories")
    assert "asked for" not in warning


def test_stability_tells_what_is_missing_in_the_table(incomplete):
    found = quietly(measure_stability, incomplete, resamples=3)
    share = np.isnan(incomplete["x"]).mean()
    assert sum("Values are missing" in warning for warning in found.warnings) == 1
    assert f"'x' ({share:.0%})" in " ".join(found.warnings)
    with pytest.raises(MissingValuesError, match=f"'x' \\({share:.0%}\\)"):
        measure_stability(incomplete, resamples=3, missing="error")


def test_missing_as_a_category_where_only_complete_rows_can_be_used(incomplete):
    found = quietly(find_interactions, incomplete, "y", missing="level", degree=1, C=1.0)
    assert "x" in found.variables
    assert found.run.n_rows == np.isfinite(incomplete["x"]).sum()
    assert len(quietly(measure_confidence, incomplete, runs=3, missing="level").nodes) == 4


def test_all_boundaries_say_about_which_columns_nothing_was_said(table):
    names = np.array([f"name {i}" for i in range(N)])
    data = Dataset.of({**table, "name": names}, kinds={"name": "category"})
    found = quietly(find_all_boundaries, data, targets=["y"])
    assert any("'name'" in warning for warning in found.warnings)


def test_the_order_of_rows_decides_nothing():
    data = Dataset.of(load_diabetes(as_frame=True).frame)
    rows = np.random.default_rng(0).permutation(data.n_rows)
    found, again = (find_boundary(table, "target") for table in (data, data.take(rows)))
    assert found.members == again.members
    assert found.run.options == again.run.options


def test_a_time_limit_ends_resamples_and_imputation_with_a_sentence(incomplete):
    soon = {"time_limit": 1e-6, "progress": False}
    questions = [
        lambda: measure_stability(incomplete, **soon),
        lambda: measure_confidence(incomplete, source="resamples", **soon),
        lambda: measure_confidence(incomplete, "y", source="boundaries", **soon),
        lambda: find_boundary(incomplete, "y", missing="impute", **soon),
    ]
    for ask in questions:
        with pytest.raises(OptionError, match="The time limit of 1e-06 seconds was over"):
            quietly(ask)


def test_the_unit_of_a_number_does_not_change_how_well_it_predicts(table):
    units = {"x": table["x"] * 1e-9, "z": table["z"] * 1e9, "y": table["y"]}
    straight = {"x": table["x"], "z": table["z"], "y": table["y"]}
    options = {"runs": 5, "required": ["x", "z"]}
    found, again = (quietly(find_boundaries, data, "y", **options) for data in (straight, units))
    assert [item.accuracy for item in found.alternatives] == [
        item.accuracy for item in again.alternatives
    ]
