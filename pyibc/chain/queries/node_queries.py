"""Queries about the node, answered by the application because relayers send them over ABCI Query."""

from collections.abc import Callable, Mapping

from pyibc.chain.config import GasPrices, HostConfig, declared_cometbft, version_info
from pyibc.core.host.context import QueryRoute, ReadContext
from pyibc.core.wire.requests import answering
from pyibc.proto.cosmos.base.node.v1beta1 import query_pb2 as node
from pyibc.proto.cosmos.base.tendermint.v1beta1 import query_pb2 as tendermint
from pyibc.proto.cosmos.consensus.v1 import query_pb2 as consensus
from pyibc.proto.cosmos.staking.v1beta1 import query_pb2 as staking
from pyibc.proto.cosmos.staking.v1beta1 import staking_pb2
from pyibc.proto.tendermint.p2p.types_pb2 import DefaultNodeInfo

GET_NODE_INFO = "/cosmos.base.tendermint.v1beta1.Service/GetNodeInfo"
CONFIG = "/cosmos.base.node.v1beta1.Service/Config"
CONSENSUS_PARAMS = "/cosmos.consensus.v1.Query/Params"
STAKING_PARAMS = "/cosmos.staking.v1beta1.Query/Params"
METHODS = (GET_NODE_INFO, CONFIG, STAKING_PARAMS, CONSENSUS_PARAMS)


class NodeQueries:
    """GetNodeInfo, Config, and the parameters of staking and consensus."""

    def __init__(self, config: HostConfig) -> None:
        self._config = config
        self.consensus: Callable[[], DefaultNodeInfo | None] = lambda: None
        """Callback that returns the consensus node's id, addresses and version, set by the application's
        host. If it returns None, only the chain id and `cometbft` are reported. It must not call the
        consensus engine, which may be waiting for the application."""
        self.cometbft = declared_cometbft(config)
        """The CometBFT version that this node runs on or, without CometBFT, follows."""

    def routes(self) -> Mapping[str, QueryRoute]:
        """Return the query routes by gRPC method; they raise InvalidRequest for an undecodable request."""
        return {
            GET_NODE_INFO: answering(tendermint.GetNodeInfoRequest, self.node_info),
            CONFIG: answering(node.ConfigRequest, self.node_config),
            STAKING_PARAMS: answering(staking.QueryParamsRequest, self.staking_params),
            CONSENSUS_PARAMS: answering(consensus.QueryParamsRequest, self.consensus_params),
        }

    def node_info(
        self, _ctx: ReadContext, _request: tendermint.GetNodeInfoRequest
    ) -> tendermint.GetNodeInfoResponse:
        """Return the consensus node, and the application with its module versions (`HostConfig.modules`)."""
        return tendermint.GetNodeInfoResponse(
            default_node_info=self.consensus() or self._unknown_node(),
            application_version=version_info(self._config, self.cometbft),
        )

    def node_config(self, _ctx: ReadContext, _request: node.ConfigRequest) -> node.ConfigResponse:
        """Return the minimum gas price of CheckTx; pruning intervals are reported as 0."""
        return node.ConfigResponse(
            minimum_gas_price=minimum_gas_price(self._config.gas),
            pruning_keep_recent="0",
            pruning_interval="0",
        )

    def staking_params(
        self, _ctx: ReadContext, _request: staking.QueryParamsRequest
    ) -> staking.QueryParamsResponse:
        """Return `HostConfig.staking`; the bond denomination is the fee denomination."""
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
        """Return the block limits; wallets cap gas limits at `max_gas`."""
        response = consensus.QueryParamsResponse()
        response.params.block.max_bytes = self._config.block_bytes
        response.params.block.max_gas = self._config.block_gas
        response.params.validator.pub_key_types.append("ed25519")
        return response


def minimum_gas_price(gas: GasPrices) -> str:
    """Return the minimum gas price as a decimal coin with six digits, e.g. `0.025000stake`."""
    return f"{gas.micro // 1_000_000}.{gas.micro % 1_000_000:06}{gas.denom}"
