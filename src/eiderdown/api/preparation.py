"""From whatever table the user has to a dataset that one test can judge.

Nothing happens in silence: whatever is left out or changed is said in a warning.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.data import Dataset, Kind, discretise, equal_frequency_cuts
from eiderdown.data.whole_table import N_BINS, ROWS_PER_DOF
from eiderdown.errors import (
    ColumnKindError,
    ConstantColumnError,
    InputError,
    TargetAmongCandidatesError,
    listed,
)


@dataclass(frozen=True)
class Problem:
    """A table of one kind of columns, its target and the candidates.

    Attributes
    ----------
    data : Dataset
        Columns that one test can judge together.
    target : int
        The target column.
    candidates : IntArray
        Columns that may be in the boundary.
    warnings : tuple of str
        What was changed or left out on the way.
    """

    data: Dataset
    target: int
    candidates: IntArray
    warnings: tuple[str, ...]


def prepare(
    data: Dataset,
    target: str,
    exclude: Collection[str] = (),
    required: Collection[str] = (),
) -> Problem:
    """Check the target, set aside what cannot be a candidate, and unify the kinds.

    Parameters
    ----------
    data : Dataset
        The table.
    target : str
        Name of the target column.
    exclude, required : collection of str
        Columns that must not be in the answer, and columns that must be in it.
    """
    question = ask(data, target, exclude, required)
    unified, said = _unify(data, question.target, question.candidates)
    return Problem(unified, question.target, question.candidates, (*question.warnings, *said))


def ask(
    data: Dataset,
    target: str,
    exclude: Collection[str] = (),
    required: Collection[str] = (),
) -> Problem:
    """Check the target and set aside what cannot be a candidate; kinds stay as they are.

    Parameters
    ----------
    data, target, exclude, required
        As in :func:`prepare`.
    """
    target_index = data.index(target)
    excluded = {data.index(name) for name in exclude}
    if target_index in excluded:
        raise TargetAmongCandidatesError(
            f"Column {target!r} is both the target and excluded; take it out of the excluded ones."
        )
    constant = data.constant_columns()
    if target in constant:
        raise ConstantColumnError(
            f"Target {target!r} has a single value in all {data.n_rows} rows, so nothing can "
            "depend on it; choose another target or other rows."
        )
    warnings = []
    constant = tuple(name for name in constant if data.index(name) not in excluded)
    if constant:
        warnings.append(f"Left out because they have a single value: {listed(constant)}.")
        excluded |= {data.index(name) for name in constant}
    _check_required(data, target_index, excluded, required)
    everyone = np.arange(data.n_columns)
    candidates = everyone[~np.isin(everyone, [target_index, *excluded])]
    if len(candidates) == 0:
        raise InputError(
            f"No candidate columns are left for target {target!r}; give a table with at least one "
            "other column that varies and is not excluded."
        )
    return Problem(data, target_index, candidates, tuple(warnings))


def prepare_all(
    data: Dataset, targets: Sequence[str] | None = None
) -> tuple[list[Problem], tuple[str, ...]]:
    """Prepare every column (or the named ones) as a target of the same table.

    Columns that do not vary are left out. If the kinds are mixed, continuous columns are cut, so
    that one test judges all.
    """
    constant = set(data.constant_columns())
    varying = [name for name in data.names if name not in constant]
    wanted = varying if targets is None else list(targets)
    for name in wanted:
        data.index(name)
        if name in constant:
            raise ConstantColumnError(
                f"Target {name!r} has a single value in all {data.n_rows} rows, so nothing can "
                "depend on it; take it out of the targets."
            )
    if len(varying) < 2:
        raise InputError("Fewer than two columns vary; there is nothing to search.")
    said = []
    if constant:
        said.append(f"Left out because they have a single value: {listed(sorted(constant))}.")
    columns = np.array([data.index(name) for name in varying])
    discrete = columns[data.is_discrete[columns]]
    if 0 < len(discrete) < len(columns):
        data, cut = _unify(data, int(discrete[0]), columns[columns != discrete[0]])
        said += cut
    problems = []
    for name in wanted:
        target = data.index(name)
        problems.append(Problem(data, target, columns[columns != target], ()))
    return problems, tuple(said)


def _check_required(
    data: Dataset, target: int, excluded: set[int], required: Collection[str]
) -> None:
    for name in required:
        column = data.index(name)
        if column == target:
            raise TargetAmongCandidatesError(
                f"Column {name!r} is the target and cannot be required; take it out."
            )
        if column in excluded:
            raise TargetAmongCandidatesError(
                f"Column {name!r} is required, but it is excluded or has a single value; take it "
                "out of the required ones."
            )


def _unify(data: Dataset, target: int, candidates: IntArray) -> tuple[Dataset, list[str]]:
    """Bring the candidates to the target's kind."""
    other_kind = candidates[data.is_discrete[candidates] != data.is_discrete[target]]
    if len(other_kind) == 0:
        return data, []
    names = [data.names[i] for i in other_kind]
    if data.kind(target) is Kind.DISCRETE:
        n_bins = _affordable_bins(data, target)
        cuts = {
            name: equal_frequency_cuts(data.values(int(i)), n_bins)
            for name, i in zip(names, other_kind, strict=True)
        }
        said = (
            f"Cut into {n_bins} categories of equal frequency, because the target "
            f"{data.names[target]!r} is discrete: {listed(names)}; discretise them yourself to "
            "choose other categories."
        )
        return discretise(data, cuts), [said]
    return _as_numbers(data, target, other_kind)


def _affordable_bins(data: Dataset, target: int) -> int:
    """Use two categories where the rows are too few for a reliable test with three."""
    dof = (N_BINS - 1) * (int(data.n_categories[target]) - 1)
    return N_BINS if data.n_rows >= ROWS_PER_DOF * dof else 2


def _as_numbers(data: Dataset, target: int, columns: IntArray) -> tuple[Dataset, list[str]]:
    """Read discrete columns whose categories are numbers as numbers."""
    names = [data.names[i] for i in columns]
    text = [
        name
        for name, i in zip(names, columns, strict=True)
        if not all(isinstance(level, int | float) for level in data.categories(int(i)))
    ]
    if text:
        raise ColumnKindError(
            f"The target {data.names[target]!r} is continuous, but these columns have categories that "
            f"are not numbers: {listed(text)}; exclude them, recode them as numbers, or discretise "
            "the target."
        )
    numbers = {
        name: np.array(data.categories(int(i)), dtype=np.float64)[data.codes(int(i))]
        for name, i in zip(names, columns, strict=True)
    }
    kinds = dict.fromkeys(names, Kind.CONTINUOUS)
    replaced = data.drop(names).with_columns(numbers, kinds=kinds).select(data.names)
    said = (
        f"Used as numbers, because the target {data.names[target]!r} is continuous: "
        f"{listed(names)}."
    )
    return replaced, [said]
