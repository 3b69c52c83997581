"""State of x/upgrade (Cosmos SDK): the upgrade plan, and the upgraded states for counterparties.

`UpgradeKeeper` writes the `upgrade` store with the keys of x/upgrade: the plan, the upgraded client and
consensus states by plan height, applied upgrades, and versions of plugins. The host halts at the plan's
height (`ibc_module/upgrades.py`).
"""

from collections.abc import Mapping

from pyibc.core import paths
from pyibc.core.client.types import UpgradePlan, decode_plan, decode_plan_height, encode_plan
from pyibc.core.host.context import ReadContext, WriteContext

_AT_NAME = len(paths.UPGRADE_DONE) + 8
_AFTER_VERSIONS = bytes([paths.UPGRADE_VERSION[0] + 1])


class UpgradeKeeper:
    """Keeper of the pending upgrade plan, at most one, and of its states."""

    def plan_height(self, ctx: ReadContext) -> int | None:
        """Return the height of the pending plan; None if there is none or it is malformed."""
        raw = ctx.reader(paths.UPGRADE_STORE_NAME).get(paths.UPGRADE_PLAN)
        return None if raw is None else decode_plan_height(raw)

    def plan(self, ctx: ReadContext) -> UpgradePlan | None:
        """Return the pending plan; None if there is none or it is malformed."""
        raw = ctx.reader(paths.UPGRADE_STORE_NAME).get(paths.UPGRADE_PLAN)
        return None if raw is None else decode_plan(raw)

    def done_height(self, ctx: ReadContext, name: str) -> int | None:
        """Return the height at which the upgrade `name` was applied; None if it was not."""
        done = ctx.reader(paths.UPGRADE_STORE_NAME).iterate(paths.UPGRADE_DONE, paths.UPGRADE_VERSION)
        for key, _ in done:
            if key[_AT_NAME:] == name.encode():
                return int.from_bytes(key[len(paths.UPGRADE_DONE) : _AT_NAME], "big")
        return None

    def finish(self, ctx: WriteContext, name: str) -> None:
        """Record that the upgrade `name` is applied in this block, and delete a due plan with its states."""
        planned, height = self.plan_height(ctx), ctx.height.revision_height
        if planned is not None and planned <= height:
            self.cancel(ctx)
        ctx.store(paths.UPGRADE_STORE_NAME).set(paths.upgrade_done_path(height, name), b"\x01")

    def versions(self, ctx: ReadContext) -> dict[str, int]:
        """Return the recorded versions of plugins by name; empty if none are recorded."""
        start = paths.UPGRADE_VERSION
        recorded = ctx.reader(paths.UPGRADE_STORE_NAME).iterate(start, _AFTER_VERSIONS)
        return {
            key[len(start) :].decode(errors="backslashreplace"): int.from_bytes(value, "big")
            for key, value in recorded
        }

    def set_versions(self, ctx: WriteContext, versions: Mapping[str, int]) -> None:
        """Replace the recorded versions of plugins."""
        store = ctx.store(paths.UPGRADE_STORE_NAME)
        for name in self.versions(ctx):
            if name not in versions:
                store.delete(paths.plugin_version_path(name))
        for name in sorted(versions):
            store.set(paths.plugin_version_path(name), versions[name].to_bytes(8, "big"))

    def schedule(self, ctx: WriteContext, plan: UpgradePlan, client_state: bytes) -> None:
        """Replace the pending plan and its states; `client_state` is an Any."""
        store = ctx.store(paths.UPGRADE_STORE_NAME)
        self.cancel(ctx)
        store.set(paths.UPGRADE_PLAN, encode_plan(plan))
        store.set(paths.upgraded_client_path(plan.height), client_state)

    def cancel(self, ctx: WriteContext) -> None:
        """Delete the pending plan and its states, if any."""
        height = self.plan_height(ctx)
        if height is not None:
            store = ctx.store(paths.UPGRADE_STORE_NAME)
            store.delete(paths.upgraded_client_path(height))
            store.delete(paths.upgraded_consensus_state_path(height))
            store.delete(paths.UPGRADE_PLAN)

    def upgraded_client(self, ctx: ReadContext, plan_height: int) -> bytes | None:
        """Return the Any of the upgraded client state; None if there is none."""
        return ctx.reader(paths.UPGRADE_STORE_NAME).get(paths.upgraded_client_path(plan_height))

    def upgraded_consensus_state(self, ctx: ReadContext, plan_height: int) -> bytes | None:
        """Return the Any of the upgraded consensus state; None until the block before the upgrade."""
        return ctx.reader(paths.UPGRADE_STORE_NAME).get(paths.upgraded_consensus_state_path(plan_height))

    def has_upgraded_client(self, ctx: ReadContext, plan_height: int) -> bool:
        """Return whether the plan has an upgraded client state; plans of x/upgrade have none."""
        return ctx.reader(paths.UPGRADE_STORE_NAME).has(paths.upgraded_client_path(plan_height))

    def set_upgraded_consensus_state(
        self, ctx: WriteContext, plan_height: int, consensus_state: bytes
    ) -> None:
        """Write the Any of the next revision's consensus state."""
        path = paths.upgraded_consensus_state_path(plan_height)
        ctx.store(paths.UPGRADE_STORE_NAME).set(path, consensus_state)
