"""The session for a browser: commands in, graphs and progress out.

Progress and the answer of a command come as server-sent events, in the response to the command::

    event: progress    data: {"phase": "growing", "n": 3, "tests": 120, "seconds": 0.4}
    event: done        data: {"view": {...}, "changes": [...]}
    event: failed      data: {"problem": "a sentence"}

Every request must carry the token as the first part of its path and name this very address as its
host. Requests that a page of another origin sends are refused, and no other origin may read an
answer. Nothing of a table is in the page itself: names come as JSON and are shown as text.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from importlib.resources import files
from typing import Any, Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from eiderdown.errors import EiderdownError, OptionError
from eiderdown.explorer.exports import Exported, export_names, exported
from eiderdown.explorer.session import Session
from eiderdown.explorer.view import changes_view, fit_view, view
from eiderdown.explorer.work import BusyError, Job, Worker
from eiderdown.plain_json import plain_json
from eiderdown.progress import Trace

LARGEST_COMMAND: Final = 1_000_000
"""Bytes of the body of a request; a command has a few hundred."""

MOST_COLUMNS: Final = 50
"""Columns that one search by name returns."""

_PAUSE = 0.05  # seconds between two looks at the progress

_HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}

_PAGE: Final = {
    "": ("explorer", "page/index.html", "text/html"),
    "tokens.css": ("report", "html/assets/tokens.css", "text/css"),
    "explorer.css": ("explorer", "page/explorer.css", "text/css"),
    "explorer.js": ("explorer", "page/explorer.js", "text/javascript"),
    "graph.js": ("explorer", "page/graph.js", "text/javascript"),
    "names.js": ("explorer", "page/names.js", "text/javascript"),
    "panel.js": ("explorer", "page/panel.js", "text/javascript"),
    "cytoscape.min.js": ("report", "html/assets/cytoscape.min.js", "text/javascript"),
}


class Guard:
    """Refuses requests without the token, for another host, or from another origin.

    Parameters
    ----------
    app : ASGI application
        What answers the others.
    token : str
        The secret that every path begins with.
    port : int
        Where the server listens, which is part of its name.
    """

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app, self._token = app, token
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        reason = self._objection(scope)
        app: ASGIApp = self._app if not reason else JSONResponse({"problem": reason}, 403)
        await app(scope, receive, send_guarded)

    def _objection(self, scope: Scope) -> str:
        headers = Headers(scope=scope)
        if headers.get("host", "") not in self._hosts:
            return "This address answers under its own name only."
        origin = headers.get("origin")
        if origin is not None and origin not in {f"http://{host}" for host in self._hosts}:
            return "Other pages may not speak to the explorer."
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return "Other pages may not speak to the explorer."
        given = scope["path"].split("/")[1].encode()
        if not secrets.compare_digest(given, self._token.encode()):
            return "Open the address that the terminal shows: it holds the key."
        return ""


class Explorer:
    """What answers the requests about one session."""

    def __init__(self, session: Session, worker: Worker) -> None:
        self._session, self._worker = session, worker

    async def command(self, request: Request) -> Response:
        """Carry out a command, and stream its progress and its answer."""
        try:
            name, arguments = await _command_in(request)
            work = self._work(name, arguments)
            before = self._session.n_tests
            job = self._worker.start(work)
        except EiderdownError as problem:
            return _refusal(problem)
        return StreamingResponse(self._events(job, before), media_type="text/event-stream")

    async def cancel(self, _request: Request) -> Response:
        """Stop what is at work."""
        return JSONResponse({"cancelled": self._worker.cancel()})

    async def columns(self, request: Request) -> Response:
        """Return a few columns by a part of their names."""
        text = request.query_params.get("text", "")
        names, n_found = await run_in_threadpool(self._session.columns, text, MOST_COLUMNS)
        return JSONResponse({"names": names, "n_found": n_found})

    async def export(self, request: Request) -> Response:
        """Return a file to be kept."""
        form = request.path_params["form"]
        try:
            job = self._worker.start(lambda _: exported(self._session, form))
        except EiderdownError as problem:
            return _refusal(problem)
        await run_in_threadpool(job.done.wait)
        if job.problem:
            return _refusal(OptionError(job.problem))
        file: Exported = job.answer
        return Response(
            file.text,
            media_type=file.media,
            headers={"content-disposition": f'attachment; filename="{file.name}"'},
        )

    def _work(self, name: Any, arguments: Any) -> Callable[[Trace], Any]:
        """Return what a command does; what can be seen to be wrong is refused at once."""
        session = self._session
        if self._worker.busy:
            raise BusyError("Another search is at work; wait for it, or cancel it.")
        if name == "show":
            return lambda trace: {"view": self._view(trace), "exports": list(export_names())}
        if name == "fit":
            return lambda trace: {"fit": fit_view(session.fit(trace))}
        if name in ("undo", "redo"):
            if not (session.can_undo if name == "undo" else session.can_redo):
                raise OptionError(f"There is nothing to {name}.")
            move = session.undo if name == "undo" else session.redo
            return lambda trace: self._changed(move(trace))
        session.checked(name, arguments).applied_to(session.state)
        return lambda trace: self._changed(session.do(name, arguments, trace))

    def _view(self, trace: Trace) -> dict[str, Any]:
        self._session.draw(trace)
        return view(self._session)

    def _changed(self, found: Any) -> dict[str, Any]:
        return {"view": view(self._session), "changes": changes_view(found)}

    async def _events(self, job: Job, before: int) -> AsyncIterator[str]:
        told: dict[str, Any] = {}
        while not job.done.is_set():
            progress = {
                "phase": job.trace.phase,
                "n": job.trace.n,
                "tests": self._session.n_tests - before,
                "seconds": round(job.seconds, 1),
            }
            if progress != told:
                told = progress
                yield _event("progress", progress)
            await asyncio.sleep(_PAUSE)
        if job.problem:
            yield _event("failed", {"problem": job.problem})
        else:
            yield _event("done", job.answer)


def make_app(session: Session, token: str, port: int, worker: Worker | None = None) -> ASGIApp:
    """Return the application that answers about a session.

    Parameters
    ----------
    session : Session
        The exploration.
    token : str
        The secret that every path begins with.
    port : int
        Where it will listen.
    worker : Worker or None
        What does the work; by default a new one with the session's time limit.
    """
    answers = Explorer(session, worker or Worker(session.time_limit))
    routes = [
        Route("/{token}/command", answers.command, methods=["POST"]),
        Route("/{token}/cancel", answers.cancel, methods=["POST"]),
        Route("/{token}/columns", answers.columns),
        Route("/{token}/export/{form}", answers.export),
        *(Route(f"/{{token}}/{name}", _file(*where)) for name, where in _PAGE.items()),
    ]
    return Guard(Starlette(routes=routes), token, port)


def _file(package: str, path: str, media: str) -> Callable[[Request], Any]:
    """Return what answers with a file of the page."""
    content = (files("eiderdown") / package / path).read_bytes()

    async def answer(_request: Request) -> Response:
        return Response(content, media_type=media)

    return answer


async def _command_in(request: Request) -> tuple[Any, Any]:
    """Read a command; its body must say that it is JSON, which no form of another page can."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise OptionError("A command is sent as application/json.")
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > LARGEST_COMMAND:
            raise OptionError("The command is too long.")
    try:
        stored = plain_json(body.decode())
    except ValueError as problem:
        raise OptionError(f"The command is not JSON: {problem}.") from problem
    if not isinstance(stored, Mapping) or set(stored) != {"command", "arguments"}:
        raise OptionError("A command is a record of 'command' and 'arguments'.")
    return stored["command"], stored["arguments"]


def _refusal(problem: EiderdownError) -> Response:
    return JSONResponse({"problem": str(problem)}, 409 if isinstance(problem, BusyError) else 400)


def _event(name: str, data: Any) -> str:
    return f"event: {name}\ndata: {json.dumps(data, allow_nan=False)}\n\n"
