"""Pictures of evidence: bars of -log10 p beside the significance level.

Matplotlib is imported when the first one is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from eiderdown.report.bars import PALE, WARM, Bar, cut, draw_bars, quoted
from eiderdown.report.ordering import edge_strength
from eiderdown.report.plots import COLOUR, N_BARS
from eiderdown.results import (
    BoundaryCheck,
    Evidence,
    IndependenceAnswer,
    Interactions,
    LearnedGraph,
    LocalResult,
)
from eiderdown.results.evidence import p_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_N_MISSES = 10  # of those that are no members
_MOST_LINEAR = 20.0  # levels; evidence beyond that is drawn on a logarithmic scale
_LN10 = math.log(10.0)


def draw_evidence(result: LocalResult | BoundaryCheck, ax: Axes | None = None) -> Axes:
    """Draw -log10 p of each decisive test: members dark, others pale, doubtful ones warm."""
    options = result.run.options
    level = options.get("level", options.get("alpha", 1.0))

    def colour(item: Evidence) -> str:
        if item.answer(level) == "cannot say":
            return WARM
        return COLOUR if item.decision == "kept" else PALE

    shown = [item for item in result.evidence if item.decision == "kept"][: N_BARS - _N_MISSES]
    shown += [item for item in result.evidence if item.decision != "kept"][:_N_MISSES]
    bars = [Bar(e.variable, -e.log_p / _LN10, colour(e), f"p {e.p_text}") for e in shown]
    title = f"Decisive tests of members and nearest misses, {quoted(result.target)}"
    axes = _with_level(draw_bars(bars, ax, "-log10 p", title), bars, math.log(level))
    _explain(axes, {COLOUR: "member", PALE: "not a member", WARM: "cannot say"}, bars)
    return axes


def _explain(axes: Axes, meanings: Mapping[str, str], bars: Sequence[Bar]) -> None:
    """Say what the colours mean that were used, where bars are short."""
    from matplotlib.patches import Patch

    used = {bar.colour for bar in bars}
    patches = [Patch(color=c, label=meaning) for c, meaning in meanings.items() if c in used]
    if len(patches) > 1:
        axes.legend(handles=patches, loc="lower right", fontsize=8, frameon=False)


def draw_edge_evidence(result: LearnedGraph, ax: Axes | None = None) -> Axes:
    """Draw what speaks for each edge, the strongest first: -log10 p, or what the score gains."""
    edges = sorted(result.edges, key=edge_strength)
    tested = [edge for edge in edges if edge.test is not None]
    title = "Evidence for the edges"
    if not tested:
        gains = [Bar(str(e), e.gain or 0.0, note=f"{e.gain or 0.0:,.1f}") for e in edges]
        return draw_bars(gains, ax, "by how much the score would fall without it", title)
    bars = [
        Bar(str(e), -e.test.log_p / _LN10, note=f"p {e.test.p_text}")
        for e in tested
        if e.test is not None
    ]
    level = float(result.run.options.get("alpha", 1.0))
    return _with_level(draw_bars(bars, ax, "-log10 p", title), bars, math.log(level))


def draw_answer(result: IndependenceAnswer, ax: Axes | None = None) -> Axes:
    """Draw -log10 p of one test beside its significance level."""
    label = f"{result.x}, {result.y}"
    bars = [Bar(label, -result.log_p / _LN10, note=f"p {result.p_text}: {result.answer}")]
    given = ", ".join(result.given)
    title = f"Given {cut(given)}" if given else "Given nothing"
    return _with_level(draw_bars(bars, ax, "-log10 p", title), bars, math.log(result.alpha))


def draw_monomial_evidence(result: Interactions, ax: Axes | None = None) -> Axes:
    """Draw -log10 p of each monomial; the level is that of tests of all monomials."""
    items = [(item, COLOUR) for item in result.monomials]
    items += [(item, PALE) for item in result.by_chance]
    bars = [
        Bar(item.name, -item.evidence.log_p / _LN10, colour, f"p {item.evidence.p_text}")
        for item, colour in items
    ]
    alpha = float(result.run.options["alpha"])
    log_level = math.log(alpha) if result.search is None else result.search.log_level(alpha)
    title = f"Monomials around {quoted(result.target)}"
    return _with_level(draw_bars(bars, ax, "-log10 p", title), bars, log_level)


def _with_level(axes: Axes, bars: Sequence[Bar], log_level: float) -> Axes:
    """Draw the significance level; far beyond it the scale becomes logarithmic."""
    at = -log_level / _LN10
    longest = max((bar.value for bar in bars[:N_BARS]), default=0.0)
    if at > 0.0 and longest > _MOST_LINEAR * at:
        axes.set_xscale("symlog", linthresh=at, linscale=0.6)
        axes.set_xlim(0.0, longest**1.25)
    else:
        axes.set_xlim(0.0, max(1.25 * longest, 1.5 * at, 1e-9))
    axes.axvline(at, color=WARM, linewidth=1.0, linestyle="--", zorder=0.5)
    label = f"alpha {math.exp(log_level):g}" if at <= 4.0 else f"level {p_text(log_level)}"
    axes.set_xlabel(f"-log10 p (dashed: {label})", fontsize=9)
    return axes
