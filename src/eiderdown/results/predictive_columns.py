"""How well sets of columns predict a target, and which set was chosen for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

WORTH_SAYING = 0.005
"""Differences of less AUC, accuracy or R2 than this are none."""

Measure: TypeAlias = Literal["AUC", "accuracy", "R2"]


@dataclass(frozen=True)
class JudgedColumns:
    """How well one set of columns predicts rows that took no part in finding it.

    Attributes
    ----------
    name : str
        Which set, in words.
    n_columns : int
        How many columns it has in the whole table.
    score : float
        Mean over the folds.
    low, high : float
        A 95% interval of it.
    behind, behind_error : float
        By how much the best set was better in the same folds, and the standard error of that.
    """

    name: str
    n_columns: int
    score: float
    low: float
    high: float
    behind: float = 0.0
    behind_error: float = 0.0


@dataclass(frozen=True)
class Substitute:
    """A column of a deeper layer that stands for one of the boundary.

    Attributes
    ----------
    column : str
        The column outside the boundary.
    stands_for : str
        The member: given either of the two, the other tells much less about the target.
    layer : int
        In which layer the column was found; the boundary is the first.
    """

    column: str
    stands_for: str
    layer: int


@dataclass(frozen=True)
class PredictiveColumns:
    """How well boundary, chosen set and all columns predict a target.

    Attributes
    ----------
    measure : {"AUC", "accuracy", "R2"}
        What scores are: of two classes, of more, or of numbers.
    columns : tuple of str
        The chosen set: the boundary first, then layer by layer.
    layers : tuple of tuple of str
        The boundary, the boundary among the other columns, and so on.
    boundary, chosen, all_columns : JudgedColumns
        How well each predicts. In each fold the chosen set is the one that the other folds choose,
        so that the choice does not flatter it.
    sets : tuple of JudgedColumns
        All nested sets that were judged, the smallest first.
    substitutes : tuple of Substitute
        Which columns of deeper layers stand for which members.
    model : str
        What predicts best with the chosen set.
    n_folds, n_rows : int
        Folds of cross-validation, and rows that were divided.
    is_choice : bool
        Whether a set was chosen; if not, boundary and all columns were only compared.
    """

    measure: Measure
    columns: tuple[str, ...]
    layers: tuple[tuple[str, ...], ...]
    boundary: JudgedColumns
    chosen: JudgedColumns
    all_columns: JudgedColumns
    sets: tuple[JudgedColumns, ...]
    substitutes: tuple[Substitute, ...]
    model: str
    n_folds: int
    n_rows: int
    is_choice: bool = True

    def sentence(self, target: str) -> str:
        """Say in a sentence how well the boundary, or what was chosen, predicts."""
        chosen, full = self.chosen, self.all_columns
        if not chosen.n_columns:
            return f"No column was found to predict {target!r} from."
        what = "chosen columns" if self.is_choice else "members"
        who = f"The {chosen.n_columns} {what}" if chosen.n_columns > 1 else f"The one {what[:-1]}"
        verb = "predict" if chosen.n_columns > 1 else "predicts"
        gap = full.score - chosen.score
        how = "less well than"
        if gap <= max(WORTH_SAYING, chosen.behind_error):
            how = "as well as" if gap >= -WORTH_SAYING else "better than"
        return (
            f"{who} {verb} {target!r} {how} all {full.n_columns:,} columns "
            f"({self.measure} {chosen.score:.3f} against {full.score:.3f})."
        )
