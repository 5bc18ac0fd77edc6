"""The families of regression, by the column that is explained.

    logistic             two classes
    multinomial          more of them
    ordinal              categories in their declared order; proportional odds (McCullagh 1980)
    linear               numbers
    poisson              counts; variance equal to the mean
    negative_binomial    counts; variance above it (NB2); Poisson where the data show no more
    cox                  times until an event, some of them censored; ties by Efron (1977)

``auto`` goes by the kind of the column. It takes two classes and more for what they are, ordered
ones for ordered, numbers for numbers, and counts, declared or whole numbers from 0 on, for counts
(negative binomial), and a target with an ``event`` column for a time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal, TypeAlias

import numpy as np

from eiderdown.arrays import FloatArray, IntArray, frozen
from eiderdown.data import Dataset, Kind
from eiderdown.errors import ColumnKindError, OptionError
from eiderdown.independence.kernels.likelihoods import (
    COX,
    MULTINOMIAL,
    NEGATIVE_BINOMIAL,
    ORDINAL,
    POISSON,
    Response,
)
from eiderdown.options import Option

FamilyName: TypeAlias = Literal[
    "linear", "logistic", "multinomial", "ordinal", "poisson", "negative_binomial", "cox"
]
Family: TypeAlias = Annotated[
    Literal[
        "auto",
        "linear",
        "logistic",
        "multinomial",
        "ordinal",
        "poisson",
        "negative_binomial",
        "cox",
    ],
    Option("kind of regression of the target; 'auto' goes by its column"),
]
Event: TypeAlias = Annotated[
    str | None,
    Option(
        "column that is 1 where the event happened and 0 where a row was censored; the target is "
        "then a time",
        metavar="COLUMN",
    ),
]

_KERNELS = {
    "logistic": MULTINOMIAL,
    "multinomial": MULTINOMIAL,
    "ordinal": ORDINAL,
    "poisson": POISSON,
    "negative_binomial": NEGATIVE_BINOMIAL,
    "cox": COX,
}
EXPLAINED_FIRST = (
    "cox",
    "negative_binomial",
    "poisson",
    "linear",
    "ordinal",
    "logistic",
    "multinomial",
)
"""Of two columns of which neither is the target, which family's is explained."""

CLASSES = ("logistic", "multinomial", "ordinal")
"""Families of classes, which may be separated."""

_LARGEST_SIZE = 1e4
"""A negative binomial of this size is a Poisson."""


def family_of(data: Dataset, column: int) -> FamilyName:
    """Say which regression explains a column, as far as it shows.

    Examples
    --------
    >>> table = {"sick": ["no", "yes", "no"], "visits": [0.0, 7.0, 1.0], "age": [31.5, 40.0, 28.0]}
    >>> [family_of(Dataset.of(table), column) for column in range(3)]
    ['logistic', 'negative_binomial', 'linear']
    >>> stage = Dataset.from_columns({"stage": [1, 2, 3, 2]}, kinds={"stage": "ordered"})
    >>> family_of(stage, 0)
    'ordinal'
    """
    kind = data.kind(column)
    if kind.is_discrete and data.n_categories[column] > 2:
        return "ordinal" if kind is Kind.ORDERED else "multinomial"
    if kind.is_discrete:
        return "logistic"
    counts = kind is Kind.COUNT or data.holds_counts(column)
    return "negative_binomial" if counts else "linear"


def why_family(data: Dataset, column: int) -> str:
    """Say which regression a declared kind of column asks for; "" where none is declared.

    Examples
    --------
    >>> data = Dataset.from_columns({"visits": [0, 1, 4, 2]}, kinds={"visits": "count"})
    >>> why_family(data, 0)
    "family 'negative_binomial', because 'visits' holds counts"
    """
    words = {Kind.ORDERED: "ordered categories", Kind.COUNT: "counts"}.get(data.kind(column))
    if words is None:
        return ""
    return f"family {family_of(data, column)!r}, because {data.names[column]!r} holds {words}"


