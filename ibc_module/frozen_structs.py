"""Whether messages of a `msgspec.Struct` can be changed by who receives them.

A decoded message is remembered from CheckTx to its block, and every plugin's CheckTx hook sees it: what
changed it there would part the nodes that had it in their mempool from those that had not.
"""

from collections.abc import Iterator

import msgspec
from msgspec import inspect

from ibc_module.wiring_error import WiringError

_IMMUTABLE = (
    inspect.BoolType,
    inspect.BytesType,
    inspect.DateTimeType,
    inspect.DateType,
    inspect.DecimalType,
    inspect.EnumType,
    inspect.FloatType,
    inspect.FrozenSetType,
    inspect.IntType,
    inspect.LiteralType,
    inspect.NamedTupleType,
    inspect.NoneType,
    inspect.StrType,
    inspect.StructType,
    inspect.TimeDeltaType,
    inspect.TimeType,
    inspect.TupleType,
    inspect.UnionType,
    inspect.UUIDType,
    inspect.VarTupleType,
)


def require_frozen(kind: type) -> None:
    """Checks that `kind` is a frozen struct of immutable fields, and so is all that they may hold.

    Raises:
        WiringError: it is not; the message names the struct and the field.
    """
    if not issubclass(kind, msgspec.Struct):
        raise WiringError(f"{_name(kind)} is no msgspec.Struct")
    _walk(inspect.type_info(kind), _name(kind), set())


def _walk(found: inspect.Type, where: str, seen: set[type]) -> None:
    if not isinstance(found, _IMMUTABLE):
        held = type(found).__name__.removesuffix("Type").lower()
        raise WiringError(f"{where} can be changed by who receives it: {held}; a tuple, say, cannot")
    if isinstance(found, inspect.StructType):
        if found.cls in seen:
            return
        seen.add(found.cls)
        if not found.cls.__struct_config__.frozen:
            raise WiringError(f"{_name(found.cls)} can be changed by who receives it: declare it frozen=True")
        where = _name(found.cls)
    for name, inner in _below(found):
        _walk(inner, f"{where}.{name}" if name else where, seen)


def _below(found: inspect.Type) -> Iterator[tuple[str, inspect.Type]]:
    """The types below one, with the names of fields."""
    if isinstance(found, (inspect.StructType, inspect.NamedTupleType)):
        yield from ((field.name, field.type) for field in found.fields)
    elif isinstance(found, inspect.UnionType):
        yield from (("", each) for each in found.types)
    elif isinstance(found, inspect.TupleType):
        yield from (("", each) for each in found.item_types)
    elif isinstance(found, (inspect.VarTupleType, inspect.FrozenSetType)):
        yield "", found.item_type


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
