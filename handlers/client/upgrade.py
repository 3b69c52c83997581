"""Handler of MsgUpgradeClient: upgrade a client to its chain's next revision (ibc-go 02-client)."""

from typing import NamedTuple

from keepers.keepers import Keepers
from light_client.interface import LightClient, UpgradedStates
from pyibc.core.client import events as client_events
from pyibc.core.client.messages import MsgUpgradeClient
from pyibc.core.host.context import ReadContext, WriteContext


class VerifiedUpgrade(NamedTuple):
    """Upgraded states for an Active client, whose proofs are verified in `execute`."""

    msg: MsgUpgradeClient
    client: LightClient


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgUpgradeClient) -> VerifiedUpgrade:
    """Check that the client is Active.

    Raises:
        InvalidIdentifier, InvalidClientType, ClientRouteNotFound, ClientNotActive: the client is not usable.
    """
    return VerifiedUpgrade(msg, keepers.clients.active(ctx, msg.client_id))


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedUpgrade) -> None:  # noqa: ARG001
    """Verify and write the upgraded states, by the light client.

    Runs on: either chain. Proves: the upgraded client and consensus state, in the upgrade store of the
    tracked chain. Writes: clients/{id}/ (by the light client). Emits: upgrade_client.

    Raises:
        IbcError: the light client's own errors.
    """
    msg, client = verified
    # PROOF: the light client verifies and writes in one call
    states = msg.client_state.value, msg.consensus_state.value
    upgraded = UpgradedStates(*states, msg.client_proof, msg.consensus_proof)
    client.verify_upgrade_and_update_state(ctx, msg.client_id, upgraded)
    # EVENTS
    height = client.latest_height(ctx, msg.client_id)
    ctx.emit(client_events.upgrade_client(msg.client_id, client.client_type, height))
    ctx.emit(client_events.MODULE)
