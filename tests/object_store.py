"""A small object store that speaks as much of S3's protocol as reading takes, for tests.

It lists the objects below a prefix and gives them whole or in ranges; requests need no signature.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, quote, unquote, urlsplit
from xml.sax.saxutils import escape

BUCKET = "bucket"
_CHANGED = 1_700_000_000


class _Answers(BaseHTTPRequestHandler):
    """Answers requests for one bucket."""

    protocol_version = "HTTP/1.1"
    objects: Mapping[str, bytes]

    def do_HEAD(self) -> None:
        """Say how large an object is, or that the bucket is there."""
        key = self._key()
        if key == "":
            self._reply(200, b"")
        elif key in self.objects:
            self._reply(200, b"", length=len(self.objects[key]))
        else:
            self._reply(404, b"", length=0)

    def do_GET(self) -> None:
        """List objects, or give the bytes of one."""
        key = self._key()
        if key == "":
            self._reply(200, self._listed())
        elif key not in self.objects:
            self._reply(404, b"<Error><Code>NoSuchKey</Code></Error>")
        else:
            self._give(self.objects[key])

    def _give(self, content: bytes) -> None:
        wanted = self.headers.get("Range", "")
        if not wanted:
            self._reply(200, content)
            return
        first, _, last = wanted.removeprefix("bytes=").partition("-")
        end = min(int(last), len(content) - 1) if last else len(content) - 1
        told = {"Content-Range": f"bytes {first}-{end}/{len(content)}"}
        self._reply(206, content[int(first) : end + 1], more=told)

    def _listed(self) -> bytes:
        """Write what is below a prefix, with folders apart if that is asked for."""
        asked = parse_qs(urlsplit(self.path).query, keep_blank_values=True)
        prefix, delimiter = asked.get("prefix", [""])[0], asked.get("delimiter", [""])[0]
        found, folders = [], set()
        for key in sorted(self.objects):
            rest = key.removeprefix(prefix)
            if not key.startswith(prefix):
                continue
            if delimiter and delimiter in rest:
                folders.add(prefix + rest.partition(delimiter)[0] + delimiter)
            else:
                found.append(key)
        entries = [
            f"<Contents><Key>{escape(key)}</Key><Size>{len(self.objects[key])}</Size>"
            "<LastModified>2023-11-14T22:13:20.000Z</LastModified></Contents>"
            for key in found
        ]
        entries += [
            f"<CommonPrefixes><Prefix>{escape(folder)}</Prefix></CommonPrefixes>"
            for folder in sorted(folders)
        ]
        n_keys = len(found) + len(folders)
        return (
            f"<ListBucketResult><Name>{BUCKET}</Name><Prefix>{escape(prefix)}</Prefix>"
            f"<KeyCount>{n_keys}</KeyCount><MaxKeys>1000</MaxKeys>"
            f"<IsTruncated>false</IsTruncated>{''.join(entries)}</ListBucketResult>"
        ).encode()

    def _key(self) -> str:
        bucket, _, key = unquote(urlsplit(self.path).path).lstrip("/").partition("/")
        return key if bucket == BUCKET else "no such bucket"

    def _reply(
        self,
        status: int,
        body: bytes,
        *,
        length: int | None = None,
        more: Mapping[str, str] | None = None,
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.send_header("Last-Modified", formatdate(_CHANGED, usegmt=True))
        self.send_header("ETag", '"0"')
        for name, value in (more or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def object_store(objects: Mapping[str, bytes]) -> Iterator[str]:
    """Serve objects by their keys; give what follows the path in an address of one of them."""
    answers = type("Answers", (_Answers,), {"objects": objects})
    server = ThreadingHTTPServer(("127.0.0.1", 0), answers)
    Thread(target=server.serve_forever, daemon=True).start()
    endpoint = quote(f"http://127.0.0.1:{server.server_port}", safe="")
    try:
        yield f"?endpoint_override={endpoint}&scheme=http&region=us-east-1"
    finally:
        server.shutdown()
        server.server_close()
