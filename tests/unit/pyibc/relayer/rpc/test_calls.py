"""JSON-RPC batches: outcomes in the order of the calls, whatever the node's response."""

import json

import pytest

from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer
from pyibc.relayer.rpc.calls import Call, Rpc
from pyibc.relayer.rpc.client import MAX_BATCH, REGROW_AFTER, HttpRpc
from pyibc.relayer.rpc.http_pool import HttpAnswer
from pyibc.relayer.rpc.pool import RpcPool
from pyibc.relayer.rpc.pool_node import PoolNode
from tests.unit.pyibc.relayer.rpc.test_pool import Backend, chains, pool  # noqa: F401 - fixtures

CALLS = [Call("abci_query", {"data": f"{number:02}"}) for number in range(25)]
TOO_MANY = {
    "jsonrpc": "2.0",
    "id": None,
    "error": {"code": -32600, "message": "batch request exceeds maximum"},
}


class Node:
    """HTTP transport without a network: `answer` builds the response to each request of a batch."""

    def __init__(self, answer, most=MAX_BATCH) -> None:
        self.answer, self.most = answer, most
        self.sizes = []
        self.rpc = HttpRpc("http://127.0.0.1:1")
        self.rpc._post = self.post

    def post(self, _method, body):
        asked = json.loads(body)
        batch = asked if isinstance(asked, list) else [asked]
        self.sizes.append(len(batch))
        if len(batch) > self.most:
            return json.dumps(TOO_MANY).encode()
        found = [each for each in map(self.answer, batch) if each is not None]
        return json.dumps(found[::-1] if isinstance(asked, list) else found[0]).encode()


def echo(request):
    return {"jsonrpc": "2.0", "id": request["id"], "result": {"value": request["params"]["data"]}}


def values(found):
    return [each["value"] for each in found]


def test_ten_at_once_and_the_outcomes_in_their_order() -> None:
    node = Node(echo)
    assert values(node.rpc.call_many(CALLS)) == [call.params["data"] for call in CALLS]
    assert node.sizes == [10, 10, 5]


@pytest.mark.parametrize("most", [1, 3, 9])
def test_a_node_that_takes_fewer_gets_fewer_from_then_on(most) -> None:
    node = Node(echo, most)
    for _ in range(2):
        assert values(node.rpc.call_many(CALLS)) == [call.params["data"] for call in CALLS]
    refused = [size for size in node.sizes if size > most]
    assert len(refused) <= 4
    assert node.sizes.index(refused[-1]) == len(refused) - 1  # before all others


def test_the_error_stands_where_a_call_is_refused_or_not_answered() -> None:
    def answer(request):
        data = request["params"]["data"]
        if data == "03":
            return {"id": request["id"], "error": {"message": "pruned"}}
        return None if data == "04" else echo(request)

    found = Node(answer).rpc.call_many(CALLS[:6])
    assert [type(each) for each in found] == [dict, dict, dict, EndpointRefused, MalformedAnswer, dict]
    assert "pruned" in str(found[3])
    assert "no result" in str(found[4])


def test_a_silent_node_is_asked_once() -> None:
    node = Node(echo)

    def silent(_method, body):
        node.sizes.append(len(json.loads(body)))
        raise EndpointUnavailable("node", "timed out")

    node.rpc._post = silent
    found = node.rpc.call_many(CALLS)
    assert node.sizes == [10]
    assert len(found) == len(CALLS)
    assert all(isinstance(each, EndpointUnavailable) for each in found)


def test_a_gateway_that_takes_no_batches_gets_none_any_more() -> None:
    node = Node(echo)

    def gateway(method, body):
        if body.startswith(b"["):
            node.sizes.append(len(json.loads(body)))
            raise EndpointUnavailable("node", "HTTP status 405")
        return node.post(method, body)

    node.rpc._post = gateway
    for _ in range(2):
        assert values(node.rpc.call_many(CALLS)) == [call.params["data"] for call in CALLS]
    assert [size for size in node.sizes if size > 1] == [10, 5, 2]


def test_a_node_that_refused_ten_once_is_asked_for_as_many_again() -> None:
    node = Node(echo, most=4)
    node.rpc.call_many(CALLS[:10])
    assert node.sizes == [10, 5, 2, 2, 2, 2, 2]
    node.most = 10  # what stood before it is gone
    for size in (2, 4, 8):
        node.sizes.clear()
        while set(node.sizes) <= {size}:
            assert len(node.sizes) <= REGROW_AFTER
            node.rpc.call_many(CALLS[:size] * 2)
    assert node.sizes[-2:] == [10, 6]
    node.rpc.call_many(CALLS[:10])
    assert node.sizes[-1] == 10


def test_a_gateway_without_a_node_is_asked_twice() -> None:
    node = Node(echo)

    def away(_method, body):
        node.sizes.append(body[:1])
        raise EndpointUnavailable("node", "HTTP status 502")

    node.rpc._post = away
    found = node.rpc.call_many(CALLS)
    assert node.sizes == [b"[", b"{"]
    assert {str(each) for each in found} == {"node: HTTP status 502"}
    node.rpc._post = node.post
    node.sizes.clear()
    node.rpc.call_many(CALLS)
    assert node.sizes == [10, 10, 5]  # it had not refused a batch


