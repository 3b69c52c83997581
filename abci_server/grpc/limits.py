"""What of an answer gRPC can carry: CometBFT's client takes four MiB, as grpc-go does unless told otherwise.

Over the socket there is no such limit. Where a stranger decides how long an answer is, what no hash commits
to is left out: CometBFT would halt at an error, again after each start.
"""

from collections.abc import Callable

from abci_server.errors import AbciError, BadAnswer
from abci_server.methods import METHODS
from ibc_proto.tendermint.abci import types_pb2 as pb

MOST = 4 * 1024 * 1024
"""Bytes of a message (grpc-go, `defaultClientMaxReceiveMessageSize`; CometBFT 0.38 sets no other)."""


def bounded(request: pb.Request) -> pb.Request:
    """The request, with room for an answer that fits: a proposal is the one that CometBFT bounds."""
    if request.WhichOneof("value") == "prepare_proposal":
        asked = request.prepare_proposal
        # guard: h206-a-proposal-of-any-length test_h206_a_proposal_has_room_for_what_fits_only
        asked.max_tx_bytes = min(asked.max_tx_bytes, MOST)
    return request


def shortened(name: str, response: pb.Response, size: int) -> None:
    """Makes an answer of `size` bytes, more than MOST, fit.

    Raises:
        BadAnswer: it cannot be: what is too long is what the chain is about.
    """
    shorten = _SHORTEN.get(name)
    if shorten is not None:
        shorten(response, size)
    if shorten is None or getattr(response, name).ByteSize() > MOST:
        raise BadAnswer(f"{name} gives {size} bytes, gRPC carries {MOST}, the socket more")


def _query(response: pb.Response, size: int) -> None:
    refuse = METHODS["query"].refuse
    response.Clear()
    if refuse is not None:
        refuse(AbciError(1, f"an answer of {size} bytes, gRPC carries {MOST}", "abci"), response)


def _check_tx(response: pb.Response, _size: int) -> None:
    _forget(response.check_tx)
    response.check_tx.data = b""


def _finalize_block(response: pb.Response, _size: int) -> None:
    response.finalize_block.ClearField("events")
    for each in response.finalize_block.tx_results:
        _forget(each)


def _forget(result: pb.ResponseCheckTx | pb.ExecTxResult) -> None:
    """Removes what is in no hash."""
    result.ClearField("events")
    result.ClearField("log")
    result.ClearField("info")


def _nothing(name: str) -> Callable[[pb.Response, int], None]:
    def empty(response: pb.Response, _size: int) -> None:
        getattr(response, name).Clear()
        getattr(response, name).SetInParent()

    return empty


_SHORTEN: dict[str, Callable[[pb.Response, int], None]] = {
    "query": _query,
    "check_tx": _check_tx,
    "finalize_block": _finalize_block,
    "list_snapshots": _nothing("list_snapshots"),
    "load_snapshot_chunk": _nothing("load_snapshot_chunk"),
    "echo": _nothing("echo"),
}
