"""Immutable records: the decorators `@value` and `@sealed`.

Everything that the module stores, caches or passes to applications is made of them, so that careless or
hostile code cannot change it for other code. A record is a tuple internally, so not even
`object.__setattr__` can write to it.
"""

from collections import namedtuple
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, field, fields
from inspect import get_annotations
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, dataclass_transform

_C = TypeVar("_C")


_Content = tuple[Any, ...]
_equal_content, _different_content = tuple.__eq__, tuple.__ne__
_content_of: Callable[[Any], tuple[_Content]] = attrgetter("__getnewargs__")(tuple)


def _equal(self: Any, other: Any) -> bool:
    return type(self) is type(other) and _equal_content(self, other)


def _different(self: Any, other: Any) -> bool:
    return type(self) is not type(other) or _different_content(self, other)


def _arguments(self: Any) -> _Content:
    return _content_of(self)[0]  # `copy` and `pickle` call `__new__`, which takes the fields


def _refusing(name: str) -> Callable[..., NoReturn]:
    def refuse(self: object, *_: object) -> NoReturn:
        raise TypeError(f"{type(self).__name__} is no sequence: it has no {name}")

    return refuse


_SEQUENCE = ("iter", "getitem", "contains", "add", "mul", "rmul", "lt", "le", "gt", "ge")

# guard: h80-a-record-takes-another-class drop:property(type) test_h80_a_record_keeps_its_class
_RECORD = {
    "__slots__": (),
    "__class__": property(type),  # otherwise `__class__` could be assigned
    "__eq__": _equal,
    "__ne__": _different,
    "__hash__": tuple.__hash__,
    "__getnewargs__": _arguments,
    "__bool__": lambda _: True,
    **{f"__{name}__": _refusing(f"__{name}__") for name in _SEQUENCE},
}


@dataclass_transform(frozen_default=True)
def value(cls: type[_C]) -> type[_C]:
    """Make `cls` an immutable, hashable record with the annotated fields, compared by content.

    `dataclasses.replace` and `dataclasses.fields` support records. A record is never equal to a record of
    another class or to a tuple. A record class may derive from another.

    Raises:
        TypeError: a field has a default factory, whose result could be mutable.
    """
    for name in getattr(cls, "__dataclass_fields__", ()):
        if name in get_annotations(cls) and name not in vars(cls):
            setattr(cls, name, field())  # declared again: an inherited accessor is no default
    told = fields(dataclass(init=False, eq=False)(cls))  # type: ignore[arg-type]
    # The constructor and accessors of a named tuple are the fastest available.
    names = [each.name for each in told]
    plain: type = namedtuple(cls.__name__, names, defaults=_defaults(cls, told))  # type: ignore[misc]
    accessors = {name: vars(plain)[name] for name in (*names, "__new__")}
    bases = tuple(base for base in cls.__bases__ if base is not object)
    if not any(issubclass(base, tuple) for base in bases):
        bases = (*bases, tuple)
    return _remade(cls, bases, {**_RECORD, **_kept(cls), **accessors})


def _defaults(cls: type, told: tuple[Field[Any], ...]) -> list[Any]:
    if any(each.default_factory is not MISSING or not each.init for each in told):
        raise TypeError(f"{cls.__name__}: a value is made of its arguments and immutable defaults")
    return [each.default for each in told if each.default is not MISSING]


def sealed(cls: type[_C]) -> type[_C]:
    """Return a NamedTuple class whose instances cannot change their `__class__`.

    The fields of a tuple cannot be assigned, but its `__class__` can: a height could be made to compare
    otherwise.
    """
    # guard: h80-a-named-tuple-takes-another-class drop:property test_h80_a_record_keeps_its_class
    return _remade(cls, cls.__bases__, {**_kept(cls), "__class__": property(type)})


def _kept(cls: type) -> dict[str, Any]:
    """Return the namespace of a class without the descriptors that Python created for its instances."""
    return {name: part for name, part in vars(cls).items() if name not in {"__dict__", "__weakref__"}}


def _remade(cls: type[_C], bases: tuple[type, ...], content: dict[str, Any]) -> type[_C]:
    make: Callable[..., type[_C]] = type(cls)
    return make(cls.__name__, bases, content)
