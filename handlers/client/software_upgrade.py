"""Schedules this chain's upgrade (ibc-go 02-client MsgIBCSoftwareUpgrade and its BeginBlocker)."""

from typing import NamedTuple

from handlers.authority import check_authority
from ibc_core.client import events as client_events
from ibc_core.client.software_upgrade import MsgIbcSoftwareUpgrade
from ibc_core.client.upgrade_plan import UpgradePlan
from ibc_core.errors import InvalidSdkRequest
from ibc_core.host.context import ReadContext, WriteContext
from keepers.keepers import Keepers
from light_client.tendermint.upgrade import committed_client_state, committed_consensus_state


class VerifiedPlan(NamedTuple):
    """An authorized plan, with the client state that the chain commits to."""

    plan: UpgradePlan
    client_state: bytes  # an Any, with client-chosen fields zeroed


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgIbcSoftwareUpgrade) -> VerifiedPlan:
    """Checks the signer, and that the plan's height is in the future.

    Raises:
        UnauthorizedTx: not the authority.
        InvalidClient: the upgraded client state is malformed.
        InvalidSdkRequest: the plan's height is not in the future.
    """
    check_authority(keepers, msg.signer)
    client_state = committed_client_state(msg.upgraded_client_state.value)
    if msg.plan.height < ctx.height.revision_height:
        raise InvalidSdkRequest("upgrade cannot be scheduled in the past")
    return VerifiedPlan(msg.plan, client_state)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedPlan) -> None:
    """Writes the plan and the client state of the next revision.

    Runs on: the chain that will be upgraded.
    Proves: nothing.
    Writes: plan, upgradedIBCState (store upgrade), deletes upgradedIBCState (of the plan before).
    Emits: schedule_ibc_software_upgrade.
    """
    plan, client_state = verified
    # STATE
    keepers.upgrades.schedule(ctx, plan, client_state)
    # EVENTS
    ctx.emit(client_events.schedule_ibc_software_upgrade(plan.name, plan.height))
    ctx.emit(client_events.MODULE)


def begin_block(keepers: Keepers, ctx: WriteContext) -> None:
    """In the last block before a planned upgrade, commits to the upgraded consensus state.

    Writes: upgradedIBCState (store upgrade).
    Emits: upgrade_chain.
    """
    plan_height = keepers.upgrades.plan_height(ctx)
    if plan_height is None or ctx.height.revision_height != plan_height - 1:
        return
    if not keepers.upgrades.has_upgraded_client(ctx, plan_height):
        return
    # No root: nothing is proven against it, but the next validators can sign the new chain's first header.
    consensus_state = committed_consensus_state(ctx.time_ns, ctx.next_validators_hash)
    keepers.upgrades.set_upgraded_consensus_state(ctx, plan_height, consensus_state)
    ctx.emit(client_events.upgrade_chain(plan_height))
    ctx.emit(client_events.MODULE)
