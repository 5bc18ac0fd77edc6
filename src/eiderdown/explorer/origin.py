"""Where an exploration began: the table, how it was read, and the options that were given.

That is what a saved session holds beside its commands, and what its Python code begins with. Only
plain values can be written down; entries such as ``G_SQUARE(dof="nominal")`` are written by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Unpack

from eiderdown.api.boundary import ParentsChildrenSearch
from eiderdown.api.tables import about_table
from eiderdown.boundary import PARENTS_CHILDREN_ALGORITHMS
from eiderdown.data import Dataset
from eiderdown.errors import OptionError
from eiderdown.explorer.state import Agreement
from eiderdown.independence.registry import TESTS
from eiderdown.knowledge import Knowledge
from eiderdown.options import Option, declared, options_of
from eiderdown.registry import Entry, Registry
from eiderdown.shared_options import (
    IndependenceOptions,
    KnowledgeOptions,
    Label,
    RunOptions,
    TableOptions,
)


class SessionOptions(IndependenceOptions, KnowledgeOptions, TableOptions, RunOptions, total=False):
    """What an exploration takes; a time limit is one for each command."""

    algorithm: Annotated[Any, options_of(ParentsChildrenSearch)["algorithm"].option]
    agreement: Annotated[
        Agreement,
        Option(
            "what an edge between two grown columns needs: both find each other, or one the other",
            default="and",
        ),
    ]


@dataclass(frozen=True)
class TableFile:
    """A table in a file, and how it is read."""

    path: Path
    reading: Mapping[str, Any] = field(default_factory=dict)


@about_table
@declared
def opened(
    data: Any, target: Label, **options: Unpack[SessionOptions]
) -> tuple[Dataset, str, dict[str, Any]]:
    """Read a table, and check the options of an exploration.

    Parameters
    ----------
    data : any table
        See :meth:`eiderdown.Dataset.of`.
    target : label
        The column to begin with.
    **options

    Returns
    -------
    tuple
        The table, the target's name in it, and the options.
    """
    table = data.drop([name for name in options["exclude"] if not data.has_left_out(name)])
    return table, target, dict(options)


_ENTRIES: Mapping[str, Registry[Any]] = {
    "test": TESTS,
    "algorithm": PARENTS_CHILDREN_ALGORITHMS,
}


@dataclass(frozen=True)
class Origin:
    """Where an exploration began.

    Attributes
    ----------
    source : str or None
        The file of the table; None for one in memory.
    target : str
        The column to begin with.
    reading : mapping
        How the file was read, where that was said.
    options : mapping
        The options that were given.
    """

    source: str | None
    target: str
    reading: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """Return what a file can hold."""
        return {
            "source": self.source,
            "target": self.target,
            "reading": {name: _plain(name, value) for name, value in self.reading.items()},
            "options": {name: _plain(name, value) for name, value in self.options.items()},
        }

    @classmethod
    def of_plain(cls, stored: Any) -> Origin:
        """Read what :meth:`plain` returned."""
        known: dict[str, Any] = {
            "source": (str, type(None)),
            "target": str,
            "reading": dict,
            "options": dict,
        }
        for name, kind in known.items():
            if not isinstance(stored, dict) or not isinstance(stored.get(name), kind):
                raise OptionError(f"This is no exploration of Eiderdown's: it lacks {name!r}.")
        options = {name: _entry(name, value) for name, value in stored["options"].items()}
        return cls(stored["source"], stored["target"], stored["reading"], options)

    def table(self, beside: Path | None = None) -> Any:
        """Read the table, at its path or beside the file of the session."""
        if self.source is None:
            raise OptionError(
                "The table of this exploration was in memory, so its file cannot bring it back; "
                "use Session.load(path, data=table)."
            )
        path = Path(self.source)
        if beside is not None and not path.is_absolute() and not path.exists():
            path = beside / path
        return Dataset.of(path, **dict(self.reading))

    def code(self) -> list[str]:
        """Return the lines of Python that begin it again."""
        data = "data" if self.source is None else repr(self.source)
        lines = [] if self.source is not None else ["# data: the table, as it was in memory"]
        imports = {entry.name for entry in self.options.values() if isinstance(entry, Entry)}
        if self.reading:
            words = ", ".join(f"{name}={value!r}" for name, value in self.reading.items())
            data = f"Dataset.of({data}, {words})"
        given = "".join(f", {name}={_written(value)}" for name, value in self.options.items())
        head = ["from eiderdown import Dataset"] if self.reading else []
        head.append("from eiderdown.explorer import Session")
        for option, registry in _ENTRIES.items():
            if isinstance(self.options.get(option), Entry) and imports:
                module = "boundary" if option == "algorithm" else "independence.registry"
                name = registry[self.options[option].name].name.upper()
                head.append(f"from eiderdown.{module} import {name}")
        return [
            *sorted(head),
            "",
            *lines,
            f"session = Session.start({data}, target={self.target!r}{given})",
        ]


def _plain(option: str, value: Any) -> Any:
    """Return a value that JSON can hold."""
    if isinstance(value, Entry):
        return {"name": value.name, "params": dict(value.params)}
    if isinstance(value, Knowledge):
        return value.to_dict()
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(option, item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(option, item) for item in value]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise OptionError(
        f"The option {option!r} of this exploration is a {type(value).__name__}, which no file can "
        "hold; export the graph instead."
    )


def _entry(option: str, value: Any) -> Any:
    """Return the entry that a file names, where it names one with options of its own."""
    if option in _ENTRIES and isinstance(value, dict):
        return _ENTRIES[option][value.get("name")].with_params(value.get("params", {}))
    return value


def _written(value: Any) -> str:
    """Write a value as Python."""
    if isinstance(value, Entry):
        params = ", ".join(f"{name}={param!r}" for name, param in value.params.items())
        return f"{value.name.upper()}({params})"
    return repr(value.to_dict() if isinstance(value, Knowledge) else value)
