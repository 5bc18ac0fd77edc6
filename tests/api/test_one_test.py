"""``eiderdown.test``: one question by the names of columns, answered in words and numbers."""

import numpy as np
import pytest

import eiderdown
from eiderdown import IndependenceAnswer, load_result, networks
from eiderdown.errors import (
    ConstantColumnError,
    EiderdownWarning,
    OptionError,
    TargetAmongCandidatesError,
    UnknownColumnError,
)
from eiderdown.independence import G_SQUARE, FisherZTest, GSquareTest


@pytest.fixture(scope="module")
def asia():
    return networks.load("asia").sample(2_000, random_state=0)


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    cause = rng.normal(size=300)
    middle = cause + rng.normal(size=300)
    return {"cause": cause, "middle": middle, "effect": middle + rng.normal(size=300)}


def test_answer_is_that_of_the_test_it_names(asia):
    found = eiderdown.test(asia, "smoke", "xray", given=["either"], test="g_square")
    direct = GSquareTest(asia).test(*map(asia.index, ("smoke", "xray")), [asia.index("either")])
    assert (found.statistic, found.dof, found.log_p) == (
        direct.statistic,
        direct.dof,
        direct.log_p,
    )
    assert (found.test, found.n_used, found.given) == ("g_square", 2_000, ("either",))
    assert found.run.n_rows == 2_000


def test_numbers_are_tested_as_numbers(numbers):
    far = eiderdown.test(numbers, "cause", "effect")
    near = eiderdown.test(numbers, "cause", "effect", given=["middle"])
    assert (far.answer, near.answer) == ("dependent", "independent")
    assert far.test == "fisher_z"
    data = eiderdown.Dataset.of(numbers)
    assert near.log_p == FisherZTest(data).test(0, 2, [1]).log_p


def test_printed_answer_names_answer_numbers_and_choice(asia):
    found = eiderdown.test(asia, "smoke", "xray", test="g_square", alpha=0.05)
    first, second, third = str(found).splitlines()
    assert first == "'smoke' and 'xray': dependent (alpha 0.05)"
    assert second.startswith("g_square: statistic ")
    assert f"p {found.p_text}" in second
    assert "2,000 of 2,000 rows used" in second
    assert third == "Why this test: it was asked for."


def test_too_few_rows_cannot_say_and_give_the_reason(asia):
    few = asia.take(np.arange(8))
    found = eiderdown.test(few, "smoke", "bronc", given=["dysp"], test="g_square")
    assert found.answer == "cannot say"
    assert found.reason.endswith(".")
    assert found.reason in str(found)


@pytest.mark.parametrize("test", ["auto", "g_square"])
def test_a_function_of_what_is_given_is_a_reason_of_its_own(asia, test):
    found = eiderdown.test(asia, "either", "xray", given=["lung", "tub"], test=test)
    assert found.answer == "cannot say"
    reason = "Nothing is left to test: 'either' or 'xray' is a function of 'lung', 'tub'."
    assert found.reason == reason


def test_auto_says_why_it_was_this_test(asia, numbers):
    assert "categories" in eiderdown.test(asia, "smoke", "xray").chosen
    assert "numbers" in eiderdown.test(numbers, "cause", "effect").chosen


def test_columns_outside_the_question_are_not_looked_at(numbers):
    constant = {**numbers, "same": np.ones(300)}
    assert eiderdown.test(constant, "cause", "effect").warnings == ()


def test_columns_of_one_value_are_refused_or_left_out_with_a_warning(numbers):
    table = {**numbers, "same": np.ones(300)}
    with pytest.raises(ConstantColumnError, match="'same'"):
        eiderdown.test(table, "same", "effect")
    with pytest.raises(ConstantColumnError, match="'same'"):
        eiderdown.test(table, "effect", "same")
    with pytest.warns(EiderdownWarning, match="'same'"):
        found = eiderdown.test(table, "cause", "effect", given=["same"])
    assert found.log_p == eiderdown.test(numbers, "cause", "effect").log_p


def test_questions_about_nothing_are_refused(asia):
    with pytest.raises(TargetAmongCandidatesError, match="'smoke' appears twice"):
        eiderdown.test(asia, "smoke", "xray", given=["smoke"])
    with pytest.raises(UnknownColumnError, match="'smoek'"):
        eiderdown.test(asia, "smoek", "xray")
    with pytest.raises(OptionError, match="given must be"):
        eiderdown.test(asia, "smoke", "xray", given="either")


def test_options_of_the_test_stand_in_the_run(asia):
    found = eiderdown.test(asia, "smoke", "xray", test=G_SQUARE(dof="nominal"))
    assert found.run.options["dof"] == "nominal"


def test_answer_survives_a_file(asia, tmp_path):
    found = eiderdown.test(asia, "smoke", "xray", given=["either"])
    found.save(tmp_path / "answer.json")
    assert load_result(tmp_path / "answer.json") == found
    assert IndependenceAnswer.from_json(found.to_json()) == found


def test_verb_is_neither_collected_nor_in_the_way_of_the_exams():
    assert eiderdown.test.__test__ is False
    from eiderdown.testing import check_independence_test

    assert callable(check_independence_test)
