"""Parameters come from the data as the textbook says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eiderdown.data import Dataset
from eiderdown.errors import (
    ColumnKindError,
    OptionError,
    TooManyCellsError,
    UnknownColumnError,
)
from eiderdown.graphs import DAG, random_dag
from eiderdown.networks import fit_network, load, random_gaussian_network, random_network
from examples import examples


def counted(rows, child, parents, categories):
    """Count by going through the rows one by one."""
    counts = {}
    for row in rows:
        counts.setdefault(tuple(row[p] for p in parents), [0] * categories[child])[row[child]] += 1
    return counts


@examples(24)
@given(st.integers(0, 10_000), st.integers(1, 60), st.sampled_from([0.0, 0.5, 8.0]))
def test_tables_are_shares_of_the_rows_and_of_the_prior(seed, n_rows, weight):
    rng = np.random.default_rng(seed)
    dag = random_dag(5, edge_probability=0.5, random_state=seed)
    categories = rng.integers(2, 4, 5)
    codes = rng.integers(0, categories[:, None], (5, n_rows))
    names = [tuple("abc"[:k]) for k in categories]
    data = Dataset.from_codes(codes, names=dag.nodes, categories=names)
    fitted = fit_network(dag, data, equivalent_sample_size=weight)
    for child, node in enumerate(dag.nodes):
        parents = dag.parent_indices[child]
        table = fitted.table(node)
        counts = counted(codes.T.tolist(), child, parents, categories)
        for stratum in np.ndindex(table.shape[:-1]):
            seen = np.array(counts.get(stratum, [0] * categories[child])) + weight / table.size
            expected = (
                seen / seen.sum()
                if seen.sum()
                else np.full(categories[child], 1 / categories[child])
            )
            np.testing.assert_allclose(table[stratum], expected, atol=1e-12)


def test_many_rows_give_the_true_tables_back():
    asia = load("asia")
    fitted = fit_network(asia.dag, asia.sample(400_000, random_state=0))
    for node in ("smoke", "lung", "bronc", "xray"):
        np.testing.assert_allclose(fitted.table(node), asia.table(node), atol=0.01)


def test_maximum_likelihood_is_a_maximum():
    network = random_network(6, max_parents=2, random_state=1)
    data = network.sample(500, random_state=1)
    best = fit_network(network.dag, data).log_likelihood(data).sum()
    assert best > network.log_likelihood(data).sum()
    for weight in (1.0, 10.0):
        other = fit_network(network.dag, data, equivalent_sample_size=weight)
        assert best > other.log_likelihood(data).sum()


def test_regressions_agree_with_scikit_learn():
    from sklearn.linear_model import LinearRegression

    network = random_gaussian_network(6, max_parents=3, random_state=2)
    data = network.sample(300, random_state=2)
    fitted = fit_network(network.dag, data)
    for node in network.dag.nodes:
        parents = list(fitted.coefficients(node))
        own = data.values(data.index(node))
        if not parents:
            assert fitted.intercept(node) == pytest.approx(own.mean())
            assert fitted.standard_deviation(node) == pytest.approx(own.std())
            continue
        matrix = np.column_stack([data.values(data.index(p)) for p in parents])
        line = LinearRegression().fit(matrix, own)
        assert list(fitted.coefficients(node).values()) == pytest.approx(line.coef_.tolist())
        assert fitted.intercept(node) == pytest.approx(line.intercept_)
        spread = np.sqrt(np.mean((own - line.predict(matrix)) ** 2))
        assert fitted.standard_deviation(node) == pytest.approx(spread)


def test_columns_outside_the_graph_are_ignored():
    data = load("asia").sample(200, random_state=0).with_columns({"age": np.arange(200.0)})
    assert fit_network(DAG.from_string("smoke->lung"), data).dag.n_nodes == 2


def test_columns_of_both_kinds_are_refused():
    data = load("asia").sample(200, random_state=0).with_columns({"age": np.arange(200.0)})
    with pytest.raises(ColumnKindError, match="continuous and others are discrete: 'age'"):
        fit_network(DAG.from_string("age->lung"), data)


def test_a_node_without_a_column_is_refused():
    with pytest.raises(UnknownColumnError, match="'lungs'"):
        fit_network(DAG.from_string("smoke->lungs"), load("asia").sample(9, random_state=0))


@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf")])
def test_a_prior_that_is_none_is_refused(weight):
    with pytest.raises(OptionError, match="equivalent_sample_size must be a number from 0 on"):
        fit_network(
            DAG(["smoke"]),
            load("asia").sample(9, random_state=0),
            equivalent_sample_size=weight,
        )


def test_a_table_too_large_to_hold_is_refused():
    names = [f"x{i}" for i in range(24)]
    data = Dataset.from_numpy(np.random.default_rng(0).integers(0, 2, (20, 24)), names=names)
    star = DAG(names, [(name, "x0") for name in names[1:]])
    with pytest.raises(TooManyCellsError, match=r"table of 'x0' given its 23 parents .* cells"):
        fit_network(star, data)
