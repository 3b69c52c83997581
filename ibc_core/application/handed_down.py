"""Checks of what a stranger's middleware hands down to an application that this distribution ships.

Such an application reads it as the module's own: its caches are keyed by it, and its state is made of it. A
text of a class that hashes and compares as it likes would be another's there (`ibc_core.application.exact`).
"""

from collections.abc import Callable
from enum import Enum
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from ibc_core.errors import LogicFault

_Fits = Callable[[Any], bool]


@lru_cache(maxsize=64)
def check_of(callback: Callable[..., object], parameter: str) -> Callable[[Any], None]:
    """A check that a value is of the type which the callback's parameter is annotated with, and all below it.

    The check raises LogicFault where one is not. Made when a chain is wired.

    Raises:
        TypeError: the annotation says a type that cannot be checked.
    """
    fits = _fits(get_type_hints(callback)[parameter])

    def check(given: Any) -> None:
        if not fits(given):
            raise LogicFault(f"a middleware handed down `{parameter}` that is not of exact types")

    return check


# recursion: over a type annotation, when a chain is wired
def _fits(hint: Any) -> _Fits:
    if get_origin(hint) in (Union, UnionType):
        return _any_of([_fits(each) for each in get_args(hint)])
    if get_origin(hint) is tuple:
        each, *rest = get_args(hint)
        if rest == [...]:
            return _all_of(_fits(each))
        return _record(tuple, [_fits(each), *map(_fits, rest)])
    if hint in (str, bytes, int, bool, NoneType) or (isinstance(hint, type) and issubclass(hint, Enum)):
        return lambda given: type(given) is hint
    if isinstance(hint, type) and issubclass(hint, tuple):
        return _record(hint, [_fits(each) for each in get_type_hints(hint).values()])
    raise TypeError(f"no check of {hint}")


def _any_of(checks: list[_Fits]) -> _Fits:
    return lambda given: any(check(given) for check in checks)


def _all_of(check: _Fits) -> _Fits:
    return lambda given: type(given) is tuple and all(check(each) for each in given)


def _record(kind: type[tuple[Any, ...]], checks: list[_Fits]) -> _Fits:
    """Of a tuple's class, with as many fields as it has; a record refuses to be iterated, its content not."""

    def fits(given: Any) -> bool:
        if type(given) is not kind:
            return False
        content: tuple[Any, ...] = tuple(tuple.__iter__(given))
        return len(content) == len(checks) and all(
            check(part) for check, part in zip(checks, content, strict=True)
        )

    return fits
