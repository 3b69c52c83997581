"""pyibc.queue.v1.Query on a real chain: what is registered, what waits; pages."""

import pytest

from conformance.kit.outcomes import must
from conformance.kit.queue.pair import QueuePair
from pyibc.core.errors import InvalidRequest, NotFound
from pyibc.core.wire.table import pack
from pyibc.proto.pyibc.queue.v1 import query_pb2 as pb
from pyibc.queues.errors import QueueNotFound, UnregisteredDestination
from pyibc.queues.types import End

SERVICE = "/pyibc.queue.v1.Query/"


@pytest.fixture(scope="module")
def pair():
    made = QueuePair.registered(channels=3)
    for number in range(5):
        must(made.send(made.path, b"%d" % number))
    made.sync()
    must(made.b.submit(made.receive(made.path, range(2))))
    made.sync()
    must(made.a.submit(made.handle(made.path, range(2))))
    yield made
    made.close()


@pytest.fixture
def ask(pair):
    def asked(method, request, answer):
        return answer.FromString(pair.a.chain.grpc(SERVICE + method, request.SerializeToString()))

    return asked


def name(queue):
    return queue[:-1].decode()


def test_a_registration(pair, ask):
    for path in (pair.path, *pair.channel_paths):
        request = pb.QueryRegistrationRequest(remote=pack(path.b))
        found = ask("Registration", request, pb.QueryRegistrationResponse).registration
        assert (found.client_id, found.local, found.remote) == (
            pair.a.client_id,
            pack(path.a),
            pack(path.b),
        )
    for end in (End("gamma-1"), End(""), End("beta-1", "x", "y")):
        with pytest.raises(UnregisteredDestination):
            ask(
                "Registration",
                pb.QueryRegistrationRequest(remote=pack(end)),
                pb.QueryRegistrationResponse,
            )


def test_registrations_in_pages(pair, ask):
    seen, key = [], b""
    while True:
        request = pb.QueryRegistrationsRequest()
        request.pagination.limit, request.pagination.key = 3, key
        page = ask("Registrations", request, pb.QueryRegistrationsResponse)
        seen += [each.remote for each in page.registrations]
        key = page.pagination.next_key
        if not key:
            break
    ends = sorted((path.b for path in (pair.path, *pair.channel_paths)), key=lambda end: end.text)
    assert seen == [pack(end) for end in ends]
    whole = ask("Registrations", pb.QueryRegistrationsRequest(), pb.QueryRegistrationsResponse)
    assert whole.pagination.total == 4
    bad = pb.QueryRegistrationsRequest()
    bad.pagination.key = b"a b"
    with pytest.raises(InvalidRequest):
        ask("Registrations", bad, pb.QueryRegistrationsResponse)


def test_head_and_tail_of_a_queue(pair, ask):
    found = ask("Queue", pb.QueryQueueRequest(name="ibc:beta-1:send"), pb.QueryQueueResponse)
    assert (found.head, found.tail) == (2, 5)
    for each in ("", "ibc:beta-1", "ibc:gamma-1:send", "ibc:beta-1:send\0"):
        with pytest.raises(QueueNotFound):
            ask("Queue", pb.QueryQueueRequest(name=each), pb.QueryQueueResponse)


def test_an_element(pair, ask):
    found = ask("Element", pb.QueryElementRequest(name="ibc:beta-1:send", index=2), pb.QueryElementResponse)
    assert found.value == b"\x0a\x04mock\x12\x012"
    for index in (0, 1, 5, 2**64 - 1):
        with pytest.raises(NotFound):
            ask(
                "Element",
                pb.QueryElementRequest(name="ibc:beta-1:send", index=index),
                pb.QueryElementResponse,
            )
    with pytest.raises(QueueNotFound):
        ask("Element", pb.QueryElementRequest(name="x"), pb.QueryElementResponse)


def test_elements_in_pages(pair, ask):
    request = pb.QueryElementsRequest(name=name(pair.path.outgoing))
    whole = ask("Elements", request, pb.QueryElementsResponse)
    assert [each.index for each in whole.elements] == [2, 3, 4]
    assert whole.pagination.total == 3
    request.pagination.limit = 2
    first = ask("Elements", request, pb.QueryElementsResponse)
    request.pagination.key = first.pagination.next_key
    second = ask("Elements", request, pb.QueryElementsResponse)
    assert [each.index for page in (first, second) for each in page.elements] == [2, 3, 4]
    request.pagination.key = b"head"
    with pytest.raises(InvalidRequest):
        ask("Elements", request, pb.QueryElementsResponse)
    with pytest.raises(QueueNotFound):
        ask("Elements", pb.QueryElementsRequest(name="x"), pb.QueryElementsResponse)
    empty = ask(
        "Elements",
        pb.QueryElementsRequest(name=name(pair.channel_paths[0].outgoing)),
        pb.QueryElementsResponse,
    )
    assert list(empty.elements) == []


@pytest.mark.parametrize("method", ["Registration", "Registrations", "Queue", "Element", "Elements"])
def test_garbage_is_refused(pair, method):
    with pytest.raises(InvalidRequest):
        pair.a.chain.grpc(SERVICE + method, b"\xff")
