"""Single changes of a graph: which legal one gains most, and making it.

A move is a kind and a place (see :mod:`eiderdown.structure.places`). Turning an edge round is a
deletion in its place and an addition in the place's twin.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types

from eiderdown.structure.places import PLACES_TYPE, TABU_TYPE
from eiderdown.structure.reachability import (
    FAMILIES_TYPE,
    PATHS_TYPE,
    is_ancestor,
    note_added,
    note_deleted,
)

ADD, DELETE, REVERSE, NONE = range(4)
"""Kinds of moves."""

_BEST: Any = types.Tuple(  # type: ignore[no-untyped-call]
    (types.int64, types.int64, types.float64)
)
_GRAPH = (PLACES_TYPE, FAMILIES_TYPE, PATHS_TYPE)
_MOVE = (PLACES_TYPE, TABU_TYPE, types.int64, types.int64)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


@njit(types.uint64(PLACES_TYPE, types.int64), cache=True, nogil=True)
def _hash_of(places, place):  # type: ignore[no-untyped-def]
    """Hash an edge; the hash of a graph is the exclusive or of those of its edges."""
    value = np.uint64(places.child[place]) * _MIX_2 + np.uint64(places.parent[place]) + _MIX_1
    value = (value ^ (value >> np.uint64(30))) * _MIX_1
    value = (value ^ (value >> np.uint64(27))) * _MIX_2
    return value ^ (value >> np.uint64(31))


@njit(types.uint64(*_MOVE), cache=True, nogil=True)
def _hash_after(places, tabu, kind, place):  # type: ignore[no-untyped-def]
    after = tabu.present[0] ^ _hash_of(places, place)
    if kind == REVERSE:
        after ^= _hash_of(places, places.twin[place])
    return after


@njit(types.boolean(*_MOVE), cache=True, nogil=True)
def _is_tabu(places, tabu, kind, place):  # type: ignore[no-untyped-def]
    after = _hash_after(places, tabu, kind, place)
    found = False
    for k in range(min(tabu.n_moves[0], tabu.hashes.shape[0])):
        found |= tabu.hashes[k] == after
    return found


@njit(types.boolean(*_GRAPH, types.int64), cache=True, nogil=True)
def _another_path(places, families, paths, place):  # type: ignore[no-untyped-def]
    """Tell whether the edge's parent is also an ancestor of another parent of its child."""
    parent, child = places.parent[place], places.child[place]
    start = families.first[child]
    for k in range(start, start + families.n_parents[child]):
        other = families.parent[k]
        if other != parent and is_ancestor(paths, families, parent, other):
            return True
    return False


@njit(types.boolean(*_GRAPH, types.int64, types.int64), cache=True, nogil=True)
def is_legal(places, families, paths, kind, place):  # type: ignore[no-untyped-def]
    """Tell whether a move leaves a graph without cycles that keeps what is known."""
    parent, child = places.parent[place], places.child[place]
    if kind == ADD:
        has_room = families.n_parents[child] < places.room[child]
        is_new = has_room and not places.present[place]
        return is_new and not is_ancestor(paths, families, child, parent)
    if not places.present[place] or places.fixed[place]:
        return False
    if kind == DELETE:
        return True
    has_room = families.n_parents[parent] < places.room[parent]
    can_turn = has_room and places.twin[place] >= 0
    return can_turn and not _another_path(places, families, paths, place)


@njit(types.boolean(PLACES_TYPE, types.int64, types.int64, _BEST), cache=True, nogil=True)
def _comes_first(places, kind, place, best):  # type: ignore[no-untyped-def]
    """Of two moves that gain the same, tell whether this one is made.

    That is the one whose place was left alone for longer. On a plateau, a walk that preferred
    certain places would turn a few edges to and fro and never come to the others; and an edge that
    comes back after it was deleted comes back the other way round, if that is as good.
    """
    if places.touched[place] != places.touched[best[1]]:
        return places.touched[place] < places.touched[best[1]]
    return kind < best[0] or (kind == best[0] and place < best[1])


