"""Proofs by the bulk query, and from nodes whose bulk responses are refusals or malformed."""

from base64 import b64decode, b64encode
from threading import Barrier

import pytest

from pyibc.core.comet import deflate
from pyibc.core.height import Height
from pyibc.core.paths import packet_commitment_path
from pyibc.core.wire.merkle import decode_merkle_proof
from pyibc.proto.cosmos.ics23.v1 import proofs_pb2
from pyibc.proto.pyibc.node.v1.query_pb2 import QueryProofsRequest, QueryProofsResponse
from pyibc.relayer.chain.grpc_query import REFUSED_BACKOFF, UNKNOWN_BACKOFF
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable
from pyibc.relayer.packets.proofs import MAX_TIMEOUTS
from pyibc.relayer.rpc.calls import Rpc
from pyibc.relayer.rpc.node_queries import BULK_KEYS, MAX_PROOFS, MAX_STORE_PROOF, PROOFS, BulkProofs
from pyibc.relayer.rpc.proofs import RpcProofs

KEYS = [packet_commitment_path("transfer", "channel-0", number) for number in range(1, 251)]


def proof(key: bytes) -> bytes:
    return proofs_pb2.CommitmentProof(
        exist=proofs_pb2.ExistenceProof(key=key, value=b"v")
    ).SerializeToString()


STORE = proof(b"ibc")


def value(key: bytes) -> bytes:
    return b"" if key.endswith(b"3") else b"of " + key  # some are absent


class Node(Rpc):
    """Node with the bulk query of pyibc; `spoil` changes its response."""

    def __init__(self, spoil=lambda answer: answer) -> None:
        self.spoil = spoil
        self.bulk, self.single, self.deflates = [], [], set()

    def call(self, _method, **params):
        raw = bytes.fromhex(params["data"])
        if params["path"] == PROOFS:
            request = QueryProofsRequest.FromString(raw)
            self.bulk.append(list(request.keys))
            self.deflates.add(request.deflate)
            answer = QueryProofsResponse(height=int(params["height"]), store_proof=STORE)
            for key in request.keys:
                answer.entries.add(value=value(key), proof=proof(key))
            response = {
                "value": b64encode(answer.SerializeToString()).decode(),
                "height": params["height"],
            }
            return self.spoil({"response": response})
        self.single.append(raw)
        ops = [{"data": b64encode(each).decode()} for each in (proof(raw), STORE)]
        response = {"value": b64encode(value(raw)).decode(), "height": params["height"]}
        return {"response": {**response, "proofOps": {"ops": ops}}}


def refuse(code: int):
    return lambda _answer: {"response": {"code": code, "codespace": "sdk", "log": "no"}}


def edited(**fields):
    """Return a function that changes the value of the response."""

    def spoil(answer):
        whole = QueryProofsResponse.FromString(_raw(answer))
        for name, content in fields.items():
            if name == "entries":
                del whole.entries[content:]
            else:
                setattr(whole, name, content)
        answer["response"]["value"] = b64encode(whole.SerializeToString()).decode()
        return answer

    return spoil


def deflated(change=lambda raw: raw):
    """Return a function that compresses the response and changes the result."""

    def spoil(answer):
        whole = QueryProofsResponse(deflated=change(deflate(_raw(answer))))
        answer["response"]["value"] = b64encode(whole.SerializeToString()).decode()
        return answer

    return spoil


def _raw(answer):
    return b64decode(answer["response"]["value"])


def other_height(answer):
    answer["response"]["height"] = "8"
    return answer


def asked(node: Node, keys=KEYS, parallel: int = 4):
    return RpcProofs(node, "n-3", parallel, BulkProofs("n-3")).prove_many(keys, 9)


def the_same(found, keys=KEYS) -> None:
    assert [each.value for each in found] == [value(key) or None for key in keys]
    assert {each.height for each in found} == {Height(3, 10)}
    assert [decode_merkle_proof(each.proof) for each in found] == [(proof(key), STORE) for key in keys]


def test_many_come_by_one_query_each_hundred():
    node = Node()
    the_same(asked(node))
    assert sorted(map(len, node.bulk)) == [50, BULK_KEYS, BULK_KEYS]
    assert node.single == []


def test_a_deflated_answer_is_the_same_and_is_asked_for():
    node = Node(deflated())
    the_same(asked(node))
    assert node.single == []
    assert node.deflates == {True}


