"""Chapter V of Brown (2009) on networks whose truth is known: predictions after an intervention.

Run with ``make experiment-manipulation``; ``--quick`` takes two networks, three targets and 500
rows, and saves nothing. Every strategy learns from the same untouched rows. Test 0: nothing is set.
Test 1: a random half of the other columns is set at random, and the strategies know which. Test 2:
all of them are set, and the strategies know nothing. Finished cells are kept in
``experiments/.kept`` until all of it is done.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from statistics import fmean
from typing import Any

from brown2009_manipulation_cells import RESAMPLES, TESTS, cell
from brown2009_manipulation_measures import RELATIONS, interval
from brown2009_manipulation_networks import LARGE, N_IN_LARGE, N_TEST, SEED, Study, studies
from brown2009_manipulation_strategies import STRATEGIES
from harness import ROOT, Record, Table, quick_wanted, recording, say, verdict
from joblib import Parallel, delayed
from kept_cells import KeptCells
from lucas import run_lucas

ROWS = (500, 2_000, 5_000)
ORDER = (500, 5_000, 2_000)
"""The ends first: if the experiment is stopped, they say more than the middle."""
N_TARGETS = 20
JOBS = 2
RIVALS = ("boundary", "thesis", "all")
NEAR, HALF = 0.01, 0.5
TOLERANCE = 0.0005
"""Differences are judged as they are printed, to three decimals."""

Outcome = dict[str, Any]
Outcomes = dict[tuple[str, int], list[Outcome]]

TITLES = {
    0: "Test 0, nothing set: AUC (R2 for numbers)",
    1: "Test 1, a known half of the columns set at random: AUC (R2 for numbers)",
    2: "Test 2, all columns set and none known; targets with parents: AUC (R2 for numbers)",
}

NOTES = [
    "R2 below -1 counts as -1. In the mixed networks some targets are classes (AUC) and some are "
    "numbers (R2); the mean is over both. Targets are drawn from the nodes whose commonest class "
    "has at most 95 % of the rows and that have a neighbour that is seen; up to 15 % of the nodes, "
    "drawn from those with two children, are hidden.",
    "All strategies use one model (see experiments/brown2009_manipulation_measures.py), so that "
    "sets of columns are compared. CausalPredictor chooses its columns here without its comparison "
    "of the boundary with FSMB, elimination and all columns.",
    "The thesis's strategy: the boundary of MMMB, one run of RegionMMHC (BDeu for categories, the "
    "kernel generalised variance where there are numbers), and Y-tests as find_causes makes them.",
    "Causes that were found are right if they are ancestors of the target, effects if they are "
    "descendants; recall is of parents and children that are seen. Y-tests: of the target's edges "
    "that a Y-test makes causal, those that are so, without hidden common cause; recall, where all "
    "nodes are seen, of those edges whose surroundings in the true graph let a Y-test succeed.",
]


def run(record: Record, cells: KeptCells, *, quick: bool) -> None:
    """Measure every cell, and fill the tables, with what there is if the experiment is stopped."""
    aims = record.table("Aims", ("aim", "ours", "verdict"))
    made = studies(3, ("Alarm", "mixed")) if quick else studies(N_TARGETS)
    tell_networks(record, made)
    outcomes: Outcomes = {}
    small_first = sorted(made, key=lambda study: study.dag.n_nodes > LARGE)
    rows = ORDER[:1] if quick else ORDER
    tasks = [(study, n_rows) for n_rows in rows for study in small_first]
    parallel = Parallel(n_jobs=JOBS, return_as="generator_unordered")
    try:
        for key, outcome in parallel(delayed(kept)(cells, *task) for task in tasks):
            outcomes[key] = outcome
            say(f"{key[0]}, {key[1]:,} rows: done")
    finally:
        places = {study.label: place for place, study in enumerate(made)}
        outcomes = dict(sorted(outcomes.items(), key=lambda item: (places[item[0][0]], item[0][1])))
        tell(record, aims, outcomes)


def kept(cells: KeptCells, study: Study, n_rows: int) -> tuple[tuple[str, int], list[Outcome]]:
    """Return a cell, read or made, in a process of its own."""
    name = "".join(c if c.isalnum() else "_" for c in f"{study.label}_{n_rows}")
    return (study.label, n_rows), cells.get(name, partial(cell, study, n_rows))


def tell(record: Record, aims: Table, outcomes: Outcomes) -> None:
    """Fill the tables."""
    for test in TESTS:
        tell_scores(record, outcomes, test)
    tell_differences(record, outcomes)
    tell_orphans(record, outcomes)
    tell_roles(record, outcomes)
    tell_relations(record, outcomes)
    judge(aims, outcomes)


def tell_networks(record: Record, made: Sequence[Study]) -> None:
    """List what is studied."""
    table = record.table(
        "Networks", ("network", "nodes", "edges", "hidden", "targets", "without parents")
    )
    for study in made:
        orphans = sum(not study.dag.parents(target) for target in study.targets)
        sizes = study.dag.n_nodes, study.dag.n_edges, len(study.hidden)
        table.rows.append((study.label, *sizes, len(study.targets), orphans))


def counted(outcomes: Sequence[Outcome], test: int) -> list[Outcome]:
    """Return the targets that count: in test 2 those that have something to be predicted from."""
    return [item for item in outcomes if test < 2 or item["has parents"]]


def scores(outcomes: Sequence[Outcome], test: int, strategy: str) -> list[float]:
    """Return a strategy's scores in a test, one for each target."""
    return [item["scores"][str(test)][strategy] for item in outcomes]


