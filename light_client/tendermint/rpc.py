"""Headers, commits and validator sets from the JSON of CometBFT's RPC.

Integers may be numbers or strings, empty hashes "", null or absent; `parts` was once `part_set_header`.
"""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from ibc_core.wire.gotime import GO_ZERO_TIME_NS, parse_rfc3339
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
    ValidatorSet,
)

_Json = Mapping[str, Any]
_KEY_TYPES = {"tendermint/PubKeyEd25519": ED25519, "tendermint/PubKeySecp256k1": SECP256K1}


def header(data: _Json) -> Header:
    """A `header`.

    Raises:
        ValueError, KeyError: `data` is not one.
    """
    version = data.get("version") or {}
    return Header(
        data.get("chain_id", ""),
        int(data["height"]),
        _time(data.get("time")),
        block_id(data.get("last_block_id")),
        _hex(data, "last_commit_hash"),
        _hex(data, "data_hash"),
        _hex(data, "validators_hash"),
        _hex(data, "next_validators_hash"),
        _hex(data, "consensus_hash"),
        _hex(data, "app_hash"),
        _hex(data, "last_results_hash"),
        _hex(data, "evidence_hash"),
        _hex(data, "proposer_address"),
        int(version.get("block") or 0),
        int(version.get("app") or 0),
    )


def block_id(data: _Json | None) -> BlockId:
    """A `block_id`; null names no block.

    Raises:
        ValueError: `data` is not one.
    """
    if not data:
        return NO_BLOCK
    parts = data.get("parts") or data.get("part_set_header") or {}
    return BlockId(_hex(data, "hash"), int(parts.get("total") or 0), _hex(parts, "hash"))


def commit(data: _Json) -> Commit:
    """A `commit`.

    Raises:
        ValueError, KeyError: `data` is not one.
    """
    signatures = tuple(_commit_sig(sig) for sig in data.get("signatures") or ())
    return Commit(
        int(data["height"]), int(data.get("round") or 0), block_id(data.get("block_id")), signatures
    )


def signed_header(data: _Json) -> SignedHeader:
    """A `signed_header`.

    Raises:
        ValueError, KeyError: `data` is not one.
    """
    return SignedHeader(header(data["header"]), commit(data["commit"]))


def validators(data: Sequence[_Json] | None) -> tuple[Validator, ...]:
    """The `validators` of a set, in the order given.

    Raises:
        ValueError, KeyError: `data` are none.
    """
    return tuple(_validator(member) for member in data or ())


def validator_set(data: _Json) -> ValidatorSet:
    """A `validator_set` with its proposer, if it names one.

    Raises:
        ValueError, KeyError: `data` is not one.
        MalformedValidatorSet: a validator is impossible.
    """
    proposer = data.get("proposer")
    return ValidatorSet(validators(data.get("validators")), _validator(proposer) if proposer else None)


def _validator(data: _Json) -> Validator:
    key = data["pub_key"]
    return Validator(
        _hex(data, "address"),
        _KEY_TYPES.get(key["type"], key["type"]),
        base64.b64decode(key["value"], validate=True),
        int(data.get("voting_power") or data.get("power") or 0),
        int(data.get("proposer_priority") or 0),
    )


def _commit_sig(data: _Json) -> CommitSig:
    signature = base64.b64decode(data.get("signature") or "", validate=True)
    return CommitSig(
        int(data["block_id_flag"]), _hex(data, "validator_address"), _time(data.get("timestamp")), signature
    )


def _hex(data: _Json, field: str) -> bytes:
    return bytes.fromhex(data.get(field) or "")


def _time(text: str | None) -> int:
    return parse_rfc3339(text) if text else GO_ZERO_TIME_NS
