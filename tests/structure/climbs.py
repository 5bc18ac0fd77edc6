"""Climbs on a score alone, with how to climb as keywords."""

from __future__ import annotations

from eiderdown.structure import Strategy, StructureProblem, climb


def climb_on(
    score, *, candidates=None, start=(), knowledge=None, trace=None, generator=None, **how
):
    """Climb on a score; ``how`` are fields of the strategy."""
    more = {"trace": trace, "generator": generator}
    problem = StructureProblem(
        score.n_variables,
        score=score,
        knowledge=knowledge,
        **{name: value for name, value in more.items() if value is not None},
    )
    return climb(problem, Strategy(**how), candidates=candidates, start=start)
