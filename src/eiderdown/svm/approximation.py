"""Fewer rows for an SVM, where the user agrees: a sample of them, or landmarks.

A support vector machine of n rows needs a matrix of n x n numbers, and time that grows faster than
n^2. With ``approximate="sample"`` it is trained with ``max_rows`` of them. With ``"nystroem"`` it
is trained with all rows, but its weights are sums over ``n_landmarks`` of them: see
:mod:`eiderdown.svm.landmarks`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, Final, Literal, Self, TypeAlias, TypedDict, get_args

import numpy as np

from eiderdown.arrays import IntArray
from eiderdown.errors import OptionError, require_count
from eiderdown.options import Option

Approximate: TypeAlias = Literal["no", "sample", "nystroem"]

MAX_ROWS: Final = 4_000
N_LANDMARKS: Final = 500

_LEAST_OF_CLASS: Final = 20
"""Rows of a rare class that a sample keeps, as far as there are so many: for folds to test on."""


class ApproximationOptions(TypedDict, total=False):
    """What everything takes that trains polynomial SVMs."""

    approximate: Annotated[
        Approximate,
        Option(
            "what an SVM of many rows may do with fewer of them: nothing; be trained with a sample "
            "of max_rows; or have weights that are sums over n_landmarks, trained with all rows",
            default="no",
            metavar="HOW",
            command_help="fewer rows for the SVM: no, sample (of max-rows) or nystroem (sums over "
            "n-landmarks)",
        ),
    ]
    max_rows: Annotated[
        int,
        Option(
            "rows of the sample, with approximate 'sample'; classes have their shares in it",
            default=MAX_ROWS,
            at_least=2,
            metavar="N",
        ),
    ]
    n_landmarks: Annotated[
        int,
        Option(
            "rows over which weights are sums, with approximate 'nystroem'",
            default=N_LANDMARKS,
            at_least=1,
            metavar="N",
        ),
    ]


@dataclass(frozen=True)
class Approximation:
    """What an SVM of many rows may do with fewer of them."""

    approximate: Approximate = "no"
    max_rows: int = MAX_ROWS
    n_landmarks: int = N_LANDMARKS
    random_state: int | None = 0

    def __post_init__(self) -> None:
        if self.approximate not in get_args(Approximate):
            raise OptionError(
                f"approximate must be one of {', '.join(get_args(Approximate))}, not "
                f"{self.approximate!r}."
            )
        require_count("max_rows", self.max_rows, least=2)
        require_count("n_landmarks", self.n_landmarks, least=1)

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """Take what is declared here, and the seed, out of the options of a verb."""
        return cls(**{field.name: options[field.name] for field in fields(cls)})

    def sampled(self, y: Any, *, regression: bool = False) -> IntArray | None:
        """Return the rows to train with, in order; None for all of them."""
        if self.approximate != "sample" or len(y) <= self.max_rows:
            return None
        return stratified_sample(
            y, self.max_rows, self.random_state, regression=regression, least=_LEAST_OF_CLASS
        )

    def landmarks(self, y: Any, *, regression: bool = False) -> IntArray | None:
        """Return the rows that weights are sums over, in order; None if nothing is approximated."""
        if self.approximate != "nystroem" or len(y) <= self.n_landmarks:
            return None
        return stratified_sample(y, self.n_landmarks, self.random_state, regression=regression)

    def applies_to(self, n_rows: int) -> bool:
        """Tell whether anything is done differently with so many rows."""
        most = {"no": n_rows, "sample": self.max_rows, "nystroem": self.n_landmarks}
        return n_rows > most[self.approximate]

    def record(self, n_rows: int) -> dict[str, Any]:
        """Say for the record of a run what was done; nothing where nothing was."""
        if not self.applies_to(n_rows):
            return {}
        size = "max_rows" if self.approximate == "sample" else "n_landmarks"
        return {"approximate": self.approximate, size: getattr(self, size)}

    def warning(self, n_rows: int) -> str | None:
        """Say in a sentence how an SVM of so many rows is an approximate one; None if it is not."""
        if not self.applies_to(n_rows):
            return None
        if self.approximate == "sample":
            return (
                f"SVMs were trained and scored with a sample of about {self.max_rows:,} of "
                f"{n_rows:,} rows; raise max_rows, or give another random_state, to see what "
                "depends on it."
            )
        return (
            f"The weights of SVMs are sums over {self.n_landmarks:,} of {n_rows:,} rows; raise "
            "n_landmarks, or give another random_state, to see what depends on it."
        )


EXACT: Final = Approximation()
"""Nothing is done with fewer rows."""


def stratified_sample(
    y: Any, n_rows: int, random_state: int | None, *, regression: bool = False, least: int = 1
) -> IntArray:
    """Draw rows, classes in their shares, and of each class at least so many if it has them.

    What is drawn depends on the target alone and not on the columns or their order.

    Examples
    --------
    >>> y = np.repeat([0, 1], [900, 100])
    >>> np.bincount(y[stratified_sample(y, 50, 0)]).tolist()
    [45, 5]
    >>> np.bincount(y[stratified_sample(y, 50, 0, least=20)]).tolist()
    [45, 20]
    """
    if len(y) <= n_rows:
        return np.arange(len(y))
    order = np.random.default_rng(random_state).permutation(len(y))
    if regression:
        return np.sort(order[:n_rows])
    share, chosen = n_rows / len(y), []
    for code in np.unique(y):
        of_class = order[y[order] == code]
        chosen.append(of_class[: max(min(len(of_class), least), round(share * len(of_class)))])
    return np.sort(np.concatenate(chosen))