def differences(outcomes: Outcomes, label: str, test: int, rival: str) -> list[float]:
    """Return our default minus a rival for each target, as a mean over numbers of rows."""
    by_target: dict[str, list[float]] = {}
    for (name, _), items in outcomes.items():
        for item in counted(items, test) if name == label else ():
            own = item["scores"][str(test)]
            by_target.setdefault(item["target"], []).append(own["default"] - own[rival])
    return [fmean(own) for own in by_target.values()]


def labels(outcomes: Outcomes) -> list[str]:
    """Return the networks in order, each once."""
    return list(dict.fromkeys(label for label, _ in outcomes))


def tell_scores(record: Record, outcomes: Outcomes, test: int) -> None:
    """Show the mean score of each strategy."""
    table = record.table(TITLES[test], ("network", "rows", *STRATEGIES))
    for (label, n_rows), items in outcomes.items():
        if own := counted(items, test):
            means = [f"{fmean(scores(own, test, s)):.3f}" for s in STRATEGIES]
            table.rows.append((label, n_rows, *means))


def tell_differences(record: Record, outcomes: Outcomes) -> None:
    """Show how much better our default is, with intervals over targets."""
    table = record.table(
        "Our default minus others: means over targets and numbers of rows, with 95 % intervals "
        "(bootstrap over targets)",
        ("network", "test", *(f"minus {rival}" for rival in (*RIVALS, "oracle"))),
    )
    for label in labels(outcomes):
        for test in TESTS:
            cells = [
                _written(differences(outcomes, label, test, rival)) for rival in (*RIVALS, "oracle")
            ]
            table.rows.append((label, str(test), *cells))


def tell_orphans(record: Record, outcomes: Outcomes) -> None:
    """Show test 2 for targets that have no parents: nothing can predict them."""
    table = record.table("Test 2, targets without parents", ("network", "targets", *STRATEGIES))
    for label in labels(outcomes):
        own = [
            item
            for (name, _), items in outcomes.items()
            for item in items
            if name == label and not item["has parents"]
        ]
        if own:
            n_targets = len({item["target"] for item in own})
            means = [f"{fmean(scores(own, 2, s)):.3f}" for s in STRATEGIES]
            table.rows.append((label, n_targets, *means))


def tell_roles(record: Record, outcomes: Outcomes) -> None:
    """Show precision and recall of causes, effects and Y-tests."""
    heads = [f"{kind}: {what}" for kind in ("causes", "effects") for what in ("prec.", "recall")]
    table = record.table(
        "Directions of our default",
        ("network", "rows", *heads, "undecided", "Y-tests: prec.", "Y-tests: recall"),
    )
    for (label, n_rows), items in outcomes.items():
        total = {key: sum(item["roles"][key] for item in items) for key in items[0]["roles"]}
        shares = [
            _share(total[f"{kind} {part}"], total[whole])
            for kind in ("causes", "effects")
            for part, whole in (("right", f"{kind} found"), ("found of them", kind))
        ]
        found = total["causes found"] + total["effects found"] + total["undecided"]
        tests = [
            _share(total["Y-tests right"], total["Y-tests found"]),
            _share(total["Y-tests found of them"], total["Y-tests findable"]),
        ]
        table.rows.append((label, n_rows, *shares, _share(total["undecided"], found), *tests))


