"""Handler of MsgIBCSoftwareUpgrade and its BeginBlocker: schedule this chain's upgrade (ibc-go 02-client)."""

from typing import NamedTuple

from handlers.authority import check_authority
from keepers.keepers import Keepers
from light_client.tendermint.upgrade import committed_client_state, committed_consensus_state
from pyibc.core.client import events as client_events
from pyibc.core.client.messages import MsgIbcSoftwareUpgrade
from pyibc.core.client.types import UpgradePlan
from pyibc.core.errors import InvalidSdkRequest
from pyibc.core.host.context import ReadContext, WriteContext


class VerifiedPlan(NamedTuple):
    """An authorized plan, with the upgraded client state."""

    plan: UpgradePlan
    client_state: bytes  # an Any with client-specific fields zeroed


def validate(keepers: Keepers, ctx: ReadContext, msg: MsgIbcSoftwareUpgrade) -> VerifiedPlan:
    """Check the signer, and that the plan is of a future upgrade.

    Raises:
        UnauthorizedTx: the signer is not the authority.
        InvalidClient: the upgraded client state is malformed.
        InvalidSdkRequest: the plan's height is in the past, or an upgrade of its name was applied.
    """
    check_authority(keepers, msg.signer)
    client_state = committed_client_state(msg.upgraded_client_state.value)
    if msg.plan.height < ctx.height.revision_height:
        raise InvalidSdkRequest("upgrade cannot be scheduled in the past")
    # guard: h278-an-upgrade-is-carried-out-twice
    #   test_h278_an_upgrade_that_was_carried_out_is_not_planned_again
    if keepers.upgrades.done_height(ctx, msg.plan.name) is not None:
        raise InvalidSdkRequest(f"upgrade with name {msg.plan.name} has already been completed")
    return VerifiedPlan(msg.plan, client_state)


def execute(keepers: Keepers, ctx: WriteContext, verified: VerifiedPlan) -> None:
    """Write the plan and the client state of the next revision.

    Runs on: the chain that will be upgraded. Proves: nothing. Writes: plan, upgradedIBCState (store upgrade),
    deletes upgradedIBCState (of the previous plan). Emits: schedule_ibc_software_upgrade.
    """
    plan, client_state = verified
    # STATE
    keepers.upgrades.schedule(ctx, plan, client_state)
    # EVENTS
    ctx.emit(client_events.schedule_ibc_software_upgrade(plan.name, plan.height))
    ctx.emit(client_events.MODULE)


def begin_block(keepers: Keepers, ctx: WriteContext) -> None:
    """Write the upgraded consensus state in the last block before a planned upgrade.

    Writes: upgradedIBCState (store upgrade). Emits: upgrade_chain.
    """
    plan_height = keepers.upgrades.plan_height(ctx)
    if plan_height is None or ctx.height.revision_height != plan_height - 1:
        return
    if not keepers.upgrades.has_upgraded_client(ctx, plan_height):
        return
    # It has no root, as no proof is verified against it; it authorizes the validators of the next revision.
    consensus_state = committed_consensus_state(ctx.time_ns, ctx.next_validators_hash)
    keepers.upgrades.set_upgraded_consensus_state(ctx, plan_height, consensus_state)
    ctx.emit(client_events.upgrade_chain(plan_height))
    ctx.emit(client_events.MODULE)
