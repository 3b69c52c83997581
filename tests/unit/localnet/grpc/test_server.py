"""The server: paths, heights, refusals, limits, threads, its end."""

import logging
import socket
import threading
import time

import pytest

from localnet.grpc.calls import GrpcLimits, asked_height
from localnet.grpc.server import GrpcServer
from pyibc.core.errors import ClientNotFound, InvalidRequest, OutOfGas
from pyibc.proto.cosmos.bank.v1beta1 import query_pb2 as bank
from pyibc.relayer.errors import EndpointUnavailable

BALANCE = "/cosmos.bank.v1beta1.Query/Balance"
HEIGHT = "x-cosmos-block-height"


@pytest.fixture
def ask_balance(alice):
    return bank.QueryBalanceRequest(address=alice.address.text, denom="stake").SerializeToString()


def balance(answer):
    return int(bank.QueryBalanceResponse.FromString(answer).balance.amount)


def test_the_height_that_is_asked_is_answered_and_told(chain, client, ask_balance, sign):
    chain.make_block([sign()])
    answer, header = client.raw(BALANCE, ask_balance)
    assert (balance(answer), header[HEIGHT]) == (10**9 - 5, "2")
    answer, header = client.raw(BALANCE, ask_balance, ((HEIGHT, "1"),))
    assert (balance(answer), header[HEIGHT]) == (10**9, "1")
    assert client.raw(BALANCE, ask_balance, ((HEIGHT, "0"),))[1][HEIGHT] == "2"


@pytest.mark.parametrize(
    "value", ["-1", "+1", "1.0", "", "x", "1_0", "1 2", "99999999999999999999", "9223372036854775808"]
)
def test_a_bad_height_is_an_invalid_argument(client, code, ask_balance, value):
    found = client.refused(BALANCE, ask_balance, ((HEIGHT, value),))
    assert found[0] is code.INVALID_ARGUMENT
    assert "height" in found[1]


def test_a_height_to_come_is_refused_as_the_sdk_does(client, code, ask_balance):
    found = client.refused(BALANCE, ask_balance, ((HEIGHT, "3"),))
    assert found[0] is code.UNKNOWN
    assert found[1].startswith("cannot query with height in the future; please provide a valid height: 3")


@pytest.mark.parametrize("value", ["\u0661", b"1", "\u00b9"])
def test_a_height_is_ascii_digits(value):
    with pytest.raises(InvalidRequest):
        asked_height([(HEIGHT, value)])


def test_two_heights_are_refused(client, code, ask_balance):
    assert client.refused(BALANCE, ask_balance, ((HEIGHT, "1"), (HEIGHT, "1")))[0] is code.INVALID_ARGUMENT


def test_a_pruned_height_is_refused(make_chain, serve, connect, code, ask_balance):
    chain = make_chain()
    chain.app.store.close()
    from pyibc.chain.app import HostApp

    app = HostApp(chain.app.config, keep_versions=2)
    app.init_chain(1, {})
    for _ in range(4):
        app.finalize_block(10**18, [])
        app.commit()
    chain.app = app
    client = connect(serve(chain))
    assert client.refused(BALANCE, ask_balance, ((HEIGHT, "1"),)) == (
        code.UNKNOWN,
        (
            "failed to load state at height 1; no version 1: versions 3 to 4 are retained"
            " (latest height: 4): not found"
        ),
    )


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "/cosmos.bank.v1beta1.Query/Nothing",
            "unknown method Nothing for service cosmos.bank.v1beta1.Query",
        ),
        ("/a.b.Query/C", "unknown service a.b.Query"),
        ("/a", "malformed method name: '/a'"),
        ("/grpc.reflection.v1.ServerReflection/X", "unknown service grpc.reflection.v1.ServerReflection"),
    ],
)
def test_an_unknown_path_is_unimplemented_in_the_words_of_go(client, code, path, text):
    assert client.refused(path) == (code.UNIMPLEMENTED, text)


@pytest.fixture
def routes():
    """A server of routes of its own."""
    made = []

    def start(limits=None, latest=lambda: 7, **found):
        by_path = {f"/a.B/{name}": route for name, route in found.items()}
        server = GrpcServer(by_path, latest, 0, limits or GrpcLimits(stop_s=0.2))
        made.append(server)
        return server

    yield start
    for server in made:
        server.stop()


def raising(error):
    def route(_request, _height):
        raise error

    return route


