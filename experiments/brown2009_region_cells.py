"""The networks of Brown (2009), chapter IV, and what searches make of one sample of one of them.

Searches are in two families. *As published* are MMHC and RegionMMHC with one climb and the G2 test,
and AlgorithmGPC with the same test. *Ours* are the library's own choices: climbs with restarts, and
the calibrated X2 test. Time is that of one core (CPU seconds of a search with one worker): other
work on the machine would show on the clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar
from unittest.mock import patch

import numpy as np
from brown2009_published_regions import GPC_DISTANCES
from brown2009_region_measures import region_distance

from eiderdown import learn_network, learn_region, networks
from eiderdown.data import Dataset
from eiderdown.graphs import PDAG
from eiderdown.networks import DiscreteNetwork
from eiderdown.scores import BDEU
from eiderdown.structure import MMHC_RESTARTS
from eiderdown.structure.hybrid import mmhc as hybrid

SEED = 2009
ALPHA = 0.05
DEPTHS = (1, 2, 3, 4, 5)
ROWS = (500, 1_000, 5_000)
MOST_SAMPLES = 5
# Samples and targets of each network; in the thesis 5 and 10. Those that take longer have fewer.
SHARES = {
    "Alarm": (5, 10),
    "RN50": (5, 10),
    "RN100": (5, 10),
    "Alarm10": (5, 10),
    "Ins10": (5, 10),
    "RN500": (1, 3),
    "Hail5": (1, 3),
    "Pigs": (1, 3),
}
OPTIONS: dict[str, Any] = {
    "alpha": ALPHA,
    "score": BDEU(equivalent_sample_size=10.0),
    "progress": False,
    "n_jobs": 1,
}
G_SQUARE = "g_square"
WHOLE: dict[str, dict[str, Any]] = {
    "mmhc": {"test": G_SQUARE},
    # By default it takes neighbours from either side; regions take them from both.
    "mmhc_restarts": {"algorithm": MMHC_RESTARTS(symmetry="and")},
}
REGIONS: dict[str, dict[str, Any]] = {
    "region_mmhc": {"test": G_SQUARE},
    "region_mmhc_restarts": {},
    "gpc": {"test": G_SQUARE},
}
PARAMS = {
    "alpha": ALPHA,
    "score": "BDeu, equivalent sample size 10",
    "seed": SEED,
    "as published": "MMHC, RegionMMHC and GPC by the G2 test; climbs with TABU list, restarts: 0",
    "ours": "MMHC and RegionMMHC by the calibrated X2 test; restarts: 1; symmetry: and",
}
TILES = {"Ins10": ("insurance", 10), "Hail5": ("hailfinder", 5), "Alarm10": ("alarm", 10)}

Found = TypeVar("Found")
Key: TypeAlias = tuple[str, int]
"""A network and a number of rows."""


@dataclass
class Study:
    """A network, samples of it by number of rows, and the targets to ask about."""

    name: str
    network: DiscreteNetwork
    samples: dict[int, list[Dataset]]
    targets: list[str]


def study_of(name: str, *, quick: bool = False) -> Study:
    """Make a network, sample it, and draw targets that vary in all samples."""
    seed = [SEED, *name.encode()]
    network = _network(name, np.random.default_rng(seed))
    n_samples, n_targets = (1, 3) if quick else (MOST_SAMPLES, SHARES[name][1])
    samples = {
        n_rows: [
            network.sample(n_rows, random_state=np.random.default_rng([*seed, n_rows, k]))
            for k in range(n_samples)
        ]
        for n_rows in (ROWS[:2] if quick else ROWS)
    }
    constant = {v for of_n in samples.values() for data in of_n for v in data.constant_columns()}
    nodes = [v for v in network.dag.nodes if v not in constant]
    chosen = np.random.default_rng([*seed, 0]).choice(len(nodes), size=n_targets, replace=False)
    return Study(name, network, samples, [nodes[int(i)] for i in chosen])


def _network(name: str, generator: np.random.Generator) -> DiscreteNetwork:
    if name in TILES:
        base, n_tiles = TILES[name]
        return networks.tile(networks.load(base), n_tiles, random_state=generator)
    if name.startswith("RN"):
        return thesis_network(int(name[2:]), generator)
    return networks.load(name.lower())


def thesis_network(n_nodes: int, generator: np.random.Generator) -> DiscreteNetwork:
    """Draw a random network as in IV.5: fan-in uniform from 1 to 5, two or three categories."""
    return networks.random_network(n_nodes, min_parents=1, max_parents=5, random_state=generator)


def cell_name(name: str, n_rows: int, k: int) -> str:
    """Name what is measured on one sample."""
    return f"{name}-{n_rows}-{k}"


@dataclass
class Restricted:
    """What the climbs of a search were: their nodes and seconds."""

    n_nodes: int = 0
    seconds: float = 0.0


@contextmanager
def climbs_watched() -> Iterator[Restricted]:
    """Note the nodes among which MMHC and RegionMMHC climb, and the seconds of the climb alone.

    Figure IV-5 is about the time without it.
    """
    noted, climb_among = Restricted(), hybrid.climb_among

    def watched(problem: Any, candidates: Any, *rest: Any) -> Any:
        started = time.process_time()
        found = climb_among(problem, candidates, *rest)
        noted.n_nodes, noted.seconds = len(candidates), time.process_time() - started
        return found

    with patch.object(hybrid, "climb_among", watched):
        yield noted


def measured(study: Study, n_rows: int, k: int) -> dict[str, Any]:
    """Let all searches learn from one sample, around the same targets.

    The result can be kept as JSON. "whole" has by search the seconds, those before the climb, and
    the distance from the true network; "regions" has by search, depth and target the seconds, those
    before the climb, the nodes of the climb and the distance from the true region; a region of MMHC
    is cut out of the whole network, and has the distance only.
    """
    data, true = study.samples[n_rows][k], study.network.dag.to_cpdag()
    cut = {(v, d): true.region(v, d) for v in study.targets for d in DEPTHS}
    whole: dict[str, list[float]] = {}
    regions: dict[str, list[list[list[float]]]] = {}
    for search, options in WHOLE.items():
        # What is prepared once for a table counts for none of the searches.
        learn_region(data, target=study.targets[0], **OPTIONS, test=options.get("test", "auto"))
        with climbs_watched() as climb:
            found, seconds = timed(learn_network, data, **{"algorithm": search, **options})
        pattern = found.cpdag
        whole[search] = [seconds, seconds - climb.seconds, region_distance(pattern, true)]
        regions[search] = [
            [[region_distance(pattern.region(v, d), cut[v, d])] for v in study.targets]
            for d in DEPTHS
        ]
    for search in REGIONS:
        if search != "gpc" or (study.name, n_rows) in GPC_DISTANCES:
            regions[search] = [
                [_region(data, search, v, d, cut[v, d]) for v in study.targets] for d in DEPTHS
            ]
    return {"whole": whole, "regions": regions}


def seconds_in(cell: dict[str, Any]) -> float:
    """Return the seconds of all searches of a cell."""
    whole = sum(numbers[0] for numbers in cell["whole"].values())
    found = (cell["regions"][search] for search in REGIONS if search in cell["regions"])
    return float(whole + sum(t[0] for by_depth in found for d in by_depth for t in d))


def _region(data: Dataset, search: str, target: str, depth: int, true: PDAG) -> list[float]:
    with climbs_watched() as climb:
        found, seconds = timed(
            learn_region, data, target=target, depth=depth, algorithm=search, **REGIONS[search]
        )
    return [
        seconds,
        seconds - climb.seconds,
        climb.n_nodes,
        region_distance(found.cpdag, true),
    ]


def timed(learn: Callable[..., Found], data: Dataset, **more: Any) -> tuple[Found, float]:
    """Return what is learned, and its seconds on one core."""
    started = time.process_time()
    found = learn(data, **{**OPTIONS, **more})
    return found, time.process_time() - started


def warm_up() -> None:
    """Search once by everything, so that no time goes into loading compiled code later."""
    data = networks.load("asia").sample(500, random_state=SEED)
    for search, options in WHOLE.items():
        learn_network(data, **{"algorithm": search, **OPTIONS, **options})
    for search, options in REGIONS.items():
        learn_region(data, target="either", algorithm=search, **OPTIONS, **options)
