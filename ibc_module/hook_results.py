"""Validation of what plugins return from hooks.

Most results are validated when a chain is wired. A sender with a misspelt method, or a bank without one,
would otherwise fail in a block, when it is first used.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from ibc_module.hookspecs import Middleware, MiddlewareV2, Upgrade
from pyibc.core.errors import InvalidType
from pyibc.core.host.context import MessageRoute
from pyibc.core.setup_error import WiringError, name_of

_BASES = "pyibc.core.application."
"""Package of the base classes whose methods pass everything on."""
_LISTS: Mapping[str, type | None] = {
    "chain_stores": str,
    "chain_hookspecs": None,
    "ibc_register_light_clients": None,
    "ibc_register_middleware": Middleware,
    "ibc_register_middleware_v2": MiddlewareV2,
}
"""Hooks that are answered by several things -> what each of them is; None: another place checks it."""
_TABLES: Mapping[str, type | None] = {
    "chain_messages": MessageRoute,
    "chain_queries": None,
    "chain_upgrades": Upgrade,
    "ibc_register_apps": None,
    "ibc_register_apps_v2": None,
}
"""Hooks that are answered by things with names."""


def check_answer(plugin: object, hook: str, answer: Any) -> None:
    """Check what a plugin answered to a hook.

    Raises:
        WiringError: it is of another kind.
    """
    where = f"{name_of(plugin)}.{hook} returns"
    if hook in _LISTS:
        if isinstance(answer, (str, bytes, Mapping)) or not isinstance(answer, Iterable):
            raise WiringError(f"{where} {_shown(answer)}, and should return a list")
        _check_kinds(where, answer, _LISTS[hook])
    elif hook in _TABLES:
        if not isinstance(answer, Mapping):
            raise WiringError(f"{where} {_shown(answer)}, and should return a dict")
        _check_kinds(where, answer.values(), _TABLES[hook])


def _check_kinds(where: str, parts: Iterable[Any], kind: type | None) -> None:
    for each in parts if kind is not None else ():
        if not isinstance(each, kind):  # type: ignore[arg-type]
            raise WiringError(f"{where} {_shown(each)} where a {kind.__name__} should be")  # type: ignore[union-attr]


def check_offer(offer: object, interface: type, whose: str) -> None:
    """Check that `offer` has the methods of `interface`, and can be called as they are.

    Raises:
        WiringError: it has not; `whose` names it: `plugin's bank`.
    """
    if offer is None or isinstance(offer, type):
        raise WiringError(f"{whose} is {_shown(offer)}, and should be an object like {interface.__name__}")
    for name, wanted in _methods(interface).items():
        method = getattr(offer, name, None)
        if not callable(method):
            raise WiringError(f"{whose} ({type(offer).__name__}) has no {name}{_without_self(wanted)}")
        _check_call(method, _without_self(wanted), f"{whose}: {type(offer).__name__}.{name}")
    _check_spelling(offer, interface, whose)


def check_wrap(wrap: Callable[..., Any], given: tuple[str, ...], whose: str) -> None:
    """Check that a function can be called with so many arguments.

    Raises:
        WiringError: it cannot.
    """
    parameters = [inspect.Parameter(each, inspect.Parameter.POSITIONAL_ONLY) for each in given]
    _check_call(wrap, inspect.Signature(parameters), whose)


def _check_call(method: Callable[..., Any], wanted: inspect.Signature, name: str) -> None:
    try:
        taken = inspect.signature(method)
    except ValueError:  # of a function in C, which says nothing of it
        return
    try:
        taken.bind(*wanted.parameters)
    except TypeError:
        called = ", ".join(wanted.parameters)
        raise WiringError(
            f"{name} takes ({', '.join(taken.parameters)}), and is called with ({called})"
        ) from None


def _check_spelling(offer: object, interface: type, whose: str) -> None:
    """A public method that is nearly one of those that a base of ours passes on: it would never be called."""
    cls, known = type(offer), _methods(interface)
    left = [name for name in known if getattr(getattr(cls, name, None), "__module__", "").startswith(_BASES)]
    for name in dir(cls) if left else ():
        if name[0] == "_" or name in known or not callable(getattr(cls, name, None)):
            continue
        close = get_close_matches(name, left, 1, 0.85)
        if close:
            raise WiringError(
                f"{whose}: {type(offer).__name__}.{name} is never called, did you mean {close[0]}?"
            )


@lru_cache(maxsize=16)
def _methods(interface: type) -> dict[str, Callable[..., Any]]:
    own = {name: each for cls in reversed(interface.__mro__) for name, each in vars(cls).items()}
    return {name: each for name, each in own.items() if name[0] != "_" and inspect.isfunction(each)}


def _without_self(wanted: Callable[..., Any]) -> inspect.Signature:
    _, *parameters = inspect.signature(wanted).parameters.values()
    bare = [each.replace(annotation=inspect.Parameter.empty) for each in parameters]
    return inspect.Signature(bare)


def _shown(given: object) -> str:
    if given is None:
        return "None"
    if isinstance(given, type):
        return f"the class {given.__name__}"
    return f"{given!a:.60}" if isinstance(given, (str, bytes, int)) else f"a {type(given).__name__}"


def checked_txs(answer: object) -> list[bytes]:
    """Check the transactions that a plugin proposes: a list or tuple of bytes.

    Raises:
        InvalidType: it is something else.
    """
    if not isinstance(answer, list | tuple):
        raise InvalidType("a list of bytes", type(answer).__name__)
    wrong = next((type(each).__name__ for each in answer if type(each) is not bytes), None)
    if wrong is not None:
        raise InvalidType("a list of bytes", f"one with {wrong}")
    return list(answer)
