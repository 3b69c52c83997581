"""ibc-go's node and ours, asked the same by gRPC: the same status, and the same fields set in the answer.

Where they differ, the row says how; docs/grpc.md has the reasons, by the words that stand here.
"""

import json
from contextlib import ExitStack
from typing import NamedTuple

import pytest
from google.protobuf import message_factory
from google.protobuf.message import Message

from conformance.peers.grpc_cases import CASE_GROUPS, HEIGHT, OK
from pyibc.core.client_v2 import MsgRegisterCounterparty
from pyibc.core.coin import coin
from pyibc.core.packet_v2.messages import MsgSendPacket
from pyibc.core.packet_v2.types import Payload
from pyibc.core.wire.message import pack_msg
from pyibc.proto.pool import POOL
from pyibc.relayer.rpc.client import HttpRpc

grpc = pytest.importorskip("grpc", reason="grpcio is not installed (extra `node`)")
pytestmark = pytest.mark.interop

SAME = frozenset(
    {
        *("sequences", "next_sequence_receive", "next_sequence_send", "received", "sequence", "total"),
        *("escrow_address", "hash", "base", "status", "state", "ordering", "version", "allowed_clients"),
        *("max_expected_time_per_block", "send_enabled", "receive_enabled"),
    }
)
"""Fields of IBC's answers that have one value on both chains, which have done the same."""


def shape(message, prefix="", values=frozenset()):
    """Paths of the fields that are set; those named in `values` with what they hold."""
    found = set()
    for field, value in message.ListFields():
        name = prefix + field.name
        found.add(f"{name}={value}" if field.name in values and field.message_type is None else name)
        if field.message_type is not None:
            for each in [value] if isinstance(value, Message) else value:
                found |= shape(each, name + ".", values)
    return found


class Answer(NamedTuple):
    status: str
    fields: frozenset[str]
    told_height: bool
    text: str


class Server:
    """One node's gRPC server."""

    def __init__(self, url):
        self.channel = grpc.insecure_channel(url.removeprefix("http://"))

    def ask(self, ask):
        service, name = ask.path[1:].split("/")
        method = POOL.FindServiceByName(service).FindMethodByName(name)
        asked, answered = map(message_factory.GetMessageClass, (method.input_type, method.output_type))
        raw = ask.fields if isinstance(ask.fields, bytes) else asked(**ask.fields).SerializeToString()
        call_it = self.channel.unary_unary(ask.path).with_call
        try:
            answer, call = call_it(raw, metadata=ask.metadata, timeout=30)
        except grpc.RpcError as error:
            return Answer(error.code().name, frozenset(), self.told(error), error.details())
        values = SAME if ask.path.startswith("/ibc.") else frozenset()
        if "ConsensusState" in ask.path:
            values -= {"total"}  # headers are as many as the relayer brought
        return Answer(OK, frozenset(shape(answered.FromString(answer), "", values)), self.told(call), "")

    @staticmethod
    def told(call):
        return any(key == HEIGHT for key, _ in call.initial_metadata() or ())


TWICE = [0, 0]


def send_v2(chain, other):
    """A packet of IBC v2 over the clients of the path; codes of what it takes."""
    relayer, alice = chain.address("relayer"), chain.address("alice")
    counterparty = MsgRegisterCounterparty("07-tendermint-0", (b"ibc", b""), "07-tendermint-0", relayer)
    data = {"denom": "stake", "amount": "5", "sender": alice, "receiver": other.address("bob"), "memo": ""}
    payload = Payload("transfer", "transfer", "ics20-1", "application/json", json.dumps(data).encode())
    until = chain.as_user("relayer").tip().time_ns // 10**9 + 3_600
    packet = MsgSendPacket("07-tendermint-0", until, (payload,), alice)
    register = pack_msg(counterparty)
    send = pack_msg(packet)
    return [chain.submit("relayer", [register]).code, chain.submit("alice", [send]).code]


@pytest.fixture(scope="module")
def pair_of_two(open_pair, tmp_path_factory):
    """Each has sent five packets and received three, and sent one of IBC v2."""
    with ExitStack() as stack:
        pair = open_pair(stack, tmp_path_factory.mktemp("same"), "comet-go")
        path = pair.open()
        for amounts in ((10, 11, 12), (13, 14)):
            for chain, end, other in ((pair.a, path.a, pair.b), (pair.b, path.b, pair.a)):
                for amount in amounts:
                    sent = chain.transfer("alice", end, coin("stake", amount), other.address("bob"))
                    assert chain.submit("alice", [sent]).code == 0
            if len(amounts) == 3:
                pair.relay(path)
        for chain, other in ((pair.a, pair.b), (pair.b, pair.a)):
            assert send_v2(chain, other) == TWICE
        yield pair


