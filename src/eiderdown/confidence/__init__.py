"""How sure we are of what was found."""

from eiderdown.confidence.multiplicity import interchangeable, replacements, run_seeds, tallied

__all__ = ["interchangeable", "replacements", "run_seeds", "tallied"]
