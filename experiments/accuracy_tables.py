"""The tables of ``accuracy.py``: samples of networks that searches were built on, or judged on.

Development may look at ``DEVELOPMENT`` with seeds 0 to 9. Judging takes the same networks with
seeds from 9100 on, and ``JUDGING``, networks that nothing was tuned on. ``SEEN_BEFORE`` are those
of them that an earlier session had judged an earlier default on (seed 7000), or of which the issue
that asked for all this had numbers: they are not quite new, and the record says so.

- Reference networks, discrete and Gaussian, as they come with the library.
- Tiled: copies of a network with edges between them.
- Mixed: numbers and categories, a new graph of 40 columns for each seed.
- Bent: numbers that depend on each other by squares, sines and the like, a new graph of 40 columns
  for each seed and number of rows (``mixed_tables.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

import numpy as np
from mixed_tables import bent_table

from eiderdown import networks
from eiderdown.data import Dataset
from eiderdown.graphs import DAG, PDAG

Part: TypeAlias = Literal["development", "judging"]
Kind: TypeAlias = Literal["discrete", "gaussian", "mixed", "bent"]

ROWS = (100, 200, 500, 1_000, 5_000, 20_000)
SEEDS: dict[Part, range] = {"development": range(10), "judging": range(9_100, 9_110)}
DEVELOPMENT = (
    *("alarm", "child", "insurance", "hailfinder", "win95pts", "asia", "sachs", "pigs"),
    *("alarm_x3", "child_x5", "ecoli70", "arth150", "magic-niab", "mixed", "bent"),
)
JUDGING = (
    *("hepar2", "andes", "water", "mildew", "pathfinder", "munin1", "link", "diabetes"),
    *("lucas", "magic-irri", "survey", "cancer", "earthquake", "munin"),
)
SEEN_BEFORE = ("hepar2", "andes", "water", "mildew", "pathfinder", "lucas", "magic-irri")
SLOW = ("pigs", "pathfinder", "munin1", "link", "diabetes", "munin")
"""Large, or with very many categories: fewer targets, and their turn comes later."""

TILES = {"alarm_x3": ("alarm", 3), "child_x5": ("child", 5)}
N_DRAWN, MEAN_DEGREE, MOST_PARENTS = 40, 3.0, 3
MOST_WITH_ALL_TARGETS, N_TARGETS, N_SLOW_TARGETS = 100, 60, 20


@dataclass(frozen=True)
class Sample:
    """A table, the graph it came from, and the columns to ask about."""

    network: str
    seed: int
    n_rows: int
    data: Dataset
    dag: DAG
    targets: tuple[str, ...]

    @property
    def kind(self) -> Kind:
        """What the columns hold."""
        return kind_of(self.network)

    @property
    def cpdag(self) -> PDAG:
        """The class of the true graph."""
        return _cpdag(self.dag)


def networks_of(part: Part) -> tuple[str, ...]:
    """Return the networks of one part, new ones first."""
    return DEVELOPMENT if part == "development" else (*JUDGING, *DEVELOPMENT)


def origin(network: str, part: Part) -> str:
    """Say how new a network and its rows are to those who built the searches."""
    if part == "development":
        return "development"
    if network in DEVELOPMENT:
        return "known network, new rows"
    return "judged by an earlier session" if network in SEEN_BEFORE else "new network"


def kind_of(network: str) -> Kind:
    """Say what the columns of a network hold."""
    if network == "mixed":
        return "mixed"
    if network == "bent":
        return "bent"
    return networks.available()[TILES.get(network, (network, 1))[0]].kind


def sample(network: str, seed: int, n_rows: int) -> Sample:
    """Draw a table, and targets among the columns that vary in it."""
    dag, data = _drawn(network, seed, n_rows)
    constant = set(data.constant_columns())
    varying = [node for node in dag.nodes if node not in constant]
    return Sample(network, seed, n_rows, data, dag, _targets(network, varying, seed))


def _drawn(network: str, seed: int, n_rows: int) -> tuple[DAG, Dataset]:
    if network == "bent":
        generator = np.random.default_rng([seed, n_rows])
        made = bent_table(generator, N_DRAWN, n_rows, MEAN_DEGREE, bent=True)
        edges = [(p, x) for x, near in made.parents.items() for p in sorted(near)]
        return DAG(made.data.names, edges), made.data
    model = _network(network, seed if network == "mixed" else 0)
    return model.dag, model.sample(n_rows, random_state=seed)


@cache
def _network(
    name: str, seed: int
) -> networks.MixedNetwork | networks.DiscreteNetwork | networks.GaussianNetwork:
    if name == "mixed":
        return networks.random_mixed_network(N_DRAWN, max_parents=MOST_PARENTS, random_state=seed)
    if name in TILES:
        base, n_tiles = TILES[name]
        tiled = networks.load(base)
        assert isinstance(tiled, networks.DiscreteNetwork)
        return networks.tile(tiled, n_tiles, random_state=seed)
    return networks.load(name)


@cache
def _cpdag(dag: DAG) -> PDAG:
    return dag.to_cpdag()


def _targets(network: str, varying: list[str], seed: int) -> tuple[str, ...]:
    if len(varying) <= MOST_WITH_ALL_TARGETS and network not in SLOW:
        return tuple(varying)
    wanted = min(len(varying), N_SLOW_TARGETS if network in SLOW else N_TARGETS)
    chosen = np.random.default_rng([seed, len(varying)]).choice(
        len(varying), size=wanted, replace=False
    )
    return tuple(varying[int(i)] for i in np.sort(chosen))
