"""The host's typed way to call its plugins: the only file that sees what pluggy hands out.

Order is the order of configuration. pluggy calls the last registered plugin first and orders entry
points by installation, which two validators may not share; so plugins are given as a list, and are
registered backwards.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pluggy

from ibc_core.application.classic import IbcApp
from ibc_core.application.services import Bank, Services
from ibc_core.application.v2 import IbcAppV2
from ibc_core.host.block import CommittedBlock
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.routes import CheckedMessage, MessageRoute, QueryRoute
from ibc_core.queue.application import MakeQueueApp
from ibc_module import PROJECT, hookspecs
from ibc_module.hookspecs import Middleware, MiddlewareV2
from light_client.interface import LightClient


class Pipeline:
    """The plugins of one chain, in configured order."""

    def __init__(self, plugins: Sequence[object]) -> None:
        """Registers `plugins`; the first is called first.

        Raises:
            ValueError: a plugin implements a hook that does not exist, or with arguments that it does not
                have, or two claim the same thing.
        """
        self._manager = pluggy.PluginManager(PROJECT)
        self._manager.add_hookspecs(hookspecs)
        try:
            for plugin in reversed(plugins):
                self._manager.register(plugin)
            self._manager.check_pending()
        except pluggy.PluginValidationError as error:
            raise ValueError(f"a plugin implements an unknown hook: {error}") from error
        self._hook = self._manager.hook
        self._asked: set[str] = set()
        self._hook.chain_wired(pipeline=self)

    # -- asked once, at wiring

    def stores(self) -> tuple[str, ...]:
        """Names of all stores, sorted.

        Raises:
            ValueError: two plugins declare one store; each store has one writer.
        """
        owned = [{name: plugin} for plugin, names in enumerate(self._hook.chain_stores()) for name in names]
        return tuple(sorted(_merge(owned, "store")))

    def messages(self) -> dict[str, MessageRoute]:
        """Type URL -> route."""
        return _merge(self._hook.chain_messages(), "message")

    def queries(self) -> dict[str, QueryRoute]:
        """Routes by gRPC method path."""
        return _merge(self._hook.chain_queries(), "query")

    def bank(self) -> Bank | None:
        """The first bank that a plugin offers."""
        bank: Bank | None = self._hook.ibc_bank()
        return bank

    def account_prefix(self) -> str | None:
        """The prefix of addresses that the first plugin names which names one."""
        prefix: str | None = self._hook.ibc_account_prefix()
        return prefix

    def apps(self, services: Callable[[object], Services]) -> dict[str, tuple[object, IbcApp]]:
        """Port id -> (plugin, application); `services` makes what each plugin is given.

        Asked once in a pipeline's life: who asked again could give applications a sender of his own, and
        would be handed what only the module may call.

        Raises:
            ValueError: they were asked already, or two plugins register one port.
        """
        return self._registered("ibc_register_apps", services, "port")

    def apps_v2(self, services: Callable[[object], Services]) -> dict[str, tuple[object, IbcAppV2]]:
        """Port id -> (plugin, application) of IBC v2, in the same way.

        Raises:
            ValueError: they were asked already, or two plugins register one port.
        """
        return self._registered("ibc_register_apps_v2", services, "IBC v2 port")

    def _registered(
        self, hook: str, services: Callable[[object], Services], what: str
    ) -> dict[str, tuple[object, Any]]:
        if hook in self._asked:
            raise ValueError(f"{hook} was asked already: applications are registered once")
        self._asked.add(hook)
        plugins = [each.plugin for each in reversed(getattr(self._hook, hook).get_hookimpls())]
        parts: list[dict[str, tuple[object, Any]]] = []
        for plugin in plugins:
            others = [each for each in plugins if each is not plugin]
            own = self._manager.subset_hook_caller(hook, remove_plugins=others)
            registered = own(services=services(plugin))
            parts.extend({port: (plugin, app) for port, app in apps.items()} for apps in registered)
        return _merge(parts, what)

    def light_clients(self) -> list[LightClient]:
        """Every registered light client."""
        return [client for clients in self._hook.ibc_register_light_clients() for client in clients]

    def middleware(self) -> list[Middleware]:
        """Every registered middleware, outermost first."""
        return [layer for layers in self._hook.ibc_register_middleware() for layer in layers]

    def middleware_v2(self) -> list[MiddlewareV2]:
        """Every registered middleware of IBC v2, outermost first."""
        return [layer for layers in self._hook.ibc_register_middleware_v2() for layer in layers]

    def queue_apps(self) -> dict[str, MakeQueueApp]:
        """Type of packets on queues -> what makes its application."""
        return _merge(self._hook.ibc_register_queue_apps(), "type of queue packets")

    # -- called as blocks go by

    def init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Before the first block."""
        self._hook.chain_init_genesis(ctx=ctx, genesis=genesis)

    def export_genesis(self, ctx: ReadContext) -> dict[str, Any]:
        """The state of every plugin."""
        return _merge(self._hook.chain_export_genesis(ctx=ctx), "genesis entry")

    def check_tx(self, ctx: WriteContext, messages: Sequence[CheckedMessage], recheck: bool) -> None:
        """At the mempool's door."""
        self._hook.chain_check_tx(ctx=ctx, messages=messages, recheck=recheck)

    def prepare_proposal(self, ctx: ReadContext, txs: Sequence[bytes]) -> Sequence[bytes]:
        """The transactions this validator proposes."""
        answers = [
            answer for answer in self._hook.chain_prepare_proposal(ctx=ctx, txs=txs) if answer is not None
        ]
        return answers[-1] if answers else txs

    def process_proposal(self, ctx: ReadContext, txs: Sequence[bytes]) -> bool:
        """Whether every plugin accepts the proposal."""
        return all(answer is not False for answer in self._hook.chain_process_proposal(ctx=ctx, txs=txs))

    def begin_block(self, ctx: WriteContext) -> None:
        """Before the first transaction."""
        self._hook.chain_begin_block(ctx=ctx)

    def end_block(self, ctx: WriteContext) -> None:
        """After the last transaction."""
        self._hook.chain_end_block(ctx=ctx)

    def committed(self, block: CommittedBlock) -> None:
        """After the block is on disk."""
        self._hook.chain_committed(block=block)


def _merge(parts: Iterable[Mapping[str, Any]], what: str) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for part in parts:
        for name, entry in part.items():
            if name in merged:
                raise ValueError(f"two plugins register the {what} {name!a}")
            merged[name] = entry
    return merged
