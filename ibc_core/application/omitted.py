"""What stands for a callback that a class does not spell.

The decorators take a callback that is a signature and a docstring, and give it its default. Parameters are
matched by name (`ibc_core.application.binding`), so that a subclass may spell fewer of them: for the type
checker a callback of a base therefore takes anything.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, Never, TypeVar

from ibc_core.errors import CallbackNotImplemented

_T = TypeVar("_T")

_HANDED_ON = "is_handed_on"
_OMITTED = "is_omitted"


def refusal(application: str, callback: str) -> Callable[..., Never]:
    """A callback that refuses, for an application that has none of that name."""

    def refuse(*_: Any) -> Never:
        raise CallbackNotImplemented(application, callback)

    setattr(refuse, _OMITTED, True)
    return refuse


def refused(callback: Callable[..., _T]) -> Callable[..., _T]:
    """A callback that raises `CallbackNotImplemented` until a subclass spells it."""

    @wraps(callback)
    def refuse(self: object, *_: Any) -> _T:
        raise CallbackNotImplemented(type(self).__name__, callback.__name__)

    setattr(refuse, _OMITTED, True)
    return refuse


def answered_by(
    answer: Callable[[CallbackNotImplemented], _T],
) -> Callable[[Callable[..., _T]], Callable[..., _T]]:
    """A callback that returns what `answer` makes of the refusal until a subclass spells it."""

    def decorate(callback: Callable[..., _T]) -> Callable[..., _T]:
        @wraps(callback)
        def refuse(self: object, *_: Any) -> _T:
            return answer(CallbackNotImplemented(type(self).__name__, callback.__name__))

        return refuse

    return decorate


def handed_on(callback: Callable[..., _T]) -> Callable[..., _T]:
    """A callback of a middleware that calls `below` until a subclass spells it."""
    name = callback.__name__

    @wraps(callback)
    def hand_on(self: Any, *given: Any) -> _T:
        answer: _T = getattr(self.below, name)(*given)
        return answer

    setattr(hand_on, _HANDED_ON, True)
    return hand_on


def is_omitted(callback: object) -> bool:
    """Whether a callback, bound or not, is one that refuses because nobody spelt it."""
    return getattr(callback, _OMITTED, False) is True


def is_handed_on(callback: object) -> bool:
    """Whether a callback is a middleware's that calls `below` and does nothing else."""
    return getattr(callback, _HANDED_ON, False) is True
