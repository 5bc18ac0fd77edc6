"""Climbs on a score alone, with how to climb as keywords."""

from __future__ import annotations

from eiderdown.structure import Strategy, StructureProblem, climb

OF_THE_PROBLEM = ("knowledge", "trace", "generator")


def climb_on(score, *, candidates=None, start=(), **options):
    """Climb on a score; options are those of the problem or fields of the strategy."""
    asked = {name: options.pop(name) for name in OF_THE_PROBLEM if name in options}
    problem = StructureProblem(score.n_variables, score=score, **asked)
    return climb(problem, Strategy(**options), candidates=candidates, start=start)
