"""A result for people: nothing here computes, it only renders what a result holds."""

from eiderdown.report.many import boundaries_table, render_all, render_boundaries
from eiderdown.report.plots import plot_multiplicity
from eiderdown.report.rendering import render
from eiderdown.report.text import boundary_table, render_local

__all__ = [
    "boundaries_table",
    "boundary_table",
    "plot_multiplicity",
    "render",
    "render_all",
    "render_boundaries",
    "render_local",
]
