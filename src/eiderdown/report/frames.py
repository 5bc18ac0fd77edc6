"""The main table of every kind of result: rows and typed columns, and from them a pandas frame.

A notebook shows the first rows of the same tables (:mod:`eiderdown.report.notebook`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from eiderdown.report.ordering import by_levels, edge_strength
from eiderdown.results import (
    AllBoundaries,
    Boundaries,
    BoundaryCheck,
    BoundaryPath,
    EdgeStability,
    Evidence,
    FeatureConfidence,
    IndependenceAnswer,
    Interactions,
    KeptMonomial,
    LearnedGraph,
    LearnedSkeleton,
    LocalResult,
    OptimaBySize,
    Orientation,
    ParentsChildren,
    Predictions,
    Result,
    ResultChanges,
    SelectorComparison,
)

if TYPE_CHECKING:
    import pandas

Sort: TypeAlias = Literal["text", "names", "number", "share", "count", "truth", "log_p", "p"]
"""What a column holds: ``names`` are tuples of texts, ``p`` a p-value given by its logarithm."""

_DTYPES: Mapping[Sort, str] = {
    "number": "float64",
    "share": "float64",
    "count": "int64",
    "truth": "bool",
    "log_p": "float64",
    "p": "float64",
}


@dataclass(frozen=True)
class MainTable:
    """The rows of a result, and what each column holds.

    Attributes
    ----------
    columns : mapping of str to Sort
        Names of the columns, in order.
    rows : sequence of tuples
        A value for each column; None where there is none.
    of : str
        What a row is about.
    """

    columns: Mapping[str, Sort]
    rows: Sequence[tuple[Any, ...]]
    of: str = "row"

    def frame(self) -> pandas.DataFrame:
        """Return a pandas frame whose types of columns do not depend on the rows."""
        import pandas

        values = list(zip(*self.rows, strict=True)) or [()] * len(self.columns)
        return pandas.DataFrame(
            {
                name: _series(sort, column)
                for (name, sort), column in zip(self.columns.items(), values, strict=True)
            }
        )


def frame(result: Result) -> pandas.DataFrame:
    """Return the main table of a result as a pandas frame.

    Numbers are ``float64`` (NaN where there is none), counts ``int64``, truths ``bool``; texts have
    the type that pandas gives them, and sets of columns are tuples.

    ======================  =======================================================================
    kind of result          columns, with a row for
    ======================  =======================================================================
    LocalResult             each decisive test: variable, decision, role, given, statistic, dof,
                            log_p, p_value, effect, n_used, answer, probability
    AllBoundaries           each member: target, then as above without decision and answer, mutual
    Boundaries              each alternative: members, size, n_runs, share, accuracy, balanced
    LearnedGraph            each edge, the strongest first: left, right, directed, compelled, gain,
                            given, statistic, log_p, p_value, effect; marks, where asked for
    LearnedSkeleton         each number of edges: n_edges, n_columns that have so many
    EdgeStability           each edge: left, right, adjacent, forward, backward, undirected
    FeatureConfidence       each feature: kind, left, right, confidence, in_model
    OptimaBySize            each sample: share, n_rows, repeat, n_distinct, n_runs, best_score,
                            n_edges
    Orientation             each neighbour and spouse: column, role, cause, effect, undecided,
                            probability, through, cause_tests, effect_tests, why
    Predictions             each row: the target's name; "probability of ..." each class
    Interactions            each monomial: monomial, columns, kept, degree, weight, given,
                            statistic, dof, log_p, p_value, beyond_chance
    SelectorComparison      each selector: selector, n_variables, percentage, AUC or R2,
                            standard_error, seconds, problem
    IndependenceAnswer      the one test: x, y, given, answer, test, statistic, dof, log_p, p_value,
                            effect, n_used, alpha
    BoundaryCheck           each test: variable, decision, answer, then as of LocalResult
    BoundaryPath            each column: variable, smallest_alpha, "at ..." each alpha
    ResultChanges           each change: what, sort, before, after, why
    ======================  =======================================================================

    Examples
    --------
    >>> from eiderdown import find_boundary, networks
    >>> data = networks.load("asia").sample(5_000, random_state=0)
    >>> found = find_boundary(data, target="dysp").to_frame()
    >>> found.loc[found["decision"] == "kept", ["variable", "role", "effect"]].round(3)
      variable             role  effect
    0    bronc  parent or child   0.692
    1   either  parent or child   0.304
    """
    return main_table(result).frame()


@singledispatch
def main_table(result: Result) -> MainTable:
    """Return the main table of a result; of a kind that has no table of its own, an empty one."""
    del result
    return MainTable({}, ())


def _series(sort: Sort, values: Sequence[Any]) -> pandas.Series[Any]:
    import pandas

    if sort == "p":
        values = [math.nan if log_p is None else math.exp(log_p) for log_p in values]
    dtype = _DTYPES.get(sort)
    if dtype is None:  # pandas chooses how to hold texts
        return pandas.Series(list(values), dtype=None if values else "object")
    if dtype == "float64":
        values = [math.nan if value is None else value for value in values]
    return pandas.Series(list(values), dtype=dtype)


_TEST: Mapping[str, Sort] = {
    "given": "names",
    "statistic": "number",
    "dof": "number",
    "log_p": "log_p",
    "p_value": "p",
    "effect": "number",
    "n_used": "count",
}


def _test(item: Evidence | IndependenceAnswer) -> tuple[Any, ...]:
    numbers = (item.statistic, item.dof, item.log_p, item.log_p, item.effect, item.n_used)
    return (item.given, *numbers)


def role_of(variable: str, result: LocalResult) -> str:
    """Say what a member is to the target, where the search can tell."""
    if variable in result.spouses:
        return f"spouse via {result.spouses[variable]}"
    if isinstance(result, ParentsChildren) or variable in (result.parents_children or ()):
        return "parent or child"
    return ""


@main_table.register
def _(result: LocalResult) -> MainTable:
    options = result.run.options
    level = options.get("level", options.get("alpha", 1.0))
    rows = []
    for item in result.evidence:
        role = role_of(item.variable, result) if item.decision == "kept" else ""
        likely = result.probabilities.get(item.variable, 0.0 if result.probabilities else None)
        rows.append(
            (item.variable, item.decision, role, *_test(item), item.answer(level), likely),
        )
    first: dict[str, Sort] = {"variable": "text", "decision": "text", "role": "text"}
    return MainTable(
        {**first, **_TEST, "answer": "text", "probability": "share"}, rows, "decisive test"
    )


@main_table.register
def _(result: BoundaryCheck) -> MainTable:
    first: dict[str, Sort] = {"variable": "text", "decision": "text", "answer": "text"}
    rows = [(x.variable, x.decision, x.answer(result.alpha), *_test(x)) for x in result.evidence]
    return MainTable({**first, **_TEST}, rows, "test")


@main_table.register
def _(result: AllBoundaries) -> MainTable:
    rows = []
    for target, found in result.items():
        for item in found.evidence_with("kept"):
            other = result.results.get(item.variable)
            mutual = other is not None and target in other.members
            role = role_of(item.variable, found)
            likely = found.probabilities.get(item.variable)
            rows.append((target, item.variable, role, *_test(item), likely, mutual))
    first: dict[str, Sort] = {"target": "text", "variable": "text", "role": "text"}
    return MainTable({**first, **_TEST, "probability": "share", "mutual": "truth"}, rows, "member")


@main_table.register
def _(result: Boundaries) -> MainTable:
    columns: dict[str, Sort] = {
        "members": "names",
        "size": "count",
        "n_runs": "count",
        "share": "share",
        "accuracy": "number",
        "balanced": "number",
    }
    rows = []
    for item in result:
        score = None if item.accuracy is None else item.accuracy.score
        balanced = None if item.accuracy is None else item.accuracy.balanced
        share = item.n_runs / result.n_runs
        rows.append((item.members, len(item.members), item.n_runs, share, score, balanced))
    return MainTable(columns, rows, "alternative")


@main_table.register
def _(result: LearnedGraph) -> MainTable:
    columns: dict[str, Sort] = {
        "left": "text",
        "right": "text",
        "directed": "truth",
        "compelled": "truth",
        "gain": "number",
        "given": "names",
        "statistic": "number",
        "log_p": "log_p",
        "p_value": "p",
        "effect": "number",
    }
    marked = any(edge.ends is not None for edge in result.edges)
    if marked:
        columns["marks"] = "text"
    rows: list[tuple[Any, ...]] = []
    for edge in sorted(result.edges, key=edge_strength):
        test = edge.test
        numbers: tuple[Any, ...] = ((), None, None, None, None)
        if test is not None:
            numbers = (test.given, test.statistic, test.log_p, test.log_p, test.effect)
        marks = (edge.marks,) if marked else ()
        beginning = (edge.left, edge.right, edge.directed, edge.compelled, edge.gain)
        rows.append((*beginning, *numbers, *marks))
    return MainTable(columns, rows, "edge")


@main_table.register
def _(result: EdgeStability) -> MainTable:
    columns: dict[str, Sort] = {
        "left": "text",
        "right": "text",
        "adjacent": "share",
        "forward": "share",
        "backward": "share",
        "undirected": "share",
    }
    return MainTable(columns, _fields(result, columns), "edge")


@main_table.register
def _(result: FeatureConfidence) -> MainTable:
    columns: dict[str, Sort] = {
        "kind": "text",
        "left": "text",
        "right": "text",
        "confidence": "share",
        "in_model": "truth",
    }
    return MainTable(columns, _fields(result.features, columns), "feature")


@main_table.register
def _(result: LearnedSkeleton) -> MainTable:
    columns: dict[str, Sort] = {"n_edges": "count", "n_columns": "count"}
    return MainTable(columns, list(enumerate(result.degree_counts)), "number of edges")


@main_table.register
def _(result: OptimaBySize) -> MainTable:
    columns: dict[str, Sort] = {
        "share": "share",
        "n_rows": "count",
        "repeat": "count",
        "n_distinct": "count",
        "n_runs": "count",
        "best_score": "number",
        "n_edges": "count",
    }
    return MainTable(columns, _fields(result.counts, columns), "sample")


def _fields(records: Iterable[Any], names: Iterable[str]) -> list[tuple[Any, ...]]:
    wanted = tuple(names)
    return [tuple(getattr(record, name) for name in wanted) for record in records]


@main_table.register
def _(result: Orientation) -> MainTable:
    columns: dict[str, Sort] = {
        "column": "text",
        "role": "text",
        "cause": "share",
        "effect": "share",
        "undecided": "share",
        "probability": "share",
        "through": "names",
        "cause_tests": "count",
        "effect_tests": "count",
        "why": "text",
    }
    rows: list[tuple[Any, ...]] = []
    for x in result.neighbours:
        shares = (x.cause, x.effect, x.undecided, None)
        rows.append((x.name, x.role, *shares, (), x.parent_tests, x.child_tests, x.why))
    for spouse in result.spouses:
        likely = (None, None, None, spouse.probability)
        rows.append((spouse.name, "spouse", *likely, spouse.children, 0, 0, spouse.why))
    return MainTable(columns, rows, "column")


@main_table.register
def _(result: Predictions) -> MainTable:
    columns: dict[str, Sort] = {result.target: "text"}
    columns |= dict.fromkeys((f"probability of {label}" for label in result.classes), "share")
    shares = result.probabilities or ((),) * len(result)
    return MainTable(
        columns, [(value, *row) for value, row in zip(result.values, shares, strict=True)]
    )


@main_table.register
def _(result: Interactions) -> MainTable:
    columns: dict[str, Sort] = {
        "monomial": "text",
        "columns": "names",
        "kept": "truth",
        "degree": "count",
        "weight": "number",
        "given": "names",
        "statistic": "number",
        "dof": "number",
        "log_p": "log_p",
        "p_value": "p",
        "beyond_chance": "truth",
    }
    beyond = set(result.beyond_chance)

    def row(item: KeptMonomial, kept: bool) -> tuple[Any, ...]:
        given, statistic, dof, log_p, p_value, *_ = _test(item.evidence)
        numbers = (given, statistic, dof, log_p, p_value)
        sure = kept and item.name in beyond
        return (item.name, item.variables, kept, item.degree, item.weight, *numbers, sure)

    kept = [row(item, True) for item in result.monomials]
    return MainTable(columns, kept + [row(item, False) for item in result.by_chance], "monomial")


@main_table.register
def _(result: SelectorComparison) -> MainTable:
    columns: dict[str, Sort] = {
        "selector": "text",
        "n_variables": "number",
        "percentage": "number",
        result.measure: "number",
        "standard_error": "number",
        "seconds": "number",
        "problem": "text",
    }
    rows = []
    for row in result:
        kept = (row.n_variables, result.percentage(row))
        rows.append((row.name, *kept, row.score, row.standard_error, row.seconds, row.problem))
    return MainTable(columns, rows, "selector")


@main_table.register
def _(result: IndependenceAnswer) -> MainTable:
    first: dict[str, Sort] = {"x": "text", "y": "text", "answer": "text", "test": "text"}
    row = (result.x, result.y, result.answer, result.test, *_test(result), result.alpha)
    return MainTable({**first, **_TEST, "alpha": "number"}, [row], "test")


@main_table.register
def _(result: BoundaryPath) -> MainTable:
    columns: dict[str, Sort] = {"variable": "text", "smallest_alpha": "number"}
    columns |= dict.fromkeys((f"at {alpha:g}" for alpha in result.alphas), "truth")
    smallest = result.smallest_alpha
    rows = [(name, smallest[name], *result.levels_of(name)) for name in by_levels(result)]
    return MainTable(columns, rows, "column")


@main_table.register
def _(result: ResultChanges) -> MainTable:
    names = ("what", "sort", "before", "after", "why")
    return MainTable(dict.fromkeys(names, "text"), _fields(result.changes, names), "change")