def checked_family(data: Dataset, column: int, family: Family, event: str | None) -> FamilyName:
    """Return the family by which a column is explained, or say why it cannot be this one."""
    name = data.names[column]
    if family in ("cox", "auto") and event is not None:
        _require_times(data, column, event)
        return "cox"
    if family == "cox":
        raise OptionError(
            f"Family 'cox' needs to know which rows were censored; name the column with event=..., "
            f"1 where the event of {name!r} happened."
        )
    if event is not None:
        raise OptionError(f"Only family 'cox' has an event column; leave out event={event!r}.")
    if family == "auto":
        return family_of(data, column)
    if family in CLASSES:
        _require_classes(data, column, family)
    elif family in ("poisson", "negative_binomial"):
        if not _are_whole(data, column):
            raise OptionError(
                f"Family {family!r} explains counts, but column {name!r} has values that are "
                "negative or not whole; choose 'linear'."
            )
    elif data.is_discrete[column]:
        numbers_of_categories(data, column)
    return family


def _are_whole(data: Dataset, column: int) -> bool:
    """Say whether a column, or its categories that are seen, are whole numbers from 0 on."""
    if not data.is_discrete[column]:
        return data.holds_whole(column) and _least(data, column) >= 0.0
    numbers = _numbers_seen(data, column)
    return bool(np.all(numbers >= 0.0) and np.all(numbers == np.floor(numbers)))


def _require_classes(data: Dataset, column: int, family: str) -> None:
    name, n_categories = data.names[column], int(data.n_categories[column])
    if n_categories == 0:
        raise OptionError(
            f"Family {family!r} explains categories, but column {name!r} is continuous; choose "
            "'linear', or give its kind as discrete."
        )
    if family == "logistic" and n_categories != 2:
        raise OptionError(
            f"Family 'logistic' explains two classes, but column {name!r} has {n_categories}; "
            "choose 'multinomial' or 'ordinal'."
        )


def _require_times(data: Dataset, column: int, event: str) -> None:
    if _least(data, column) < 0.0:
        raise OptionError(
            f"Column {data.names[column]!r} is a time, but has negative values; count from the "
            "start of observation."
        )
    if not _are_zero_or_one(data, data.index(event)):
        raise OptionError(
            f"Event column {event!r} must be 1 where the event happened and 0 where a row was "
            "censored, and nothing else."
        )


def _numbers_seen(data: Dataset, column: int) -> FloatArray:
    """Return the numbers of those categories of a column that are seen."""
    return numbers_of_categories(data, column)[np.flatnonzero(data.category_counts(column))]


def _least(data: Dataset, column: int) -> float:
    """Return the least number of a column, of its categories that are seen, or 0 of none."""
    if data.is_discrete[column]:
        return float(_numbers_seen(data, column).min(initial=np.inf))
    return float(data.quantiles(column, (0.0,))[0])


def _are_zero_or_one(data: Dataset, column: int) -> bool:
    if data.is_discrete[column]:
        return bool(np.isin(_numbers_seen(data, column), (0.0, 1.0)).all())
    least, greatest = data.quantiles(column, (0.0, 1.0))
    return least >= 0.0 and greatest <= 1.0 and data.holds_whole(column)


def numbers_of(data: Dataset, column: int) -> FloatArray:
    """Return the numbers of a column, or of its categories; NaN where they are missing."""
    if not data.is_discrete[column]:
        return data.values(column)
    return np.append(numbers_of_categories(data, column), np.nan)[data.codes(column)]


