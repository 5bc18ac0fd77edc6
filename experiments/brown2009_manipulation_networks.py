"""The networks of ``brown2009_manipulation.py``: hidden common causes, targets and tables.

The seed is 1000: those below were looked at while the library was built.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from eiderdown.data import Dataset, Kind
from eiderdown.graphs import DAG
from eiderdown.networks import (
    DiscreteNetwork,
    GaussianNetwork,
    MixedNetwork,
    load,
    random_actions,
    random_mixed_network,
    tile,
)

SEED = 5_000
N_TEST = 2_000
N_TILES = 3
MIXED_NODES, MIXED_PARENTS = 40, 3
HIDDEN_SHARE = 0.15
MOST_COMMON = 0.95
"""A target whose commonest class is more common than this is not taken."""

LARGE, N_IN_LARGE = 60, 8
"""In networks of more nodes searches cannot be shared, and fewer targets are taken."""

Network = DiscreteNetwork | GaussianNetwork | MixedNetwork


def _alarms(seed: int) -> Network:
    alarm = load("alarm")
    assert isinstance(alarm, DiscreteNetwork)
    return tile(alarm, N_TILES, random_state=seed)


NETWORKS: dict[str, Callable[[int], Network]] = {
    "Alarm": lambda _: load("alarm"),
    "Insurance": lambda _: load("insurance"),
    "Win95pts": lambda _: load("win95pts"),
    "Child": lambda _: load("child"),
    f"Alarm, {N_TILES} tiles": _alarms,
    "linear-Gaussian": lambda _: load("ecoli70"),
    "mixed": lambda seed: random_mixed_network(
        MIXED_NODES, max_parents=MIXED_PARENTS, random_state=seed
    ),
}


@dataclass(frozen=True)
class Study:
    """A network, of which some nodes may be hidden, and the targets in it."""

    name: str
    network: Network
    hidden: tuple[str, ...]
    targets: tuple[str, ...]
    seed: int = SEED

    @property
    def dag(self) -> DAG:
        """The true graph."""
        return self.network.dag

    @property
    def label(self) -> str:
        """What tables call it."""
        return f"{self.name}, hidden" if self.hidden else self.name

    def observed(self, target: str) -> list[str]:
        """Return the columns that a target may be predicted from."""
        return [v for v in self.dag.nodes if v not in self.hidden and v != target]

    def train(self, n_rows: int) -> Dataset:
        """Draw training rows; smaller tables are the beginning of none of the larger ones."""
        generator = np.random.default_rng([self.seed, n_rows, len(self.hidden)])
        return self.network.sample(n_rows, random_state=generator).drop(self.hidden)

    def manipulated(self, target: str, test: int) -> tuple[str, ...] | str | None:
        """Return what a strategy is told of what was set: nothing, names, or that it is unknown."""
        if test == 0:
            return None
        return "unknown" if test == 2 else self._half(target)

    def test(self, target: str, test: int) -> Dataset:
        """Draw test rows: 0 nothing set; 1 a random half of the columns; 2 all of them."""
        chosen = [(), self._half(target), self.observed(target)][test]
        generator = np.random.default_rng([self.seed + 1, self.dag.index(target), test])
        actions = random_actions(self.network, chosen, random_state=generator)
        rows = self.network.do(actions).sample(N_TEST, random_state=generator)
        return rows.drop(self.hidden)

    def _half(self, target: str) -> tuple[str, ...]:
        can = self.observed(target)
        generator = np.random.default_rng([self.seed + 2, self.dag.index(target), len(self.hidden)])
        drawn = generator.choice(len(can), size=len(can) // 2, replace=False)
        return tuple(can[i] for i in sorted(drawn))


def studies(
    n_targets: int, names: Sequence[str] = tuple(NETWORKS), *, seed: int = SEED
) -> list[Study]:
    """Make every network twice, with all nodes seen and with some common causes hidden."""
    made = []
    for name in names:
        network = NETWORKS[name](seed)
        generator = np.random.default_rng(seed)
        hidden = hidden_causes(network.dag, generator)
        n_here = n_targets if network.dag.n_nodes <= LARGE else min(n_targets, N_IN_LARGE)
        targets = chosen_targets(network, set(hidden), n_here, generator)
        made += [Study(name, network, own, targets, seed) for own in ((), hidden)]
    return made


def hidden_causes(dag: DAG, generator: np.random.Generator) -> tuple[str, ...]:
    """Draw some of the nodes that have at least two children."""
    common = [node for node in dag.nodes if len(dag.children(node)) >= 2]
    n_hidden = min(len(common) // 2, max(1, round(HIDDEN_SHARE * dag.n_nodes)))
    chosen = generator.choice(len(common), size=n_hidden, replace=False)
    return tuple(common[i] for i in sorted(chosen))


def chosen_targets(
    network: Network, hidden: set[str], n_targets: int, generator: np.random.Generator
) -> tuple[str, ...]:
    """Draw targets that are seen, joined with something that is seen, and not nearly constant."""
    sample = network.sample(2_000, random_state=0)
    can = [
        node
        for node in network.dag.nodes
        if node not in hidden
        and network.dag.adjacent(node) - hidden
        and _varies(sample, sample.index(node))
    ]
    drawn = generator.choice(len(can), size=min(n_targets, len(can)), replace=False)
    return tuple(can[i] for i in sorted(drawn))


def _varies(sample: Dataset, column: int) -> bool:
    if sample.kind(column) is not Kind.DISCRETE:
        return True
    return bool(np.bincount(sample.codes(column)).max() <= MOST_COMMON * sample.n_rows)
