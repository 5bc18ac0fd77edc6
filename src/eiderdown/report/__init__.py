"""A result for people: nothing here computes, it only renders what a result holds."""

from typing import TYPE_CHECKING

from eiderdown.lazy import imported_when_used

if TYPE_CHECKING:
    from eiderdown.report.confidence import (
        confident_edge_table,
        neighbour_table,
        optima_table,
        render_confidence,
        render_optima,
        trade_off_table,
    )
    from eiderdown.report.graph_plot import plot_confident_graph, plot_graph
    from eiderdown.report.graphs import edge_table, render_graph
    from eiderdown.report.local import (
        boundaries_table,
        boundary_table,
        render_all,
        render_answer,
        render_boundaries,
        render_local,
    )
    from eiderdown.report.plots import plot_multiplicity, plot_optima, plot_trade_off
    from eiderdown.report.rendering import render
    from eiderdown.report.svm import (
        comparison_table,
        interactions_table,
        render_comparison,
        render_interactions,
    )
else:
    __getattr__ = imported_when_used(
        __name__,
        {
            "confidence": (
                "confident_edge_table",
                "neighbour_table",
                "optima_table",
                "render_confidence",
                "render_optima",
                "trade_off_table",
            ),
            "graph_plot": ("plot_confident_graph", "plot_graph"),
            "graphs": ("edge_table", "render_graph"),
            "local": (
                "boundaries_table",
                "boundary_table",
                "render_all",
                "render_answer",
                "render_boundaries",
                "render_local",
            ),
            "plots": ("plot_multiplicity", "plot_optima", "plot_trade_off"),
            "rendering": ("render",),
            "svm": (
                "comparison_table",
                "interactions_table",
                "render_comparison",
                "render_interactions",
            ),
        },
    )

__all__ = [
    "boundaries_table",
    "boundary_table",
    "comparison_table",
    "confident_edge_table",
    "edge_table",
    "interactions_table",
    "neighbour_table",
    "optima_table",
    "plot_confident_graph",
    "plot_graph",
    "plot_multiplicity",
    "plot_optima",
    "plot_trade_off",
    "render",
    "render_all",
    "render_answer",
    "render_boundaries",
    "render_comparison",
    "render_confidence",
    "render_graph",
    "render_interactions",
    "render_local",
    "render_optima",
    "trade_off_table",
]
