"""The RPC of a chain, asked over HTTP, in CometBFT's shapes."""

import json
from base64 import b64decode, b64encode
from contextlib import suppress
from http.client import HTTPConnection
from socket import create_connection
from threading import Thread
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from light_client.tendermint.comet_json import (
    read_block_id,
    read_commit,
    read_header,
    read_signed_header,
    read_validators,
)
from light_client.tendermint.hashing import header_hash
from light_client.tendermint.types import ABSENT
from light_client.tendermint.verifier import check_commit_of
from localnet.endpoint import LocalEndpoint
from localnet.rpc.server import MAX_BODY, RpcServer
from pyibc.core.host.block import tx_hash
from pyibc.proto.cosmos.bank.v1beta1 import query_pb2


@pytest.fixture
def server(chain):
    server = RpcServer(chain)
    thread = server.start(0.01)
    yield server
    server.stop()
    thread.join()


@pytest.fixture
def ask(server):
    def ask(method, **params):
        body = json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).encode()
        try:
            with urlopen(Request(server.url, body), timeout=10) as answer:
                said = json.load(answer)
        except HTTPError as error:
            with error:
                said = json.load(error)
        assert (said["jsonrpc"], said["id"]) == ("2.0", 7)
        return said.get("result", said.get("error"))

    return ask


def test_status_and_health(chain, ask):
    chain.make_block()
    said = ask("status")
    sync = said["sync_info"]
    assert said["node_info"]["network"] == "chain-1"
    assert (sync["latest_block_height"], sync["earliest_block_height"]) == ("2", "1")
    assert sync["latest_block_hash"] == chain.record(2).block_id.hash.hex().upper()
    assert sync["catching_up"] is False
    assert len(said["node_info"]["id"]) == 40
    assert ask("health") == {}
    assert ask("abci_info")["response"]["last_block_height"] == "2"


def test_commit_and_validators_verify_as_a_light_client_reads_them(chain, ask):
    chain.offline = {chain.keys[1].address}
    chain.make_block()
    said = ask("commit", height="2")
    signed = read_signed_header(said["signed_header"])
    assert said["canonical"] is False
    assert ABSENT in signed.commit.signatures
    first, second = (
        ask("validators", height="2", page="1", per_page="3"),
        ask("validators", height=2, page=2, per_page=3),
    )
    assert (first["count"], second["count"], first["total"]) == ("3", "1", "4")
    members = read_validators(first["validators"] + second["validators"])
    assert members == chain.validators(2).validators
    check_commit_of(signed, "chain-1", chain.validators(2))
    assert header_hash(signed.header) == chain.record(2).block_id.hash


def test_block_and_results(chain, ask, sign):
    raw = sign()
    committed = chain.make_block([raw])
    block, results = ask("block", height="2"), ask("block_results", height="2")
    assert read_header(block["block"]["header"]) == chain.record(2).header
    assert read_block_id(block["block_id"]) == chain.record(2).block_id
    assert [b64decode(tx) for tx in block["block"]["data"]["txs"]] == [raw]
    read_commit(block["block"]["last_commit"])
    (result,) = results["txs_results"]
    assert (result["code"], int(result["gas_used"])) == (0, committed.txs[0].gas_used)
    assert result["events"][0]["attributes"][0]["key"] == "acc_seq"
    assert all(pair["index"] for event in result["events"] for pair in event["attributes"])
    assert b64decode(results["app_hash"]) == committed.app_hash
    assert ask("block_results", height="1")["txs_results"] is None
    assert ask("header")["header"]["height"] == "2"


def test_broadcast_then_find_the_transaction(chain, ask, sign):
    raw = sign()
    said = ask("broadcast_tx_sync", tx=b64encode(raw).decode())
    assert (said["code"], said["hash"]) == (0, tx_hash(raw).hex().upper())
    again = ask("broadcast_tx_sync", tx=b64encode(raw).decode())
    assert (again["codespace"], again["code"]) == ("sdk", 19)
    assert "not found" in ask("tx", hash=b64encode(tx_hash(raw)).decode())["data"]
    chain.make_block()
    found = ask("tx", hash=b64encode(tx_hash(raw)).decode())
    assert (found["height"], found["index"], found["tx_result"]["code"]) == ("2", 0, 0)


def make_when_asked(chain):
    """Makes a block as soon as there is a transaction for it."""
    while not len(chain.mempool):
        pass
    chain.make_block()


def test_broadcast_commit_waits_for_the_block(chain, ask, sign):
    thread = Thread(target=make_when_asked, args=(chain,))
    thread.start()
    said = ask("broadcast_tx_commit", tx=b64encode(sign()).decode())
    thread.join()
    assert (said["height"], said["tx_result"]["code"]) == ("2", 0)
    refused = ask("broadcast_tx_commit", tx=b64encode(sign()).decode())
    assert (refused["check_tx"]["code"], refused["height"]) == (32, "0")


