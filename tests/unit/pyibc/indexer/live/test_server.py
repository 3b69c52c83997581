"""Server: only GET, bounded resources; user input is never executed, shown unescaped or used as a path."""

import json
import socket
import threading
from contextlib import closing, suppress
from http import HTTPStatus

import pytest

from pyibc.core.host.block import CommittedBlock
from pyibc.http import server as serving
from pyibc.http.server import Response, Server
from pyibc.indexer.blocks.export import BlockExporter
from tests.exported_chains import Chains
from tests.waiting import until


def raw(port, data, *, shut=True, timeout=20):
    """Send raw bytes; return the response, or None if the connection is still open after the timeout."""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=timeout)) as connection:
        connection.sendall(data)
        if shut:
            with suppress(OSError):  # already closed by the server
                connection.shutdown(socket.SHUT_WR)
        found = b""
        try:
            while part := connection.recv(65536):
                found += part
        except TimeoutError:
            return None
        return found


def test_every_route_answers(served):
    for path, kind in (
        ("/", "text/html"),
        ("/metrics", "text/plain"),
        ("/packets", "application/json"),
        ("/health", "application/json"),
    ):
        status, headers, body = served.get(path)
        assert (status, headers["Content-Type"].partition(";")[0]) == (200, kind)
        assert int(headers["Content-Length"]) == len(body.encode())
    assert json.loads(served.get("/health")[2])["status"] == "ok"


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/..%2f..%2fetc/passwd",
        "/packets/../summary.json",
        "/summary.json",
        "//etc/passwd",
        "/packets/x",
    ],
)
def test_h116_no_path_names_a_file(served, path):
    status, _, body = served.get(path)
    assert status == 404
    assert "root:" not in body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE"])
def test_h116_nothing_but_get_is_answered(served, method):
    assert served.get("/", method)[0] == 501


def test_h116_every_answer_keeps_the_browser_from_more(served):
    for path in ("/", "/packets", "/nowhere", "/packets?limit=x"):
        _, headers, _ = served.get(path)
        policy = headers.get("Content-Security-Policy", "")
        assert policy.startswith("default-src 'none';")
        assert "frame-ancestors 'none'" in policy
        assert "script" not in policy
        assert "unsafe" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "[::2]:80", ""]
)
def test_h116_a_page_of_a_stranger_s_does_not_reach_loopback_by_a_name_of_his(served, host):
    status, _, body = served.get("/packets", Host=host)
    assert status == 421
    assert "packet_id" not in body


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:7", "LOCALHOST", "[::1]:9645", "[::1]"])
def test_this_machine_s_names_reach_it(served, host):
    assert served.get("/health", Host=host)[0] == 200


def test_h117_a_head_that_is_too_long_is_refused_unread(served):
    for head in (b"GET /" + b"a" * 20_000, b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 4000):
        assert raw(served.port, head[:9000], shut=False)[9:12] == b"431"
    assert served.get("/health")[0] == 200


@pytest.mark.parametrize("data", [b"", b"\x00" * 100, b"GET / HTTP/1.1\r\n", b"\x16\x03\x01" + b"\xff" * 60])
def test_h117_what_is_no_request_gets_no_page(served, data):
    assert b"200 OK" not in raw(served.port, data)
    assert served.get("/health")[0] == 200


@pytest.mark.parametrize(
    "line", [b"GET //[ HTTP/1.1", b"GET", b"GET / HTTP/9.9", b"GET /\xff\xfe HTTP/1.1", b"A" * 99]
)
def test_h117_odd_requests_are_refused(served, line):
    answer = raw(served.port, line + b"\r\n\r\n")
    assert answer.split(b" ")[1:2] in ([b"400"], [b"404"], [b"505"], [b"501"]) or answer.startswith(
        b"<!DOCTYPE"
    )
    assert b"IBC packets" not in answer


def test_h117_a_head_that_comes_too_slowly_is_dropped_and_frees_its_place(served, monkeypatch):
    monkeypatch.setattr(serving, "HEAD_S", 0.05)
    assert raw(served.port, b"GET / HTTP/1.1\r\n", shut=False, timeout=8) == b""
    assert served.get("/health")[0] == 200


def test_h117_no_more_than_so_many_are_served_at_once(served):
    waiting = [
        socket.create_connection(("127.0.0.1", served.port), source_address=(f"127.0.1.{number}", 0))
        for number in range(1, serving.MAX_CONNECTIONS + 1)
    ]
    try:
        until(lambda: served.server._slots._value == 0)
        assert raw(served.port, b"GET /health HTTP/1.1\r\n\r\n") == b""
    finally:
        for each in waiting:
            each.close()
    until(lambda: served.server._slots._value == serving.MAX_CONNECTIONS)
    assert served.get("/health")[0] == 200


def test_h304_pages_are_served_beside_silent_connections(served):
    """Connections of one client above its limit occupy no more slots than the limit."""
    port, places = served.port, serving.MAX_CONNECTIONS
    waiting = [
        socket.create_connection(("127.0.0.1", port), source_address=("127.0.0.9", 0)) for _ in range(places)
    ]
    try:
        until(lambda: served.server._slots._value == places - serving.MAX_OF_ONE_CLIENT)
        assert served.get("/health")[0] == 200
    finally:
        for each in waiting:
            each.close()


def test_h118_hostile_names_are_text(live):
    name = "<script>alert(2)</script>"
    chains = Chains(live.chains.folder, channel='"><img src=x onerror=alert(3)>')
    chains.event(name, 4, "send_packet", 1, until=1, amount="7")
    with BlockExporter(chains.folder / "hostile") as exporter:
        exporter.write(CommittedBlock(name, 4, 4 * 10**9, b"", tuple(chains.blocks[name, 4]), ()))
    live.look()
    for query in (
        "",
        "chain=%3Cscript%3Ealert(2)%3C/script%3E",
        "channel=%22%3E%3Cscript%3Ealert(4)%3C/script%3E",
    ):
        page = live.pages.page(query).body.decode()
        assert "<script" not in page
        assert "<img src=x" not in page
        assert "&lt;script&gt;alert(" in page


def test_an_address_that_is_taken_is_an_error(served):
    with pytest.raises(OSError, match="in use"):
        Server({}, "127.0.0.1", served.port, "")


def test_the_server_ends(served):
    server = Server({"/": lambda _: Response(HTTPStatus.OK, "text/plain", b"x")}, "127.0.0.1", 0, "")
    thread = server.start()
    server.stop()
    thread.join(10)
    assert not thread.is_alive()
    assert threading.main_thread().is_alive()
