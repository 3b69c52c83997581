"""Moves a client to its chain's next revision (ICS-2, ibc-go 02-client MsgUpgradeClient)."""

from typing import NamedTuple

from ibc_core.client import events as client_events
from ibc_core.client.upgrade import MsgUpgradeClient
from ibc_core.host.context import ReadContext, WriteContext
from keepers.keepers import Keepers
from light_client.interface import LightClient, UpgradedStates


class VerifiedUpgrade(NamedTuple):
    """States for an Active client; their proofs are the light client's to check, as it writes."""

    msg: MsgUpgradeClient
    client: LightClient


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgUpgradeClient) -> VerifiedUpgrade:
    """Checks that the client can be used.

    Raises:
        InvalidIdentifier, InvalidClientType, ClientRouteNotFound, ClientNotActive: it cannot.
    """
    return VerifiedUpgrade(msg, keepers.clients.active(ctx, msg.client_id))


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedUpgrade) -> None:  # noqa: ARG001
    """Has the light client verify the upgraded states and take them over.

    Runs on: either chain.
    Proves: the upgraded client and consensus state, in the upgrade store of the chain that is followed.
    Writes: clients/{id}/ (by the light client).
    Emits: upgrade_client.

    Raises:
        ...: whatever the light client refuses the states or their proofs with.
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
