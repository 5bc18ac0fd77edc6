"""Records go to plain values and back by the type hints of their fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from eiderdown.results.codec import of_plain, plain_fields, read_fields, stored_as, stored_by


@dataclass(frozen=True)
class Inner:
    name: str
    pair: tuple[str, int] | None = None


@dataclass(frozen=True)
class Outer:
    base: int
    C: float = field(metadata=stored_as("cost"))
    above: tuple[int, ...] = field(
        metadata=stored_by(
            lambda numbers, record: [number - record.base for number in numbers],
            lambda plain, earlier: tuple(number + earlier["base"] for number in plain),
        )
    )
    inner: tuple[Inner, ...] = ()
    by_name: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    word: Literal["yes", "no"] = "yes"
    anything: Any = None


RECORD = Outer(
    base=10,
    C=0.5,
    above=(11, 15),
    inner=(Inner("a"), Inner("b", ("x", 3))),
    by_name={"t": (1.0, 2.0)},
    word="no",
    anything={"deep": [1, None]},
)
PLAIN = {
    "base": 10,
    "cost": 0.5,
    "above": [1, 5],
    "inner": [{"name": "a", "pair": None}, {"name": "b", "pair": ["x", 3]}],
    "by_name": {"t": [1.0, 2.0]},
    "word": "no",
    "anything": {"deep": [1, None]},
}


def test_fields_go_to_plain_values_and_back():
    assert plain_fields(RECORD) == PLAIN
    assert list(plain_fields(RECORD)) == list(PLAIN)
    assert Outer(**read_fields(Outer, PLAIN)) == RECORD


def test_fields_with_a_default_may_be_missing():
    few = {name: PLAIN[name] for name in ("base", "cost", "above")}
    assert Outer(**read_fields(Outer, few)) == Outer(10, 0.5, (11, 15))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"C": 1.0}, "unknown field 'C'"),
        ({"cost": "much"}, "'much' should be of type float"),
        ({"cost": True}, "True should be of type float"),
        ({"base": 1.5}, "1.5 should be of type int"),
        ({"word": "maybe"}, "'maybe' is none of 'yes', 'no'"),
        ({"inner": {}}, "'dict' should be of type list"),
        ({"inner": [{"name": "a", "pair": ["x"]}]}, "should have 2 parts"),
        ({"by_name": [1]}, "'list' should be of type dict"),
        ({"inner": [{"pair": None}]}, "no field 'name'"),
    ],
)
def test_what_does_not_fit_is_named(change, complaint):
    with pytest.raises(ValueError, match=complaint):
        read_fields(Outer, PLAIN | change)


def test_a_whole_number_will_do_for_another():
    assert of_plain(float, 3) == 3
    assert of_plain(tuple[float, ...] | None, None) is None
