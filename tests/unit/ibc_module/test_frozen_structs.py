"""A message that its receivers can change is refused when the chain is wired, by name."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec
import pytest

from ibc_core.address import AddressCodec
from ibc_module.json_message import json_route
from ibc_module.wiring_error import WiringError


def route(kind):
    return json_route("/x.Msg", kind, AddressCodec("cosmos"), lambda *_: b"")


class Loose(msgspec.Struct):
    signer: str


class Pair(NamedTuple):
    left: int
    right: "Inner"


class Inner(msgspec.Struct, frozen=True):
    names: tuple[str, ...] = ()
    more: "Inner | None" = None


class Sound(msgspec.Struct, frozen=True):
    signer: str
    raw: bytes = b""
    inner: Inner | None = None
    pair: Pair | None = None
    many: tuple[Inner, ...] = ()
    either: int | str | None = None
    fixed: tuple[int, str] = (1, "")


class OfList(msgspec.Struct, frozen=True):
    signer: str
    coins: list[int] = []


class OfDict(msgspec.Struct, frozen=True):
    signer: str
    coins: tuple[dict[str, int], ...] = ()


class OfAnything(msgspec.Struct, frozen=True):
    signer: str
    more: Any = None


class OfLoose(msgspec.Struct, frozen=True):
    signer: str
    more: Loose | None = None


class OfBytearray(msgspec.Struct, frozen=True):
    signer: str
    more: bytearray | None = None


class OfSet(msgspec.Struct, frozen=True):
    signer: str
    more: set[str] = set()


@dataclass
class Plain:
    signer: str


class OfPlain(msgspec.Struct, frozen=True):
    signer: str
    more: Plain | None = None


class Deep(NamedTuple):
    left: list[int]


class OfDeep(msgspec.Struct, frozen=True):
    signer: str
    more: Deep | None = None


@pytest.mark.parametrize(
    ("kind", "named"),
    [
        (Loose, "Loose can be changed by who receives it: declare it frozen=True"),
        (OfLoose, "Loose can be changed by who receives it: declare it frozen=True"),
        (OfList, "OfList.coins can be changed by who receives it: list"),
        (OfDict, "OfDict.coins can be changed by who receives it: dict"),
        (OfAnything, "OfAnything.more can be changed by who receives it: any"),
        (OfBytearray, "OfBytearray.more can be changed by who receives it: bytearray"),
        (OfSet, "OfSet.more can be changed by who receives it: set"),
        (OfPlain, "OfPlain.more can be changed by who receives it: dataclass"),
        (OfDeep, "OfDeep.more.left can be changed by who receives it: list"),
        (Plain, "Plain is no msgspec.Struct"),
    ],
)
def test_h80_a_message_that_can_be_changed_is_refused_at_wiring(kind, named):
    with pytest.raises(WiringError, match=named):
        route(kind)


def test_a_frozen_message_of_immutable_fields_is_taken():
    made = route(Sound).decode(b'{"signer": "a", "inner": {"more": {"names": ["x"]}}, "fixed": [2, "y"]}')
    assert made == Sound("a", inner=Inner(more=Inner(("x",))), fixed=(2, "y"))
    with pytest.raises(AttributeError):
        made.signer = "b"
