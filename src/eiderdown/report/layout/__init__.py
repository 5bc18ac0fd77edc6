"""Where to draw the nodes and edges of a graph: in layers, edges around boxes, after Sugiyama.

Edges are made to go down (``layers``), layers are put in an order with few crossings (``order``),
and nodes are moved sideways to where their edges are straight (``coordinates``). Parts that hang
together are laid out by themselves and packed like text (``packing``). An edge that passes other
layers has a waypoint of its own in each of them, so that it goes around boxes. Lengths are inches,
y grows upwards.
"""

from eiderdown.report.layout.component import Layout
from eiderdown.report.layout.layers import Link
from eiderdown.report.layout.packing import lay_out
from eiderdown.report.layout.routes import BOX_HEIGHT, Point

__all__ = ["BOX_HEIGHT", "Layout", "Link", "Point", "lay_out"]