def test_a_client_that_knows_no_batches_is_asked_in_turn_until_it_is_silent() -> None:
    asked = []

    class Single(Rpc):
        def call(self, method, **params):
            asked.append(params["data"])
            if params["data"] == "02":
                raise EndpointUnavailable("node", "timed out")
            return {"value": params["data"]}

    found = Single().call_many(CALLS)
    assert asked == ["00", "01", "02"]
    assert values(found[:2]) == ["00", "01"]
    assert all(isinstance(each, EndpointUnavailable) for each in found[2:])
    assert len(found) == len(CALLS)


BLOCKS = [Call("block", {"height": "2"}), Call("block_results", {"height": "3"})]


def heights(found):
    return found[0]["block"]["header"]["height"], found[1]["height"]


def test_a_pool_asks_another_node_for_what_one_does_not_answer(pool) -> None:  # noqa: F811
    made = pool()
    made.call("status")
    made.backends[0].down = True
    assert heights(made.call_many(BLOCKS)) == ("2", "3")
    assert told(made) == ["x"]
    made.backends[1].down = True
    assert all(isinstance(each, EndpointUnavailable) for each in made.call_many(BLOCKS))


def told(made):
    return [notice.node for notice in made.notices]


def test_a_pool_asks_all_for_what_one_refuses(pool) -> None:  # noqa: F811
    made = pool()
    made.call("status")

    def pruned(method, params, answer):
        if method == "block_results":
            raise EndpointRefused("node", method, "height 3 is not available, lowest height is 4")
        return answer

    made.backends[0].spoil = pruned
    assert heights(made.call_many(BLOCKS)) == ("2", "3")
    assert made.dropped == {}


def test_a_pool_checks_blocks_of_a_batch_as_those_that_are_asked_for_alone(chains) -> None:  # noqa: F811
    liar = Backend(chains.a.chain)
    made = RpcPool([PoolNode("x", liar), PoolNode("y", Backend(chains.a.chain))])
    made.call("status")

    def of_another(method, _params, answer):
        if method == "block":
            answer["block"]["header"]["chain_id"] = "other-9"
        return answer

    liar.spoil = of_another
    found = made.call_many(BLOCKS)
    assert found[0]["block"]["header"]["chain_id"] == chains.a.chain.chain_id
    assert "x" in {**made.dropped, **{node.name: node.problem for node in made.nodes if node.problem}}


# -- answers that came twice


class Shifting:
    """Connection with a surplus response: each call gets the previous response until it is closed."""

    def __init__(self, first) -> None:
        self.waiting = [] if first is None else [json.dumps(first).encode()]
        self.closed = 0

    def post(self, body, _deadline, *, fresh):
        asked = json.loads(body)
        made = [echo(each) for each in asked] if isinstance(asked, list) else echo(asked)
        self.waiting.append(json.dumps(made).encode())
        return HttpAnswer(200, self.waiting.pop(0))

    def close(self):
        self.closed += 1
        self.waiting.clear()


OLD = {"jsonrpc": "2.0", "id": 7, "result": {"value": "old"}}


@pytest.mark.parametrize(
    "first", [[OLD], [OLD, OLD], [{"id": True, "result": {}}], [{"id": None, "result": {}}]]
)
def test_h230_a_batch_s_answer_that_comes_twice_is_not_taken_for_the_next_one(first) -> None:
    transport = Shifting(first)
    rpc = HttpRpc("http://127.0.0.1:1", transport=transport)
    shifted = rpc.call_many(CALLS[:3])
    assert [type(each) for each in shifted] == [MalformedAnswer] * 3
    assert "to another request" in str(shifted[0])
    assert transport.closed == 1
    assert values(rpc.call_many(CALLS[:3])) == [call.params["data"] for call in CALLS[:3]]


def test_h230_one_answer_where_several_were_asked_for_ends_its_connection() -> None:
    transport = Shifting(OLD)
    rpc = HttpRpc("http://127.0.0.1:1", transport=transport)
    assert values(rpc.call_many(CALLS[:3])) == [call.params["data"] for call in CALLS[:3]]
    assert transport.closed == 1


def test_h230_several_answers_where_one_was_asked_for_end_their_connection() -> None:
    transport = Shifting([OLD])
    rpc = HttpRpc("http://127.0.0.1:1", transport=transport)
    with pytest.raises(MalformedAnswer):
        rpc.call("abci_query", data="00")
    assert transport.closed == 1
    assert rpc.call("abci_query", data="01") == {"value": "01"}


def test_h230_no_two_calls_have_one_number() -> None:
    seen = []
    node = Node(lambda request: (seen.append(request["id"]), echo(request))[1])
    for _ in range(2):
        node.rpc.call_many(CALLS)
        node.rpc.call("abci_query", data="alone")
    assert len({*seen}) == len(seen) == 52