def test_h272_a_commit_is_told_of_the_run_that_it_waited_for(chain, ask, sign):
    """And `tx` and `tx_search` of the executed run, when another has failed since."""
    raw, digest = sign(sequence=1), tx_hash(sign(sequence=1))
    chain.make_block([raw])
    chain.make_block([sign()])
    assert chain.find_tx(digest)[1].code == 32

    thread = Thread(target=make_when_asked, args=(chain,))
    thread.start()
    said = ask("broadcast_tx_commit", tx=b64encode(raw).decode())
    thread.join()
    assert (said["height"], said["tx_result"]["code"]) == ("4", 0)
    assert chain.make_block([raw]).txs[0].code == 32
    told = ask("tx", hash=b64encode(digest).decode())
    searched = ask("tx_search", query=f"tx.hash='{digest.hex()}'")
    assert searched == {"txs": [told], "total_count": "1"}
    assert (told["height"], told["tx_result"]["code"]) == ("4", 0)


def test_h272_a_relayer_is_told_of_the_run_that_it_waited_for(chain, alice, send, sign):
    endpoint = LocalEndpoint(chain, alice, on_demand=False)
    chain.submit(sign())
    raw = endpoint._sign([send()])
    assert chain.make_block([raw]).txs[0].code == 32
    chain.make_block()
    thread = Thread(target=make_when_asked, args=(chain,))
    thread.start()
    outcome = endpoint.submit([send()])
    thread.join()
    assert (outcome.tx, outcome.code) == (raw, 0)


def test_abci_query_of_a_store_and_of_a_grpc_method(chain, ask, alice):
    key = b"\x00stake"
    said = ask("abci_query", path="/store/bank/key", data=key.hex(), height="1", prove=True)["response"]
    assert int.from_bytes(b64decode(said["value"]), "big") == 10**9
    assert [op["type"] for op in said["proofOps"]["ops"]] == ["ics23:iavl", "ics23:simple"]
    assert [b64decode(op["key"]) for op in said["proofOps"]["ops"]] == [key, b"bank"]
    assert said["height"] == "1"
    assert ask("abci_query", path="store/bank/key", data="01")["response"]["value"] is None
    request = query_pb2.QueryBalanceRequest(address=alice.address.text, denom="stake").SerializeToString()
    said = ask("abci_query", path="/cosmos.bank.v1beta1.Query/Balance", data=request.hex())["response"]
    assert query_pb2.QueryBalanceResponse.FromString(b64decode(said["value"])).balance.amount == str(10**9)


@pytest.mark.parametrize(
    ("path", "data", "height", "codespace", "code"),
    [
        ("/store/nothing/key", "01", "0", "sdk", 6),
        ("/store/bank/subspace", "01", "0", "sdk", 6),
        ("/store/bank/key", "", "1", "sdk", 18),
        ("/store/bank/key", "01", "99", "sdk", 26),
        ("/a.b.Query/C", "", "0", "sdk", 6),
        ("/cosmos.bank.v1beta1.Query/Balance", "ff", "0", "sdk", 18),
        ("/cosmos.auth.v1beta1.Query/Account", "", "0", "sdk", 18),
    ],
)
def test_queries_that_are_refused(ask, path, data, height, codespace, code):
    said = ask("abci_query", path=path, data=data, height=height, prove=True)["response"]
    assert (said["codespace"], said["code"]) == (codespace, code)
    assert said["value"] is None


@pytest.mark.parametrize(
    ("method", "params", "code", "text"),
    [
        ("block", {"height": "9"}, -32603, "height 9 must be less than or equal to the current blockchain"),
        ("block", {"height": "-1"}, -32603, "greater than 0"),
        ("block", {"height": "x"}, -32602, "not an integer"),
        ("block", {"height": str(2**63)}, -32602, "int64"),
        ("block", {"height": "\u0661"}, -32602, "not an integer"),
        ("block", {"height": True}, -32602, "not an integer"),
        ("validators", {"page": "2"}, -32603, "within [1, 1]"),
        ("validators", {"height": "3"}, -32603, "less than or equal"),
        ("tx", {"hash": "AAAA"}, -32602, "32 bytes"),
        ("tx", {"hash": "?"}, -32602, "base64"),
        ("abci_query", {"path": 5}, -32602, "not a string"),
        ("abci_query", {"path": "/x", "data": "0g"}, -32602, "not hex"),
        ("abci_query", {"path": "/x", "data": "00 11"}, -32602, "not hex"),
        ("abci_query", {"path": "/x", "prove": "yes"}, -32602, "boolean"),
        ("unsafe_flush_mempool", {}, -32601, "unsafe"),
    ],
)  # fmt: skip
def test_calls_that_are_refused(ask, method, params, code, text):
    said = ask(method, **params)
    assert said["code"] == code
    assert text in said["data"]


