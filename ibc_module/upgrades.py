"""Planned upgrades: a chain stops at a planned height and continues with other software.

Equivalent to the Cosmos SDK's x/upgrade and module migrations. A plan has a name and a height H. Software
that does not perform this upgrade (`chain_upgrades`) executes no block from H on. Software that does performs
it at the start of block H: it runs the genesis of added plugins and the migrations of those with a higher
version, and records all plugins' versions. Between upgrades, plugins and versions must stay as recorded.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from ibc_module import hookimpl
from ibc_module.hookspecs import Upgrade
from ibc_module.pipeline import Pipeline
from ibc_module.registration import PluginVersion
from keepers.upgrade import UpgradeKeeper
from light_client.tendermint.states import decode_client_state
from pyibc.codec.anys import decode_any
from pyibc.core.errors import IbcError
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.paths import UPGRADE_STORE_NAME
from pyibc.core.setup_error import InvalidGenesis, SetupError, WiringError
from pyibc.core.value import value
from pyibc.isolation.isolate import builtin

RECORD = f"{UPGRADE_STORE_NAME}.other_entries"
"""Genesis key of the plugins' versions."""


@value
class PlannedUpgrade:
    """Upgrade at a height agreed on by the operators, configured instead of planned by the authority."""

    name: str
    height: int  # of the first block that other software executes


@builtin
class UpgradePlugin:
    """Declares the upgrades that this software performs, for a host that lists it."""

    def __init__(self, upgrades: Mapping[str, Upgrade]) -> None:
        """Set the upgrades by the names of their plans."""
        self._upgrades = dict(upgrades)

    @hookimpl
    def chain_upgrades(self) -> Mapping[str, Upgrade]:
        """Return the upgrades by the names of their plans."""
        return self._upgrades


class UpgradeNeeded(Exception):
    """The chain has reached a planned upgrade that this software does not perform.

    Raised before the block of that height is executed; nothing of it is stored. Queries of committed states
    may go on, so that relayers can upgrade clients.
    """

    def __init__(self, plan: PlannedUpgrade, info: str, next_chain: str | None) -> None:
        """Build the message; `next_chain`: id of the chain that the plan's client state names, if another."""
        if next_chain is None:
            then = f"list a plugin whose chain_upgrades has {plan.name!a}, and start again"
        else:
            then = f"clients follow to the chain {next_chain!a}: start it from this one's genesis export"
        super().__init__(
            f'UPGRADE "{ascii(plan.name)[1:-1]}" NEEDED at height: {plan.height}: {ascii(info)[1:-1]}; {then}'
        )
        self.plan = plan
        self.next_chain = next_chain


class PluginsChanged(SetupError):
    """The chain's state was written by other plugins or other versions; the message names them."""


class _Changes(NamedTuple):
    """Differences between the listed plugins and those recorded in the state."""

    added: list[PluginVersion]
    migrated: list[tuple[PluginVersion, int]]  # with the version in the state
    impossible: list[str]  # texts of changes that no upgrade supports
    possible: list[str]  # texts of changes that an upgrade supports


