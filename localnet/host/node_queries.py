"""Queries about the node that the application answers by itself: relayers ask them through ABCI Query."""

from collections.abc import Callable, Mapping

from ibc_core.host.context import ReadContext
from ibc_core.host.routes import QueryRoute
from ibc_core.wire.requests import answering
from ibc_proto.cosmos.base.node.v1beta1 import query_pb2 as node
from ibc_proto.cosmos.base.tendermint.v1beta1 import query_pb2 as tendermint
from ibc_proto.cosmos.consensus.v1 import query_pb2 as consensus
from ibc_proto.cosmos.staking.v1beta1 import query_pb2 as staking
from ibc_proto.cosmos.staking.v1beta1 import staking_pb2
from ibc_proto.tendermint.p2p.types_pb2 import DefaultNodeInfo
from localnet.host.config import GasPrices, HostConfig
from localnet.host.identity import declared_cometbft, version_info

GET_NODE_INFO = "/cosmos.base.tendermint.v1beta1.Service/GetNodeInfo"
CONFIG = "/cosmos.base.node.v1beta1.Service/Config"
CONSENSUS_PARAMS = "/cosmos.consensus.v1.Query/Params"
STAKING_PARAMS = "/cosmos.staking.v1beta1.Query/Params"


class NodeQueries:
    """GetNodeInfo, Config, and the Params of staking and consensus."""

    def __init__(self, config: HostConfig) -> None:
        self._config = config
        self.consensus: Callable[[], DefaultNodeInfo | None] = lambda: None
        """What consensus says of its node (id, addresses, version); who runs the application beside one
        sets it. While it says None, only the chain's id and `cometbft` are told. It may not wait for
        consensus, which may be waiting for the application."""
        self.cometbft = declared_cometbft(config)
        """The version of CometBFT that this node runs on or, without CometBFT, follows."""

    def routes(self) -> Mapping[str, QueryRoute]:
        """By gRPC method path; each raises InvalidRequest for bytes that are no request."""
        return {
            GET_NODE_INFO: answering(tendermint.GetNodeInfoRequest, self.node_info),
            CONFIG: answering(node.ConfigRequest, self.node_config),
            STAKING_PARAMS: answering(staking.QueryParamsRequest, self.staking_params),
            CONSENSUS_PARAMS: answering(consensus.QueryParamsRequest, self.consensus_params),
        }

    def node_info(
        self, _ctx: ReadContext, _request: tendermint.GetNodeInfoRequest
    ) -> tendermint.GetNodeInfoResponse:
        """What consensus says of itself, and what the application is and follows (`HostConfig.modules`)."""
        return tendermint.GetNodeInfoResponse(
            default_node_info=self.consensus() or self._unknown_node(),
            application_version=version_info(self._config, self.cometbft),
        )

    def node_config(self, _ctx: ReadContext, _request: node.ConfigRequest) -> node.ConfigResponse:
        """The least gas price that CheckTx asks for; nothing is pruned by interval."""
        return node.ConfigResponse(
            minimum_gas_price=minimum_gas_price(self._config.gas),
            pruning_keep_recent="0",
            pruning_interval="0",
        )

    def staking_params(
        self, _ctx: ReadContext, _request: staking.QueryParamsRequest
    ) -> staking.QueryParamsResponse:
        """`HostConfig.staking`; the bonded denomination is the one of fees."""
        terms = self._config.staking
        params = staking_pb2.Params(
            max_validators=terms.max_validators,
            max_entries=terms.max_entries,
            historical_entries=terms.historical_entries,
            bond_denom=self._config.gas.denom,
            min_commission_rate="0",
        )
        params.unbonding_time.seconds = terms.unbonding_s
        return staking.QueryParamsResponse(params=params)

    def _unknown_node(self) -> DefaultNodeInfo:
        return DefaultNodeInfo(network=self._config.chain_id, version=self.cometbft)

    def consensus_params(
        self, _ctx: ReadContext, _request: consensus.QueryParamsRequest
    ) -> consensus.QueryParamsResponse:
        """The host's bounds of a block; wallets clip their gas by `max_gas`."""
        response = consensus.QueryParamsResponse()
        response.params.block.max_bytes = self._config.block_bytes
        response.params.block.max_gas = self._config.block_gas
        response.params.validator.pub_key_types.append("ed25519")
        return response


def minimum_gas_price(gas: GasPrices) -> str:
    """A decimal coin with the six digits that `GasPrices.micro` has, e.g. `0.025000stake`."""
    return f"{gas.micro // 1_000_000}.{gas.micro % 1_000_000:06}{gas.denom}"