@pytest.mark.parametrize(
    ("method", "params", "text"),
    [
        ("abci_query", {"path": "/store/bank/key", "prove": []}, "prove: not a boolean"),
        ("abci_query", {"path": "/store/bank/key", "prove": {}}, "prove: not a boolean"),
        ("abci_query", {"path": "/store/\ud800/key"}, "path: not a string"),
        ("tx_search", {"query": "message.action='\udfff'"}, "query: not a string"),
    ],
)
def test_h76_whatever_json_can_spell_is_answered(server, ask, method, params, text, capfd):
    said = ask(method, **params)
    assert (said["code"], said["data"]) == (-32602, text)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    "method", ["block", "header", "block_results", "commit", "validators", "consensus_params"]
)
def test_h76_a_height_below_zero_is_refused_by_every_method(ask, method, capfd):
    said = ask(method, height="-5")
    assert (said.get("code"), said.get("data")) == (-32603, "height must be greater than 0, but got -5")
    assert capfd.readouterr().err == ""


def test_h76_a_target_that_is_no_address_is_refused(server, capfd):
    host, port = server.server_address[:2]
    with create_connection((host, port), timeout=10) as stranger:
        stranger.sendall(b"GET http://[ HTTP/1.0\r\n\r\n")
        answer = stranger.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("call_id", ["NaN", "1e999", "1.5", "true", "[" * 900 + "]" * 900, '{"a": 1}'])
def test_h76_an_id_that_is_none_is_not_repeated(server, call_id):
    body = b'{"jsonrpc": "2.0", "method": "health", "id": %s}' % call_id.encode()
    status, said = raw_request(server, "POST", "/", body)
    answer = json.loads(said)
    assert (status, answer["id"], answer["error"]["code"]) == (500, None, -32600)


def test_h76_a_fault_of_ours_is_answered_and_logged_once(server, ask, monkeypatch, caplog):
    monkeypatch.setitem(server.answers._methods.table, "health", lambda _: {}["gone"])
    for _ in range(3):
        with suppress(ConnectionError):  # no answer
            said = None
            said = ask("health")
        assert said == {"code": -32603, "message": "Internal error", "data": "the call failed"}
    assert [record.getMessage().splitlines()[0] for record in caplog.records] == ["RPC health failed"]


def raw_request(server, method, path, body=b"", headers=None):
    host, port = server.server_address[:2]
    connection = HTTPConnection(host, port, timeout=10)
    try:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_get_with_a_query_string(server, chain):
    chain.make_block()
    status, body = raw_request(server, "GET", "/block?height=2")
    assert status == 200
    assert json.loads(body)["result"]["block"]["header"]["height"] == "2"
    status, body = raw_request(
        server, "GET", '/abci_query?path="/store/bank/key"&data=0x007374616b65&prove=true'
    )
    assert json.loads(body)["result"]["response"]["code"] == 0
    assert raw_request(server, "GET", "/nothing")[0] == 500


@pytest.mark.parametrize(
    "body", [b"{", b"\xff\xfe", b"[" * 100_000, b"5", b'{"method": 5}', b'{"method":"health","params":[1]}']
)
def test_bodies_that_are_no_call(server, body):
    status, said = raw_request(server, "POST", "/", body)
    assert status == 500
    assert "error" in json.loads(said)


def test_bodies_are_bounded(server):
    assert raw_request(server, "POST", "/", b"", {"Content-Length": str(MAX_BODY + 1)})[0] == 413
    assert raw_request(server, "POST", "/", b"", {"Content-Length": "9" * 5_000})[0] == 413


def test_h76_a_length_behind_zeros_is_no_way_around_the_bound(server):
    """Python would set aside as many bytes as the whole number says: a number this long is not even read."""
    assert raw_request(server, "POST", "/", b"{}", {"Content-Length": "0" * 9 + "2"})[0] == 500
    assert raw_request(server, "POST", "/", b"{}", {"Content-Length": "0" * 10 + "2"})[0] == 413


def test_a_batch_is_answered_in_order(server):
    calls = [{"jsonrpc": "2.0", "id": n, "method": "health"} for n in range(3)]
    status, said = raw_request(server, "POST", "/", json.dumps(calls).encode())
    assert (status, [each["id"] for each in json.loads(said)]) == (200, [0, 1, 2])


def test_only_the_loopback_interface(chain):
    with pytest.raises(ValueError, match="loopback"):
        RpcServer(chain, "0.0.0.0")
