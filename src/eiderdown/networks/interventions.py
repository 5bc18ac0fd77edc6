"""Rows before and after an intervention, to measure what predictions are worth afterwards."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from eiderdown.data import Dataset, Kind
from eiderdown.errors import OptionError, listed, require_count
from eiderdown.networks.discrete import DiscreteNetwork
from eiderdown.networks.gaussian import GaussianNetwork
from eiderdown.networks.mixed import MixedNetwork
from eiderdown.randomness import RandomState, as_generator

N_REFERENCE_ROWS = 10_000
"""Rows in which the usual mean and spread of a number are looked up."""


@dataclass(frozen=True)
class SimulatedIntervention:
    """Rows before and after an intervention.

    Attributes
    ----------
    train
        Rows of the network as it is.
    test
        Rows after the intervention.
    actions
        What each manipulated node was set to: as ``network.do`` takes it.
    network
        The network after the intervention, hidden nodes included.
    hidden
        The nodes that both tables leave out.
    """

    train: Dataset
    test: Dataset
    actions: Mapping[str, Any]
    network: DiscreteNetwork | GaussianNetwork | MixedNetwork
    hidden: tuple[str, ...]

    @property
    def manipulated(self) -> tuple[str, ...]:
        """The nodes that were set, in node order; hidden ones too."""
        return tuple(node for node in self.network.dag.nodes if node in self.actions)


def simulate_intervention(
    network: DiscreteNetwork | GaussianNetwork | MixedNetwork,
    *,
    manipulated: Collection[str] | Mapping[str, Any] | float = 0.5,
    spared: Collection[str] = (),
    hidden: Collection[str] = (),
    n_train: int = 1_000,
    n_test: int = 1_000,
    random_state: RandomState = None,
) -> SimulatedIntervention:
    """Draw rows of a network as it is, and rows after some nodes were set.

    Parameters
    ----------
    network
        The network.
    manipulated
        The nodes that are set at random; or what each is set to, as ``network.do`` takes it; or a
        share of the nodes, drawn at random from those that are neither hidden nor spared. A node
        that is set at random takes each of its states with the same chance; a number is drawn from
        the normal distribution with its usual mean and standard deviation.
    spared
        Nodes that are not drawn: a target, most of all.
    hidden
        Nodes that are left out of both tables.
    n_train, n_test
        How many rows.
    random_state
        A seed, a generator, or None for fresh entropy.

    Returns
    -------
    SimulatedIntervention
        Both tables, and what was set.

    Examples
    --------
    >>> from eiderdown.networks import load
    >>> made = simulate_intervention(load("lucas"), manipulated=["Smoking"], random_state=0)
    >>> made.manipulated, made.actions
    (('Smoking',), {'Smoking': {'no': 0.5, 'yes': 0.5}})
    >>> made.test
    Dataset(1000 rows, 12 discrete and 0 continuous columns)
    """
    require_count("n_train", n_train, least=1)
    require_count("n_test", n_test, least=1)
    for node in (*spared, *hidden):
        network.dag.index(node)
    generator = as_generator(random_state)
    if isinstance(manipulated, Mapping):
        actions = dict(manipulated)
    else:
        if isinstance(manipulated, float | int):
            nodes = _drawn_nodes(network.dag.nodes, {*spared, *hidden}, manipulated, generator)
        else:
            nodes = [node for node in network.dag.nodes if node in set(manipulated)]
            for node in manipulated:
                network.dag.index(node)
        actions = random_actions(network, nodes, random_state=generator)
    acted = network.do(actions)
    train = network.sample(n_train, random_state=generator)
    test = acted.sample(n_test, random_state=generator)
    left_out = [node for node in network.dag.nodes if node in set(hidden)]
    return SimulatedIntervention(
        train.drop(left_out), test.drop(left_out), actions, acted, tuple(left_out)
    )


def random_actions(
    network: DiscreteNetwork | GaussianNetwork | MixedNetwork,
    nodes: Collection[str],
    *,
    random_state: RandomState = None,
) -> dict[str, Any]:
    """Return the actions, as ``network.do`` takes them, that set nodes at random.

    Parameters
    ----------
    network
        The network.
    nodes
        The nodes to be set.
    random_state
        Used where a number's usual mean and standard deviation are taken from a sample.

    Examples
    --------
    >>> from eiderdown.networks import load
    >>> random_actions(load("alarm"), ["CVP"])["CVP"]["LOW"]
    0.3333333333333333
    """
    if not nodes:
        return {}
    if isinstance(network, DiscreteNetwork):
        return {node: _even(network.states(node)) for node in nodes}
    if isinstance(network, GaussianNetwork):
        numbers = zip(network.mean(), np.sqrt(np.diag(network.covariance())), strict=True)
        usual = dict(zip(network.dag.nodes, numbers, strict=True))
        return {node: (float(usual[node][0]), float(usual[node][1])) for node in nodes}
    sample = network.sample(N_REFERENCE_ROWS, random_state=random_state)
    return {node: _usual(sample, node) for node in nodes}


def _usual(sample: Dataset, node: str) -> Mapping[str, float] | tuple[float, float]:
    column = sample.index(node)
    if sample.kind(column) is Kind.DISCRETE:
        return _even(tuple(map(str, sample.categories(column))))
    values = sample.values(column)
    return float(values.mean()), float(values.std())


def _even(states: tuple[str, ...]) -> dict[str, float]:
    return dict.fromkeys(states, 1.0 / len(states))


def _drawn_nodes(
    nodes: tuple[str, ...], never: set[str], share: float, generator: np.random.Generator
) -> list[str]:
    if not 0.0 <= share <= 1.0:
        raise OptionError(
            f"manipulated must be names, a mapping, or a share from 0 to 1, not {share!r}."
        )
    can = [node for node in nodes if node not in never]
    n_drawn = round(share * len(can))
    if share > 0.0 and not can:
        raise OptionError(
            f"No node is left to be manipulated: {listed(sorted(never))} are spared or hidden; "
            f"spare fewer."
        )
    chosen = np.sort(generator.choice(len(can), size=n_drawn, replace=False))
    return [can[i] for i in chosen]
