"""Services of the host as applications get them: arguments are checked, contexts are unwrapped.

The methods of a service's protocol say what its arguments are. Each must have exactly the annotated type; an
`Address`, a `Coin` and an `AnyMessage` also valid content. Where the service writes a store of its own, as a
bank does, it is called with the block's context behind the application's scoped one.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

from pyibc.core.address import Address
from pyibc.core.coin import Coin
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.wire.any_message import AnyMessage
from pyibc.isolation.scoped_context import opened
from pyibc.isolation.type_checks import check_address, check_coin, check_record, check_types

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
