"""What counts of the tests that threads have noted on a level of PC-stable; see ``levels.py``.

A thread that helps another tries sets without knowing what earlier ones will say. So a test of a
candidate that an earlier set separates is dropped: one thread alone would not have made it. What is
answered, counted and remembered does then not depend on who was ahead.
"""

from __future__ import annotations

from eiderdown.independence.batch import LOG_P
from eiderdown.independence.kernels.cache import (
    COMPUTED,
    REPEATED,
    SKIPPED,
    ResultTable,  # noqa: F401  stands in signatures
    cannot_say,
    copy_values,
    hash_of_set,
    is_independent,
    key_of,
    store,
)
from eiderdown.independence.kernels.levels import (
    CANDIDATE,
    IS_COMPUTED,
    IS_REPEATED,
    IS_SEPARATED,
    KIND,
    N_NOTED,
    NUMBER,
    TARGET,
    Answers,  # noqa: F401  stands in signatures
    Level,  # noqa: F401  stands in signatures
    Queue,  # noqa: F401  stands in signatures
    Walk,  # noqa: F401  stands in signatures
)
from eiderdown.independence.kernels.subsets import is_weaker
from eiderdown.kernels import kernel
from eiderdown.thread_rooms import own_part


@kernel("boolean(Level, Walk, int64)", inner=True)
def _separates(level, walk, at):
    kind = walk.about[at, KIND]
    if kind == IS_REPEATED:
        return False
    return kind == IS_SEPARATED or is_independent(walk.values[at], level.log_alpha)


@kernel("void(Level, Answers, Queue, Walk, ResultTable, boolean)")
def settle(level, answers, queue, walk, table, remembers):
    """Count the tests that were noted, remember them perhaps, and answer what they answer.

    A test counts unless an earlier set separates its candidate.
    """
    queue.is_stopped[0] = False
    for k in range(walk.n_threads):
        _close(level, queue, own_part(walk, k, walk.n_threads))
    for k in range(walk.n_threads):
        _count_and_answer(
            level, answers, queue, own_part(walk, k, walk.n_threads), table, remembers
        )


@kernel("void(Level, Queue, Walk)", inner=True)
def _close(level, queue, walk):
    """See which set is the first that separates a candidate."""
    for at in range(walk.cursor[N_NOTED]):
        if _separates(level, walk, at):
            c = walk.about[at, CANDIDATE]
            queue.closed_by[c] = min(queue.closed_by[c], walk.about[at, NUMBER])


@kernel("void(Level, Answers, Queue, Walk, ResultTable, boolean)", inner=True)
def _count_and_answer(level, answers, queue, walk, table, remembers):
    for at in range(walk.cursor[N_NOTED]):
        if walk.about[at, NUMBER] <= queue.closed_by[walk.about[at, CANDIDATE]]:
            _count(level, walk, at, table, remembers)
            _answer(level, answers, queue, walk, at)
    walk.cursor[N_NOTED] = 0


@kernel("void(Level, Walk, int64, ResultTable, boolean)", inner=True)
def _count(level, walk, at, table, remembers):
    if walk.about[at, KIND] != IS_COMPUTED:
        table.counters[REPEATED] += 1
        return
    table.counters[COMPUTED] += 1
    table.counters[SKIPPED] += cannot_say(walk.values[at], 0.0)  # at any level
    if remembers:
        x = level.candidates[walk.about[at, CANDIDATE]]
        key = key_of(x, walk.about[at, TARGET], hash_of_set(walk.sets[at]))
        store(table, key, walk.values[at])


@kernel("void(Level, Answers, Queue, Walk, int64)", inner=True)
def _answer(level, answers, queue, walk, at):
    """Keep what separates a candidate, and the weakest dependence, the first of equal ones."""
    c, number, values = walk.about[at, CANDIDATE], walk.about[at, NUMBER], walk.values[at]
    edge = level.edge_of[c]
    if level.size == 0 or _separates(level, walk, at):
        if level.is_second:
            _keep(values, walk.sets[at], answers.second[edge], answers.second_sets[edge])
        else:
            _keep(values, walk.sets[at], answers.first[edge], answers.first_sets[edge])
    elif walk.about[at, KIND] == IS_COMPUTED and not cannot_say(values, level.log_alpha):
        kept = answers.weakest[edge]
        is_first = values[LOG_P] == kept[LOG_P] and number < queue.weakest_at[c]
        if is_weaker(values, kept, level.log_alpha) or is_first:
            _keep(values, walk.sets[at], kept, answers.weakest_sets[edge])
            queue.weakest_at[c] = number


@kernel("void(float64[::1], int64[::1], float64[::1], int64[::1])", inner=True)
def _keep(values, set_, kept_values, kept_set):
    copy_values(values, kept_values)
    for i in range(set_.shape[0]):
        kept_set[i] = set_[i]
