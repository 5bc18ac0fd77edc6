"""Commands made from the declarations of the verbs.

    Command("find", "find_boundary", "Find the Markov boundary of a column.")

A command takes a file, the columns that the verb takes by position (the target by ``--target``,
too), every option of the verb and those of reading: names, types, defaults, legal values and help
are those of the declarations (:mod:`eiderdown.options`, :mod:`eiderdown.shared_options`), and texts
are read by the option's own type. Algorithms, tests and scores are named, and their own options set
by ``--set``, ``--test-set`` and ``--score-set``. What else is done with the result (pictures, files
for other programs) is declared in the same way, and done by ``finish``.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypedDict

import typer

from eiderdown.cli.parameters import (
    SCORES,
    SELECTORS,
    TESTS,
    column_argument,
    file_argument,
    flag_of,
    parameter,
    repeated,
    sign,
    target_argument,
)
from eiderdown.errors import EiderdownError, OptionError
from eiderdown.files import is_open_elsewhere, reason_of, shortened
from eiderdown.options import REQUIRED, Declared, Option, options_of
from eiderdown.registry import registry_at
from eiderdown.shared_options import (
    ClusterOptions,
    KindOptions,
    MemoryOptions,
    ReadOptions,
    RunOptions,
    TableOptions,
)

if TYPE_CHECKING:
    from eiderdown.data import Dataset

SETTERS: Final = {"algorithm": "--set", "test": "--test-set", "score": "--score-set"}
"""Options that name an entry of a registry, and what sets the options of the entry."""

ASK: Final = "Ask about columns"
LEARN: Final = "Learn networks"
SURE: Final = "How sure"
LOOK: Final = "Look at what was found"
OTHER: Final = "What there is, and data to try it on"
"""The parts of the list of commands."""


class DeliveryOptions(TypedDict, total=False):
    """Where a result goes."""

    json: Annotated[bool, Option("print the result as JSON only", default=False)]
    out: Annotated[
        Path | None, Option("save the result as JSON, too", default=None, metavar="FILE.json")
    ]
    report: Annotated[
        Path | None,
        Option("write a report, one page to open in a browser", default=None, metavar="FILE.html"),
    ]


class _OfAllVerbs(TableOptions, RunOptions, total=False):
    """What help lists last."""


@dataclass(frozen=True)
class Outcome:
    """What a command has found: the verb's result, the table, its options, and what is wanted."""

    result: Any
    table: Dataset
    options: Mapping[str, Any]
    extras: Mapping[str, Any]


def epilog_of(examples: Sequence[str]) -> str:
    """Write examples as what stands at the end of a command's help: a line for each."""
    return "\n\n".join(("Examples:", *examples))


def _nothing(_: object) -> None:
    """Do nothing."""


def _deliver(outcome: Outcome) -> None:
    from eiderdown.cli.console import deliver

    deliver(outcome.result, as_json=outcome.extras["json"])


def _save(outcome: Outcome) -> None:
    from eiderdown.cli.console import save

    save(outcome.result, outcome.extras["out"])


def _require_own_report(extras: Mapping[str, Any]) -> None:
    """Refuse a report that would take the place of another file of the same command."""
    report = extras.get("report")
    others = [name for name, value in extras.items() if name != "report" and value == report]
    if report is not None and others:
        flag = f"--{others[0].replace('_', '-')}"
        raise OptionError(f"{flag} and --report name the same file; give each a name of its own.")


def _report(outcome: Outcome) -> None:
    """Write the report, where that was asked for."""
    path = outcome.extras.get("report")
    if path is not None:
        from eiderdown.cli.report import write_report

        write_report(outcome.result, path, quiet=not outcome.options.get("progress", True))


def _take(outcome: Outcome, *steps: Callable[[Outcome], None]) -> None:
    """Take all steps, whatever becomes of the others, and then tell of the first that failed."""
    problems: list[Exception] = []
    for step in steps:
        try:
            step(outcome)
        except (EiderdownError, typer.Exit) as problem:
            problems.append(problem)
    if problems:
        raise problems[0]


def read_table(path: Path, options: Mapping[str, Any]) -> Dataset:
    """Read a file, or whatever else the files of a table are named by."""
    from eiderdown.data import Dataset

    return Dataset.of(address_of(path), **options)


