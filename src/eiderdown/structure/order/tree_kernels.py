"""Growing and shrinking in compiled code; :mod:`~eiderdown.structure.order.grow_shrink_trees`."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eiderdown.arrays import FloatArray, IntArray
from eiderdown.kernels import kernel
from eiderdown.scores.questions import CHILD, N_CANDIDATES, N_PARENTS, Question, ask
from eiderdown.structure.order.sweep_memory import (
    NOWHERE,
    SweepMemory,
    find_sweep,
    remember_sweep,
)

NONE = -1
FORBIDDEN, ALLOWED, REQUIRED = np.uint8(0), np.uint8(1), np.uint8(2)
N_NODES, N_BRANCHES, N_PARENTS_KEPT, N_SCORED, N_COMPUTED = range(5)


class Room(NamedTuple):
    """Room for kernels: parents in the order of a path, sorted, and less one; candidates, marks."""

    path: Annotated[IntArray, "int64[::1]"]
    family: Annotated[IntArray, "int64[::1]"]
    rest: Annotated[IntArray, "int64[::1]"]
    candidates: Annotated[IntArray, "int64[::1]"]
    marks: Annotated[IntArray, "int64[::1]"]


class Trees(NamedTuple):
    """All trees; the root of each variable's tree has the variable's number.

    Attributes
    ----------
    first, end : IntArray
        By tree node: where its branches begin and end; ``NONE`` if it has not been grown.
    child, above, added : IntArray
        By tree node: whose tree it is in, the tree node above it (``NONE`` above a root), and the
        parent that it has more than that one.
    own, score : FloatArray
        By tree node: the child's score with its parents, and with what shrinking leaves of them;
        the latter is NaN if nobody has asked.
    next_best, first_parent : IntArray
        By tree node: the next in the list of remembered families; where the parents that shrinking
        left begin.
    variable, leads_to, owner : int32 array
        By branch: the parent that it adds, the tree node that it leads to, ``NONE`` if that has not
        been grown, and the one that it belongs to.
    with_it : FloatArray
        By branch: the score with that parent.
    best : IntArray
        By variable: the tree node with the best remembered family.
    parent : int32 array
        The parents that shrinking left, each time with ``NONE`` at the end.
    may : uint8 array
        Whether the second variable may or must be a parent of the first.
    sizes : IntArray
        How many tree nodes, branches and kept parents there are; for how many sets of parents the
        trees needed scores, and how many of them they asked for.
    n_required, columns : IntArray
        By variable: how many parents it must have, and which variable of the score it is.
    """

    first: Annotated[IntArray, "int64[::1]"]
    end: Annotated[IntArray, "int64[::1]"]
    child: Annotated[IntArray, "int64[::1]"]
    above: Annotated[IntArray, "int64[::1]"]
    added: Annotated[IntArray, "int64[::1]"]
    own: Annotated[FloatArray, "float64[::1]"]
    score: Annotated[FloatArray, "float64[::1]"]
    next_best: Annotated[IntArray, "int64[::1]"]
    first_parent: Annotated[IntArray, "int64[::1]"]
    variable: Annotated[NDArray[np.int32], "int32[::1]"]
    leads_to: Annotated[NDArray[np.int32], "int32[::1]"]
    owner: Annotated[NDArray[np.int32], "int32[::1]"]
    with_it: Annotated[FloatArray, "float64[::1]"]
    best: Annotated[IntArray, "int64[::1]"]
    parent: Annotated[NDArray[np.int32], "int32[::1]"]
    may: Annotated[NDArray[np.uint8], "uint8[:, ::1]"]
    n_required: Annotated[IntArray, "int64[::1]"]
    columns: Annotated[IntArray, "int64[::1]"]
    sizes: Annotated[IntArray, "int64[::1]"]
    room: Room
    question: Question
    memory: SweepMemory
    max_parents: int
    tolerance: float
    remembering: bool


@kernel("int64(Trees, int64, int64[::1])", inner=True)
def _parents_of(trees, node, path):
    """Fill in the parents of a tree node, required ones first; return how many there are."""
    child, n = trees.child[node], 0
    if trees.n_required[child] > 0:
        for x in range(trees.may.shape[1]):
            if trees.may[child, x] == REQUIRED:
                path[n] = x
                n += 1
    at = node
    while trees.above[at] >= 0:
        n += 1
        at = trees.above[at]
    k, at = n, node
    while trees.above[at] >= 0:
        k -= 1
        path[k] = trees.added[at]
        at = trees.above[at]
    return n


@kernel("void(int64[::1], int64, int64[::1])", inner=True)
def _sort(numbers, n, into):
    for k in range(n):
        x, at = numbers[k], k
        while at > 0 and into[at - 1] > x:
            into[at] = into[at - 1]
            at -= 1
        into[at] = x


@kernel("boolean(Trees, int64, int64[::1], int64, int64[::1], int64)")
def _sweep(trees, child, parents, n, candidates, n_candidates):
    """Fill the question's scores of candidates beside parents, which are sorted; or fail."""
    question = trees.question
    at = find_sweep(trees.memory, child, parents, n)
    if at != NOWHERE:
        for k in range(n_candidates):
            question.scores[k] = trees.memory.numbers[at + 1 + k]
        return True
    question.head[CHILD] = trees.columns[child]
    question.head[N_PARENTS] = n
    question.head[N_CANDIDATES] = n_candidates
    for k in range(n):
        question.parents[k] = trees.columns[parents[k]]
    for k in range(n_candidates):
        question.candidates[k] = trees.columns[candidates[k]]
    if not ask(question):
        return False
    trees.sizes[N_COMPUTED] += n_candidates
    remember_sweep(trees.memory, child, parents, n, candidates, n_candidates, question.scores)
    return True


