"""``check_boundary``: yes, no or cannot say, with what is lacking and what is redundant."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from eiderdown import BoundaryCheck, check_boundary, find_boundary, load_result, networks
from eiderdown.errors import (
    ConstantColumnError,
    OptionError,
    ResultFormatError,
    TargetAmongCandidatesError,
    UnknownColumnError,
)
from eiderdown.estimators import MarkovBoundarySelector, ParentsChildrenSelector, RegionSelector


@pytest.fixture(scope="module")
def asia():
    return networks.load("asia").sample(5_000, random_state=0)


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    cause, other = rng.normal(size=(2, 500))
    target = cause + rng.normal(size=500)
    child = target + other + rng.normal(size=500)
    return {"cause": cause, "target": target, "child": child, "other": other}


def test_a_boundary_is_one(asia):
    found = check_boundary(asia, "dysp", members=["either", "bronc"])
    assert (found.answer, found.dependent, found.redundant, found.added) == ("yes", (), (), ())
    assert found.members == ("either", "bronc") == found.boundary
    assert found.sentence.startswith("Yes")


def test_a_set_without_a_member_is_none_and_says_what_it_lacks(asia):
    found = check_boundary(asia, "dysp", members=["bronc"])
    assert found.answer == "no"
    assert found.dependent[0] == found.added[0].variable == "either"
    assert found.added[0].given == ("bronc",)
    assert set(found.boundary) == {"bronc", "either"}
    assert f"{len(found.dependent)} of 6 other columns" in found.sentence


def test_the_empty_set_lacks_what_alone_depends(asia):
    found = check_boundary(asia, "asia", members=[])
    direct = find_boundary(asia, "asia", algorithm="iamb")
    assert found.boundary == tuple(item.variable for item in found.added)
    assert set(found.boundary) == set(direct.members)


def test_a_set_with_too_much_says_what_is_redundant(numbers):
    table = {**numbers, "noise": np.random.default_rng(1).normal(size=500)}
    found = check_boundary(table, "target", members=["cause", "child", "other", "noise"])
    assert (found.answer, found.redundant, found.dependent) == ("no", ("noise",), ())
    assert found.boundary == ("cause", "child", "other")
    decisions = {item.variable: item.decision for item in found.evidence}
    assert decisions == {"cause": "kept", "child": "kept", "other": "kept", "noise": "removed"}


def test_where_rows_are_few_it_cannot_say():
    network = networks.load("alarm")
    data = network.sample(300, random_state=0)
    found = check_boundary(data, "CVP", members=sorted(network.dag.markov_boundary("CVP")))
    assert found.answer == "cannot say"
    assert found.n_undecided
    assert not found.dependent
    assert "too few" in found.sentence


@pytest.mark.filterwarnings("ignore::eiderdown.errors.EiderdownWarning")
def test_what_iamb_finds_is_never_refused():
    data = networks.load("alarm").sample(1_000, random_state=2)
    for target in ("HR", "VENTLUNG", "PAP", "CATECHOL"):
        members = find_boundary(data, target, algorithm="iamb").members
        found = check_boundary(data, target, members=members)
        assert found.answer != "no"
        assert set(found.boundary) == set(members)


def test_the_order_of_columns_and_members_does_not_matter(asia):
    turned = asia.select(asia.names[::-1])
    found, other = (check_boundary(t, "dysp", members=["smoke"]) for t in (asia, turned))
    assert found.dependent == other.dependent
    assert found.evidence == other.evidence
    assert found.added == other.added
    pair = [check_boundary(asia, "dysp", members=m) for m in (["smoke", "xray"], ["xray", "smoke"])]
    assert pair[0].dependent == pair[1].dependent
    assert set(pair[0].boundary) == set(pair[1].boundary)


def test_it_survives_json_and_files(asia, tmp_path):
    found = check_boundary(asia, "dysp", members=["bronc"])
    assert BoundaryCheck.from_json(found.to_json()) == found
    found.save(tmp_path / "check.json")
    assert load_result(tmp_path / "check.json") == found


def test_a_file_whose_answer_its_tests_contradict_is_refused(asia):
    plain = check_boundary(asia, "dysp", members=["bronc"]).to_dict()
    with pytest.raises(ResultFormatError, match="not that of the tests"):
        BoundaryCheck.from_dict({**plain, "answer": "yes"})


def test_chance_is_said(asia):
    found = check_boundary(asia, "dysp", members=["bronc"], alpha=0.05)
    assert found.expected_by_chance == pytest.approx(0.05 * (6 - found.n_undecided))
    assert "by chance" in found.sentence


def test_columns_go_by_labels_and_excluded_ones_take_no_part(numbers):
    table = np.column_stack(list(numbers.values()))
    found = check_boundary(table, 1, members=[0, 2, 3])
    assert found.members == ("x0", "x2", "x3")
    assert found.answer == "yes"
    without = check_boundary(numbers, "target", members=["cause"], exclude=["child"])
    assert without.n_outside == 1


@pytest.mark.parametrize(
    ("members", "error", "word"),
    [
        (["dysp"], TargetAmongCandidatesError, "'dysp' is the target"),
        (["nothing"], UnknownColumnError, "'nothing'"),
        (["flat"], ConstantColumnError, "'flat'"),
        ("bronc", OptionError, r"\['bronc'\]"),
    ],
)
def test_members_that_cannot_be_are_refused_in_a_sentence(asia, members, error, word):
    frame = asia.to_pandas().assign(flat=1)
    with pytest.raises(error, match=word):
        check_boundary(frame, "dysp", members=members)


def test_members_must_be_given(asia):
    with pytest.raises(OptionError, match="members"):
        check_boundary(asia, "dysp")


# --- selectors -----------------------------------------------------------------------------------


def test_a_fitted_selector_checks_what_it_keeps_on_other_rows(asia):
    frame = asia.to_pandas()
    X, y = frame.drop(columns="dysp"), frame["dysp"]
    selector = MarkovBoundarySelector().fit(X[:2_500], y[:2_500])
    found = selector.check_boundary(X[2_500:], y[2_500:])
    assert (found.answer, found.target, set(found.members)) == ("yes", "dysp", {"bronc", "either"})
    assert found.run.n_rows == 2_500


def test_parents_and_children_lack_the_spouse_of_the_target(numbers):
    X = np.column_stack([numbers[name] for name in ("cause", "child", "other")])
    selector = ParentsChildrenSelector(alpha=0.001).fit(X, numbers["target"])
    assert selector.get_support().tolist() == [True, True, False]
    found = selector.check_boundary(X, numbers["target"])
    assert (found.answer, found.dependent, found.alpha) == ("no", ("x2",), 0.001)


@pytest.mark.parametrize("kind", [MarkovBoundarySelector, RegionSelector])
def test_a_selector_that_is_not_fitted_refuses(kind, numbers):
    with pytest.raises(NotFittedError):
        kind().check_boundary(np.column_stack(list(numbers.values())), numbers["target"])


def test_a_check_of_other_features_is_refused(numbers):
    X = np.column_stack([numbers[name] for name in ("cause", "child", "other")])
    selector = MarkovBoundarySelector().fit(X, numbers["target"])
    with pytest.raises(ValueError, match="features"):
        selector.check_boundary(X[:, :2], numbers["target"])
