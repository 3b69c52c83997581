"""All routes of a node: the application's queries, and the transaction and node services."""

from binascii import unhexlify
from collections.abc import Callable
from hashlib import sha256
from threading import Lock, Thread
from typing import TypeVar

from google.protobuf.message import DecodeError, Message

from light_client.tendermint.types import ED25519, Validator
from localnet.grpc.calls import Route, cut, page_of
from localnet.grpc.view import NodeView, ViewedTx, require_block
from pyibc.chain.abci_responses import pack_event
from pyibc.chain.app import HostApp
from pyibc.chain.queries.node_queries import GET_NODE_INFO
from pyibc.codec.encoding import encode
from pyibc.codec.gotime import format_rfc3339
from pyibc.core.address import AddressCodec
from pyibc.core.errors import IbcError, InvalidRequest, NotFound
from pyibc.core.host.block import TxOutcome
from pyibc.core.wire.requests import grpc_methods, parse_request
from pyibc.core.wire.tx import decode_tx
from pyibc.proto.cosmos.base.abci.v1beta1 import abci_pb2
from pyibc.proto.cosmos.base.node.v1beta1 import query_pb2 as node_pb
from pyibc.proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest, PageResponse
from pyibc.proto.cosmos.base.tendermint.v1beta1 import query_pb2 as tendermint_pb
from pyibc.proto.cosmos.crypto.ed25519 import keys_pb2 as ed25519
from pyibc.proto.cosmos.crypto.secp256k1 import keys_pb2 as secp256k1
from pyibc.proto.cosmos.tx.v1beta1 import service_pb2, tx_pb2
from pyibc.proto.tendermint.p2p.types_pb2 import DefaultNodeInfo

_M = TypeVar("_M", bound=Message)


class NodeInfoMemo:
    """Cache of one node's DefaultNodeInfo."""

    def __init__(self, view: NodeView) -> None:
        self._view = view
        self._lock = Lock()
        self._known: DefaultNodeInfo | None = None
        self._asking = False

    def ask(self) -> DefaultNodeInfo:
        """Return the node's info; query the node if it is not cached yet.

        Raises:
            EndpointUnavailable, EndpointRefused, MalformedAnswer: the query failed.
        """
        if self._known is None:
            self._known = self._view.node_info()
        return self._known

    def known(self) -> DefaultNodeInfo | None:
        """Return the cached info. If there is none, start a query in the background and return None."""
        with self._lock:
            if self._known is None and not self._asking:
                self._asking = True
                Thread(target=self._ask_aside, name="grpc node info", daemon=True).start()
        return self._known

    def _ask_aside(self) -> None:
        try:
            self.ask()
        except IbcError:
            return  # the next call tries again
        finally:
            self._asking = False


class TendermintService:
    """Blocks and validators, and ABCI Query; the application implements GetNodeInfo."""

    def __init__(self, view: NodeView, app: HostApp) -> None:
        self._view = view
        self._app = app
        self._validator_addresses = AddressCodec(f"{app.addresses.prefix}valcons")

    def syncing(self, _request: tendermint_pb.GetSyncingRequest) -> tendermint_pb.GetSyncingResponse:
        """Return whether the node is catching up."""
        return tendermint_pb.GetSyncingResponse(syncing=self._view.syncing())

    def latest_block(
        self, _request: tendermint_pb.GetLatestBlockRequest
    ) -> tendermint_pb.GetLatestBlockResponse:
        """Return the last block."""
        viewed = self._view.block(self._view.latest())
        return tendermint_pb.GetLatestBlockResponse(block_id=viewed.block_id, block=viewed.block)

    def block_by_height(
        self, request: tendermint_pb.GetBlockByHeightRequest
    ) -> tendermint_pb.GetBlockByHeightResponse:
        """Return the block at a height. Raises InvalidRequest."""
        viewed = require_block(self._view, request.height)
        return tendermint_pb.GetBlockByHeightResponse(block_id=viewed.block_id, block=viewed.block)

    def latest_validators(
        self, request: tendermint_pb.GetLatestValidatorSetRequest
    ) -> tendermint_pb.GetLatestValidatorSetResponse:
        """Return a page of the current validator set. Raises InvalidRequest."""
        height = self._view.latest()
        members, page = self._validators(height, request.pagination)
        return tendermint_pb.GetLatestValidatorSetResponse(
            block_height=height, validators=members, pagination=page
        )

    def validators_by_height(
        self, request: tendermint_pb.GetValidatorSetByHeightRequest
    ) -> tendermint_pb.GetValidatorSetByHeightResponse:
        """Return a page of a block's validator set. Raises InvalidRequest."""
        height = require_block(self._view, request.height).block.header.height
        members, page = self._validators(height, request.pagination)
        return tendermint_pb.GetValidatorSetByHeightResponse(
            block_height=height, validators=members, pagination=page
        )

    def abci_query(self, request: tendermint_pb.ABCIQueryRequest) -> tendermint_pb.ABCIQueryResponse:
        """Return the application's ABCI Query response, including errors."""
        said = self._app.query(request.path, request.data, request.height, request.prove)
        response = tendermint_pb.ABCIQueryResponse(
            code=said.code,
            log=said.log,
            key=said.key,
            value=said.value,
            height=said.height,
            codespace=said.codespace,
        )
        for op in said.proof:
            response.proof_ops.ops.add(type=op.kind, key=op.key, data=op.data)
        return response

    def _validators(
        self, height: int, page: PageRequest
    ) -> tuple[list[tendermint_pb.Validator], PageResponse]:
        members = self._view.validators(height)
        shown, response = cut(members, page)
        response.total = len(members)  # always, as in the SDK
        return [self._shown(member) for member in shown], response

    def _shown(self, member: Validator) -> tendermint_pb.Validator:
        message = tendermint_pb.Validator(
            address=self._validator_addresses.encode(member.address).text,
            voting_power=member.power,
            proposer_priority=member.priority,
        )
        edwards = member.key_type == ED25519
        message.pub_key.type_url = f"/cosmos.crypto.{'ed25519' if edwards else 'secp256k1'}.PubKey"
        kind = ed25519 if edwards else secp256k1
        message.pub_key.value = encode(kind.PubKey(key=member.public_key))
        return message


