"""Recorded responses with proofs of presence and absence, verified against the next header."""

import base64
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from conformance import memory
from conformance.case import Cases, Check, LeftOut, expect, refusal
from conformance.files import load_json
from conformance.vectors.live_client import client_of
from conformance.vectors.synthetic import join_proofs
from light_client.interface import Claim
from light_client.tendermint.comet_json import read_signed_header
from light_client.tendermint.types import SignedHeader
from pyibc.proto.ibc.core.commitment.v1.commitment_pb2 import MerkleProof

_Json = dict[str, Any]
_STORE = b"ibc"


class Headers:
    """The headers of the chains recorded in one folder."""

    def __init__(self, folder: Path) -> None:
        self._chains: dict[str, dict[int, _Json]] = {}
        for path in sorted(folder.glob("chain-*.json*")):
            data = load_json(path)
            blocks = {int(height): block for height, block in data["blocks"].items()}
            self._chains[data["chain_id"]] = blocks

    def at(self, chain_id: str, height: int) -> SignedHeader | None:
        """Return the header of a height, if recorded."""
        block = self._chains.get(chain_id, {}).get(height)
        return None if block is None else read_signed_header(block["commit"]["signed_header"])


def of_call(call: _Json, headers: Headers) -> Iterator[tuple[str, Check | LeftOut]]:
    """Return the proof in the response to an `abci_query`."""
    answer = call["response"]["result"]["response"]
    above = int(answer["height"]) + 1
    signed, other = (headers.at(call["chain"], height) for height in (above, above - 1))
    if signed is None:
        yield "proof", LeftOut(f"header {above} of {call['chain']} is not here")
        return
    differs = other is not None and other.header.app_hash != signed.header.app_hash
    yield from _checks(bytes.fromhex(call["params"]["data"]), answer, signed, other if differs else None)


def of_record(name: str, record: _Json, signed: SignedHeader, other: SignedHeader | None) -> Cases:
    """Check a proof against the next header; `other` commits to another state."""
    answer = record["answer"].get("response", record["answer"])
    for part, check in _checks(record["key"].encode("latin-1"), answer, signed, other):
        yield f"{name} {record['key']} {part}", check


def _checks(
    key: bytes, answer: _Json, signed: SignedHeader, other: SignedHeader | None
) -> Iterator[tuple[str, Check]]:
    proof = join_proofs(*(base64.b64decode(op["data"]) for op in answer["proofOps"]["ops"]))
    value = base64.b64decode(answer.get("value") or "")
    yield ("presence" if value else "absence"), partial(_verify, key, value, proof, signed)
    for case, arguments in _wrong(key, value, proof, signed, other):
        yield case, partial(_refused, *arguments)


def _wrong(
    key: bytes, value: bytes, proof: bytes, signed: SignedHeader, other: SignedHeader | None
) -> Iterator[tuple[str, tuple[bytes, bytes, bytes, SignedHeader]]]:
    """Return claims that the same proof must not show."""
    yield "other verdict", (key, b"" if value else b"\x00", proof, signed)
    yield "other key", (key + b"0" if value else _neighbour(proof), value, proof, signed)
    if value:
        yield "other value", (key, value[:-1] + bytes([value[-1] ^ 1]), proof, signed)
    if other is not None:
        yield "other height", (key, value, proof, other)


def _neighbour(proof: bytes) -> bytes:
    """Return a key that an absence proof shows to be present; keys between its neighbours are absent too."""
    absence = MerkleProof.FromString(proof).proofs[0].nonexist
    return absence.left.key or absence.right.key


def _verify(key: bytes, value: bytes, proof: bytes, signed: SignedHeader) -> None:
    """Verify the value of `key`, or its absence, in the state that `signed` commits to."""
    ctx = memory.block(signed.header.time_ns)
    client = client_of(ctx, signed)
    height = client.latest_height(ctx, memory.CLIENT)
    claim = Claim(height, proof, (_STORE, key), value)
    if value:
        client.verify_membership(ctx, memory.CLIENT, claim)
    else:
        client.verify_non_membership(ctx, memory.CLIENT, claim)


def _refused(key: bytes, value: bytes, proof: bytes, signed: SignedHeader) -> None:
    expect(refusal(lambda: _verify(key, value, proof, signed)), "InvalidProof")
