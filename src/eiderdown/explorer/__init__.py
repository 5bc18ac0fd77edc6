"""The explorer: grow a graph from one column, judge its edges, and keep what was done.

    state          what was decided so far, as a value: columns grown, marks, level, test
    neighbourhoods the searches behind it, each done once
    graph          from both to a graph with directions and evidence
    changes        what differs between two graphs
    fit            the independences that a graph implies, tested
    session        all of that as commands with undo and redo; saved, loaded, repeated as code
    work           one command at a time in a thread, with its progress
    app            the session for a browser: commands in, graphs and progress out
    server         the loopback address, the token, the end
    page/          what the browser shows

Everything up to ``session`` knows nothing of browsers.
"""

from typing import TYPE_CHECKING

from eiderdown.lazy import imported_when_used

if TYPE_CHECKING:
    from eiderdown.explorer.server import explore as explore
    from eiderdown.explorer.session import Session as Session
else:
    __getattr__, __dir__, __all__ = imported_when_used(
        __name__, {"server": "explore", "session": "Session"}
    )