@kernel("float64(Trees, int64, int64[::1], int64, int64[::1])", inner=True)
def _local(trees, child, parents, n, rest):
    """Return the score with parents, which are sorted; NaN if it could not be had."""
    memory, question = trees.memory, trees.question
    is_root = n == trees.n_required[child]
    for k in range(n):
        is_root = is_root and trees.may[child, parents[k]] == REQUIRED
    if is_root:
        return trees.own[child]
    alone = child + trees.may.shape[0]  # single scores are kept under another number
    at = find_sweep(memory, alone, parents, n)
    if at != NOWHERE:
        return memory.numbers[at + 1]
    for left_out in range(n):
        for k in range(n - 1):
            rest[k] = parents[k] if k < left_out else parents[k + 1]
        at = find_sweep(memory, child, rest, n - 1)
        if at != NOWHERE:
            for k in range(at + 1, at + 1 + memory.words[at]):
                if memory.words[k] == parents[left_out]:
                    return memory.numbers[k]
    question.head[CHILD] = trees.columns[child]
    question.head[N_PARENTS] = n
    question.head[N_CANDIDATES] = 1
    for k in range(n):
        question.parents[k] = trees.columns[parents[k]]
    question.candidates[0] = NONE
    if not ask(question):
        return np.nan
    trees.sizes[N_COMPUTED] += 1
    remember_sweep(memory, alone, parents, n, question.candidates, 1, question.scores)
    return question.scores[0]


@kernel("int64(Trees, int64, int64[::1], int64, int64[::1])", inner=True)
def _allowed(trees, child, parents, n, found):
    """Fill in who may be one more parent; return how many there are."""
    m = 0
    for x in range(trees.may.shape[1]):
        possible = trees.may[child, x] != FORBIDDEN
        for k in range(n):
            if parents[k] == x:
                possible = False
        if possible:
            found[m] = x
            m += 1
    return m


@kernel("boolean(Trees, int64, int64, int64[::1])", inner=True)
def _mark_behind(trees, child, parent, marks):
    """Mark whom a tree's root would lead to behind its branch to a parent; or fail."""
    for branch in range(trees.first[child], trees.end[child]):
        if trees.variable[branch] != parent:
            continue
        node = trees.leads_to[branch]
        if node >= 0:
            for k in range(trees.first[node], trees.end[node]):
                marks[trees.variable[k]] = 1
            return True
        n = _parents_of(trees, child, trees.room.rest)
        trees.room.rest[n] = parent
        _sort(trees.room.rest, n + 1, trees.room.family)
        m = _allowed(trees, child, trees.room.family, n + 1, trees.room.candidates)
        if not _sweep(trees, child, trees.room.family, n + 1, trees.room.candidates, m):
            return False
        for k in range(m):
            if trees.question.scores[k] - trees.with_it[branch] > trees.tolerance:
                marks[trees.room.candidates[k]] = 1
    return True


@kernel("int64(Trees, int64, int64[::1], int64, int64[::1])", inner=True)
def _promising(trees, child, path, n, marks):
    """Fill the candidates that gain at a root, or behind one of its branches to these parents.

    Return how many they are; -1 if the score failed.
    """
    for x in range(marks.shape[0]):
        marks[x] = 0
    for branch in range(trees.first[child], trees.end[child]):
        marks[trees.variable[branch]] = 1
    for k in range(trees.n_required[child], n):
        if not _mark_behind(trees, child, path[k], marks):
            return -1
    for k in range(n):
        marks[path[k]] = 0
    m = 0
    for x in range(marks.shape[0]):
        if marks[x] == 1:
            trees.room.candidates[m] = x
            m += 1
    return m


@kernel("boolean(Trees, int64)", inner=True)
def _grow(trees, node):
    """Give a tree node its branches, the best first; or fail."""
    child, start = trees.child[node], trees.sizes[N_BRANCHES]
    path, candidates = trees.room.path, trees.room.candidates
    n = _parents_of(trees, node, path)
    m = 0
    if n >= trees.max_parents:
        pass
    elif trees.remembering and n >= trees.n_required[child] + 2:
        m = _promising(trees, child, path, n, trees.room.marks)
    else:
        m = _allowed(trees, child, path, n, candidates)
    _sort(path, n, trees.room.family)
    if m < 0 or (m > 0 and not _sweep(trees, child, trees.room.family, n, candidates, m)):
        return False
    own, end = trees.own[node], start
    for k in range(m):
        score = trees.question.scores[k]
        if score - own > trees.tolerance:
            at = end
            while at > start and trees.with_it[at - 1] - own < score - own:
                trees.with_it[at] = trees.with_it[at - 1]
                trees.variable[at] = trees.variable[at - 1]
                at -= 1
            trees.with_it[at] = score
            trees.variable[at] = candidates[k]
            trees.leads_to[end] = NONE
            trees.owner[end] = node
            end += 1
    trees.first[node] = start
    trees.end[node] = trees.sizes[N_BRANCHES] = end
    trees.sizes[N_SCORED] += m
    return True