@njit(
    _BEST(*_GRAPH, TABU_TYPE, types.float64, _BEST, types.int64, types.int64),
    cache=True,
    nogil=True,
)
def _better(places, families, paths, tabu, hair, best, kind, place):  # type: ignore[no-untyped-def]
    """Return the better of the best move so far and another, if that is legal and not tabu."""
    gain = places.gain[place]
    if kind == REVERSE:
        gain += places.gain[places.twin[place]]
    is_tie = gain <= best[2] + hair
    if gain == -np.inf or (is_tie and not _comes_first(places, kind, place, best)):
        return best
    if not is_legal(places, families, paths, kind, place) or _is_tabu(places, tabu, kind, place):
        return best
    return (np.int64(kind), np.int64(place), gain)


@njit(_BEST(*_GRAPH, TABU_TYPE, types.float64), cache=True, nogil=True)
def best_move(places, families, paths, tabu, hair):  # type: ignore[no-untyped-def]
    """Return kind, place and gain of the best legal move to a graph that is not tabu.

    Gains that differ by no more than ``hair`` are equal. The kind is NONE if there is no such move.
    """
    best = (np.int64(NONE), np.int64(-1), -np.inf)
    gain, above = places.gain, paths.ancestors
    for child in range(families.n_parents.shape[0]):
        start = families.first[child]
        for k in range(start, start + families.n_parents[child]):
            place, twin = places.held[k], places.twin[places.held[k]]
            if gain[place] >= best[2] - hair:
                best = _better(places, families, paths, tabu, hair, best, DELETE, place)
            if twin >= 0 and gain[place] + gain[twin] >= best[2] - hair:
                best = _better(places, families, paths, tabu, hair, best, REVERSE, place)
    for child in range(families.n_parents.shape[0]):
        for k in range(places.first[child], places.first[child + 1]):
            place = places.order[k]
            if gain[place] < best[2] - hair:
                break
            # Most of these are descendants of the child: told here, without the cost of a call.
            word = above[places.parent[place], child >> 6] if len(above) else np.uint64(0)
            if (word >> np.uint64(child & 63)) & np.uint64(1):
                continue
            best = _better(places, families, paths, tabu, hair, best, ADD, place)
    return best


@njit(types.void(*_GRAPH, types.int64), cache=True, nogil=True)
def _add(places, families, paths, place):  # type: ignore[no-untyped-def]
    parent, child = places.parent[place], places.child[place]
    end = families.first[child] + families.n_parents[child]
    families.parent[end], places.held[end] = parent, place
    families.n_parents[child] += 1
    places.present[place] = True
    note_added(paths.ancestors, parent, child)


@njit(types.void(*_GRAPH, types.int64), cache=True, nogil=True)
def _delete(places, families, paths, place):  # type: ignore[no-untyped-def]
    child = places.child[place]
    families.n_parents[child] -= 1
    last = families.first[child] + families.n_parents[child]
    for k in range(families.first[child], last):
        if places.held[k] == place:
            families.parent[k], places.held[k] = families.parent[last], places.held[last]
    places.present[place] = False
    note_deleted(paths.ancestors, families, child)


@njit(types.void(*_GRAPH, TABU_TYPE, types.int64, types.int64), cache=True, nogil=True)
def make_move(places, families, paths, tabu, kind, place):  # type: ignore[no-untyped-def]
    """Change the graph; the gains around the children that it changes are left to the caller."""
    if tabu.hashes.shape[0] > 0:
        tabu.hashes[tabu.n_moves[0] % tabu.hashes.shape[0]] = tabu.present[0]
    tabu.n_moves[0] += 1
    tabu.present[0] = _hash_after(places, tabu, kind, place)
    places.touched[place] = tabu.n_moves[0]
    if kind != ADD:
        _delete(places, families, paths, place)
    if kind == REVERSE:
        places.touched[places.twin[place]] = tabu.n_moves[0]
        _add(places, families, paths, places.twin[place])
    if kind == ADD:
        _add(places, families, paths, place)
