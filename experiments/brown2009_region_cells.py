"""The networks of Brown (2009), chapter IV, and what MMHC, RegionMMHC and GPC find in samples.

Time is that of one core (CPU seconds of a search with one worker): other work on the machine would
show on the clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from statistics import fmean
from typing import Any, TypeAlias, TypeVar

import numpy as np
from brown2009_region_measures import p_value, region_distance

from eiderdown import learn_network, learn_region, networks
from eiderdown.data import Dataset
from eiderdown.networks import DiscreteNetwork
from eiderdown.scores import BDEU

SEED = 2009
ALPHA = 0.05
DEPTHS = (1, 2, 3, 4, 5)
NAMES = {"region_mmhc": "region_mmhc_restarts"}
OPTIONS: dict[str, Any] = {
    "alpha": ALPHA,
    "score": BDEU(equivalent_sample_size=10.0),
    "progress": False,
    "n_jobs": 1,
}
# Samples and targets of each network; in the thesis 5 and 10. The whole is to take few minutes.
SHARES = {
    "Alarm": (3, 5),
    "Ins10": (1, 3),
    "Hail5": (1, 2),
    "Alarm10": (1, 3),
    "Pigs": (1, 3),
    "RN50": (3, 5),
    "RN100": (1, 3),
    "RN500": (1, 2),
}
# With many categories and few rows GPC tries very many sets: there those of one must do.
SMALL_SETS = {"Hail5": {"max_given": 1}}
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


def studies(row_numbers: tuple[int, ...], *, quick: bool) -> Iterator[Study]:
    """Make the networks, sample them, and draw targets that vary in all samples."""
    for k, (name, (n_samples, n_targets)) in enumerate(SHARES.items()):
        if quick and name not in ("Alarm", "RN50"):
            continue
        generator = np.random.default_rng([SEED, k])
        network = _network(name, generator)
        wanted = 1 if quick else n_samples
        samples = {
            n_rows: [network.sample(n_rows, random_state=generator) for _ in range(wanted)]
            for n_rows in row_numbers
        }
        constant = {
            v for of_n in samples.values() for data in of_n for v in data.constant_columns()
        }
        nodes = [v for v in network.dag.nodes if v not in constant]
        chosen = generator.choice(len(nodes), size=3 if quick else n_targets, replace=False)
        yield Study(name, network, samples, [nodes[int(i)] for i in chosen])


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


@dataclass
class Answers:
    """Seconds and distances of one search, by pair of sample and target."""

    seconds: list[float] = field(default_factory=list)
    distances: list[float] = field(default_factory=list)

    def add(self, seconds: float, distance: float) -> None:
        """Add what was found for one pair."""
        self.seconds.append(seconds)
        self.distances.append(distance)


@dataclass
class Outcome:
    """What the searches made of the samples of one network with one number of rows."""

    answers: dict[tuple[str, int], Answers] = field(default_factory=dict)
    whole: Answers = field(default_factory=Answers)
    n_edges: dict[int, list[int]] = field(default_factory=dict)

    def time_share(self, search: str, other: str, depth: int) -> float:
        """Return the time of a search in per cent of another's."""
        ours, theirs = self.answers[search, depth], self.answers[other, depth]
        return 100 * fmean(ours.seconds) / fmean(theirs.seconds)

    def is_faster(self, search: str, other: str, depth: int) -> bool:
        """Whether a search is faster than another, and hardly by chance."""
        ours, theirs = self.answers[search, depth].seconds, self.answers[other, depth].seconds
        return fmean(ours) < fmean(theirs) and p_value(ours, theirs, seed=SEED) < ALPHA

    def excess(self, search: str, other: str, depth: int) -> float:
        """Return the mean distance of a search minus that of another."""
        ours, theirs = self.answers[search, depth], self.answers[other, depth]
        return fmean(ours.distances) - fmean(theirs.distances)

    def differs(self, search: str, other: str, depth: int) -> bool:
        """Whether the distances of two searches differ, and hardly by chance."""
        ours, theirs = self.answers[search, depth], self.answers[other, depth]
        return p_value(ours.distances, theirs.distances, seed=SEED) < ALPHA


def outcome(study: Study, n_rows: int) -> Outcome:
    """Let all searches learn from the same samples, around the same targets."""
    true = study.network.dag.to_cpdag()
    cell = Outcome(
        {(search, d): Answers() for search in ("mmhc", "region_mmhc", "gpc") for d in DEPTHS},
        n_edges={d: [true.region(v, d).n_edges for v in study.targets] for d in DEPTHS},
    )
    limits = SMALL_SETS.get(study.name, {})
    for data in study.samples[n_rows]:
        # What is prepared once for a table counts for none of the searches.
        learn_region(data, target=study.targets[0], **OPTIONS, **limits)
        network, seconds = timed(learn_network, data, algorithm="mmhc_restarts", **limits)
        cell.whole.add(seconds, region_distance(network.cpdag, true))
        for target, depth in product(study.targets, DEPTHS):
            region = true.region(target, depth)
            cut = network.cpdag.region(target, depth)
            cell.answers["mmhc", depth].add(seconds, region_distance(cut, region))
            for search in ("region_mmhc", "gpc"):
                found, local_seconds = timed(
                    learn_region,
                    data,
                    target=target,
                    depth=depth,
                    algorithm=NAMES.get(search, search),
                    **limits,
                )
                distance = region_distance(found.cpdag, region)
                cell.answers[search, depth].add(local_seconds, distance)
    return cell


def timed(learn: Callable[..., Found], data: Dataset, **more: Any) -> tuple[Found, float]:
    """Return what is learned, and its seconds on one core."""
    started = time.process_time()
    found = learn(data, **{**OPTIONS, **more})
    return found, time.process_time() - started


def warm_up() -> None:
    """Search once, so that no time goes into loading compiled code later."""
    data = networks.load("asia").sample(500, random_state=SEED)
    learn_network(data, **OPTIONS)
    for search in ("region_mmhc", "gpc"):
        learn_region(data, target="either", algorithm=NAMES.get(search, search), **OPTIONS)
