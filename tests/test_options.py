"""Options are declared once; signatures, checks and texts come from the declaration."""

from __future__ import annotations

import inspect
from collections.abc import Collection
from typing import Annotated, Literal, TypedDict, Unpack

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone

from eiderdown.errors import OptionError
from eiderdown.options import Option, declared, described, options_of, stores_params
from eiderdown.shared_options import IndependenceOptions, RunOptions


class Wanted(TypedDict, total=False):
    share: Annotated[float, Option("share of rows", default=0.5, between=(0, 1))]
    rule: Annotated[Literal["and", "or"], Option("how to combine", default="and")]
    size: Annotated[int | None, Option("largest size; None for any", default=None, at_least=0)]
    columns: Annotated[Collection[str], Option("columns to use", default=())]
    strict: Annotated[bool, Option("refuse doubtful ones", default=False)]


@declared
def verb(data: int, *, target: str = "y", **options: Unpack[Wanted]) -> dict[str, object]:
    """Do something.

    Parameters
    ----------
    data : int
        The table.
    target : str
        The column.
    **options
    """
    return {"data": data, "target": target, **options}


def test_defaults_are_filled_in_and_given_values_kept():
    assert verb(3, share=1) == {
        "data": 3,
        "target": "y",
        "share": 1.0,
        "rule": "and",
        "size": None,
        "columns": (),
        "strict": False,
    }


def test_the_signature_and_the_docstring_show_every_option():
    parameters = inspect.signature(verb).parameters
    assert list(parameters) == ["data", "target", "share", "rule", "size", "columns", "strict"]
    assert parameters["share"].default == 0.5
    assert parameters["share"].kind is inspect.Parameter.KEYWORD_ONLY
    assert "share : float, default=0.5" in verb.__doc__
    assert "**options" not in verb.__doc__


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"share": 1.5}, "share must be from 0 to 1, not 1.5"),
        ({"share": "half"}, "share must be float, not 'half'"),
        ({"share": float("nan")}, "share must be float"),
        ({"rule": "xor"}, "rule must be one of 'and', 'or', not 'xor'"),
        ({"size": -1}, "size must be at least 0"),
        ({"size": 1.5}, "size must be int or None"),
        ({"size": True}, "size must be int or None"),
        ({"columns": "abc"}, "columns must be collection of str"),
        ({"columns": [1]}, "columns must be collection of str"),
        ({"strict": 1}, "strict must be bool"),
        ({"shares": 0.5}, r"verb\(\) has no option 'shares'; did you mean 'share'"),
        ({"q": 0.5}, r"it has share, rule, size, columns, strict"),
    ],
)
def test_bad_values_get_one_sentence(given, sentence):
    with pytest.raises(OptionError, match=sentence):
        verb(1, **given)


def test_numbers_of_numpy_are_numbers():
    result = verb(1, share=np.float64(0.25), size=np.int64(4))
    assert (result["share"], result["size"]) == (0.25, 4)
    assert type(result["size"]) is int


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("share", ".25", 0.25),
        ("size", "none", None),
        ("size", "3", 3),
        ("columns", "a,b", ("a", "b")),
        ("strict", "yes", True),
        ("rule", "or", "or"),
    ],
)
def test_texts_of_a_command_line_are_read_in_the_options_type(name, text, value):
    assert options_of(Wanted)[name].of_text(text) == value


@pytest.mark.parametrize(("name", "text"), [("share", "2"), ("size", "x"), ("strict", "maybe")])
def test_texts_that_are_no_such_value_are_refused(name, text):
    with pytest.raises(OptionError, match=name):
        options_of(Wanted)[name].of_text(text)


class Estimator(BaseEstimator):
    """Takes parameters.

    Parameters
    ----------
    **params
    """

    @stores_params
    def __init__(self, **params: Unpack[Wanted]) -> None: ...


def test_estimators_keep_their_parameters_as_given():
    estimator = Estimator(share=7)
    assert estimator.get_params()["share"] == 7
    assert clone(estimator).get_params() == estimator.get_params()
    assert estimator.set_params(rule="or").rule == "or"


def test_the_docstring_of_an_estimator_says_what_its_parameters_mean():
    assert "share : float, default=0.5" in Estimator.__doc__
    assert "**params" not in Estimator.__doc__


def test_estimators_refuse_parameters_that_they_do_not_have():
    with pytest.raises(TypeError, match="Estimator has no parameter 'shares'"):
        Estimator(shares=1)


def test_typed_dicts_inherit_options():
    class Both(IndependenceOptions, RunOptions, total=False):
        own: Annotated[int, Option("its own", default=1)]

    assert set(options_of(Both)) == {
        *("alpha", "max_given", "test"),
        *("random_state", "n_jobs", "progress", "time_limit"),
        "own",
    }
    assert options_of(Both)["alpha"].default == 0.01
    assert options_of(Both)["random_state"].default == 0


def test_options_are_described_as_numpydoc_entries():
    assert described(options_of(Wanted)).splitlines()[:2] == [
        "share : float, default=0.5",
        "    Share of rows.",
    ]
