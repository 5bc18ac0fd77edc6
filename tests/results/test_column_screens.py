"""A screen says why any column is not in a result, and survives JSON whatever names it holds."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eiderdown import Dataset, find_boundary, find_parents_children, networks
from eiderdown.errors import ResultFormatError, UnknownColumnError
from eiderdown.results import ColumnScreen, MarkovBoundary, ParentsChildren

pytestmark = pytest.mark.filterwarnings("ignore::eiderdown.EiderdownWarning")

ASIA = networks.load("asia").sample(3_000, random_state=0)
QUIET = {"progress": False}


def screen_of(names, **changed):
    """Make a screen of columns that are all alike but for what is changed."""
    n = len(names)
    numbers = {"alone_log_p": -80.0, "alone_effect": 0.3, "alone_allows": 2}
    numbers |= {"log_p": -0.5, "effect": 0.001, "given": 0, "allows": 2, **changed}
    arrays = {name: np.full(n, value) for name, value in numbers.items()}
    return ColumnScreen.of("T", 0.01, names, [("A", "B")], arrays)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, "Alone, 'T' depends on it (p 1.8e-35), but given 'A', 'B' nothing is left (p 0.607)."),
        ({"alone_log_p": -0.5}, "Not even alone does 'T' depend on it (p 0.607)."),
        ({"log_p": -9.0}, "it still does (p 1.2e-4), but the search did not keep it."),
        ({"alone_log_p": -0.5, "log_p": -9.0}, "does not depend on it (p 0.607); given"),
        ({"allows": 1}, "there is insufficient data to rule it in or out (p 0.607)."),
        ({"allows": -1}, "nothing is left to test: they determine one of the two."),
        ({"alone_allows": 0, "alone_log_p": 0.0}, "Alone, there is insufficient data (p 1), and"),
    ],
)
def test_every_way_to_stay_outside_has_its_sentence(changed, said):
    assert said in screen_of(["x"], **changed).why("x")


@pytest.mark.parametrize("algorithm", ["auto", "iamb", "pcmb", "mmmb"])
def test_every_column_of_the_table_gets_an_answer(algorithm):
    found = find_boundary(ASIA, "dysp", algorithm=algorithm, exclude=["asia"], **QUIET)
    outside = set(ASIA.names) - {*found.members, "dysp", "asia"}
    assert set(found.screen.names) == outside
    assert found.why("asia") == "Left out: it is excluded."
    assert found.why("dysp") == "'dysp' is the target."
    assert all(found.why(name).startswith("Kept: ") for name in found.members)
    for i, name in enumerate(found.screen.names):
        independent = found.screen.answers(i)[1] == "independent"
        assert ("nothing is left" in found.why(name) or "Not even alone" in found.why(name)) == (
            independent
        )


def test_the_numbers_are_those_of_the_test():
    found = find_boundary(ASIA, "dysp", algorithm="iamb", **QUIET)
    from eiderdown import test as ask

    for i, name in enumerate(found.screen.names):
        alone = ask(ASIA, name, "dysp")
        assert found.screen.alone_log_p[i] == pytest.approx(alone.log_p, abs=1e-4)
        assert found.screen.alone_effect[i] == pytest.approx(alone.effect, abs=1e-6)
        given_set = found.screen.given_sets[found.screen.given[i]]
        assert set(given_set) == set(found.members)
        decided = ask(ASIA, name, "dysp", given=given_set)
        assert found.screen.log_p[i] == pytest.approx(decided.log_p, abs=1e-4)


def test_parents_and_children_are_explained_by_what_separated_the_others():
    data = networks.load("alarm").sample(2_000, random_state=0)
    found = find_parents_children(data, "HR", algorithm="mmpc", **QUIET)
    assert "HREKG" in found.members
    separated = [found.screen.given_sets[g] for g in found.screen.given]
    assert any(0 < len(given_set) < len(found.members) for given_set in separated)


def test_copies_and_columns_of_one_value_are_named():
    rng = np.random.default_rng(0)
    cause = rng.integers(0, 3, 500)
    effect = (cause + (rng.random(500) < 0.2)) % 3
    data = {"effect": effect, "cause": cause, "copy": cause, "one": np.ones(500, int)}
    found = find_boundary(data, "effect", algorithm="iamb", **QUIET)
    (outside,) = {"cause", "copy"} - set(found.members)
    assert found.why(outside).startswith(f"Nearly a copy of {found.members[0]!r}. ")
    assert found.why("one") == "Left out: it has a single value, or none."


def test_it_can_be_switched_off_and_is_off_within_other_work():
    assert find_boundary(ASIA, "dysp", explain_all=False, **QUIET).screen is None
    from eiderdown import find_all_boundaries, find_boundaries
    from eiderdown.estimators import MarkovBoundarySelector

    everyone = find_all_boundaries(ASIA, algorithm="iamb", targets=["dysp"], **QUIET)
    assert everyone["dysp"].screen is None
    several = find_boundaries(ASIA, "dysp", runs=2, cv=None, **QUIET)
    assert all(one.boundary.screen is None for one in several)
    frame = ASIA.to_pandas()
    fitted = MarkovBoundarySelector(algorithm="iamb").fit(frame.drop(columns="dysp"), frame["dysp"])
    assert fitted.boundary_.screen is None


def test_a_search_finds_the_same_whether_it_is_explained_or_not():
    explained, plain = (
        find_boundary(ASIA, "dysp", algorithm="pcmb", explain_all=on, **QUIET).to_dict()
        for on in (True, False)
    )
    del explained["screen"]
    for record in (explained, plain):
        record["run"] |= {"seconds": 0.0, "call": None}
    assert explained == plain


def test_columns_in_another_order_say_the_same():
    one = find_boundary(ASIA, "dysp", algorithm="mmmb", **QUIET)
    other = find_boundary(ASIA.select(ASIA.names[::-1]), "dysp", algorithm="mmmb", **QUIET)
    assert one.screen == other.screen


def test_unknown_columns_are_told_with_the_nearest_names():
    found = find_boundary(ASIA, "dysp", algorithm="iamb", **QUIET)
    with pytest.raises(UnknownColumnError, match="no column 'smoker'; did you mean 'smoke'"):
        found.why("smoker")
    plain = find_boundary(ASIA, "dysp", algorithm="iamb", explain_all=False, **QUIET)
    with pytest.raises(UnknownColumnError, match="explain_all=True"):
        plain.why("smoker")
    assert plain.why("smoke").startswith("Not admitted: given ")


# --- files ---------------------------------------------------------------------------------------


@given(st.lists(st.text(max_size=20), unique=True, max_size=8), st.floats(-1e4, 0.0))
def test_names_survive_json_whatever_they_hold(names, log_p):
    screen = screen_of(names, log_p=log_p)
    text = json.dumps(screen.to_dict(), allow_nan=False)
    assert ColumnScreen.from_dict(json.loads(text)) == screen


def test_hostile_columns_survive_a_search():
    rng = np.random.default_rng(0)
    names = ['a,"b"', "line\r\nbreak", "\r", "<script>", "=1+1", "\u202eabc", "'", "", " "]
    columns = {name: rng.integers(0, 2, 200) for name in names}
    columns["y"] = columns['a,"b"'] ^ (rng.random(200) < 0.1)
    data = Dataset.from_columns(columns)
    found = find_boundary(data, "y", algorithm="iamb", **QUIET)
    assert MarkovBoundary.from_json(found.to_json()) == found
    assert "Not even alone" in found.why("line\r\nbreak")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("-80.0", "1.5"),
        ("-80.0", "nan"),
        ("-80.0", "many"),
        (",0,2\n", ",1,2\n"),
        (",0,2\n", ",0,3\n"),
        (",0,2\n", ",0,1.5\n"),
        (",0,2\n", ",0\n"),
        ('"x"', '"y"'),
        ('"x"', "5"),
        ('"name"', '"column"'),
        ("0.3", "inf"),
    ],
)
def test_numbers_that_cannot_be_are_refused(old, new):
    found = find_parents_children(ASIA, "dysp", algorithm="mmpc", **QUIET).to_dict()
    found["screen"] = screen_of(["x", "y"]).to_dict()
    assert ParentsChildren.from_dict(found).screen == screen_of(["x", "y"])
    found["screen"]["tests"] = found["screen"]["tests"].replace(old, new)
    with pytest.raises(ResultFormatError):
        ParentsChildren.from_dict(found)