class Upgrades:
    """Performs the upgrades of one chain.

    A host calls `check` at its start, `begin_chain` after the genesis, and `begin_block` before
    `Pipeline.begin_block`. A chain without IBC has no store `upgrade`: its plugins cannot change.
    """

    def __init__(self, pipeline: Pipeline, fixed: PlannedUpgrade | None = None) -> None:
        """Set the chain's plugins and its configured upgrade.

        Raises:
            WiringError: a version or an upgrade is declared incorrectly, or IBC is needed and not listed.
        """
        self._pipeline = pipeline
        self._running = pipeline.versions()
        self._handlers = pipeline.upgrades()
        self._fixed = fixed
        self._keeper = UpgradeKeeper() if UPGRADE_STORE_NAME in pipeline.stores() else None
        if self._keeper is None and (fixed or any(each.version > 1 for each in self._running)):
            raise WiringError("upgrades are recorded by the IBC plugin: list pyibc.plugins(config)")

    def check(self, ctx: ReadContext, stores: Collection[str]) -> None:
        """Check at the start of a node with an existing chain that its software fits the state.

        Args:
            ctx: The state, with the height of the next block.
            stores: Names of the stores that the state has.

        Raises:
            PluginsChanged: plugins were added, removed or changed, and no upgrade that this software
                performs is due in the next block.
        """
        changes = self._changes(ctx, stores)
        plan = self._plan(ctx)
        is_due = plan is not None and self._is_due(ctx, plan) and plan.name in self._handlers
        wrong = changes.impossible if is_due else changes.impossible + changes.possible
        # guard: h277-any-plugins-go-on drop test_h277_a_plugin_that_is_added_without_an_upgrade_is_refused
        #   test_h277_other_versions_than_the_state_s_are_refused
        if wrong:
            height = ctx.height.revision_height
            raise PluginsChanged(
                f"{ctx.chain_id} cannot go on at height {height} with these plugins: {'; '.join(wrong)}; "
                f"{self._advice(ctx, plan)}"
            )

    def begin_chain(self, ctx: WriteContext) -> None:
        """Record the plugins' versions after the genesis, if one is not 1.

        A chain with all plugins at version 1 records nothing before its first upgrade.

        Raises:
            InvalidGenesis: the genesis was exported from another version of a plugin.
        """
        if self._keeper is None:
            return
        recorded = self._keeper.versions(ctx)
        for each in self._running:
            known = recorded.get(each.name, each.version)
            # guard: h277-a-genesis-of-another-version-is-taken drop
            #   test_h277_a_genesis_of_another_version_is_refused
            if known != each.version:
                raise InvalidGenesis(RECORD, known, f"is not the version of the plugin {each}")
        if recorded or any(each.version > 1 for each in self._running):
            self._record(ctx)

    def begin_block(self, ctx: WriteContext, stores: Collection[str]) -> None:
        """Stop at a planned upgrade, or perform it; called before anything else in a block.

        Args:
            ctx: The block.
            stores: Names of the stores that the state before it has.

        Raises:
            UpgradeNeeded: an upgrade is due that this software does not perform.
            PluginsChanged: plugins differ from the state in ways that no upgrade supports.
        """
        plan = self._plan(ctx)
        if plan is None or not self._is_due(ctx, plan):
            return
        upgrade, next_chain = self._handlers.get(plan.name), self._next_chain(ctx, plan)
        # guard: h278-a-chain-goes-on-that-has-another-successor {upgrade is None or next_chain is not None =>
        #   upgrade is None} test_h278_a_chain_whose_clients_follow_another_does_not_go_on
        if upgrade is None or next_chain is not None:
            # guard: h278-the-chain-passes-its-plan {=> return} test_h278_a_chain_stops_at_its_planned_upgrade
            raise UpgradeNeeded(plan, self._info(ctx, plan.name), next_chain)
        self._carry_out(ctx, stores, plan, upgrade)

    # -- internals

    def _carry_out(
        self, ctx: WriteContext, stores: Collection[str], plan: PlannedUpgrade, upgrade: Upgrade
    ) -> None:
        changes = self._changes(ctx, stores)
        if changes.impossible:
            raise PluginsChanged(f"{ctx.chain_id}: upgrade {plan.name!a}: {'; '.join(changes.impossible)}")
        self._keeper_of(ctx).finish(ctx, plan.name)
        from_versions = {each.name: version for each, version in changes.migrated}
        for each in self._running:
            # guard: h277-an-added-plugin-has-no-genesis drop
            #   test_h277_a_plugin_that_an_upgrade_adds_gets_its_genesis_once
            #   test_h277_applications_that_an_upgrade_adds_work
            if each in changes.added:
                self._pipeline.fire(each.plugin, "chain_init_genesis", ctx=ctx, genesis=upgrade.genesis)
            for version in range(from_versions.get(each.name, each.version), each.version):
                self._pipeline.fire(each.plugin, "chain_migrate", ctx=ctx, from_version=version)
        if upgrade.run is not None:
            upgrade.run(ctx)
        self._record(ctx)

    def _record(self, ctx: WriteContext) -> None:
        self._keeper_of(ctx).set_versions(ctx, {each.name: each.version for each in self._running})

    def _keeper_of(self, ctx: ReadContext) -> UpgradeKeeper:
        if self._keeper is None:
            raise WiringError(f"{ctx.chain_id} has no store {UPGRADE_STORE_NAME!a}")
        return self._keeper

    def _recorded(self, ctx: ReadContext, stores: Collection[str]) -> dict[str, int]:
        """Return the recorded versions; before the first upgrade, 1 for plugins with stores in the state.

        Plugins without stores are not recorded then and count as unchanged.
        """
        recorded = {} if self._keeper is None else self._keeper.versions(ctx)
        if recorded:
            return recorded
        known = [each for each in self._running if not each.stores or not {*each.stores}.isdisjoint(stores)]
        return {each.name: 1 for each in known}

    def _changes(self, ctx: ReadContext, stores: Collection[str]) -> _Changes:
        recorded, found = self._recorded(ctx, stores), _Changes([], [], [], [])
        for each in self._running:
            known = recorded.get(each.name)
            lacking = ", ".join(name for name in each.stores if name not in stores)
            if known is None:
                found.added.append(each)
                found.possible.append(f"the plugin {each} is not in the state")
            elif known > each.version:
                found.impossible.append(f"the state has version {known} of the plugin {each}, a later one")
            elif known < each.version:
                found.migrated.append((each, known))
                text = f"the state has version {known} of the plugin {each}"
                if self._pipeline.has(each.plugin, "chain_migrate"):
                    found.possible.append(text)
                else:
                    found.impossible.append(f"{text}, which has no chain_migrate")
            elif lacking:
                found.impossible.append(
                    f"the plugin {each} has stores that the state does not have: {lacking}"
                )
        left = recorded.keys() - {each.name for each in self._running}
        found.possible.extend(f"the plugin {name!a} is in the state, but not listed" for name in sorted(left))
        return found

    def _plan(self, ctx: ReadContext) -> PlannedUpgrade | None:
        """Return the next upgrade: planned by the authority, or configured and not yet passed."""
        stored = None if self._keeper is None else self._keeper.plan(ctx)
        plan = None if stored is None else PlannedUpgrade(stored.name, stored.height)
        fixed = self._fixed
        if fixed is None or fixed.height < ctx.height.revision_height:
            return plan
        return fixed if plan is None or fixed.height < plan.height else plan

    @staticmethod
    def _is_due(ctx: ReadContext, plan: PlannedUpgrade) -> bool:
        return plan.height <= ctx.height.revision_height

    def _next_chain(self, ctx: ReadContext, plan: PlannedUpgrade) -> str | None:
        """Return the id of another chain that clients will follow, if the plan is due now.

        A plan made too late has no consensus state, and clients do not follow it.
        """
        height = ctx.height.revision_height
        if self._keeper is None or plan.height != height or self._keeper.plan_height(ctx) != height:
            return None
        raw = self._keeper.upgraded_client(ctx, height)
        try:
            found = None if raw is None else decode_client_state(decode_any(raw).value).chain_id
        except IbcError:  # not a state that a client can be upgraded to
            return None
        return None if found == ctx.chain_id else found

    def _info(self, ctx: ReadContext, name: str) -> str:
        stored = None if self._keeper is None else self._keeper.plan(ctx)
        return stored.info if stored is not None and stored.name == name else ""

    def _advice(self, ctx: ReadContext, plan: PlannedUpgrade | None) -> str:
        if plan is None:
            return "no upgrade is planned: list the plugins as they were, or plan one (docs/upgrades.md)"
        if self._is_due(ctx, plan):
            return f"the upgrade {plan.name!a} is due: list a plugin whose chain_upgrades has it"
        return f"{plan.name!a} is planned for height {plan.height}: run the earlier software until then"
