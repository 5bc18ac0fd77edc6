"""A session as plain values, for the browser: only what is shown, never all columns of a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from eiderdown.explorer.changes import EdgeChange
from eiderdown.explorer.fit import Fit
from eiderdown.explorer.graph import ShownEdge, ShownGraph
from eiderdown.explorer.session import Session
from eiderdown.results import Evidence
from eiderdown.results.evidence import p_text

MOST_ROWS: Final = 200
"""Implied independences that are listed; the worst come first."""


def view(session: Session) -> dict[str, Any]:
    """Return all that the page shows of a session."""
    state, shown = session.state, session.graph
    return {
        "target": state.target,
        "alpha": state.alpha,
        "test": state.test,
        "tests": list(session.test_names),
        "agreement": state.agreement,
        "locked": state.locked,
        "can_undo": session.can_undo,
        "can_redo": session.can_redo,
        "table": {
            "source": session.origin.source or "a table in memory",
            "n_rows": session.data.n_rows,
            "n_columns": session.data.n_columns,
        },
        "n_tests": session.n_tests,
        "notes": [*session.notes, *shown.notes],
        "nodes": [_node(session, name) for name in shown.nodes],
        "edges": [_edge(session, edge) for edge in (*shown.edges, *shown.doubts)],
        "marks": [list(mark) for mark in state.marks()],
        "boundary": sorted(_boundary(shown, state.target)),
    }


def _node(session: Session, name: str) -> dict[str, Any]:
    column = session.data.index(name)
    categories = session.data.categories(column)
    kind = session.data.kind(column).value
    return {
        "name": name,
        "target": name == session.state.target,
        "grown": name in session.state.grown,
        "kind": f"{kind}, {len(categories)} categories" if categories else kind,
    }


def _edge(session: Session, edge: ShownEdge) -> dict[str, Any]:
    state, left, right = session.state, edge.left, edge.right
    mark = state.mark_of(left, right)
    return {
        "left": left,
        "right": right,
        "directed": edge.directed,
        "in_doubt": edge.in_doubt,
        "mark": mark if mark != "open" or state.mark_of(right, left) == "open" else "reverse not",
        "why": edge.why,
        "test": _evidence(edge.test, state.alpha),
        "alone": _evidence(edge.alone, state.alpha),
        "found_from": list(edge.found_from),
        "missed_from": list(edge.missed_from),
        "votes": [list(vote) for vote in edge.votes],
    }


def _evidence(test: Evidence, alpha: float) -> dict[str, Any]:
    return {
        "given": list(test.given),
        "answer": test.answer(alpha),
        "p": test.p_text,
        "strength": -test.log_p,
        "effect": f"{test.effect:.3g}",
        "statistic": f"{test.statistic:,.4g}",
        "dof": f"{test.dof:.4g}",
        "n_used": test.n_used,
    }


def _boundary(shown: ShownGraph, target: str) -> set[str]:
    pdag = shown.pdag
    spouses = (pdag.parents(child) for child in pdag.children(target))
    return set(pdag.adjacent(target)).union(*spouses) - {target}


def changes_view(found: Iterable[EdgeChange]) -> list[dict[str, Any]]:
    """Return what became of edges."""
    return [
        {"kind": c.kind, "left": c.left, "right": c.right, "directed": c.directed} for c in found
    ]


def fit_view(fit: Fit) -> dict[str, Any]:
    """Return how the data fit the graph: the sentence, and the worst of the tests."""
    return {
        "verdict": fit.verdict,
        "n_tested": len(fit.tested),
        "n_open": fit.n_open,
        "n_unsaid": fit.n_unsaid,
        "rows": [
            {
                "x": row.x,
                "y": row.y,
                "given": list(row.given),
                "answer": row.answer,
                "p": row.test.p_text,
                "holm": p_text(row.holm_log_p),
                "effect": f"{row.test.effect:.3g}",
            }
            for row in fit.tested[:MOST_ROWS]
        ],
    }
