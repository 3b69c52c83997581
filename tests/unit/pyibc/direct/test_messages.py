"""Stateless checks of messages with chosen names: the names, and all that today's are checked for."""

from dataclasses import fields, replace

import pytest

from pyibc.core.address import AddressCodec
from pyibc.core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from pyibc.core.connection.types import DEFAULT_VERSION, ConnectionCounterparty
from pyibc.core.errors import (
    InvalidAddress,
    InvalidChannelIdentifier,
    InvalidChannelState,
    InvalidConnectionIdentifier,
    InvalidConnectionVersion,
    InvalidIdentifier,
    InvalidPacket,
    InvalidProof,
    TooManyConnectionHops,
)
from pyibc.core.height import Height
from pyibc.core.packet.types import Packet
from pyibc.direct.messages import (
    MsgCleanupPacket,
    MsgNamedChannelCloseConfirm,
    MsgNamedChannelCloseInit,
    MsgNamedChannelOpenAck,
    MsgNamedChannelOpenConfirm,
    MsgNamedChannelOpenInit,
    MsgNamedConnectionOpenAck,
    MsgNamedConnectionOpenConfirm,
    MsgNamedConnectionOpenInit,
    MsgNamedTimeout,
)

ADDRESSES = AddressCodec("cosmos")


class Chain:
    addresses = ADDRESSES


WHO = ADDRESSES.encode(b"x" * 20).text
AT = Height(1, 5)
FAR = ConnectionCounterparty("07-tendermint-0", "conn-end-far", b"ibc")
PACKET = Packet(1, "mock", "end-on-a", "mock", "end-on-b", b"data", AT, 0)


def end(state, far="end-on-b"):
    return ChannelEnd(state, Order.ORDERED, ChannelCounterparty("mock", far), ("conn-end-own",), "v1")


def far_named(name):
    return {"counterparty": replace(FAR, connection_id=name)}


def channel_named(name):
    return {"channel": end(ChannelState.INIT, name)}


CASES = {
    "connection init": (
        MsgNamedConnectionOpenInit("07-tendermint-0", FAR, DEFAULT_VERSION, 0, WHO, "conn-end-own"),
        [
            (far_named("connection-4"), InvalidConnectionIdentifier),
            (far_named("a/connection"), InvalidIdentifier),
            ({"client_id_on_a": "x"}, InvalidIdentifier),
        ],
    ),
    "connection ack": (
        MsgNamedConnectionOpenAck("conn-end-own", "conn-end-far", DEFAULT_VERSION, b"p", AT, WHO),
        [
            ({"connection_id_on_a": "short"}, InvalidIdentifier),
            ({"connection_id_on_b": "short"}, InvalidIdentifier),
            ({"version": None}, InvalidConnectionVersion),
            ({"proof_try": b""}, InvalidProof),
        ],
    ),
    "connection confirm": (
        MsgNamedConnectionOpenConfirm("conn-end-own", b"p", AT, WHO),
        [({"connection_id_on_b": "a/connection"}, InvalidIdentifier), ({"proof_ack": b""}, InvalidProof)],
    ),
    "channel init": (
        MsgNamedChannelOpenInit("mock", end(ChannelState.INIT), WHO, "end-on-a"),
        [
            (channel_named("channel-4"), InvalidChannelIdentifier),
            (channel_named("a/channel"), InvalidIdentifier),
            ({"port_id_on_a": "m"}, InvalidIdentifier),
            ({"channel": end(ChannelState.OPEN)}, InvalidChannelState),
            ({"channel": replace(end(ChannelState.INIT), connection_hops=())}, TooManyConnectionHops),
        ],
    ),
    "channel ack": (
        MsgNamedChannelOpenAck("mock", "end-on-a", "end-on-b", "v1", b"p", AT, WHO),
        [
            ({"channel_id_on_a": "a/channel"}, InvalidIdentifier),
            ({"channel_id_on_b": "a/channel"}, InvalidIdentifier),
            ({"port_id_on_a": "m"}, InvalidIdentifier),
            ({"proof_try": b""}, InvalidProof),
        ],
    ),
    "channel confirm": (
        MsgNamedChannelOpenConfirm("mock", "end-on-b", b"p", AT, WHO),
        [
            ({"channel_id_on_b": "short"}, InvalidIdentifier),
            ({"port_id_on_b": "m"}, InvalidIdentifier),
            ({"proof_ack": b""}, InvalidProof),
        ],
    ),
    "close init": (
        MsgNamedChannelCloseInit("mock", "end-on-a", WHO),
        [({"channel_id": "short"}, InvalidIdentifier), ({"port_id": "m"}, InvalidIdentifier)],
    ),
    "close confirm": (
        MsgNamedChannelCloseConfirm("mock", "end-on-a", b"p", AT, WHO),
        [
            ({"channel_id": "short"}, InvalidIdentifier),
            ({"port_id": "m"}, InvalidIdentifier),
            ({"proof_init": b""}, InvalidProof),
        ],
    ),
    "timeout": (
        MsgNamedTimeout(PACKET, b"p", AT, 0, WHO),
        [
            ({"proof_unreceived_on_b": b""}, InvalidProof),
            ({"packet": replace(PACKET, sequence=0)}, InvalidPacket),
        ],
    ),
    "cleanup": (
        MsgCleanupPacket(PACKET, b"p", AT, 2, b"", WHO),
        [
            ({"proof_received_on_b": b""}, InvalidProof),
            ({"packet": replace(PACKET, sequence=0)}, InvalidPacket),
        ],
    ),
}


def todays(message):
    """The same fields in the message of today's wire."""
    base = type(message).__base__
    return base(*(getattr(message, field.name) for field in fields(base)))


@pytest.mark.parametrize("name", CASES)
def test_a_good_message_passes_and_each_fault_has_its_error(name):
    message, faults = CASES[name]
    message.check(Chain())
    for changes, error in [*faults, ({"signer": ""}, InvalidAddress)]:
        with pytest.raises(error) as refused:
            replace(message, **changes).check(Chain())
        assert type(refused.value) is error, changes


def test_names_of_the_generated_form_pass_where_they_are_only_referred_to():
    ack, _ = CASES["channel ack"]
    replace(ack, channel_id_on_a="channel-4", channel_id_on_b="channel-5").check(Chain())
    confirm, _ = CASES["connection confirm"]
    replace(confirm, connection_id_on_b="connection-4").check(Chain())


def test_todays_checks_refuse_what_these_let_through():
    """Else today's wire would take names that ibc-go does not."""
    for name in ("channel ack", "channel confirm", "close init", "close confirm"):
        with pytest.raises(InvalidChannelIdentifier):
            todays(CASES[name][0]).check(Chain())
    for name in ("connection ack", "connection confirm"):
        with pytest.raises(InvalidConnectionIdentifier):
            todays(CASES[name][0]).check(Chain())
