"""Block results in protobuf equal those in JSON; nodes without the query are read in JSON."""

import re
from base64 import b64encode
from pathlib import Path

import pytest

import pyibc.relayer
from pyibc.chain.comet.block_results import BlockResults
from pyibc.core.channel.types import Order
from pyibc.core.comet import compact_events, deflate
from pyibc.core.host.block import CommittedBlock
from pyibc.core.packet.events import PACKET_EVENTS
from pyibc.proto.pyibc.node.v1.query_pb2 import QueryBlockResultsRequest, QueryBlockResultsResponse
from pyibc.relayer.chain.values import height_on
from pyibc.relayer.daemon.connecting import UNREAD
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer, RelayerError
from pyibc.relayer.links.link import relay
from pyibc.relayer.links.options import Options
from pyibc.relayer.paths.open_path import make_path
from pyibc.relayer.rpc import node_queries
from pyibc.relayer.rpc.blocks import RpcBlocks
from pyibc.relayer.rpc.client import RpcConfig
from pyibc.relayer.rpc.endpoint import RpcEndpoint
from pyibc.relayer.rpc.node_queries import (
    BLOCK_RESULTS,
    ESTIMATE_GAS,
    PROOFS,
    PRUNED_BACKOFF,
    UNSUPPORTED_BACKOFF,
    CompactResults,
    NodeQueries,
)
from pyibc.relayer.rpc.pool import RpcPool
from pyibc.relayer.rpc.pool_node import Happening, PoolNode
from pyibc.testing.faults import EndpointWrapper
from pyibc.testing.transfers import transfer
from tests.unit.pyibc.chain.comet.test_block_results import Paying
from tests.unit.pyibc.relayer.rpc.test_blocks import Batching
from tests.unit.pyibc.relayer.rpc.test_pool import Backend, chains  # noqa: F401 - a fixture

DAEMON = RpcConfig(unread=UNREAD, reads_all=True)


class Giving(Batching):
    """Node that supports the protobuf query, or answers it with a given response."""

    def __init__(self, chain) -> None:
        super().__init__(chain)
        self.response = None  # else what is answered
        self.error = None  # or raised
        self.change = lambda _answer: None

    def call(self, method, **params):
        if method != "abci_query" or params["path"] != BLOCK_RESULTS:
            return super().call(method, **params)
        self.calls.append(
            (BLOCK_RESULTS, QueryBlockResultsRequest.FromString(bytes.fromhex(params["data"])).height)
        )
        if self.error is not None:
            raise self.error
        if self.response is not None:
            return {"response": self.response}
        return {"response": {"code": 0, "value": encoded(self.results(bytes.fromhex(params["data"])))}}

    def outcome(self, call):
        try:
            return self.call(call.method, **call.params)
        except RelayerError as error:
            return error

    def results(self, request: bytes) -> bytes:
        kept = BlockResults(kept=self.chain.height)
        for height in range(1, self.chain.height + 1):
            kept.chain_committed(self.chain.block(height))
        asked = QueryBlockResultsRequest.FromString(request)
        is_deflated, asked.deflate = asked.deflate, False
        raw = kept.chain_queries()[BLOCK_RESULTS](Paying(), asked.SerializeToString())
        answer = QueryBlockResultsResponse.FromString(raw)
        self.change(answer)
        if is_deflated:
            answer = QueryBlockResultsResponse(deflated=deflate(answer.SerializeToString()))
        return answer.SerializeToString()

    @property
    def asked(self) -> list[str]:
        """Recorded block queries, without batches."""
        return [each[0] for each in self.calls if each[0] in {"block_results", BLOCK_RESULTS}]


def encoded(raw: bytes) -> str:
    return b64encode(raw).decode()


@pytest.fixture
def busy(chains):  # noqa: F811
    """Height on chain a of a block with a packet."""
    path = chains.open("transfer", Order.UNORDERED, "ics20-1")
    chains.a.execute("alice", transfer(chains.a, "alice", path.a, "stake", 5, chains.b.address("bob")))
    return chains.a.chain.height


