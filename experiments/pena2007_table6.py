"""Table 6 of Pena et al. (2007): IAMB and PCMB on samples of Alarm and Pigs, every node a target.

Run with ``make experiment-table6``; ``--quick`` looks at a few samples and saves nothing.

The paper's numbers cannot all be means over the same nodes: a mean distance is never below
1 - mean recall, yet Alarm at 5,000 rows has recall .86 and distance .11. Leaving out nodes for
which nothing was found (their precision is 0/0) explains it: one such node of Alarm's 37 is worth
.027. So the published distance is that over the nodes with an answer, and by it cells are judged;
the mean over all nodes, where nothing found counts as recall 0, stands beside it.

The authors' tables of Alarm are subsamples of one table of 20,000 rows (see alarm_provenance), so
that is what is judged; the same with rows drawn anew for each sample stands beside it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import fmean
from typing import Literal, TypeAlias

import numpy as np
from alarm_provenance import ALARM, fixed_table, reordered, subsamples
from harness import Record, Table, quick_wanted, recording, say, verdict

from eiderdown import find_all_boundaries, networks
from eiderdown.data import Dataset
from eiderdown.graphs import boundary_scores
from eiderdown.independence import G_SQUARE

Draw: TypeAlias = Callable[[int, int], list[Dataset]]
"""Draws samples: of how many rows, and how many."""

Rule: TypeAlias = Literal["rows_per_stratum", "rows_per_dof", "rows_per_cell"]

ALPHA = 0.01
SLACK = 0.03
N_SAMPLES = {"alarm": 10, "pigs": 10}

RULES: tuple[Rule, ...] = ("rows_per_stratum", "rows_per_dof", "rows_per_cell")
TWO_RULES: tuple[Rule, ...] = ("rows_per_stratum", "rows_per_dof")

# network -> rows -> algorithm -> (precision, recall, distance)
PAPER = {
    "alarm": {
        100: {"iamb": (0.85, 0.46, 0.54), "pcmb": (0.79, 0.49, 0.51)},
        200: {"iamb": (0.87, 0.60, 0.42), "pcmb": (0.95, 0.56, 0.38)},
        500: {"iamb": (0.91, 0.72, 0.30), "pcmb": (0.94, 0.72, 0.26)},
        1_000: {"iamb": (0.93, 0.80, 0.22), "pcmb": (0.99, 0.79, 0.18)},
        2_000: {"iamb": (0.92, 0.83, 0.22), "pcmb": (1.00, 0.83, 0.14)},
        5_000: {"iamb": (0.92, 0.86, 0.18), "pcmb": (1.00, 0.86, 0.11)},
        10_000: {"iamb": (0.92, 0.90, 0.14), "pcmb": (1.00, 0.90, 0.08)},
        20_000: {"iamb": (0.94, 0.92, 0.10), "pcmb": (1.00, 0.92, 0.05)},
    },
    "pigs": {
        100: {"iamb": (0.82, 0.59, 0.48), "pcmb": (0.83, 0.82, 0.29)},
        200: {"iamb": (0.80, 0.82, 0.37), "pcmb": (0.97, 0.96, 0.07)},
        500: {"iamb": (0.82, 0.84, 0.34), "pcmb": (0.98, 1.00, 0.02)},
    },
}
# Where the published recall of the largest boundary is stated, it is at this many rows.
HUB_ROWS = 500
PAPER_HUB = {"iamb": 0.04, "pcmb": 1.00}

COLUMNS = (
    "rows",
    "algorithm",
    "reliability rule",
    "precision",
    "(paper)",
    "recall",
    "(paper)",
    "distance, nodes with an answer",
    "(paper)",
    f"within {SLACK:.2f}",
    "distance, all nodes",
    "distance of the means",
    "CPU seconds, all nodes",
    "reason of a miss",
)
HUB_COLUMNS = ("algorithm", "reliability rule", "found", "fewest", "most", "share", "(paper)")


@dataclass
class Scores:
    """Scores of all nodes of all samples of one cell of the table."""

    precision: list[float]
    recall: list[float]
    distance: list[float]
    answered: list[bool]
    seconds: list[float]
    hub: list[int]

    @property
    def distance_where_answered(self) -> float:
        """Mean distance over nodes for which something was found."""
        kept = [d for d, some in zip(self.distance, self.answered, strict=True) if some]
        return fmean(kept) if kept else 1.0

    @property
    def distance_of_means(self) -> float:
        """Distance of mean precision and mean recall from (1, 1)."""
        return float(np.hypot(1 - fmean(self.precision), 1 - fmean(self.recall)))


@dataclass(frozen=True)
class Fit:
    """How near one cell of the table comes to the paper's."""

    misfit: float
    met: bool

    @classmethod
    def of(cls, scores: Scores, paper: tuple[float, float, float]) -> Fit:
        """Compare precision and recall, and the distance with its slack."""
        ours = fmean(scores.precision), fmean(scores.recall)
        met = scores.distance_where_answered <= paper[2] + SLACK
        return cls(float(np.hypot(*np.subtract(ours, paper[:2]))), met)


