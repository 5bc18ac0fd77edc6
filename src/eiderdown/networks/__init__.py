"""Bayesian networks: sample from them, act on them, tile, read and write them."""

from __future__ import annotations

from eiderdown.networks.bif import parse_bif, read_bif, to_bif, write_bif
from eiderdown.networks.discrete import DiscreteNetwork
from eiderdown.networks.fit import fit_network
from eiderdown.networks.gaussian import GaussianNetwork
from eiderdown.networks.interventions import (
    SimulatedIntervention,
    random_actions,
    simulate_intervention,
)
from eiderdown.networks.mixed import MixedNetwork
from eiderdown.networks.random import (
    random_fan_in_dag,
    random_gaussian_network,
    random_mixed_network,
    random_network,
)
from eiderdown.networks.reference import NetworkSummary, available, load
from eiderdown.networks.tiling import tile

__all__ = [
    "DiscreteNetwork",
    "GaussianNetwork",
    "MixedNetwork",
    "NetworkSummary",
    "SimulatedIntervention",
    "available",
    "fit_network",
    "load",
    "parse_bif",
    "random_actions",
    "random_fan_in_dag",
    "random_gaussian_network",
    "random_mixed_network",
    "random_network",
    "read_bif",
    "simulate_intervention",
    "tile",
    "to_bif",
    "write_bif",
]
