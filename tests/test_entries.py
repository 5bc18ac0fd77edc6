"""Entries of registries: configured by users, found by name, dispatched by typed fields."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass
from typing import Annotated

import pytest

from eiderdown.errors import OptionError
from eiderdown.options import Option
from eiderdown.registry import Algorithm, Registry


@dataclass(frozen=True)
class Question:
    alpha: float = 0.01
    max_given: int | None = None


def guess(
    problem: Question,
    *,
    fraction: Annotated[float, Option("share of candidates", between=(0, 1))] = 0.8,
) -> tuple[Question, float]:
    return problem, fraction


GUESS = Algorithm(guess, "Guesses.", paper="nobody", returns="a guess")
BLIND = Algorithm(guess, "Guesses.", name="blind", paper="nobody", returns="", needs=("score",))
ALGORITHMS = Registry([GUESS, BLIND])


def guess_again(problem: Question, *, times: Annotated[int, Option("how often")] = 2) -> int:
    del problem
    return times


def test_a_variant_says_only_what_differs():
    again = BLIND.variant(guess_again, "Guesses twice.", random=True)
    assert (again.name, again.summary, again.random) == ("guess_again", "Guesses twice.", True)
    assert (again.paper, again.needs) == (BLIND.paper, BLIND.needs)
    assert again(times=3).run(Question()) == 3
    assert "fraction" not in again.options


def test_an_entry_is_configured_by_calling_it():
    assert GUESS(fraction=0.5).run(Question())[1] == 0.5
    assert GUESS.run(Question())[1] == 0.8  # the entry itself has not changed
    assert repr(GUESS(fraction=0.5)) == "guess(fraction=0.5)"


def test_options_of_all_searches_by_tests_go_into_the_problem():
    problem, fraction = GUESS(max_given=2, alpha=0.05).run(Question())
    assert (problem, fraction) == (Question(0.05, 2), 0.8)
    with pytest.raises(OptionError, match="'blind' has no option 'max_given'"):
        BLIND(max_given=2)


def test_wrong_options_are_refused_by_the_entry():
    with pytest.raises(OptionError, match="fraction must be from 0 to 1"):
        GUESS(fraction=2)
    with pytest.raises(OptionError, match="did you mean 'fraction'"):
        GUESS(fractions=0.5)


def test_texts_of_a_command_line_configure_an_entry():
    entry = GUESS.with_texts({"fraction": ".25", "max_given": "none"})
    assert entry.params == {"fraction": 0.25, "max_given": None}
    with pytest.raises(OptionError, match="no option 'q'"):
        GUESS.with_texts({"q": "1"})


def test_a_registry_finds_names_and_takes_configured_entries():
    assert ALGORITHMS["guess"] is GUESS
    configured = GUESS(fraction=0.5)
    assert ALGORITHMS[configured] is configured
    assert ALGORITHMS.names == ("guess", "blind")
    with pytest.raises(OptionError, match="no algorithm 'gues'; did you mean 'guess'"):
        ALGORITHMS["gues"]


def test_a_registry_takes_entries_of_the_users_own_if_they_find_the_same():
    own = Algorithm(guess, "Mine.", name="mine", paper="me", returns="a guess")
    assert ALGORITHMS[own] is own
    other = Algorithm(guess, "Mine.", name="mine", paper="me", returns="something else")
    with pytest.raises(OptionError, match="no algorithm 'mine'"):
        ALGORITHMS[other]


def test_entries_can_be_copied_and_pickled():
    entry = GUESS(fraction=0.5)
    for twin in (copy.deepcopy(entry), pickle.loads(pickle.dumps(entry))):
        assert (twin.name, twin.params) == ("guess", {"fraction": 0.5})