def address_of(path: Path) -> str | Path:
    """Return a path, or the address that was made one.

    Examples
    --------
    >>> address_of(Path("s3://bucket/parts")), address_of(Path("file:///data"))
    ('s3://bucket/parts', 'file:///data')
    """
    scheme, colon, rest = str(path).partition(":/")
    if not colon or len(scheme) < 2 or not scheme.isalnum() or path.exists():
        return path
    return f"{scheme}:///{rest}" if scheme == "file" else f"{scheme}://{rest}"


@dataclass(frozen=True)
class Command:
    """A command that runs a verb on a file.

    Attributes
    ----------
    name : str
        What users write.
    verb : str
        Name of the function.
    summary : str
        One line of help, which the list of commands shows without importing the verb.
    panel : str
        The part of that list in which it stands.
    examples : tuple of str
        Lines that users may write, for help.
    module : str
        Where the function stands.
    algorithms : str
        Where the registry of the verb's algorithms stands, as ``module:NAME``.
    extras : type
        A ``TypedDict``: what may be done with the result.
    check : callable
        Refuses extras that cannot be carried out with the options, before any work is done.
    finish : callable
        Carries out the extras, after the result is saved and before it is printed.
    deliver : callable
        Prints the result.
    read : callable
        Makes of a file's path, and of how it is to be read, what the verb takes as its table.
    """

    name: str
    verb: str
    summary: str
    panel: str = ""
    examples: tuple[str, ...] = ()
    module: str = "eiderdown.api"
    algorithms: str = ""
    extras: Any = DeliveryOptions
    check: Callable[[Mapping[str, Any]], None] = _nothing
    finish: Callable[[Outcome], None] = _nothing
    deliver: Callable[[Outcome], None] = _deliver
    read: Callable[[Path, Mapping[str, Any]], Any] = read_table

    def build(self) -> typer.Typer:
        """Make the command, for which the verb is imported."""
        app = typer.Typer(
            add_completion=False,
            pretty_exceptions_enable=False,
            context_settings={"help_option_names": ["-h", "--help"]},
        )
        app.command(self.name, help=self.summary, epilog=epilog_of(self.examples))(self._function())
        return app

    def _function(self) -> Callable[..., None]:
        verb = getattr(import_module(self.module), self.verb)
        known, extras = options_of_verb(verb), options_of(self.extras)
        columns = columns_of_verb(verb)
        setters = {name: flag for name, flag in SETTERS.items() if name in known}

        reading = {n: o for n, o in options_of(ReadOptions).items() if n not in known}

        def command(data: Path, **given: Any) -> None:
            wanted = {name: option.default for name, option in extras.items()}
            wanted |= _values(extras, given)
            _require_folders(extras, wanted)
            _require_own_report(wanted)
            options = {name: given[name] for name in columns} | _values(known, given)
            self.check({**options, **wanted})
            if "target" in known:
                _settle_target(options, given["column"], known["target"])
            for name, flag in setters.items():
                if words := given[_setter_name(name)]:
                    chosen = options.get(name, known[name].default)
                    options[name] = self._configured(name, chosen, _pairs(flag, words))
            how = {"exclude": options.get("exclude", ()), **_values(reading, given)}
            table = self.read(data, how)
            if "new_rows" in columns:
                options["new_rows"] = read_table(Path(given["new_rows"]), how)
            outcome = Outcome(verb(table, **options), table, options, wanted)
            _take(outcome, _save, _report, self.finish, self.deliver)

        where = self.registries
        sign(
            command,
            data=file_argument(),
            **{name: column_argument(name) for name in columns},
            **({"column": target_argument()} if "target" in known else {}),
            **{name: parameter(option, where) for name, option in known.items()},
            **{
                _setter_name(name): repeated(f, "NAME=VALUE", _SET_HELP[name])
                for name, f in setters.items()
            },
            **{name: parameter(option, where) for name, option in extras.items()},
            **{name: parameter(option, {}, "Reading the file") for name, option in reading.items()},
        )
        return command

    @property
    def registries(self) -> dict[str, str]:
        """For each option that names entries, where the registry of these stands."""
        where = {"test": TESTS, "score": SCORES, "selectors": SELECTORS}
        return where | ({"algorithm": self.algorithms} if self.algorithms else {})

    def taken(self) -> dict[str, str]:
        """Return those of :attr:`registries` whose option the verb has."""
        known = options_of(getattr(import_module(self.module), self.verb))
        return {name: where for name, where in self.registries.items() if name in known}

    def _configured(self, option: str, name: Any, texts: Mapping[str, str]) -> Any:
        """Return the named entry of a registry with its own options set."""
        registry = registry_at(self.registries[option])
        name = "auto" if name is None else name
        if name == "auto" and name not in registry:
            flag = SETTERS[option]
            raise OptionError(f"{flag} is about a named {option}; name it with --{option}.")
        return registry[name].with_texts(texts)


