"""Transactions, blocks, the node and its state, as wallets ask for them."""

from hashlib import sha256

import pytest

from light_client.tendermint.codec import header_from
from light_client.tendermint.hashing import header_hash
from localnet.rpc.server import RpcServer
from pyibc.chain.bank.send import MSG_SEND, encode_send
from pyibc.codec.anys import AnyMessage
from pyibc.core.coin import coin
from pyibc.proto.cosmos.base.node.v1beta1 import query_pb2 as node_pb
from pyibc.proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest
from pyibc.proto.cosmos.base.tendermint.v1beta1 import query_pb2 as tm
from pyibc.proto.cosmos.tx.v1beta1 import service_pb2 as pb
from pyibc.proto.cosmos.tx.v1beta1 import tx_pb2

TX = "/cosmos.tx.v1beta1.Service/"
TENDERMINT = "/cosmos.base.tendermint.v1beta1.Service/"


@pytest.fixture(params=["local", "comet"])
def client(request, chain, serve, connect):
    """The same services over the chain itself and over a CometBFT RPC in front of it."""
    if request.param == "local":
        yield connect(serve(chain))
        return
    from localnet.grpc.calls import GrpcLimits
    from localnet.grpc.comet_view import CometView
    from localnet.grpc.server import serve_grpc

    rpc = RpcServer(chain)
    thread = rpc.start(0.01)
    view = CometView(rpc.url)
    server = serve_grpc(view, chain.app, 0, GrpcLimits(stop_s=0.2))
    yield connect(server)
    server.stop()
    view.close()
    rpc.stop()
    thread.join()


def hash_of(raw):
    return sha256(raw).hexdigest().upper()


def test_a_transaction_is_broadcast_and_found(chain, client, code, sign):
    raw = sign(memo="hello")
    broadcast = pb.BroadcastTxRequest(tx_bytes=raw, mode=pb.BROADCAST_MODE_SYNC)
    said = client(f"{TX}BroadcastTx", broadcast, pb.BroadcastTxResponse).tx_response
    assert (said.code, said.txhash, said.raw_log) == (0, hash_of(raw), "")
    asked = pb.GetTxRequest(hash=hash_of(raw).lower())
    assert client.refused(f"{TX}GetTx", asked.SerializeToString()) == (
        code.NOT_FOUND,
        f"not found: tx not found: {hash_of(raw).lower()}",
    )
    chain.make_block()
    found = client(f"{TX}GetTx", asked, pb.GetTxResponse)
    outcome = chain.block(2).txs[0]
    assert found.tx.body.memo == "hello"
    said = found.tx_response
    assert (said.height, said.txhash, said.code) == (2, hash_of(raw), 0)
    assert (said.gas_wanted, said.gas_used) == (outcome.gas_wanted, outcome.gas_used)
    assert said.data == outcome.data.hex().upper()
    assert said.tx.type_url == "/cosmos.tx.v1beta1.Tx"
    assert tx_pb2.Tx.FromString(said.tx.value) == found.tx
    assert [(e.type, [(a.key, a.value) for a in e.attributes]) for e in said.events] == [
        (kind, list(pairs)) for kind, pairs in outcome.events
    ]
    assert said.timestamp == "2023-11-14T22:13:21Z"  # whole seconds, of block 2


def test_a_time_is_told_in_whole_seconds(chain, client, sign):
    raw = sign()
    chain.make_block([raw], chain.tip().time_ns + 1_999_999_999)
    said = client(f"{TX}GetTx", pb.GetTxRequest(hash=hash_of(raw)), pb.GetTxResponse).tx_response
    assert said.timestamp == "2023-11-14T22:13:21Z"


def test_what_check_tx_refuses_is_told(client, sign):
    broadcast = pb.BroadcastTxRequest(tx_bytes=sign(sequence=4), mode=pb.BROADCAST_MODE_SYNC)
    said = client(f"{TX}BroadcastTx", broadcast, pb.BroadcastTxResponse).tx_response
    assert (said.codespace, said.code) == ("sdk", 32)
    assert said.raw_log.startswith("account sequence mismatch, expected 0, got 4")


def test_a_transaction_that_is_broadcast_twice_is_told_so(client, sign):
    broadcast = pb.BroadcastTxRequest(tx_bytes=sign(), mode=pb.BROADCAST_MODE_ASYNC)
    said = [client(f"{TX}BroadcastTx", broadcast, pb.BroadcastTxResponse).tx_response for _ in range(2)]
    assert [(each.codespace, each.code) for each in said] == [("", 0), ("sdk", 19)]


@pytest.mark.parametrize("mode", [pb.BROADCAST_MODE_BLOCK, pb.BROADCAST_MODE_UNSPECIFIED])
def test_other_ways_to_broadcast_are_refused(client, code, sign, mode):
    broadcast = pb.BroadcastTxRequest(tx_bytes=sign(), mode=mode).SerializeToString()
    assert client.refused(f"{TX}BroadcastTx", broadcast)[0] is code.INVALID_ARGUMENT


