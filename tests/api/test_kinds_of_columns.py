"""Every verb takes ``kinds``; ordered and counted targets choose their tests, and say so."""

from __future__ import annotations

import inspect

import numpy as np
import pandas as pd
import pytest

import eiderdown
from eiderdown import Dataset, find_boundary
from eiderdown.errors import ColumnKindError, EiderdownWarning
from eiderdown.independence import AUTO

VERBS = (
    *("find_boundary", "find_parents_children", "find_all_boundaries", "find_boundaries"),
    *("find_interactions", "learn_network", "learn_region", "measure_confidence"),
    *("measure_optima", "measure_stability", "compare_selectors", "test"),
)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_takes_kinds(verb):
    parameters = inspect.signature(getattr(eiderdown, verb)).parameters
    assert parameters["kinds"].default is None


def answers_of(seed: int, n: int = 300) -> pd.DataFrame:
    """Draw an ordered answer that two of four numbers cause, and a count."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(4, n))
    latent = x[0] - x[1] + rng.logistic(size=n)
    answer = pd.Categorical.from_codes(
        np.digitize(latent, [-1.5, 0, 1.5]), list("abcd"), ordered=True
    )
    frame = pd.DataFrame(dict(zip(("p", "q", "r", "s"), x, strict=True)))
    return frame.assign(answer=answer, visits=rng.poisson(np.exp(0.4 * x[2])))


def test_an_integer_column_is_what_the_user_says():
    frame = answers_of(0)
    as_number = eiderdown.test(frame, "r", "visits", kinds={"visits": "number"})
    as_category = eiderdown.test(frame, "r", "visits", kinds={"visits": "category"})
    assert (as_number.test, as_category.test) == ("fisher_z", "wilks")
    codes = {"code": np.arange(300) % 25, "x": np.arange(300) % 2}
    assert eiderdown.test(codes, "code", "x", kinds={"code": "category"}).test != "wilks"
    found = find_boundary(frame, "visits", kinds={"visits": "number", "answer": "category"})
    assert found.members == ("r",)


def test_a_dataset_has_its_kinds_already():
    with pytest.raises(ColumnKindError, match="give its kind"):
        find_boundary(Dataset.of(answers_of(0)), "visits", kinds={"visits": "number"})


def test_regression_of_an_ordered_target_is_ordinal_by_itself():
    frame = answers_of(1)
    found = eiderdown.test(frame, "p", "answer", given=["q"], test="regression")
    assert found.run.options["family"] == "ordinal"
    assert found.chosen == (
        "it was asked for; family 'ordinal', because 'answer' holds ordered categories"
    )
    plain = eiderdown.test(
        frame, "p", "answer", given=["q"], test="regression", kinds={"answer": "category"}
    )
    assert (plain.run.options["family"], plain.dof, found.dof) == ("multinomial", 3.0, 1.0)


def test_auto_confirms_an_ordered_target_by_regression_and_says_so():
    found = find_boundary(answers_of(2), "answer")
    assert set(found.members) == {"p", "q"}
    assert (found.run.options["test"], found.run.options["family"]) == ("ConfirmedTest", "ordinal")
    assert "categories are in order" in found.run.options["why"]
    bent = find_boundary(answers_of(2), "answer", test=AUTO(basis="linear"))
    assert bent.run.options["test"] == "WilksTest"


def test_two_ordered_categories_are_two_classes():
    frame = answers_of(3).assign(answer=lambda f: pd.Categorical(f["answer"] > "b", ordered=True))
    assert find_boundary(frame, "answer").run.options["test"] == "WilksTest"


def test_counts_are_regressed_as_counts_and_said():
    frame, kinds = answers_of(4), {"visits": "count"}
    found = eiderdown.test(frame, "r", "visits", test="regression", kinds=kinds)
    assert found.run.options["family"] == "negative_binomial"
    assert "because 'visits' holds counts" in found.chosen
    assert "counts are taken as numbers" in eiderdown.test(frame, "r", "visits", kinds=kinds).chosen


def test_one_test_speaks_of_its_own_columns_only():
    n = 300
    rng = np.random.default_rng(0)
    frame = answers_of(5).assign(
        patient=[f"p{i}" for i in range(n)],
        bought=pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 99, n), "D"),
        died=pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 99, n), "D"),
        gaps=np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n)),
    )
    for table in (frame, Dataset.of(frame)):
        assert eiderdown.test(table, "p", "q").warnings == ()
        with pytest.warns(EiderdownWarning, match="Dates"):
            found = eiderdown.test(table, "p", "died")
        assert found.warnings == ("Dates became days since 1970: 'died'.",)
        assert any("patient" in note for note in Dataset.of(table).notes)  # else nothing is shown


def test_auto_confirms_two_categories_given_numbers_and_says_so():
    rng = np.random.default_rng(6)
    frame = answers_of(6).assign(colour=rng.choice(["red", "blue"], 300))
    found = eiderdown.test(frame, "colour", "answer", given=["p"], kinds={"answer": "category"})
    assert found.run.options["confirm"] is True
    assert "two categories given numbers are confirmed by regression" in found.chosen
    alone = eiderdown.test(frame, "p", "answer", given=["q"], kinds={"answer": "category"})
    assert alone.run.options["confirm"] is False


def test_a_weighted_network_of_both_kinds_cuts_numbers_as_any_other():
    rng = np.random.default_rng(7)
    table = {"a": rng.normal(size=200), "b": rng.choice(["x", "y"], 200), "w": rng.random(200)}
    table["c"] = table["a"] + rng.normal(size=200)
    with pytest.warns(EiderdownWarning, match="Cut into 3 categories"):
        found = eiderdown.learn_network(table, sample_weight="w")
    assert {frozenset((edge.left, edge.right)) for edge in found.edges} == {frozenset("ac")}
