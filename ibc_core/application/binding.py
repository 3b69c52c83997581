"""Looks at an application once, when a chain is wired, and makes uniform callables of its callbacks.

An application spells only what it uses: a callback may leave out its context or its value, as a plugin's hook
may leave out arguments. Parameters are matched by name here, never while a packet is under way. What cannot
be matched is refused here too: a callback that nobody will ever call is an application that fails in silence.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from operator import itemgetter
from typing import Any, NamedTuple

from ibc_core.application.handed_down import check_of
from ibc_core.application.omitted import is_handed_on, is_omitted, refusal
from ibc_core.errors import InvalidCallbackAnswer, TooLarge
from ibc_core.host.confined import ConfinedContext, opened
from ibc_core.host.depth import counted

_Call = Callable[[Any, Any], Any]


class Answer(NamedTuple):
    """What a callback may return."""

    text: str
    fits: Callable[[Any], bool] | None  # None: it must return nothing
    size: Callable[[Any], int] = lambda _: 0  # of what fits, in bytes
    limit: int = 0  # 0: it has none here


NOTHING = Answer("None: it raises an IbcError to refuse", None)


class Callback(NamedTuple):
    """One callback of a kind of applications."""

    name: str
    parameters: tuple[str, str]  # what it may take, in the order in which it is called
    answer: Answer = NOTHING
    is_optional: bool = False


class Kind(NamedTuple):
    """A kind of applications: what its callbacks are."""

    base: type
    callbacks: tuple[Callback, ...]

    def bind(self, app: object, where: str, shipped: bool) -> Mapping[str, Any]:
        """Each callback's name -> what takes exactly its two arguments and returns what it may return.

        An optional one that the application lacks is not among them.
        `where` names the application's place in messages: `port 'transfer'`.
        `shipped`: it is called with the block's own context, whichever it is given, and its depth is not
        counted.

        Raises:
            ValueError: a public method begins with `on_` and is no callback, a callback is missing, or one
                takes what there is not; the message names it, and what it should be.
        """
        owner = f"{where}: {type(app).__name__}"
        self._check_names(app, owner)
        bound = {}
        for each in self.callbacks:
            if not each.is_optional or hasattr(app, each.name):
                bound[each.name] = self._bound(app, each, owner, shipped)
        return bound

    def _check_names(self, app: object, owner: str) -> None:
        known = [each.name for each in self.callbacks]
        for name in dir(app):
            if name.startswith("on_") and name not in known and callable(inspect.getattr_static(app, name)):
                close = get_close_matches(name, known, 1, 0)
                raise ValueError(f"{owner}.{name} is no callback, did you mean {close[0]}?")

    def _bound(self, app: object, callback: Callback, owner: str, shipped: bool) -> _Call:
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
        if not shipped:
            return _checked(counted(call), callback, application)
        # the base says nothing of optional ones; a function, since checks outlive the application
        told = getattr(self.base, callback.name, None) or getattr(method, "__func__", method)
        if callback.parameters[0] != "ctx":
            return _checked(call, callback, application)
        return _opening(_checked(call, callback, application), check_of(told, callback.parameters[1]))


def _arranged(method: Callable[..., Any], offered: tuple[str, str], name: str) -> _Call:
    """The callback as one that takes both of what is offered, whichever it spells."""
    taken = []
    for parameter in inspect.signature(method).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            return method  # takes whatever comes
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
    """The callback, failing if its answer has the wrong type: such an answer never reaches the state."""
    text, fits, size_of, limit = callback.answer

    def wrong(answer: object) -> InvalidCallbackAnswer:
        return InvalidCallbackAnswer(application, callback.name, text, type(answer).__name__)

    def told(first: Any, second: Any) -> None:
        answer = call(first, second)
        if answer is not None:
            raise wrong(answer)

    def asked(first: Any, second: Any) -> Any:
        answer = call(first, second)
        if not fits(answer):  # type: ignore[misc]  # `told` stands where there is none
            raise wrong(answer)
        if limit and (size := size_of(answer)) > limit:
            raise TooLarge(f"{application}.{callback.name}", size, limit)
        return answer

    return told if fits is None else asked


def _opening(call: _Call, check: Callable[[Any], None]) -> _Call:
    """The callback of a shipped application: what a stranger's middleware gives it is opened, and checked."""

    def enter(first: Any, second: Any) -> Any:
        if type(first) is ConfinedContext:
            first = opened(first)
            check(second)
        return call(first, second)

    return enter
