"""Typed interface of a host to its plugins; the only module that uses pluggy's untyped results."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from handlers.keepers_ref import KeepersRef
from ibc_module.executor import Executor
from ibc_module.hook_results import check_answer, check_offer, checked_txs
from ibc_module.hookspecs import DirectCalls, Middleware, MiddlewareV2, Upgrade
from ibc_module.registration import PluginVersion, plugin_versions, registered
from keepers.keepers import Keepers
from keepers.port import PortOwners
from light_client.interface import LightClient
from pyibc.core.application.classic import IbcApp
from pyibc.core.application.services import Accounts, Bank, PortKey, Services
from pyibc.core.application.v2 import IbcAppV2
from pyibc.core.errors import IbcError
from pyibc.core.host.block import CommittedBlock
from pyibc.core.host.context import CheckedMessage, MessageRoute, QueryRoute, ReadContext, WriteContext
from pyibc.core.host.gas import DEFAULT_ANSWER_PRICES, AnswerPrices
from pyibc.core.host.overlay import BlockContext
from pyibc.core.setup_error import WiringError, name_of
from pyibc.isolation import boundary
from pyibc.isolation.call_depth import raise_python_limit
from pyibc.isolation.isolate import is_builtin, isolate
from pyibc.isolation.limits import check_events
from pyibc.isolation.scoped_context import Grant

_log = logging.getLogger("pyibc")


class Registered(NamedTuple):
    """Answer of a plugin to a hook."""

    plugin: object
    answer: Any


class Pipeline:
    """Plugins of one chain, in configured order."""

    def __init__(
        self, plugins: Sequence[object], answer_prices: AnswerPrices = DEFAULT_ANSWER_PRICES
    ) -> None:
        """Register `plugins`; the first is called first.

        Args:
            plugins: Plugins of the chain, in order.
            answer_prices: Gas prices of messages' responses and events.

        Raises:
            WiringError: a plugin is a class, is listed twice, or implements an unknown hook, one without
                @hookimpl or with unknown arguments; or two plugins register the same name.
        """
        self._plugins = tuple(plugins)
        self._manager = registered(plugins)
        self._hook = self._manager.hook
        self._requested: set[str] = set()
        self._answer_prices = answer_prices
        self.executor = Executor(answer_prices)
        """The chain's messages for its applications; bound by `messages` and `queries`."""
        self._guard()
        raise_python_limit()
        self._hook.chain_wired(pipeline=self)

    # -- called once, at wiring

    def stores(self) -> tuple[str, ...]:
        """Return the names of all stores, sorted.

        Raises:
            WiringError: two plugins declare one store.
        """
        owned = [Registered(plugin, dict.fromkeys(names)) for plugin, names in self._answers("chain_stores")]
        return tuple(sorted(_merge(owned, "store")))

    def messages(self) -> dict[str, MessageRoute]:
        """Return the routes of all messages by type URL, behind the error boundary.

        Raises:
            WiringError: two plugins handle one message; or applications are registered without IbcPlugin.
        """
        for hook in ("ibc_register_apps", "ibc_register_apps_v2"):
            for plugin, _ in self._implementations(hook):
                if hook not in self._requested:
                    raise WiringError(
                        f"{name_of(plugin)} registers applications, and IbcPlugin is not listed: "
                        "list pyibc.plugins(config)"
                    )
        grant = Grant(self._stores_of_the_host(), routes=True)

        def guard(plugin: object, type_url: str, route: MessageRoute) -> MessageRoute:
            return isolate(plugin).message(type_url, route, grant, self._answer_prices)

        answers = list(self._answers("chain_messages"))
        merged = _merge([_each(guard, plugin, routes) for plugin, routes in answers], "message")
        self.executor.bind_messages(
            {
                type_url: isolate(plugin).executed_message(type_url, route, grant)
                for plugin, routes in answers
                for type_url, route in routes.items()
            }
        )
        self._bind_queries()
        return merged

    def _bind_queries(self) -> None:
        """Bind the queries for messages that use them; the host itself may serve none."""
        self.executor.bind_queries(
            {
                path: isolate(plugin).executed_query(path, route)
                for plugin, routes in self._answers("chain_queries")
                for path, route in routes.items()
            }
        )

    def _stores_of_the_host(self) -> frozenset[str]:
        """Return the stores of plugins that are not builtin; the chain's own messages may write them."""
        owned = self._answers("chain_stores")
        return frozenset(name for plugin, names in owned if not is_builtin(plugin) for name in names)

    def queries(self) -> dict[str, QueryRoute]:
        """Return the routes of all queries by gRPC method path, behind the error boundary.

        Raises:
            WiringError: two plugins answer one query.
        """

        def guard(plugin: object, path: str, route: QueryRoute) -> QueryRoute:
            return isolate(plugin).query(path, route)

        answers = self._answers("chain_queries")
        return _merge([_each(guard, plugin, routes) for plugin, routes in answers], "query")

    def stores_of(self, plugin: object) -> frozenset[str]:
        """Return the names of the stores that a plugin declares and its applications may write."""
        return frozenset(
            name for owner, names in self._answers("chain_stores") if owner is plugin for name in names
        )

    def versions(self) -> list[PluginVersion]:
        """Return name, version and stores of each plugin with stores or a declared version, in order.

        Raises:
            WiringError: a declaration is not a name and a version of at least 1, or two plugins have one
                name.
        """
        stores, declared = self._answers("chain_stores"), self._answers("chain_version")
        return plugin_versions(self._plugins, list(stores), list(declared))

    def upgrades(self) -> dict[str, Upgrade]:
        """Return the upgrades that plugins perform, by the names of their plans.

        Raises:
            WiringError: two plugins perform one upgrade.
        """
        return _merge(self._answers("chain_upgrades"), "upgrade")

    def registered(self, hook: str, what: str) -> dict[str, Registered]:
        """Return what plugins register through an option's hook, by name, each with its plugin.

        Raises:
            WiringError: two plugins register one name; `what` is its kind, for the message.
        """
        return _owned(self._answers(hook), what)

    def bank(self) -> Bank | None:
        """Return the bank that a plugin offers, None if there is none.

        Raises:
            WiringError: two plugins offer a bank, or it lacks a method.
        """
        bank: Bank | None = self._only("ibc_bank", "the bank", Bank)
        return bank

    def accounts(self) -> Accounts | None:
        """Return the accounts that a plugin offers, None if there are none.

        Raises:
            WiringError: two plugins offer accounts, or they lack a method.
        """
        accounts: Accounts | None = self._only("ibc_accounts", "accounts", Accounts)
        return accounts

    def account_prefix(self) -> str | None:
        """Return the host's address prefix, None if no plugin declares it.

        Raises:
            WiringError: two plugins declare different ones.
        """
        found: Registered | None = None
        for plugin, prefix in self._answers("ibc_account_prefix"):
            if found is not None and found.answer != prefix:
                raise WiringError(
                    f"{name_of(found.plugin)} names the account prefix {found.answer!a}, "
                    f"{name_of(plugin)} names {prefix!a}"
                )
            found = Registered(plugin, prefix)
        return None if found is None else found.answer

    def direct_calls(self, keepers: KeepersRef[Keepers], owners: PortOwners) -> DirectCalls | None:
        """Return the factory of `Services.direct`, None if no plugin offers it.

        Raises:
            WiringError: two plugins offer it.
        """
        offered = self._only("ibc_direct_calls", "direct calls", DirectCalls, keepers=keepers, owners=owners)
        calls: DirectCalls | None = offered
        return calls

    def apps(self, services: Callable[[object], Services]) -> list[tuple[object, PortKey, IbcApp]]:
        """Return (plugin, port id or prefix, application); `services` builds the services of a plugin.

        Only one call per pipeline is allowed: a second caller could hand out senders of its own and would get
        applications that only the module may call.

        Raises:
            WiringError: they were requested before.
        """
        return self._apps("ibc_register_apps", services)

    def apps_v2(self, services: Callable[[object], Services]) -> list[tuple[object, PortKey, IbcAppV2]]:
        """Return (plugin, port id or prefix, application) of IBC v2, under the same rule.

        Raises:
            WiringError: they were requested before.
        """
        return self._apps("ibc_register_apps_v2", services)

    def _apps(self, hook: str, services: Callable[[object], Services]) -> list[tuple[object, PortKey, Any]]:
        if hook in self._requested:
            raise WiringError(f"{hook} is registered once: is IbcPlugin listed twice?")
        self._requested.add(hook)
        apps: list[tuple[object, PortKey, Any]] = []
        for plugin, implementation in self._implementations(hook):
            registered = implementation(services=services(plugin)) or {}
            check_answer(plugin, hook, registered)
            apps.extend((plugin, key, app) for key, app in registered.items())
        return apps

    def light_clients(self) -> list[tuple[object, LightClient]]:
        """Return (plugin, light client) of every registered light client."""
        answers = self._answers("ibc_register_light_clients")
        return [(plugin, client) for plugin, clients in answers for client in clients]

    def middleware(self) -> list[tuple[object, Middleware]]:
        """Return (plugin, middleware) of every registered middleware, outermost first."""
        return [(plugin, layer) for plugin, ls in self._answers("ibc_register_middleware") for layer in ls]

    def middleware_v2(self) -> list[tuple[object, MiddlewareV2]]:
        """Return (plugin, middleware) of every registered middleware of IBC v2, outermost first."""
        return [(plugin, layer) for plugin, ls in self._answers("ibc_register_middleware_v2") for layer in ls]

    def _answers(self, hook: str, **arguments: Any) -> Iterator[Registered]:
        """Yield the plugins' answers in configured order, without None."""
        for plugin, implementation in self._implementations(hook):
            answer = implementation(**arguments)
            if answer is not None:
                check_answer(plugin, hook, answer)
                yield Registered(plugin, answer)

    def _implementations(self, hook: str) -> Iterator[tuple[object, Callable[..., Any]]]:
        """Yield each plugin that implements `hook`, with a function that calls it alone."""
        plugins = [each.plugin for each in reversed(getattr(self._hook, hook).get_hookimpls())]
        for plugin in plugins:
            others = [each for each in plugins if each is not plugin]
            caller = self._manager.subset_hook_caller(hook, remove_plugins=others)

            def ask(caller: Any = caller, **arguments: Any) -> Any:
                answers = caller(**arguments)
                return answers[0] if answers else None

            yield plugin, ask

    def _only(self, hook: str, what: str, interface: type, **arguments: Any) -> Any:
        offers = list(self._answers(hook, **arguments))
        if len(offers) > 1:
            first, second = offers[:2]
            raise WiringError(f"{name_of(first.plugin)} and {name_of(second.plugin)} both offer {what}")
        for plugin, offer in offers:
            check_offer(offer, interface, f"{name_of(plugin)}.{hook}")
        return offers[0].answer if offers else None

    def wired(self, keepers: Keepers) -> None:
        """Fire `ibc_wired`."""
        self._hook.ibc_wired(pipeline=self, keepers=keepers)

    # -- called for each block; hooks with untrusted input are behind the error boundary

    def _guard(self) -> None:
        hook = self._hook

        def check_tx(ctx: WriteContext, messages: Sequence[CheckedMessage], recheck: bool) -> None:
            before = len(ctx.events) if isinstance(ctx, BlockContext) else 0
            hook.chain_check_tx(ctx=ctx, messages=tuple(messages), recheck=recheck)
            if isinstance(ctx, BlockContext):
                check_events(ctx.events[before:])

        def prepare(ctx: ReadContext, txs: Sequence[bytes]) -> list[bytes]:
            txs = tuple(txs)  # plugins must not change the host's list
            answers = [each for each in hook.chain_prepare_proposal(ctx=ctx, txs=txs) if each is not None]
            return checked_txs(answers[-1] if answers else txs)

        def process(ctx: ReadContext, txs: Sequence[bytes]) -> bool:
            answers = hook.chain_process_proposal(ctx=ctx, txs=tuple(txs))
            return all(answer is not False for answer in answers)

        self._check_tx = boundary.outside_blocks("chain_check_tx", check_tx)
        self._prepare = boundary.outside_blocks("chain_prepare_proposal", prepare)
        self._process = boundary.outside_blocks("chain_process_proposal", process)

    def init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Fire `chain_init_genesis`."""
        self._hook.chain_init_genesis(ctx=ctx, genesis=genesis)

    def has(self, plugin: object, hook: str) -> bool:
        """Return whether a plugin implements a hook."""
        return any(each is plugin for each, _ in self._implementations(hook))

    def fire(self, plugin: object, hook: str, **arguments: Any) -> None:
        """Fire a hook of one plugin, if it implements it; for upgrades."""
        for each, ask in self._implementations(hook):
            if each is plugin:
                ask(**arguments)

    def export_genesis(self, ctx: ReadContext) -> dict[str, Any]:
        """Return the exported state of every plugin."""
        exported = [
            Registered(plugin, isolate(plugin).export(ctx, ask))
            for plugin, ask in self._implementations("chain_export_genesis")
        ]
        return _merge([each for each in exported if each.answer is not None], "genesis entry")

    def check_tx(self, ctx: WriteContext, messages: Sequence[CheckedMessage], recheck: bool) -> None:
        """Fire `chain_check_tx`.

        Raises:
            IbcError: a plugin refuses the transaction; ApplicationFault: one raised another exception.
        """
        self._check_tx(ctx, messages, recheck)

    def prepare_proposal(self, ctx: ReadContext, txs: Sequence[bytes]) -> Sequence[bytes]:
        """Return the transactions to propose; all of `txs` if a plugin fails, as in the SDK."""
        try:
            chosen: Sequence[bytes] = self._prepare(ctx, txs)
        except IbcError:
            _log.warning(
                "a plugin failed to prepare a proposal: all transactions are proposed", exc_info=True
            )
            return txs
        return chosen

    def process_proposal(self, ctx: ReadContext, txs: Sequence[bytes]) -> bool:
        """Return whether every plugin accepts the proposal; a plugin that fails refuses it, as in the SDK."""
        try:
            accepted: bool = self._process(ctx, txs)
        except IbcError:
            _log.warning("a plugin failed to process a proposal: it is refused", exc_info=True)
            return False
        return accepted

    def begin_block(self, ctx: WriteContext) -> None:
        """Fire `chain_begin_block`."""
        self._hook.chain_begin_block(ctx=ctx)

    def end_block(self, ctx: WriteContext) -> None:
        """Fire `chain_end_block`."""
        self._hook.chain_end_block(ctx=ctx)

    def committed(self, block: CommittedBlock) -> None:
        """Fire `chain_committed`."""
        self._hook.chain_committed(block=block)


def _each(guard: Callable[[object, str, Any], Any], plugin: object, routes: Mapping[str, Any]) -> Registered:
    return Registered(plugin, {name: guard(plugin, name, route) for name, route in routes.items()})


def _merge(parts: Iterable[Registered], what: str) -> dict[str, Any]:
    return {name: entry.answer for name, entry in _owned(parts, what).items()}


def _owned(parts: Iterable[Registered], what: str) -> dict[str, Registered]:
    merged: dict[str, Registered] = {}
    for plugin, entries in parts:
        for name, entry in entries.items():
            if name in merged:
                first = name_of(merged[name].plugin)
                raise WiringError(f"{first} and {name_of(plugin)} both register the {what} {name!a}")
            merged[name] = Registered(plugin, entry)
    return merged
