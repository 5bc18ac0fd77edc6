"""The options that users learn once are those of every verb; where one is missing, it says why."""

from __future__ import annotations

import inspect

import pytest

import eiderdown.api
from eiderdown.cli.app import VERBS
from eiderdown.cli.parameters import flag_of
from eiderdown.options import options_of

OF_EVERY_VERB = {
    *("--target", "--algorithm", "--alpha", "--test"),
    *("--seed", "--jobs", "--exclude", "--out", "--json", "--report"),
    *("--quiet", "--time-limit"),
}

WITHOUT: dict[str, dict[str, str]] = {
    "test": {
        "--target": "asks about two columns alike, which stand behind the file",
        "--algorithm": "makes one test and searches nothing",
        "--exclude": "looks at the columns of the question only",
    },
    "check": {"--algorithm": "makes two sweeps of tests and searches nothing"},
    "causes": {"--algorithm": "goes one way, of which --search chooses a step"},
    "compare": {
        "--algorithm": "compares several, which --selectors names",
        "--alpha": "is a part of what a selector is called: iamb_fdr and iamb differ in it",
        "--test": "leaves the test to each selector",
    },
    "network": {"--target": "is about all columns"},
    "skeleton": {"--target": "is about all columns"},
    "path": {"--alpha": "goes through several, which --alphas names"},
}
"""Options that a verb does not have, and why that would make no sense."""


def flags_of(command) -> dict[str, object]:
    verb = getattr(eiderdown.api, command.verb)
    options = {**options_of(verb), **options_of(command.extras)}
    flags = {flag_of(option): option for option in options.values()}
    if "target" in inspect.signature(verb).parameters:
        flags["--target"] = None
    return flags


@pytest.mark.parametrize("command", VERBS, ids=lambda command: command.name)
def test_a_verb_has_every_common_option_or_a_reason_not_to(command):
    missing = OF_EVERY_VERB - flags_of(command).keys()
    assert missing == WITHOUT.get(command.name, {}).keys()


@pytest.mark.parametrize("command", VERBS, ids=lambda command: command.name)
def test_an_option_means_the_same_everywhere(command):
    """Types and limits are those of ``find``; defaults may differ, where a verb says so."""
    model = flags_of(next(verb for verb in VERBS if verb.name == "find"))
    for flag in ("--seed", "--jobs", "--exclude", "--out", "--json", "--quiet", "--time-limit"):
        if flag in (found := flags_of(command)):
            assert found[flag].type == model[flag].type, flag
            assert found[flag].option == model[flag].option, flag
