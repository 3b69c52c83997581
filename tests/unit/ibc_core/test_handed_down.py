"""What a stranger's middleware hands down to a shipped application is of exact types."""

from dataclasses import replace

import pytest

from ibc_core.address import AddressCodec
from ibc_core.application import classic, v2
from ibc_core.application.classic import IbcApp, Received
from ibc_core.application.handed_down import check_of
from ibc_core.errors import LogicFault
from ibc_core.height import Height
from ibc_core.host.context import WriteContext
from ibc_core.packet.types import Packet
from ibc_core.queue import application as queues

PACKET = Packet(1, "transfer", "channel-7", "mirror", "channel-2", b"data", Height(1, 50), 0)
RECEIVED = Received("ics20-1", PACKET, AddressCodec("cosmos").encode(bytes(20)))


class Text(str):
    """Passes for another channel in every table."""

    __slots__ = ()

    def __hash__(self):
        return hash("channel-0")

    def __eq__(self, other):
        return other == "channel-0"


class Data(bytes):
    __slots__ = ()


class Number(int):
    pass


class Lying(Received):
    __slots__ = ()


LIES = {
    "version": RECEIVED._replace(channel_version=Text("ics20-1")),
    "channel": RECEIVED._replace(packet=replace(PACKET, channel_id_on_b=Text("channel-2"))),
    "data": RECEIVED._replace(packet=replace(PACKET, data=Data(b"data"))),
    "data that changes": RECEIVED._replace(packet=replace(PACKET, data=bytearray(b"data"))),
    "sequence": RECEIVED._replace(packet=replace(PACKET, sequence=Number(1))),
    "sequence of truth": RECEIVED._replace(packet=replace(PACKET, sequence=True)),
    "height": RECEIVED._replace(packet=replace(PACKET, timeout_height_on_b=(1, 50))),
    "part of a height": RECEIVED._replace(packet=replace(PACKET, timeout_height_on_b=Height(1, Number(50)))),
    "packet": RECEIVED._replace(packet=tuple.__new__(tuple, PACKET.__getnewargs__())),
    "address": RECEIVED._replace(relayer="cosmos1"),
    "value": Lying(*RECEIVED),
    "nothing": None,
}


def test_h81_what_is_exact_passes():
    check_of(IbcApp.on_recv_packet, "received")(RECEIVED)


@pytest.mark.parametrize("name", LIES)
def test_h81_what_lies_is_refused(name):
    with pytest.raises(LogicFault, match="`received`"):
        check_of(IbcApp.on_recv_packet, "received")(LIES[name])


@pytest.mark.parametrize("kind", [classic._KIND, v2._KIND, queues._KIND], ids=["classic", "v2", "queues"])
def test_h81_every_callback_has_a_check(kind):
    checked = 0
    for callback in kind.callbacks:
        told = getattr(kind.base, callback.name, None)
        if told is None or callback.parameters[0] != "ctx":
            continue
        with pytest.raises(LogicFault):
            check_of(told, callback.parameters[1])(Text("no value"))
        checked += 1
    assert checked >= 3


def test_an_annotation_that_says_too_little_is_refused_at_wiring():
    def loose(ctx: WriteContext, told: object) -> None:
        """Takes anything."""

    with pytest.raises(TypeError, match="no check of"):
        check_of(loose, "told")
