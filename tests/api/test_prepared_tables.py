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


def test_continuous_columns_are_cut_for_a_discrete_target_with_a_warning():
    with pytest.warns(EiderdownWarning, match="equal frequency.*'grade'.*'height', 'weight'"):
        found = find_boundary(mixed_columns(), target="grade")
    assert "height" in found.members
    assert "equal frequency" in found.warnings[0]


def test_text_columns_are_refused_for_a_continuous_target():
    with pytest.raises(ColumnKindError, match=r"'height' is continuous.*not numbers: 'colour'"):
        find_boundary(mixed_columns(), target="height")


def test_integer_columns_become_numbers_for_a_continuous_target_with_a_warning():
    with pytest.warns(EiderdownWarning, match="Used as numbers.*'height'.*'grade'"):
        found = find_boundary(mixed_columns(), target="height", exclude=["colour"])
    assert set(found.members) == {"grade", "weight"}


def test_integers_used_as_numbers_are_worth_their_values_not_their_codes():
    rng = np.random.default_rng(1)
    dose = np.array([0, 1, 100])[rng.integers(0, 3, 500)]
    columns = {"dose": dose, "effect": dose + rng.normal(size=500)}
    with pytest.warns(EiderdownWarning, match="Used as numbers"):
        found = find_boundary(columns, target="effect")
    assert found.evidence[0].effect > 0.999


def test_a_test_for_the_wrong_kind_is_refused_by_column():
    with pytest.raises(ColumnKindError, match="these are discrete: 'p', 'q'"):
        find_boundary(discrete_table(100), target="t", test="fisher_z")
