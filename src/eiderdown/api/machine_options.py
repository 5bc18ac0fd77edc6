"""What a user can say about a polynomial machine and the search for its features."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from eiderdown.errors import OptionError
from eiderdown.randomness import as_generator
from eiderdown.svm.numeric_columns import CodingName
from eiderdown.svm.svm_weights import Method
from eiderdown.svm.tuning import COSTS, DEGREES


@dataclass(frozen=True)
class MachineOptions:
    """The options of :func:`eiderdown.find_interactions` that are about the machine, checked."""

    degree: int | None = None
    cost: float | None = None
    n_features: int = 50
    method: Method = "exact"
    max_built: int | None = None
    max_seconds: float | None = None
    strict: bool | None = None
    coding: CodingName = "auto"
    class_weight: Literal["balanced"] | None = None
    folds: int = 5
    nested: bool = True
    random_state: int = 0

    def __post_init__(self) -> None:
        if self.degree is not None and (isinstance(self.degree, bool) or self.degree < 1):
            raise OptionError(f"degree must be at least 1, or None to choose, not {self.degree!r}.")
        if self.cost is not None and not self.cost > 0.0:
            raise OptionError(f"cost must be positive, or None to choose it, not {self.cost!r}.")
        if self.n_features < 1:
            raise OptionError(f"n_features must be at least 1, not {self.n_features!r}.")
        if isinstance(self.folds, bool) or self.folds < 0 or self.folds == 1:
            raise OptionError(f"folds must be at least 2, or 0 for none, not {self.folds!r}.")
        if self.folds == 0 and self.are_chosen:
            raise OptionError("Without folds nothing can be chosen; give both degree and cost.")
        as_generator(self.random_state)

    @property
    def are_chosen(self) -> bool:
        """Whether degree or cost are to be chosen."""
        return self.degree is None or self.cost is None

    @property
    def grid(self) -> dict[str, Any]:
        """Degrees and costs to try."""
        return {
            "degrees": DEGREES if self.degree is None else (self.degree,),
            "costs": COSTS if self.cost is None else (self.cost,),
        }

    @property
    def description(self) -> dict[str, Any]:
        """All options, for the record of a run."""
        fields = asdict(self)
        del fields["random_state"]
        return fields
