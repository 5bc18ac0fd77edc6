"""Calls for confidence, optima and stability."""

from __future__ import annotations

import corpus_tables as tables
import neutral
from calls import (
    ALL_SETS,
    MMHC,
    call,
)

import eiderdown
from eiderdown.boundary import KIAMB


@call("confidence/kes")
def confidence_by_kes():
    found = eiderdown.measure_confidence(
        tables.asia(300), k=0.3, runs=60, random_state=0, n_jobs=1, progress=False
    )
    turning = eiderdown.measure_confidence(
        tables.ten_genes(),
        k=0.5,
        runs=20,
        turning=True,
        weighting="score",
        max_parents=2,
        target="lacA",
        random_state=1,
        n_jobs=2,
        progress=False,
    )
    return {
        "found": neutral.confidence(found),
        "boundary": sorted(map(list, found.boundary("dysp").items())),
        "against": neutral.confidence(found.against(tables.true_graph("asia"))),
        "turning": neutral.confidence(turning),
    }


@call("confidence/resamples", changes="mmhc: one climb; today's restarts=0")
def confidence_by_resamples():
    options = {"source": "resamples", "random_state": 0, "n_jobs": 1, "progress": False}
    network_ = eiderdown.measure_confidence(tables.asia(500), runs=8, **MMHC, **options)
    boundary_ = eiderdown.measure_confidence(
        tables.asia(500),
        runs=8,
        algorithm="iamb",
        target="dysp",
        method="subsample",
        share=0.6,
        alpha=0.05,
        **options,
    )
    return {"network": neutral.confidence(network_), "boundary": neutral.confidence(boundary_)}


@call("confidence/boundaries")
def confidence_by_boundaries():
    found = eiderdown.measure_confidence(
        tables.copies(),
        source="boundaries",
        target="t",
        runs=20,
        algorithm=KIAMB(fraction=0.3),
        random_state=0,
        n_jobs=1,
        progress=False,
    )
    return neutral.confidence(found)


@call("optima")
def optima():
    found = eiderdown.measure_optima(
        tables.asia(),
        shares=(0.3, 1.0),
        repeats=2,
        runs=25,
        k=0.3,
        score="bdeu",
        random_state=0,
        n_jobs=1,
        progress=False,
    )
    return neutral.optima(found)


@call("stability", changes="mmhc: one climb; today's restarts=0. pc_stable: today's max_given")
def stability():
    options = {"random_state": 0, "n_jobs": 1, "progress": False}
    learners = {
        "mmhc": (tables.asia(500), MMHC),
        "pc_stable": (
            tables.asia(500),
            {"algorithm": "pc_stable", "max_given": ALL_SETS, "method": "subsample"},
        ),
        "get_pc": (tables.child(500), {"algorithm": "get_pc", "target": "Disease", "share": 0.8}),
        "gpc": (tables.child(500), {"algorithm": "gpc", "target": "Disease", "depth": 2}),
    }
    return {
        name: neutral.stability(
            eiderdown.measure_stability(data, resamples=6, **learner, **options)
        )
        for name, (data, learner) in learners.items()
    }


@call("causes")
def causes():
    options = {"resamples": 6, "random_state": 0, "n_jobs": 1, "progress": False}
    found = eiderdown.find_causes(tables.asia(2_000), "either", **options)
    climbed = eiderdown.find_causes(tables.ten_genes(), "lacA", search="climb", **options)
    blankets = {
        str(names): eiderdown.manipulation.blanket_under(found, names).columns
        for names in (None, "unknown", ("xray", "tub"))
    }
    return {
        "asia": neutral.orientation(found),
        "genes": neutral.orientation(climbed),
        "blankets": blankets,
    }
