"""Every call that Hermes made of two ibc-go chains, made of ours: each is answered, in the same shape.

Ours is a chain of the localnet with the same names (client, connection, channel), packets received,
acknowledged and still on their way. Accounts, heights and transactions are put in for the recorded ones.
"""

import gzip
import json
import os
import re
from base64 import b64decode, b64encode
from http.client import HTTPConnection
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest

from localnet.rpc.server import RpcServer
from pyibc.core.channel.types import Order
from pyibc.proto.pool import POOL, message_class
from pyibc.testing.pair import Numbers, two_chains
from pyibc.testing.transfers import transfer

grpc = pytest.importorskip("grpc", reason="grpcio is not installed (extra `node`)")

pytestmark = pytest.mark.vectors

SIMULATE = "/cosmos.tx.v1beta1.Service/Simulate"
GET_NODE_INFO = "/cosmos.base.tendermint.v1beta1.Service/GetNodeInfo"

NOT_OURS = {
    # No Go compiler made this node, it has no checksums of Go modules to show, and no peers.
    GET_NODE_INFO: {
        "application_version.go_version",
        "application_version.build_deps.sum",
        "default_node_info.channels",
    },
}
"""Fields of ibc-go's answers that ours lack."""

MORE = {
    # The recorded chain ibc-0 is of revision 0, which is not on the wire; the node sets no gas price.
    "*": {"height.revision_number", "proof_height.revision_number"},
    "/cosmos.base.node.v1beta1.Service/Config": {"minimum_gas_price"},
    "/ibc.core.channel.v1.Query/PacketCommitments @height": {"pagination.next_key"},  # there are more here
    GET_NODE_INFO: {"application_version.build_tags"},
}
"""Fields of ours that ibc-go's answers lack."""


@pytest.fixture(scope="module")
def dump(live_dir):
    folder = Path(os.environ.get("IBC_LIVE_DUMP_DIR", live_dir / "dump"))

    def read(name):
        with gzip.open(folder / name) as file:
            return json.load(file)

    return SimpleNamespace(grpc=read("grpc.json.gz"), rpc=read("rpc.json.gz"))


@pytest.fixture(scope="module")
def world():
    """Two chains; of each, packets 1 to 3 are acknowledged, 4 to 6 sent; both serve gRPC and JSON-RPC."""
    from localnet.grpc.server import serve_grpc
    from localnet.grpc.view import LocalView

    with pytest.MonkeyPatch.context() as patch:  # the recorded chains both began at zero
        patch.setattr(import_module("pyibc.testing.pair"), "SHIFTED", Numbers())
        net = two_chains()
    path = net.open("transfer", Order.UNORDERED, "ics20-1")

    def send(party, other, end):
        return party.execute("alice", transfer(party, "alice", end, "stake", 1, other.address("bob")))

    for party, other, end in ((net.a, net.b, path.a), (net.b, net.a, path.b)):
        for _ in range(3):
            assert send(party, other, end).code == 0
    net.relay(path)
    for _ in range(3):
        send(net.a, net.b, path.a)
        send(net.b, net.a, path.b)
    servers = [RpcServer(party.chain) for party in (net.a, net.b)]
    threads = [server.start(0.01) for server in servers]
    rpcs = [f"tcp://127.0.0.1:{server.server_address[1]}" for server in servers]
    nodes = [
        serve_grpc(LocalView(party.chain, rpc), party.chain.app, 0)
        for party, rpc in zip((net.a, net.b), rpcs, strict=True)
    ]
    yield [
        SimpleNamespace(party=net.a, other=net.b, end=path.a, node=nodes[0], rpc=servers[0]),
        SimpleNamespace(party=net.b, other=net.a, end=path.b, node=nodes[1], rpc=servers[1]),
    ]
    for each in (*nodes, *servers):
        each.stop()
    for thread in threads:
        thread.join()
    net.close()


def shape(message, prefix=""):
    """Names of all fields that are set, of all elements of lists."""
    found = set()
    for field, value in message.ListFields():
        name = prefix + field.name
        found.add(name)
        if field.message_type is not None:
            for each in value if field.is_repeated else [value]:
                found |= shape(each, f"{name}.")
    return found


def kinds(path):
    service, name = path[1:].split("/")
    method = POOL.FindServiceByName(service).methods_by_name[name]
    return message_class(method.input_type.full_name), message_class(method.output_type.full_name)


def signed(side):
    party, wallet = side.party, side.party.users["alice"]
    account = party.chain.app.pending_account(wallet.address.raw)
    return wallet.sign_tx(
        [transfer(party, "alice", side.end, "stake", 1, side.other.address("bob"))],
        chain_id=party.chain.chain_id,
        account_number=account.number,
        sequence=account.sequence,
        gas_limit=10**6,
    )


def ours(side, path, recorded):
    """The recorded request with our account or transaction in it."""
    request = kinds(path)[0].FromString(recorded)
    if "address" in request.DESCRIPTOR.fields_by_name:
        request.address = side.party.address("alice")
    if path == SIMULATE:
        request.tx_bytes = signed(side)
    return request.SerializeToString()


@pytest.fixture(scope="module")
def answered(dump, world):
    """gRPC method -> shapes of the recorded answers, shapes of ours, refusals of ours."""
    found = {}
    for call in dump.grpc:
        path, _, height = call["method"].partition(" ")
        entry = found.setdefault(
            call["method"], SimpleNamespace(path=path, theirs=set(), ours=set(), no=set())
        )
        entry.theirs |= shape(kinds(path)[1].FromString(b64decode(call["response"])))
        for side in world:
            last = str(side.party.chain.height)
            metadata = (("x-cosmos-block-height", last),) if height else ()
            request = ours(side, path, b64decode(call["request"]))
            with grpc.insecure_channel(side.node.address) as channel:
                try:
                    answer, said = channel.unary_unary(path).with_call(request, 10, metadata)
                except grpc.RpcError as error:
                    entry.no.add(f"{error.code()} {error.details()}")
                    continue
            assert dict(said.initial_metadata())["x-cosmos-block-height"] == last
            entry.ours |= shape(kinds(path)[1].FromString(answer))
    return found


