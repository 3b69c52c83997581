"""`cosmos.base.tendermint.v1beta1.Service`: blocks, validators, syncing, and ABCI Query over gRPC."""

from collections.abc import Mapping

from light_client.tendermint.types import ED25519, Validator
from localnet.grpc.answering import Method, cut, method
from localnet.grpc.view import NodeView, require_block
from pyibc.chain.app import HostApp
from pyibc.codec.encoding import encode
from pyibc.core.address import AddressCodec
from pyibc.proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest, PageResponse
from pyibc.proto.cosmos.base.tendermint.v1beta1 import query_pb2 as pb
from pyibc.proto.cosmos.crypto.ed25519 import keys_pb2 as ed25519
from pyibc.proto.cosmos.crypto.secp256k1 import keys_pb2 as secp256k1

SERVICE = "/cosmos.base.tendermint.v1beta1.Service/"


class TendermintService:
    """Blocks and validators, and ABCI Query; the application implements GetNodeInfo."""

    def __init__(self, view: NodeView, app: HostApp) -> None:
        self._view = view
        self._app = app
        self._validator_addresses = AddressCodec(f"{app.addresses.prefix}valcons")

    def routes(self) -> Mapping[str, Method]:
        """Return the routes of the consensus service."""
        return {
            f"{SERVICE}GetSyncing": method(pb.GetSyncingRequest, self.syncing),
            f"{SERVICE}GetLatestBlock": method(pb.GetLatestBlockRequest, self.latest_block),
            f"{SERVICE}GetBlockByHeight": method(pb.GetBlockByHeightRequest, self.block_by_height),
            f"{SERVICE}GetLatestValidatorSet": method(
                pb.GetLatestValidatorSetRequest, self.latest_validators
            ),
            f"{SERVICE}GetValidatorSetByHeight": method(
                pb.GetValidatorSetByHeightRequest, self.validators_by_height
            ),
            f"{SERVICE}ABCIQuery": method(pb.ABCIQueryRequest, self.abci_query),
        }

    def syncing(self, _request: pb.GetSyncingRequest) -> pb.GetSyncingResponse:
        """Return whether the node is catching up."""
        return pb.GetSyncingResponse(syncing=self._view.syncing())

    def latest_block(self, _request: pb.GetLatestBlockRequest) -> pb.GetLatestBlockResponse:
        """Return the last block."""
        viewed = self._view.block(self._view.latest())
        return pb.GetLatestBlockResponse(block_id=viewed.block_id, block=viewed.block)

    def block_by_height(self, request: pb.GetBlockByHeightRequest) -> pb.GetBlockByHeightResponse:
        """Return the block at a height. Raises InvalidRequest."""
        viewed = require_block(self._view, request.height)
        return pb.GetBlockByHeightResponse(block_id=viewed.block_id, block=viewed.block)

    def latest_validators(self, request: pb.GetLatestValidatorSetRequest) -> pb.GetLatestValidatorSetResponse:
        """Return a page of the current validator set. Raises InvalidRequest."""
        height = self._view.latest()
        members, page = self._validators(height, request.pagination)
        return pb.GetLatestValidatorSetResponse(block_height=height, validators=members, pagination=page)

    def validators_by_height(
        self, request: pb.GetValidatorSetByHeightRequest
    ) -> pb.GetValidatorSetByHeightResponse:
        """Return a page of a block's validator set. Raises InvalidRequest."""
        height = require_block(self._view, request.height).block.header.height
        members, page = self._validators(height, request.pagination)
        return pb.GetValidatorSetByHeightResponse(block_height=height, validators=members, pagination=page)

    def abci_query(self, request: pb.ABCIQueryRequest) -> pb.ABCIQueryResponse:
        """Return the application's ABCI Query response, including errors."""
        said = self._app.query(request.path, request.data, request.height, request.prove)
        response = pb.ABCIQueryResponse(
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

    def _validators(self, height: int, page: PageRequest) -> tuple[list[pb.Validator], PageResponse]:
        members = self._view.validators(height)
        shown, response = cut(members, page)
        response.total = len(members)  # always, as in the SDK
        return [self._shown(member) for member in shown], response

    def _shown(self, member: Validator) -> pb.Validator:
        message = pb.Validator(
            address=self._validator_addresses.encode(member.address).text,
            voting_power=member.power,
            proposer_priority=member.priority,
        )
        edwards = member.key_type == ED25519
        message.pub_key.type_url = f"/cosmos.crypto.{'ed25519' if edwards else 'secp256k1'}.PubKey"
        kind = ed25519 if edwards else secp256k1
        message.pub_key.value = encode(kind.PubKey(key=member.public_key))
        return message
