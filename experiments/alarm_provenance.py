"""Which Alarm the papers of Pena and others sampled, as far as they can be asked.

Both papers have one table of 20,000 rows and smaller ones out of it. Ours is :func:`fixed_table`;
:func:`subsamples` draws from it.

The bundled network, which is the one in use today, has the numbers of its conditional tables in an
order that goes with another order of the parents. As bundled, air comes through VENTTUBE where it
is disconnected and VENTMACH is HIGH, and HRBP is LOW where the heart rate is NORMAL and nothing is
wrong with the monitor. Each table is a list of rows, written with the parents by name, the first
changing first. Read with the parents in the order of ``PARENTS``, the last changing first, all
twelve say what their names do. :func:`reordered` reads them so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from eiderdown import DAG, Dataset, networks
from eiderdown.arrays import FloatArray
from eiderdown.networks import DiscreteNetwork

N_ROWS = 20_000
SEED = 2004

PARENTS: Mapping[str, tuple[str, ...]] = {
    "EXPCO2": ("ARTCO2", "VENTLUNG"),
    "HRBP": ("ERRLOWOUTPUT", "HR"),
    "HREKG": ("ERRCAUTER", "HR"),
    "HRSAT": ("ERRCAUTER", "HR"),
    "LVEDVOLUME": ("HYPOVOLEMIA", "LVFAILURE"),
    "MINVOL": ("INTUBATION", "VENTLUNG"),
    "PRESS": ("KINKEDTUBE", "INTUBATION", "VENTTUBE"),
    "PVSAT": ("FIO2", "VENTALV"),
    "STROKEVOLUME": ("HYPOVOLEMIA", "LVFAILURE"),
    "VENTALV": ("INTUBATION", "VENTLUNG"),
    "VENTLUNG": ("KINKEDTUBE", "INTUBATION", "VENTTUBE"),
    "VENTTUBE": ("DISCONNECT", "VENTMACH"),
}
"""The order of parents in which the rows of a table make sense, the last changing first."""

FIO2_EDGE = ("FIO2", "PVSAT")
"""The paper of 2004 misses one edge, its 12 - 32 (nodes as numbered with the database)."""

ALARM = (
    "Alarm here is not the authors' Alarm to the letter. Their 20,000 rows were one table, drawn "
    "once: table 6 of their paper of 2007 has a deviation of 0.00 at 20,000 rows, so its ten "
    "databases of smaller sizes are subsamples, and their paper of 2004 samples the same way. "
    "So do we: one table of 20,000 rows is drawn (seed [2004, 0]) and smaller ones are drawn out "
    "of it, in both experiments. But the bundled network is not theirs. Published versions of "
    "Alarm's tables differ, such as in ARTCO2 given VENTALV = ZERO (.01, .01, .98 in the bundled "
    "one). And in the bundled one, as in the repository it is from, the rows of twelve tables "
    "stand in an order that belongs to another order of the parents: HRBP is LOW (.98) where HR is "
    "NORMAL and nothing is wrong. 'Alarm, reordered' has the same numbers with each row where its "
    "names put it; that this is nearer to the authors' network is our inference, from the names "
    "and from how near the published numbers come. The edge that the paper of 2004 misses, its "
    "12 - 32, is FIO2 -> PVSAT: it is not supported by their data, while in 20,000 rows of either "
    "network here it is beyond doubt (p below 1e-277 given VENTALV)."
)


def reordered() -> DiscreteNetwork:
    """Return Alarm with the rows of twelve tables where their names put them."""
    network = networks.load("alarm")
    tables = {
        node: _reordered(network, node) if node in PARENTS else network.table(node)
        for node in network.dag.nodes
    }
    states = {node: network.states(node) for node in network.dag.nodes}
    return DiscreteNetwork(network.dag, states, tables)


def _reordered(network: DiscreteNetwork, node: str) -> FloatArray:
    """Write a table down with the first parent changing first; read it with the last doing so."""
    table, parents, order = network.table(node), list(network.parents(node)), PARENTS[node]
    n_states = dict(zip(parents, table.shape, strict=False))
    slowest_first = [parents.index(name) for name in sorted(parents, reverse=True)]
    written = table.transpose([*slowest_first, len(parents)])
    read = written.reshape([*(n_states[name] for name in order), table.shape[-1]])
    return read.transpose([*(order.index(name) for name in parents), len(parents)])


def fixed_table(number: int = 0, network: DiscreteNetwork | None = None) -> Dataset:
    """Draw the table of 20,000 rows; other numbers give other tables, to see what chance does."""
    generator = np.random.default_rng([SEED, number])
    return (network or networks.load("alarm")).sample(N_ROWS, random_state=generator)


def subsamples(table: Dataset, n_rows: int, n_samples: int) -> Iterator[Dataset]:
    """Draw some of the rows, again and again; of all of them there is but one sample."""
    if n_rows == table.n_rows:
        yield table
        return
    for k in range(n_samples):
        generator = np.random.default_rng([SEED, n_rows, k])
        yield table.take(np.sort(generator.choice(table.n_rows, n_rows, replace=False)))


def without(dag: DAG, edge: tuple[str, str]) -> DAG:
    """Take one edge out of a graph."""
    return DAG(dag.nodes, [other for other in dag.edges if other != edge])
