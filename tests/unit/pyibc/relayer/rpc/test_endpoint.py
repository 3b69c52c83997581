"""RPC endpoint against a scripted node: refusals, lost responses, pages, times."""

import json
from base64 import b64decode, b64encode
from collections import defaultdict

import pytest

from light_client.tendermint.comet_json import write_validator
from light_client.tendermint.types import ED25519, validator
from pyibc.codec.anys import AnyMessage
from pyibc.proto.cosmos.auth.v1beta1 import auth_pb2, query_pb2
from pyibc.proto.tendermint.types import validator_pb2
from pyibc.relayer.chain.simulation import SIMULATE
from pyibc.relayer.chain.values import Query
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer
from pyibc.relayer.money.account import GasConfig, ask_account
from pyibc.relayer.money.fees import GasPrice
from pyibc.relayer.rpc.calls import Rpc
from pyibc.relayer.rpc.client import RpcConfig
from pyibc.relayer.rpc.endpoint import RpcEndpoint
from pyibc.relayer.rpc.node_queries import ESTIMATE_GAS
from pyibc.relayer.rpc.reading import fetch_validators

QUICK = RpcConfig(inclusion_s=0.3, poll_s=0.1, sleep=lambda _seconds: None)
MESSAGE = AnyMessage("/a.B", b"c")


class Signer:
    address = type("Address", (), {"text": "cosmos1me"})

    def sign_tx(self, messages, **more) -> bytes:
        return json.dumps([len(messages), more["sequence"], more["gas_limit"], more["fee"]]).encode()


class Node(Rpc):
    """RPC client with scripted responses per method; the last one repeats."""

    def __init__(self, **script) -> None:
        status = {"node_info": {"network": "n-3", "version": "0.38.17"}}
        self.script = {"status": [status], "consensus_params": [refused("not served")], **script}
        self.calls = []

    def call(self, method, **params):
        if params.get("path") in {SIMULATE, ESTIMATE_GAS}:
            raise refused("unknown query path")
        self.calls.append((method, params))
        answers = self.script[method]
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def account(sequence: int):
    base = auth_pb2.BaseAccount(address="cosmos1me", account_number=4, sequence=sequence)
    response = query_pb2.QueryAccountResponse()
    response.account.type_url = "/cosmos.auth.v1beta1.BaseAccount"
    response.account.value = base.SerializeToString()
    return {"response": {"value": b64encode(response.SerializeToString()).decode()}}


def refused(reason: str) -> EndpointRefused:
    return EndpointRefused("n-3", "m", reason)


OK = {"code": 0, "log": "", "data": "", "hash": ""}


class Chain(Node):
    """Node without an index that commits a block with each height query."""

    def __init__(self, *, takes: bool = True, **script) -> None:
        super().__init__(**script)
        self.takes = takes
        self.blocks = defaultdict(list)
        self.height = 5

    def call(self, method, **params):
        if method == "abci_info":
            self.calls.append((method, params))
            self.height += 1
            return {"response": {"last_block_height": str(self.height)}}
        if method in {"block", "block_results"}:
            self.calls.append((method, params))
            return getattr(self, method)(int(params["height"]))
        if method == "broadcast_tx_sync" and self.takes:
            self.blocks[self.height + 2] = ["b3RoZXI=", params["tx"]]
        if method == "tx":
            raise refused("transaction indexing is disabled")
        return super().call(method, **params)

    def block(self, height):
        header = {"chain_id": "n-3", "height": str(height), "time": "2026-11-21T08:24:40Z"}
        return {
            "block_id": {"hash": "AB" * 32},
            "block": {"header": header, "data": {"txs": self.blocks[height]}},
        }

    def block_results(self, height):
        codes = range(len(self.blocks[height]) - 1, -1, -1)  # that of another transaction fails
        results = [{"code": code, "events": [], "data": None, "gas_used": str(7 + code)} for code in codes]
        return {"height": str(height), "txs_results": results, "finalize_block_events": []}


