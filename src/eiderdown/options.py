"""Every option is declared once: its type, its legal values, its default and what it means.

An option is an annotated type. A function takes it as a keyword, and the default stands in the
signature::

    Fraction = Annotated[float, Option("share of the candidates to choose from", between=(0, 1))]

    def kiamb(problem: TestProblem, *, fraction: Fraction = 0.8) -> Found: ...

What several public verbs or estimators take stands in a ``TypedDict``, each field with its default
(:mod:`eiderdown.shared_options`)::

    class RunOptions(TypedDict, total=False):
        n_jobs: Annotated[int | None, Option("threads", default=None, at_least=-1)]

    @declared
    def find_boundary(data: Any, *, target: str, **options: Unpack[RunOptions]) -> Boundary: ...

Type checkers and editors read the ``TypedDict``; ``declared`` makes the run-time signature and the
docstring from it, checks what is given and fills in what is not. The command line
(:mod:`eiderdown.cli.commands`), the registry (:mod:`eiderdown.registry`) and the estimators read
the same declarations.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, wraps
from types import NoneType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    ParamSpec,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from eiderdown.errors import OptionError
from eiderdown.memory import Memory
from eiderdown.option_types import (
    fit,
    is_collection,
    kinds_of,
    read_text,
    shown,
    type_name,
    unwrapped,
)

REQUIRED: Final = inspect.Parameter.empty
"""The default of an option that has none."""

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Option:
    """What is said of an option beside its type.

    Attributes
    ----------
    help : str
        What it means, in one sentence without a full stop.
    default : object
        Its value where none is given; functions that take it alone say it in their signature.
    between : tuple of float, optional
        Least and greatest legal value.
    inside : tuple of float, optional
        Legal values lie strictly between these two.
    at_least : float, optional
        Least legal value.
    flag : str or None
        What it is called on a command line; None for its own name with dashes, "" for not at all.
    metavar : str or None
        What stands for its value in the help of a command line.
    command_help : str or None
        What it means there, where values that only Python can make are left out; None for ``help``.
    """

    help: str
    default: Any = REQUIRED
    between: tuple[float, float] | None = None
    inside: tuple[float, float] | None = None
    at_least: float | None = None
    flag: str | None = None
    metavar: str | None = None
    command_help: str | None = None


@dataclass(frozen=True)
class Declared:
    """One option of a function, a verb or an estimator."""

    name: str
    type: Any
    option: Option
    default: Any

    @property
    def help(self) -> str:
        """What it means."""
        return self.option.help

    @property
    def command_help(self) -> str:
        """What it means on a command line."""
        return self.option.command_help or self.option.help

    @property
    def kinds(self) -> tuple[Any, ...]:
        """The alternatives of its type, None left out."""
        return tuple(kind for kind in kinds_of(self.type) if kind is not NoneType)

    @property
    def choices(self) -> tuple[str, ...]:
        """The legal words of an option whose type is a literal."""
        kinds = self.kinds
        return tuple(w for kind in kinds if get_origin(kind) is Literal for w in get_args(kind))

    @property
    def is_repeated(self) -> bool:
        """Whether it is a collection of texts or labels, which a command line repeats."""
        listed = any(is_collection(kind) and get_args(kind)[0] in (str, Any) for kind in self.kinds)
        return listed and str not in self.kinds

    @property
    def is_mapping(self) -> bool:
        """Whether it is a mapping, of which a command line repeats the pairs."""
        return any(get_origin(kind) is Mapping for kind in self.kinds)

    @property
    def shown_type(self) -> str:
        """The type as docstrings write it."""
        words = [type_name(kind) for kind in kinds_of(self.type)]
        return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]

    def checked(self, value: Any) -> Any:
        """Return a value of the option's type within its limits, or say what it must be."""
        if value is REQUIRED:
            raise OptionError(f"Give a value for {self.name!r}: {self.help}.")
        value = unwrapped(value)
        for kind in kinds_of(self.type):
            fits, converted = fit(kind, value)
            if fits:
                if isinstance(converted, int | float) and not isinstance(converted, bool):
                    self._require_within(converted)
                return converted
        raise OptionError(
            f"{self.name} must be {self.shown_type}, not {shown(value)}.{self._hint(value)}"
        )

    def _hint(self, value: Any) -> str:
        """Say how one name is written where several are wanted."""
        listed = any(is_collection(kind) for kind in self.kinds)
        return (
            f" One of them alone is written [{shown(value)}]."
            if listed and isinstance(value, str)
            else ""
        )

    def is_default(self, value: Any) -> bool:
        """Say whether a checked value is the default."""
        default = self.default
        return value is default or (type(value) is type(default) and bool(value == default))

    def of_text(self, text: str) -> Any:
        """Read a value as people write it on a command line."""
        for kind in sorted(kinds_of(self.type), key=lambda kind: kind in (str, Any)):
            value = read_text(kind, text)
            if value is not REQUIRED:
                return self.checked(value)
        raise OptionError(f"{self.name} must be {self.shown_type}, not {shown(text)}.")

    def _require_within(self, value: float) -> None:
        option = self.option
        if option.between is not None and not option.between[0] <= value <= option.between[1]:
            low, high = option.between
            few = int in self.kinds and value < low
            limits = f"at least {low:g}" if few else f"from {_bound(low)} to {_bound(high)}"
            raise OptionError(f"{self.name} must be {limits}, not {shown(value)}.")
        if option.inside is not None and not option.inside[0] < value < option.inside[1]:
            low, high = option.inside
            limits = f"between {low:g} and {high:g}" if high < math.inf else f"above {low:g}"
            raise OptionError(f"{self.name} must be {limits}, not {shown(value)}.")
        if option.at_least is not None and not value >= option.at_least:
            least = option.at_least
            written = str(least) if isinstance(least, Memory) else f"{least:g}"
            raise OptionError(f"{self.name} must be at least {written}, not {shown(value)}.")


