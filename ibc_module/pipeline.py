"""The host's typed interface to its plugins: the only file that uses pluggy's untyped results."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from handlers.keepers_ref import KeepersRef
from ibc_core.application.answers import check_events, checked_txs
from ibc_core.application.classic import IbcApp
from ibc_core.application.ports import PortKey
from ibc_core.application.services import Accounts, Bank, Services
from ibc_core.application.v2 import IbcAppV2
from ibc_core.errors import IbcError
from ibc_core.host.block import CommittedBlock
from ibc_core.host.confined import Grant
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.host.depth import raise_python_limit
from ibc_core.host.overlay import BlockContext
from ibc_core.host.routes import CheckedMessage, MessageRoute, QueryRoute
from ibc_core.host.shipped import is_shipped
from ibc_module import asking, border
from ibc_module.executor import Executor
from ibc_module.hookspecs import DirectCalls, Middleware, MiddlewareV2
from ibc_module.offers import check_answer, check_offer
from ibc_module.registration import registered
from ibc_module.wiring_error import WiringError, name_of
from keepers.keepers import Keepers
from keepers.port import PortOwners
from light_client.interface import LightClient

_log = logging.getLogger("pyibc")


class Registered(NamedTuple):
    """What a plugin answered to a hook."""

    plugin: object
    answer: Any


class Pipeline:
    """The plugins of one chain, in configured order."""

    def __init__(self, plugins: Sequence[object]) -> None:
        """Registers `plugins`; the first is called first.

        Raises:
            WiringError: a plugin is a class, is listed twice, or implements a hook that does not exist,
                without its mark or with arguments that it does not have; or two claim the same thing.
        """
        self._manager = registered(plugins)
        self._hook = self._manager.hook
        self._asked: set[str] = set()
        self.executor = Executor()
        """The chain's messages for its applications, once `messages` and `queries` were asked for."""
        self._guard()
        raise_python_limit()
        self._hook.chain_wired(pipeline=self)

    # -- asked once, at wiring

    def stores(self) -> tuple[str, ...]:
        """Names of all stores, sorted.

        Raises:
            WiringError: two plugins declare one store; each store has one writer.
        """
        owned = [Registered(plugin, dict.fromkeys(names)) for plugin, names in self._answers("chain_stores")]
        return tuple(sorted(_merge(owned, "store")))

    def messages(self) -> dict[str, MessageRoute]:
        """Type URL -> route, behind the border.

        Raises:
            WiringError: two plugins handle one message; or applications are registered with no IBC plugin.
        """
        for hook in ("ibc_register_apps", "ibc_register_apps_v2"):
            for plugin, _ in self._implementations(hook):
                if hook not in self._asked:
                    raise WiringError(
                        f"{name_of(plugin)} registers applications, and IbcPlugin is not listed: "
                        "list ibc_module.plugin.plugins(config)"
                    )
        grant = Grant(self._stores_of_the_host(), routes=True)

        def guard(plugin: object, type_url: str, route: MessageRoute) -> MessageRoute:
            return border.route(plugin, type_url, route, grant)

        answers = list(self._answers("chain_messages"))
        merged = _merge([_each(guard, plugin, routes) for plugin, routes in answers], "message")
        self.executor.bind_messages(
            {
                type_url: border.executed(plugin, type_url, route, grant)
                for plugin, routes in answers
                for type_url, route in routes.items()
            }
        )
        self._bind_queries()
        return merged

    def _bind_queries(self) -> None:
        """With the messages, some of which ask queries: a host may serve none itself."""
        self.executor.bind_queries(
            {
                path: border.asked(plugin, path, route)
                for plugin, routes in self._answers("chain_queries")
                for path, route in routes.items()
            }
        )

    def _stores_of_the_host(self) -> frozenset[str]:
        """What no shipped plugin declares: the messages of the chain's own plugins may write it."""
        owned = self._answers("chain_stores")
        return frozenset(name for plugin, names in owned if not is_shipped(plugin) for name in names)

    def queries(self) -> dict[str, QueryRoute]:
        """Routes by gRPC method path, behind the border.

        Raises:
            WiringError: two plugins answer one query.
        """
        answers = self._answers("chain_queries")
        return _merge([_each(asking.query, plugin, routes) for plugin, routes in answers], "query")

    def stores_of(self, plugin: object) -> frozenset[str]:
        """Names of the stores that one plugin declares: what its applications may write."""
        return frozenset(
            name for owner, names in self._answers("chain_stores") if owner is plugin for name in names
        )

    def registered(self, hook: str, what: str) -> dict[str, Registered]:
        """What plugins register through a hook that an option brings, by name, each with its plugin.

        Raises:
            WiringError: two plugins register one name; `what` says of what.
        """
        return _owned(self._answers(hook), what)

    def bank(self) -> Bank | None:
        """The bank that a plugin offers.

        Raises:
            WiringError: two plugins offer one, or it lacks a method.
        """
        bank: Bank | None = self._only("ibc_bank", "the bank", Bank)
        return bank

    def accounts(self) -> Accounts | None:
        """The accounts that a plugin offers.

        Raises:
            WiringError: two plugins offer them, or they lack a method.
        """
        accounts: Accounts | None = self._only("ibc_accounts", "accounts", Accounts)
        return accounts

    def account_prefix(self) -> str | None:
        """The prefix of the host's addresses, where a plugin names it.

        Raises:
            WiringError: two plugins name different ones.
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
        """What makes `Services.direct`, where a plugin offers it.

        Raises:
            WiringError: two plugins offer it.
        """
        offered = self._only("ibc_direct_calls", "direct calls", DirectCalls, keepers=keepers, owners=owners)
        calls: DirectCalls | None = offered
        return calls

    def apps(self, services: Callable[[object], Services]) -> list[tuple[object, PortKey, IbcApp]]:
        """(plugin, port id or prefix, application); `services` makes those of each plugin.

        May be called once per pipeline: a second caller could give applications a sender of its own, and
        would obtain applications that only the module may call.

        Raises:
            WiringError: they were asked already.
        """
        return self._apps("ibc_register_apps", services)

    def apps_v2(self, services: Callable[[object], Services]) -> list[tuple[object, PortKey, IbcAppV2]]:
        """(plugin, port id or prefix, application) of IBC v2, in the same way.

        Raises:
            WiringError: they were asked already.
        """
        return self._apps("ibc_register_apps_v2", services)

    def _apps(self, hook: str, services: Callable[[object], Services]) -> list[tuple[object, PortKey, Any]]:
        if hook in self._asked:
            raise WiringError(f"{hook} is registered once: is IbcPlugin listed twice?")
        self._asked.add(hook)
        apps: list[tuple[object, PortKey, Any]] = []
        for plugin, implementation in self._implementations(hook):
            registered = implementation(services=services(plugin)) or {}
            check_answer(plugin, hook, registered)
            apps.extend((plugin, key, app) for key, app in registered.items())
        return apps

    def light_clients(self) -> list[tuple[object, LightClient]]:
        """(plugin, light client) of every registered light client."""
        answers = self._answers("ibc_register_light_clients")
        return [(plugin, client) for plugin, clients in answers for client in clients]

    def middleware(self) -> list[tuple[object, Middleware]]:
        """(plugin, middleware) of every registered middleware, outermost first."""
        return [(plugin, layer) for plugin, ls in self._answers("ibc_register_middleware") for layer in ls]

    def middleware_v2(self) -> list[tuple[object, MiddlewareV2]]:
        """(plugin, middleware) of every registered middleware of IBC v2, outermost first."""
        return [(plugin, layer) for plugin, ls in self._answers("ibc_register_middleware_v2") for layer in ls]

    def _answers(self, hook: str, **arguments: Any) -> Iterator[Registered]:
        """What plugins answer, in configured order, without those that answer None."""
        for plugin, implementation in self._implementations(hook):
            answer = implementation(**arguments)
            if answer is not None:
                check_answer(plugin, hook, answer)
                yield Registered(plugin, answer)

    def _implementations(self, hook: str) -> Iterator[tuple[object, Callable[..., Any]]]:
        """Each plugin that implements `hook`, and how to ask it alone."""
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
        """When the IBC module is wired."""
        self._hook.ibc_wired(pipeline=self, keepers=keepers)

    # -- called as blocks go by; what strangers can bring about, behind the border

    def _guard(self) -> None:
        hook = self._hook

        def check_tx(ctx: WriteContext, messages: Sequence[CheckedMessage], recheck: bool) -> None:
            before = len(ctx.events) if isinstance(ctx, BlockContext) else 0
            hook.chain_check_tx(ctx=ctx, messages=tuple(messages), recheck=recheck)
            if isinstance(ctx, BlockContext):
                check_events(ctx.events[before:])

        def prepare(ctx: ReadContext, txs: Sequence[bytes]) -> list[bytes]:
            txs = tuple(txs)  # the host's own list is not a plugin's to change
            answers = [each for each in hook.chain_prepare_proposal(ctx=ctx, txs=txs) if each is not None]
            return checked_txs(answers[-1] if answers else txs)

        def process(ctx: ReadContext, txs: Sequence[bytes]) -> bool:
            answers = hook.chain_process_proposal(ctx=ctx, txs=tuple(txs))
            return all(answer is not False for answer in answers)

        self._check_tx = border.outside_blocks("chain_check_tx", check_tx)
        self._prepare = border.outside_blocks("chain_prepare_proposal", prepare)
        self._process = border.outside_blocks("chain_process_proposal", process)

    def init_genesis(self, ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
        """Before the first block."""
        self._hook.chain_init_genesis(ctx=ctx, genesis=genesis)

    def export_genesis(self, ctx: ReadContext) -> dict[str, Any]:
        """The state of every plugin."""
        exported = [
            Registered(plugin, asking.exported(plugin, ctx, ask))
            for plugin, ask in self._implementations("chain_export_genesis")
        ]
        return _merge([each for each in exported if each.answer is not None], "genesis entry")

    def check_tx(self, ctx: WriteContext, messages: Sequence[CheckedMessage], recheck: bool) -> None:
        """CheckTx.

        Raises:
            IbcError: a plugin refuses the transaction; ApplicationFault: one raised another error.
        """
        self._check_tx(ctx, messages, recheck)

    def prepare_proposal(self, ctx: ReadContext, txs: Sequence[bytes]) -> Sequence[bytes]:
        """The transactions this validator proposes; all of `txs` where a plugin fails, as in the SDK."""
        try:
            chosen: Sequence[bytes] = self._prepare(ctx, txs)
        except IbcError:
            _log.warning("a plugin failed to prepare a proposal: all are proposed", exc_info=True)
            return txs
        return chosen

    def process_proposal(self, ctx: ReadContext, txs: Sequence[bytes]) -> bool:
        """Whether every plugin accepts the proposal; one that fails does not, as in the SDK."""
        try:
            accepted: bool = self._process(ctx, txs)
        except IbcError:
            _log.warning("a plugin failed on a proposal: it is refused", exc_info=True)
            return False
        return accepted

    def begin_block(self, ctx: WriteContext) -> None:
        """Before the first transaction."""
        self._hook.chain_begin_block(ctx=ctx)

    def end_block(self, ctx: WriteContext) -> None:
        """After the last transaction."""
        self._hook.chain_end_block(ctx=ctx)

    def committed(self, block: CommittedBlock) -> None:
        """After the block is on disk."""
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