@kernel("int64(Trees, int64, int64, int64, float64)", inner=True)
def _new_node(trees, child, above, added, own):
    """Add a tree node without branches; return its number."""
    node = trees.sizes[N_NODES]
    trees.sizes[N_NODES] += 1
    trees.child[node], trees.above[node], trees.added[node] = child, above, added
    trees.first[node] = trees.end[node] = NONE
    trees.own[node], trees.score[node] = own, np.nan
    trees.first_parent[node] = trees.next_best[node] = NONE
    return node


@kernel("boolean(Trees, int64, int64)", inner=True)
def _is_family(trees, one, other):
    """Whether two kept families are the same."""
    while trees.parent[one] == trees.parent[other]:
        if trees.parent[one] == NONE:
            return True
        one += 1
        other += 1
    return False


@kernel("void(Trees, int64, int64[::1], int64, float64)", inner=True)
def _keep(trees, node, family, n, score):
    """Keep what shrinking left at a tree node, and put it among the child's others, best first."""
    child, start = trees.child[node], trees.sizes[N_PARENTS_KEPT]
    trees.score[node], trees.first_parent[node] = score, start
    for k in range(n):
        x, at = family[k], start + k
        while at > start and trees.parent[at - 1] > x:
            trees.parent[at] = trees.parent[at - 1]
            at -= 1
        trees.parent[at] = x
    trees.parent[start + n] = NONE
    if trees.remembering:
        before, known = NONE, trees.best[child]
        while known != NONE:
            if _is_family(trees, trees.first_parent[known], start):
                trees.first_parent[node] = trees.first_parent[known]
                return
            if trees.score[known] >= score:
                before = known
            known = trees.next_best[known]
        if before == NONE:
            trees.next_best[node], trees.best[child] = trees.best[child], node
        else:
            trees.next_best[node] = trees.next_best[before]
            trees.next_best[before] = node
    trees.sizes[N_PARENTS_KEPT] = start + n + 1


@kernel("boolean(Trees, int64)", inner=True)
def _shrink(trees, node):
    """Take parents away, each time the one whose removal gains most; or fail."""
    child, kept, without = trees.child[node], trees.room.path, trees.room.family
    n, best = _parents_of(trees, node, kept), trees.own[node]
    while n > trees.n_required[child]:
        worst, highest = 0, -np.inf
        for k in range(n):
            for i in range(n - 1):
                trees.room.candidates[i] = kept[i] if i < k else kept[i + 1]
            _sort(trees.room.candidates, n - 1, without)
            score = _local(trees, child, without, n - 1, trees.room.rest)
            if np.isnan(score):
                return False
            if trees.may[child, kept[k]] != REQUIRED and score > highest:
                worst, highest = k, score
        trees.sizes[N_SCORED] += n
        if highest <= best + trees.tolerance:
            break
        best = highest
        n -= 1
        for i in range(worst, n):
            kept[i] = kept[i + 1]
    _keep(trees, node, kept, n, best)
    return True


@kernel("boolean(Trees)", inner=True)
def _has_room(trees):
    """Whether one more tree node has room, with all that it may have."""
    n = trees.may.shape[0] + 1
    return (
        trees.sizes[N_NODES] < trees.first.shape[0]
        and trees.sizes[N_BRANCHES] + n <= trees.variable.shape[0]
        and trees.sizes[N_PARENTS_KEPT] + n <= trees.parent.shape[0]
    )


@kernel("boolean(Trees, int64)", inner=True)
def fill(trees, request):
    """Compute what a walk missed; False if there is no room, or the score failed.

    That is a branch to be grown, or -1 less a tree node: a root to be grown, or one to be shrunk.
    """
    if not _has_room(trees):
        return False
    node = np.int64(trees.leads_to[request]) if request >= 0 else -1 - request
    if request < 0 and trees.first[node] != NONE:
        return not np.isnan(trees.score[node]) or _shrink(trees, node)
    if request >= 0:
        if node != NONE:
            return True
        above, added = np.int64(trees.owner[request]), np.int64(trees.variable[request])
        node = _new_node(trees, trees.child[above], above, added, trees.with_it[request])
    if not _grow(trees, node):
        return False
    if request >= 0:
        trees.leads_to[request] = node
    return True


@kernel("void(Trees, int64, int64[::1], int64, float64)")
def learn(trees, child, family, n, score):
    """Remember a family that other trees have found, in a tree node of its own."""
    _keep(trees, _new_node(trees, child, NONE, NONE, score), family, n, score)
