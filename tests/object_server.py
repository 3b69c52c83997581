"""A stand-in for object storage: as much of S3's protocol as the indexer speaks, with faults on demand.

It believes nobody without the right key, keeps objects in memory, and knows conditional writes. What it is
asked is in `asked`; `fault` may answer a request otherwise than the protocol wants it.
"""

import hashlib
import re
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

KEY, SECRET = "AKIASTANDIN", "stand-in-secret/with+signs"
LAW = "application/xml"


class Stored:
    """An object."""

    def __init__(self, data):
        self.data, self.tag = data, f'"{hashlib.md5(data).hexdigest()}"'


class ObjectServer(ThreadingHTTPServer):
    """The server: `buckets`, `asked` and `fault` are a test's to look at and to set."""

    daemon_threads = True
    page = 1000  # objects of a listing's page

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.buckets = {"chains": {}}
        self.asked = []
        self.fault = lambda request: False  # True: the request was answered, or never will be
        self.conditional = True
        self.lock = threading.Lock()

    @property
    def environment(self):
        return {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.server_port}",
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
        }

    def handle_error(self, request, client_address):
        """A client that goes away is none."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", headers.get("length", len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def refuse(self, status, code):
        told = (
            f"<Code>{code}</Code><AWSAccessKeyId>{KEY}</AWSAccessKeyId><StringToSign>{SECRET}</StringToSign>"
        )
        self.answer(status, f"<Error>{told}</Error>".encode(), Content_Type=LAW)

    def handle_any(self):
        at = urlsplit(self.path)
        self.bucket, _, self.key = unquote(at.path).lstrip("/").partition("/")
        self.query = {name: values[0] for name, values in parse_qs(at.query, keep_blank_values=True).items()}
        self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.asked.append((self.command, self.key or self.query.get("prefix", "")))
        if self.server.fault(self):
            return
        if f"Credential={KEY}/" not in self.headers.get("Authorization", ""):
            self.refuse(403, "InvalidAccessKeyId")
        elif self.bucket not in self.server.buckets:
            self.refuse(404, "NoSuchBucket")
        else:
            with self.server.lock:
                getattr(self, f"on_{self.command.lower()}")(self.server.buckets[self.bucket])

    do_GET = do_PUT = do_HEAD = do_DELETE = do_POST = handle_any

    def on_put(self, objects):
        there = objects.get(self.key)
        if self.server.conditional and (
            (self.headers.get("If-None-Match") == "*" and there)
            or ("If-Match" in self.headers and (not there or there.tag != self.headers["If-Match"]))
        ):
            self.refuse(412, "PreconditionFailed")
            return
        if source := self.headers.get("x-amz-copy-source"):
            found = objects.get(unquote(source).lstrip("/").partition("/")[2])
            if found is None:
                self.refuse(404, "NoSuchKey")
                return
            objects[self.key] = found
            self.answer(200, f"<CopyObjectResult><ETag>{found.tag}</ETag></CopyObjectResult>".encode())
            return
        objects[self.key] = Stored(self.body)
        self.answer(200, ETag=objects[self.key].tag)

    def on_get(self, objects):
        if not self.key:
            self.listing(objects)
            return
        found = objects.get(self.key)
        if found is None:
            self.refuse(404, "NoSuchKey")
        elif self.headers.get("If-Match", found.tag) != found.tag:
            self.refuse(412, "PreconditionFailed")
        elif asked := re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")):
            first, last = int(asked[1]), min(int(asked[2] or 1 << 60), len(found.data) - 1)
            about = {"Content_Range": f"bytes {first}-{last}/{len(found.data)}"}
            self.answer(206, found.data[first : last + 1], ETag=found.tag, Last_Modified=THEN, **about)
        else:
            self.answer(200, found.data, ETag=found.tag, Last_Modified=THEN)

    def on_head(self, objects):
        found = objects.get(self.key)
        if found is None:
            self.answer(404)
        else:
            self.answer(200, found.data, ETag=found.tag, Last_Modified=THEN)

    def on_delete(self, objects):
        objects.pop(self.key, None)
        self.answer(204)

    def on_post(self, objects):
        for key in re.findall(r"<Key>([^<]*)</Key>", self.body.decode()):
            objects.pop(key, None)
        self.answer(200, b"<DeleteResult></DeleteResult>", Content_Type=LAW)

    def listing(self, objects):
        prefix, end = self.query.get("prefix", ""), self.query.get("delimiter", "")
        after = self.query.get("continuation-token", self.query.get("start-after", ""))
        folders, found, more = {}, [], ""
        for key in sorted(key for key in objects if key.startswith(prefix) and key > after):
            if len(found) == self.server.page:
                more = found[-1]
                break
            rest = key[len(prefix) :]
            if end and end in rest:
                folders[prefix + rest.partition(end)[0] + end] = None
            else:
                found.append(key)
        told = "".join(
            f"<Contents><Key>{escape(key)}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
            f"<ETag>{escape(objects[key].tag)}</ETag><Size>{len(objects[key].data)}</Size></Contents>"
            for key in found
        )
        told += "".join(
            f"<CommonPrefixes><Prefix>{escape(each)}</Prefix></CommonPrefixes>" for each in folders
        )
        if more:
            told += f"<NextContinuationToken>{escape(more)}</NextContinuationToken>"
        head = f"<IsTruncated>{str(bool(more)).lower()}</IsTruncated>"
        self.answer(200, f"<ListBucketResult>{head}{told}</ListBucketResult>".encode(), Content_Type=LAW)


THEN = "Thu, 01 Jan 2026 00:00:00 GMT"


def drop(request):
    """A fault: the connection ends before an answer."""
    request.close_connection = True
    return True


def losing_one(lost, objects):
    """A fault: a write goes well, and its answer is lost; `lost` gets its key, and is empty until then."""

    def lose(request):
        if request.command != "PUT" or lost:
            return False
        lost.append(request.key)
        with request.server.lock:
            objects[request.key] = Stored(request.body)
        return drop(request)

    return lose


def cut(request, size=10):
    """A fault: an answer that ends too early."""
    request.send_response(200)
    request.send_header("Content-Length", "1000")
    request.send_header("ETag", '"x"')
    request.send_header("Last-Modified", THEN)
    request.end_headers()
    request.wfile.write(b"x" * size)
    request.close_connection = True
    return True


def stall(request, seconds=3):
    """A fault: no answer for a while, then none."""
    time.sleep(seconds)
    return drop(request)


@contextmanager
def object_server():
    """The running server."""
    server = ObjectServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
