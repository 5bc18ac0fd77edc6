"""Link, 724 columns, 5,000 rows: BIC, distance and CPU seconds of searches by a score, one thread.

Run with ``make benchmark-order``. The aim is a BIC at least that of the true graph in less than 30
seconds. GES with restarts takes minutes; it is interrupted, and its best so far counts.
"""

from __future__ import annotations

import time
import warnings
from typing import Any

from measuring import write_record

from eiderdown import Dataset, learn_network, networks
from eiderdown.errors import EiderdownWarning
from eiderdown.graphs import DAG, cpdag_distance
from eiderdown.scores import make_score

NETWORK, N_ROWS, SEED = "link", 5_000, 0
SEARCHES = ("hill_climbing", "ges", "boss", "boss_restarts", "ges_restarts")
CAP = 120.0
"""Seconds of wall time after which GES with restarts is interrupted."""


def measured(search: str, network: Any, data: Dataset, limit: float | None) -> dict[str, Any]:
    """Run one search on one thread."""
    started = time.process_time()
    found = learn_network(
        data, algorithm=search, score="bic", n_jobs=1, progress=False, time_limit=limit
    )
    seconds = time.process_time() - started
    row = {
        "bic": found.score,
        "distance": cpdag_distance(found.graph, network.dag),
        "n_edges": len(found.edges),
        "seconds": seconds,
        "complete": found.complete,
    }
    print(f"  {search}: BIC {row['bic']:,.0f}, distance {row['distance']}, {seconds:.1f} seconds")
    return row


def true_graph(network: Any, data: Dataset) -> dict[str, Any]:
    """Score the true graph between the columns that vary, as the learned ones are."""
    constant = data.constant_columns()
    edges = [edge for edge in network.dag.edges if not set(edge) & set(constant)]
    score = make_score("bic", data.drop(constant), n_jobs=1)
    return {
        "bic": score.total(DAG(score.names, edges)),
        "n_edges": network.dag.n_edges,
        "n_constant": len(constant),
    }


def main() -> None:
    network = networks.load(NETWORK)
    data = network.sample(N_ROWS, random_state=SEED)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EiderdownWarning)  # about columns of a single value
        small = networks.load("asia").sample(1_000, random_state=0)
        for search in SEARCHES:  # compile
            learn_network(small, algorithm=search, n_jobs=1, progress=False)
        rows = {
            search: measured(search, network, data, CAP if search == "ges_restarts" else None)
            for search in SEARCHES
        }
    record = {"network": NETWORK, "n_rows": N_ROWS, "seed": SEED, "cap": CAP}
    record["truth"] = true_graph(network, data)
    write_record("order_search", {**record, "searches": rows})


if __name__ == "__main__":
    main()
