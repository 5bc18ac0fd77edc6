"""Scores of infinite samples, and a search whose optima are known in advance."""

from __future__ import annotations

import math

import numpy as np

from eiderdown.confidence import RunSeeds
from eiderdown.confidence.optima import OptimaOptions
from eiderdown.options import checked_options, options_of
from eiderdown.progress import Cancelled
from eiderdown.scores import LocalScore
from eiderdown.structure.equivalence.search import EquivalenceFound


def optima_options(**given):
    """Return all options of repeated KES, as a verb fills them in."""
    known = options_of(OptimaOptions)
    defaults = {name: option.default for name, option in known.items()}
    return defaults | checked_options(known, {"progress": False} | given, "KES")


class PopulationScore(LocalScore):
    """Gaussian BIC of as many rows as one likes, whose covariance is exactly a network's."""

    name = "population"
    equivalent = True

    def __init__(self, network, n_rows=10**9):
        super().__init__(network.dag.nodes)
        self.n_rows = n_rows
        self.covariance = np.asarray(network.covariance())

    def _local(self, child, parents):
        spread = self._log_volume((child, *parents)) - self._log_volume(parents)
        return -0.5 * self.n_rows * spread - 0.5 * math.log(self.n_rows) * (len(parents) + 1)

    def _log_volume(self, columns):
        return float(np.linalg.slogdet(self.covariance[np.ix_(columns, columns)])[1])


class FakeSearch:
    """Finds one of a few graphs of the columns a, b and c, by its generator alone.

    The run number ``stop`` of those with random state 0 is interrupted, whoever begins it when.
    """

    OPTIMA = (
        (((0, 2), (1, 2)), (), -10.0),
        ((), ((0, 1), (1, 2)), -11.0),
        ((), ((0, 1),), -12.0),
        ((), (), -20.0),
    )

    def __init__(self, *_args, stop=None, **_options):
        self.stop = None if stop is None else RunSeeds(0, stop + 1)[stop]

    def run(self, *, generator, **_options):
        if self.stop is not None:
            stopped = np.random.default_rng(self.stop)
            if generator.bit_generator.state == stopped.bit_generator.state:
                raise Cancelled
        directed, undirected, score = self.OPTIMA[generator.choice(4, p=[0.1, 0.2, 0.3, 0.4])]
        return EquivalenceFound(directed, undirected, ((), (), ()), score, 3)