def test_transaction_until_it_is_in_a_block() -> None:
    node = Chain(abci_query=[account(9)], broadcast_tx_sync=[OK])
    endpoint = RpcEndpoint(node, Signer(), config=QUICK, gas=GasConfig(price=GasPrice.parse("0.001stake")))
    outcome = endpoint.submit([MESSAGE, MESSAGE])
    assert (outcome.code, outcome.gas_used) == (0, 7)
    assert json.loads(outcome.tx) == [2, 9, 1_800_000, [["stake", 1800, "1800stake"]]]
    endpoint.submit([MESSAGE])
    sent = [params["tx"] for method, params in node.calls if method == "broadcast_tx_sync"]
    assert [json.loads(b64decode(raw))[1] for raw in sent] == [9, 10]
    methods = [method for method, _ in node.calls]
    assert methods.count("abci_query") == 1
    assert methods.count("block_results") == 2  # of the blocks that hold one of them
    heights = [int(params["height"]) for method, params in node.calls if method == "block"]
    assert sorted(set(heights)) == heights  # each block is read once


def block_gas(told):
    return {"consensus_params": {"block": {"max_bytes": "22020096", "max_gas": told}}}


@pytest.mark.parametrize(
    ("told", "gas"),
    [
        (block_gas("1100000"), 1_100_000),
        (block_gas(1_100_000), 1_100_000),
        (block_gas("-1"), 1_400_000),  # no maximum
        (block_gas("x"), 1_400_000),
        ({}, 1_400_000),
        (EndpointUnavailable("n-3", "HTTP status 403"), 1_400_000),
    ],
)
def test_gas_is_at_most_that_of_a_block_of_the_chain(told, gas) -> None:
    node = Chain(abci_query=[account(9)], broadcast_tx_sync=[OK], consensus_params=[told])
    outcome = RpcEndpoint(node, Signer(), config=QUICK).submit([MESSAGE])
    assert json.loads(outcome.tx)[2] == gas


def test_a_height_that_was_told_a_moment_ago_is_not_asked_for_before_a_transaction() -> None:
    node = Chain(abci_query=[account(9)], broadcast_tx_sync=[OK])
    clock = [100.0]
    config = QUICK._replace(clock=lambda: clock[0])
    endpoint = RpcEndpoint(node, Signer(), config=config)
    for wait_s, first in ((0.5, "abci_query"), (1.5, "abci_info")):
        endpoint.last_height()
        clock[0] += wait_s
        node.calls.clear()
        endpoint.submit([MESSAGE])
        assert next(method for method, _ in node.calls if method != "broadcast_tx_sync") == first
        node.script["abci_query"] = [account(10)]
        endpoint._accounts._accounts[0].forget()


def test_how_far_blocks_were_read_is_told_until_it_is_forgotten() -> None:
    node = Chain(abci_query=[account(9)], broadcast_tx_sync=[OK])
    endpoint = RpcEndpoint(node, Signer(), config=QUICK)
    assert endpoint.highest_block == 0
    endpoint.submit([MESSAGE])
    included = max(height for height, txs in node.blocks.items() if txs)
    assert endpoint.highest_block == included
    endpoint.block(2)
    assert endpoint.highest_block == included
    endpoint.extras.forget()
    assert endpoint.highest_block == 0


def test_the_next_height_is_told_once_it_is_there() -> None:
    node = Chain()
    endpoint = RpcEndpoint(node, Signer(), config=QUICK)
    known = endpoint.last_height()
    assert endpoint.height_after(known) == known + 1


def test_a_node_that_does_not_have_the_block_yet_is_asked_again() -> None:
    node = Chain(abci_query=[account(9)], broadcast_tx_sync=[OK])
    lags = [refused("height 8 must be less than or equal to the current blockchain height 7")]
    answer = node.block

    def lagging(height):
        if lags and height == 8:
            raise lags.pop()
        return answer(height)

    node.block = lagging
    assert RpcEndpoint(node, Signer(), config=QUICK).submit([MESSAGE]).gas_used == 7
    assert lags == []


