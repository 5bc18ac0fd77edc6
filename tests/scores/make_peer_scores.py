"""Write peer_scores.json: local scores of small tables by pyagrum and pybnesian.

Run it with a Python that has both (the ``peers`` extra):

    python tests/scores/make_peer_scores.py

pyagrum scores in units of ln 2, with log-gamma to about seven digits; BDeu is pybnesian's.
"""

import json
import math
from importlib.metadata import version
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pyagrum
import pybnesian

N_ROWS = 150
LEVELS = {"a": 2, "b": 3, "c": 2, "d": 4, "e": 3}


def discrete_table(rng):
    """Draw a chain with some noise; every level occurs."""
    codes = {name: np.arange(N_ROWS) % n for name, n in LEVELS.items()}
    for column in codes.values():
        rng.shuffle(column)
    codes["c"] = np.where(rng.random(N_ROWS) < 0.7, codes["a"], codes["c"])
    codes["e"] = np.where(rng.random(N_ROWS) < 0.6, codes["b"], codes["e"])
    return pd.DataFrame({name: codes[name].astype(str) for name in LEVELS})


def continuous_table(rng):
    """Draw correlated columns of different scales."""
    mixed = rng.normal(size=(N_ROWS, 4)) @ rng.normal(size=(4, 4)) * [1.0, 5.0, 0.3, 2.0] + 3.0
    return pd.DataFrame(mixed.round(6), columns=list("wxyz"))


def families(names):
    """List every column with every set of at most three parents."""
    for child in names:
        others = [name for name in names if name != child]
        for size in range(4):
            yield from ((child, list(parents)) for parents in combinations(others, size))


def discrete_scores(frame):
    """Score every family by both tools."""
    frame_of_categories = frame.astype("category")
    network = pybnesian.DiscreteBN(list(frame))
    bde = {size: pybnesian.BDe(frame_of_categories, iss=size) for size in (1, 10)}
    learners = {}
    for name in ("Log2Likelihood", "BIC", "K2"):
        learners[name] = pyagrum.BNLearner(frame)
        getattr(learners[name], f"useScore{name}")()
    for child, parents in families(list(frame)):
        yield {
            "child": child,
            "parents": parents,
            "log_likelihood": learners["Log2Likelihood"].score(child, parents) * math.log(2),
            "bic": learners["BIC"].score(child, parents) * math.log(2),
            "k2": learners["K2"].score(child, parents) * math.log(2),
            "bdeu_1": bde[1].local_score(network, child, parents),
            "bdeu_10": bde[10].local_score(network, child, parents),
        }


def continuous_scores(frame):
    """Score every family by pybnesian's BGe, which does not standardise."""
    network = pybnesian.GaussianNetwork(list(frame))
    bge = pybnesian.BGe(frame)
    for child, parents in families(list(frame)):
        score = bge.local_score(network, child, parents)
        yield {"child": child, "parents": parents, "bge": score}


def main():
    """Write the file beside this one."""
    rng = np.random.default_rng(20_250_101)
    discrete, continuous = discrete_table(rng), continuous_table(rng)
    written = {
        "made_by": {
            "script": Path(__file__).name,
            "pyagrum": version("pyagrum"),
            "pybnesian": version("pybnesian"),
        },
        "discrete": {name: "".join(discrete[name]) for name in discrete},
        "discrete_scores": list(discrete_scores(discrete)),
        "continuous": continuous.to_dict("list"),
        "continuous_scores": list(continuous_scores(continuous)),
    }
    target = Path(__file__).with_name("peer_scores.json")
    target.write_text(json.dumps(written, indent=1) + "\n")


if __name__ == "__main__":
    main()
