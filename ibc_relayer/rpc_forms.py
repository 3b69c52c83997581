"""A CometBFT node's JSON to values: blocks with their events, light blocks, proofs."""

from base64 import b64decode
from collections.abc import Iterable, Sequence
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from ibc_core.host.block import CommittedBlock, TxOutcome
from ibc_core.host.events import Event
from ibc_core.wire.encoding import encode
from ibc_core.wire.gotime import NANOSECONDS, parse_rfc3339
from ibc_core.wire.merkle import encode_merkle_proof
from ibc_proto.tendermint.crypto import keys_pb2
from ibc_proto.tendermint.types import types_pb2, validator_pb2
from ibc_relayer.endpoint import LightBlock

Json = dict[str, Any]

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


def committed_block(block: Json, results: Json, *, encoded: bool) -> CommittedBlock:
    """The answers of `block` and `block_results` as one value.

    Args:
        block: result of `block`.
        results: result of `block_results` of the same height.
        encoded: whether event attributes are in base64, as nodes before 0.37 write them.

    Raises:
        ValueError, KeyError, TypeError: the answers are not of their form.
    """
    header, txs = block["block"]["header"], block["block"]["data"]["txs"] or []
    outcomes = results["txs_results"] or []
    block_events = [
        *(results.get("finalize_block_events") or []),
        *(results.get("begin_block_events") or []),
        *(results.get("end_block_events") or []),
    ]
    return CommittedBlock(
        header["chain_id"],
        int(header["height"]),
        parse_rfc3339(header["time"]),
        data(results.get("app_hash")),
        tuple([tx_outcome(data(tx), each, encoded) for tx, each in zip(txs, outcomes, strict=True)]),
        events(block_events, encoded),
    )


def tx_outcome(tx: bytes, result: Json, encoded: bool) -> TxOutcome:
    """One entry of `txs_results`."""
    return TxOutcome(
        tx,
        int(result.get("code") or 0),
        result.get("codespace") or "",
        events(result.get("events") or [], encoded),
        int(result.get("gas_wanted") or 0),
        int(result.get("gas_used") or 0),
        data(result.get("data")),
        result.get("log") or "",
    )


def events(values: Iterable[Json], encoded: bool) -> tuple[Event, ...]:
    """Events; in base64 if `encoded`."""
    text = _decoded if encoded else _plain
    return tuple(
        [
            (each["type"], tuple([(text(a["key"]), text(a["value"])) for a in each["attributes"] or []]))
            for each in values
        ]
    )


def light_block(commit: Json, validators: Sequence[Json]) -> LightBlock:
    """The answers of `commit` and (all pages of) `validators` as protobuf bytes.

    Raises:
        ValueError, KeyError, TypeError: the answers are not of their form.
    """
    signed = commit["signed_header"]
    header = _header(signed["header"])
    message = types_pb2.SignedHeader(header=header, commit=_commit(signed["commit"]))
    members = [_validator(each) for each in validators]
    proposer = next(m for m in members if m.address == header.proposer_address)
    # Proposer priorities take part in no hash and would double the size of a set: they are left out.
    member_set = validator_pb2.ValidatorSet(validators=members, proposer=proposer)
    return LightBlock(
        header.height, parse_rfc3339(signed["header"]["time"]), encode(message), encode(member_set)
    )


def merkle_proof(ops: Json | None) -> bytes:
    """The `proofOps` of an ABCI query as MerkleProof bytes.

    Raises:
        ValueError: there is no proof.
    """
    if not ops or not ops.get("ops"):
        raise ValueError("no proof")
    return encode_merkle_proof([data(op["data"]) for op in ops["ops"]])


def data(text: str | None) -> bytes:
    """Bytes in base64; null and "" are none.

    Raises:
        ValueError: not base64.
    """
    return b64decode(text, validate=True) if text else b""


def _header(header: Json) -> types_pb2.Header:
    message = types_pb2.Header(
        chain_id=header["chain_id"],
        height=int(header["height"]),
        last_block_id=_block_id(header["last_block_id"]),
    )
    _set_time(message.time, header["time"])
    for name in _HASHES:
        setattr(message, name, bytes.fromhex(header[name]))
    message.version.block = int(header["version"].get("block") or 0)
    message.version.app = int(header["version"].get("app") or 0)
    return message


def _commit(commit: Json) -> types_pb2.Commit:
    return types_pb2.Commit(
        height=int(commit["height"]),
        round=int(commit["round"]),
        block_id=_block_id(commit["block_id"]),
        signatures=[_signature(each) for each in commit["signatures"]],
    )


def _signature(signature: Json) -> types_pb2.CommitSig:
    message = types_pb2.CommitSig(
        block_id_flag=signature["block_id_flag"],
        validator_address=bytes.fromhex(signature["validator_address"]),
        signature=data(signature["signature"]),
    )
    _set_time(message.timestamp, signature["timestamp"])
    return message


def _block_id(block_id: Json) -> types_pb2.BlockID:
    message = types_pb2.BlockID(hash=bytes.fromhex(block_id["hash"]))
    message.part_set_header.total = block_id["parts"]["total"]
    message.part_set_header.hash = bytes.fromhex(block_id["parts"]["hash"])
    return message


def _validator(validator: Json) -> validator_pb2.Validator:
    kind, key = validator["pub_key"]["type"], data(validator["pub_key"]["value"])
    match kind:
        case "tendermint/PubKeyEd25519":
            public_key = keys_pb2.PublicKey(ed25519=key)
        case "tendermint/PubKeySecp256k1":
            public_key = keys_pb2.PublicKey(secp256k1=key)
        case _:
            raise ValueError(f"unknown key type {kind!r}")
    return validator_pb2.Validator(
        address=bytes.fromhex(validator["address"]),
        pub_key=public_key,
        voting_power=int(validator["voting_power"]),
    )


def _set_time(field: Timestamp, text: str) -> None:
    field.seconds, field.nanos = divmod(parse_rfc3339(text), NANOSECONDS)


def _plain(text: str | None) -> str:
    return text or ""


def _decoded(text: str | None) -> str:
    return data(text).decode("utf-8", "replace")
