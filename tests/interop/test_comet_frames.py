"""Every kind of request that CometBFT makes, seen on the wire; and Go's own client against our server.

With RECORD_ABCI_FRAMES=FILE a request of each kind is written to FILE, and what CometBFT's own
key-value application (`abci-cli kvstore`) answers to requests: tests/unit/abci_server/frames.json.
"""

import base64
import json
import os
import subprocess
from pathlib import Path

import pytest

from abci_server.connection import FrameReader
from conformance.kit.abci_client import Client
from pyibc.proto.tendermint.abci import types_pb2 as pb

pytestmark = pytest.mark.interop

VOTING = """
import logging, sys
from pathlib import Path
from pyibc.examples.kvchain import SnapshottingKvApp
from abci_server import run

class Voting(SnapshottingKvApp):
    def prepare_proposal(self, request):
        if request.height > 2:
            for vote in request.local_last_commit.votes:
                assert vote.block_id_flag != 2 or vote.vote_extension == b"%d" % (request.height - 1), vote
        return super().prepare_proposal(request)

    def extend_vote(self, request):
        return b"%d" % request.height

    def verify_vote_extension(self, request):
        return request.vote_extension == b"%d" % request.height

logging.basicConfig()
sys.exit(run(Voting(Path(sys.argv[1])), sys.argv[2]))
"""


def kinds(stream, of):
    """Frames of one direction of a connection: (kind, frame); the last may be cut off."""
    reader = FrameReader(2**31)
    reader.feed(bytes(stream))
    return [(of.FromString(raw).WhichOneof("value"), raw) for raw in reader]


@pytest.fixture
def streams(make_network, tee, until):
    """What went by between applications and three nodes that voted with extensions and synchronized state."""
    nodes = make_network(2, full=1, app=("-c", VOTING))
    tees = [tee(node.address) for node in nodes]
    for node, between in zip(nodes, tees, strict=True):
        node.proxy_app = between.address
        genesis = node.genesis
        genesis["consensus_params"]["abci"]["vote_extensions_enable_height"] = "2"
        node.genesis = genesis
    *old, fresh = nodes
    for node in old:
        node.start()
    old[0].wait_height(2)
    for number in range(90):
        tx = b"key%04d=" % number + b"v" * 60
        old[0].rpc("broadcast_tx_sync", tx=base64.b64encode(tx).decode())
    until(lambda: old[0].value(b"key0089"), "transactions are in blocks")
    old[0].commit_tx(b"last=one")
    old[0].wait_height(25)
    synchronize(fresh, old)
    fresh.start()
    fresh.wait_height(old[0].height + 2)
    return [each for between in tees for each in between.streams]


def synchronize(fresh, old):
    trusted = old[0].rpc("commit", height="2")["signed_header"]["commit"]["block_id"]["hash"]
    servers = ",".join(f"http://127.0.0.1:{node.rpc_port}" for node in old)
    values = {"enable": "true", "trust_height": "2", "discovery_time": '"5s"'}
    fresh.configure({"statesync": {**values, "rpc_servers": f'"{servers}"', "trust_hash": f'"{trusted}"'}})


def test_every_kind_of_request_is_made_and_answered_in_order(streams):
    seen = {}
    for asked, answered in streams:
        questions, answers = kinds(asked, pb.Request), kinds(answered, pb.Response)
        in_order = [kind for kind, _ in questions][: len(answers)]
        assert [kind for kind, _ in answers] == in_order
        assert len(questions) - len(answers) <= 2  # what is under way
        for kind, raw in questions:
            seen.setdefault(kind, []).append(raw)
    every = {field.name for field in pb.Request.DESCRIPTOR.fields}
    assert every - set(seen) == {"echo"}  # CometBFT never asks it
    if out := os.environ.get("RECORD_ABCI_FRAMES"):
        record(
            Path(out),
            {"requests of CometBFT 0.38": {kind: fullest(raws).hex() for kind, raws in seen.items()}},
        )


def test_gos_own_client_understands_us(abci_cli, make_node):
    node = make_node()
    node.start_app()
    for command, told in {
        ("echo", "hello"): "data: hello",
        ("info",): "data: kvchain",
        ("check_tx", '"a=b"'): "code: OK",
        ("check_tx", '"nonsense"'): "log: a transaction is key=value",
        ("query", '"a"'): "code: OK",
    }.items():
        done = subprocess.run(
            [abci_cli, *command, "--address", node.address],
            capture_output=True, text=True, check=True, timeout=30,
        )  # fmt: skip
        assert told in done.stdout


def test_gos_own_application_is_answered_by_our_client(abci_cli, tmp_path, until):
    path = tmp_path / "go.sock"
    server = subprocess.Popen([abci_cli, "kvstore", "--address", f"unix://{path}"], stdout=subprocess.DEVNULL)
    try:
        until(path.exists, "Go's application listens")
        with Client(f"unix://{path}") as client:
            told = {}
            for request in QUESTIONS:
                client.send([request, pb.Request(flush=pb.RequestFlush())])
                raw = client.read_frame()
                assert pb.Response.FromString(raw).WhichOneof("value") == request.WhichOneof("value")
                assert client.read().HasField("flush")
                told[request.WhichOneof("value")] = raw.hex()
    finally:
        server.terminate()
        server.wait(10)
    if out := os.environ.get("RECORD_ABCI_FRAMES"):
        record(Path(out), {"answers of CometBFT's kvstore": told})


def fullest(raws, limit=700):
    """One that says much and is short enough to keep."""
    return max((raw for raw in raws if len(raw) < limit), key=len, default=min(raws, key=len))


def record(path, part):
    document = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(document | part, indent=1, sort_keys=True) + "\n")


QUESTIONS = [
    pb.Request(info=pb.RequestInfo(version="0.38.26")),
    pb.Request(
        init_chain={"chain_id": "c", "validators": [{"pub_key": {"ed25519": b"\1" * 32}, "power": 5}]}
    ),
    pb.Request(check_tx={"tx": b"a=b"}),
    pb.Request(check_tx={"tx": b"nonsense"}),
    pb.Request(prepare_proposal={"max_tx_bytes": 100, "txs": [b"a=b", b"c=d"], "height": 1}),
    pb.Request(process_proposal={"txs": [b"a=b", b"c=d"], "height": 1}),
    pb.Request(finalize_block={"txs": [b"a=b", b"c=d"], "height": 1}),
    pb.Request(commit={}),
    pb.Request(query={"path": b"/key", "data": b"a"}),
    pb.Request(list_snapshots={}),
]
