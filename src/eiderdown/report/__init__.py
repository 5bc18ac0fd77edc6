"""A result for people: nothing here computes, it only renders what a result holds."""

from eiderdown.report.text import boundary_table, render_boundary

__all__ = ["boundary_table", "render_boundary"]
