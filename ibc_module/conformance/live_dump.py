"""Two recorded ibc-go chains: every block's hashes and commit, followed by a client, and its proofs."""

import base64
import gzip
import json
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from ibc_module.conformance import memory
from ibc_module.conformance.case import CaseResult, Cases, expect, run_files
from ibc_module.core.height import Height, revision_of
from ibc_module.core.overlay import BlockContext
from ibc_module.proofs import join_proofs
from light_client.tendermint import rpc, state_codec
from light_client.tendermint.client import TendermintLightClient
from light_client.tendermint.codec import pack_client_header
from light_client.tendermint.hashing import TxResult, commit_hash, data_hash, results_hash
from light_client.tendermint.states import DEFAULT_TRUST_LEVEL, ClientState
from light_client.tendermint.types import ClientHeader, SignedHeader, ValidatorSet
from light_client.tendermint.updates import consensus_state_of, height_of
from light_client.tendermint.verifier import check_commit_of, check_signed_header

FAMILY = "live_dump"
_CLIENT = "07-tendermint-0"
_DAY_NS = 86_400 * 10**9
_STRIDE = 10
_Json = dict[str, Any]


def run(folder: Path) -> list[CaseResult]:
    """The cases of `folder`/dump/chain-*.json.gz; the recordings of calls beside them hold no new headers."""
    return run_files(FAMILY, folder, cases_of)


def cases_of(path: Path) -> Cases | None:
    """The cases of one file; None where it is not of this family's form."""
    if not path.name.startswith("chain-"):
        return iter([("not a chain's record", lambda: None)])
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return _chain(json.load(file))


def _chain(data: _Json) -> Cases:
    blocks = {int(height): block for height, block in data["blocks"].items()}
    for height, block in sorted(blocks.items()):
        yield f"hashes {height}", partial(_hashes, block)
        if height + 1 in blocks:
            yield f"results {height}", partial(_results, block, blocks[height + 1])
    for stride in (1, _STRIDE):
        yield f"client, every {stride}", partial(_follow, blocks, stride)
    for number, proof in enumerate(data["proofs"]):
        yield f"proof {number} {proof['key']}", partial(_proof, proof)


def _validators(data: _Json) -> ValidatorSet:
    return ValidatorSet(rpc.validators(data["validators"]))


def _hashes(block: _Json) -> None:
    signed = rpc.signed_header(block["commit"]["signed_header"])
    check_signed_header(signed, signed.header.chain_id)
    check_commit_of(signed, signed.header.chain_id, _validators(block["validators"]))
    content = block["block"]["block"]
    header = rpc.header(content["header"])
    expect(header, signed.header)
    expect(data_hash(base64.b64decode(tx) for tx in content["data"]["txs"] or ()), header.data_hash)
    expect(commit_hash(rpc.commit(content["last_commit"])), header.last_commit_hash)


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
    header = rpc.header(following["block"]["block"]["header"])
    expect(results_hash(results), header.last_results_hash)


def _light(signed: SignedHeader, validators: ValidatorSet, base: int, trusted: ValidatorSet) -> ClientHeader:
    revision = revision_of(signed.header.chain_id)
    return ClientHeader(signed.header, signed.commit, validators, Height(revision, base), trusted)


def _create(ctx: BlockContext, first: SignedHeader) -> TendermintLightClient:
    header = first.header
    client, height = TendermintLightClient(), Height(revision_of(header.chain_id), header.height)
    state = ClientState(header.chain_id, DEFAULT_TRUST_LEVEL, 14 * _DAY_NS, 21 * _DAY_NS, 10**10, height)
    consensus = consensus_state_of(_light(first, ValidatorSet(()), 0, ValidatorSet(())))
    client.initialize(
        ctx, _CLIENT, state_codec.encode_client_state(state), state_codec.encode_consensus_state(consensus)
    )
    return client


def _follow(blocks: dict[int, _Json], stride: int) -> None:
    """A client that is updated with every `stride`th header of the record."""
    heights = sorted(blocks)[1::stride]
    signed = {height: rpc.signed_header(blocks[height]["commit"]["signed_header"]) for height in heights}
    ctx = memory.block(signed[heights[-1]].header.time_ns)
    client = _create(ctx, signed[heights[0]])
    for base, height in pairwise(heights):
        header = _light(
            signed[height],
            _validators(blocks[height]["validators"]),
            base,
            _validators(blocks[base + 1]["validators"]),
        )
        message = pack_client_header(header)
        client.verify_client_message(ctx, _CLIENT, message)
        expect(client.check_for_misbehaviour(ctx, _CLIENT, message), False)
        expect(client.update_state(ctx, _CLIENT, message), [height_of(header)])
    expect(client.latest_height(ctx, _CLIENT).revision_height, heights[-1])


def _proof(record: _Json) -> None:
    """What the record shows of a key in the state after `height`, against the header above it."""
    signed = rpc.signed_header(record["commit"]["signed_header"])
    answer = record["answer"].get("response", record["answer"])
    proof = join_proofs(*(base64.b64decode(op["data"]) for op in answer["proofOps"]["ops"]))
    path, value = (b"ibc", record["key"].encode("latin-1")), base64.b64decode(answer.get("value") or "")
    ctx = memory.block(signed.header.time_ns)
    client = _create(ctx, signed)
    height = client.latest_height(ctx, _CLIENT)
    if value:
        client.verify_membership(ctx, _CLIENT, height, 0, 0, proof, path, value)
    else:
        client.verify_non_membership(ctx, _CLIENT, height, 0, 0, proof, path)
