"""A level of PC-stable by tests of blocks of columns; see ``levels.py``."""

from __future__ import annotations

from typing import NamedTuple

from eiderdown.independence.kernels.levels import (
    FROM_OTHER_END,
    NOT_ASKED,
    Answers,  # noqa: F401  stands in signatures
    Level,  # noqa: F401  stands in signatures
    Walk,
    duty,
    is_done,
    is_over,
    next_set,
    take_answer,
    take_from_other_end,
    task_of,
)
from eiderdown.independence.kernels.wilks import (
    BlockRoom,
    BlockRules,
    Blocks,
    factorise,
    judge_blocks,
    leave_of_target,
    share,
)
from eiderdown.kernels import kernel


class BlockSource(NamedTuple):
    """Correlations, and how evidence is judged."""

    blocks: Blocks
    rules: BlockRules


class BlockLevelRoom(NamedTuple):
    """Where one thread works."""

    walk: Walk
    room: BlockRoom


@kernel("void(BlockSource, Level, Answers, BlockLevelRoom, int64)", inner=True)
def _try_set(source, level, answers, room, task):
    """Test all candidates given the set."""
    walk, target, inner = room.walk, level.targets[task], room.room
    k = -1
    of_target = (0, 0)
    for b in range(level.stops[task] - level.starts[task]):
        todo = duty(level, answers, walk, task, b)
        if todo == NOT_ASKED:
            continue
        if todo == FROM_OTHER_END:
            take_from_other_end(level, answers, walk, task, b)
            continue
        if k < 0:
            k = factorise(source.blocks, walk.subset, inner)
            of_target = leave_of_target(source.blocks, target, k, inner)
        x = level.candidates[level.starts[task] + b]
        of_x = share(source.blocks, x, k, of_target[0], inner)
        judge_blocks(source.rules, of_x, of_target, k, inner, inner.values)
        take_answer(level, answers, walk, task, b, inner.values)


@kernel("boolean(BlockSource, Level, Answers, BlockLevelRoom, const(int64[::1]), int64)")
def separate_by_blocks(source, level, answers, room, tasks, budget):
    """Go on with some tasks for a while; return whether all are done."""
    while not is_over(level, room.walk, tasks, budget):
        task = task_of(room.walk, tasks)
        _try_set(source, level, answers, room, task)
        next_set(level, room.walk, task)
    return is_done(room.walk, tasks)
