"""Calls for networks and regions."""

from __future__ import annotations

import corpus_tables as tables
import neutral
from calls import (
    call,
    network,
    region,
)

from eiderdown import Dataset, Knowledge


@call("network/mmhc", changes="published: one climb; today's restarts=0")
def mmhc():
    return _each_table("mmhc", {})


@call("network/mmhc_restarts", changes="today's default of mmhc (restarts=1)")
def mmhc_restarts():
    return _each_table("mmhc_restarts", {"symmetry": "and"})


@call("network/hill_climbing", changes="published: one climb with a TABU list; today's restarts=0")
def hill_climbing():
    return _each_table("hill_climbing", {})


@call("network/hill_climbing_restarts", changes="today's default of hill_climbing (restarts=1)")
def hill_climbing_restarts():
    return _each_table("hill_climbing_restarts", {})


@call("network/hill_climbing_plain", changes="no TABU list: only climbs, as in textbooks")
def hill_climbing_plain():
    return _each_table("hill_climbing", {"tabu_length": 0, "patience": 1})


@call("network/ges", changes="published: two phases; today's retries=False")
def ges():
    return _each_table("ges", {})


@call("network/ges_restarts", changes="today's default of ges (retries=True)")
def ges_restarts():
    return _each_table("ges_restarts", {})


@call("network/kes")
def kes():
    return {
        "default": _each_table("kes", {}),
        "turning": neutral.learned(
            network(tables.child(), "kes", {"k": 0.3, "turning": True}, random_state=5)
        ),
    }


@call(
    "network/pc_stable",
    changes="published: all sets, no test that a collider shows; today's max_given",
)
def pc_stable():
    return _each_table("pc_stable", {})


@call("network/pc_stable_small_sets", changes="today's default of pc_stable (sets of 2 at most)")
def pc_stable_small_sets():
    return _each_table("pc_confirmed", {})


@call(
    "network/pc_stable_orientations",
    changes="published: no test that a collider shows; today's max_given for all sets",
)
def pc_stable_orientations():
    return {
        rule: neutral.learned(
            network(tables.child(), "pc_stable", {"orientation": rule}, alpha=0.05)
        )
        for rule in ("majority", "conservative")
    }


@call("network/sparse_candidate")
def sparse_candidate():
    return _each_table("sparse_candidate", {"candidates": 4})


@call("network/lookahead_sparse_candidate")
def lookahead_sparse_candidate():
    return _each_table("lookahead_sparse_candidate", {"candidates": 4})


@call("network/skewed_sparse_candidate")
def skewed_sparse_candidate():
    own = {"candidates": 3, "restrict_skews": 5, "search_skews": 5, "patience": 2}
    return neutral.learned(
        network(tables.asia(), "skewed_sparse_candidate_patient", own, random_state=0)
    )


def _each_table(algorithm, own, **options):
    return {
        "discrete": neutral.learned(network(tables.child(), algorithm, own, **options)),
        "continuous": neutral.learned(network(tables.ten_genes(), algorithm, own, **options)),
        "large": neutral.learned(network(tables.alarm(500), algorithm, own, **options)),
    }


@call("network/knowledge", changes="all of the above: the published forms by today's options")
def with_knowledge():
    known = Knowledge(
        tiers=[["asia", "smoke"], ["tub", "lung", "bronc", "either"], ["xray", "dysp"]],
        required=[("smoke", "bronc")],
        forbidden=[("lung", "bronc"), ("bronc", "lung")],
    )
    few = Knowledge(tiers=known.tiers, required=known.required, max_parents=1)
    published = {
        "mmhc": {},
        "hill_climbing": {},
        "ges": {},
        "kes": {"k": 0.5},
        "sparse_candidate": {},
    }
    return {
        **{
            name: neutral.learned(network(tables.asia(), name, own, knowledge=known))
            for name, own in published.items()
        },
        "pc_stable": neutral.learned(network(tables.asia(), "pc_stable", knowledge=known)),
        "max_parents": neutral.learned(network(tables.asia(), "hill_climbing", {}, knowledge=few)),
        "gpc": neutral.learned(region(tables.asia(), "either", "gpc", depth=2, knowledge=known)),
    }


@call("network/each_score", changes="hill_climbing: one climb; today's restarts=0")
def by_each_score():
    tabled = {
        **dict.fromkeys(("bic", "aic", "bdeu", "k2", "k2_penalised"), tables.asia()),
        **dict.fromkeys(("gaussian_bic", "bge"), tables.ten_genes()),
        "kgv": Dataset.of(tables.mixed()),
    }
    return {
        score: neutral.learned(network(data, "hill_climbing", {}, score))
        for score, data in tabled.items()
    }


@call("network/mixed_columns", changes="published forms, by today's options")
def network_of_mixed_columns():
    data = tables.mixed()
    return {
        "hill_climbing": neutral.learned(network(data, "hill_climbing", {})),
        "ges": neutral.learned(network(data, "ges", {}, exclude=["noise"])),
        "pc_stable": neutral.learned(network(data, "pc_stable")),
        "mmhc": neutral.learned(network(data, "mmhc", {}, "bic")),
    }


@call("region/region_mmhc", changes="published: one climb; today's restarts=0")
def region_mmhc():
    return _each_region("region_mmhc", {})


@call("region/region_mmhc_restarts", changes="today's default (restarts=1)")
def region_mmhc_restarts():
    return _each_region("region_mmhc_restarts", {})


@call("region/region_dsep_mmhc", changes="published: one climb; today's restarts=0")
def region_dsep_mmhc():
    return _each_region("region_dsep_mmhc", {})


@call("region/region_dsep_mmhc_restarts", changes="today's default (restarts=1)")
def region_dsep_mmhc_restarts():
    return _each_region("region_dsep_mmhc_restarts", {})


@call("region/gpc")
def gpc():
    return _each_region("gpc", {})


def _each_region(algorithm, own):
    return {
        f"{target} {depth}": neutral.learned(region(data, target, algorithm, own, depth=depth))
        for data, target in ((tables.child(), "Disease"), (tables.genes(), "lacA"))
        for depth in (1, 2)
    }
