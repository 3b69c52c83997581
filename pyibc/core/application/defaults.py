"""Defaults of callbacks that an application does not implement.

The decorators turn a signature with a docstring into a callback of a base class. A subclass may leave out
parameters, which are matched by name (`pyibc.isolation.binding`); so for the type checker, the callbacks of
the base classes take any arguments.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, Never, TypeVar

from pyibc.core.errors import CallbackNotImplemented

_T = TypeVar("_T")

_HANDED_ON = "is_handed_on"
_OMITTED = "is_omitted"


def refusal(application: str, callback: str) -> Callable[..., Never]:
    """Return a callback that raises `CallbackNotImplemented`, for an application without one of that name."""

    def refuse(*_: Any) -> Never:
        raise CallbackNotImplemented(application, callback)

    setattr(refuse, _OMITTED, True)
    return refuse


def refused(callback: Callable[..., _T]) -> Callable[..., _T]:
    """Make a callback raise `CallbackNotImplemented` unless a subclass overrides it."""

    @wraps(callback)
    def refuse(self: object, *_: Any) -> _T:
        raise CallbackNotImplemented(type(self).__name__, callback.__name__)

    setattr(refuse, _OMITTED, True)
    return refuse


def answered_by(
    answer: Callable[[CallbackNotImplemented], _T],
) -> Callable[[Callable[..., _T]], Callable[..., _T]]:
    """Make a callback return `answer(CallbackNotImplemented(...))` unless a subclass overrides it."""

    def decorate(callback: Callable[..., _T]) -> Callable[..., _T]:
        @wraps(callback)
        def refuse(self: object, *_: Any) -> _T:
            return answer(CallbackNotImplemented(type(self).__name__, callback.__name__))

        return refuse

    return decorate


def handed_on(callback: Callable[..., _T]) -> Callable[..., _T]:
    """Make a callback of a middleware call `below` unless a subclass overrides it."""
    name = callback.__name__

    @wraps(callback)
    def hand_on(self: Any, *given: Any) -> _T:
        answer: _T = getattr(self.below, name)(*given)
        return answer

    setattr(hand_on, _HANDED_ON, True)
    return hand_on


def is_omitted(callback: object) -> bool:
    """Return whether a callback, bound or not, refuses because no class implements it."""
    return getattr(callback, _OMITTED, False) is True


def is_handed_on(callback: object) -> bool:
    """Return whether a callback of a middleware only calls `below`."""
    return getattr(callback, _HANDED_ON, False) is True