@pytest.fixture
def node(chains):  # noqa: F811
    return Giving(chains.a.chain)


def read(block: CommittedBlock) -> CommittedBlock:
    """Return the block without the excluded event types."""

    def told(events):
        return compact_events(event for event in events if event[0] not in UNREAD)

    left = [each._replace(events=told(each.events)) for each in block.txs]
    return block._replace(txs=tuple(left), block_events=told(block.block_events))


def test_the_block_is_the_one_that_json_tells(node, busy):
    plain = RpcBlocks(Batching(node.chain))
    blocks = RpcBlocks(node, DAEMON)
    for height in range(1, busy + 1):
        assert blocks.block(height) == read(plain.block(height))
    assert blocks.block(busy).txs[0].events
    assert set(node.asked) == {BLOCK_RESULTS}


def test_block_and_results_come_by_one_request(node):
    blocks = RpcBlocks(node, DAEMON)
    node.calls.clear()
    blocks.block(3)
    assert node.calls[0] == ("header", "abci_query")
    assert "block" not in {each[0] for each in node.calls}
    assert node.asked == [BLOCK_RESULTS]


def test_of_a_block_that_is_known_no_header_is_asked_for_where_json_has_to_do(node):
    node.response = {"code": 6, "codespace": "sdk"}
    blocks = RpcBlocks(node, DAEMON)
    blocks.raw(3)
    blocks.block(3)
    node.calls.clear()
    blocks.raw(4)
    assert blocks.block(4).height == 4
    assert [each[0] for each in node.calls] == ["block", "block_results"]


def test_who_reads_all_events_asks_as_ever(node):
    RpcBlocks(node).block(3)
    assert node.asked == ["block_results"]


def test_a_node_without_the_query_is_seldom_asked(node):
    node.response = {"code": 6, "codespace": "sdk", "log": "unknown query path"}
    blocks = RpcBlocks(node, DAEMON)
    assert [blocks.block(height).height for height in (3, 4)] == [3, 4]
    assert node.asked == [BLOCK_RESULTS, "block_results", "block_results"]
    assert blocks._compact.should_query(3 + UNSUPPORTED_BACKOFF)
    assert not blocks._compact.should_query(2 + UNSUPPORTED_BACKOFF)


@pytest.mark.parametrize(
    ("response", "error"),
    [
        ({"code": 0, "value": ""}, None),
        ({"code": 0}, None),
        ({"code": 22, "codespace": "bank"}, None),
        (None, EndpointRefused("a", "abci_query", "no")),
    ],
)
def test_any_other_refusal_is_the_same(node, response, error):
    node.response, node.error = response, error
    blocks = RpcBlocks(node, DAEMON)
    assert blocks.block(3).height == 3
    assert node.asked == [BLOCK_RESULTS, "block_results"]
    assert not blocks._compact.should_query(2 + UNSUPPORTED_BACKOFF)


def test_what_the_node_keeps_no_longer_is_asked_for_otherwise_and_a_later_block_again(node):
    node.response = {"code": 22, "codespace": "sdk"}
    blocks = RpcBlocks(node, DAEMON)
    assert blocks.block(3).height == 3
    assert not blocks._compact.should_query(2 + PRUNED_BACKOFF)
    node.response = None
    assert blocks._compact.should_query(3 + PRUNED_BACKOFF)


def test_a_node_that_does_not_answer_is_not_asked_a_second_time(node):
    node.error = EndpointUnavailable("a", "gone")
    blocks = RpcBlocks(node, DAEMON)
    with pytest.raises(EndpointUnavailable, match="gone"):
        blocks.block(3)
    assert node.asked == [BLOCK_RESULTS]
    assert blocks._compact.should_query(3)
    node.error = None
    assert blocks.block(3).height == 3


