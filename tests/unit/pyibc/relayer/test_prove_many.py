"""Proofs of a round from a node that proves one at a time: several questions under way, answers in order."""

import threading
from base64 import b64encode

from pyibc.core.paths import packet_commitment_path
from pyibc.relayer.chain.values import Proven
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable
from pyibc.relayer.packets.proofs import MAX_TIMEOUTS, Proofs
from pyibc.relayer.rpc.calls import Rpc
from pyibc.relayer.rpc.client import RpcConfig
from pyibc.relayer.rpc.endpoint import RpcEndpoint
from pyibc.relayer.rpc.node_queries import PROOFS

KEYS = [packet_commitment_path("transfer", "channel-0", number) for number in range(1, 101)]
PROOF = {"ops": [{"data": ""}, {"data": ""}]}


class Signer:
    address = type("Address", (), {"text": "cosmos1me"})


class Node(Rpc):
    """Answers each key with its last byte; `alike` questions have to be there at once."""

    def __init__(self, alike: int = 1, faults=()) -> None:
        self.barrier = threading.Barrier(alike)
        self.left = 4 * alike
        self.faults = dict(faults)
        self.asked = []

    def call(self, method, **params):
        if method == "status":
            return {"node_info": {"network": "n-3", "version": "0.38.17"}}
        if params["path"] == PROOFS:
            return {"response": {"code": 6, "codespace": "sdk", "log": "unknown query path"}}
        key = bytes.fromhex(params["data"])
        self.asked.append(key)
        if len(self.asked) <= self.left:
            self.barrier.wait(5)
        if key in self.faults:
            raise self.faults[key]
        value = b64encode(key[-1:]).decode()
        return {"response": {"value": value, "height": params["height"], "proofOps": PROOF}}


def test_several_proofs_are_under_way_at_once() -> None:
    node = Node(alike=4)
    endpoint = RpcEndpoint(node, Signer(), config=RpcConfig(parallel=4))
    found = endpoint.prove_many(KEYS, 9)
    assert [each.value for each in found] == [key[-1:] for key in KEYS]
    assert len(node.asked) == len(KEYS)


def test_the_error_stands_where_a_proof_fails() -> None:
    refused = EndpointRefused("n-3", "abci_query", "height in the future")
    node = Node(faults={KEYS[3]: refused, KEYS[99]: refused})
    proofs = Proofs(RpcEndpoint(node, Signer(), config=RpcConfig(parallel=8)).prove_many, 9, KEYS)
    fails = []
    for number, key in enumerate(KEYS):
        try:
            assert isinstance(proofs.prove(key), Proven)
        except EndpointRefused:
            fails.append(number)
    assert fails == [3, 99]


def test_a_silent_node_is_asked_by_none_of_them_any_more() -> None:
    silent = EndpointUnavailable("n-3", "timed out")
    node = Node(faults=dict.fromkeys(KEYS, silent))
    found = RpcEndpoint(node, Signer(), config=RpcConfig(parallel=8)).prove_many(KEYS, 9)
    assert all(isinstance(each, EndpointUnavailable) for each in found)
    assert MAX_TIMEOUTS <= len(node.asked) <= MAX_TIMEOUTS + 8


def test_a_proof_at_another_height_than_asked_is_none() -> None:
    node = Node()
    answer = node.call
    node.call = lambda method, **params: answer(method, **{**params, "height": "8"})
    endpoint = RpcEndpoint(node, Signer(), config=RpcConfig(parallel=1))
    (found,) = endpoint.prove_many(KEYS[:1], 9)
    assert "the proof is for height 8, not 9" in str(found)
