"""Small networks and slow, obvious computations that the tests compare with."""

from __future__ import annotations

from itertools import product

import numpy as np

from eiderdown.graphs import DAG
from eiderdown.networks import DiscreteNetwork


def sprinkler() -> DiscreteNetwork:
    """Four nodes with 2, 2, 3 and 2 states; wet grass has two parents and impossible rows."""
    return DiscreteNetwork(
        DAG(
            ["wet", "rain", "cloud", "sprinkler"],
            [("cloud", "rain"), ("cloud", "sprinkler"), ("rain", "wet"), ("sprinkler", "wet")],
        ),
        {
            "wet": ["dry", "damp"],
            "rain": ["no", "yes"],
            "cloud": ["clear", "some", "grey"],
            "sprinkler": ["off", "on"],
        },
        {
            "cloud": [0.5, 0.3, 0.2],
            "rain": [[0.99, 0.01], [0.7, 0.3], [0.2, 0.8]],
            "sprinkler": [[0.4, 0.6], [0.8, 0.2], [1.0, 0.0]],
            "wet": [[[1.0, 0.0], [0.1, 0.9]], [[0.2, 0.8], [0.0, 1.0]]],
        },
    )


def naive_joint(network: DiscreteNetwork) -> np.ndarray:
    """Multiply the tables cell by cell, straight from the definition."""
    nodes = network.dag.nodes
    joint = np.zeros([len(network.states(node)) for node in nodes])
    for cell in product(*(range(n) for n in joint.shape)):
        at = dict(zip(nodes, cell, strict=True))
        joint[cell] = np.prod(
            [
                network.table(node)[(*(at[p] for p in network.parents(node)), at[node])]
                for node in nodes
            ]
        )
    return joint
