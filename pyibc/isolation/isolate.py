"""Isolation of one plugin: calls of its messages, queries and exports, and the services it gets."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar, get_type_hints

from pyibc.codec.anys import AnyMessage
from pyibc.core.address import Address
from pyibc.core.application.services import Accounts, Bank, Messages
from pyibc.core.coin import Coin
from pyibc.core.errors import IbcError
from pyibc.core.host.context import MessageRoute, QueryRoute, ReadContext, WriteContext
from pyibc.core.host.gas import DEFAULT_ANSWER_PRICES, AnswerPrices
from pyibc.core.setup_error import name_of
from pyibc.isolation.boundary import Place, check_bytes, in_block, in_message, is_sound, outside_blocks
from pyibc.isolation.call_depth import counted
from pyibc.isolation.limits import check_address, check_coin, check_record, check_types
from pyibc.isolation.scoped_context import Grant, confined, opened, scoped_call

_MARK: Final = "_is_builtin"

_T = TypeVar("_T", bound=type)


def builtin(cls: _T) -> _T:
    """Mark a reviewed class of this distribution as exempt from two parts of the isolation.

    Its methods recurse no deeper than their code shows, whatever a packet contains, so their call depth is
    not counted (`isolation.call_depth`). They write only their own stores, and neither keep the context nor
    hand it on. So an application or middleware of a builtin plugin is called with the block's own context,
    and gets the host's own bank and accounts.

    The mark holds for the class itself, not for its subclasses.
    """
    setattr(cls, _MARK, True)
    return cls


def is_builtin(*code: object) -> bool:
    """Return whether the class of each object is marked itself.

    For an application, give the plugin that registers it, too: a plugin may have built a builtin class around
    code of its own.
    """
    # guard: h82-what-derives-from-a-shipped-class-has-the-block {_MARK in vars(type(each)) => hasattr(each,
    #   _MARK)} test_h82_a_class_that_derives_from_a_shipped_one_is_a_stranger_s
    return all(_MARK in vars(type(each)) for each in code)


_Call = Callable[..., Any]

_CHECKS: Mapping[type, Callable[[Any, str], None]] = {
    Address: check_address,
    AnyMessage: check_record(AnyMessage, type_url=str, value=bytes),
    Coin: check_coin,
}


class Guarded:
    """Base class of guarded services."""

    __slots__ = ()


def guarded(protocol: type, service: object, *, opens_context: bool = True, **instead: _Call) -> Any:
    """Return an object with the methods of `protocol`, which check their arguments and call `service`.

    `opens_context` says that the service gets the block's own context. `instead` has functions to call for
    some methods instead of the service's own.

    Raises:
        LogicFault: by the methods, for an argument of another type, or with invalid content.
    """
    methods = {
        name: staticmethod(
            _checked(instead.get(name) or getattr(service, name), declared, opens_context=opens_context)
        )
        for name, declared in vars(protocol).items()
        if not name.startswith("_")
    }
    return type(f"Guarded{protocol.__name__}", (Guarded,), {"__slots__": (), **methods})()


def _checked(call: _Call, declared: _Call, *, opens_context: bool) -> _Call:
    types = get_type_hints(declared)
    signature = inspect.Signature([*inspect.signature(declared).parameters.values()][1:])  # without `self`
    what = f"the `{{}}` of `{declared.__name__}`"
    takes = [_argument(types[n], what.format(n), opens_context=opens_context) for n in signature.parameters]

    def checked(*given: Any, **named: Any) -> Any:
        if named or len(given) != len(takes):
            bound = signature.bind(*given, **named)
            bound.apply_defaults()
            given = bound.args
        return call(*[take(each) for take, each in zip(takes, given, strict=True)])

    return checked


def _argument(wanted: type, what: str, *, opens_context: bool) -> Callable[[Any], Any]:
    """Return the function that checks an argument and returns what the service gets for it."""
    if wanted in {ReadContext, WriteContext}:
        return opened if opens_context else lambda context: context

    def check_type(argument: Any, what: str) -> None:
        # guard: h162-a-stranger-s-bytes test_h162_strangers_hand_over_exact_types
        check_types(what, (argument, wanted))

    check = _CHECKS.get(wanted, check_type)

    def take(argument: Any) -> Any:
        check(argument, what)
        return argument

    return take


_CALLS = {
    "decode": " decode",
    "decode_in_tx": " decode",
    "read": " decode",
    "signers": " signers",
    "check": " check",
    "deliver": "",
}
"""Calls of a route, with what errors add to the message's type URL."""

READS = Grant(frozenset())
"""Permissions of queries and of other calls that may not write."""


def isolate(plugin: object) -> "Isolation":
    """Return the isolation of a plugin. Builtin plugins are exempt from parts of it (docs/adr/0039)."""
    return Isolation(plugin)


def grant_of(stores: frozenset[str], *code: object) -> Grant | None:
    """Return the permissions of an application, a middleware or a contract: to write its plugin's stores.

    `code` is that object and the plugin that registers it. None, if both are builtin: they are called with
    the block's own context.
    """
    # guard: h82-a-stranger-s-plugin-gets-the-block-by-a-shipped-class {is_builtin(*code) =>
    #   is_builtin(code[-1])} test_h82_a_stranger_s_plugin_has_a_shipped_class_as_its_own
    return None if is_builtin(*code) else Grant(stores)


