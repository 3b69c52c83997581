"""Conversion of protobuf requests to dataclasses with the same field names, driven by type hints."""

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from abci_server.messages import requests
from abci_server.messages import requests as ask
from pyibc.proto.tendermint.abci import types_pb2 as pb
from pyibc.proto.tendermint.crypto import keys_pb2
from pyibc.proto.tendermint.types import params_pb2

_V = TypeVar("_V")
_SECOND = 1_000_000_000


# recursion: over the fields of this package's classes, when the module is loaded
def reader(kind: type[_V]) -> Callable[[Any], _V]:
    """Return a function that converts messages to class `kind`. Field `time_ns` is converted from `time`."""
    columns = [_column(name, hint) for name, hint in get_type_hints(kind).items()]
    get = attrgetter(*[path for path, _ in columns])
    conversions = [(at, read) for at, (_, read) in enumerate(columns) if read is not None]

    def read_value(of: Any) -> _V:
        fields = [*get(of)]
        for at, read in conversions:
            fields[at] = read(fields[at])
        return kind(*fields)

    return read_value


def _column(name: str, hint: Any) -> tuple[str, Callable[[Any], Any] | None]:
    """Return a field's path in the message, and its conversion, None for the identity."""
    if name.endswith("_ns"):
        return name.removesuffix("_ns"), _nanoseconds
    if get_origin(hint) is not Sequence:
        return name, _read(hint)
    read = _read(*get_args(hint))
    return name, list if read is None else lambda found: [read(each) for each in found]


def _read(hint: Any) -> Callable[[Any], Any] | None:
    return None if hint in (int, str, bytes) else _SPECIAL.get(hint) or reader(hint)


def query(of: pb.RequestQuery) -> ask.RequestQuery:
    """Convert a query, which is untrusted input."""
    path = of.path.decode("utf-8", "surrogateescape")  # bytes, see proto/tendermint/abci/types.proto
    return ask.RequestQuery(of.data, path, of.height, of.prove)


def check_tx(of: pb.RequestCheckTx) -> ask.RequestCheckTx:
    """Convert a CheckTx request."""
    return ask.RequestCheckTx(of.tx, of.type == pb.RECHECK)


def consensus_params(of: params_pb2.ConsensusParams) -> requests.ConsensusParams:
    """Convert consensus parameters; absent groups are None."""
    return requests.ConsensusParams(
        _block_params(of.block) if of.HasField("block") else None,
        _evidence(of.evidence) if of.HasField("evidence") else None,
        list(of.validator.pub_key_types) if of.HasField("validator") else None,
        of.version.app if of.HasField("version") else None,
        of.abci.vote_extensions_enable_height if of.HasField("abci") else None,
    )


def _public_key(of: keys_pb2.PublicKey) -> requests.PublicKey:
    """Convert a key; an unknown key type becomes ""."""
    kind = of.WhichOneof("sum") or ""
    return requests.PublicKey(kind, getattr(of, kind) if kind else b"")


def _nanoseconds(of: Timestamp | Duration) -> int:
    return of.seconds * _SECOND + of.nanos


_SPECIAL: dict[Any, Callable[[Any], Any]] = {
    requests.ConsensusParams: consensus_params,
    requests.PublicKey: _public_key,
}
_block_params = reader(requests.BlockParams)
_evidence = reader(requests.EvidenceParams)
validator_update = reader(requests.ValidatorUpdate)
info = reader(ask.RequestInfo)
init_chain = reader(ask.RequestInitChain)
prepare_proposal = reader(ask.RequestPrepareProposal)
process_proposal = reader(ask.RequestProcessProposal)
finalize_block = reader(ask.RequestFinalizeBlock)
extend_vote = reader(ask.RequestExtendVote)
verify_vote_extension = reader(ask.RequestVerifyVoteExtension)
offer_snapshot = reader(ask.RequestOfferSnapshot)
load_snapshot_chunk = reader(ask.RequestLoadSnapshotChunk)
apply_snapshot_chunk = reader(ask.RequestApplySnapshotChunk)