@pytest.mark.parametrize("digest", ["", "xyz", "00", "00" * 33, " " + "00" * 32, "0x" + "00" * 32])
def test_a_hash_that_is_none_is_refused(client, code, digest):
    asked = pb.GetTxRequest(hash=digest).SerializeToString()
    assert client.refused(f"{TX}GetTx", asked)[0] is code.INVALID_ARGUMENT


def test_a_failed_transaction_is_found_with_its_code_and_log(chain, client, sign, send):
    raw = sign([send(10**12)])
    chain.make_block([raw])
    said = client(f"{TX}GetTx", pb.GetTxRequest(hash=hash_of(raw)), pb.GetTxResponse).tx_response
    assert (said.codespace, said.code) == ("sdk", 5)
    assert "needs" in said.raw_log


def test_transactions_are_found_by_their_events(chain, client, sign, alice, bob):
    raws = [sign(sequence=n, memo=str(n)) for n in range(5)]
    chain.make_block(raws[:2])
    chain.make_block(raws[2:])

    def search(**fields):
        return client(f"{TX}GetTxsEvent", pb.GetTxsEventRequest(**fields), pb.GetTxsEventResponse)

    query = f"transfer.recipient='{bob.address.text}' AND message.sender='{alice.address.text}'"
    found = search(query=query)
    assert [tx.body.memo for tx in found.txs] == ["0", "1", "2", "3", "4"]
    assert [each.height for each in found.tx_responses] == [2, 2, 3, 3, 3]
    assert found.total == 5
    page = search(query=query, page=2, limit=2, order_by=pb.ORDER_BY_DESC)
    assert ([tx.body.memo for tx in page.txs], page.total) == (["2", "1"], 5)
    older = search(
        events=[f"transfer.recipient='{bob.address.text}'", "tx.height=3"],
        pagination=PageRequest(offset=2, limit=2),
    )
    assert ([tx.body.memo for tx in older.txs], older.total) == (["4"], 3)
    assert search(query=f"tx.hash='{hash_of(raws[3])}'").total == 1
    assert search(query=f"tx.hash='{'00' * 32}'").total == 0
    assert search(query="transfer.recipient='nobody'").total == 0


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"query": "x"},
        {"query": "a.b > 3"},
        {"query": "a.b='c' OR a.b='d'"},
        {"query": "a.b='c'", "pagination": PageRequest(key=b"k")},
        {"query": "a.b='c'", "pagination": PageRequest(offset=3, limit=2)},
        {"query": "tx.hash='zz'"},
        {"query": "a.b='c'", "page": 2},
        {"query": "a.b='c'", "pagination": PageRequest(offset=2, limit=2)},
        {"query": "a.b='" + "x" * 5_000 + "'"},
    ],
)
def test_a_search_that_makes_no_sense_is_refused(client, code, fields):
    asked = pb.GetTxsEventRequest(**fields).SerializeToString()
    assert client.refused(f"{TX}GetTxsEvent", asked)[0] is code.INVALID_ARGUMENT


def test_blocks_are_shown_whole(chain, client, code, sign):
    chain.make_block([sign(sequence=n) for n in range(3)])
    last = client(f"{TENDERMINT}GetLatestBlock", tm.GetLatestBlockRequest(), tm.GetLatestBlockResponse)
    assert header_hash(header_from(last.block.header)) == last.block_id.hash == chain.record(2).block_id.hash
    assert list(last.block.data.txs) == [outcome.tx for outcome in chain.block(2).txs]
    assert last.block.last_commit.block_id.hash == chain.record(1).block_id.hash
    by_height = client(
        f"{TENDERMINT}GetBlockByHeight", tm.GetBlockByHeightRequest(height=2), tm.GetBlockByHeightResponse
    )
    assert (by_height.block, by_height.block_id) == (last.block, last.block_id)
    for height in (-1, 0, 3):
        asked = tm.GetBlockByHeightRequest(height=height).SerializeToString()
        assert client.refused(f"{TENDERMINT}GetBlockByHeight", asked) == (
            code.INVALID_ARGUMENT,
            f"invalid request: requested height {height}; blocks 1 to 2 are available",
        )


def test_a_block_comes_with_a_page_of_its_transactions(chain, client, sign):
    chain.make_block([sign(sequence=n, memo=str(n)) for n in range(3)])

    def ask(**page):
        asked = pb.GetBlockWithTxsRequest(height=2, pagination=PageRequest(**page))
        return client(f"{TX}GetBlockWithTxs", asked, pb.GetBlockWithTxsResponse)

    first = ask(limit=2)
    assert ([tx.body.memo for tx in first.txs], first.block.header.height) == (["0", "1"], 2)
    rest = ask(key=first.pagination.next_key)
    assert ([tx.body.memo for tx in rest.txs], rest.pagination.next_key) == (["2"], b"")
    assert ask().pagination.total == 3
    assert [tx.body.memo for tx in ask(reverse=True, limit=1).txs] == ["2"]


