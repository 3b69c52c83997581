"""Values as CometBFT 0.38 prints them: integers of 64 bits as text, hashes in hex, bytes in base64."""

from base64 import b64encode
from collections.abc import Sequence
from typing import Any

from ibc_core.host.block import TxOutcome
from ibc_core.host.events import Event
from ibc_core.wire.gotime import GO_ZERO_TIME_NS, format_rfc3339
from light_client.tendermint.types import ED25519, FLAG_ABSENT, BlockId, Commit, Header, Validator
from localnet.host.query import QueryAnswer

Json = dict[str, Any]
_KEY_TYPES = {ED25519: "tendermint/PubKeyEd25519"}


def hex_upper(data: bytes) -> str:
    """Hashes and addresses."""
    return data.hex().upper()


def base64_text(data: bytes) -> str | None:
    """Bytes; null where there are none, as Go prints a nil slice."""
    return b64encode(data).decode("ascii") if data else None


def block_id(value: BlockId) -> Json:
    """A block id."""
    parts = {"total": value.part_set_total, "hash": hex_upper(value.part_set_hash)}
    return {"hash": hex_upper(value.hash), "parts": parts}


def header(value: Header) -> Json:
    """A header."""
    version = {"block": str(value.version_block)}
    if value.version_app:
        version["app"] = str(value.version_app)
    hashes = (
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
    return {
        "version": version,
        "chain_id": value.chain_id,
        "height": str(value.height),
        "time": format_rfc3339(value.time_ns),
        "last_block_id": block_id(value.last_block_id),
        **{name: hex_upper(getattr(value, name)) for name in hashes},
    }


def commit(value: Commit) -> Json:
    """A commit."""
    signatures = [
        {
            "block_id_flag": sig.flag,
            "validator_address": hex_upper(sig.validator_address),
            "timestamp": format_rfc3339(GO_ZERO_TIME_NS)
            if sig.flag == FLAG_ABSENT
            else format_rfc3339(sig.time_ns),
            "signature": base64_text(sig.signature),
        }
        for sig in value.signatures
    ]
    return {
        "height": str(value.height),
        "round": value.round,
        "block_id": block_id(value.block_id),
        "signatures": signatures,
    }


def public_key(member: Validator) -> Json:
    """A validator's key."""
    return {"type": _KEY_TYPES[member.key_type], "value": base64_text(member.public_key)}


def validator(member: Validator) -> Json:
    """A member of a validator set."""
    return {
        "address": hex_upper(member.address),
        "pub_key": public_key(member),
        "voting_power": str(member.power),
        "proposer_priority": str(member.priority),
    }


def events(values: Sequence[Event]) -> list[Json]:
    """Events, every attribute indexed."""
    return [
        {"type": kind, "attributes": [{"key": key, "value": text, "index": True} for key, text in pairs]}
        for kind, pairs in values
    ]


def tx_result(outcome: TxOutcome) -> Json:
    """What came of a transaction."""
    return {
        "code": outcome.code,
        "data": base64_text(outcome.data),
        "log": outcome.log,
        "info": "",
        "gas_wanted": str(outcome.gas_wanted),
        "gas_used": str(outcome.gas_used),
        "events": events(outcome.events),
        "codespace": outcome.codespace,
    }


def query_answer(answer: QueryAnswer) -> Json:
    """ABCI Query's answer."""
    ops = [{"type": op.kind, "key": base64_text(op.key), "data": base64_text(op.data)} for op in answer.proof]
    return {
        "code": answer.code,
        "log": answer.log,
        "info": "",
        "index": "0",
        "key": base64_text(answer.key),
        "value": base64_text(answer.value),
        "proofOps": {"ops": ops} if ops else None,
        "height": str(answer.height),
        "codespace": answer.codespace,
    }
