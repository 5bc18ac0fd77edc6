"""Algorithms, tests, scores and formats by name, each with its options.

An entry wraps the function (or the class) that does the work, and is what users configure::

    PCMB = Algorithm(pcmb, "Parents and children by symmetry, then spouses.", paper=..., ...)

    find_boundary(data, target="HR", algorithm="pcmb")
    find_boundary(data, target="HR", algorithm=PCMB(max_given=2))

Options are the annotated keywords of the function (see :mod:`eiderdown.options`), declared nowhere
else. A new entry is one file and a line in the registry of its kind; dispatch goes by the typed
fields below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from importlib import import_module
from typing import (
    Any,
    Concatenate,
    Final,
    Generic,
    Literal,
    ParamSpec,
    Self,
    TypeAlias,
    TypeVar,
    cast,
)

from eiderdown.errors import OptionError
from eiderdown.option_types import shown, unwrapped
from eiderdown.options import Declared, checked_options, options_of
from eiderdown.shared_options import SearchOptions

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
Problem = TypeVar("Problem")

Evidence: TypeAlias = Literal["test", "score"]
ColumnKind: TypeAlias = Literal["discrete", "continuous"]


@dataclass(frozen=True, eq=False)
class Entry(Generic[P, R]):
    """Something that has a name, a function and options of its own.

    Attributes
    ----------
    function : callable
        What does the work; its annotated keywords are the options.
    summary : str
        One line for people who choose.
    name : str
        What users write; the function's own name unless said otherwise.
    params : mapping
        The options that were given; the others have their defaults.
    """

    function: Callable[Concatenate[Any, P], R]
    summary: str
    name: str = field(default="", kw_only=True)
    params: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", self.function.__name__)

    def __call__(self, *args: P.args, **params: P.kwargs) -> Self:
        """Return the same entry with other options.

        Examples
        --------
        >>> from eiderdown.boundary import KIAMB
        >>> KIAMB(fraction=0.5).params
        {'fraction': 0.5}
        """
        if args:
            raise OptionError(f"Options of {self.name!r} are given by name.")
        return self.with_params(params)

    def with_params(self, params: Mapping[str, Any]) -> Self:
        """Return the same entry with options from a mapping."""
        checked = checked_options(self.options, params, f"{self.name!r}")
        return replace(self, params={**self.params, **checked})

    def with_texts(self, texts: Mapping[str, str]) -> Self:
        """Return the same entry with options as people write them on a command line."""
        known = {name: value for name, value in texts.items() if name in self.options}
        values = {name: self.options[name].of_text(text) for name, text in known.items()}
        return self.with_params({**texts, **values})

    @property
    def options(self) -> Mapping[str, Declared]:
        """The options of its own."""
        return options_of(self.function)

    @property
    def all_params(self) -> dict[str, Any]:
        """Every option of its own, with its default where none was given."""
        return {name: option.default for name, option in self.options.items()} | dict(self.params)

    def run(self, *args: Any, **keywords: Any) -> R:
        """Do the work."""
        return self.function(*args, **keywords, **self.all_params)

    def __eq__(self, other: object) -> bool:
        """Whether it is the same entry with the same options, as in a clone of an estimator."""
        if not isinstance(other, Entry):
            return NotImplemented
        mine, theirs = (self.name, self.function), (other.name, other.function)
        return mine == theirs and self.params == other.params

    def __hash__(self) -> int:
        return hash((self.name, self.function))

    def __repr__(self) -> str:
        """Show name and options, as in ``kiamb(fraction=0.5)``."""
        return f"{self.name}({', '.join(f'{k}={v!r}' for k, v in self.params.items())})"


@dataclass(frozen=True, eq=False, repr=False)
class Algorithm(Entry[P, R]):
    """A search: a function of a problem.

    Attributes
    ----------
    paper : str
        Where it was published.
    returns : str
        What it finds.
    needs : tuple of "test" and "score"
        Its evidence.
    assumes : tuple of str
        Conditions under which it is correct, for people to read.
    kinds : tuple of "discrete" and "continuous"
        Kinds of columns that it takes.
    exact : bool
        Whether it returns the truth when its assumptions hold and its evidence makes no mistakes.
    random : bool
        Whether it makes random choices, so that another seed may find something else.
    complete_rows : bool
        Whether it takes rows without missing values only.
    fewer_rows : str
        Name of the search for the same that came nearer to the truth from few rows, if there is one
        (``docs/accuracy.md``); who runs this one short of rows is told.
    apart : bool
        Whether searches around many targets may run in threads: they share nothing but tests, and
        what they find once (:meth:`eiderdown.boundary.known_sets.KnownSets.once`).
    """

    paper: str = field(kw_only=True)
    returns: str = field(kw_only=True)
    needs: tuple[Evidence, ...] = field(default=("test",), kw_only=True)
    assumes: tuple[str, ...] = field(default=(), kw_only=True)
    kinds: tuple[ColumnKind, ...] = field(default=("discrete", "continuous"), kw_only=True)
    exact: bool = field(default=True, kw_only=True)
    random: bool = field(default=False, kw_only=True)
    complete_rows: bool = field(default=False, kw_only=True)
    fewer_rows: str = field(default="", kw_only=True)
    apart: bool = field(default=False, kw_only=True)

    @property
    def options(self) -> Mapping[str, Declared]:
        """The options of its own, and for a search by tests those that all of them take."""
        own = options_of(self.function)
        return {**options_of(SearchOptions), **own} if "test" in self.needs else own

    @property
    def all_params(self) -> dict[str, Any]:
        """Every option of the function, with its default where none was given."""
        own = options_of(self.function)
        given = {name: value for name, value in self.params.items() if name in own}
        return {name: option.default for name, option in own.items()} | given

    def variant(
        self, function: Callable[Concatenate[Any, Q], R], summary: str, **changed: Any
    ) -> Algorithm[Q, R]:
        """Return an entry for another way to search that differs in what is named only."""
        name, other = function.__name__, cast("Algorithm[Q, R]", self)
        return replace(other, function=function, summary=summary, name=name, **changed)

    def adapted(self, problem: Problem) -> Problem:
        """Put given options that all searches by tests take into the problem."""
        own = options_of(self.function)
        shared = {name: value for name, value in self.params.items() if name not in own}
        return replace(problem, **shared) if shared else problem  # type: ignore[type-var]

    def run(self, *args: Any, **keywords: Any) -> R:
        """Search; the first argument is the problem."""
        problem, *others = args
        return super().run(self.adapted(problem), *others, **keywords)


@dataclass(frozen=True, eq=False, repr=False)
class FromTable(Entry[P, R]):
    """A class whose objects are made from a table.

    Attributes
    ----------
    kinds : tuple of "discrete" and "continuous"
        Kinds of columns that it takes, all of one kind at a time unless ``mixed``.
    mixed : bool
        Whether it takes columns of several kinds at once.
    """

    kinds: tuple[ColumnKind, ...] = field(kw_only=True)
    mixed: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, eq=False, repr=False)
class Test(FromTable[P, R]):
    """A test of independence."""

    __test__ = False  # not a class of tests for pytest to collect


@dataclass(frozen=True, eq=False, repr=False)
class Score(FromTable[P, R]):
    """A score of graphs.

    Attributes
    ----------
    equivalent : bool
        Whether equivalent graphs have the same score.
    """

    equivalent: bool = field(default=True, kw_only=True)


E = TypeVar("E", bound=Entry[..., Any])


class Registry(Generic[E]):
    """A fixed set of entries.

    Parameters
    ----------
    entries : iterable of Entry
        The entries; names must differ.
    noun : str
        What an entry is called in messages.
    """

    def __init__(self, entries: Iterable[E], *, noun: str = "algorithm") -> None:
        self._by_name = {entry.name: entry for entry in entries}
        self._noun = noun

    def __getitem__(self, source: str | E) -> E:
        """Return an entry by its name; a configured entry, or one of the user's own, as it is."""
        if isinstance(source, Entry) and self._is_alike(source) and not self._is_for_others(source):
            return source
        name = unwrapped(getattr(source, "name", source))
        if isinstance(name, str) and name in self._by_name:
            return self._by_name[name]
        raise OptionError(self._unknown(name))

    def _unknown(self, name: Any) -> str:
        """Say what a name stands for that has no entry here, or which names are like it."""
        nowhere = f"There is no {self._noun} {shown(name)}"
        if not isinstance(name, str):
            return f"{nowhere}; choose from {self.names}."
        elsewhere = {entry.name: home for home in reversed(HOMES) for entry in home.entries}
        if name in elsewhere:
            return f"{name!r} is no choice here: it {elsewhere[name].says(name)}."
        close = get_close_matches(name, [*self._by_name, *(elsewhere.keys() - self._by_name)], n=3)
        own = [other for other in close if other in self._by_name]
        if own:
            return f"{nowhere}; did you mean {' or '.join(map(repr, own))}?"
        if close:
            return f"{nowhere}, but {close[0]!r} {elsewhere[close[0]].says(close[0])}."
        return f"{nowhere}; choose from {self.names}."

    def _is_alike(self, source: Entry[..., Any]) -> bool:
        """Whether an entry is of the same class, and finds the same, as one that is registered."""
        returns = getattr(source, "returns", None)
        return any(
            type(source) is type(entry) and returns == getattr(entry, "returns", None)
            for entry in self
        )

    def _is_for_others(self, source: Entry[..., Any]) -> bool:
        """Whether an entry is registered, but not here: MMHC finds a graph, but not a region's."""
        return source.name not in self._by_name and any(
            (other.name, other.function) == (source.name, source.function)
            for home in HOMES
            for other in home.entries
        )

    def __iter__(self) -> Iterator[E]:
        return iter(self._by_name.values())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._by_name

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all entries."""
        return tuple(self._by_name)


def registry_at(where: str) -> Registry[Any]:
    """Return the registry that stands at ``module:NAME``."""
    module, _, name = where.partition(":")
    found: Registry[Any] = getattr(import_module(module), name)
    return found


@dataclass(frozen=True)
class Home:
    """Where entries of one sort stand, and who takes them.

    Attributes
    ----------
    where : str
        Module and name of the registry; imported only for those who ask, or gave a name to the
        wrong place.
    title : str
        What its entries are.
    role : str
        What one of them does, as a predicate; ``{returns}`` stands for what an algorithm finds.
    way_out : str
        What takes them, in Python and on the command line.
    setter : str
        What sets the options of one on the command line.
    """

    where: str
    title: str
    role: str
    way_out: str
    setter: str = "--set"

    @property
    def entries(self) -> Registry[Any]:
        """The registry."""
        return registry_at(self.where)

    def role_of(self, entry: Entry[..., Any]) -> str:
        """Say what an entry does."""
        return self.role.format(returns=getattr(entry, "returns", ""))

    def says(self, name: str) -> str:
        """Say what an entry does, and where to give its name."""
        return f"{self.role_of(self.entries[name])}; {self.way_out}"


HOMES: Final = (
    Home(
        "eiderdown.boundary:BOUNDARY_ALGORITHMS",
        "Markov boundary of a column",
        "finds the {returns} of a column",
        "use find_boundary ('eiderdown find')",
    ),
    Home(
        "eiderdown.boundary:PARENTS_CHILDREN_ALGORITHMS",
        "Parents and children of a column",
        "finds the {returns} of a column",
        "use find_parents_children ('eiderdown parents-children')",
    ),
    Home(
        "eiderdown.structure:REGION_ALGORITHMS",
        "Network around a column",
        "finds the {returns} around a column",
        "use learn_region ('eiderdown region')",
    ),
    Home(
        "eiderdown.structure:NETWORK_ALGORITHMS",
        "Network of a table",
        "finds the {returns} of a table",
        "use learn_network ('eiderdown network')",
    ),
    Home(
        "eiderdown.independence.registry:TESTS",
        "Tests of independence",
        "is a test of independence",
        "give it as test ('--test')",
        setter="--test-set",
    ),
    Home(
        "eiderdown.scores.registry:SCORES",
        "Scores of graphs",
        "is a score of graphs",
        "give it as score ('--score')",
        setter="--score-set",
    ),
    Home(
        "eiderdown.api.selectors:SELECTORS",
        "Selectors of columns",
        "selects columns to predict from",
        "use compare_selectors ('eiderdown compare')",
    ),
)
"""Every sort of entry that users name."""
