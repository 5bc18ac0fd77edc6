"""Every search of this layer by name; the capability table of the docs is made from this."""

from __future__ import annotations

from eiderdown.old_registry import Algorithm, Option, Registry
from eiderdown.structure.equivalence.ges import ges
from eiderdown.structure.equivalence.ges_restarts import ges_restarts
from eiderdown.structure.equivalence.kes import kes
from eiderdown.structure.gpc import gpc
from eiderdown.structure.hill_climbing import hill_climbing
from eiderdown.structure.mmhc import mmhc
from eiderdown.structure.pc_stable import pc_stable
from eiderdown.structure.region import region_dsep_mmhc, region_mmhc
from eiderdown.structure.search import Structure
from eiderdown.structure.skewed_search import skewed_sparse_candidate
from eiderdown.structure.sparse_candidate import sparse_candidate

DIRECTED = "directed graph"
PATTERN = "pattern"

_TSAMARDINOS = "Tsamardinos, Brown & Aliferis 2006"

_TABU_LENGTH = Option("tabu_length", 100, "how many of the last graphs may not come again")
_PATIENCE = Option("patience", 15, "changes without a new best graph that end a climb")
_RESTARTS = Option(
    "restarts", 1, "rounds in which each column in turn loses its edges before another climb"
)
_CLIMB = (_TABU_LENGTH, _PATIENCE, _RESTARTS)
_ORIENTATION = Option(
    "orientation", "standard", "which sets decide about colliders; or 'majority', 'conservative'"
)
_N_CANDIDATES = Option("candidates", 6, "k: candidate parents of a column, its parents included")

NETWORK_ALGORITHMS: Registry[Structure] = Registry(
    [
        Algorithm(
            name="mmhc",
            function=mmhc,
            summary="Finds neighbours by MMPC, then climbs among the edges between them.",
            paper=f"{_TSAMARDINOS}; Brown 2009, algorithm 7",
            assumes=("faithfulness",),
            returns=DIRECTED,
            options=_CLIMB,
            exact=False,
            random=True,
        ),
        Algorithm(
            name="hill_climbing",
            function=hill_climbing,
            summary="Adds, deletes and turns edges while the score rises, and a little beyond.",
            paper=f"{_TSAMARDINOS}, with a TABU list",
            assumes=(),
            returns=DIRECTED,
            options=_CLIMB,
            exact=False,
            random=True,
        ),
        Algorithm(
            name="ges",
            function=ges,
            summary="Inserts edges into the class of graphs while the score rises, then deletes.",
            paper="Chickering 2002",
            assumes=("faithfulness",),
            returns=PATTERN,
        ),
        Algorithm(
            name="ges_restarts",
            function=ges_restarts,
            summary="GES, then other starts, turned edges, and each edge undone and retried.",
            paper="Chickering 2002; retries after Nazaret & Blei 2024",
            assumes=("faithfulness",),
            returns=PATTERN,
            random=True,
        ),
        Algorithm(
            name="kes",
            function=kes,
            summary="Moves to the best of a random share of the better classes next to the last.",
            paper="Nielsen, Kocka & Pena 2003",
            assumes=("faithfulness",),
            returns=PATTERN,
            options=(
                Option("k", 0.8, "share of the better classes of which the best is taken"),
                Option("turning", False, "also turn edges"),
            ),
            random=True,
        ),
        Algorithm(
            name="pc_stable",
            function=pc_stable,
            summary="Removes edges whose ends some set separates, then directs by colliders.",
            paper="Spirtes, Glymour & Scheines 2000; Colombo & Maathuis 2014",
            assumes=("faithfulness",),
            returns=PATTERN,
            options=(_ORIENTATION,),
        ),
        Algorithm(
            name="sparse_candidate",
            function=sparse_candidate,
            summary="Climbs among a few candidate parents of each column, chosen again and again.",
            paper="Friedman, Nachman & Pe'er 1999",
            assumes=(),
            returns=DIRECTED,
            options=(_N_CANDIDATES,),
            exact=False,
        ),
        Algorithm(
            name="skewed_sparse_candidate",
            function=skewed_sparse_candidate,
            summary="Sparse Candidate that also looks at reweighted rows; finds hidden effects.",
            paper="Lantz, Ray & Page 2007",
            assumes=("discrete columns",),
            returns=DIRECTED,
            options=(
                _N_CANDIDATES,
                Option("restrict_skews", 30, "T1: weightings by which candidates are chosen"),
                Option("search_skews", 30, "T2: weightings by which the graph is changed"),
                Option("least_favour", 0.5, "weakest skew, from 0.5 for none"),
                Option("most_favour", 1.0, "strongest skew, up to 1 for one level alone"),
                Option("patience", 3, "rounds without a better graph that end the skewing"),
            ),
            exact=False,
            random=True,
        ),
    ]
)

REGION_ALGORITHMS: Registry[Structure] = Registry(
    [
        Algorithm(
            name="region_mmhc",
            function=region_mmhc,
            summary="Finds rings of neighbours by MMPC, climbs among them, cuts off the last.",
            paper="Brown 2009, algorithm 8",
            assumes=("faithfulness",),
            returns=DIRECTED,
            options=_CLIMB,
            exact=False,
            random=True,
        ),
        Algorithm(
            name="region_dsep_mmhc",
            function=region_dsep_mmhc,
            summary="Keeps one ring more, so that separation reads as in the whole network.",
            paper="Brown 2009, algorithm 9",
            assumes=("faithfulness",),
            returns=DIRECTED,
            options=_CLIMB,
            exact=False,
            random=True,
        ),
        Algorithm(
            name="gpc",
            function=gpc,
            summary="Grows rings of parents and children by GetPC, then directs by colliders.",
            paper="Pena, Bjorkegren & Tegner 2005; Brown 2009, chapter IV",
            assumes=("faithfulness",),
            returns=PATTERN,
        ),
    ]
)

TESTING = frozenset(["mmhc", "pc_stable", "region_mmhc", "region_dsep_mmhc", "gpc"])
"""Searches that need a test of independence."""

SCORING = frozenset(
    [
        "mmhc",
        "hill_climbing",
        "ges",
        "ges_restarts",
        "kes",
        "sparse_candidate",
        "skewed_sparse_candidate",
        "region_mmhc",
        "region_dsep_mmhc",
    ]
)
"""Searches that need a score."""
