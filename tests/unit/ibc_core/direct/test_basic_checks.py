"""Stateless checks of messages with chosen names: the names, and all that today's are checked for."""

from dataclasses import replace

import pytest

from ibc_core import basic_checks as today
from ibc_core.address import AddressCodec
from ibc_core.channel.close_confirm import MsgChannelCloseConfirm
from ibc_core.channel.close_init import MsgChannelCloseInit
from ibc_core.channel.open_ack import MsgChannelOpenAck
from ibc_core.channel.open_confirm import MsgChannelOpenConfirm
from ibc_core.channel.open_init import MsgChannelOpenInit
from ibc_core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from ibc_core.connection.open_ack import MsgConnectionOpenAck
from ibc_core.connection.open_confirm import MsgConnectionOpenConfirm
from ibc_core.connection.open_init import MsgConnectionOpenInit
from ibc_core.connection.types import DEFAULT_VERSION, ConnectionCounterparty
from ibc_core.direct import basic_checks as checks
from ibc_core.errors import (
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
from ibc_core.height import Height
from ibc_core.packet.cleanup import MsgCleanupPacket
from ibc_core.packet.timeout import MsgTimeout
from ibc_core.packet.types import Packet

ADDRESSES = AddressCodec("cosmos")
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
        checks.connection_open_init,
        MsgConnectionOpenInit("07-tendermint-0", FAR, DEFAULT_VERSION, 0, WHO, "conn-end-own"),
        [
            (far_named("connection-4"), InvalidConnectionIdentifier),
            (far_named("a/connection"), InvalidIdentifier),
            ({"client_id_on_a": "x"}, InvalidIdentifier),
            ({"signer": ""}, InvalidAddress),
        ],
    ),
    "connection ack": (
        checks.connection_open_ack,
        MsgConnectionOpenAck("conn-end-own", "conn-end-far", DEFAULT_VERSION, b"p", AT, WHO),
        [
            ({"connection_id_on_a": "short"}, InvalidIdentifier),
            ({"connection_id_on_b": "short"}, InvalidIdentifier),
            ({"version": None}, InvalidConnectionVersion),
            ({"proof_try": b""}, InvalidProof),
            ({"signer": ""}, InvalidAddress),
        ],
    ),
    "connection confirm": (
        checks.connection_open_confirm,
        MsgConnectionOpenConfirm("conn-end-own", b"p", AT, WHO),
        [
            ({"connection_id_on_b": "a/connection"}, InvalidIdentifier),
            ({"proof_ack": b""}, InvalidProof),
            ({"signer": ""}, InvalidAddress),
        ],
    ),
    "channel init": (
        checks.channel_open_init,
        MsgChannelOpenInit("mock", end(ChannelState.INIT), WHO, "end-on-a"),
        [
            (channel_named("channel-4"), InvalidChannelIdentifier),
            (channel_named("a/channel"), InvalidIdentifier),
            ({"port_id_on_a": "m"}, InvalidIdentifier),
            ({"channel": end(ChannelState.OPEN)}, InvalidChannelState),
            ({"channel": replace(end(ChannelState.INIT), connection_hops=())}, TooManyConnectionHops),
            ({"signer": ""}, InvalidAddress),
        ],
    ),
    "channel ack": (
        checks.channel_open_ack,
        MsgChannelOpenAck("mock", "end-on-a", "end-on-b", "v1", b"p", AT, WHO),
        [
            ({"channel_id_on_a": "a/channel"}, InvalidIdentifier),
            ({"channel_id_on_b": "a/channel"}, InvalidIdentifier),
            ({"port_id_on_a": "m"}, InvalidIdentifier),
            ({"proof_try": b""}, InvalidProof),
            ({"signer": ""}, InvalidAddress),
        ],
    ),
    "channel confirm": (
        checks.channel_open_confirm,
        MsgChannelOpenConfirm("mock", "end-on-b", b"p", AT, WHO),
        [
            ({"channel_id_on_b": "short"}, InvalidIdentifier),
            ({"port_id_on_b": "m"}, InvalidIdentifier),
            ({"proof_ack": b""}, InvalidProof),
            ({"signer": ""}, InvalidAddress),
        ],
    ),
    "close init": (
        checks.channel_close_init,
        MsgChannelCloseInit("mock", "end-on-a", WHO),
        [
            ({"channel_id": "short"}, InvalidIdentifier),
            ({"port_id": "m"}, InvalidIdentifier),
            ({"signer": ""}, InvalidAddress),
        ],
    ),
    "close confirm": (
        checks.channel_close_confirm,
        MsgChannelCloseConfirm("mock", "end-on-a", b"p", AT, WHO),
        [
            ({"channel_id": "short"}, InvalidIdentifier),
            ({"port_id": "m"}, InvalidIdentifier),
            ({"proof_init": b""}, InvalidProof),
            ({"signer": ""}, InvalidAddress),
        ],
    ),
    "timeout": (
        checks.timeout,
        MsgTimeout(PACKET, b"p", AT, 0, WHO),
        [
            ({"proof_unreceived_on_b": b""}, InvalidProof),
            ({"packet": replace(PACKET, sequence=0)}, InvalidPacket),
            ({"signer": ""}, InvalidAddress),
        ],
    ),
    "cleanup": (
        checks.cleanup_packet,
        MsgCleanupPacket(PACKET, b"p", AT, 2, b"", WHO),
        [
            ({"proof_received_on_b": b""}, InvalidProof),
            ({"packet": replace(PACKET, sequence=0)}, InvalidPacket),
            ({"signer": ""}, InvalidAddress),
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_good_message_passes_and_each_fault_has_its_error(name):
    check, message, faults = CASES[name]
    check(message, ADDRESSES)
    for changes, error in faults:
        with pytest.raises(error) as refused:
            check(replace(message, **changes), ADDRESSES)
        assert type(refused.value) is error, changes


def test_names_of_the_generated_form_pass_where_they_are_only_referred_to():
    _, ack, _ = CASES["channel ack"]
    checks.channel_open_ack(replace(ack, channel_id_on_a="channel-4", channel_id_on_b="channel-5"), ADDRESSES)
    _, confirm, _ = CASES["connection confirm"]
    checks.connection_open_confirm(replace(confirm, connection_id_on_b="connection-4"), ADDRESSES)


def test_todays_checks_refuse_what_these_let_through():
    """Else today's wire would take names that ibc-go does not."""
    for name, todays in (
        ("channel ack", today.channel_open_ack),
        ("channel confirm", today.channel_open_confirm),
        ("close init", today.channel_close_init),
        ("close confirm", today.channel_close_confirm),
    ):
        with pytest.raises(InvalidChannelIdentifier):
            todays(CASES[name][1], ADDRESSES)
    for name, todays in (
        ("connection ack", today.connection_open_ack),
        ("connection confirm", today.connection_open_confirm),
    ):
        with pytest.raises(InvalidConnectionIdentifier):
            todays(CASES[name][1], ADDRESSES)