_SET_HELP = {name: f"Option of the {name}'s own" for name in SETTERS}


def _settle_target(options: dict[str, Any], column: str | None, known: Declared) -> None:
    """Take the target from its place behind the file, or from --target."""
    if column is not None:
        if options.setdefault("target", column) != column:
            raise OptionError(
                f"The target is {column!r} behind the file but --target {options['target']}; name "
                "it once."
            )
    elif "target" not in options and known.default is REQUIRED:
        raise OptionError("Name the target: a column, behind the file or with --target.")


def _pairs(flag: str, words: Sequence[str], example: str = "VALUE") -> dict[str, str]:
    """Read ``NAME=VALUE``; the name may itself hold equals signs."""
    pairs = {}
    for word in words:
        name, equals, value = word.rpartition("=")
        if not equals:
            raise OptionError(f"{flag} {word!r} gives no value; write {word}={example}.")
        pairs[name] = value
    return pairs


def require_folder(path: Path, flag: str = "--out") -> None:
    """Refuse a file that cannot be written, before any work is done for it."""
    shown, folder = shortened(path), path.parent
    if os.path.isdir(path):  # noqa: PTH112  which says no of a path that is too long
        raise OptionError(f"{shown!r} is a folder; give {flag} the name of a file in it.")
    if not os.path.isdir(folder):  # noqa: PTH112
        raise OptionError(
            f"There is no folder {shortened(folder)!r} to write {shortened(path.name)!r} into; "
            "make it first."
        )
    if is_open_elsewhere(path):
        return
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OptionError(
            f"Nothing may be written into the folder {shortened(folder)!r}; give {flag} another "
            "place."
        )
    try:
        path.stat()
    except FileNotFoundError:
        return
    except OSError as problem:
        raise OptionError(
            f"Cannot write {shown!r} ({reason_of(problem)}); give {flag} another place."
        ) from problem


def _require_folders(known: Mapping[str, Declared], values: Mapping[str, Any]) -> None:
    for name, option in known.items():
        if isinstance(values[name], Path):
            require_folder(values[name], flag_of(option))


def options_of_verb(verb: Callable[..., Any]) -> dict[str, Declared]:
    """Return what a verb takes by name, the target first."""
    target = inspect.signature(verb).parameters.get("target")
    first = {}
    if target is not None:
        first["target"] = Declared("target", str, Option("column to ask about"), target.default)
    places = {**options_of(MemoryOptions), **options_of(ClusterOptions)}
    reading = {**options_of(KindOptions), **places}  # which reading takes
    own = {name: o for name, o in options_of(verb).items() if name not in reading}
    shown = {name: o for name, o in own.items() if o.option.flag != ""}
    of_all = {name: shown.pop(name) for name in options_of(_OfAllVerbs) if name in shown}
    return {**first, **shown, **of_all}


def columns_of_verb(verb: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of the columns that a verb takes by position, behind the table."""
    parameters = list(inspect.signature(verb).parameters.values())[1:]
    named = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    return tuple(name for name in named if name != "target")


def _values(known: Mapping[str, Declared], given: Mapping[str, Any]) -> dict[str, Any]:
    """Read what was given, each in its option's own type."""
    return {
        name: _value(option, given[name])
        for name, option in known.items()
        if given.get(name) is not None
    }


def _value(option: Declared, given: Any) -> Any:
    if option.kinds == (bool,) and option.option.flag:  # such as --quiet, which says the opposite
        return option.default is not given
    if option.is_mapping:
        return option.checked(_pairs(flag_of(option), given, "category"))
    if option.is_repeated:
        return option.checked(tuple(given))
    return option.of_text(given) if isinstance(given, str) else given


def _setter_name(name: str) -> str:
    return SETTERS[name].strip("-").replace("-", "_")
