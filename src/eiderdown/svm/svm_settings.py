"""What support vector machines have in common, whatever their degree and cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypedDict

import numpy as np

from eiderdown.arrays import FloatArray
from eiderdown.errors import InputError, NonFiniteError, OptionError, TooFewRowsError


class SVMKeywords(TypedDict, total=False):
    """Keywords of every function that trains machines; see :class:`SVMSettings`."""

    gamma: float
    coef0: float
    class_weight: Literal["balanced"] | None
    regression: bool
    epsilon: float
    tolerance: float


@dataclass(frozen=True)
class SVMSettings:
    """How machines are trained.

    Parameters
    ----------
    gamma, coef0 : float
        The kernel is ``(gamma x.x' + coef0)^degree``; both must be positive.
    class_weight : "balanced" or None
        Whether an error on a rare class costs more, so that all classes weigh the same.
    regression : bool
        Whether the target is a number and not a class.
    epsilon : float
        In regression, the error that costs nothing.
    tolerance : float
        How far margins may be from those of the solution.
    """

    gamma: float = 1.0
    coef0: float = 1.0
    class_weight: Literal["balanced"] | None = None
    regression: bool = False
    epsilon: float = 0.1
    tolerance: float = 1e-3

    def __post_init__(self) -> None:
        if self.class_weight not in (None, "balanced"):
            raise OptionError(
                f"class_weight must be 'balanced' or None, not {self.class_weight!r}."
            )
        if not self.epsilon >= 0.0:
            raise OptionError(f"epsilon must be at least 0, not {self.epsilon!r}.")
        if not self.tolerance > 0.0:
            raise OptionError(f"tolerance must be positive, not {self.tolerance!r}.")

    @property
    def kernel(self) -> dict[str, float]:
        """Scale and offset of the kernel."""
        return {"gamma": self.gamma, "coef0": self.coef0}

    @property
    def measure(self) -> str:
        """How machines are judged: "AUC", or "R2" in regression."""
        return "R2" if self.regression else "AUC"

    def target(self, y: Any, n_rows: int) -> Any:
        """Check a target and return it as codes, or in regression as numbers."""
        target: Any = np.asarray(y, dtype=np.float64 if self.regression else np.int64)
        if target.shape != (n_rows,):
            raise InputError(
                f"y must have one value for each of the {n_rows} rows, not shape {target.shape}."
            )
        if not np.isfinite(target).all():
            raise NonFiniteError("y has a value that is missing or infinite; drop such rows first.")
        if not self.regression and len(np.unique(target)) < 2:
            raise TooFewRowsError(
                "All rows are of one class, so there is nothing to tell apart; give rows of at "
                "least two classes."
            )
        return target

    def row_weights(self, y: Any) -> FloatArray:
        """Return what multiplies the cost of each row."""
        if self.regression or self.class_weight is None:
            return np.ones(len(y))
        _, code, count = np.unique(y, return_inverse=True, return_counts=True)
        weights: FloatArray = len(y) / (len(count) * count[code])
        return weights


def check_cost(cost: float) -> None:
    """Refuse a cost that is not positive."""
    if not cost > 0.0:
        raise OptionError(f"C must be positive, not {cost!r}; try powers of ten.")
