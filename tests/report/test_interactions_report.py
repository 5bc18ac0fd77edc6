"""Interactions in the terminal hold the result's own numbers and stay readable."""

import io
from dataclasses import replace

import pytest
from rich.console import Console
from test_text_report import RUN, evidence

from eiderdown.report import render
from eiderdown.results import (
    CrossValidation,
    FittedSVM,
    Interactions,
    KeptMonomial,
    MonomialSearch,
    TriedSVM,
)

SEARCH = MonomialSearch("exact", 10**9, 12_345, 50, 50, 0.01, 0, 0, None, 1.0)
MACHINE = FittedSVM(2, 1e-4, 345, score=CrossValidation("AUC", 0.9123, 0.0123, 5))


def feature(name, variables, **changes):
    factors = tuple((variable, 1) for variable in variables)
    log_p = changes.pop("log_p", -23.02585093)
    item = evidence(name, log_p=log_p, given=changes.pop("given", ()))
    return replace(KeptMonomial(name, factors, variables, -0.25, item), **changes)


def result(*features, **changes):
    variables = tuple(dict.fromkeys(name for item in features for name in item.variables))
    run = replace(RUN, algorithm="fsmb", options={"alpha": 0.05, "local": "hiton_mb"})
    linear = CrossValidation("AUC", 0.8, 0.02, 5)
    whole = Interactions("income", variables, features, None, MACHINE, SEARCH, linear, run)
    return replace(whole, **changes)


PAIR = result(
    feature("age * sex", ("age", "sex"), given=("job * hat",)),
    feature("job * hat", ("job", "hat"), log_p=-3.0),
)


def printed(found, width=80):
    stream = io.StringIO()
    render(found, Console(file=stream, width=width))
    return stream.getvalue()


def test_rows_show_the_weight_the_test_and_the_corrected_test():
    lines = printed(PAIR, width=100).splitlines()
    assert all(fact in lines[0] for fact in ("'income'", " 2 ", "4 variables"))
    assert lines[1].split()[1:] == ["weight", "given", "statistic", "dof", "p", "p,", "all"]
    assert lines[3].split() == [
        *("age", "*", "sex", "-0.25", "job", "*", "hat", "1,234.6", "4", "1e-10", "0.1")
    ]
    assert lines[4].split()[-2:] == ["0.0498", "1"]
    assert lines[5].endswith("age, sex, job, hat")


def test_machine_linear_model_and_search_are_told():
    text = printed(PAIR)
    for fact in ("degree 2", "0.0001", "345 support vectors", "AUC 0.912 +- 0.012 (5 folds)"):
        assert fact in text
    for fact in ("AUC 0.800 +- 0.020", "12,345 of 1,000,000,000", "50 largest weights are proven"):
        assert fact in text
    for fact in ("hiton_mb", "1,234 tests", "6 of them", "7.89 seconds"):
        assert fact in text


def test_a_choice_is_told_with_what_it_is_worth():
    svm = replace(
        MACHINE,
        tried=(TriedSVM(2, 1e-4, 0.9, 0.1),) * 48,
        nested_score=CrossValidation("AUC", 0.9, 0.02, 5),
    )
    text = printed(replace(PAIR, svm=svm))
    assert "best of 48 tried" in text
    assert "AUC 0.900 +- 0.020" in text


def test_what_is_not_proven_left_out_or_equal_is_told():
    search = replace(SEARCH, n_proven=3, unseen=0.5, n_constant=2, n_repeated=1)
    found = result(feature("age", ("age",), same_as=("a * b",)), search=search)
    text = printed(found)
    for fact in ("3 are proven", "up to 0.5", "2 constant", "1 equal", "a * b", "1 variable"):
        assert fact in text


def test_classes_are_shown_where_there_are_several_pairs():
    found = result(
        feature("age", ("age",), classes=("a", "b")), feature("sex", ("sex",), classes=("a", "c"))
    )
    lines = printed(found, width=120).splitlines()
    assert "tells apart" in lines[1]
    assert "a and c" in lines[4]
    assert "tells apart" not in printed(result(feature("age", ("age",), classes=("a", "b"))))


def test_an_interrupted_search_shows_what_there_is():
    found = result(svm=None, search=None, linear_score=None, complete=False)
    text = printed(found)
    assert "interrupted" in text.splitlines()[0]
    assert "support vectors" not in text


@pytest.mark.parametrize("width", [60, 80])
def test_conditioning_sets_give_way_in_a_narrow_terminal(width):
    given = tuple(f"long_name_{i} * another_{i}" for i in range(3))
    lines = printed(result(feature("age * sex", ("age", "sex"), given=given)), width).splitlines()
    assert len(lines[3]) <= width
    assert "3 others" in lines[3]