def tell_relations(record: Record, outcomes: Outcomes) -> None:
    """Show what the chosen columns are to the target, as figure V-5 does."""
    table = record.table(
        "What chosen columns are to the target, means per target (V-5)",
        ("test", "strategy", "columns", *RELATIONS),
    )
    for test in TESTS:
        for strategy in STRATEGIES:
            rows = [
                item["chosen"][str(test)][strategy] for items in outcomes.values() for item in items
            ]
            means = [fmean(own) for own in zip(*rows, strict=True)]
            table.rows.append((str(test), strategy, sum(means), *means))


def judge(aims: Table, outcomes: Outcomes) -> None:
    """Compare with what was aimed at."""
    names = labels(outcomes)
    behind = [-d for label in names for d in differences(outcomes, label, 0, "oracle")]
    mean, low, high = interval(behind)
    far = [n for n in names if fmean(differences(outcomes, n, 0, "oracle")) < -NEAR]
    ours = f"{mean:+.4f} ({low:+.4f} to {high:+.4f}) behind{_named('further on', far)}"
    aims.rows.append(("Test 0: within .01 of the oracle on average", ours, verdict(mean <= NEAR)))
    for test in (1, 2):
        for rival in RIVALS:
            worse = [
                f"{name} by {_written(own)}, {len(own)} targets"
                for name in names
                if (own := differences(outcomes, name, test, rival)) and fmean(own) < -TOLERANCE
            ]
            aim = f"Test {test}: on every network at least as good as {rival}"
            ours = f"on {len(names) - len(worse)} of {len(names)}{_named('not on', worse)}"
            aims.rows.append((aim, ours, verdict(not worse)))
    for rival in RIVALS:
        together = [d for name in names for d in differences(outcomes, name, 1, rival)]
        _, low, _ = interval(together)
        aim = f"Test 1: clearly better than {rival}, all networks together"
        aims.rows.append((aim, _written(together), verdict(low > 0)))
    _judge_gap(aims, outcomes)


def _judge_gap(aims: Table, outcomes: Outcomes) -> None:
    """Say how much of the way from all columns to the oracle is gone in test 2."""
    gained = possible = 0.0
    for (_, n_rows), items in outcomes.items():
        if n_rows == max(n for _, n in outcomes):
            for item in counted(items, 2):
                own = item["scores"]["2"]
                gained += own["default"] - own["all"]
                possible += own["oracle"] - own["all"]
    share = gained / possible if possible else 0.0
    most = max(n for _, n in outcomes)
    aim = f"Test 2: at least half of the gap from all columns to the oracle closed at n = {most:,}"
    aims.rows.append((aim, f"{share:.0%}", verdict(share >= HALF)))


def _written(numbers: Sequence[float]) -> str:
    if not numbers:
        return ""
    mean, low, high = interval(numbers)
    return f"{mean:+.3f} ({low:+.3f} to {high:+.3f})"


def _share(part: int, whole: int) -> str | None:
    return f"{part / whole:.2f}" if whole else None


def _named(what: str, names: Sequence[str]) -> str:
    return f"; {what} {'; '.join(names)}" if names else ""


def main() -> None:
    """Run the experiment."""
    quick = quick_wanted(__doc__)
    params = {
        "rows": list(ROWS),
        "targets": f"{N_TARGETS}, and {N_IN_LARGE} in networks of more than {LARGE} nodes",
        "resamples": f"{RESAMPLES} in place of the default 20, shared by the targets of a table",
        "test rows": N_TEST,
        "seed": SEED,
    }
    record = Record(
        name="brown2009_manipulation",
        title="Prediction after intervention",
        paper="Brown 2009, chapter V",
        params=params,
        notes=list(NOTES),
    )
    cells = KeptCells(None if quick else ROOT / "experiments" / ".kept" / record.name, params)
    with recording(record, quick=quick):
        run(record, cells, quick=quick)
        run_lucas(record, cells, quick=quick)
    if record.complete:
        cells.clear()


if __name__ == "__main__":
    main()
