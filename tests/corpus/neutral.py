"""Answers as plain JSON, in words of the corpus's own: fields and classes may be renamed freely.

When an attribute of a result is renamed, follow it here; answers.json stays as it is.
"""

from __future__ import annotations

import numpy as np

from eiderdown.independence import Allows

_ALLOWED = {"both": True, "nothing": False, "dependence": "dependence", "function": "function"}
_ALLOWED |= {kind: _ALLOWED[kind.name.lower()] for kind in Allows}


def plain(value):
    """Turn arrays, tuples and numbers of NumPy into lists and numbers of Python."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted(plain(item) for item in value)
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, float):
        return float(f"{value:.12g}")
    assert value is None or isinstance(value, (str, int, bool)), type(value)
    return value


def evidence(item):
    return [
        item.variable,
        item.decision,
        sorted(item.given),
        item.statistic,
        item.dof,
        item.log_p,
        item.n_used,
        item.effect,
        _ALLOWED[item.allows],
    ]


def local(result):
    """A boundary, or parents and children."""
    near = result.parents_children
    return {
        "target": result.target,
        "members": sorted(result.members),
        "evidence": [evidence(item) for item in result.evidence],
        "parents_children": None if near is None else sorted(near),
        "spouses": sorted(result.spouses.items()),
        "warnings": n_warnings(result),
        "tests": result.run.n_tests,
        "complete": result.complete,
    }


def n_warnings(result):
    """How many, without those about columns lost to others, which came after the corpus."""
    return sum(
        "Lost from the" not in text and "is empty, though" not in text for text in result.warnings
    )


def members(result):
    """The short form of the above."""
    return [sorted(result.members), result.run.n_tests, n_warnings(result)]


def edges(graph):
    """Edges of a graph of any sort."""
    return sorted(
        [left, arrow, right]
        if arrow == "->"
        else [*sorted((left, right))[:1], "--", max(left, right)]
        for left, arrow, right in graph.marked_edges()
    )


def learned(result):
    """A network or a region."""
    return {
        "nodes": sorted(result.nodes),
        "edges": sorted(
            [
                edge.left,
                "->" if edge.directed else "--",
                edge.right,
                edge.compelled,
                edge.gain,
                None if edge.test is None else evidence(edge.test),
            ]
            for edge in result.edges
        ),
        "class": edges(result.cpdag),
        "score": result.score,
        "separated": sorted(
            [*sorted(pair), sorted(given)] for pair, given in result.separating_sets.items()
        ),
        "warnings": n_warnings(result),
        "tests": result.run.n_tests,
        "complete": result.complete,
    }


def all_boundaries(result):
    return {target: local(found) for target, found in result.items()}


def boundaries(result):
    return {
        "found": [
            [
                sorted(item.members),
                item.n_runs,
                None if item.accuracy is None else [item.accuracy.score, item.accuracy.balanced],
                item.boundary.run.random_state,
            ]
            for item in result.alternatives
        ],
        "replacements": [
            [sorted(item.these), sorted(item.those), item.n_pairs] for item in result.replacements
        ],
        "interchangeable": [sorted(group) for group in result.interchangeable],
        "runs": result.n_runs,
        "tests": result.run.n_tests,
        "warnings": n_warnings(result),
    }


def cross_validation(score):
    return (
        None if score is None else [score.measure, score.mean, score.standard_error, score.n_folds]
    )


def kept(item):
    return [
        item.name,
        sorted(item.factors),
        item.weight,
        evidence(item.evidence),
        sorted(item.same_as),
        item.classes,
    ]


def interactions(result):
    machine, search = result.svm, result.search
    return {
        "variables": sorted(result.variables),
        "monomials": [kept(item) for item in result.monomials],
        "by_chance": [kept(item) for item in result.by_chance],
        "machine": [
            machine.degree,
            machine.C,
            machine.n_support_vectors,
            cross_validation(machine.score),
            cross_validation(machine.nested_score),
            [[tried.degree, tried.C, tried.mean] for tried in machine.tried],
        ],
        "search": [search.method, search.n_total, search.n_found, search.n_proven],
        "linear": cross_validation(result.linear_score),
        "warnings": n_warnings(result),
    }


def comparison(result):
    return {
        "measure": result.measure,
        "columns": result.n_variables,
        "rows": {
            row.name: [
                [
                    trial.n_variables,
                    None if trial.variables is None else sorted(trial.variables),
                    trial.score,
                    trial.degree,
                    trial.C,
                ]
                for trial in row.trials
            ]
            for row in result.selectors
        },
        "problems": sorted(row.name for row in result.selectors if row.problem is not None),
    }


def frozen_word(word):
    """Say a word that has changed as it was when the answers were frozen."""
    return {"boundary": "neighbour", "boundaries": "neighbours"}.get(word, word)


def confidence(result):
    return {
        "features": sorted(
            [frozen_word(item.kind), item.left, item.right, item.confidence, item.in_model]
            for item in result.features
        ),
        "models": [
            [
                sorted(map(list, model.directed)),
                sorted(sorted(pair) for pair in model.undirected),
                model.score,
                model.n_runs,
            ]
            for model in result.models[:5]
        ],
        "distinct": result.n_distinct,
        "runs": result.n_runs,
        "weighting": result.weighting,
        "thresholds": {
            frozen_word(group): result.suggested_threshold(group) for group in result.groups
        },
        "curves": {
            frozen_word(group): [
                [
                    point.threshold,
                    point.true_positives,
                    point.false_positives,
                    point.false_negatives,
                ]
                for point in result.curve(group)
            ]
            for group in result.groups
        },
        "warnings": n_warnings(result),
    }


def optima(result):
    return [
        [count.share, count.n_rows, count.repeat, count.n_distinct, count.n_runs, count.best_score]
        for count in result.counts
    ]


def stability(result):
    return {
        "edges": sorted(
            [edge.left, edge.right, edge.adjacent, edge.forward, edge.backward]
            for edge in result.edges
        ),
        "nodes": sorted(map(list, result.nodes.items())),
        "resamples": result.n_resamples,
        "consensus": edges(result.consensus()),
        "warnings": n_warnings(result),
    }


_BY_KIND = {
    "MarkovBoundary": local,
    "ParentsChildren": local,
    "LearnedNetwork": learned,
    "LearnedRegion": learned,
    "AllBoundaries": all_boundaries,
    "Boundaries": boundaries,
    "Interactions": interactions,
    "SelectorComparison": comparison,
    "FeatureConfidence": confidence,
    "OptimaBySize": optima,
    "EdgeStability": stability,
}


def orientation(result):
    """Causes and effects around a column."""
    return {
        "target": result.target,
        "neighbours": [
            [item.name, item.cause, item.effect, item.parent_tests, item.child_tests]
            for item in result.neighbours
        ],
        "spouses": [[item.name, item.children, item.probability] for item in result.spouses],
        "y tests": [[y.a, y.b, y.c, y.d, y.p_score] for y in result.y_structures],
        "edges": edges(result.graph),
        "engine": result.engine,
        "warnings": n_warnings(result),
    }


def any_result(result):
    """Whatever was loaded from a file, by its class."""
    return _BY_KIND[type(result).__name__](result)


def tests(batch):
    """Answers of a test of independence."""
    return [
        [
            int(item.x),
            int(item.y),
            sorted(map(int, item.given)),
            item.statistic,
            item.dof,
            item.log_p,
            item.n_used,
            item.effect,
            _ALLOWED[item.allows],
        ]
        for item in batch
    ]


def top_monomials(found):
    return {
        "monomials": [
            [sorted(map(list, monomial.factors)), weight]
            for monomial, weight in zip(found.monomials, found.weights, strict=True)
        ],
        "total": found.n_total,
        "proven": found.n_proven,
    }


def subset_selection(selection):
    return {
        "order": selection.order,
        "rounds": [[item.n_variables, item.score] for item in selection.rounds],
        "members": sorted(selection.members),
    }


def discrete_network(network):
    return {
        "edges": edges(network.dag),
        "tables": {node: network.table(node) for node in sorted(network.dag.nodes)},
    }


def gaussian_network(network):
    return {
        node: [
            network.intercept(node),
            sorted(map(list, network.coefficients(node).items())),
            network.standard_deviation(node),
        ]
        for node in sorted(network.dag.nodes)
    }


def table(data):
    """The shape of a table, and sums that would change with any of its values."""
    return {
        "names": list(data.names),
        "kinds": [data.kind(i).name.lower() for i in range(data.n_columns)],
        "categories": [
            list(map(str, data.categories(i))) if data.is_discrete[i] else None
            for i in range(data.n_columns)
        ],
        "sums": [
            float(
                np.dot(
                    data.codes(i) if data.is_discrete[i] else data.values(i),
                    np.arange(1, data.n_rows + 1) / data.n_rows,
                )
            )
            for i in range(data.n_columns)
        ],
    }