class Search:
    """One network: its truth, and what an algorithm makes of samples of it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.network = networks.load(name)
        dag = self.network.dag
        self.truth = {node: dag.markov_boundary(node) for node in dag.nodes}
        self.hub = max(dag.nodes, key=lambda node: len(self.truth[node]))

    def samples(self, n_rows: int, n_samples: int) -> list[Dataset]:
        """Draw samples anew, the same for every algorithm and rule."""
        generators = (np.random.default_rng([n_rows, k]) for k in range(n_samples))
        return [self.network.sample(n_rows, random_state=each) for each in generators]

    def scores(self, samples: list[Dataset], algorithm: str, rule: Rule) -> Scores:
        """Search every node of every sample."""
        scores = Scores([], [], [], [], [], [])
        test = G_SQUARE(reliability=rule)
        for data in samples:
            started = time.process_time()
            found = find_all_boundaries(
                data, algorithm=algorithm, alpha=ALPHA, test=test, progress=False, n_jobs=1
            )
            scores.seconds.append(time.process_time() - started)
            for node, true in self.truth.items():
                # A node that is constant in the sample is no target: nothing was found for it.
                members = found[node].members if node in found else ()
                score = boundary_scores(members, true)
                scores.precision.append(score.precision)
                scores.recall.append(score.recall)
                scores.distance.append(score.distance)
                scores.answered.append(len(members) > 0)
                if node == self.hub:
                    scores.hub.append(len(set(members) & true))
        return scores


def reason(scores: Scores, paper: tuple[float, float, float]) -> str:
    """Say why a distance is further than the slack from the paper's."""
    precision, recall, distance = paper
    if scores.distance_where_answered <= distance + SLACK:
        return ""
    lower = [
        what
        for what, ours, published in (
            ("precision", fmean(scores.precision), precision),
            ("recall", fmean(scores.recall), recall),
        )
        if ours < published - 0.005
    ]
    if lower:
        return f"lower {' and '.join(lower)}"
    return "errors of single nodes"


def cells(network: str, quick: bool) -> Iterator[tuple[int, str, tuple[float, float, float]]]:
    """Go through the cells of the paper's table."""
    for n_rows, by_algorithm in PAPER[network].items():
        if quick and n_rows > 500:
            return
        for algorithm, paper in by_algorithm.items():
            yield n_rows, algorithm, paper


def run(
    record: Record,
    search: Search,
    title: str,
    draw: Draw,
    *,
    rules: tuple[Rule, ...] = TWO_RULES,
    quick: bool,
) -> None:
    """Fill one table of a network, and what it says of the rules."""
    network = search.name
    table = record.table(title, COLUMNS)
    hub = Table(
        f"{search.hub} of Pigs, whose boundary has {len(search.truth[search.hub])} members, from "
        f"{HUB_ROWS} rows: members found, mean over the samples",
        HUB_COLUMNS,
    )
    fits: dict[tuple[str, str], list[Fit]] = {}
    for n_rows, algorithm, paper in cells(network, quick):
        samples = draw(n_rows, 1 if quick else N_SAMPLES[network])
        for rule in rules:
            say(f"{title}, {n_rows:,} rows: {algorithm}, {rule}")
            scores = search.scores(samples, algorithm, rule)
            table.rows.append(_row(n_rows, algorithm, rule, scores, paper))
            fits.setdefault((algorithm, rule), []).append(Fit.of(scores, paper))
            if n_rows == HUB_ROWS:
                hub.rows.append(_hub_row(search, algorithm, rule, scores))
    if network == "pigs":
        record.tables.append(hub)
    _tell_rules(table, fits)


