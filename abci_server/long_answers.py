"""Responses that exceed the size limit of CometBFT's client, which would halt, again after each restart.

Where users decide the size of a response, parts that no hash commits to are omitted.
"""

from collections.abc import Callable
from typing import NamedTuple

from abci_server.errors import AbciError, BadAnswer
from abci_server.methods import METHODS
from pyibc.proto.tendermint.abci import types_pb2 as pb


class Carrier(NamedTuple):
    """A transport, and the maximum response size of CometBFT's client."""

    name: str
    most: int


GRPC = Carrier("gRPC", 4 * 1024 * 1024)
"""Limit of grpc-go's `defaultClientMaxReceiveMessageSize`, which CometBFT 0.38 does not change."""
SOCKET = Carrier("the socket", 100 * 1024 * 1024 - 16)
"""Limit of CometBFT 0.38, abci/types/messages.go, `maxMsgSize`, less the framing of a response."""


def bounded(request: pb.Request, carrier: Carrier) -> pb.Request:
    """Limit the size of a proposal's response; CometBFT sets such a limit only for PrepareProposal."""
    if request.WhichOneof("value") == "prepare_proposal":
        asked = request.prepare_proposal
        # guard: h206-a-proposal-of-any-length test_h206_a_proposal_has_room_for_what_fits_only
        asked.max_tx_bytes = min(asked.max_tx_bytes, carrier.most)
    return request


def shorten(name: str, response: pb.Response, size: int, carrier: Carrier) -> None:
    """Shorten a response of `size` bytes that exceeds the limit of `carrier`.

    Raises:
        BadAnswer: the response cannot be shortened enough without parts that consensus needs.
    """
    said = f"{size} bytes; the limit of {carrier.name} is {carrier.most}"
    how = _SHORTEN.get(name)
    if how is not None:
        how(response, said)
    if how is None or getattr(response, name).ByteSize() > carrier.most:
        raise BadAnswer(f"{name} returned {said}")


def _query(response: pb.Response, said: str) -> None:
    refuse = METHODS["query"].refuse
    response.Clear()
    if refuse is not None:
        refuse(AbciError(1, f"the response has {said}", "abci"), response)


def _check_tx(response: pb.Response, _said: str) -> None:
    _forget(response.check_tx)
    response.check_tx.data = b""


def _finalize_block(response: pb.Response, _said: str) -> None:
    response.finalize_block.ClearField("events")
    for each in response.finalize_block.tx_results:
        _forget(each)


def _forget(result: pb.ResponseCheckTx | pb.ExecTxResult) -> None:
    """Remove the parts that no hash covers."""
    result.ClearField("events")
    result.ClearField("log")
    result.ClearField("info")


def _nothing(name: str) -> Callable[[pb.Response, str], None]:
    def empty(response: pb.Response, _said: str) -> None:
        getattr(response, name).Clear()
        getattr(response, name).SetInParent()

    return empty


_SHORTEN: dict[str, Callable[[pb.Response, str], None]] = {
    "query": _query,
    "check_tx": _check_tx,
    "finalize_block": _finalize_block,
    "list_snapshots": _nothing("list_snapshots"),
    "load_snapshot_chunk": _nothing("load_snapshot_chunk"),
    "echo": _nothing("echo"),
}
