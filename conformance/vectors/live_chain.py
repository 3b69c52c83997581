"""One recorded chain: hashes and commit of every block, a light client that follows it, and its proofs."""

import base64
import random
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from conformance import memory
from conformance.case import Cases, expect, refusal
from conformance.vectors import live_proofs
from conformance.vectors.live_client import client_of, light
from light_client.tendermint.client import TendermintLightClient
from light_client.tendermint.codec import pack_client_header
from light_client.tendermint.comet_json import (
    read_block_id,
    read_commit,
    read_header,
    read_signed_header,
    read_validators,
)
from light_client.tendermint.hashing import (
    TxResult,
    commit_hash,
    consensus_params_hash,
    data_hash,
    header_hash,
    results_hash,
)
from light_client.tendermint.types import ClientHeader, SignedHeader, ValidatorSet
from light_client.tendermint.updates import height_of
from light_client.tendermint.verifier import check_commit_of, check_signed_header
from pyibc.core.host.overlay import BlockContext

_LONGEST_SKIP = 40
_WALKS = 3
_Json = dict[str, Any]


def cases(data: _Json) -> Cases:
    """Return the cases of a recorded chain."""
    blocks = {int(height): block for height, block in data["blocks"].items()}
    for height, block in sorted(blocks.items()):
        yield f"hashes {height}", partial(_hashes, block)
        yield f"parameters {height}", partial(_parameters, block, data["consensus_params"])
        if height + 1 in blocks:
            yield f"results {height}", partial(_results, block, blocks[height + 1])
    known = sorted(height for height in blocks if height > 1)  # the first header has no app hash to trust
    yield from _walk("one by one", blocks, known)
    for seed in range(_WALKS):
        yield from _walk(f"skips {seed}", blocks, list(_skips(known, seed)))
    for number, proof in enumerate(data["proofs"]):
        signed = read_signed_header(proof["commit"]["signed_header"])
        yield from live_proofs.of_record(f"proof {number}", proof, signed, _others(blocks, signed))


def _skips(heights: Sequence[int], seed: int) -> Iterator[int]:
    """Return some of `heights`, including the first and the last."""
    draw, at = random.Random(seed), 0  # noqa: S311  the same walk on every machine
    while at < len(heights) - 1:
        yield heights[at]
        at += draw.randint(1, _LONGEST_SKIP)
    yield heights[-1]


def _others(blocks: dict[int, _Json], signed: SignedHeader) -> SignedHeader | None:
    """Return the newest header below `signed` that commits to another state."""
    for height in range(signed.header.height - 1, 1, -1):
        if height in blocks:
            other = read_signed_header(blocks[height]["commit"]["signed_header"])
            if other.header.app_hash != signed.header.app_hash:
                return other
    return None


def _validators(block: _Json) -> ValidatorSet:
    return ValidatorSet(read_validators(block["validators"]["validators"]))


def _hashes(block: _Json) -> None:
    signed = read_signed_header(block["commit"]["signed_header"])
    check_signed_header(signed, signed.header.chain_id)
    check_commit_of(signed, signed.header.chain_id, _validators(block))
    expect(_validators(block).hash, signed.header.validators_hash)
    content = block["block"]["block"]
    header = read_header(content["header"])
    expect(header, signed.header)
    expect(header_hash(header), read_block_id(block["block"]["block_id"]).hash)
    expect(data_hash(base64.b64decode(tx) for tx in content["data"]["txs"] or ()), header.data_hash)
    expect(commit_hash(read_commit(content["last_commit"])), header.last_commit_hash)


def _parameters(block: _Json, recorded: _Json) -> None:
    """Check the hash of the consensus parameters, which these chains never changed."""
    limits = recorded["consensus_params"]["block"]
    header = read_header(block["block"]["block"]["header"])
    expect(consensus_params_hash(int(limits["max_bytes"]), int(limits["max_gas"])), header.consensus_hash)


def _results(block: _Json, following: _Json) -> None:
    results = (
        TxResult(
            int(result.get("code") or 0),
            base64.b64decode(result.get("data") or ""),
            int(result.get("gas_wanted") or 0),
            int(result.get("gas_used") or 0),
        )
        for result in block["block_results"]["txs_results"] or ()
    )
    header = read_header(following["block"]["block"]["header"])
    expect(results_hash(results), header.last_results_hash)


def _walk(name: str, blocks: dict[int, _Json], heights: Sequence[int]) -> Cases:
    """Update a client of the first header with all others, each submitted with a flipped bit first."""
    signed = {height: read_signed_header(blocks[height]["commit"]["signed_header"]) for height in heights}
    ctx = memory.block(signed[heights[-1]].header.time_ns)
    client = client_of(ctx, signed[heights[0]])
    for base, height in pairwise(heights):
        header = light(signed[height], _validators(blocks[height]), base, _validators(blocks[base + 1]))
        yield f"client {name} {base} to {height}", partial(_update, ctx, client, header)


def _update(ctx: BlockContext, client: TendermintLightClient, header: ClientHeader) -> None:
    for spoilt in _spoilt(header):
        packed = pack_client_header(spoilt)
        refused = refusal(lambda packed=packed: client.verify_client_message(ctx, memory.CLIENT, packed))  # type: ignore[misc]
        expect(bool(refused), True)
    message = pack_client_header(header)
    client.verify_client_message(ctx, memory.CLIENT, message)
    expect(client.check_for_misbehaviour(ctx, memory.CLIENT, message), False)
    expect(client.update_state(ctx, memory.CLIENT, message), [height_of(header)])
    expect(client.latest_height(ctx, memory.CLIENT), height_of(header))
    expect(client.timestamp_at_height(ctx, memory.CLIENT, height_of(header)), header.header.time_ns)


def _spoilt(header: ClientHeader) -> Iterator[ClientHeader]:
    """Return the header with a bit flipped in its state root, time, next validators and first signature."""
    own, commit = header.header, header.commit
    flipped = flip(own.app_hash, own.height)
    yield header._replace(header=own._replace(app_hash=flipped))
    yield header._replace(header=own._replace(time_ns=own.time_ns ^ 1))
    flipped = flip(own.next_validators_hash, own.height)
    yield header._replace(header=own._replace(next_validators_hash=flipped))
    first = commit.signatures[0]
    bad = first._replace(signature=flip(first.signature, own.height))
    yield header._replace(commit=commit._replace(signatures=(bad, *commit.signatures[1:])))


def flip(raw: bytes, turn: int) -> bytes:
    """Return `raw` with one bit flipped, a different one each turn."""
    spoilt = bytearray(raw)
    spoilt[turn % len(raw)] ^= 1 << turn % 8
    return bytes(spoilt)
