"""Calls for tables, graphs, networks and exports."""

from __future__ import annotations

import tempfile
from pathlib import Path

import corpus_tables as tables
import neutral
import numpy as np
from calls import (
    call,
)

from eiderdown import DAG, PDAG, Dataset, export, graphs, networks


@call("data")
def data():
    import pandas
    import polars

    frame = pandas.DataFrame(tables.mixed())
    with tempfile.TemporaryDirectory() as folder:
        csv, parquet = Path(folder) / "table.csv", Path(folder) / "table.parquet"
        frame.to_csv(csv, index=False)
        frame.to_parquet(parquet)
        read = {"csv": Dataset.of(csv), "parquet": Dataset.of(str(parquet))}
    words, _ = tables.sparse()
    read |= {
        "pandas": Dataset.of(frame),
        "polars": Dataset.of(polars.DataFrame(tables.mixed())),
        "columns": Dataset.of(tables.mixed(), kinds={"grade": "continuous"}),
        "array": Dataset.of(frame[["height", "weight"]].to_numpy()),
        "sparse": Dataset.of(words).select(["x3", "x7"]),
    }
    return {
        **{name: neutral.table(found) for name, found in read.items()},
        "fingerprint": tables.asia().fingerprint,
    }


@call("graphs")
def graph_arithmetic():
    graph, other = (
        tables.true_graph("asia"),
        graphs.random_dag(8, expected_degree=2.0, random_state=3),
    )
    cpdag = graph.to_cpdag()
    near_ = DAG(graph.nodes, [edge for edge in graph.edges if edge[1] != "dysp"])
    partial = PDAG.from_string("a->b, b--c, c--d, a->d, d--e")
    return {
        "random": neutral.edges(other),
        "cpdag": neutral.edges(cpdag),
        "other cpdag": neutral.edges(other.to_cpdag()),
        "extension": neutral.edges(cpdag.to_dag()),
        "meek": neutral.edges(partial.apply_meek_rules(known=[("c", "d")])),
        "colliders": sorted(map(list, graph.v_structures())),
        "boundary": {node: sorted(graph.markov_boundary(node)) for node in graph.nodes},
        "region": neutral.edges(graph.region("either", 1)),
        "separated": [
            graph.d_separated("asia", "smoke"),
            graph.d_separated("asia", "smoke", "dysp"),
            graph.d_separated("tub", "lung", ["either"]),
        ],
        "hamming": graphs.structural_hamming_distance(graph, near_),
        "class distance": graphs.cpdag_distance(graph, near_),
        "adjacencies": _set_scores(graphs.adjacency_scores(near_, graph)),
        "set": _set_scores(graphs.boundary_scores(["a", "b"], ["a", "c"])),
        "sensitivity": graphs.sensitivity_specificity_distance(["a"], ["a", "b"], n_candidates=9),
        "matrix": graph.to_adjacency(convention="row_to_column"),
    }


def _set_scores(scores):
    return [scores.precision, scores.recall, scores.f1, scores.distance]


@call("networks")
def network_arithmetic():
    asia = networks.load("asia")
    gaussian = networks.load("ecoli70")
    fitted = networks.fit_network(asia.dag, tables.asia(), equivalent_sample_size=4.0)
    chain = DAG(tables.ten_genes().names, [("b1191", "fixC"), ("fixC", "ygcE"), ("eutG", "ygcE")])
    tiled = networks.tile(asia, 2, random_state=0)
    random = networks.random_network(5, max_parents=2, random_state=0)
    return {
        "available": sorted(networks.available()),
        "fitted": neutral.discrete_network(fitted),
        "likelihood": fitted.log_likelihood(tables.asia())[:5],
        "fitted numbers": neutral.gaussian_network(networks.fit_network(chain, tables.ten_genes())),
        "marginal": asia.marginal("dysp", "smoke"),
        "do": asia.do({"smoke": "yes"}).marginal("lung"),
        "mean after do": gaussian.do({"lacA": 2.0}).mean().sum(),
        "covariance": np.trace(gaussian.covariance()),
        "sample": neutral.table(asia.sample(50, random_state=5)),
        "sample of numbers": neutral.table(gaussian.sample(20, random_state=5)),
        "tiled": neutral.edges(tiled.dag),
        "tiled marginal": tiled.marginal(tiled.dag.nodes[-1]),
        "random": neutral.discrete_network(random),
        "random numbers": neutral.gaussian_network(
            networks.random_gaussian_network(5, max_parents=2, random_state=0)
        ),
        "bif": neutral.edges(networks.parse_bif(networks.to_bif(random)).dag),
    }


@call("export")
def exports():
    graph = tables.true_graph("asia")
    cpdag = graph.to_cpdag()
    written = {}
    with tempfile.TemporaryDirectory() as folder:
        for form in (
            "dot",
            "graphml",
            "bif",
            "dagitty",
            "bnlearn",
            "tetrad",
            "pcalg",
            "causal_learn",
        ):
            for source, what in ((graph, "dag"), (cpdag, "cpdag")):
                if what == "cpdag" and form in ("bif", "bnlearn"):
                    continue
                path = Path(folder) / f"{what}.{form}"
                export.write_graph(source, path, form=form, data=tables.asia())
                read = export.read_graph(path, form=form)
                written[f"{form} {what}"] = [path.read_text(), neutral.edges(read)]
    return written
