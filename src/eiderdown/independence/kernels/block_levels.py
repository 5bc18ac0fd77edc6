"""A level of PC-stable by tests of blocks of columns; see ``levels.py``."""

from __future__ import annotations

from typing import NamedTuple

from eiderdown.independence.kernels.levels import (
    FROM_OTHER_END,
    NOT_ASKED,
    Answers,  # noqa: F401  stands in signatures
    Level,  # noqa: F401  stands in signatures
    Queue,  # noqa: F401  stands in signatures
    Walk,
    duty,
    has_next_set,
    is_done,
    note_answer,
    note_other_end,
    task_of,
)
from eiderdown.independence.kernels.wilks import (
    BlockRoom,
    BlockRules,
    Blocks,
    factorise,
    fill_shared,
    judge_blocks,
    leave_of_target,
)
from eiderdown.kernels import kernel
from eiderdown.thread_rooms import own_part
from eiderdown.work_sharing import share


class BlockSource(NamedTuple):
    """Correlations, and how evidence is judged."""

    blocks: Blocks
    rules: BlockRules


class BlockLevelRoom(NamedTuple):
    """Where threads work; see ``several``."""

    walk: Walk
    room: BlockRoom


@kernel("void(BlockSource, Level, Answers, Queue, BlockLevelRoom)", inner=True)
def _try_set(source, level, answers, queue, room):
    """Test all candidates given the set."""
    walk, inner, task = room.walk, room.room, task_of(room.walk)
    k = -1
    of_target = (0, 0)
    for c in range(level.starts[task], level.stops[task]):
        todo = duty(level, answers, queue, walk, c)
        if todo == NOT_ASKED:
            continue
        if todo == FROM_OTHER_END:
            note_other_end(level, answers, queue, walk, c)
            continue
        if k < 0:
            k = factorise(source.blocks, walk.subset, inner)
            of_target = leave_of_target(source.blocks, level.targets[task], k, inner)
        of_x = fill_shared(source.blocks, level.candidates[c], k, of_target[0], inner)
        judge_blocks(source.rules, of_x, of_target, k, inner, inner.values)
        note_answer(level, queue, walk, c, inner.values)


@kernel("void(BlockSource, Level, Answers, Queue, BlockLevelRoom, int64, int64)", inner=True)
def _try_sets(source, level, answers, queue, rooms, budget, k):
    """Try one set after the other, as a thread does."""
    room = own_part(rooms, k, rooms.walk.n_threads)
    while has_next_set(level, queue, room.walk, budget):
        _try_set(source, level, answers, queue, room)


@kernel("boolean(int64[::1], BlockSource, Level, Answers, Queue, BlockLevelRoom, int64)")
def separate_by_blocks(board, source, level, answers, queue, rooms, budget):
    """Go on for so many tests of each thread; return whether all is done once that is settled."""
    args = (source, level, answers, queue, rooms, budget)
    share(board, rooms.walk.n_threads, _try_sets, args)
    return is_done(level, queue, rooms.walk)
