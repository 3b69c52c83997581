"""Conversion of dataclasses to protobuf responses; responses that would make CometBFT panic are refused.

Each function fills a part of a Response in place, since protobuf would otherwise copy whole messages.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, cast

from google.protobuf.message import Message

from abci_server.application import tx_size
from abci_server.errors import BadAnswer, readable
from abci_server.messages import requests
from abci_server.messages import requests as answer
from abci_server.messages.requests import AnyAttribute, AnyEvent
from pyibc.proto.tendermint.abci import types_pb2 as pb
from pyibc.proto.tendermint.types import params_pb2
from pyibc.proto.varint import encode_varint

# -- protobuf encoding of events, which make up most of a block's results
#
# The events of a received packet have sixty attributes, and all but some twenty of them are equal in the
# next packet: ports, connections, modules. Their encodings are cached.

OF_BLOCK = b"\x0a"
"""Tag of `events` in ResponseFinalizeBlock."""
OF_TX = b"\x3a"
"""Tag of `events` in ExecTxResult and in ResponseCheckTx."""

_TYPE = b"\x0a"
_ATTRIBUTE = b"\x12"  # the tag in Event
_INDEXED = b"\x12%c\x0a%c%b\x12%c%b\x18\x01"  # an attribute whose lengths each fit in one byte
_SHORT = 121  # maximum size of key and value for which they do
REMEMBERED = 4096
"""Maximum number of cached attributes, which take some 2 MB."""


class _Known(dict[Any, bytes]):
    """Cache of encoded attributes; a missing one is encoded on access."""

    def __missing__(self, attribute: AnyAttribute) -> bytes:
        if len(attribute) == 2:
            key, value = attribute
            indexed = True
        else:
            key, value, indexed = attribute
        if not (type(key) is type(value) is str and key and value and indexed is True):
            return _field(pb.EventAttribute(key=key, value=value, index=indexed).SerializeToString())
        name, text = key.encode(), value.encode()
        if len(name) + len(text) > _SHORT:
            return _field(b"\x0a%b%b\x12%b%b\x18\x01" % (_size(name), name, _size(text), text))
        made = _INDEXED % (len(name) + len(text) + 6, len(name), name, len(text), text)
        if len(self) >= REMEMBERED:
            self.clear()
        self[attribute] = made
        return made


def _size(raw: bytes) -> bytes:
    return encode_varint(len(raw))


def _field(attribute: bytes) -> bytes:
    return _ATTRIBUTE + _size(attribute) + attribute


known = _Known()
"""Cache shared by all threads: each thread computes the same bytes."""


def encode(events: Sequence[AnyEvent], tag: bytes) -> bytes:
    """Encode the field `events` with the given tag, byte for byte as protobuf does.

    Raises:
        TypeError, ValueError: an event is malformed, or a string is not valid Unicode.
    """
    field = known.__getitem__
    parts: list[bytes] = []
    for kind, attributes in events:
        body = _type(kind) + b"".join(map(field, attributes))
        parts += tag, encode_varint(len(body)), body
    return b"".join(parts)


@lru_cache(256)
def _type(kind: str) -> bytes:
    name = kind.encode()
    return _TYPE + _size(name) + name if name else b""


# -- responses

_SECOND = 1_000_000_000

EventBytes = Callable[[object, int], bytes | None]
"""Function of events and field number that returns the encoded field; None to use the Python encoder."""

faster_events: EventBytes = lambda _events, _number: None  # noqa: E731 - replaceable by a faster function


def info(of: answer.ResponseInfo, into: pb.ResponseInfo) -> None:
    """Encode the response to Info."""
    into.data, into.version, into.app_version = of.data, of.version, of.app_version
    into.last_block_height = of.last_block_height
    into.last_block_app_hash = of.last_block_app_hash


def init_chain(of: answer.ResponseInitChain, into: pb.ResponseInitChain) -> None:
    """Encode the response to InitChain."""
    into.app_hash = of.app_hash
    _validator_updates(of.validators, into)
    if of.consensus_params is not None:
        consensus_params(of.consensus_params, into.consensus_params)


def query(of: answer.ResponseQuery, into: pb.ResponseQuery) -> None:
    """Encode the response to a query."""
    into.code, into.log, into.info, into.codespace = (
        of.code,
        readable(of.log),
        readable(of.info),
        of.codespace,
    )
    into.index, into.key, into.value, into.height = of.index, of.key, of.value, of.height
    for kind, key, data in of.proof_ops:
        into.proof_ops.ops.add(type=kind, key=key, data=data)


def tx_result(
    of: answer.ResponseCheckTx | requests.ExecTxResult, into: pb.ResponseCheckTx | pb.ExecTxResult
) -> None:
    """Encode the result of a transaction, or of its check: both have the same fields."""
    into.code = of.code
    into.gas_wanted, into.gas_used = of.gas_wanted, of.gas_used
    if of.data:
        into.data = of.data
    if of.log:
        into.log = readable(of.log)
    if of.info:
        into.info = readable(of.info)
    if of.codespace:
        into.codespace = of.codespace
    into.MergeFromString(events(of.events, OF_TX))


def events(of: Sequence[requests.AnyEvent], tag: bytes) -> bytes:
    """Encode events as the message field with the given tag, with the fastest encoder.

    Raises:
        TypeError, ValueError: an event is malformed, or a string is not valid Unicode.
    """
    encoded = faster_events(of, tag[0] >> 3)
    return encode(of, tag) if encoded is None else encoded


def prepare_proposal(txs: Sequence[bytes], limit: int, into: pb.ResponsePrepareProposal) -> None:
    """Encode the transactions of this validator's block.

    Raises:
        BadAnswer: the transactions exceed `limit` bytes.
    """
    size = sum(map(tx_size, txs))
    if size > limit:
        raise BadAnswer(f"prepare_proposal returned {size} bytes of transactions; the limit is {limit}")
    into.txs.extend(txs)


def finalize_block(of: answer.ResponseFinalizeBlock, count: int, into: pb.ResponseFinalizeBlock) -> None:
    """Encode the results of a block of `count` transactions.

    Raises:
        BadAnswer: the number of results is not `count`.
    """
    if len(of.tx_results) != count:
        raise BadAnswer(f"finalize_block returned {len(of.tx_results)} results for {count} transactions")
    into.app_hash = of.app_hash
    into.MergeFromString(events(of.events, OF_BLOCK))
    for each in of.tx_results:
        tx_result(each, into.tx_results.add())
    _validator_updates(of.validator_updates, into)
    if of.consensus_param_updates is not None:
        consensus_params(of.consensus_param_updates, into.consensus_param_updates)


def snapshots(of: Iterable[requests.Snapshot], into: pb.ResponseListSnapshots) -> None:
    """Encode the snapshots of this application."""
    for height, format_, chunks, digest, metadata in of:
        into.snapshots.add(height=height, format=format_, chunks=chunks, hash=digest, metadata=metadata)


def apply_snapshot_chunk(of: answer.ResponseApplySnapshotChunk, into: pb.ResponseApplySnapshotChunk) -> None:
    """Encode the response to a snapshot chunk."""
    into.result = cast("pb.ResponseApplySnapshotChunk.Result", requests.ApplyResult(of.result).value)
    into.refetch_chunks.extend(of.refetch_chunks)
    into.reject_senders.extend(of.reject_senders)


def consensus_params(of: requests.ConsensusParams, into: params_pb2.ConsensusParams) -> None:
    """Encode the consensus parameters that are not None."""
    if of.block is not None:
        into.block.max_bytes, into.block.max_gas = of.block
        into.block.SetInParent()
    if of.evidence is not None:
        into.evidence.max_age_num_blocks = of.evidence.max_age_num_blocks
        into.evidence.max_bytes = of.evidence.max_bytes
        seconds, nanos = divmod(of.evidence.max_age_duration_ns, _SECOND)
        into.evidence.max_age_duration.seconds, into.evidence.max_age_duration.nanos = seconds, nanos
    if of.pub_key_types is not None:
        into.validator.SetInParent()
        into.validator.pub_key_types.extend(of.pub_key_types)
    if of.app_version is not None:
        into.version.SetInParent()
        into.version.app = of.app_version
    if of.vote_extensions_enable_height is not None:
        into.abci.SetInParent()
        into.abci.vote_extensions_enable_height = of.vote_extensions_enable_height


def chosen(into: Message) -> None:
    """Select an empty message in the response's oneof."""
    into.SetInParent()


def _validator_updates(
    of: Iterable[requests.ValidatorUpdate], into: pb.ResponseInitChain | pb.ResponseFinalizeBlock
) -> None:
    updates = into.validators if isinstance(into, pb.ResponseInitChain) else into.validator_updates
    for (kind, key), power in of:
        if kind not in {"ed25519", "secp256k1"}:
            raise BadAnswer(f"validators cannot have keys of type {kind!r}")
        update = updates.add(power=power)
        setattr(update.pub_key, kind, key)
