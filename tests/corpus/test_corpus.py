"""The frozen corpus: the same calls give the same answers as before issue 11.

``python tests/corpus/test_corpus.py --freeze [NAME...]`` writes the answers of the named calls (or
parts of them: ``network/`` or ``command/find``), or of those that have none yet. Answers are frozen
anew only where an issue says that they change.
"""

from __future__ import annotations

import json
import math
import sys
import time
import warnings
from functools import cache
from importlib import import_module
from pathlib import Path

import neutral
import pytest
from calls import CALLS

for _part in (
    "boundary",
    "network",
    "svm",
    "confidence",
    "evidence",
    "estimator",
    "graph",
    "command",
):
    import_module(f"{_part}_calls")  # adds its calls to CALLS

ANSWERS = Path(__file__).with_name("answers.json")
NEAR_ZERO = 1e-10
"""Absolute tolerance, for logarithms of p-values near 1 and the like."""


def answer(name):
    """Make a call; warnings are counted in the answer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return neutral.plain(CALLS[name].function())


def differences(found, frozen, tolerance, place=""):
    """Yield where two answers differ."""
    if isinstance(frozen, dict) and isinstance(found, dict):
        for key in sorted({*found, *frozen}):
            if key not in found or key not in frozen:
                yield f"{place}/{key}: only in the {'found' if key in found else 'frozen'} answer"
            else:
                yield from differences(found[key], frozen[key], tolerance, f"{place}/{key}")
    elif isinstance(frozen, list) and isinstance(found, list):
        if len(found) != len(frozen):
            yield f"{place}: {len(found)} items, frozen {len(frozen)}: {found} != {frozen}"[:2_000]
            return
        for i, (one, other) in enumerate(zip(found, frozen, strict=True)):
            yield from differences(one, other, tolerance, f"{place}/{i}")
    elif not _same(found, frozen, tolerance):
        yield f"{place}: {found!r}, frozen {frozen!r}"


def _same(found, frozen, tolerance):
    numbers = (int, float)
    if isinstance(found, bool) or isinstance(frozen, bool):
        return found is frozen
    if isinstance(found, float) or isinstance(frozen, float):
        if not (isinstance(found, numbers) and isinstance(frozen, numbers)):
            return False
        if math.isnan(frozen):
            return math.isnan(found)
        return math.isclose(found, frozen, rel_tol=tolerance, abs_tol=NEAR_ZERO)
    return found == frozen


@cache
def frozen_answers():
    return json.loads(ANSWERS.read_text(encoding="utf-8"))


@pytest.mark.no_cover  # whatever it calls has tests of its own
@pytest.mark.parametrize("name", CALLS)
def test_the_answer_is_the_frozen_one(name):
    frozen = frozen_answers()[name]
    found = json.loads(json.dumps(answer(name)))
    assert not list(differences(found, frozen, CALLS[name].tolerance))


def test_every_frozen_answer_has_a_call():
    assert set(frozen_answers()) == set(CALLS)


def freeze(wanted, path=ANSWERS):
    """Write answers; without names those that are missing, and drop those of no call."""
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for name in CALLS:
        if any(name.startswith(part) for part in wanted) or name not in known:
            started = time.perf_counter()
            known[name] = json.loads(json.dumps(answer(name)))
            print(f"{time.perf_counter() - started:6.2f} s  {name}", flush=True)  # noqa: T201
    rows = [f"{json.dumps(name)}: {json.dumps(known[name])}" for name in sorted(CALLS)]
    path.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] != ["--freeze"]:
        sys.exit(__doc__)
    freeze(sys.argv[2:])
