"""What cannot be used is refused by name, and what is changed is said."""

from __future__ import annotations

import numpy as np
import pytest
from api_tables import discrete_table, mixed_columns

from eiderdown import find_boundary
from eiderdown.errors import (
    ColumnKindError,
    ConstantColumnError,
    EiderdownWarning,
    InputError,
    OptionError,
    TargetAmongCandidatesError,
    TooFewRowsError,
    UnknownColumnError,
)
from eiderdown.independence import G_SQUARE


def test_a_missing_target_gets_a_suggestion():
    with pytest.raises(UnknownColumnError, match=r"'heigth'.*'height'"):
        find_boundary(mixed_columns(), target="heigth")


def test_a_missing_excluded_column_is_named():
    with pytest.raises(UnknownColumnError, match="'nothere'"):
        find_boundary(discrete_table(), target="t", exclude=["nothere"])


def test_an_excluded_target_is_refused():
    with pytest.raises(TargetAmongCandidatesError, match="'t' is both the target and excluded"):
        find_boundary(discrete_table(), target="t", exclude=["t"])


def test_a_constant_target_is_refused():
    columns = {"flat": ["same"] * 50, "x": ["a", "b"] * 25}
    with pytest.raises(ConstantColumnError, match="Target 'flat' has a single value in all 50"):
        find_boundary(columns, target="flat")


def test_a_constant_candidate_is_left_out_with_a_warning():
    data = discrete_table().with_columns({"flat": ["same"] * 4_000})
    with pytest.warns(EiderdownWarning, match="single value: 'flat'"):
        found = find_boundary(data, target="t")
    assert "flat" not in {item.variable for item in found.evidence}
    assert found.members == find_boundary(discrete_table(), target="t").members
    assert found.warnings == ("Left out because they have a single value: 'flat'.",)


def test_an_excluded_constant_column_needs_no_warning():
    data = discrete_table().with_columns({"flat": ["same"] * 4_000})
    assert find_boundary(data, target="t", exclude=["flat"]).warnings == ()


def test_no_candidates_at_all_is_refused():
    with pytest.raises(InputError, match="No candidate columns are left for target 'x'"):
        find_boundary({"x": ["a", "b"] * 9, "y": ["c", "d"] * 9}, target="x", exclude=["y"])


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, 5, float("nan")])
def test_alpha_outside_zero_and_one_is_refused(alpha):
    with pytest.raises(OptionError, match="alpha must be"):
        find_boundary(discrete_table(50), target="t", alpha=alpha)


def test_other_bad_options_are_refused_by_name():
    data = discrete_table(50)
    with pytest.raises(OptionError, match="max_given must be at least 0"):
        find_boundary(data, target="t", max_given=-1)
    with pytest.raises(OptionError, match="no algorithm 'imab'; did you mean 'iamb'"):
        find_boundary(data, target="t", algorithm="imab")
    with pytest.raises(OptionError, match="There is no test 'g2'"):
        find_boundary(data, target="t", test="g2")
    with pytest.raises(OptionError, match="n_jobs must be at least 1"):
        find_boundary(data, target="t", n_jobs=0)


def test_too_few_rows_for_any_test_is_an_error():
    with pytest.raises(TooFewRowsError, match=r"4 rows are too few.*target 't'"):
        find_boundary(
            discrete_table(400).take(_varied_rows(discrete_table(400))),
            target="t",
            test=G_SQUARE(dof="nominal"),
        )


def _varied_rows(data):
    """Four rows in which every column varies."""
    rng = np.random.default_rng(0)
    while True:
        rows = rng.choice(data.n_rows, 4, replace=False)
        if not data.take(rows).constant_columns():
            return rows


def test_columns_of_both_kinds_are_taken_as_they_are():
    for target in ("grade", "height", "colour"):
        found = find_boundary(mixed_columns(), target=target)
        assert found.warnings == ()
        assert found.run.options["test"] == "WilksTest"
        assert "columns are numbers and categories" in found.run.options["why"]
    assert {"grade", "weight"} <= set(find_boundary(mixed_columns(), target="height").members)


def test_columns_that_are_left_out_do_not_decide_which_test_it_is():
    columns = mixed_columns()
    numbers = find_boundary(columns, target="height", exclude=["colour", "grade"])
    assert numbers.run.options["test"] == "FisherZTest"
    assert "all columns are numbers" in numbers.run.options["why"]


def test_numbers_are_cut_where_a_test_of_categories_was_named():
    with pytest.warns(EiderdownWarning, match=r"equal frequency.*categories: 'height', 'weight'"):
        found = find_boundary(mixed_columns(), target="grade", test="g_square")
    assert "height" in found.members
    assert "why" not in found.run.options


def test_text_columns_are_refused_by_a_test_of_numbers():
    with pytest.raises(ColumnKindError, match=r"are not: 'colour'; use the test 'wilks'"):
        find_boundary(mixed_columns(), target="height", test="fisher_z")


def test_integers_used_as_numbers_are_worth_their_values_not_their_codes():
    rng = np.random.default_rng(1)
    dose = np.array([0, 1, 100])[rng.integers(0, 3, 500)]
    columns = {"dose": dose, "effect": dose + rng.normal(size=500)}
    with pytest.warns(EiderdownWarning, match="Used as numbers.*'dose'"):
        found = find_boundary(columns, target="effect", test="fisher_z")
    assert found.evidence[0].effect > 0.999


def test_bends_are_chosen_from_the_data_and_said():
    rng = np.random.default_rng(3)
    x, noise = rng.normal(size=(2, 400))
    bent = find_boundary({"x": x, "noise": noise, "t": x**2 + rng.normal(size=400)}, target="t")
    assert bent.members == ("x",)
    assert bent.run.options["basis"] == "cubic"
    assert "squares and cubes gain" in bent.run.options["why"]
    straight = find_boundary({"x": x, "noise": noise, "t": x + rng.normal(size=400)}, target="t")
    assert straight.members == ("x",)
    assert straight.run.options["test"] == "FisherZTest"
