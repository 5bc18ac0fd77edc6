"""A result for people: nothing here computes, it only renders what a result holds."""

from typing import TYPE_CHECKING

from eiderdown.lazy import imported_when_used

if TYPE_CHECKING:
    from eiderdown.report.causes import render_orientation as render_orientation
    from eiderdown.report.causes import roles_table as roles_table
    from eiderdown.report.graph_plot import plot_confident_graph as plot_confident_graph
    from eiderdown.report.graph_plot import plot_graph as plot_graph
    from eiderdown.report.local import boundaries_table as boundaries_table
    from eiderdown.report.local import boundary_table as boundary_table
    from eiderdown.report.local import render_all as render_all
    from eiderdown.report.local import render_answer as render_answer
    from eiderdown.report.local import render_boundaries as render_boundaries
    from eiderdown.report.local import render_local as render_local
    from eiderdown.report.networks import confident_boundary_table as confident_boundary_table
    from eiderdown.report.networks import confident_edge_table as confident_edge_table
    from eiderdown.report.networks import edge_table as edge_table
    from eiderdown.report.networks import optima_table as optima_table
    from eiderdown.report.networks import render_confidence as render_confidence
    from eiderdown.report.networks import render_graph as render_graph
    from eiderdown.report.networks import render_optima as render_optima
    from eiderdown.report.networks import trade_off_table as trade_off_table
    from eiderdown.report.plots import plot_multiplicity as plot_multiplicity
    from eiderdown.report.plots import plot_optima as plot_optima
    from eiderdown.report.plots import plot_trade_off as plot_trade_off
    from eiderdown.report.prediction import predictions_table as predictions_table
    from eiderdown.report.prediction import render_predictions as render_predictions
    from eiderdown.report.rendering import render as render
    from eiderdown.report.svm import comparison_table as comparison_table
    from eiderdown.report.svm import interactions_table as interactions_table
    from eiderdown.report.svm import render_comparison as render_comparison
    from eiderdown.report.svm import render_interactions as render_interactions
else:
    __getattr__, __dir__, __all__ = imported_when_used(
        __name__,
        {
            "causes": "render_orientation roles_table",
            "graph_plot": "plot_confident_graph plot_graph",
            "local": (
                "boundaries_table boundary_table render_all render_answer render_boundaries "
                "render_local"
            ),
            "networks": (
                "confident_edge_table confident_boundary_table edge_table optima_table "
                "render_confidence render_graph render_optima trade_off_table"
            ),
            "plots": "plot_multiplicity plot_optima plot_trade_off",
            "prediction": "predictions_table render_predictions",
            "rendering": "render",
            "svm": "comparison_table interactions_table render_comparison render_interactions",
        },
    )
