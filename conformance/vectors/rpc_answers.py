"""Self-contained checks of CometBFT RPC responses: hashes of headers, blocks, transactions and keys."""

import base64
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from typing import Any

from conformance.case import Check, Mismatch, expect
from light_client.tendermint.comet_json import read_block_id, read_commit, read_header, read_validators
from light_client.tendermint.encoding import inner_hash, leaf_hash
from light_client.tendermint.hashing import commit_hash, data_hash, header_hash
from light_client.tendermint.types import address_of

_Json = dict[str, Any]
_Checks = Iterator[tuple[str, Check]]


def checks(data: Any) -> _Checks:
    """Return checks of every block, block id, signed header, transaction and public key in `data`."""
    for place, node in _objects(data, ""):
        for name, check in (*_block_checks(node), *_tx_checks(node), *_key_checks(node)):
            yield f"{place} {name}".strip(), check


def _objects(node: Any, place: str) -> Iterator[tuple[str, _Json]]:
    if isinstance(node, dict):
        yield place, node
        for name, child in node.items():
            yield from _objects(child, f"{place}/{name}")
    elif isinstance(node, list):
        for index, child in enumerate(node):
            yield from _objects(child, f"{place}/{index}")


def _block_checks(node: _Json) -> _Checks:
    block_id, block, commit = (_object(node, name) for name in ("block_id", "block", "commit"))
    header = _object(node, "header") or _object(block, "header")
    if header and block_id:
        yield "header hash", partial(_header_hash, header, block_id)
    if header and commit:
        yield "signed header", partial(_header_hash, header, commit["block_id"])
    if block and "data" in block:
        yield "data hash", partial(_data_hash, block)
    if block and (block.get("last_commit") or {}).get("signatures"):
        yield "last commit hash", partial(_last_commit_hash, block)


def _tx_checks(node: _Json) -> _Checks:
    tx, digest, proof = node.get("tx"), node.get("hash"), _object(node, "proof")
    if isinstance(tx, str) and isinstance(digest, str):
        yield "transaction hash", partial(_tx_hash, tx, digest)
    if isinstance(tx, str) and proof and "root_hash" in proof:
        yield "transaction proof", partial(_tx_proof, tx, proof)


def _key_checks(node: _Json) -> _Checks:
    address, key = node.get("address"), _object(node, "pub_key")
    if address and isinstance(address, str) and key and "voting_power" in node:
        yield "address", partial(_address, node)


def _object(node: _Json | None, name: str) -> _Json | None:
    found = (node or {}).get(name)
    return found if isinstance(found, dict) else None


def _header_hash(header: _Json, block_id: _Json) -> None:
    expect(header_hash(read_header(header)), read_block_id(block_id).hash)


def _data_hash(block: _Json) -> None:
    txs = (base64.b64decode(tx, validate=True) for tx in (block["data"] or {}).get("txs") or ())
    expect(data_hash(txs), read_header(block["header"]).data_hash)


def _last_commit_hash(block: _Json) -> None:
    expect(
        commit_hash(read_commit(block["last_commit"])),
        read_header(block["header"]).last_commit_hash,
    )


def _tx_hash(tx: str, digest: str) -> None:
    expect(sha256(base64.b64decode(tx, validate=True)).hexdigest().upper(), digest.upper())


def _tx_proof(tx: str, proof: _Json) -> None:
    """Check that the transaction's hash is a leaf below the block's data hash (CometBFT's TxProof)."""
    inner = proof["proof"]
    leaf = leaf_hash(sha256(base64.b64decode(tx, validate=True)).digest())
    expect(base64.b64encode(leaf).decode(), inner["leaf_hash"])
    aunts = [base64.b64decode(aunt, validate=True) for aunt in inner["aunts"] or ()]
    root = _climb(leaf, int(inner["index"]), int(inner["total"]), aunts)
    expect(root.hex().upper(), proof["root_hash"])


def _climb(leaf: bytes, index: int, total: int, aunts: list[bytes]) -> bytes:
    """Return the root above a leaf, from its aunts, lowest first."""
    if total <= 1:
        if aunts or total < 1:
            raise Mismatch("more aunts than levels")
        return leaf
    if not aunts:
        raise Mismatch("fewer aunts than levels")
    left = 1 << (total - 1).bit_length() - 1
    if index < left:
        return inner_hash(_climb(leaf, index, left, aunts[:-1]), aunts[-1])
    return inner_hash(aunts[-1], _climb(leaf, index - left, total - left, aunts[:-1]))


def _address(node: _Json) -> None:
    (validator,) = read_validators([node])
    expect(address_of(validator.key_type, validator.public_key), validator.address)
