"""`cosmos.tx.v1beta1.Service`, except for Simulate, which the application implements."""

from binascii import unhexlify
from collections.abc import Mapping
from hashlib import sha256

from google.protobuf.message import DecodeError

from localnet.grpc.answering import Method, cut, method, page_of
from localnet.grpc.view import NodeView, ViewedTx, require_block
from pyibc.chain.abci_responses import pack_event
from pyibc.codec.encoding import encode
from pyibc.codec.gotime import format_rfc3339
from pyibc.core.errors import InvalidRequest, NotFound
from pyibc.core.host.block import TxOutcome
from pyibc.core.wire.tx import decode_tx
from pyibc.proto.cosmos.base.abci.v1beta1 import abci_pb2
from pyibc.proto.cosmos.tx.v1beta1 import service_pb2 as pb
from pyibc.proto.cosmos.tx.v1beta1 import tx_pb2

SERVICE = "/cosmos.tx.v1beta1.Service/"
_TX = "/cosmos.tx.v1beta1.Tx"
_SECOND = 10**9


class TxService:
    """Broadcasts, finds and decodes transactions."""

    def __init__(self, view: NodeView) -> None:
        self._view = view

    def routes(self) -> Mapping[str, Method]:
        """Return the routes of the transaction service."""
        return {
            f"{SERVICE}GetTx": method(pb.GetTxRequest, self.get_tx),
            f"{SERVICE}BroadcastTx": method(pb.BroadcastTxRequest, self.broadcast),
            f"{SERVICE}GetTxsEvent": method(pb.GetTxsEventRequest, self.search),
            f"{SERVICE}GetBlockWithTxs": method(pb.GetBlockWithTxsRequest, self.block_with_txs),
            f"{SERVICE}TxDecode": method(pb.TxDecodeRequest, tx_decode),
            f"{SERVICE}TxEncode": method(pb.TxEncodeRequest, tx_encode),
        }

    def get_tx(self, request: pb.GetTxRequest) -> pb.GetTxResponse:
        """Return a transaction by its hash (64 hex digits). Raises InvalidRequest, NotFound."""
        try:
            digest = unhexlify(request.hash)  # unlike bytes.fromhex, rejects whitespace
        except ValueError:
            digest = b""
        if len(digest) != 32:
            raise InvalidRequest("tx hash: 64 hex digits are expected")
        found = self._view.tx(digest)
        if found is None:
            raise NotFound(f"tx not found: {request.hash}")
        time_ns = self._view.block(found.height).time_ns
        return pb.GetTxResponse(tx=decoded(found.outcome.tx), tx_response=tx_response(found, time_ns))

    def broadcast(self, request: pb.BroadcastTxRequest) -> pb.BroadcastTxResponse:
        """Submit a transaction to the mempool; return the result of CheckTx. Raises InvalidRequest."""
        if request.mode not in {pb.BROADCAST_MODE_SYNC, pb.BROADCAST_MODE_ASYNC}:
            raise InvalidRequest("unsupported return type; supported types: sync, async")
        if not request.tx_bytes:
            raise InvalidRequest("empty tx is not allowed")
        checked = self._view.broadcast(request.tx_bytes)
        response = abci_pb2.TxResponse(
            code=checked.code,
            codespace=checked.codespace,
            data=checked.data.hex().upper(),
            raw_log=checked.log,
            txhash=sha256(request.tx_bytes).hexdigest().upper(),
        )
        return pb.BroadcastTxResponse(tx_response=response)

    def search(self, request: pb.GetTxsEventRequest) -> pb.GetTxsEventResponse:
        """Return a page of transactions matching `type.key='value' AND ...`. Raises InvalidRequest."""
        query = request.query or " AND ".join(request.events)
        if not query:
            raise InvalidRequest("query cannot be empty")
        page = page_of(request.page, request.limit, request.pagination)
        descending = request.order_by == pb.ORDER_BY_DESC
        found = self._view.search(query, page.number, page.limit, descending=descending)
        heights = sorted({each.height for each in found.txs})  # several may be in one block
        times = {height: self._view.block(height).time_ns for height in heights}
        return pb.GetTxsEventResponse(
            txs=[decoded(each.outcome.tx) for each in found.txs],
            tx_responses=[tx_response(each, times[each.height]) for each in found.txs],
            total=found.total,
        )

    def block_with_txs(self, request: pb.GetBlockWithTxsRequest) -> pb.GetBlockWithTxsResponse:
        """Return a block, with a page of its transactions decoded. Raises InvalidRequest."""
        viewed = require_block(self._view, request.height)
        txs, page = cut(viewed.block.data.txs, request.pagination)
        page.total = len(viewed.block.data.txs)  # always, as in the SDK
        return pb.GetBlockWithTxsResponse(
            txs=[decoded(raw) for raw in txs], block_id=viewed.block_id, block=viewed.block, pagination=page
        )


def tx_response(found: ViewedTx, time_ns: int) -> abci_pb2.TxResponse:
    """Return the SDK's TxResponse for a transaction in a block; the timestamp is truncated to seconds."""
    outcome: TxOutcome = found.outcome
    response = abci_pb2.TxResponse(
        height=found.height,
        txhash=sha256(outcome.tx).hexdigest().upper(),
        codespace=outcome.codespace,
        code=outcome.code,
        data=outcome.data.hex().upper(),
        raw_log=outcome.log,
        gas_wanted=outcome.gas_wanted,
        gas_used=outcome.gas_used,
        timestamp=format_rfc3339(time_ns // _SECOND * _SECOND),
        events=[pack_event(event) for event in outcome.events],
    )
    response.tx.type_url = _TX
    response.tx.value = encode(decoded(outcome.tx))
    return response


def tx_decode(request: pb.TxDecodeRequest) -> pb.TxDecodeResponse:
    """Decode a transaction. Raises InvalidRequest if empty, TxDecode if a host would reject it."""
    if not request.tx_bytes:
        raise InvalidRequest("invalid empty tx bytes")
    decode_tx(request.tx_bytes)
    return pb.TxDecodeResponse(tx=decoded(request.tx_bytes))


def tx_encode(request: pb.TxEncodeRequest) -> pb.TxEncodeResponse:
    """Encode a Tx message. Raises InvalidRequest."""
    if not request.HasField("tx"):
        raise InvalidRequest("invalid empty tx")
    return pb.TxEncodeResponse(tx_bytes=encode(request.tx))


def decoded(raw: bytes) -> tx_pb2.Tx:
    """Return the Tx of encoded TxRaw (same wire format); empty if a block contains malformed bytes."""
    try:
        return tx_pb2.Tx.FromString(raw)
    except DecodeError:
        return tx_pb2.Tx()