def test_gas_grows_with_what_messages_hold() -> None:
    terms = GasConfig()
    assert terms.gas([MESSAGE]) == 1_400_000
    assert terms.gas([MESSAGE, AnyMessage("/a.B", bytes(100_000))]) == 6_000_060
    assert terms.gas([AnyMessage("/a.B", bytes(10_000_000))]) == terms.limit


def test_wrong_sequence_is_an_outcome_and_asked_for_anew() -> None:
    mismatch = {"code": 32, "codespace": "sdk", "log": "account sequence mismatch, expected 12, got 9"}
    node = Chain(abci_query=[account(9), account(12)], broadcast_tx_sync=[mismatch, OK])
    endpoint = RpcEndpoint(node, Signer(), config=QUICK)
    assert (endpoint.submit([MESSAGE]).codespace, endpoint.submit([MESSAGE]).code) == ("sdk", 0)
    sequences = [json.loads(b64decode(p["tx"]))[1] for m, p in node.calls if "tx" in p]
    assert sequences == [9, 12]


@pytest.mark.parametrize(
    "answer", [refused("tx already exists in cache"), {"code": 19, "codespace": "sdk", "log": "in mempool"}]
)
def test_transaction_sent_before_is_waited_for(answer) -> None:
    node = Chain(abci_query=[account(1)], broadcast_tx_sync=[answer])
    assert RpcEndpoint(node, Signer(), config=QUICK).submit([MESSAGE]).code == 0


def test_transaction_that_no_block_takes() -> None:
    node = Chain(takes=False, abci_query=[account(1), account(1)], broadcast_tx_sync=[OK])
    endpoint = RpcEndpoint(node, Signer(), config=QUICK)
    with pytest.raises(EndpointUnavailable, match=r"no block with [0-9A-F]{64} within 0.3 s"):
        endpoint.submit([MESSAGE])
    assert [int(params["height"]) for method, params in node.calls if method == "block"] == [7, 8, 9]
    node.takes = True
    assert endpoint.submit([MESSAGE]).code == 0
    assert [method for method, _ in node.calls].count("abci_query") == 2


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        ("Internal error mempool is full: number of txs 5000 (max: 5000), total txs bytes 9 (max: 10)", 20),
        ("Internal error Tx too large. Max size is 1048576, but got 2097152", 21),
        ("Invalid Request error reading request body: http: request body too large", 21),
        ("HTTP status 413", 21),
    ],
)
def test_what_precedes_check_tx_has_the_code_of_the_sdk_s_client(reason, code) -> None:
    node = Chain(takes=False, abci_query=[account(1)], broadcast_tx_sync=[refused(reason)])
    outcome = RpcEndpoint(node, Signer(), config=QUICK).submit([MESSAGE])
    assert (outcome.codespace, outcome.code, outcome.log) == ("sdk", code, reason)


def test_any_other_refused_broadcast_is_unavailable() -> None:
    node = Chain(takes=False, abci_query=[account(1)], broadcast_tx_sync=[refused("Internal error EOF")])
    with pytest.raises(EndpointUnavailable, match="EOF"):
        RpcEndpoint(node, Signer(), config=QUICK).submit([MESSAGE])


def test_refused_query() -> None:
    node = Node(abci_query=[{"response": {"code": 6, "log": "unknown query path", "value": None}}])
    with pytest.raises(EndpointRefused, match="6 unknown query path"):
        RpcEndpoint(node, Signer(), config=QUICK).grpc("/a.B/C", b"")


def test_foreign_account_is_refused() -> None:
    node = Chain(abci_query=[account(1)])
    signer = Signer()
    signer.address = type("Address", (), {"text": "cosmos1other"})
    with pytest.raises(EndpointRefused, match="the response is for account 'cosmos1me'"):
        RpcEndpoint(node, signer, config=QUICK).submit([MESSAGE])