def test_every_grpc_method_is_answered(answered):
    assert len(answered) == 13
    assert {method: entry.no for method, entry in answered.items() if entry.no} == {}


def test_every_grpc_answer_has_the_fields_of_the_recorded_ones(answered):
    lacking, more = {}, {}
    for method, entry in answered.items():
        lacking[method] = entry.theirs - entry.ours
        more[method] = entry.ours - entry.theirs - MORE["*"] - MORE.get(method, set())
    assert {method: names for method, names in lacking.items() if names} == {}
    assert {method: names for method, names in more.items() if names} == {}


def ask(side, method, params):
    connection = HTTPConnection("127.0.0.1", side.rpc.server_address[1], timeout=10)
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    connection.request("POST", "/", body, {"Content-Type": "application/json"})
    said = json.loads(connection.getresponse().read())
    connection.close()
    return said


def form(value, prefix=""):
    """Names of all fields, with the kind of each; what is null is nothing."""
    if isinstance(value, dict):
        return {name for key, each in value.items() for name in form(each, f"{prefix}.{key}")}
    if isinstance(value, list):
        return {f"{prefix}[]"} | {name for each in value for name in form(each, f"{prefix}[]")}
    return set() if value is None else {f"{prefix}:{type(value).__name__}"}


def store_key(params):
    return re.sub(r"\d+", "N", bytes.fromhex(params["data"]).decode())


def queries(dump):
    """(path, key with its numbers as N, whether a proof is asked) -> recorded calls."""
    found = {}
    for call in dump.rpc:
        if call["method"] == "abci_query":
            params = call["params"]
            found.setdefault((params["path"], store_key(params), params["prove"]), []).append(call)
    return found


def consensus_key(side):
    """A consensus state that this chain has of the other."""
    entries = side.party.chain.app.store.store("ibc").iterate(b"clients/07-tendermint-0/consensusStates/")
    return next(key for key, _ in entries if key.count(b"/") == 3)


def our_key(side, recorded):
    if b"/consensusStates/" in bytes.fromhex(recorded):
        return [recorded, consensus_key(side).hex()]
    return [recorded]


def query_ours(world, call):
    """Answers of both chains to a recorded query, at the last height that both have proofs of."""
    for side in world:
        params = dict(call["params"])
        if "height" in params:
            params["height"] = str(side.party.chain.height - 1)
        for key in our_key(side, params["data"]):
            yield ask(side, "abci_query", {**params, "data": key})["result"]


def test_every_abci_query_is_answered_in_the_recorded_form(dump, world):
    asked = queries(dump)
    assert len(asked) == 15
    different = {}
    for group, calls in asked.items():
        theirs = {frozenset(form(call["response"]["result"])) for call in calls}
        said = [answer for call in calls for answer in query_ours(world, call)]
        assert {answer["response"]["code"] for answer in said} == {0}, group
        lacking = theirs - {frozenset(form(answer)) for answer in said}
        if lacking:
            different[group] = lacking
    assert different == {}


@pytest.mark.parametrize(
    "path",
    [GET_NODE_INFO, "/cosmos.base.node.v1beta1.Service/Config", "/cosmos.staking.v1beta1.Query/Params"],
)
def test_what_hermes_asks_of_the_node_has_the_recorded_fields(dump, world, path):
    for call in queries(dump)[path, "", False]:
        theirs, said = call["response"]["result"], ask(world[0], "abci_query", call["params"])["result"]
        shapes = [
            shape(kinds(path)[1].FromString(b64decode(each["response"]["value"]))) for each in (theirs, said)
        ]
        assert shapes[0] - shapes[1] == NOT_OURS.get(path, set())
        assert shapes[1] - shapes[0] == MORE.get(path, set())


def rpc_params(side, call):
    """The recorded parameters, with our heights, transactions and hashes."""
    params, chain = dict(call["params"] or {}), side.party.chain
    if "height" in params:
        params["height"] = str(chain.height - 1)
    if call["method"] == "broadcast_tx_sync":
        params["tx"] = b64encode(signed(side)).decode()
    if call["method"] == "tx_search" and "tx.hash" in params["query"]:
        params["query"] = (
            f"tx.hash = '{ask(side, 'tx_search', {'query': 'tx.height > 0'})['result']['txs'][0]['hash']}'"
        )
    elif call["method"] == "tx_search" and "consensus_height" in params["query"]:
        height = consensus_key(side).decode().rpartition("/")[2]
        params["query"] = (
            f"update_client.client_id = '07-tendermint-0' AND update_client.consensus_height = '{height}'"
        )
    return params


METHODS = (
    "abci_info block_search broadcast_tx_sync commit consensus_params"
    " header health status tx_search validators"
)


@pytest.mark.parametrize("method", METHODS.split())
def test_every_other_rpc_method_is_answered_in_the_recorded_form(dump, world, method):
    calls = [call for call in dump.rpc if call["method"] == method]
    theirs, said = set(), set()
    for call in calls:
        theirs |= form(call["response"]["result"])
        for side in world:
            answer = ask(side, method, rpc_params(side, call))
            assert "result" in answer, answer
            said |= form(answer["result"])
    assert theirs - said == set()


def test_no_recorded_method_is_forgotten(dump):
    assert {call["method"] for call in dump.rpc} == {*METHODS.split(), "abci_query", "ws-up", "ws-down"}
