"""S3 server on this machine for the files of a folder: listing, and reading of ranges."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

BUCKET = "exports"
REFUSED = set[Path]()
"""Files that are listed, and not given."""
_SIGNED_BY = re.compile(r"Credential=([^/]+)/\d+/([^/]+)/s3/")
_RANGE = re.compile(r"bytes=(\d+)-(\d+)")
_ENTRY = (
    "<Contents><Key>{}</Key><Size>{}</Size><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>"
)


class _Server(ThreadingHTTPServer):
    def __init__(self, folder: Path, key: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder, self.key = folder, key
        self.seen = set[str]()

    def listing(self, prefix: str, delimiter: str) -> bytes:
        """Return the objects whose names begin with a prefix; up to the delimiter, if there is one."""
        entries, folders = list[str](), set[str]()
        for file in sorted(self.folder.rglob("*")):
            name = file.relative_to(self.folder).as_posix()
            if not file.is_file() or not name.startswith(prefix):
                continue
            first, inner, _ = name.removeprefix(prefix).partition(delimiter or "//")
            if inner:
                folders.add(f"{prefix}{first}{inner}")
            else:
                entries.append(_ENTRY.format(escape(name), file.stat().st_size))
        entries += (f"<CommonPrefixes><Prefix>{escape(name)}</Prefix></CommonPrefixes>" for name in folders)
        count = f"<KeyCount>{len(entries)}</KeyCount>"
        return f"<ListBucketResult>{count}{''.join(entries)}</ListBucketResult>".encode()


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        signed = _SIGNED_BY.search(self.headers.get("Authorization", ""))
        if signed is None or signed[1] != self.server.key:
            self._answer(403, b"<Error><Code>AccessDenied</Code></Error>")
            return
        token = self.headers.get("x-amz-security-token", "")
        self.server.seen |= {signed[2], *([token] if token else [])}
        parts = urlsplit(self.path)
        bucket, _, name = unquote(parts.path).lstrip("/").partition("/")
        if bucket != BUCKET:
            self._answer(404, b"<Error><Code>NoSuchBucket</Code></Error>")
        elif name:
            self._object(self.server.folder / name)
        else:
            asked = parse_qs(parts.query)
            self._answer(
                200, self.server.listing(*(asked.get(each, [""])[0] for each in ("prefix", "delimiter")))
            )

    def _object(self, file: Path) -> None:
        if not file.is_file():
            self._answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
            return
        if file in REFUSED and self.command == "GET":
            self._answer(403, b"<Error><Code>AccessDenied</Code></Error>")
            return
        content = file.read_bytes()
        asked = _RANGE.fullmatch(self.headers.get("Range", ""))
        if asked is None:
            self._answer(200, content)
            return
        first, last = int(asked[1]), min(int(asked[2]), len(content) - 1)
        told = ("Content-Range", f"bytes {first}-{last}/{len(content)}")
        self._answer(206, content[first : last + 1], told)

    def _answer(self, status: int, body: bytes, *headers: tuple[str, str]) -> None:
        self.send_response(status)
        for name, value in (("Last-Modified", formatdate(0, usegmt=True)), *headers):
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def s3_server(folder: Path, key: str) -> Iterator[tuple[str, set[str]]]:
    """Serve a folder as the bucket `BUCKET` to those who sign with an access key.

    Yields the address, and the regions and session tokens of the requests.
    """
    server = _Server(folder, key)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}", server.seen
    finally:
        server.shutdown()
        server.server_close()
