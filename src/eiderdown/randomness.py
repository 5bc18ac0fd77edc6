"""One way to turn a ``random_state`` into a generator."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from eiderdown.errors import OptionError

RandomState: TypeAlias = int | np.random.Generator | None


def as_generator(random_state: RandomState) -> np.random.Generator:
    """Return a NumPy generator for a seed, a generator or None (fresh entropy).

    Examples
    --------
    >>> int(as_generator(7).integers(100)) == int(as_generator(7).integers(100))
    True
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    if random_state is not None and (
        isinstance(random_state, bool)
        or not isinstance(random_state, int | np.integer)
        or random_state < 0
    ):
        raise OptionError(
            f"random_state must be a non-negative integer, a numpy Generator or None, "
            f"not {random_state!r}."
        )
    return np.random.default_rng(random_state)


def as_seed(random_state: int | None) -> int:
    """Return a seed that can be written down: the one given, or a fresh one for None.

    Examples
    --------
    >>> as_seed(7), as_seed(None) == as_seed(None)
    (7, False)
    """
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    as_generator(random_state)
    return random_state
