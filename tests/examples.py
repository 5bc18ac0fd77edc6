"""How many examples Hypothesis draws: the same few in every run, many more when exploring.

``HYPOTHESIS_PROFILE=explore`` (``make tests-slow`` sets it) draws new ones, and ten times as many.
"""

from __future__ import annotations

import os

from hypothesis import settings

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "same")


def examples(n: int) -> settings:
    """Draw n examples, in whatever time they take."""
    return settings(max_examples=n if PROFILE == "same" else 10 * n, deadline=None)
