"""Binding of applications when a chain is wired: callbacks with the same parameters for all of them.

A callback of an application may leave out its context or its value, as a plugin's hook may leave out
arguments. Parameters are matched by name here, not while packets are processed. A callback with an unknown
name or parameter is an error: it would never be called, or fail later.

The decorators of base classes turn a signature with a docstring into the default of a callback. As a subclass
may leave out parameters, the type checker is told that callbacks of base classes take any arguments.
"""

import inspect
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import wraps
from operator import itemgetter
from typing import Any, Generic, NamedTuple, Never, TypeVar

from pyibc.core.errors import CallbackNotImplemented, InvalidCallbackAnswer, TooLarge
from pyibc.isolation.call_depth import counted
from pyibc.isolation.scoped_context import Grant, ScopedContext, confined, opened

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


_Call = Callable[[Any, Any], Any]
_Bound = TypeVar("_Bound")


class ResultType(NamedTuple):
    """Type and size limit of a callback's return value."""

    text: str
    fits: Callable[[Any], bool] | None  # None: it must return nothing
    size: Callable[[Any], int] = lambda _: 0  # of what fits, in bytes
    limit: int = 0  # 0: it has none here


NOTHING = ResultType("None: it raises an IbcError to refuse", None)


class Callback(NamedTuple):
    """One callback of a kind of applications."""

    name: str
    parameters: tuple[str, str]  # what it may take, in the order in which it is called
    answer: ResultType = NOTHING
    is_optional: bool = False


class Kind(NamedTuple, Generic[_Bound]):
    """Callbacks of one kind of applications."""

    base: type
    bound: Callable[..., _Bound]
    """Named tuple of the bound callbacks."""
    callbacks: tuple[Callback, ...]

    def bind(self, app: object, where: str, grant: Grant | None, below: object = None) -> _Bound:
        """Return an application's callbacks, each of which takes both arguments and has its result checked.

        Args:
            app: The application. An optional callback that it lacks is left at its default. A bound
                application, as of a middleware that does not wrap this port, is accepted too.
            where: Its place in error messages: `port 'transfer'`.
            grant: Permissions of the contexts that it is called with. None, if it is builtin: it is called
                with the block's own context, and its call depth is not limited.
            below: The bound application that it wraps. Callbacks taken from there are not scoped again.

        Raises:
            ValueError: a public method begins with `on_` and is no callback, a callback is missing, or one
                has an unknown parameter. The message suggests the right name.
        """
        bound = app if type(app) is self.bound else self.bound(**self._callbacks(app, where, grant))
        if grant is None:
            return bound  # type: ignore[return-value]
        scoped = {
            name: confined(call, grant)
            for name in self._with_context
            if (call := getattr(bound, name)) is not None
            and not is_omitted(call)
            and call is not getattr(below, name, None)
        }
        return bound._replace(**scoped)  # type: ignore[attr-defined,no-any-return]

    @property
    def _with_context(self) -> list[str]:
        return [each.name for each in self.callbacks if each.parameters[0] == "ctx"]

    def _callbacks(self, app: object, where: str, grant: Grant | None) -> dict[str, _Call]:
        owner = f"{where}: {type(app).__name__}"
        self._check_names(app, owner)
        return {
            each.name: self._bound(app, each, owner, grant is None)
            for each in self.callbacks
            if not each.is_optional or hasattr(app, each.name)
        }

    def _check_names(self, app: object, owner: str) -> None:
        known = [each.name for each in self.callbacks]
        for name in dir(app):
            if name.startswith("on_") and name not in known and callable(inspect.getattr_static(app, name)):
                close = get_close_matches(name, known, 1, 0)
                raise ValueError(f"{owner}.{name} is no callback, did you mean {close[0]}?")

    def _bound(self, app: object, callback: Callback, owner: str, builtin: bool) -> _Call:
        method = getattr(app, callback.name, None)
        if method is None:
            base = self.base.__name__
            raise ValueError(f"{owner} has no {callback.name}; a subclass of {base} may leave callbacks out")
        if is_handed_on(method):
            below: _Call = getattr(app.below, callback.name)  # type: ignore[attr-defined]
            return below
        if is_omitted(method):
            return refusal(type(app).__name__, callback.name)
        call = _arranged(method, callback.parameters, f"{owner}.{callback.name}")
        application = type(app).__name__
        if not builtin:
            return _checked(counted(call), callback, application)
        checked = _checked(call, callback, application)
        return checked if callback.parameters[0] != "ctx" else _opening(checked)


def _arranged(method: Callable[..., Any], offered: tuple[str, str], name: str) -> _Call:
    """Return a callback that takes both arguments and passes on those that the method has."""
    taken = []
    for parameter in inspect.signature(method).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            return method
        if parameter.name not in offered or parameter.kind is parameter.KEYWORD_ONLY:
            both = " and ".join(offered)
            raise ValueError(f"{name} takes {parameter.name!a}; it may take {both}, or leave them out")
        taken.append(offered.index(parameter.name))
    return _picking(method, taken)


def _picking(method: Callable[..., Any], taken: Sequence[int]) -> _Call:
    if taken == [0, 1]:
        return method
    if not taken:
        return lambda *_: method()
    pick = itemgetter(*taken)
    if len(taken) == 1:
        return lambda *given: method(pick(given))
    return lambda *given: method(*pick(given))


def _checked(call: _Call, callback: Callback, application: str) -> _Call:
    """Return the callback with the type and size of its result checked before the result is used."""
    text, fits, size_of, limit = callback.answer

    def wrong(answer: object) -> InvalidCallbackAnswer:
        return InvalidCallbackAnswer(application, callback.name, text, type(answer).__name__)

    def returns_nothing(first: Any, second: Any) -> None:
        answer = call(first, second)
        if answer is not None:
            raise wrong(answer)

    def returns(first: Any, second: Any) -> Any:
        answer = call(first, second)
        if not fits(answer):  # type: ignore[misc]  # not None here
            raise wrong(answer)
        if limit and (size := size_of(answer)) > limit:
            raise TooLarge(f"{application}.{callback.name}", size, limit)
        return answer

    return returns_nothing if fits is None else returns


def _opening(call: _Call) -> _Call:
    """Return the callback of a builtin application, given the block's own context below a scoped one."""

    def enter(first: Any, second: Any) -> Any:
        return call(opened(first) if type(first) is ScopedContext else first, second)

    return enter
