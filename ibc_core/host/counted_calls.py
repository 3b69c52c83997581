"""Objects of plugins, with the depth counted below each of their methods."""

from typing import Any, TypeVar, cast

from ibc_core.host.depth import counted
from ibc_core.host.shipped import is_shipped

_T = TypeVar("_T")


class CountedCalls:
    """An object whose methods count; for everything else it passes for what it stands for."""

    def __init__(self, inner: object) -> None:
        self._inner = inner
        for name in dir(inner):
            if name[0] != "_" and callable(method := getattr(inner, name)) and not isinstance(method, type):
                setattr(self, name, counted(_Method(inner, name)))

    @classmethod
    def around(cls, inner: _T) -> _T:
        """`inner` as its callers see it."""
        return cast("_T", cls(inner))

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(self._inner)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _Method:
    """A method that is looked up when it is called."""

    def __init__(self, inner: object, name: str) -> None:
        self._inner = inner
        self.__name__ = name

    def __call__(self, *given: Any, **named: Any) -> Any:
        return getattr(self._inner, self.__name__)(*given, **named)


def with_depth_counted(inner: _T) -> _T:
    """`inner` as its callers see it: as it is if this distribution ships it, else with calls counted."""
    return inner if is_shipped(inner) else CountedCalls.around(inner)
