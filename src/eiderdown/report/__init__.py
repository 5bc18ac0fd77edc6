"""A result for people: nothing here computes, it only renders what a result holds."""

from eiderdown.report.comparison import comparison_table, render_comparison
from eiderdown.report.graph_plot import plot_graph
from eiderdown.report.interactions import interactions_table, render_interactions
from eiderdown.report.many import boundaries_table, render_all, render_boundaries
from eiderdown.report.networks import edge_table, render_graph
from eiderdown.report.plots import plot_multiplicity
from eiderdown.report.rendering import render
from eiderdown.report.text import boundary_table, render_local

__all__ = [
    "boundaries_table",
    "boundary_table",
    "comparison_table",
    "edge_table",
    "interactions_table",
    "plot_graph",
    "plot_multiplicity",
    "render",
    "render_all",
    "render_boundaries",
    "render_comparison",
    "render_graph",
    "render_interactions",
    "render_local",
]