@pytest.mark.parametrize(
    "change",
    [
        lambda answer: setattr(answer, "height", 4),
        lambda answer: answer.ClearField("height"),
        lambda answer: answer.txs.append(b"tx"),
        lambda answer: answer.txs.append(b"tx") or answer.tx_results.add(),
    ],
)
def test_results_of_another_block_are_refused_and_not_kept(node, change):
    node.change = change
    blocks = RpcBlocks(node, DAEMON)
    with pytest.raises(MalformedAnswer):
        blocks.block(3)
    node.change = lambda _answer: None
    assert isinstance(blocks.block(3), CommittedBlock)


@pytest.mark.parametrize(
    "response",
    [
        {"code": 0, "value": "!"},
        {"code": 0, "value": encoded(b"\xff")},
        {"code": 0, "value": 7},
        {"code": 0, "value": encoded(b"\x08\x03\x1a\x04\x3a\x02\x0a\x01")},
        7,
        None,
    ],
)
def test_an_answer_that_is_none_is_malformed(node, response):
    node.response = response
    if response is None:
        node.call = lambda method, **_params: (
            {} if method == "abci_query" else Giving.call(node, method, **_params)
        )
    with pytest.raises(MalformedAnswer):
        RpcBlocks(node, DAEMON).block(3)


def test_what_nobody_reads_is_left_out_also_where_the_node_tells_it(node, busy):
    """Nor is the response compressed."""
    whole = QueryBlockResultsRequest(height=busy, txs=True).SerializeToString()
    node.response = {"code": 0, "value": encoded(node.results(whole))}
    block = RpcBlocks(node, DAEMON).block(busy)
    assert node.asked == [BLOCK_RESULTS]
    kinds = {event[0] for outcome in block.txs for event in outcome.events}
    assert kinds
    assert not kinds & UNREAD


def test_of_a_node_that_tells_no_transactions_json_is_asked_for(node, busy):
    node.change = lambda answer: answer.ClearField("txs")
    blocks = RpcBlocks(node, DAEMON)
    assert blocks.block(busy) == RpcBlocks(Batching(node.chain), RpcConfig(unread=UNREAD)).block(busy)
    assert node.asked == [BLOCK_RESULTS, "block_results"]
    assert not blocks._compact.should_query(busy + UNSUPPORTED_BACKOFF - 1)
    assert blocks._compact.should_query(busy + UNSUPPORTED_BACKOFF)


def test_transactions_that_the_header_does_not_hash_are_refused(node, busy):
    def other(answer):
        answer.txs[0] += b"\0"

    node.change = other
    with pytest.raises(MalformedAnswer, match="do not match the data hash of its header"):
        RpcBlocks(node, DAEMON).block(busy)


@pytest.mark.parametrize("spoilt", [lambda raw: raw[:-1], lambda raw: raw + b"\0", lambda _raw: b"no zlib"])
def test_what_cannot_be_inflated_is_asked_for_in_json(node, spoilt):
    whole = QueryBlockResultsRequest(height=3, txs=True).SerializeToString()
    answer = QueryBlockResultsResponse(deflated=spoilt(deflate(node.results(whole))))
    node.response = {"code": 0, "value": encoded(answer.SerializeToString())}
    assert RpcBlocks(node, DAEMON).block(3).height == 3
    assert node.asked == [BLOCK_RESULTS, "block_results"]


def test_h237_no_more_is_inflated_than_a_block_has(node, monkeypatch):
    raw = QueryBlockResultsResponse(height=3, app_hash=bytes(100_000)).SerializeToString()
    answer = QueryBlockResultsResponse(deflated=deflate(raw)).SerializeToString()
    node.response = {"code": 0, "value": encoded(answer)}
    monkeypatch.setattr(node_queries, "MAX_RESULTS", len(raw))
    assert len(RpcBlocks(node, DAEMON).block(3).app_hash) == 100_000
    monkeypatch.setattr(node_queries, "MAX_RESULTS", len(raw) - 1)
    assert len(RpcBlocks(node, DAEMON).block(3).app_hash) == 32