def _bound(limit: float) -> str:
    """Write a limit: whole numbers with all their digits, if these are not too many."""
    return f"{limit:,.0f}" if limit == round(limit) and abs(limit) < 1e15 else f"{limit:g}"


# --- from declarations to signatures -------------------------------------------------------------


@cache
def options_of(source: Any) -> Mapping[str, Declared]:
    """Return the options of a ``TypedDict`` or a verb, or those annotated in a function or class.

    Examples
    --------
    >>> from eiderdown.shared_options import RunOptions
    >>> list(options_of(RunOptions))
    ['random_state', 'n_jobs', 'progress', 'time_limit']
    """
    function = source.__init__ if _is_plain_class(source) else source
    if hasattr(function, "declared_options"):
        known: Mapping[str, Declared] = function.declared_options
        return known
    hints = get_type_hints(function, include_extras=True)
    defaults = {}
    if not hasattr(source, "__required_keys__"):
        parameters = inspect.signature(function).parameters
        defaults = {name: parameter.default for name, parameter in parameters.items()}
    found = {}
    for name, hint in hints.items():
        option = _option_in(hint)
        if option is not None:
            default = defaults.get(name, REQUIRED)
            default = option.default if default is REQUIRED else default
            found[name] = Declared(name, get_args(hint)[0], option, default)
    return found