_TX = "/cosmos.tx.v1beta1.Tx"
_SECOND = 10**9


class TxService:
    """Broadcasts, finds and decodes transactions."""

    def __init__(self, view: NodeView) -> None:
        self._view = view

    def get_tx(self, request: service_pb2.GetTxRequest) -> service_pb2.GetTxResponse:
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
        return service_pb2.GetTxResponse(
            tx=decoded(found.outcome.tx), tx_response=tx_response(found, time_ns)
        )

    def broadcast(self, request: service_pb2.BroadcastTxRequest) -> service_pb2.BroadcastTxResponse:
        """Submit a transaction to the mempool; return the result of CheckTx. Raises InvalidRequest."""
        if request.mode not in {service_pb2.BROADCAST_MODE_SYNC, service_pb2.BROADCAST_MODE_ASYNC}:
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
        return service_pb2.BroadcastTxResponse(tx_response=response)

    def search(self, request: service_pb2.GetTxsEventRequest) -> service_pb2.GetTxsEventResponse:
        """Return a page of transactions matching `type.key='value' AND ...`. Raises InvalidRequest."""
        query = request.query or " AND ".join(request.events)
        if not query:
            raise InvalidRequest("query cannot be empty")
        page = page_of(request.page, request.limit, request.pagination)
        descending = request.order_by == service_pb2.ORDER_BY_DESC
        found = self._view.search(query, page.number, page.limit, descending=descending)
        heights = sorted({each.height for each in found.txs})  # several may be in one block
        times = {height: self._view.block(height).time_ns for height in heights}
        return service_pb2.GetTxsEventResponse(
            txs=[decoded(each.outcome.tx) for each in found.txs],
            tx_responses=[tx_response(each, times[each.height]) for each in found.txs],
            total=found.total,
        )

    def block_with_txs(
        self, request: service_pb2.GetBlockWithTxsRequest
    ) -> service_pb2.GetBlockWithTxsResponse:
        """Return a block, with a page of its transactions decoded. Raises InvalidRequest."""
        viewed = require_block(self._view, request.height)
        txs, page = cut(viewed.block.data.txs, request.pagination)
        page.total = len(viewed.block.data.txs)  # always, as in the SDK
        return service_pb2.GetBlockWithTxsResponse(
            txs=[decoded(raw) for raw in txs], block_id=viewed.block_id, block=viewed.block, pagination=page
        )

    def tx_decode(self, request: service_pb2.TxDecodeRequest) -> service_pb2.TxDecodeResponse:
        """Decode a transaction. Raises InvalidRequest if empty, TxDecode if a host would reject it."""
        if not request.tx_bytes:
            raise InvalidRequest("invalid empty tx bytes")
        decode_tx(request.tx_bytes)
        return service_pb2.TxDecodeResponse(tx=decoded(request.tx_bytes))

    def tx_encode(self, request: service_pb2.TxEncodeRequest) -> service_pb2.TxEncodeResponse:
        """Encode a Tx message. Raises InvalidRequest."""
        if not request.HasField("tx"):
            raise InvalidRequest("invalid empty tx")
        return service_pb2.TxEncodeResponse(tx_bytes=encode(request.tx))


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


def decoded(raw: bytes) -> tx_pb2.Tx:
    """Return the Tx of encoded TxRaw (same wire format); empty if a block contains malformed bytes."""
    try:
        return tx_pb2.Tx.FromString(raw)
    except DecodeError:
        return tx_pb2.Tx()


class NodeService:
    """The status of a node."""

    def __init__(self, view: NodeView, app: HostApp) -> None:
        self._view = view
        self._app = app

    def status(self, _request: node_pb.StatusRequest) -> node_pb.StatusResponse:
        """Return earliest and latest height of the state, with app hash, validators hash and time."""
        info, kept = self._app.info(), self._app.store.versions()
        header = self._view.block(info.height).block.header
        response = node_pb.StatusResponse(
            earliest_store_height=kept.start if kept else 0,
            height=info.height,
            app_hash=info.app_hash,
            validator_hash=header.validators_hash,
        )
        response.timestamp.CopyFrom(header.time)
        return response


def routes_of(view: NodeView, app: HostApp, memo: NodeInfoMemo) -> dict[str, Route]:
    """Return all routes by gRPC method path."""
    routes = {path: _query(app, path) for path in app.grpc_paths()}
    for service in (TxService(view), TendermintService(view, app), NodeService(view, app)):
        for path, request, answer in grpc_methods(service, "Service"):
            routes[path] = _about_node(request, answer)
    routes[GET_NODE_INFO] = _node_info(app, memo)
    return routes


def _node_info(app: HostApp, memo: NodeInfoMemo) -> Route:
    """Return a route that fetches the consensus node's info before it calls the application."""

    def answer(request: bytes, height: int) -> bytes:
        memo.ask()
        return app.grpc(GET_NODE_INFO, request, height)

    return answer


def _query(app: HostApp, path: str) -> Route:
    return lambda request, height: app.grpc(path, request, height)


def _about_node(cls: type[_M], answer: Callable[[_M], Message]) -> Route:
    """Return a route that ignores the height metadata. It raises InvalidRequest, and errors of `answer`."""
    return lambda raw, _height: encode(answer(parse_request(cls, raw)))