def test_refusals_have_the_status_that_relayers_expect(routes, connect, code):
    raised = {
        "Gone": (ClientNotFound("07-tendermint-9"), code.NOT_FOUND),
        "Bad": (InvalidRequest("no"), code.INVALID_ARGUMENT),
        "Down": (EndpointUnavailable("c", "no answer"), code.UNAVAILABLE),
        "Other": (OutOfGas(3), code.UNKNOWN),
    }
    client = connect(routes(**{name: raising(error) for name, (error, _) in raised.items()}))
    for name, (error, status) in raised.items():
        assert client.refused(f"/a.B/{name}") == (status, str(error))


def test_a_long_refusal_is_cut(routes, connect):
    client = connect(routes(Long=raising(InvalidRequest("x" * 100_000))))
    assert len(client.refused("/a.B/Long")[1]) == 2_000


def test_a_bug_is_logged_once_and_tells_the_client_nothing(routes, connect, code, caplog):
    client = connect(routes(Bug=raising(KeyError("secret")), Good=lambda request, height: request))
    with caplog.at_level(logging.ERROR, "localnet"):
        for _ in range(3):
            assert client.refused("/a.B/Bug") == (code.INTERNAL, "the query failed")
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    assert "KeyError: 'secret'" in caplog.text
    assert client.raw("/a.B/Good", b"x")[0] == b"x"


def test_messages_have_limits_both_ways(routes, connect, code):
    limits = GrpcLimits(request_bytes=1_000, response_bytes=2_000, stop_s=0.2)
    client = connect(routes(limits, Echo=lambda request, height: request * 3))
    assert len(client.raw("/a.B/Echo", b"x" * 600)[0]) == 1_800
    assert client.refused("/a.B/Echo", b"x" * 700) == (
        code.RESOURCE_EXHAUSTED,
        "response of 2100 bytes, limit 2000: request a page",
    )
    assert client.refused("/a.B/Echo", b"x" * 1_001)[0] is code.RESOURCE_EXHAUSTED


def test_a_compressed_request_is_not_inflated(routes, code):
    import grpc

    server = routes(Size=lambda request, height: str(len(request)).encode())
    with grpc.insecure_channel(server.address, compression=grpc.Compression.Gzip) as channel:
        with pytest.raises(grpc.RpcError) as error:
            channel.unary_unary("/a.B/Size")(bytes(9_000_000), 10)
        assert error.value.code() in {code.UNIMPLEMENTED, code.INTERNAL}


def test_calls_beyond_the_limit_are_refused_and_those_within_are_answered(routes, connect, code):
    go = threading.Event()

    def wait(request, _height):
        go.wait(10)
        return request

    client = connect(routes(GrpcLimits(workers=1, calls=3, stop_s=0.2), Wait=wait))
    method = client.channel.unary_unary("/a.B/Wait")
    calls = [method.future(b"x", 10) for _ in range(8)]
    deadline = time.monotonic() + 10
    while sum(call.done() for call in calls) < 5 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert sorted(call.done() for call in calls) == [False] * 3 + [True] * 5
    go.set()
    ends = [call.code() for call in calls]
    assert ends.count(code.OK) == 3
    assert ends.count(code.RESOURCE_EXHAUSTED) == 5
    assert client.raw("/a.B/Wait", b"y")[0] == b"y"


def test_a_call_that_is_given_up_gives_its_place_back(routes, connect, code):
    go = threading.Event()
    client = connect(routes(GrpcLimits(workers=1, calls=2, stop_s=0.2), Wait=lambda r, h: go.wait(10) and r))
    method = client.channel.unary_unary("/a.B/Wait")
    for _ in range(2):
        calls = [method.future(b"x", 10) for _ in range(2)]
        time.sleep(0.1)
        for call in calls:
            call.cancel()
        go.set()
        time.sleep(0.1)
        assert client.raw("/a.B/Wait", b"y")[0] == b"y"
        go.clear()


def test_the_server_listens_at_loopback_and_frees_its_port(chain, serve):
    server = serve(chain)
    with socket.create_connection(("127.0.0.1", server.port), 5):
        pass
    with pytest.raises(OSError, match="gRPC cannot listen"):
        serve(chain, server.port)
    server.stop()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port), 5)
    serve(chain, server.port)


def test_stopping_ends_what_waits(routes, connect, code):
    go = threading.Event()
    server = routes(GrpcLimits(workers=1, stop_s=0.2), Wait=lambda r, h: go.wait(1) and r)
    calls = [connect(server).channel.unary_unary("/a.B/Wait").future(b"x", 10) for _ in range(3)]
    time.sleep(0.1)
    start = time.monotonic()
    server.stop()
    assert time.monotonic() - start < 3
    assert code.OK not in {call.code() for call in calls}


def test_a_query_waits_for_no_block_under_way(chain, client, ask_balance):
    with chain.lock:  # as a block that is being made holds it
        assert balance(client.raw(BALANCE, ask_balance)[0]) == 10**9
