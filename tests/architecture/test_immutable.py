"""Records are made of what cannot change: of numbers, texts, bytes, and of other records."""

import importlib
import pkgutil
import types
import typing
from collections.abc import Callable
from dataclasses import is_dataclass
from enum import Enum

import pytest

import handlers
import ibc_module
import keepers
import light_client
import pyibc.apps
import pyibc.core
import pyibc.direct
import pyibc.queues
from pyibc.core.value import value

PLAIN = {int, str, bytes, bool, type(None), float}
OPAQUE = {
    ("Table", "wire"): "a class of protobuf messages",
    ("PacketData", "value"): "the application's own form; a middleware gets it, the core never",
    ("CheckedMessage", "message"): "a host's message of any plugin",
    ("DecodedMessage", "content"): "a message of any plugin, for its own route",
    ("Services", "direct"): "a handler without attributes to set",
    ("Absent", "content"): "a default of a message's field",
    ("Column", "part"): "a table",
}
"""Fields whose type says nothing, and why they may."""

GIVEN = {
    *(
        "pyibc.core.application",
        "pyibc.core.packet",
        "pyibc.core.packet_v2",
        "pyibc.core.channel",
        "pyibc.core.client",
    ),
    *(
        "pyibc.core.client_v2",
        "pyibc.core.connection",
        "pyibc.direct",
        "pyibc.queues",
        "pyibc.apps.transfer",
    ),
    *(
        "pyibc.core.host",
        "pyibc.core.height",
        "pyibc.core.address",
        "pyibc.core.coin",
        "pyibc.codec.anys",
    ),
    *("pyibc.core.wire.table", "pyibc.core.wire.table", "pyibc.core.wire.message"),
    "pyibc.apps",
}
"""Where records stand that applications may get into their hands."""


PACKAGES = (
    pyibc.core,
    pyibc.apps,
    pyibc.queues,
    pyibc.direct,
    ibc_module,
    handlers,
    keepers,
    light_client,
)


def modules():
    for package in PACKAGES:
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            yield importlib.import_module(found.name)


def records():
    for module in modules():
        for found in vars(module).values():
            if isinstance(found, type) and issubclass(found, tuple) and found.__module__ == module.__name__:
                yield found


RECORDS = sorted({*records()}, key=lambda kind: (kind.__module__, kind.__name__))


def fields_of(kind):
    names = kind._fields if hasattr(kind, "_fields") else kind.__dataclass_fields__
    hints = typing.get_type_hints(kind, localns={"DirectHandler": object})
    return {name: hints[name] for name in names}


def parts(hint):
    """The types that a hint is made of, those inside of tuples too."""
    origin = typing.get_origin(hint)
    if origin in {typing.Union, types.UnionType}:
        for each in typing.get_args(hint):
            yield from parts(each)
    elif origin is tuple or origin is frozenset:
        for each in typing.get_args(hint):
            if each is not ...:
                yield from parts(each)
    elif hasattr(hint, "__supertype__"):
        yield from parts(hint.__supertype__)
    else:
        yield hint if origin is None else origin


def is_immutable(part):
    if part in PLAIN or part is Callable:
        return True
    if not isinstance(part, type):
        return False
    if issubclass(part, (Enum, tuple)) or part is type:
        return True
    slots = [slot for base in part.__mro__ for slot in getattr(base, "__slots__", ())]
    is_protocol = getattr(part, "_is_protocol", False)
    frozen = is_dataclass(part) and part.__dataclass_params__.frozen
    return is_protocol or frozen or (bool(slots) and all(slot.startswith("_") for slot in slots))


def is_given(kind):
    if kind.__module__ == "pyibc.isolation.binding":  # nobody is given how it was bound
        return False
    if any(each in f"{kind.__module__}." for each in (".handlers.", ".keepers.")):
        return False
    return any(kind.__module__ == place or kind.__module__.startswith(f"{place}.") for place in GIVEN)


@pytest.mark.parametrize("kind", [kind for kind in RECORDS if is_given(kind)], ids=lambda kind: kind.__name__)
def test_h80_a_record_that_is_handed_out_cannot_change(kind):
    """Its fields are of immutable types, and it keeps its class."""
    told = {
        f"{name}: {part}"
        for name, hint in fields_of(kind).items()
        for part in parts(hint)
        if (kind.__name__, name) not in OPAQUE and not is_immutable(part)
    }
    assert told == set()
    assert isinstance(vars(kind).get("__class__"), property), "@sealed is missing"


def test_there_are_records():
    assert len([kind for kind in RECORDS if is_given(kind)]) > 100


def test_a_record_of_a_list_would_be_found():
    @value
    class Loose:
        kept: list[int]
        perhaps: tuple[bytearray, ...] | None

    hints = fields_of(Loose)
    found = [part for hint in hints.values() for part in parts(hint) if not is_immutable(part)]
    assert found == [list, bytearray]
