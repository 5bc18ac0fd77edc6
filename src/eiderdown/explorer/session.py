"""An exploration: commands that grow and judge a graph, with undo and redo; no browser needed.

    >>> from eiderdown import networks
    >>> from eiderdown.explorer import Session
    >>> data = networks.load("asia").sample(5_000, random_state=0)
    >>> session = Session.start(data, target="dysp")
    >>> _ = session.grow("dysp")
    >>> session.graph.nodes
    ('dysp', 'bronc', 'either')
    >>> _ = session.mark("dysp", "bronc", "impossible")
    >>> session.graph.nodes
    ('dysp', 'either')
    >>> _ = session.undo()
    >>> session.graph.nodes
    ('dysp', 'bronc', 'either')

A command changes the state only when all of it is done: one that is cancelled, or refused, leaves
everything as it was.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from eiderdown.data import Dataset
from eiderdown.errors import OptionError
from eiderdown.explorer.changes import EdgeChange, changes
from eiderdown.explorer.fit import Fit, tested_fit
from eiderdown.explorer.graph import ShownGraph, shown_graph
from eiderdown.explorer.learned import learned_region
from eiderdown.explorer.neighbourhoods import Judge, Neighbourhoods
from eiderdown.explorer.origin import Origin, SessionOptions, opened
from eiderdown.explorer.state import Command, EdgeMark, State
from eiderdown.files import read_text, write_text
from eiderdown.knowledge import Knowledge, knowledge_from
from eiderdown.options import options_of
from eiderdown.plain_json import plain_json
from eiderdown.progress import Cancelled, Trace
from eiderdown.results import LearnedRegion

FORMAT: Final = "eiderdown.exploration"
VERSION: Final = 1

_REMEMBERED = 50  # graphs of earlier states, so that undo and redo are immediate


class Session:
    """An exploration of a table; made by :meth:`start` or :meth:`load`.

    Attributes
    ----------
    data : Dataset
        The table.
    origin : Origin
        Where it began.
    notes : tuple of str
        What to know about the table.
    time_limit : float or None
        Seconds that a search may take; then the best so far counts.
    """

    def __init__(
        self, data: Dataset, target: str, options: Mapping[str, Any], origin: Origin
    ) -> None:
        self.data, self.origin = data, origin
        self.time_limit: float | None = options["time_limit"]
        self._searches = Neighbourhoods(data, options)
        given = options["knowledge"]
        self._before = Knowledge() if given is None else knowledge_from(given)
        first = State(
            target, options["alpha"], self._searches.first_test, agreement=options["agreement"]
        )
        self._judge(first).index(target)
        self._before.of_columns(data.names)
        self.notes: tuple[str, ...] = self._judge(first).prepared.warnings
        self._states, self._commands, self._position = [first], list[Command](), 0
        self._graphs: OrderedDict[State, ShownGraph] = OrderedDict()

    @classmethod
    def start(
        cls, data: Any, target: Any, *, reading: Mapping[str, Any] | None = None, **options: Any
    ) -> Session:
        """Begin an exploration at a column.

        Parameters
        ----------
        data : any table
            See :meth:`eiderdown.Dataset.of`.
        target : label
            The column to begin with.
        reading : mapping, optional
            How a file is read: options of :meth:`eiderdown.Dataset.of`.
        **options
            Those of :class:`eiderdown.explorer.origin.SessionOptions`: alpha, test, algorithm,
            max_given, agreement, knowledge, exclude, missing, time_limit and others.
        """
        source = str(data) if isinstance(data, str | Path) else None
        table = Dataset.of(data, **reading) if reading else data
        client = options.pop("client", None)  # which cannot be written down with the exploration
        if client is not None:
            how = {k: options[k] for k in ("exclude", "kinds") if k in options}
            table = Dataset.of(table, client=client, **how)
        found, name, checked = opened(table, target, **options)
        return cls(found, name, checked, Origin(source, name, dict(reading or {}), dict(options)))

    # --- what is the case ------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """What was decided so far."""
        return self._states[self._position]

    @property
    def graph(self) -> ShownGraph:
        """The graph as it stands."""
        return self._drawn(self.state, Trace())

    @property
    def can_undo(self) -> bool:
        """Whether there is a command to take back."""
        return self._position > 0

    @property
    def can_redo(self) -> bool:
        """Whether there is a command to give again."""
        return self._position < len(self._commands)

    @property
    def n_tests(self) -> int:
        """Tests computed so far."""
        return self._searches.n_tests

    @property
    def test_names(self) -> tuple[str, ...]:
        """The tests that one may choose."""
        return self._searches.test_names()

    # --- commands --------------------------------------------------------------------------------

    def grow(self, *names: str, trace: Trace | None = None) -> tuple[EdgeChange, ...]:
        """Find the parents and children of columns, and return what became of the edges.

        Of several columns those stay grown that were done before the work was cancelled.
        """
        return self.do("grow", {"names": list(names)}, trace)

    def mark(
        self, a: str, b: str, mark: EdgeMark, trace: Trace | None = None
    ) -> tuple[EdgeChange, ...]:
        """Mark a pair, and return what became of the edges.

        Parameters
        ----------
        a, b : str
            Two columns.
        mark : {"known", "not", "impossible", "open"}
            Whether a -> b is known, a -> b is not, neither direction is, or nothing is said.
        trace : Trace or None
            Is told of progress, and cancels.
        """
        return self.do("mark", {"a": a, "b": b, "mark": mark}, trace)

    def set_alpha(self, alpha: float, trace: Trace | None = None) -> tuple[EdgeChange, ...]:
        """Choose another significance level; all that was grown is grown anew."""
        return self.do("set_alpha", {"alpha": alpha}, trace)

    def set_test(self, test: str, trace: Trace | None = None) -> tuple[EdgeChange, ...]:
        """Choose another test; all that was grown is grown anew."""
        return self.do("set_test", {"test": test}, trace)

    def do(
        self, name: str, arguments: Mapping[str, Any], trace: Trace | None = None
    ) -> tuple[EdgeChange, ...]:
        """Carry out a command by its name, and return what became of the edges."""
        listener = Trace() if trace is None else trace
        command = self.checked(name, arguments)
        if name == "grow":
            # What was found in time is shown, even though no time is left.
            command, listener = self._grown(command, listener), Trace()
        return self._taken(command, command.applied_to(self.state), listener)

    def checked(self, name: Any, arguments: Any) -> Command:
        """Return a command, or refuse it: columns, levels and tests that there are not."""
        command = Command.of(name, arguments)
        given = dict(command.arguments)
        for column in (*given.get("names", ()), *(given[k] for k in "ab" if k in given)):
            self._judge(self.state).index(column)
        if "alpha" in given:
            given["alpha"] = options_of(SessionOptions)["alpha"].checked(given["alpha"])
        if "test" in given and given["test"] not in self.test_names:
            raise OptionError(
                f"There is no test {given['test']!r} for this table; there is "
                f"{', '.join(self.test_names)}."
            )
        return replace(command, arguments=given)

    def undo(self, trace: Trace | None = None) -> tuple[EdgeChange, ...]:
        """Take the last command back, and return what became of the edges."""
        if not self.can_undo:
            raise OptionError("There is nothing to undo.")
        return self._moved(self._position - 1, trace)

    def redo(self, trace: Trace | None = None) -> tuple[EdgeChange, ...]:
        """Give the command again that was taken back last."""
        if not self.can_redo:
            raise OptionError("There is nothing to redo.")
        return self._moved(self._position + 1, trace)

    def draw(self, trace: Trace) -> None:
        """Make the graph of the state, for which a session that was loaded has to search."""
        self._drawn(self.state, trace)

    def fit(self, trace: Trace | None = None) -> Fit:
        """Test the independences that the graph implies."""
        listener = Trace() if trace is None else trace
        shown = self._drawn(self.state, listener)
        return tested_fit(self.state, shown, self._judge(self.state), listener)

    def columns(self, text: str, limit: int = 20) -> tuple[tuple[str, ...], int]:
        """Return columns whose names hold a text, those that begin with it first; and how many.

        Capitals and small letters are the same here.
        """
        wanted = text.casefold()
        held = [name for name in self.data.names if wanted in name.casefold()]
        best = sorted(held, key=lambda n: (not n.casefold().startswith(wanted), len(n), n))
        return tuple(best[:limit]), len(held)

    # --- what is kept ----------------------------------------------------------------------------

    def result(self) -> LearnedRegion:
        """Return the graph as a result like that of :func:`eiderdown.learn_region`."""
        judge, state = self._judge(self.state), self.state
        known = state.knowledge(self._before)
        return learned_region(state, self.graph, judge, known, self.notes)

    def to_json(self) -> str:
        """Write the whole session, with all that can be undone and redone."""
        return json.dumps(
            {
                "format": FORMAT,
                "version": VERSION,
                "fingerprint": self.data.fingerprint,
                "origin": self.origin.plain(),
                "commands": [[c.name, dict(c.arguments)] for c in self._commands],
                "position": self._position,
            },
            indent=2,
            allow_nan=False,
        )

    def save(self, path: str | Path) -> None:
        """Write the session to a file, from which :meth:`load` takes it up again."""
        write_text(self.to_json() + "\n", path)

    @classmethod
    def load(cls, path: str | Path, data: Any = None) -> Session:
        """Take up a session that was saved.

        Parameters
        ----------
        path : str or Path
            The file.
        data : any table
            The table, where it was in memory; by default the file that the session names.
        """
        text = read_text(path, "give the path of a saved exploration.")
        return cls.from_json(text, data, beside=Path(path).parent)

    @classmethod
    def from_json(cls, text: str, data: Any = None, *, beside: Path | None = None) -> Session:
        """Read back what :meth:`to_json` wrote; searches are done again when they are shown."""
        try:
            stored = plain_json(text)
        except ValueError as problem:
            raise OptionError(f"This is no exploration: {problem}.") from problem
        if not is_exploration(stored) or stored.get("version") != VERSION:
            raise OptionError(
                f"This is no exploration of Eiderdown's in format version {VERSION}; give a file "
                "that the explorer saved."
            )
        origin = Origin.of_plain(stored.get("origin"))
        table = origin.table(beside) if data is None else data
        session = cls(*opened(table, origin.target, **origin.options), origin)
        if session.data.fingerprint != stored.get("fingerprint"):
            session.notes += (
                "The table is not the one with which this exploration was saved, so its graph may "
                "differ.",
            )
        session._replay(stored.get("commands"), stored.get("position"))
        return session

    def code(self) -> str:
        """Return Python that repeats what was done."""
        lines = self.origin.code()
        for command in self._commands[: self._position]:
            words = ", ".join(f"{name!r}: {value!r}" for name, value in command.arguments.items())
            lines.append(f"session.do({command.name!r}, {{{words}}})")
        return "\n".join([*lines, "print(session.graph.pdag)", ""])

    # --- how -------------------------------------------------------------------------------------

    def _judge(self, state: State) -> Judge:
        return self._searches.judge(state.test)

    def _grown(self, command: Command, trace: Trace) -> Command:
        """Search around columns one by one; cancelled, keep those that are done, if any is."""
        names, state = list(dict.fromkeys(command.arguments["names"])), self.state
        command.applied_to(state)  # which refuses what is locked, before any work
        new = [name for name in names if name not in state.grown]
        if not new:
            raise OptionError(f"{names[0]!r} is grown already.")
        done: list[str] = []
        for name in new:
            if self._judge(state).forget_incomplete(name):
                self._graphs.clear()
            try:
                self._judge(state).around(name, state.alpha, trace)
            except Cancelled:
                if not done:
                    raise
                break
            done.append(name)
        return Command("grow", {"names": done})

    def _taken(self, command: Command, state: State, trace: Trace) -> tuple[EdgeChange, ...]:
        before, after = self._drawn(self.state, trace), self._drawn(state, trace)
        del self._commands[self._position :], self._states[self._position + 1 :]
        self._commands.append(command)
        self._states.append(state)
        self._position += 1
        return changes(before, after)

    def _moved(self, position: int, trace: Trace | None) -> tuple[EdgeChange, ...]:
        listener = Trace() if trace is None else trace
        before = self._drawn(self.state, listener)
        after = self._drawn(self._states[position], listener)
        self._position = position
        return changes(before, after)

    def _drawn(self, state: State, trace: Trace) -> ShownGraph:
        key = replace(state, locked=False)
        if key not in self._graphs:
            judge = self._judge(state)
            # Of what is cancelled while it is done for a graph, nothing is to be shown.
            self._graphs[key] = shown_graph(key, judge, self._before, trace)
        self._graphs.move_to_end(key)
        while len(self._graphs) > _REMEMBERED:
            self._graphs.popitem(last=False)
        return self._graphs[key]

    def _replay(self, commands: Any, position: Any) -> None:
        """Go through saved commands without searching."""
        if not isinstance(commands, list) or not all(_is_command(pair) for pair in commands):
            raise OptionError("This is no exploration of Eiderdown's: its commands are none.")
        for name, arguments in commands:
            command = self.checked(name, arguments)
            state = command.applied_to(self._states[-1])
            state.knowledge(self._before)
            self._commands.append(command)
            self._states.append(state)
        if type(position) is not int or not 0 <= position <= len(commands):
            raise OptionError("This is no exploration of Eiderdown's: its position is none.")
        self._position = position


def is_exploration(stored: Any) -> bool:
    """Say whether a record read from JSON claims to be a saved exploration."""
    return isinstance(stored, dict) and stored.get("format") == FORMAT


def _is_command(pair: Any) -> bool:
    return isinstance(pair, list) and len(pair) == 2
