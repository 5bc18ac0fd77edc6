"""A picture of a graph: parents above children. Matplotlib is imported when it is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from eiderdown.errors import GraphError
from eiderdown.graphs import DAG, PDAG
from eiderdown.report.plots import require_picture
from eiderdown.results import LearnedGraph, LearnedRegion

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOUR = "#4c6a92"
_TARGET_COLOUR = "#b5533c"
_N_SWEEPS = 8  # orderings of the layers settle after a few


def plot_graph(learned: LearnedGraph, path: str | Path | None = None) -> Figure:
    """Draw a learned graph, parents above children; undirected edges have no arrowhead.

    For graphs of more than about fifty columns Graphviz draws better ones, from
    :func:`eiderdown.export.to_dot`.

    Parameters
    ----------
    learned : LearnedGraph
        What was learned.
    path : str, Path or None
        The .png, .svg or .pdf file to write, if any.

    Returns
    -------
    matplotlib.figure.Figure
        The picture, for those who want to change it.
    """
    from matplotlib.figure import Figure

    if path is not None:
        require_picture(path)
    layers = layered(learned.graph)
    widest = max(map(len, layers), default=1)
    figure = Figure(figsize=(2.0 + 1.3 * widest, 1.0 + 1.0 * len(layers)), layout="constrained")
    axes = figure.subplots()
    axes.set_axis_off()
    _draw(axes, learned, _places(layers))
    if path is not None:
        figure.savefig(path)
    return figure


def layered(graph: DAG | PDAG) -> list[list[str]]:
    """Put every node below its parents, and near them within its layer.

    Examples
    --------
    >>> layered(DAG.from_string("A->C, B->C, C->D"))
    [['A', 'B'], ['C'], ['D']]
    """
    directed = _extended(graph)
    depth: dict[int, int] = {}
    for node in directed.topological_indices:
        above = [depth[parent] for parent in directed.parent_indices[node]]
        depth[node] = 1 + max(above, default=-1)
    layers: list[list[int]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for node in sorted(depth):
        layers[depth[node]].append(node)
    for _ in range(_N_SWEEPS):
        _order(layers, directed.adjacent_indices)
    return [[directed.nodes[node] for node in layer] for layer in layers]


def _extended(graph: DAG | PDAG) -> DAG:
    """Direct every edge, for the layers only."""
    if isinstance(graph, DAG):
        return graph
    try:
        return graph.to_dag()
    except GraphError:
        return DAG(graph.nodes, graph.directed)


def _order(layers: list[list[int]], adjacent: tuple[tuple[int, ...], ...]) -> None:
    """Sort each layer by the mean place of the nodes it is joined with."""
    place = {node: i - (len(layer) - 1) / 2 for layer in layers for i, node in enumerate(layer)}
    for layer in layers:
        pull = {
            node: sum(place[other] for other in adjacent[node]) / len(adjacent[node])
            if adjacent[node]
            else place[node]
            for node in layer
        }
        layer.sort(key=lambda node: (pull[node], node))
        place.update({node: i - (len(layer) - 1) / 2 for i, node in enumerate(layer)})


def _places(layers: list[list[str]]) -> dict[str, tuple[float, float]]:
    return {
        node: (i - (len(layer) - 1) / 2, -float(depth))
        for depth, layer in enumerate(layers)
        for i, node in enumerate(layer)
    }


def _draw(axes: Axes, learned: LearnedGraph, places: dict[str, tuple[float, float]]) -> None:
    target = learned.target if isinstance(learned, LearnedRegion) else None
    for edge in learned.edges:
        axes.annotate(
            "",
            xy=places[edge.right],
            xytext=places[edge.left],
            arrowprops={
                "arrowstyle": "-|>" if edge.directed else "-",
                "color": _COLOUR,
                "shrinkA": 12,
                "shrinkB": 12,
                # A slight bow keeps edges that skip a layer off the nodes between.
                "connectionstyle": "arc3,rad=0.08",
            },
        )
    for node, (x, y) in places.items():
        colour = _TARGET_COLOUR if node == target else _COLOUR
        box = {"boxstyle": "round", "facecolor": "white", "edgecolor": colour}
        axes.text(x, y, node, ha="center", va="center", fontsize=8, bbox=box)
    xs, ys = zip(*places.values(), strict=True)
    axes.set_xlim(min(xs) - 0.6, max(xs) + 0.6)
    axes.set_ylim(min(ys) - 0.5, max(ys) + 0.5)
