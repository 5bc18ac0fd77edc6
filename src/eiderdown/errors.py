"""Everything that can go wrong with a user's input, one class per way out.

Every message is one sentence that names the column (or option) and says what to do.
Bad input is also a ``ValueError``, because that is what scikit-learn expects.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral

_MOST_NAMES_SHOWN = 8


_LONGEST_MESSAGE = 2_000
_KEPT_OF_ITS_END = 400


class EiderdownError(Exception):
    """Base of every error that Eiderdown raises on purpose.

    A message that quotes a name of thousands of letters is shown without its middle.
    """

    def __init__(self, message: object = "") -> None:
        text = str(message)
        if len(text) > _LONGEST_MESSAGE:
            head = text[: _LONGEST_MESSAGE - _KEPT_OF_ITS_END]
            text = f"{head}[...]{text[-_KEPT_OF_ITS_END:]}"
        super().__init__(text)


class InputError(EiderdownError, ValueError):
    """The input cannot be used as it is."""


class MissingValuesError(InputError):
    """Some columns have missing values."""


class AllMissingColumnError(MissingValuesError):
    """Some columns hold nothing but missing values."""


class NonFiniteError(InputError):
    """Some columns hold infinite numbers, or a score is no finite number."""


class DuplicateNamesError(InputError):
    """Two columns (or nodes) share a name."""


class TooManyCategoriesError(InputError):
    """A discrete column has more categories than any test could use."""


class ConstantColumnError(InputError):
    """A column that has to vary has only one value."""


class UnknownColumnError(InputError):
    """A column was named that the table does not have."""


class ColumnKindError(InputError):
    """A column is of a kind (discrete, continuous) or type that does not fit."""


class TargetAmongCandidatesError(InputError):
    """The target was also offered as a candidate, or a variable as its own condition."""


class OptionError(InputError):
    """An option is outside its legal range."""


class TooFewRowsError(InputError):
    """There are not enough rows for a single answer."""


class UnreadableFileError(InputError):
    """A file is not there or cannot be read as what it claims to be."""


class UnwritableFileError(EiderdownError, OSError):
    """A file cannot be written; what was there before is there still."""

    def __str__(self) -> str:
        return str(self.args[0])  # also where ``errno`` and ``strerror`` are known


class UnseenCategoryError(InputError):
    """New data hold a category that training never saw."""


class CollinearColumnsError(InputError):
    """Some continuous columns are linear functions of others."""


class GraphError(InputError):
    """A graph is not what it has to be (a cycle, an unknown node, no extension)."""


class KnowledgeError(InputError):
    """Background knowledge contradicts itself, or a graph contradicts it."""


class NetworkFormatError(InputError):
    """A Bayesian network (or its file) is inconsistent."""


class TooManyCellsError(InputError):
    """An exact answer would need a table too large to hold."""


class InsufficientMemoryError(InputError, MemoryError):
    """Something would need more memory than is free."""


class ClusterError(EiderdownError, RuntimeError):
    """A cluster cannot be reached, is lost, or has workers that cannot be used."""


class ResultFormatError(InputError):
    """A stored result cannot be read back."""


class EiderdownWarning(UserWarning):
    """Something was changed, left out or cannot be trusted; the message says what and why."""


def listed(names: Sequence[str]) -> str:
    """Quote names for a message, the first few in full and the rest as a number.

    Examples
    --------
    >>> listed(["a", "b"])
    "'a', 'b'"
    >>> listed([f"x{i}" for i in range(100)])
    "'x0', 'x1', 'x2', 'x3', 'x4', 'x5', 'x6', 'x7' and 92 more"
    """
    shown = ", ".join(repr(str(name)) for name in names[:_MOST_NAMES_SHOWN])
    n_more = len(names) - _MOST_NAMES_SHOWN
    return f"{shown} and {n_more} more" if n_more > 0 else shown


def require_count(option: str, value: object, *, least: int = 0) -> None:
    """Raise `OptionError` unless an option is a whole number that is large enough."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise OptionError(f"{option} must be a whole number of at least {least}, not {value!r}.")
