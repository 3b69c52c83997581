"""ABCI Query of store entries with proofs (`/store/{name}/key`)."""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from iavl import IavlError, MultiStore
from ibc_core.errors import ApplicationFault, IbcError, InvalidSdkRequest, UnknownMessage
from localnet.host.grpc_status import in_abci

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

    height: int  # of the state, whose app hash is in the next header
    key: bytes = b""
    value: bytes = b""
    proof: tuple[ProofOp, ...] = ()
    code: int = 0
    codespace: str = ""
    log: str = ""


def failed_query(error: IbcError, height: int, *, by_grpc: bool = False) -> QueryAnswer:
    """An error response; for a gRPC query, with the SDK's code and log for its status, panics with theirs."""
    if by_grpc and not isinstance(error, ApplicationFault):
        code, log = in_abci(error)
        return QueryAnswer(height, code=code, codespace="sdk", log=log)
    return QueryAnswer(height, code=error.code, codespace=error.codespace, log=str(error))


def store_query(store: MultiStore, path: str, key: bytes, height: int, prove: bool) -> QueryAnswer:
    """A store entry after block `height` (0: the last); the value is empty if the key is absent.

    Raises:
        UnknownMessage: `path` is not `/store/{name}/key` of an existing store.
        InvalidSdkRequest: the height has been pruned, the key is empty, or its absence cannot be proved.
    """
    parts = path.strip("/").split("/")
    if len(parts) != 3 or parts[0] != "store" or parts[2] != "key" or parts[1] not in store.names():
        raise UnknownMessage(path[:128])
    name, at = parts[1], height or store.version
    if not prove:
        return QueryAnswer(at, key, entry(key, lambda: store.get_at(name, key, at)) or b"")
    value, proofs = entry(key, lambda: store.prove(name, key, at))
    ops = (ProofOp("ics23:iavl", key, proofs[0]), ProofOp("ics23:simple", name.encode(), proofs[1]))
    return QueryAnswer(at, key, value or b"", ops)


def entry(key: bytes, read: Callable[[], _V]) -> _V:
    """What `read` finds at `key` of a store.

    Raises:
        InvalidSdkRequest: the height has been pruned, the key is empty, or its absence cannot be proved.
    """
    if not key:
        raise InvalidSdkRequest("query cannot be zero length")
    try:
        return read()
    except IavlError as error:
        raise InvalidSdkRequest(str(error)) from error