def checked_options(
    known: Mapping[str, Declared], given: Mapping[str, Any], owner: str
) -> dict[str, Any]:
    """Check what is given and refuse what is not known; defaults are not filled in."""
    for name in given:
        if name not in known:
            close = get_close_matches(name, known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"it has {_listed(known)}."
            raise OptionError(f"{owner} has no option {name!r}; {hint}")
    return {name: known[name].checked(value) for name, value in given.items()}


def declared(function: Callable[P, R]) -> Callable[P, R]:
    """Check the options of a public verb and fill in their defaults.

    The options are those of the ``TypedDict`` with which the verb's ``**options`` are annotated.
    They stand in its signature at run time, and a line ``**options`` in its docstring is replaced
    by what they mean.
    """
    known = _unpacked_options(function)

    @wraps(function)
    def verb(*args: P.args, **kwargs: P.kwargs) -> R:
        own = {name: value for name, value in kwargs.items() if name not in explicit}
        filled = {name: option.default for name, option in known.items()}
        filled |= checked_options(known, own, f"{function.__name__}()")
        for name, option in known.items():
            if filled[name] is REQUIRED:
                option.checked(REQUIRED)  # which says what is wanted
        named = {name: value for name, value in kwargs.items() if name in explicit}
        return function(*args, **named, **filled)  # type: ignore[arg-type]

    explicit = _show(verb, function, known)
    return verb


def stores_params(init: Callable[P, None]) -> Callable[P, None]:
    """Make the ``__init__`` of an estimator, which keeps its parameters as they are given.

    As :func:`declared`; a line ``**params`` in the docstring of the class is replaced by what they
    mean. Scikit-learn wants parameters to be checked by ``fit`` and not before.
    """
    return cast("Callable[P, None]", _StoringInit(init))


class _StoringInit:
    """Becomes the ``__init__`` of the class in which it stands."""

    def __init__(self, init: Callable[..., None]) -> None:
        self._init = init

    def __set_name__(self, owner: type, name: str) -> None:
        known = _unpacked_options(self._init)

        @wraps(self._init)
        def __init__(estimator: Any, /, **params: Any) -> None:  # noqa: N807  a method
            unknown = [param for param in params if param not in known]
            if unknown:
                kind = type(estimator).__name__
                raise TypeError(f"{kind} has no parameter {unknown[0]!r}; it has {_listed(known)}.")
            for param, option in known.items():
                setattr(estimator, param, params.get(param, option.default))

        _show(__init__, self._init, known)
        owner.__doc__ = _with_options(owner.__doc__, known)
        setattr(owner, name, __init__)


def described(known: Mapping[str, Declared], indent: str = "") -> str:
    """Write options as the entries of a numpydoc section."""
    lines = []
    for option in known.values():
        default = "" if option.default is REQUIRED else f", default={option.default!r}"
        sentence = option.help[:1].upper() + option.help[1:]
        lines += [
            f"{indent}{option.name} : {option.shown_type}{default}",
            f"{indent}    {sentence}.",
        ]
    return "\n".join(lines)


def _unpacked_options(function: Callable[..., Any]) -> Mapping[str, Declared]:
    """Return the options of the ``TypedDict`` that a function unpacks."""
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            hint = parameter.annotation
            if isinstance(hint, str):
                hint = eval(hint, function.__globals__)
            return options_of(get_args(hint)[0])
    raise TypeError(f"{function.__name__} has no **options")


def _show(
    wrapper: Callable[..., Any], function: Callable[..., Any], known: Mapping[str, Declared]
) -> set[str]:
    """Put options into a signature and a docstring; return the names of the other parameters."""
    signature = inspect.signature(function)
    explicit = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    keywords = [
        inspect.Parameter(
            option.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=option.default,
            annotation=option.type,
        )
        for option in known.values()
    ]
    wrapper.declared_options = known  # type: ignore[attr-defined]
    wrapper.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*explicit, *keywords]
    )
    wrapper.__doc__ = _with_options(wrapper.__doc__, known)
    return {parameter.name for parameter in explicit}


def _with_options(text: str | None, known: Mapping[str, Declared]) -> str | None:
    """Replace the line that stands for the options in a docstring."""
    if text is None:
        return None
    line = re.compile(r"^( *)\*\*(options|params)$", re.MULTILINE)
    return line.sub(lambda match: described(known, match[1]), text)


def _is_plain_class(source: Any) -> bool:
    return isinstance(source, type) and not hasattr(source, "__required_keys__")


def _option_in(hint: Any) -> Option | None:
    """Return what was said of an option, if anything."""
    if get_origin(hint) is not Annotated:
        return None
    said = [item for item in get_args(hint)[1:] if isinstance(item, Option)]
    return said[-1] if said else None


def _listed(known: Mapping[str, Declared]) -> str:
    return ", ".join(known) if known else "no options of its own"
