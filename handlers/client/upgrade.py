"""Upgrades a client to its chain's next revision (ICS-2, ibc-go 02-client MsgUpgradeClient)."""

from typing import NamedTuple

from ibc_core.client import events as client_events
from ibc_core.client.upgrade import MsgUpgradeClient
from ibc_core.host.context import ReadContext, WriteContext
from keepers.keepers import Keepers
from light_client.interface import LightClient, UpgradedStates


class VerifiedUpgrade(NamedTuple):
    """Upgraded states for an Active client; the light client verifies their proofs when it writes."""

    msg: MsgUpgradeClient
    client: LightClient


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgUpgradeClient) -> VerifiedUpgrade:
    """Checks that the client is Active.

    Raises:
        InvalidIdentifier, InvalidClientType, ClientRouteNotFound, ClientNotActive: it cannot.
    """
    return VerifiedUpgrade(msg, keepers.clients.active(ctx, msg.client_id))


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedUpgrade) -> None:  # noqa: ARG001
    """Has the light client verify and write the upgraded states.

    Runs on: either chain.
    Proves: the upgraded client and consensus state, in the upgrade store of the tracked chain.
    Writes: clients/{id}/ (by the light client).
    Emits: upgrade_client.

    Raises:
        ...: the light client's own errors.
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
