"""The numbers of a network, from its graph and a table."""

from __future__ import annotations

import math

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.data import Dataset
from eiderdown.errors import ColumnKindError, OptionError, TooManyCellsError, listed
from eiderdown.graphs import DAG
from eiderdown.networks.discrete import MAX_CELLS, DiscreteNetwork
from eiderdown.networks.gaussian import GaussianNetwork


def fit_network(
    dag: DAG, data: Dataset, *, equivalent_sample_size: float = 0.0
) -> DiscreteNetwork | GaussianNetwork:
    """Fit the tables, or the coefficients, of a graph to data.

    Discrete columns get a table each, by maximum likelihood or with a prior; where a combination of
    the parents' states was never seen and there is no prior, all states are equally likely.
    Continuous columns get a linear regression on their parents, by maximum likelihood. Each column
    is fitted to the rows in which it and its parents have values.

    Parameters
    ----------
    dag : DAG
        The graph; its nodes name columns, which are all discrete or all continuous.
    data : Dataset
        The table; other columns are ignored.
    equivalent_sample_size : float
        How many rows the prior is worth: so many are spread evenly over the cells of each table.
        0 for maximum likelihood. Discrete columns only.

    Examples
    --------
    >>> data = Dataset.from_columns({"rain": ["no", "no", "yes"], "wet": ["no", "no", "yes"]})
    >>> fit_network(DAG.from_string("rain->wet"), data, equivalent_sample_size=4).table("wet")
    array([[0.75      , 0.25      ],
           [0.33333333, 0.66666667]])
    """
    if not equivalent_sample_size >= 0.0 or math.isinf(equivalent_sample_size):
        raise OptionError(
            f"equivalent_sample_size must be a number from 0 on, not {equivalent_sample_size!r}."
        )
    kinds = [data.kind(data.index(node)) for node in dag.nodes]
    if all(kind.is_discrete for kind in kinds):
        states = {node: list(map(str, data.categories(data.index(node)))) for node in dag.nodes}
        tables = {node: _table(dag, node, data, equivalent_sample_size) for node in dag.nodes}
        return DiscreteNetwork(dag, states, tables)
    if any(kind.is_discrete for kind in kinds):
        pairs = zip(dag.nodes, kinds, strict=True)
        continuous = [node for node, kind in pairs if not kind.is_discrete]
        raise ColumnKindError(
            "A network is fitted to columns of one kind, but these are continuous and others are "
            f"discrete: {listed(continuous)}; discretise them first."
        )
    return _gaussian(dag, data)


def _table(dag: DAG, node: str, data: Dataset, equivalent_sample_size: float) -> FloatArray:
    columns = [data.index(name) for name in (*dag.ordered_parents(node), node)]
    shape = [int(data.n_categories[column]) for column in columns]
    n_cells = math.prod(shape)
    if n_cells > MAX_CELLS:
        raise TooManyCellsError(
            f"The table of {node!r} given its {len(columns) - 1} parents would have {n_cells:,} "
            "cells; remove parents, or merge categories."
        )
    complete = data.complete_rows(columns)
    codes = [data.codes(column)[complete].astype(np.int64) for column in columns]
    cell = np.ravel_multi_index(codes, shape)
    counts = np.bincount(cell, minlength=n_cells) + equivalent_sample_size / n_cells
    rows = counts.reshape(-1, shape[-1])
    total = rows.sum(axis=1, keepdims=True)
    fitted: FloatArray = np.divide(
        rows, total, out=np.full(rows.shape, 1.0 / shape[-1]), where=total > 0
    )
    return fitted.reshape(shape)


def _gaussian(dag: DAG, data: Dataset) -> GaussianNetwork:
    intercepts: dict[str, float] = {}
    coefficients: dict[str, dict[str, float]] = {}
    deviations: dict[str, float] = {}
    for node in dag.nodes:
        parents = dag.ordered_parents(node)
        columns = [data.index(name) for name in (node, *parents)]
        complete = data.complete_rows(columns)
        own, *known = (data.values(column)[complete] for column in columns)
        # Centred columns keep the fit exact where means are far from zero.
        centred = np.array([x - x.mean() for x in known]).reshape(len(parents), len(own)).T
        slopes = np.linalg.lstsq(centred, own - own.mean(), rcond=None)[0]
        coefficients[node] = dict(zip(parents, slopes.tolist(), strict=True))
        means = [float(x.mean()) for x in known]
        intercepts[node] = float(own.mean() - math.fsum(slopes * means))
        deviations[node] = float(np.sqrt(np.mean((own - own.mean() - centred @ slopes) ** 2)))
    return GaussianNetwork(dag, intercepts, coefficients, deviations)
