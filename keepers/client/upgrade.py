"""The plan of this chain's next upgrade, and the states that counterparties verify (Cosmos SDK x/upgrade).

Writes the `upgrade` store: the plan, and the upgraded client and consensus states by the plan's height.
Halting at that height is the host's part.
"""

from ibc_core import paths
from ibc_core.client.upgrade_plan import UpgradePlan, decode_plan_height, encode_plan
from ibc_core.host.context import ReadContext, WriteContext


class UpgradeKeeper:
    """At most one pending plan; scheduling another replaces it."""

    def plan_height(self, ctx: ReadContext) -> int | None:
        """The height of the pending plan, None if there is none or it cannot be decoded."""
        raw = ctx.reader(paths.UPGRADE_STORE_NAME).get(paths.UPGRADE_PLAN)
        return None if raw is None else decode_plan_height(raw)

    def schedule(self, ctx: WriteContext, plan: UpgradePlan, client_state: bytes) -> None:
        """Replaces the pending plan and its states; `client_state` is an Any."""
        store = ctx.store(paths.UPGRADE_STORE_NAME)
        self.cancel(ctx)
        store.set(paths.UPGRADE_PLAN, encode_plan(plan))
        store.set(paths.upgraded_client_path(plan.height), client_state)

    def cancel(self, ctx: WriteContext) -> None:
        """Drops the pending plan and its states, if there is one."""
        height = self.plan_height(ctx)
        if height is not None:
            store = ctx.store(paths.UPGRADE_STORE_NAME)
            store.delete(paths.upgraded_client_path(height))
            store.delete(paths.upgraded_consensus_state_path(height))
            store.delete(paths.UPGRADE_PLAN)

    def upgraded_client(self, ctx: ReadContext, plan_height: int) -> bytes | None:
        """The client state that the plan commits to, an Any; None if there is none."""
        return ctx.reader(paths.UPGRADE_STORE_NAME).get(paths.upgraded_client_path(plan_height))

    def upgraded_consensus_state(self, ctx: ReadContext, plan_height: int) -> bytes | None:
        """The consensus state that the plan commits to, an Any; None until the block before it."""
        return ctx.reader(paths.UPGRADE_STORE_NAME).get(paths.upgraded_consensus_state_path(plan_height))

    def has_upgraded_client(self, ctx: ReadContext, plan_height: int) -> bool:
        """Whether the plan commits to a client state: one that was made past this module may not."""
        return ctx.reader(paths.UPGRADE_STORE_NAME).has(paths.upgraded_client_path(plan_height))

    def set_upgraded_consensus_state(
        self, ctx: WriteContext, plan_height: int, consensus_state: bytes
    ) -> None:
        """Commits to the consensus state that the next revision starts from, an Any."""
        path = paths.upgraded_consensus_state_path(plan_height)
        ctx.store(paths.UPGRADE_STORE_NAME).set(path, consensus_state)