def test_wait_polls_and_gives_up() -> None:
    info = [{"response": {"last_block_height": str(h)}} for h in (4, 5, 6)]
    endpoint = RpcEndpoint(Node(abci_info=info), Signer(), config=QUICK)
    endpoint.wait(6)
    with pytest.raises(EndpointUnavailable, match="no block 7 within"):
        endpoint.wait(7)


def test_absent_value_has_its_proof() -> None:
    node = Node(abci_query=[{"response": {"code": 0, "height": "8", "value": None, "proofOps": None}}])
    endpoint = RpcEndpoint(node, Signer(), config=QUICK)
    assert endpoint.get(b"k") is None
    with pytest.raises(MalformedAnswer, match="no proof"):
        endpoint.prove(b"k", 8)


def test_malformed_block() -> None:
    header = {"chain_id": "n-3", "height": "4", "time": "2026-11-21T08:24:40.42Z"}
    node = Node(block=[{"block": {"header": header, "data": {"txs": None}}}], block_results=[{}])
    with pytest.raises(MalformedAnswer, match="txs_results"):
        RpcEndpoint(node, Signer(), config=QUICK).block(4)


SENT = ("send_packet", (("packet_sequence", "7"), ("packet_data_hex", "7b7d"), ("note", "é")))
HEADER = {"chain_id": "n-3", "height": "4", "time": "2026-11-21T08:24:40.42Z"}
BLOCK = {"block_id": {"hash": "AB" * 32}, "block": {"header": HEADER, "data": {"txs": []}}}


def results_of(*events, encoded):
    """Return the results of block 4 as nodes before CometBFT 0.37, or later ones, write them."""

    def text(value):
        return b64encode(value.encode()).decode() if encoded else value

    written = [
        {"type": kind, "attributes": [{"key": text(key), "value": text(value)} for key, value in pairs]}
        for kind, pairs in events
    ]
    name = "begin_block_events" if encoded else "finalize_block_events"
    return {"height": "4", "txs_results": None, name: written}


@pytest.mark.parametrize("version", ["0.34.24", "0.34", "0.35.0-unreleased", "1.11.0", "0.38.17", ""])
@pytest.mark.parametrize("encoded", [True, False])
def test_an_answer_itself_tells_whether_attributes_are_base64(version, encoded) -> None:
    """Regression: the node's version told it, once: of other numbers no packet was seen."""
    status = {"node_info": {"network": "n-3", "version": version}}
    answers = [results_of(SENT, encoded=form) for form in (encoded, not encoded)]  # upgraded in between
    node = Node(status=[status], block=[BLOCK, BLOCK], block_results=answers)
    chain = RpcEndpoint(node, Signer(), config=QUICK)
    assert chain.block(4).block_events == (SENT,)
    chain.extras.forget()
    assert chain.block(4).block_events == (SENT,)


@pytest.mark.parametrize("encoded", [True, False])
def test_keys_that_a_contract_chooses_do_not_change_how_a_block_is_read(encoded) -> None:
    chosen = [b64encode(f"key {number}".encode()).decode() for number in range(1_000)]
    chosen += [f"ключ{number}" for number in range(1_000)] if encoded else []
    contract = ("wasm-any", (("_contract_address", "n1x"), *((key, "1") for key in chosen)))
    answers = [results_of(*events, encoded=encoded) for events in ((contract, SENT), (contract,))]
    chain = RpcEndpoint(Node(block=[BLOCK] * 2, block_results=answers), Signer(), config=QUICK)
    assert chain.block(4).block_events == (contract, SENT)
    chain.extras.forget()
    assert chain.block(4).block_events == (contract,)


def test_node_that_is_none() -> None:
    with pytest.raises(MalformedAnswer, match="status"):
        RpcEndpoint(Node(status=[{}]), Signer(), config=QUICK)