@pytest.mark.parametrize(("key", "text"), [("chain_id", "other-9"), ("height", "4")])
def test_a_header_of_another_block_is_refused(node, key, text):
    def spoil(method, _params, answer):
        return {"header": answer["header"] | {key: text}} if method == "header" else answer

    node.spoil = spoil
    with pytest.raises(MalformedAnswer, match="it is for"):
        RpcBlocks(node, DAEMON).block(3)


def test_a_header_that_is_none_is_malformed(node):
    node.spoil = lambda method, _params, answer: {"header": 7} if method == "header" else answer
    with pytest.raises(MalformedAnswer):
        RpcBlocks(node, DAEMON).block(3)


def test_a_block_that_is_not_there_is_refused_as_ever(node):
    node.response = {"code": 22, "codespace": "sdk"}
    with pytest.raises(EndpointRefused, match="must be less than or equal to"):
        RpcBlocks(node, DAEMON).block(node.chain.height + 1)


def test_packets_are_told_in_brief(node, busy):
    events = [event for each in RpcBlocks(node, DAEMON).block(busy).txs for event in each.events]
    packets = [dict(attributes) for kind, attributes in events if kind in PACKET_EVENTS]
    assert packets
    assert not [each for each in packets if "connection_id" in each or "msg_index" in each]


@pytest.fixture
def several(chains):  # noqa: F811
    """Return a factory of pools of such nodes that compare every block."""

    def make(number):
        notices = []
        nodes = [
            PoolNode(name, Giving(chains.a.chain), UNREAD, CompactResults(UNREAD)) for name in "xyz"[:number]
        ]
        made = RpcPool(nodes, clock=lambda: 0.0, report=notices.append, compare_every=1)
        made.notices, made.backends = notices, [node.rpc for node in nodes]
        return made

    return make


def without_events(answer) -> None:
    for result in answer.tx_results:
        del result.events[:]


def test_a_node_that_lies_in_this_form_alone_is_dropped(several, busy):
    made = several(3)
    made.backends[0].change = without_events
    made.call("abci_info")
    made.backends[2].calls.clear()
    made.call("block", height=str(busy))
    assert made.dropped == {"x": f"its results of block {busy} differ from those of most nodes"}


def test_a_node_that_lies_in_a_header_is_dropped(several, busy):
    def spoil(method, params, answer):
        if method != "header":
            return answer
        return {"header": answer["header"] | {"app_hash": "AB" * 32}}

    made = several(3)
    made.backends[0].spoil = spoil
    made.call("abci_info")
    made.backends[2].calls.clear()
    told = made.call("header", height=str(busy))["header"]["app_hash"]
    assert told != "AB" * 32
    assert set(made.dropped) == {"x"}


def test_of_two_nodes_it_is_told(several, busy):
    made = several(2)
    made.backends[1].change = without_events
    made.call("block", height=str(busy))
    assert [(each.node, each.happening) for each in made.notices] == [("x", Happening.DIFFERS)]


@pytest.mark.parametrize("other", [0, 1])
def test_a_node_that_tells_json_alone_says_the_same(several, busy, other):
    made = several(2)
    made.backends[other].response = {"code": 6, "codespace": "sdk"}
    made.call("block", height=str(busy))
    assert (made.dropped, made.notices) == ({}, [])
    assert [len(each.asked) for each in made.backends] == [2 if at == other else 1 for at in (0, 1)]


def test_it_is_told_too_where_one_of_them_tells_json_alone(several, busy):
    made = several(2)
    made.backends[0].response = {"code": 6, "codespace": "sdk"}
    made.backends[1].change = without_events
    made.call("block", height=str(busy))
    assert [(each.node, each.happening) for each in made.notices] == [("x", Happening.DIFFERS)]


