"""A message that its receivers can change is refused when the chain is wired, by name."""

from dataclasses import dataclass

import msgspec
import pytest

from ibc_module.json_message import json_route
from pyibc.core.address import AddressCodec
from pyibc.core.setup_error import WiringError


def route(kind):
    return json_route("/x.Msg", kind, AddressCodec("cosmos"), lambda *_: b"")


class Loose(msgspec.Struct):
    signer: str


@dataclass
class Plain:
    signer: str


class Sound(msgspec.Struct, frozen=True):
    signer: str
    fixed: tuple[int, str] = (1, "")


@pytest.mark.parametrize("kind", [Loose, Plain])
def test_h80_a_message_that_can_be_changed_is_refused_at_wiring(kind):
    with pytest.raises(WiringError, match=rf"{kind.__name__} can be changed by who receives it: make it a"):
        route(kind)


def test_a_frozen_message_is_taken():
    made = route(Sound).decode(b'{"signer": "a", "fixed": [2, "y"]}')
    assert made == Sound("a", (2, "y"))
    with pytest.raises(AttributeError):
        made.signer = "b"
