"""Where runs made before come from: a result, its file, or the state file in use."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

from eiderdown.errors import OptionError
from eiderdown.results import FeatureConfidence
from eiderdown.state import StateFile

SavedRuns: TypeAlias = FeatureConfidence | str | Path


def read_saved(resume: SavedRuns | None, state: StateFile) -> FeatureConfidence | None:
    """Return the runs to go on from, wherever they are, or None."""
    kept = None
    if state.path is not None and state.path.exists():
        kept = FeatureConfidence.load(state.path)
    if resume is None:
        return kept
    if kept is not None:
        raise OptionError(
            f"Both resume and the state file {str(state.path)!r} hold earlier runs; give one of "
            "the two."
        )
    return resume if isinstance(resume, FeatureConfidence) else FeatureConfidence.load(resume)
