"""Results of confidence made by hand, for texts and pictures."""

from __future__ import annotations

from dataclasses import replace

from test_text_report import RUN

from eiderdown.results import FeatureConfidence, FoundModel, GraphFeature, OptimaBySize, OptimaCount

# The best of four models is rain -> wet <- hose, wet -> slip.
RESULT = FeatureConfidence(
    nodes=("rain", "hose", "wet", "slip", "idle"),
    features=(
        GraphFeature("directed", "hose", "wet", 1.0, True),
        GraphFeature("directed", "rain", "wet", 0.75, True),
        GraphFeature("directed", "wet", "slip", 0.25, True),
        GraphFeature("undirected", "slip", "wet", 0.5, False),
        GraphFeature("undirected", "rain", "wet", 0.25, False),
        GraphFeature("path", "hose", "wet", 1.0, True),
        GraphFeature("path", "rain", "wet", 0.75, True),
        GraphFeature("path", "hose", "slip", 0.25, True),
        GraphFeature("path", "rain", "slip", 0.25, True),
        GraphFeature("path", "wet", "slip", 0.25, True),
        GraphFeature("boundary", "hose", "wet", 1.0, True),
        GraphFeature("boundary", "rain", "wet", 1.0, True),
        GraphFeature("boundary", "hose", "rain", 0.75, True),
        GraphFeature("boundary", "slip", "wet", 0.75, True),
    ),
    models=(
        FoundModel((("rain", "wet"), ("hose", "wet"), ("wet", "slip")), (), -1234.5, 90),
        FoundModel((("rain", "wet"), ("hose", "wet")), (("slip", "wet"),), -1235.0, 5),
        FoundModel((("rain", "wet"), ("hose", "wet")), (), -1236.0, 4),
        FoundModel((("hose", "wet"),), (("slip", "wet"), ("rain", "wet")), -1237.0, 1),
    ),
    source="kes",
    weighting="distinct",
    n_runs=100,
    run=RUN,
)
BOUNDARIES = FeatureConfidence(
    nodes=("age", "job", "pay"),
    features=(
        GraphFeature("boundary", "age", "pay", 1.0, True),
        GraphFeature("boundary", "job", "pay", 0.4, False),
    ),
    models=(
        FoundModel((), (), None, 3, (("age", "pay"),)),
        FoundModel((), (), None, 2, (("age", "pay"), ("job", "pay"))),
    ),
    source="boundaries",
    weighting="runs",
    n_runs=5,
    target="pay",
    run=RUN,
)
OPTIMA = OptimaBySize(
    (
        OptimaCount(0.1, 500, 0, 80, 100, -9.0, 11),
        OptimaCount(0.1, 500, 1, 60, 100, -8.0, 14),
        OptimaCount(1.0, 5_000, 0, 3, 100, None, 46),
    ),
    RUN,
)


def with_edges(*edges, n_nodes=0):
    """A result with some directed edges: (tail, head, confidence, whether in the model)."""
    names = sorted({name for edge in edges for name in edge[:2]})
    others = [f"z{i:05}" for i in range(n_nodes - len(names))]
    features = tuple(GraphFeature("directed", *edge) for edge in edges)
    kept = tuple((f.left, f.right) for f in features if f.in_model)
    model = FoundModel(kept, (), -1.0, 1)
    return replace(RESULT, nodes=(*names, *others), features=features, models=(model,))
