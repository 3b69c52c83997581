"""MsgIBCSoftwareUpgrade: the message that plans a chain's upgrade (ICS-2)."""

from typing import Annotated

from ibc_core.any_message import AnyMessage
from ibc_core.checking import HasClientTypes, check_readable
from ibc_core.client.types import TENDERMINT
from ibc_core.client.upgrade_plan import PLAN, UpgradePlan
from ibc_core.errors import InvalidSdkRequest, InvalidUpgradeClient
from ibc_core.value import value
from ibc_core.wire.columns import Signer, Wire
from ibc_core.wire.gotime import GO_ZERO_TIME_NS
from ibc_core.wire.message import Msg, message
from ibc_proto.ibc.core.client.v1 import tx_pb2


@message(tx_pb2.MsgIBCSoftwareUpgrade)
@value
class MsgIbcSoftwareUpgrade(Msg):
    """The authority plans an upgrade and commits to the client state of the next revision."""

    plan: Annotated[UpgradePlan, Wire("plan", PLAN)]
    upgraded_client_state: AnyMessage
    signer: Signer

    def check(self, chain: HasClientTypes) -> None:
        """Stateless checks.

        Raises:
            TxDecode, InvalidAddress, UnpackAny, ClientTypeNotFound, InvalidUpgradeClient, InvalidSdkRequest.
        """
        state, types = self.upgraded_client_state, chain.client_types
        check_readable(chain, state)
        chain.addresses.decode(self.signer, "signer")
        client = types.by_client_state(state.type_url)
        if client.client_type != TENDERMINT:
            raise InvalidUpgradeClient(
                f"upgraded client state of type {client.client_type}, not {TENDERMINT}"
            )
        _check_plan(self.plan)


def _check_plan(plan: UpgradePlan) -> None:
    if plan.time_ns != GO_ZERO_TIME_NS:
        raise InvalidSdkRequest("plan: upgrades by time are no longer supported")
    if plan.has_client_state:
        raise InvalidSdkRequest("plan: an upgraded client state does not belong into the plan")
    if not plan.name:
        raise InvalidSdkRequest("plan: no name")
    if plan.height <= 0:
        raise InvalidSdkRequest(f"plan: height {plan.height} is not positive")
