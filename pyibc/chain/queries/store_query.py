"""ABCI Query of store entries with proofs (`/store/{name}/key`)."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple, TypeVar

from iavl import Charge, HistoryBusy, IavlError, MultiStore, VersionMissing
from pyibc.chain.queries.grpc_status import in_abci
from pyibc.chain.queries.historical_store import paid_by, unreadable
from pyibc.codec.encoding import encode
from pyibc.core.comet import deflate
from pyibc.core.errors import (
    ApplicationFault,
    IbcError,
    InvalidSdkHeight,
    InvalidSdkRequest,
    StateNotFound,
    UnknownMessage,
)
from pyibc.core.host.context import QueryRoute, ReadContext
from pyibc.core.host.gas import READ_BYTE, READ_FLAT
from pyibc.core.wire.requests import answering
from pyibc.proto.pyibc.node.v1 import query_pb2

PEER_FILTER = "/p2p/filter/"

_V = TypeVar("_V")


class ProofOp(NamedTuple):
    """A proof operation.

    `ics23:iavl` for the key in its store, `ics23:simple` for the store in the app hash.
    """

    kind: str
    key: bytes
    data: bytes  # CommitmentProof


class QueryAnswer(NamedTuple):
    """The response to ABCI Query."""

    height: int  # of the state; its app hash is in the next header
    key: bytes = b""
    value: bytes = b""
    proof: tuple[ProofOp, ...] = ()
    code: int = 0
    codespace: str = ""
    log: str = ""


def failed_query(error: IbcError, height: int, *, by_grpc: bool = False) -> QueryAnswer:
    """Return an error response; for a gRPC query, with the SDK's code and log for its status.

    Panics and invalid heights keep their codes: the SDK refuses those before it calls the gRPC method.
    """
    if by_grpc and not isinstance(error, (ApplicationFault, InvalidSdkHeight, StateNotFound)):
        code, log = in_abci(error)
        return QueryAnswer(height, code=code, codespace="sdk", log=log)
    return QueryAnswer(height, code=error.code, codespace=error.codespace, log=str(error))


def store_query(
    store: MultiStore, path: str, key: bytes, height: int, prove: bool, charge: Charge
) -> QueryAnswer:
    """Return a store entry after block `height` (0: the last); the value is empty if the key is absent.

    At a height before the store was added the proof has one operation: the app hash does not cover the store.
    `charge` is called before an old height is rebuilt.

    Raises:
        UnknownMessage: `path` is not `/store/{name}/key` of an existing store.
        StateNotFound: the height has been pruned.
        InvalidSdkRequest: the key is empty, or its absence cannot be proved.
        OutOfGas: the charge exceeds the query's gas limit.
    """
    parts = path.strip("/").split("/")
    if len(parts) != 3 or parts[0] != "store" or parts[2] != "key" or parts[1] not in store.names():
        raise UnknownMessage(path[:128])
    name, at = parts[1], height or store.version
    if not prove:
        return QueryAnswer(at, key, entry(key, lambda: store.get_at(name, key, at, charge)) or b"")
    value, proofs = entry(key, lambda: store.prove(name, key, at, charge))
    simple = ProofOp("ics23:simple", name.encode(), proofs[-1])
    ops = (simple,) if len(proofs) == 1 else (ProofOp("ics23:iavl", key, proofs[0]), simple)
    return QueryAnswer(at, key, value or b"", ops)


def entry(key: bytes, read: Callable[[], _V]) -> _V:
    """Call `read` for the entry at `key`, and convert the store's errors.

    Raises:
        StateNotFound: the height has been pruned.
        InvalidSdkRequest: the key is empty, or its absence cannot be proved.
    """
    if not key:
        raise InvalidSdkRequest("query cannot be zero length")
    try:
        return read()
    except (VersionMissing, HistoryBusy) as error:
        raise unreadable(error) from error
    except IavlError as error:
        raise InvalidSdkRequest(str(error)) from error


# -- the gRPC method pyibc.node.v1.Query/Proofs: many store entries with their proofs, for relayers
#
# A relayer proves hundreds of packets against one header. Querying each alone costs a round trip through
# CometBFT, and repeats the proof of the store's root.

PROOFS = "/pyibc.node.v1.Query/Proofs"


class ProofQueries:
    """Query service for proofs of a host's stores."""

    def __init__(self, store: MultiStore) -> None:
        self._store = store

    def routes(self) -> Mapping[str, QueryRoute]:
        """Return the route of `PROOFS`."""
        return {PROOFS: answering(query_pb2.QueryProofsRequest, self.answer)}

    def answer(
        self, ctx: ReadContext, request: query_pb2.QueryProofsRequest
    ) -> query_pb2.QueryProofsResponse:
        """Return entries after the context's block with proofs; gas is charged for each, also by size.

        At heights before the store was added entries have no proof, and the store's proof is of its absence.

        Raises:
            InvalidSdkRequest: the store does not exist, there is no key, a key is empty, or the absence of a
                key cannot be proved.
            StateNotFound: the height has been pruned.
            OutOfGas: reading the entries, and rebuilding an old height, exceed the query's gas limit.
        """
        height = ctx.height.revision_height
        if request.store not in self._store.names() or not request.keys:
            raise InvalidSdkRequest("no key, or no such store")
        # guard: h303-proofs-of-an-old-height-are-free {paid_by(lambda: ctx.gas) => lambda *_: None}
        #   test_h303_old_heights_are_paid_for
        charge = paid_by(lambda: ctx.gas)
        found = query_pb2.QueryProofsResponse(height=height)
        for key in request.keys:
            ctx.gas.consume(READ_FLAT)
            value, proofs = entry(key, partial(self._store.prove, request.store, key, height, charge))
            found.entries.add(value=value or b"", proof=b"".join(proofs[:-1]))
            found.store_proof = proofs[-1]
            ctx.gas.consume(READ_BYTE * found.entries[-1].ByteSize())
        if not request.deflate:
            return found
        return query_pb2.QueryProofsResponse(deflated=deflate(encode(found)))
