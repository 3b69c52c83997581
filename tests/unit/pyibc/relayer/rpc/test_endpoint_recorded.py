"""RPC endpoint over recorded responses of a CometBFT 0.38 node with ibc-go v10."""

import gzip
import json
import os
from base64 import b64decode, b64encode
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest

from light_client.tendermint.codec import commit_from, header_from, validator_set_from
from light_client.tendermint.hashing import header_hash, validator_set_hash
from light_client.tendermint.states import load_client_state
from pyibc.core.channel.types import Order
from pyibc.core.packet.events import read_packet_event
from pyibc.core.wire.merkle import decode_merkle_proof
from pyibc.proto.tendermint.types import validator_pb2
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.clients.tendermint import signed_header
from pyibc.relayer.errors import EndpointRefused
from pyibc.relayer.rpc.calls import Rpc
from pyibc.relayer.rpc.endpoint import RpcEndpoint

pytestmark = pytest.mark.vectors
LIVE = Path(os.environ.get("IBC_LIVE_DIR", Path(__file__).parents[5] / "../shared/live")) / "dump"
CHAINS = ["ibc-0", "ibc-1"]


class Recording(Rpc):
    """RPC client with the recorded responses of one chain."""

    def __init__(self, dump) -> None:
        self.dump = dump

    def call(self, method: str, **params):
        if method in {"block", "block_results", "commit", "validators"}:
            if params["height"] not in self.dump["blocks"]:
                raise EndpointRefused("recorded", method, f"no height {params['height']}")
            return self.dump["blocks"][params["height"]][method]
        if method == "abci_query":
            return self._query(params)
        if method == "abci_info":
            return {"response": {"last_block_height": str(max(map(int, self.dump["blocks"])))}}
        return self.dump[method]

    def _query(self, params):
        key = bytes.fromhex(params["data"]).decode()
        for each in self.dump["proofs"]:
            if each["key"] == key and str(each["height"]) == params.get("height", str(each["height"])):
                return each["answer"]
        raise EndpointRefused("recorded", "abci_query", key)


class NoWallet:
    address = type("Address", (), {"text": "cosmos1nobody"})


@pytest.fixture(scope="module")
def dumps():
    if not LIVE.is_dir():
        pytest.skip(f"no recordings at {LIVE}: set IBC_LIVE_DIR")
    return {name: json.loads(gzip.open(LIVE / f"chain-{name}.json.gz").read()) for name in CHAINS}


@pytest.fixture(params=CHAINS)
def recorded(request, dumps):
    return dumps[request.param]


@pytest.fixture
def endpoint(recorded):
    return RpcEndpoint(Recording(recorded), NoWallet())


def test_every_block(recorded, endpoint) -> None:
    assert endpoint.chain_id == recorded["chain_id"]
    kinds = Counter()
    for height, raw in recorded["blocks"].items():
        block = endpoint.block(int(height))
        assert (block.chain_id, block.height) == (recorded["chain_id"], int(height))
        assert [b64encode(tx.tx).decode() for tx in block.txs] == raw["block"]["block"]["data"]["txs"]
        following = recorded["blocks"].get(str(int(height) + 1))
        if following:
            assert block.app_hash.hex().upper() == following["block"]["block"]["header"]["app_hash"]
        for tx, result in zip(block.txs, raw["block_results"]["txs_results"] or [], strict=True):
            assert (tx.code, str(tx.gas_used)) == (result["code"], result["gas_used"])
            back = [
                {"type": kind, "attributes": [{"key": k, "value": v, "index": True} for k, v in pairs]}
                for kind, pairs in tx.events
            ]
            assert back == result["events"]
            kinds.update(kind for kind, _ in tx.events)
        recorded_events = raw["block_results"]["finalize_block_events"] or []
        assert [kind for kind, _ in block.block_events] == [each["type"] for each in recorded_events]
    assert kinds == Counter(recorded["events_by_type"])


def test_every_packet_event_is_read(recorded, endpoint) -> None:
    seen = Counter()
    for height in recorded["blocks"]:
        for tx in endpoint.block(int(height)).txs:
            for event in tx.events:
                packet = read_packet_event(event)
                if packet is not None:
                    seen[packet.kind] += 1
                    assert packet.order == Order.UNORDERED
                    assert packet.connection_id == "connection-0"
    expected = {k: n for k, n in recorded["events_by_type"].items() if k in seen}
    assert seen == expected
    assert sum(seen.values()) >= 120


def test_every_light_block_hashes_to_the_recorded_block_id(recorded, endpoint) -> None:
    for height, raw in recorded["blocks"].items():
        block = endpoint.light_block(int(height))
        signed = signed_header(block)
        header = header_from(signed.header)
        assert header_hash(header).hex().upper() == raw["block"]["block_id"]["hash"]
        assert commit_from(signed.commit).block_id.hash == header_hash(header)
        validators = validator_set_from(validator_pb2.ValidatorSet.FromString(block.validators))
        assert validator_set_hash(validators) == header.validators_hash
        assert (block.height, block.time_ns) == (header.height, header.time_ns)


def test_every_proof(recorded, endpoint) -> None:
    absent = 0
    for each in recorded["proofs"]:
        proven = endpoint.prove(each["key"].encode(), each["height"])
        assert proven.height.revision_height == each["height"] + 1
        assert proven.height.revision_number == (1 if recorded["chain_id"] == "ibc-1" else 0)
        proofs = decode_merkle_proof(proven.proof)
        assert len(proofs) == 2
        absent += proven.value is None
    assert absent > 0


def test_client_of_the_other_chain_is_checked(dumps) -> None:
    ends = [RpcEndpoint(Recording(dumps[name]), NoWallet()) for name in CHAINS]
    for host, target in (ends, ends[::-1]):
        client = ForeignClient(host, target, "07-tendermint-0")
        state = load_client_state(host.get(b"clients/07-tendermint-0/clientState"))
        period = state.trusting_period_ns
        assert client.check() == client.view() == (target.chain_id, state.latest_height, False, period)


def test_tip(recorded, endpoint) -> None:
    top = max(map(int, recorded["blocks"]))
    assert endpoint.tip().height == top
    assert endpoint.tip().time_ns == endpoint.light_block(top).time_ns


def test_recorded_transactions_are_found_by_hash(recorded) -> None:
    for answer in recorded["tx_search"]:
        for tx in answer["answer"]["txs"]:
            raw = recorded["blocks"][tx["height"]]["block"]["block"]["data"]["txs"][tx["index"]]
            assert sha256(b64decode(raw)).hexdigest().upper() == tx["hash"]