class Isolation:
    """Calls of one plugin's code with their boundaries, contexts and limits; `isolate` creates it."""

    def __init__(self, plugin: object) -> None:
        self._name = name_of(plugin)
        self._is_builtin = is_builtin(plugin)

    def message(
        self,
        type_url: str,
        route: MessageRoute,
        grant: Grant = READS,
        prices: AnswerPrices = DEFAULT_ANSWER_PRICES,
    ) -> MessageRoute:
        """Return the route of a message with the boundary around its calls.

        The sizes of its response and events are bounded, and charged at `prices`. Unless the plugin is
        builtin, its call depth is limited, it is executed with a context scoped to `grant`, and a decoded
        message is not reused, because the plugin may modify it.
        """
        inside = self._limited(route, grant)
        return _each(inside, lambda what, call: in_block(type_url + what, call))._replace(
            deliver=in_message(self._name, type_url, inside.deliver, prices),
            is_lasting=self._is_builtin,
        )

    def executed_message(self, type_url: str, route: MessageRoute, grant: Grant = READS) -> MessageRoute:
        """Return the route of a message for other messages, which execute it inside of their boundary.

        The executing message may write the code of an error into an acknowledgement. So an error of a plugin
        with an invalid code or codespace becomes `ApplicationFault` here.
        """
        inside = self._limited(route, grant)
        # guard: h162-an-error-of-any-code always:self
        #   test_h162_an_error_that_no_acknowledgement_holds_is_a_fault
        return inside if self._is_builtin else _each(inside, lambda what, call: _sound(type_url + what, call))

    def _limited(self, route: MessageRoute, grant: Grant) -> MessageRoute:
        if self._is_builtin:
            return route
        limited = _each(route, lambda _, call: counted(call))
        # guard: h162-executed-messages-have-the-block {confined(limited.deliver, grant) => limited.deliver}
        #   test_h162_messages_of_strangers_are_confined_whoever_executes_them
        # guard: h84-a-plugin-s-message-has-the-block {confined(limited.deliver, grant) => limited.deliver}
        #   test_h84_a_plugin_is_refused_when_it test_h84_a_context_is_over_with_the_call
        return limited._replace(deliver=confined(limited.deliver, grant))

    def query(self, path: str, route: QueryRoute) -> QueryRoute:
        """Return a query, every error of which is an IbcError; plugins that are not builtin cannot write."""
        # guard: h84-a-query-writes always:self test_h84_who_is_asked_writes_nothing
        call = route if self._is_builtin else confined(route, READS)

        def ask(ctx: Any, request: bytes) -> bytes:
            answer = call(ctx, request)
            check_bytes(self._name, path, answer)
            return answer

        return outside_blocks(path, ask)

    def executed_query(self, path: str, route: QueryRoute) -> QueryRoute:
        """Return a query for messages, with errors as those of `executed_message`."""
        # guard: h162-asked-queries-have-the-block always:self
        #   test_h162_messages_of_strangers_are_confined_whoever_executes_them
        return route if self._is_builtin else _sound(path, confined(counted(route), READS))

    def export(self, ctx: Any, export: _Call) -> Any:
        """Return a plugin's export of its state; plugins that are not builtin cannot write."""
        if self._is_builtin:
            return export(ctx=ctx)
        with scoped_call(ctx, READS) as own:
            return export(ctx=own)

    def bank(self, bank: Bank | None) -> Bank | None:
        """Return the host's bank for the plugin; None if the host has none."""
        return bank if bank is None or self._is_builtin else guarded(Bank, bank)

    def accounts(self, accounts: Accounts | None) -> Accounts | None:
        """Return the host's accounts for the plugin; None if the host has none."""
        return accounts if accounts is None or self._is_builtin else guarded(Accounts, accounts)

    def messages(self, messages: Messages) -> Messages:
        """Return the chain's messages for the plugin; its own messages are checked before execution, too."""
        if self._is_builtin:
            return messages
        # The executor decides whether the context may execute messages, so it gets the application's.
        return guarded(  # type: ignore[no-any-return]
            Messages, messages, opens_context=False, execute=messages.deliver
        )


def _each(route: MessageRoute, around: Callable[[str, _Call], _Call]) -> MessageRoute:
    """Return a route with `around(what, call)` for each of its calls; `what` says it in errors."""
    calls = {name: getattr(route, name) for name in _CALLS}
    changed: dict[str, Any] = {n: around(_CALLS[n], call) for n, call in calls.items() if call is not None}
    return route._replace(**changed)


def _sound(name: str, call: _Call) -> _Call:
    """Return `call` with errors that have an invalid code or codespace converted to `ApplicationFault`."""
    place = Place(name)

    def judged(*given: Any) -> Any:
        try:
            return call(*given)
        except IbcError as error:
            if is_sound(error):
                raise
            raise place.failed(error) from error

    return judged
