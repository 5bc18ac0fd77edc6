"""How far to the right each node of a layer stands, its edges as straight as there is room for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eiderdown.report.layout.order import Layers

_N_SWEEPS, _N_ONE_WAY = 150, 20


def straightened(
    layers: Layers, widths: Sequence[float], pulls: Sequence[Mapping[int, float]]
) -> list[float]:
    """Return the centre of each node, in the order of its layer and without overlaps.

    Parameters
    ----------
    layers : list of list of int
        Nodes by layer, from left to right.
    widths : sequence of float
        How much room each node takes.
    pulls : sequence of mapping of int to float
        For each node, those in the next layers that it has edges with, and how strongly an edge
        wants to be upright.

    Examples
    --------
    >>> straightened([[0], [1, 2]], [1.0, 1.0, 1.0], [{1: 1, 2: 1}, {0: 1}, {0: 1}])
    [0.5, 0.0, 1.0]
    """
    centres = [0.0] * len(widths)
    for layer in layers:
        for node, place in zip(layer, _steps(layer, widths), strict=True):
            centres[node] = place
    layer_of = {node: depth for depth, layer in enumerate(layers) for node in layer}
    for sweep in range(_N_SWEEPS):
        # Sweeps that look one way bring nodes near their place, the others settle them.
        sides = (-1, 1) if sweep >= _N_ONE_WAY else (-1,) if sweep % 2 == 0 else (1,)
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            _settle(layer, centres, widths, pulls, layer_of, sides)
    leftmost = min(centres)
    return [centre - leftmost for centre in centres]


def _settle(
    layer: Sequence[int],
    centres: list[float],
    widths: Sequence[float],
    pulls: Sequence[Mapping[int, float]],
    layer_of: Mapping[int, int],
    sides: tuple[int, ...],
) -> None:
    """Move a layer's nodes to the mean of those that pull at them, as near as order allows."""
    wanted, strengths = [], []
    for node in layer:
        pull = {
            other: strength
            for other, strength in pulls[node].items()
            if layer_of[other] - layer_of[node] in sides
        }
        strength = sum(pull.values())
        mean = sum(centres[other] * pull[other] for other in pull) / strength if pull else 0.0
        wanted.append(mean if pull else centres[node])
        strengths.append(strength if pull else 0.1)
    steps = _steps(layer, widths)
    shifts = [want - step for want, step in zip(wanted, steps, strict=True)]
    for node, shift, step in zip(layer, nearest_rising(shifts, strengths), steps, strict=True):
        centres[node] = shift + step


def _steps(layer: Sequence[int], widths: Sequence[float]) -> list[float]:
    """Return the centres of nodes that stand as close as they may."""
    places: list[float] = []
    for i, node in enumerate(layer):
        apart = (widths[layer[i - 1]] + widths[node]) / 2 if i else 0.0
        places.append(places[-1] + apart if i else 0.0)
    return places


def nearest_rising(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the numbers nearest to some, in weighted squares, that never fall.

    Examples
    --------
    >>> nearest_rising([1.0, 5.0, 3.0], [1.0, 1.0, 3.0])
    [1.0, 3.5, 3.5]
    """
    blocks: list[tuple[float, float, int]] = []
    for value, weight in zip(values, weights, strict=True):
        mean, mass, size = value, weight, 1
        while blocks and blocks[-1][0] > mean:
            earlier, its_mass, its_size = blocks.pop()
            mean = (earlier * its_mass + mean * mass) / (its_mass + mass)
            mass, size = mass + its_mass, size + its_size
        blocks.append((mean, mass, size))
    return [mean for mean, _, size in blocks for _ in range(size)]