def test_many_and_one_by_one_are_the_same():
    in_bulk, alone = asked(Node()), asked(Node(refuse(6)))
    assert in_bulk == alone


def test_one_by_one_several_are_under_way_at_once_and_the_error_stands_where_one_fails():
    together, node = Barrier(4), Node(refuse(6))
    answer, refusal = node.call, EndpointRefused("n-3", "abci_query", "height in the future")

    def call(method, **params):
        found = answer(method, **params)
        if params["path"] == PROOFS:
            return found
        if len(node.single) <= 8:
            together.wait(5)
        if node.single.count(KEYS[3]) and bytes.fromhex(params["data"]) == KEYS[3]:
            raise refusal
        return found

    node.call = call
    found = asked(node, KEYS[:40])
    assert [number for number, each in enumerate(found) if each is refusal] == [3]
    the_same(found[4:], KEYS[4:40])


def test_one_by_one_a_proof_at_another_height_than_asked_is_none():
    node = Node(refuse(6))
    answer = node.call
    node.call = lambda method, **params: answer(method, **{**params, "height": "8"})
    (found,) = asked(node, KEYS[:1])
    assert "the proof is for height 8, not 9" in str(found)


def test_one_is_asked_for_alone():
    node = Node()
    the_same(asked(node, KEYS[:1]), KEYS[:1])
    assert (node.bulk, len(node.single)) == ([], 1)


@pytest.mark.parametrize(
    ("code", "rounds"), [(6, UNKNOWN_BACKOFF), (18, REFUSED_BACKOFF), (22, REFUSED_BACKOFF)]
)
def test_who_refuses_is_asked_in_this_way_again_after_a_while(code, rounds):
    node = Node(refuse(code))
    proofs = RpcProofs(node, "n-3", 1, BulkProofs("n-3"))
    the_same(proofs.prove_many(KEYS[:2], 9), KEYS[:2])
    assert (len(node.bulk), len(node.single)) == (1, 2)
    for _ in range(rounds):
        the_same(proofs.prove_many(KEYS[:2], 9), KEYS[:2])
    assert len(node.bulk) == 1
    node.spoil = lambda answer: answer
    the_same(proofs.prove_many(KEYS[:2], 9), KEYS[:2])
    assert (len(node.bulk), len(node.single)) == (2, 2 + 2 * rounds)


@pytest.mark.parametrize(
    "spoil",
    [
        edited(height=8),
        other_height,
        edited(entries=1),
        edited(store_proof=b"no proof"),
        edited(store_proof=proof(b"k" * MAX_STORE_PROOF)),
        deflated(lambda raw: raw[:-1]),
        deflated(lambda raw: raw + b"\0"),
        deflated(lambda _: deflate(bytes(MAX_PROOFS + 1))),
        deflated(lambda _: deflate(QueryProofsResponse(height=9).SerializeToString())),
        lambda _: {"response": {"value": "bm9uc2Vuc2U=", "height": "9"}},
        lambda _: {"response": {"value": "", "height": "9"}},
        lambda _: {"response": {"value": 7, "height": "9"}},
        lambda _: {"response": None},
        lambda _: {},
    ],
)
def test_an_answer_that_is_none_is_asked_for_one_by_one(spoil):
    node = Node(spoil)
    proofs = RpcProofs(node, "n-3", 1, BulkProofs("n-3"))
    for _ in range(2):
        the_same(proofs.prove_many(KEYS[:2], 9), KEYS[:2])
    assert (len(node.bulk), len(node.single)) == (1, 4)


def test_a_refusal_of_the_call_is_no_silence():
    def fail(_answer):
        raise EndpointRefused("n-3", "abci_query", "request too large")

    node = Node(fail)
    the_same(asked(node, KEYS[:12]), KEYS[:12])
    assert len(node.single) == 12


def test_a_silent_node_is_asked_no_more():
    def silent(_answer):
        raise EndpointUnavailable("n-3", "timed out")

    node = Node(silent)
    found = RpcProofs(node, "n-3", 1, BulkProofs("n-3")).prove_many(KEYS * 4, 9)
    assert len(found) == len(KEYS) * 4
    assert all(isinstance(each, EndpointUnavailable) for each in found)
    assert (len(node.bulk), node.single) == (MAX_TIMEOUTS, [])