def numbers_of_categories(data: Dataset, column: int) -> FloatArray:
    """Return the number that each category of a column is, or say that they are none."""
    categories = data.categories(column)
    if not all(isinstance(category, int | float) for category in categories):
        raise ColumnKindError(
            f"Column {data.names[column]!r} has categories that are not numbers; choose a family "
            "for classes, or recode it as numbers."
        )
    return np.array(categories, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Explained:
    """A column as the response of a regression, on some rows.

    Attributes
    ----------
    family : str
        The regression.
    rows : IntArray
        The rows, in the order in which the likelihood wants them.
    y : FloatArray
        Numbers, counts, codes of classes, or 1 for events and 0 for censored rows.
    time : IntArray
        For times until an event: the number of each row's time, the latest first.
    """

    family: FamilyName
    rows: IntArray
    y: FloatArray
    time: IntArray

    @classmethod
    def of(
        cls, data: Dataset, column: int, family: FamilyName, event: str | None, rows: IntArray
    ) -> Explained:
        """Take a column of a table on some rows."""
        time = np.empty(0, dtype=np.int64)
        if family in CLASSES:
            y = np.unique(data.codes(column)[rows], return_inverse=True)[1].astype(np.float64)
        elif family == "cox":
            assert event is not None
            until = numbers_of(data, column)[rows]
            order = np.argsort(-until, kind="stable")
            rows = rows[order]
            time = np.unique(-until[order], return_inverse=True)[1].astype(np.int64)
            y = numbers_of(data, data.index(event))[rows]
        else:
            y = numbers_of(data, column)[rows]
        return cls(family, rows, frozen(np.ascontiguousarray(y)), frozen(time))

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.y)

    @property
    def n_classes(self) -> int:
        """How many classes or categories are seen."""
        return int(self.y.max()) + 1 if len(self.y) else 0

    @property
    def class_counts(self) -> IntArray:
        """How many rows are of each class."""
        return np.bincount(self.y.astype(np.int64))

    @property
    def mean_and_variance(self) -> tuple[float, float]:
        """Of the numbers or counts."""
        return float(self.y.mean()), float(self.y.var())

    @property
    def is_constant(self) -> bool:
        """Whether there is nothing to explain."""
        return len(self.y) == 0 or bool(self.y.min() == self.y.max() and self.family != "cox")

    @property
    def has_intercept(self) -> bool:
        """Whether an intercept is among the coefficients; thresholds and Cox's model need none."""
        return self.family not in ("ordinal", "cox")

    @property
    def can_separate(self) -> bool:
        """Whether a fit may come ever closer to certainty, and its coefficients be infinite."""
        return self.family in CLASSES

    @property
    def n_predictors(self) -> int:
        """How many linear predictors a row has."""
        return self.n_classes - 1 if self.family in ("logistic", "multinomial") else 1

    @property
    def response(self) -> Response:
        """The response as kernels take it."""
        n_extra = {"ordinal": self.n_classes - 1, "negative_binomial": 1}.get(self.family, 0)
        return Response(_KERNELS[self.family], self.n_predictors, n_extra, self.y, self.time)

    def start(self, n_base: int) -> FloatArray:
        """Return parameters of the model without any column, from which a fit can start."""
        response, n_rows = self.response, self.n_rows
        parameters = np.zeros(response.n_predictors * n_base + response.n_extra)
        if self.family == "ordinal":
            below = np.cumsum(self.class_counts)[:-1] / n_rows
            parameters[n_base:] = np.log(below / (1.0 - below))
        elif self.family in ("poisson", "negative_binomial"):
            mean, variance = self.mean_and_variance
            parameters[0] = np.log(mean) * np.sqrt(n_rows)  # the intercept's column has length 1
            if self.family == "negative_binomial":
                parameters[-1] = np.log(mean**2 / max(variance - mean, mean**2 / _LARGEST_SIZE))
        return parameters

    def effective_rows(self, curve: FloatArray, n_base: int) -> float:
        """Say how many rows of even odds hold the information that the rows have.

        A row whose class is all but certain without the candidate tells nothing about it. Of
        classes it is those of the one with the least information that count, of counts the events
        that were counted, of times the events.
        """
        n_rows = self.n_rows
        if self.family == "cox":
            return float(self.y.sum())
        if self.family in ("poisson", "negative_binomial"):
            return float(min(n_rows, n_rows * curve[0, 0]))
        if self.family == "ordinal":
            return float(n_rows)
        at = np.arange(self.response.n_predictors) * n_base
        weights = np.tril(curve[np.ix_(at, at)])
        weights += np.tril(weights, -1).T
        return float(4.0 * n_rows * min(weights.diagonal().min(), weights.sum()))

    def settled(self, parameters: FloatArray) -> Explained:
        """Return the same as Poisson if a fitted negative binomial is one."""
        if self.family == "negative_binomial" and parameters[-1] > np.log(0.5 * _LARGEST_SIZE):
            return replace(self, family="poisson")
        return self
