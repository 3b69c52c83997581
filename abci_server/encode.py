"""Values to protobuf responses; answers that would make CometBFT panic are refused here.

Each function fills a part of a Response in place: protobuf copies whole messages otherwise.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import cast

from google.protobuf.message import Message

from abci_server import event_bytes, values
from abci_server import responses as answer
from abci_server.application import tx_size
from abci_server.errors import BadAnswer
from abci_server.text import readable
from ibc_proto.tendermint.abci import types_pb2 as pb
from ibc_proto.tendermint.types import params_pb2

_SECOND = 1_000_000_000

EventBytes = Callable[[object, int], bytes | None]
"""(events, number of their field) -> the field, as protobuf writes it; None: it is left to Python."""

faster_events: EventBytes = lambda _events, _number: None  # noqa: E731 - a program may set one that is faster


def info(of: answer.ResponseInfo, into: pb.ResponseInfo) -> None:
    """The answer to Info."""
    into.data, into.version, into.app_version = of.data, of.version, of.app_version
    into.last_block_height = of.last_block_height
    into.last_block_app_hash = of.last_block_app_hash


def init_chain(of: answer.ResponseInitChain, into: pb.ResponseInitChain) -> None:
    """The state that the genesis makes."""
    into.app_hash = of.app_hash
    _validator_updates(of.validators, into)
    if of.consensus_params is not None:
        consensus_params(of.consensus_params, into.consensus_params)


def query(of: answer.ResponseQuery, into: pb.ResponseQuery) -> None:
    """The answer to a query."""
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
    of: answer.ResponseCheckTx | values.ExecTxResult, into: pb.ResponseCheckTx | pb.ExecTxResult
) -> None:
    """The result of a transaction, or of its check: both have the same fields."""
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
    into.MergeFromString(events(of.events, event_bytes.OF_TX))


def events(of: Sequence[values.AnyEvent], tag: bytes) -> bytes:
    """Events as the field of a message whose tag is given, by what is fastest.

    Raises:
        TypeError, ValueError: an event is malformed, or a text cannot be UTF-8.
    """
    told = faster_events(of, tag[0] >> 3)
    return event_bytes.encode(of, tag) if told is None else told


def prepare_proposal(txs: Sequence[bytes], limit: int, into: pb.ResponsePrepareProposal) -> None:
    """This validator's block.

    Raises:
        BadAnswer: it is longer than `limit`.
    """
    size = sum(map(tx_size, txs))
    if size > limit:
        raise BadAnswer(f"prepare_proposal gives {size} bytes of transactions, {limit} fit")
    into.txs.extend(txs)


def finalize_block(of: answer.ResponseFinalizeBlock, count: int, into: pb.ResponseFinalizeBlock) -> None:
    """The results of a block of `count` transactions.

    Raises:
        BadAnswer: there are not `count` results.
    """
    if len(of.tx_results) != count:
        raise BadAnswer(f"finalize_block gives {len(of.tx_results)} results for {count} transactions")
    into.app_hash = of.app_hash
    into.MergeFromString(events(of.events, event_bytes.OF_BLOCK))
    for each in of.tx_results:
        tx_result(each, into.tx_results.add())
    _validator_updates(of.validator_updates, into)
    if of.consensus_param_updates is not None:
        consensus_params(of.consensus_param_updates, into.consensus_param_updates)


def snapshots(of: Iterable[values.Snapshot], into: pb.ResponseListSnapshots) -> None:
    """The snapshots of this application."""
    for height, format_, chunks, digest, metadata in of:
        into.snapshots.add(height=height, format=format_, chunks=chunks, hash=digest, metadata=metadata)


def apply_snapshot_chunk(of: answer.ResponseApplySnapshotChunk, into: pb.ResponseApplySnapshotChunk) -> None:
    """What to do after a chunk."""
    into.result = cast("pb.ResponseApplySnapshotChunk.Result", values.ApplyResult(of.result).value)
    into.refetch_chunks.extend(of.refetch_chunks)
    into.reject_senders.extend(of.reject_senders)


def consensus_params(of: values.ConsensusParams, into: params_pb2.ConsensusParams) -> None:
    """The parts that are not None."""
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
    """Says that a message without content is the answer."""
    into.SetInParent()


def _validator_updates(
    of: Iterable[values.ValidatorUpdate], into: pb.ResponseInitChain | pb.ResponseFinalizeBlock
) -> None:
    updates = into.validators if isinstance(into, pb.ResponseInitChain) else into.validator_updates
    for (kind, key), power in of:
        if kind not in {"ed25519", "secp256k1"}:
            raise BadAnswer(f"validators have no keys of type {kind!r}")
        update = updates.add(power=power)
        setattr(update.pub_key, kind, key)
