"""Newton's method where the sums come from elsewhere: many fits at once, one pass for each step.

    fit = climb(start, most_steps)      asks for the sums at some parameters, over and over
    run(fits, sums_at)                  brings every fit what it asked for, until all are done

It takes the same steps as :mod:`eiderdown.independence.kernels.regression`, which has the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.independence.kernels.regression import CLOSE, MOST_HALVINGS, RIDGE

_MOST_STEEPENED = 30


class LikelihoodSums(NamedTuple):
    """A log-likelihood, its slope and minus its curvature (the lower half)."""

    value: float
    slope: FloatArray
    curve: FloatArray


class Climbed(NamedTuple):
    """Where a fit came to: its parameters, what is there, and how it went.

    ``first_gain`` is the gain expected of the first step, ``ended`` whether the steps came to an
    end.
    """

    parameters: FloatArray
    sums: LikelihoodSums
    first_gain: float
    ended: bool


Climb: TypeAlias = Generator[FloatArray, LikelihoodSums, Climbed]


def climb(start: FloatArray, most_steps: int) -> Climb:
    """Maximise a likelihood from where the parameters are."""
    parameters = start
    sums = yield parameters
    first_gain = 0.0
    if len(parameters) == 0:
        return Climbed(parameters, sums, first_gain, True)
    for t in range(most_steps):
        step = _step(sums)
        if step is None:
            return Climbed(parameters, sums, first_gain, False)
        gain = float(step @ sums.slope)
        first_gain = gain if t == 0 else first_gain
        if gain < CLOSE:
            return Climbed(parameters, sums, first_gain, True)
        before, share = parameters, 1.0
        for _ in range(MOST_HALVINGS):
            parameters = before + share * step
            after = yield parameters
            if after.value >= sums.value - 1e-12 * abs(sums.value):
                break
            share *= 0.5
        else:
            return Climbed(before, sums, first_gain, False)
        sums = after
    return Climbed(parameters, sums, first_gain, False)


def _step(sums: LikelihoodSums) -> FloatArray | None:
    """Return Newton's step; where the likelihood is no hill, that of one that is steeper."""
    curve = np.tril(sums.curve)
    diagonal = np.diag(curve).copy()
    extra = 0.0
    for _ in range(_MOST_STEEPENED):
        own = diagonal + extra
        np.fill_diagonal(curve, own + RIDGE + 1e-12 * own)
        try:
            factor = np.linalg.cholesky(curve)
        except np.linalg.LinAlgError:
            extra += 9.0 * extra if extra > 0.0 else 1e-6
            continue
        step: FloatArray = np.linalg.solve(factor.T, np.linalg.solve(factor, sums.slope))
        return step if np.isfinite(step).all() else None
    return None


def run(
    fits: Sequence[Climb],
    sums_at: Callable[[list[tuple[int, FloatArray]]], Sequence[LikelihoodSums]],
) -> list[Climbed]:
    """Run fits side by side: each round asks once for the sums that all open fits want.

    ``sums_at`` gets the number and the parameters of each fit that is not done.
    """
    done: dict[int, Climbed] = {}
    asked = [(number, next(fit)) for number, fit in enumerate(fits)]
    while asked:
        answers = sums_at(asked)
        following = []
        for (number, _), sums in zip(asked, answers, strict=True):
            try:
                following.append((number, fits[number].send(sums)))
            except StopIteration as end:
                done[number] = end.value
        asked = following
    return [done[number] for number in range(len(fits))]
