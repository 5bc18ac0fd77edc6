"""At most one sentence on how far confidences can be trusted, and the right one."""

from __future__ import annotations

import re

import pytest

from eiderdown.confidence.doubts import doubts
from eiderdown.results import FoundModel


def models(*n_runs, gap=0.0):
    return [FoundModel((), (("a", f"x{i}"),), -gap * i, number) for i, number in enumerate(n_runs)]


@pytest.mark.parametrize(
    ("found", "options", "sentence"),
    [
        (models(1), {}, "A single run says nothing"),
        (models(200), {}, "All 200 runs found the same model: a confidence of 1 says that"),
        (models(200), {"same_rows": False}, None),
        (
            models(20),
            {"same_rows": False},
            "only 20 runs; a confidence of 0.5 has a standard error",
        ),
        (models(*[20] * 10), {}, "200 runs found only 10 different models, .* steps of 0.1; more"),
        (models(*[20] * 10), {"more": "a smaller k"}, "a smaller k may find others"),
        (models(*[1] * 60), {}, "another model .60 of 60.* standard error of 0.065"),
        (models(*[2] * 60), {}, None),
        (models(*[20] * 10), {"weighting": "runs"}, None),
        (models(1, 2, 30), {"weighting": "runs"}, "only 33 runs; .* standard error of 0.087"),
        (models(*[1] * 60, gap=0.1), {"weighting": "score"}, None),
        (models(*[1] * 60, gap=9.0), {"weighting": "score"}, "best of 60 models has 100% of the"),
    ],
)
def test_the_sentence_fits_the_models(found, options, sentence):
    said = list(doubts(found, **{"weighting": "distinct", "same_rows": True} | options))
    if sentence is None:
        assert said == []
    else:
        assert len(said) == 1
        assert re.search(sentence, said[0])