@pytest.fixture(scope="module")
def servers(pair_of_two):
    made = [Server(chain.grpc) for chain in (pair_of_two.a, pair_of_two.b)]
    yield made
    for server in made:
        server.channel.close()


@pytest.fixture(scope="module")
def rpcs(pair_of_two):
    made = [HttpRpc(chain.url) for chain in (pair_of_two.a, pair_of_two.b)]
    yield made
    for rpc in made:
        rpc.close()


@pytest.mark.parametrize("group", CASE_GROUPS, ids=[group.__name__ for group in CASE_GROUPS])
def test_the_same_answers(servers, group):
    wrong = []
    for ask in group():
        ours, go = [server.ask(ask) for server in servers]
        same = (ours.status, ours.fields) == (go.status, go.fields)
        expected = (
            ask.differs is None if same else ask.differs and ask.differs[:2] == (ours.status, go.status)
        )
        if not expected:
            fields = sorted(ours.fields - go.fields), sorted(go.fields - ours.fields)
            wrong.append((ask, (ours.status, ours.text[:90]), (go.status, go.text[:90]), fields))
        elif same and ours.status == OK and ours.told_height != go.told_height:
            wrong.append((ask, ours.told_height, go.told_height))
    assert wrong == [], "\n".join(map(str, wrong))


ABCI = (
    # path, data, more; code of ours, of ibc-go's
    ("/store/ibc/key", b"clients/07-tendermint-0/clientState", {"prove": True}, "/0", "/0"),
    ("/store/ibc/key", b"nothing", {"prove": True}, "/0", "/0"),
    ("/store/ibc/key", b"nothing", {}, "/0", "/0"),
    ("/store/ibc/key", b"nothing", {"height": "2", "prove": True}, "/0", "/0"),
    ("store/ibc/key", b"nothing", {}, "/0", "/0"),
    ("/store/ibc/key", b"", {}, "sdk/18", "store/3"),
    ("/store/ibc/key", b"", {"prove": True}, "sdk/18", "store/7"),
    ("/store/ibc/key", b"x", {"height": "99999999"}, "sdk/26", "/0"),
    ("/store/ibc/key", b"x", {"height": "99999999", "prove": True}, "sdk/26", "store/7"),
    ("/store/none/key", b"x", {}, "sdk/6", "store/4"),
    ("/store/ibc/none", b"x", {}, "sdk/6", "store/4"),
    ("", b"x", {}, "sdk/6", "sdk/6"),
    ("/", b"x", {}, "sdk/6", "sdk/6"),
    ("/custom/x", b"", {}, "sdk/6", "sdk/6"),
    ("/app/none", b"", {}, "sdk/6", "sdk/6"),
    ("/p2p/filter/addr/127.0.0.1:1", b"", {}, "/0", "/0"),
    ("/p2p/none", b"", {}, "sdk/6", "sdk/6"),
    ("/cosmos.bank.v1beta1.Query/Params", b"", {}, "/0", "/0"),
    ("/cosmos.bank.v1beta1.Query/Params", b"", {"height": "2"}, "/0", "/0"),
    ("/cosmos.bank.v1beta1.Query/Params", b"", {"height": "99999999"}, "sdk/26", "sdk/26"),
    ("/cosmos.bank.v1beta1.Query/None", b"", {}, "sdk/6", "sdk/6"),
    ("/none.X/Y", b"", {}, "sdk/6", "sdk/6"),
    ("/cosmos.bank.v1beta1.Query/Balance", b"\xff", {}, "sdk/18", "sdk/18"),
    ("/cosmos.bank.v1beta1.Query/Balance", b"", {}, "sdk/18", "sdk/18"),
    ("/ibc.core.client.v1.Query/ClientState", b"\x0a\x0f07-tendermint-9", {}, "sdk/22", "sdk/22"),
    ("/ibc.core.client.v1.Query/ClientState", b"\x0a\x01x", {}, "sdk/18", "sdk/18"),
    ("/cosmos.tx.v1beta1.Service/Simulate", b"", {}, "sdk/18", "sdk/18"),
    ("/cosmos.tx.v1beta1.Service/GetTx", b"", {}, "sdk/6", "sdk/18"),
)


@pytest.mark.parametrize(("path", "data", "more", "ours", "go"), ABCI)
def test_abci_query(rpcs, path, data, more, ours, go):
    found = []
    for rpc in rpcs:
        said = rpc.call("abci_query", path=path, data=data.hex(), **more)["response"]
        found.append(f"{said['codespace']}/{said['code']}")
        if more.get("prove") and not said["code"]:
            assert [op["type"] for op in said["proofOps"]["ops"]] == ["ics23:iavl", "ics23:simple"]
        if not said["code"]:
            assert bool(said["log"]) is (path.startswith("/store") and "99999999" in more.values())
    assert found == [ours, go]
