"""The one preparation: what takes part, as which kind, and what is said about it."""

from __future__ import annotations

import numpy as np
import pytest

from eiderdown.data import Dataset
from eiderdown.data.prepare import prepare_network, prepare_target, prepare_targets
from eiderdown.errors import ConstantColumnError, InputError, TargetAmongCandidatesError


@pytest.fixture
def columns():
    rng = np.random.default_rng(0)
    return {
        "colour": np.array(["blue", "red"])[rng.integers(0, 2, 100)],
        "flat": ["same"] * 100,
        "height": rng.normal(size=100),
        "weight": rng.normal(size=100),
    }


def test_around_a_target_all_columns_stay_and_candidates_are_those_that_vary(columns):
    prepared = prepare_target(columns, "colour", exclude=["weight"], takes="discrete")
    assert prepared.data.names == tuple(columns)
    assert (prepared.target_name, prepared.candidate_names) == ("colour", ("height",))
    assert prepared.data.is_discrete.tolist() == [True, True, True, False]
    assert len(prepared.warnings) == 2


def test_columns_for_evidence_that_takes_mixed_kinds_stay_as_they_are(columns):
    prepared = prepare_target(columns, "height")
    assert prepared.data is prepared.source
    assert prepared.warnings == ("Left out because they have a single value: 'flat'.",)


def test_a_network_has_only_the_columns_that_take_part(columns):
    prepared = prepare_network(columns, target="height", exclude=["weight"])
    assert prepared.data.names == ("colour", "height")
    assert prepared.data.is_discrete.all()
    assert prepared.uncut.is_discrete.tolist() == [True, False]
    assert (prepared.target_name, prepared.candidate_names) == ("height", ("colour",))


def test_knowledge_is_about_the_columns_that_take_part(columns):
    known = {"tiers": [["flat", "colour"], ["height"]], "forbidden": [["flat", "weight"]]}
    prepared = prepare_network(columns, knowledge=known)
    assert prepared.knowledge.tiers == (("colour",), ("height",))
    assert prepared.knowledge.forbidden == ()
    assert prepared.column_knowledge.tier.tolist() == [0, 1, -1]
    with pytest.raises(ConstantColumnError, match="'flat' has a single value or is excluded"):
        prepare_network(columns, knowledge={"required": [["flat", "height"]]})


def test_every_column_can_be_the_target_in_turn(columns):
    prepared = prepare_targets(columns)
    assert prepared.candidate_names == ("colour", "height", "weight")
    around = prepared.around("height")
    assert (around.target_name, around.candidate_names) == ("height", ("colour", "weight"))
    assert around.data is prepared.data
    with pytest.raises(ConstantColumnError, match="take it out of the targets"):
        prepared.around("flat")


def test_some_rows_are_the_same_question(columns):
    some = prepare_target(columns, "colour").take(np.arange(30))
    assert (some.data.n_rows, some.uncut.n_rows) == (30, 30)


@pytest.mark.parametrize(
    "prepare", [prepare_target, lambda t, name: prepare_network(t, target=name)]
)
def test_targets_that_cannot_be_are_refused(columns, prepare):
    with pytest.raises(ConstantColumnError, match="Target 'flat' has a single value in all 100"):
        prepare(columns, "flat")


def test_too_few_columns_are_refused(columns):
    table = Dataset.from_columns(columns)
    with pytest.raises(InputError, match="Fewer than two columns vary and are not excluded"):
        prepare_network(table, exclude=["colour", "height"])
    with pytest.raises(InputError, match="Fewer than two columns vary;"):
        prepare_targets(table.select(["colour", "flat"]))
    with pytest.raises(TargetAmongCandidatesError, match="both the target and excluded"):
        prepare_network(table, target="height", exclude=["height"])
