"""Stateless checks of messages: their order, and bounds. Each fault alone is a row in handlers' tests."""

from dataclasses import replace

import pytest

from pyibc.core import errors as e
from pyibc.core.address import AddressCodec
from pyibc.core.channel.messages import MsgChannelOpenInit, MsgChannelOpenTry
from pyibc.core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from pyibc.core.connection.messages import MsgConnectionOpenInit, MsgConnectionOpenTry
from pyibc.core.connection.types import DEFAULT_VERSION, ConnectionCounterparty, Version
from pyibc.core.height import Height
from pyibc.core.packet.messages import MsgAcknowledgement, MsgRecvPacket, MsgTimeout, MsgTimeoutOnClose
from pyibc.core.packet.types import Packet

CODEC = AddressCodec("cosmos")


class Chain:
    addresses = CODEC


SIGNER = CODEC.encode(bytes(20)).text
AT = Height(1, 5)
OTHER = ConnectionCounterparty("07-tendermint-1", "", b"ibc")
NAMED = replace(OTHER, connection_id="connection-1")
END = ChannelEnd(
    ChannelState.INIT, Order.UNORDERED, ChannelCounterparty("transfer", ""), ("connection-0",), "ics20-1"
)
TRY_END = replace(END, state=ChannelState.TRYOPEN, counterparty=ChannelCounterparty("transfer", "channel-1"))
PACKET = Packet(1, "transfer", "channel-0", "transfer", "channel-1", b"data", AT, 0)
GOOD = [
    MsgConnectionOpenInit("07-tendermint-0", OTHER, DEFAULT_VERSION, 0, SIGNER),
    MsgConnectionOpenTry("07-tendermint-0", NAMED, 0, (DEFAULT_VERSION,), b"p", AT, SIGNER),
    MsgChannelOpenInit("transfer", END, SIGNER),
    MsgChannelOpenTry("transfer", "", TRY_END, "ics20-1", b"p", AT, SIGNER),
    MsgRecvPacket(PACKET, b"p", AT, SIGNER),
    MsgAcknowledgement(PACKET, b"ack", b"p", AT, SIGNER),
    MsgTimeout(PACKET, b"p", AT, 1, SIGNER),
    MsgTimeoutOnClose(PACKET, b"p", b"q", AT, 1, SIGNER),
]
BY_TYPE = {type(msg): msg for msg in GOOD}


def check(msg):
    msg.check(Chain())


def test_no_version_means_any_in_open_init():
    check(replace(BY_TYPE[MsgConnectionOpenInit], version=None))


def test_bounds_that_are_still_good():
    check(replace(BY_TYPE[MsgConnectionOpenInit], version=Version("1", ("f",) * 100)))
    check(replace(BY_TYPE[MsgConnectionOpenTry], versions_on_a=(DEFAULT_VERSION,) * 100))
    check(replace(BY_TYPE[MsgConnectionOpenInit], counterparty=replace(OTHER, prefix=bytes(256))))


@pytest.mark.parametrize(
    ("cls", "change", "error"),
    [
        (
            MsgConnectionOpenInit,
            {"client_id_on_a": "", "counterparty": NAMED, "signer": ""},
            e.InvalidIdentifier,
        ),
        (
            MsgConnectionOpenInit,
            {"counterparty": replace(OTHER, prefix=b""), "signer": ""},
            e.InvalidAddress,
        ),
        (
            MsgChannelOpenInit,
            {"channel": replace(END, ordering=Order.NONE), "signer": ""},
            e.InvalidAddress,
        ),
        (
            MsgChannelOpenTry,
            {"proof_init": b"", "previous_channel_id": "channel-1"},
            e.InvalidChannelIdentifier,
        ),
        (MsgAcknowledgement, {"proof_ack_on_b": b"", "acknowledgement": b""}, e.InvalidProof),
        (MsgTimeout, {"proof_unreceived_on_b": b"", "next_sequence_recv_on_b": 0}, e.InvalidProof),
        (
            MsgTimeoutOnClose,
            {"proof_unreceived_on_b": b"", "next_sequence_recv_on_b": 0},
            e.InvalidSequence,
        ),
        (MsgRecvPacket, {"packet": replace(PACKET, sequence=0), "signer": ""}, e.InvalidAddress),
    ],
)
def test_of_two_faults_ibc_gos_first_is_told(cls, change, error):
    with pytest.raises(error):
        check(replace(BY_TYPE[cls], **change))