def _row(
    n_rows: int, algorithm: str, rule: str, scores: Scores, paper: tuple[float, float, float]
) -> tuple[str | int | float, ...]:
    precision, recall, distance = map(fmean, (scores.precision, scores.recall, scores.distance))
    answered = scores.distance_where_answered
    return (
        n_rows,
        algorithm,
        rule,
        precision,
        paper[0],
        recall,
        paper[1],
        answered,
        paper[2],
        verdict(answered <= paper[2] + SLACK),
        distance,
        scores.distance_of_means,
        fmean(scores.seconds),
        reason(scores, paper),
    )


def _hub_row(
    search: Search, algorithm: str, rule: str, scores: Scores
) -> tuple[str | int | float, ...]:
    found, n_true = scores.hub, len(search.truth[search.hub])
    share = fmean(found) / n_true
    return algorithm, rule, fmean(found), min(found), max(found), share, PAPER_HUB[algorithm]


def _tell_rules(table: Table, fits: dict[tuple[str, str], list[Fit]]) -> None:
    """Say for each algorithm which rule comes nearest to the paper, and how often each meets it."""
    for algorithm in dict.fromkeys(algorithm for algorithm, _ in fits):
        of_rule = {rule: fit for (other, rule), fit in fits.items() if other == algorithm}
        misfit = {rule: fmean(cell.misfit for cell in fit) for rule, fit in of_rule.items()}
        nearest = min(misfit, key=lambda rule: misfit[rule])
        met = ", ".join(
            f"{rule} {sum(cell.met for cell in fit)} of {len(fit)}" for rule, fit in of_rule.items()
        )
        table.notes.append(
            f"{algorithm}: distances within {SLACK:.2f} of the paper's or better: {met}. The "
            f"published precision and recall are nearest to those of {nearest} (mean difference "
            f"{misfit[nearest]:.3f})."
        )


def run_alarm(record: Record, *, quick: bool) -> None:
    """Fill the tables of Alarm: subsamples of one table, of either network, and rows drawn anew."""
    search = Search("alarm")
    of = f"{len(search.truth)} nodes"
    for name, network in (("Alarm", search.network), ("Alarm, reordered", reordered())):
        table = fixed_table(network=network)

        def draw(n_rows: int, n_samples: int, table: Dataset = table) -> list[Dataset]:
            return list(subsamples(table, n_rows, n_samples))

        title = f"{name}: subsamples of one table of {table.n_rows:,} rows, {of}"
        rules = RULES if network is search.network else TWO_RULES
        run(record, search, title, draw, rules=rules, quick=quick)
    run(record, search, f"Alarm: rows drawn anew, {of}", search.samples, quick=quick)


def run_pigs(record: Record, *, quick: bool) -> None:
    """Fill the tables of Pigs, by the paper's rule."""
    search = Search("pigs")
    title = f"Pigs, {len(search.truth)} nodes"
    run(record, search, title, search.samples, rules=("rows_per_dof",), quick=quick)


def main() -> None:
    """Run the experiment."""
    quick = quick_wanted(__doc__)
    record = Record(
        name="pena2007_table6",
        title="Precision and recall of IAMB and PCMB on Alarm and Pigs",
        paper="Pena, Nilsson, Bjorkegren & Tegner 2007, table 6",
        params={
            "alpha": ALPHA,
            "samples": N_SAMPLES,
            "seed of sample k": "numpy default_rng([rows, k]), of a subsample [2004, rows, k]",
            "test": "G2, adjusted degrees of freedom",
            "largest conditioning set": "iamb no limit, pcmb 3",
        },
        notes=[
            "A mean distance is never below 1 - mean recall, yet several published distances are. "
            "Nodes for which nothing was found must have been left out of them (precision 0/0); "
            "one of Alarm's 37 nodes is worth .027. So cells are judged by the distance over the "
            "nodes with an answer. In the means over all nodes such a node has precision 1 and "
            "recall 0.",
            "The paper does not say that its rule of reliability counts nominal degrees of freedom "
            "while its p-values use adjusted ones, but on Pigs that pair gives its numbers almost "
            "to the digit. This is the rule rows_per_dof here; rows_per_stratum, the default, also "
            "leaves out thin strata.",
            ALARM,
        ],
    )
    with recording(record, quick=quick):
        run_alarm(record, quick=quick)
        run_pigs(record, quick=quick)


if __name__ == "__main__":
    main()
