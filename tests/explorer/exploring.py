"""Sessions for tests: of oracles, which make no mistakes, and of small samples."""

from __future__ import annotations

import numpy as np

from eiderdown import Dataset, networks
from eiderdown.explorer import Session
from eiderdown.graphs import DAG
from eiderdown.independence import OracleTest


def table_of(nodes, n_rows=40):
    """Return columns of these names that vary; an oracle does not look at them."""
    rng = np.random.default_rng(0)
    return Dataset.from_columns({name: rng.integers(0, 2, n_rows).astype(bool) for name in nodes})


def oracle_session(dag, target, **options):
    """Begin a session in which every test answers as the graph has it."""
    order = DAG(dag.nodes, dag.directed)
    return Session.start(
        table_of(dag.nodes),
        target,
        test=lambda data: OracleTest(order),
        algorithm="get_pc",
        max_given=8,
        **options,
    )


def asia_session(**options):
    """Begin a session around dyspnoea."""
    return Session.start(networks.load("asia").sample(2_000, random_state=0), "dysp", **options)
