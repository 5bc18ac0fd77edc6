"""The explorer's server: on the loopback address, behind a random token, until Ctrl-C."""

from __future__ import annotations

import secrets
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any, Final, Unpack

from eiderdown.errors import OptionError
from eiderdown.explorer.origin import SessionOptions, TableFile
from eiderdown.explorer.session import Session, is_exploration
from eiderdown.files import reason_of
from eiderdown.options import Option, declared, options_of
from eiderdown.plain_json import plain_json
from eiderdown.shared_options import Label

if TYPE_CHECKING:
    import uvicorn

    from eiderdown.explorer.work import Worker

LOOPBACK: Final = "127.0.0.1"


class ServerOptions(SessionOptions, total=False):
    """What :func:`explore` takes."""

    port: Annotated[
        int,
        Option(
            "port of the loopback address; 0 for any that is free", default=0, between=(0, 65535)
        ),
    ]
    browser: Annotated[bool, Option("open the page in a browser", default=True)]


@declared
def explore(data: Any, target: Label | None = None, **options: Unpack[ServerOptions]) -> Session:
    """Explore a table in the browser: grow a graph from a column, judge its edges, keep it.

    It listens on the loopback address of this machine only, prints the address with its random
    token, and ends with Ctrl-C.

    Parameters
    ----------
    data : any table, the path of a saved session, or a Session
        See :meth:`eiderdown.Dataset.of`.
    target : label
        The column to begin with; a saved session has one.
    **options

    Returns
    -------
    Session
        The exploration as it was left.
    """
    require_extra()
    session = _session(data, target, dict(options))
    serve(session, port=options["port"], browser=options["browser"])
    return session


def require_extra() -> None:
    """Say how to install what a server needs, if it is not there."""
    if any(find_spec(name) is None for name in ("starlette", "uvicorn")):
        raise OptionError(
            "The explorer needs Starlette and uvicorn; install them: "
            "pip install 'eiderdown[explore]'."
        )


def _session(data: Any, target: Label | None, options: dict[str, Any]) -> Session:
    """Begin a session, or take up a saved one."""
    if isinstance(data, Session):
        return data
    file = TableFile(Path(data)) if isinstance(data, str | Path) else data
    if isinstance(file, TableFile) and is_saved(file.path):
        return Session.load(file.path)
    if target is None:
        raise OptionError("Name the target: the column to begin with.")
    known = options_of(SessionOptions)
    given = {n: v for n, v in options.items() if n in known and not known[n].is_default(v)}
    if isinstance(file, TableFile):
        return Session.start(file.path, target, reading=file.reading, **given)
    return Session.start(data, target, **given)


def is_saved(path: str | Path) -> bool:
    """Say whether a file is a saved exploration."""
    place = Path(path)
    if place.suffix.lower() != ".json" or not place.is_file():
        return False
    try:
        return is_exploration(plain_json(place.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return False


def serve(
    session: Session,
    *,
    port: int = 0,
    browser: bool = False,
    say: Callable[[str], None] | None = None,
) -> None:
    """Answer requests about a session until Ctrl-C or SIGTERM.

    Parameters
    ----------
    session : Session
        The exploration.
    port : int
        Where to listen; 0 for any port that is free.
    browser : bool
        Whether to open the page.
    say : callable, optional
        What is told the address; by default it is printed.
    """
    import uvicorn

    from eiderdown.explorer.app import make_app
    from eiderdown.explorer.work import Worker

    token, worker = secrets.token_urlsafe(32), Worker(session.time_limit)
    with listening(port) as listener:
        address = f"http://{LOOPBACK}:{listener.getsockname()[1]}/{token}/"
        app = make_app(session, token, listener.getsockname()[1], worker)
        config = uvicorn.Config(
            app,
            log_level="critical",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=2,
            lifespan="off",
        )
        server = _quiet_server(config)
        with _ended_by_signals(server, worker):
            (say or _print)(address)
            if browser:
                threading.Timer(0.3, webbrowser.open, (address,)).start()
            server.run(sockets=[listener])


def _print(address: str) -> None:
    sys.stdout.write(f"Exploring at {address}\nEnd with Ctrl-C.\n")
    sys.stdout.flush()


@contextmanager
def listening(port: int) -> Iterator[socket.socket]:
    """Listen on the loopback address, and on no other."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
        listener.listen()  # so that whoever is told the address may come before the server is up
    except OSError as problem:
        listener.close()
        raise OptionError(
            f"Cannot listen on port {port} ({reason_of(problem)}); give another --port, or none."
        ) from problem
    with listener:
        yield listener


def _quiet_server(config: uvicorn.Config) -> uvicorn.Server:
    """Return a server that leaves signals to us: its own way would raise them again at the end."""
    import uvicorn

    class QuietServer(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield

    return QuietServer(config)


@contextmanager
def _ended_by_signals(server: uvicorn.Server, worker: Worker) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end the server cleanly, even before it is up."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        worker.cancel()
        server.handle_exit(number, frame)

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