def test_bytes_in_a_block_that_are_no_transaction_are_shown_empty(chain, client):
    chain.make_block([b"\xff\xff"])
    asked = pb.GetBlockWithTxsRequest(height=2)
    said = client(f"{TX}GetBlockWithTxs", asked, pb.GetBlockWithTxsResponse)
    assert list(said.txs) == [tx_pb2.Tx()]
    found = client(f"{TX}GetTx", pb.GetTxRequest(hash=hash_of(b"\xff\xff")), pb.GetTxResponse)
    assert found.tx_response.code == 2


def test_validators_are_told_by_height(chain, client):
    said = client(
        f"{TENDERMINT}GetLatestValidatorSet",
        tm.GetLatestValidatorSetRequest(),
        tm.GetLatestValidatorSetResponse,
    )
    members = chain.validators(1).validators
    assert [each.voting_power for each in said.validators] == [member.power for member in members]
    assert {each.pub_key.type_url for each in said.validators} == {"/cosmos.crypto.ed25519.PubKey"}
    assert all(each.address.startswith("cosmosvalcons1") for each in said.validators)
    page = client(
        f"{TENDERMINT}GetValidatorSetByHeight",
        tm.GetValidatorSetByHeightRequest(height=1, pagination=PageRequest(offset=1, limit=2)),
        tm.GetValidatorSetByHeightResponse,
    )
    assert [each.address for each in page.validators] == [each.address for each in said.validators][1:3]
    assert page.pagination.total == len(said.validators)


def test_the_node_tells_of_itself_by_grpc_and_by_abci_query(chain, client):
    path = f"{TENDERMINT}GetNodeInfo"
    said = client(path, tm.GetNodeInfoRequest(), tm.GetNodeInfoResponse)
    assert said.default_node_info.network == "chain-1"
    assert len(said.default_node_info.default_node_id) == 40
    assert said.application_version.name == "pyibc"
    declared = {each.path: each.version for each in said.application_version.build_deps}
    assert declared["github.com/cosmos/cosmos-sdk"].startswith("v0.53")
    assert declared["github.com/cosmos/ibc-go/v10"].startswith("v10")
    assert tm.GetNodeInfoResponse.FromString(chain.query(path, b"").value) == said


def test_status_syncing_and_abci_query(chain, client, code):
    chain.make_block()
    said = client("/cosmos.base.node.v1beta1.Service/Status", node_pb.StatusRequest(), node_pb.StatusResponse)
    assert (said.earliest_store_height, said.height) == (1, 2)
    assert said.app_hash == chain.app.info().app_hash
    assert said.timestamp.ToNanoseconds() == chain.record(2).header.time_ns
    syncing = client(f"{TENDERMINT}GetSyncing", tm.GetSyncingRequest(), tm.GetSyncingResponse)
    assert syncing.syncing is False
    asked = tm.ABCIQueryRequest(path="/store/bank/key", data=b"\x00stake", prove=True)
    answer = client(f"{TENDERMINT}ABCIQuery", asked, tm.ABCIQueryResponse)
    assert (answer.code, answer.height, len(answer.proof_ops.ops)) == (0, 2, 2)
    assert int.from_bytes(answer.value, "big") == 10**9
    refused = client(f"{TENDERMINT}ABCIQuery", tm.ABCIQueryRequest(path="/a"), tm.ABCIQueryResponse)
    assert (refused.codespace, refused.code) == ("sdk", 6)
    assert "rpc error: code = Unimplemented" in refused.log


def test_transactions_are_encoded_and_decoded(client, code, sign):
    raw = sign(memo="m")
    tx = client(f"{TX}TxDecode", pb.TxDecodeRequest(tx_bytes=raw), pb.TxDecodeResponse).tx
    assert tx.body.memo == "m"
    assert client(f"{TX}TxEncode", pb.TxEncodeRequest(tx=tx), pb.TxEncodeResponse).tx_bytes == raw
    for junk in (b"\xff", raw + b"\x22\x00"):  # decoded as strictly as a block does
        asked = pb.TxDecodeRequest(tx_bytes=junk).SerializeToString()
        assert client.refused(f"{TX}TxDecode", asked)[0] is code.UNKNOWN
    assert client.refused(f"{TX}TxDecode")[0] is code.INVALID_ARGUMENT
    assert client.refused(f"{TX}TxEncode")[0] is code.INVALID_ARGUMENT


@pytest.mark.parametrize("method", ["GetTx", "BroadcastTx", "GetTxsEvent", "GetBlockWithTxs", "Simulate"])
def test_requests_that_are_no_protobuf_are_refused(client, code, method):
    assert client.refused(f"{TX}{method}", b"\xff\xff")[0] is code.INVALID_ARGUMENT


def test_simulation_by_grpc_has_the_text_of_a_wrong_sequence(client, code, sign, alice, bob):
    message = AnyMessage(MSG_SEND, encode_send(alice.address.text, bob.address.text, (coin("stake", 1),)))
    asked = pb.SimulateRequest(tx_bytes=sign([message], sequence=9)).SerializeToString()
    said = client.refused(f"{TX}Simulate", asked)
    assert said[0] is code.UNKNOWN
    assert "account sequence mismatch, expected 0, got 9" in said[1]
    assert client.refused(f"{TX}Simulate")[0] is code.INVALID_ARGUMENT
