"""Conversion of headers, commits and validators from and to CometBFT's JSON.

Integers may be numbers or text, and empty hashes "", null or absent. `part_set_header` is the old name of
`parts`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from light_client.tendermint.types import (
    ED25519,
    NO_BLOCK,
    SECP256K1,
    BlockId,
    Commit,
    CommitSig,
    Header,
    SignedHeader,
    Validator,
)
from pyibc.codec.comet_json import Json, read_base64, read_hex, read_integer, write_base64, write_hex
from pyibc.codec.gotime import GO_ZERO_TIME_NS, format_rfc3339, parse_rfc3339

_Json = Mapping[str, Any]
_KEY_NAMES = {ED25519: "tendermint/PubKeyEd25519", SECP256K1: "tendermint/PubKeySecp256k1"}
_KEY_TYPES = {name: kind for kind, name in _KEY_NAMES.items()}
_HASHES = (
    "last_commit_hash",
    "data_hash",
    "validators_hash",
    "next_validators_hash",
    "consensus_hash",
    "app_hash",
    "last_results_hash",
    "evidence_hash",
    "proposer_address",
)


def read_header(data: _Json) -> Header:
    """Return the value of a `header`.

    Raises:
        ValueError, KeyError: `data` is malformed.
    """
    version = data.get("version") or {}
    return Header(
        data.get("chain_id", ""),
        read_integer(data["height"]),
        _read_time(data.get("time")),
        read_block_id(data.get("last_block_id")),
        read_hex(data.get("last_commit_hash")),
        read_hex(data.get("data_hash")),
        read_hex(data.get("validators_hash")),
        read_hex(data.get("next_validators_hash")),
        read_hex(data.get("consensus_hash")),
        read_hex(data.get("app_hash")),
        read_hex(data.get("last_results_hash")),
        read_hex(data.get("evidence_hash")),
        read_hex(data.get("proposer_address")),
        read_integer(version.get("block")),
        read_integer(version.get("app")),
    )


def write_header(value: Header) -> Json:
    """Return the JSON of a header."""
    version = {"block": str(value.version_block)}
    if value.version_app:
        version["app"] = str(value.version_app)
    return {
        "version": version,
        "chain_id": value.chain_id,
        "height": str(value.height),
        "time": format_rfc3339(value.time_ns),
        "last_block_id": write_block_id(value.last_block_id),
        **{name: write_hex(getattr(value, name)) for name in _HASHES},
    }


def read_block_id(data: _Json | None) -> BlockId:
    """Return the value of a `block_id`; null is no block.

    Raises:
        ValueError: `data` is malformed.
    """
    if not data:
        return NO_BLOCK
    parts = data.get("parts") or data.get("part_set_header") or {}
    return BlockId(read_hex(data.get("hash")), read_integer(parts.get("total")), read_hex(parts.get("hash")))


def write_block_id(value: BlockId) -> Json:
    """Return the JSON of a block id."""
    parts = {"total": value.part_set_total, "hash": write_hex(value.part_set_hash)}
    return {"hash": write_hex(value.hash), "parts": parts}


def read_commit(data: _Json) -> Commit:
    """Return the value of a `commit`.

    Raises:
        ValueError, KeyError: `data` is malformed.
    """
    return Commit(
        read_integer(data["height"]),
        read_integer(data.get("round")),
        read_block_id(data.get("block_id")),
        tuple([_read_commit_sig(sig) for sig in data.get("signatures") or ()]),
    )


def write_commit(value: Commit) -> Json:
    """Return the JSON of a commit."""
    return {
        "height": str(value.height),
        "round": value.round,
        "block_id": write_block_id(value.block_id),
        "signatures": [_write_commit_sig(sig) for sig in value.signatures],
    }


def read_signed_header(data: _Json) -> SignedHeader:
    """Return the value of a `signed_header`.

    Raises:
        ValueError, KeyError: `data` is malformed.
    """
    return SignedHeader(read_header(data["header"]), read_commit(data["commit"]))


def write_signed_header(value: SignedHeader) -> Json:
    """Return the JSON of a signed header."""
    return {"header": write_header(value.header), "commit": write_commit(value.commit)}


def read_validators(data: Sequence[_Json] | None) -> tuple[Validator, ...]:
    """Return the values of the `validators` of a set, in order.

    Raises:
        ValueError, KeyError: `data` is malformed.
    """
    return tuple([_read_validator(member) for member in data or ()])


def write_validator(member: Validator) -> Json:
    """Return the JSON of a validator."""
    return {
        "address": write_hex(member.address),
        "pub_key": write_public_key(member),
        "voting_power": str(member.power),
        "proposer_priority": str(member.priority),
    }


def write_public_key(member: Validator) -> Json:
    """Return the JSON of a validator's public key."""
    return {"type": _KEY_NAMES[member.key_type], "value": write_base64(member.public_key)}


def _read_validator(data: _Json) -> Validator:
    key = data["pub_key"]
    return Validator(
        read_hex(data.get("address")),
        _KEY_TYPES.get(key["type"], key["type"]),
        read_base64(key["value"]),
        read_integer(data.get("voting_power") or data.get("power")),
        read_integer(data.get("proposer_priority")),
    )


def _read_commit_sig(data: _Json) -> CommitSig:
    return CommitSig(
        read_integer(data["block_id_flag"]),
        read_hex(data.get("validator_address")),
        _read_time(data.get("timestamp")),
        read_base64(data.get("signature")),
    )


def _write_commit_sig(sig: CommitSig) -> Json:
    return {
        "block_id_flag": sig.flag,
        "validator_address": write_hex(sig.validator_address),
        "timestamp": format_rfc3339(sig.time_ns),
        "signature": write_base64(sig.signature),
    }


def _read_time(text: str | None) -> int:
    return parse_rfc3339(text) if text else GO_ZERO_TIME_NS