def test_a_pool_asks_in_the_form_that_its_readers_believe():
    made = RpcPool.over(["http://127.0.0.1:1", "http://127.0.0.1:2"], config=DAEMON)
    assert [(node.unread, node.compact.without) for node in made.nodes] == [(UNREAD, UNREAD)] * 2
    for config in (RpcConfig(unread=UNREAD), DAEMON._replace(node_queries=None)):
        (plain,) = RpcPool.over(["http://127.0.0.1:1"], config=config).nodes
        assert (plain.unread, plain.compact) == (UNREAD, None)


def test_events_of_blocks_that_nobody_reads_are_left_out_of_the_comparison(several, busy):
    def spoil(method, _params, answer):
        told = [{"type": kind, "attributes": []} for kind in ("tick", "transfer")]
        return answer | {"finalize_block_events": told} if method == "block_results" else answer

    made = several(2)
    made.backends[0].response = {"code": 6, "codespace": "sdk"}
    made.backends[0].spoil = spoil
    made.backends[1].change = lambda answer: answer.events.add(type="tick")
    made.call("block", height=str(busy))
    assert (made.dropped, made.notices) == ({}, [])


# -- a relayer without these queries, and without any extra of an endpoint


class Plain(EndpointWrapper):
    """Endpoint that does what every chain can, and nothing more."""

    def _call(self, name, run):
        return run()


class Noting(Backend):
    """Node that makes a block for each transaction, and notes the paths of ABCI queries."""

    def __init__(self, chain) -> None:
        super().__init__(chain)
        self.paths = set()

    def call(self, method, **params):
        self.paths.add(params.get("path", ""))
        answer = super().call(method, **params)
        if method == "broadcast_tx_sync":
            self.chain.make_block()
        return answer


@pytest.mark.parametrize("is_plain", [True, False], ids=["plain", "with extras"])
@pytest.mark.parametrize("queries", [None, NodeQueries], ids=["standard", "of pyibc"])
def test_packets_are_relayed_timed_out_and_acknowledged_with_and_without_them(chains, queries, is_plain):  # noqa: F811
    nodes = [Noting(party.chain) for party in (chains.a, chains.b)]
    ends = []
    for party, node in zip((chains.a, chains.b), nodes, strict=True):
        config = RpcConfig(
            node_queries=queries,
            reads_all=True,
            parallel=1,
            sleep=lambda _s, chain=party.chain: chain.make_block(),
        )
        end = RpcEndpoint(node, party.users["relayer"], config=config)
        ends.append(Plain(end) if is_plain else end)
    path = make_path(*ends, "transfer", Order.UNORDERED, "ics20-1")
    receiver, soon = chains.b.address("bob"), chains.b.chain.tip().height + 1
    sent = [transfer(chains.a, "alice", path.a, "stake", 5, receiver) for _ in range(2)]
    sent.append(
        transfer(chains.a, "alice", path.a, "stake", 5, receiver, until=height_on("chain-b-1", soon + 1))
    )
    assert chains.a.execute("alice", *sent).code == 0
    for _ in range(3):
        chains.b.chain.make_block()
    done = relay(path, *ends, options=Options(sleep=lambda _s: chains.b.chain.make_block()))
    assert (done.delivered, done.acknowledged, done.timed_out, done.given_up) == (2, 2, 1, {})
    asked = {each for node in nodes for each in node.paths if each.startswith("/pyibc.node.v1")}
    served = {BLOCK_RESULTS, ESTIMATE_GAS} | (set() if is_plain else {PROOFS})
    assert asked == (set() if queries is None else served)


def test_one_module_knows_the_queries_and_one_loads_it():
    """Without this module, the relayer lacks one field of `RpcConfig`."""
    root = Path(pyibc.relayer.__file__).parent
    sources = {file.relative_to(root).as_posix(): file.read_text() for file in root.rglob("*.py")}
    loads = r"^from pyibc\.relayer\.rpc(\.| import )node_queries"
    knows = {name for name, text in sources.items() if "pyibc.proto.pyibc.node" in text}
    assert knows == {"rpc/node_queries.py"}
    loading = {name for name, text in sources.items() if re.search(loads, text, re.MULTILINE)}
    assert loading == {"rpc/client.py"}
