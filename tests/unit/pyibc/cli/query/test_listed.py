"""`pyibc query account`, and the lists of clients, connections and channels."""

from base64 import b64encode

import pytest

from pyibc.core.channel.types import Order
from pyibc.proto.cosmos.auth.v1beta1.query_pb2 import QueryAccountResponse
from pyibc.proto.google.protobuf.any_pb2 import Any
from pyibc.relayer.errors import EndpointRefused
from pyibc.relayer.money.account import ACCOUNT
from tests.unit.pyibc.cli.query.conftest import A, B, run, shown

LOCALHOST = "09-localhost"
"""Client of the connection that every chain has to itself."""


@pytest.fixture
def path(net):
    return net.open("transfer", Order.UNORDERED, "ics20-1")


def test_an_account_is_shown_with_number_and_sequence(net):
    alice = net.a.address("alice")
    row = shown("account", alice, "--node", A)
    assert row["@type"] == "/cosmos.auth.v1beta1.BaseAccount"
    assert row["address"] == alice
    text = run("account", alice, "--node", A).stdout.splitlines()
    assert text[0] == f"address:   {alice}"
    assert text[2:] == [f"number:    {row['account_number']}", "sequence:  0"]


def test_an_account_that_is_not_there_has_an_exit_code_of_its_own(net):
    nobody = net.a.users["bob"].from_seed("nobody", "cosmos").address.text
    done = run("account", nobody, "--node", A)
    assert (done.exit_code, done.stdout) == (4, "")
    assert done.stderr.startswith(f"error: chain-a-1 has no account {nobody}. ")


def test_an_account_of_a_module_has_no_sequence(net):
    packed = Any(type_url="/cosmos.auth.v1beta1.ModuleAccount")
    answer = QueryAccountResponse(account=packed).SerializeToString()
    call = net.nodes[A].call

    def module(method, **params):
        if params.get("path") == ACCOUNT:
            return {"response": {"code": 0, "value": b64encode(answer).decode(), "height": "1"}}
        return call(method, **params)

    net.nodes[A].call = module
    done = run("account", net.a.address("bob"), "--node", A)
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, "sequence:  none: it cannot sign")


def test_a_refusal_of_another_kind_is_not_a_missing_account(net):
    call, refused = net.nodes[A].call, EndpointRefused("chain-a-1", "Account", "sdk/6 unknown query path")

    def refuse(method, **params):
        if method == "abci_query":
            raise refused
        return call(method, **params)

    net.nodes[A].call = refuse
    done = run("account", net.a.address("bob"), "--node", A)
    assert (done.exit_code, done.stderr) == (1, f"error: {refused}\n")


def test_clients_connections_and_channels_are_listed_and_shown(net, path):
    end, far = path.b, path.a
    (client,) = shown("clients", "--node", B)
    assert (client["client_id"], client["client_state"]["chain_id"]) == (end.client_id, "chain-a-1")
    one = shown("client", end.client_id, "--node", B)
    assert one == client | {"status": "Active"}
    assert run("client", end.client_id, "--node", B).stdout.startswith(f"{end.client_id}: chain-a-1 at 1-")
    listed = shown("connections", "--node", B)
    (connection,) = (each for each in listed if each["client_id"] != LOCALHOST)
    assert (connection["id"], connection["client_id"]) == (end.connection_id, end.client_id)
    assert shown("connection", end.connection_id, "--node", B)["id"] == end.connection_id
    ids = f"{end.connection_id} over {end.client_id} -> {far.connection_id} over {far.client_id}"
    for words in (("connections",), ("connection", end.connection_id)):
        assert f"{ids}: STATE_OPEN" in run(*words, "--node", B).stdout.splitlines()
    (channel,) = shown("channels", "--node", B)
    assert (channel["port_id"], channel["channel_id"]) == end.name
    line = f"transfer/{end.channel_id} over {end.connection_id} -> transfer/{far.channel_id}: STATE_OPEN"
    assert run("channels", "--node", B).stdout == f"{line}, ORDER_UNORDERED\n"


@pytest.mark.parametrize("kind", ["clients", "channels"])
def test_a_chain_without_any_says_so(net, kind):
    assert shown(kind, "--node", A) == []
    assert run(kind, "--node", A).stdout == f"chain-a-1 has no {kind}\n"


@pytest.mark.parametrize(("kind", "name"), [("client", "07-tendermint-9"), ("connection", "connection-9")])
def test_what_is_not_there_has_an_exit_code_of_its_own(net, kind, name):
    done = run(kind, name, "--node", A)
    assert (done.exit_code, done.stdout) == (4, "")
    assert done.stderr.startswith(f"error: chain-a-1 has no {kind} {name}. `pyibc query {kind}s` lists them")