@pytest.mark.parametrize("answer", [{}, {"response": None}, {"response": {"value": "%"}}, {"response": {}}])
def test_malformed_queries(answer) -> None:
    endpoint = RpcEndpoint(Node(abci_query=[answer]), Signer(), config=QUICK)
    for ask in (
        lambda: endpoint.get(b"k"),
        lambda: endpoint.prove(b"k", 3),
        lambda: endpoint.grpc("/p", b""),
    ):
        with pytest.raises(MalformedAnswer):
            ask()


def test_validators_in_pages() -> None:
    validators = [validator(ED25519, n.to_bytes(32, "big"), 3, priority=-n) for n in range(150)]
    members = [write_validator(each) for each in validators]
    pages = [{"validators": members[:100], "total": "150"}, {"validators": members[100:], "total": "150"}]
    block_id = {"hash": "", "parts": {"total": 0, "hash": ""}}
    header = {
        "proposer_address": members[149]["address"],
        "version": {},
        "chain_id": "n-3",
        "height": "5",
        "time": "2026-11-21T08:24:40Z",
        "last_block_id": block_id,
    }
    commit = {"height": "5", "round": 0, "block_id": block_id, "signatures": []}
    node = Node(commit=[{"signed_header": {"header": header, "commit": commit}}], validators=pages)
    block = RpcEndpoint(node, Signer(), config=QUICK).light_block(5)
    read = validator_pb2.ValidatorSet.FromString(block.validators)
    assert [each.address for each in read.validators] == [each.address for each in validators]
    assert {each.proposer_priority for each in read.validators} == {0}
    assert read.proposer.address == read.validators[149].address
    assert [params["page"] for method, params in node.calls if method == "validators"] == ["1", "2"]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ({"tx_search": [{"txs": [{"height": "7"}]}]}, 7),
        (
            {
                "tx_search": [{"txs": []}],
                "block_search": [{"blocks": [{"block": {"header": {"height": "9"}}}]}],
            },
            9,
        ),
        ({"tx_search": [refused("indexing is disabled")], "block_search": [{"blocks": []}]}, None),
        ({"tx_search": [refused("indexing is disabled")], "block_search": [refused("disabled")]}, None),
    ],
)
def test_where_a_packet_event_is_by_the_index(script, expected) -> None:
    node = Node(**script)
    assert RpcEndpoint(node, Signer(), config=QUICK).find(("send_packet", ("p", "c-1"), 5)) == expected
    named = {"packet_src_port": "p", "packet_src_channel": "c-1", "packet_sequence": "5"}
    query = " AND ".join(f"send_packet.{name}='{value}'" for name, value in named.items())
    assert {params["query"] for method, params in node.calls if method.endswith("search")} == {query}


def test_an_index_that_cannot_be_read() -> None:
    node = Node(tx_search=[{"txs": [{"height": "x"}]}])
    with pytest.raises(MalformedAnswer, match="tx_search"):
        RpcEndpoint(node, Signer(), config=QUICK).find(("send_packet", ("07-tendermint-0",), 5))
    assert "send_packet.packet_source_client='07-tendermint-0'" in node.calls[-1][1]["query"]


@pytest.mark.parametrize("total", [float("inf"), float("nan"), 10**30, "many", 1.5, [1]])
def test_h231_pages_of_no_number_are_malformed(total) -> None:
    error = None
    try:
        fetch_validators(Node(validators=[{"validators": [{}], "total": total}]), "n-3", 2)
    except Exception as raised:
        error = raised
    assert isinstance(error, MalformedAnswer)


def test_h231_an_account_that_is_none_is_malformed() -> None:
    """AccountCannotSign would end the relayer, as it needs an operator."""
    with pytest.raises(MalformedAnswer, match="the response has no account"):
        ask_account(Query(lambda *_: b""), "n-3", "address")
