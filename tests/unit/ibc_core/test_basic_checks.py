"""Stateless checks of messages: each single fault by its name, and the first of several."""

from dataclasses import fields, replace

import pytest

from handlers.dispatch import HANDLERS
from ibc_core import errors as e
from ibc_core.address import AddressCodec
from ibc_core.channel.close_confirm import MsgChannelCloseConfirm
from ibc_core.channel.close_init import MsgChannelCloseInit
from ibc_core.channel.open_ack import MsgChannelOpenAck
from ibc_core.channel.open_confirm import MsgChannelOpenConfirm
from ibc_core.channel.open_init import MsgChannelOpenInit
from ibc_core.channel.open_try import MsgChannelOpenTry
from ibc_core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from ibc_core.connection.open_ack import MsgConnectionOpenAck
from ibc_core.connection.open_confirm import MsgConnectionOpenConfirm
from ibc_core.connection.open_init import MsgConnectionOpenInit
from ibc_core.connection.open_try import MsgConnectionOpenTry
from ibc_core.connection.types import DEFAULT_VERSION, ConnectionCounterparty, Version
from ibc_core.connection.update_params import MsgUpdateConnectionParams
from ibc_core.height import Height
from ibc_core.packet.acknowledge import MsgAcknowledgement
from ibc_core.packet.recv import MsgRecvPacket
from ibc_core.packet.timeout import MsgTimeout
from ibc_core.packet.timeout_on_close import MsgTimeoutOnClose
from ibc_core.packet.types import Packet

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
    MsgConnectionOpenAck("connection-0", "connection-1", DEFAULT_VERSION, b"p", AT, SIGNER),
    MsgConnectionOpenConfirm("connection-0", b"p", AT, SIGNER),
    MsgUpdateConnectionParams(1, SIGNER),
    MsgChannelOpenInit("transfer", END, SIGNER),
    MsgChannelOpenTry("transfer", "", TRY_END, "ics20-1", b"p", AT, SIGNER),
    MsgChannelOpenAck("transfer", "channel-0", "channel-1", "ics20-1", b"p", AT, SIGNER),
    MsgChannelOpenConfirm("transfer", "channel-0", b"p", AT, SIGNER),
    MsgChannelCloseInit("transfer", "channel-0", SIGNER),
    MsgChannelCloseConfirm("transfer", "channel-0", b"p", AT, SIGNER),
    MsgRecvPacket(PACKET, b"p", AT, SIGNER),
    MsgAcknowledgement(PACKET, b"ack", b"p", AT, SIGNER),
    MsgTimeout(PACKET, b"p", AT, 1, SIGNER),
    MsgTimeoutOnClose(PACKET, b"p", b"q", AT, 1, SIGNER),
]
BY_TYPE = {type(msg): msg for msg in GOOD}


def check(msg):
    msg.check(Chain())


def end(base, **changes):
    return {"channel": replace(base, **changes)}


def other(base, **changes):
    return {"counterparty": replace(base, **changes)}


BAD_VERSIONS = [
    Version(" ", ("ORDER_ORDERED",)),
    Version("1", ("f",) * 101),
    Version("1", ("f", "\u3000")),
]
FAULTS = [
    (MsgUpdateConnectionParams, {"max_expected_time_per_block_ns": 0}, e.InvalidRequest),
    *((MsgConnectionOpenInit, {"version": bad}, e.InvalidConnectionVersion) for bad in BAD_VERSIONS),
    (MsgConnectionOpenInit, {"client_id_on_a": "09-localhost"}, e.InvalidClientType),
    (MsgConnectionOpenInit, {"client_id_on_a": "a/b/c"}, e.InvalidIdentifier),
    (MsgConnectionOpenInit, {"counterparty": NAMED}, e.InvalidConnectionCounterparty),
    (MsgConnectionOpenInit, other(OTHER, client_id=""), e.InvalidIdentifier),
    (MsgConnectionOpenInit, other(OTHER, prefix=b""), e.InvalidConnectionCounterparty),
    (MsgConnectionOpenInit, other(OTHER, prefix=bytes(257)), e.InvalidConnectionCounterparty),
    (MsgConnectionOpenTry, {"client_id_on_b": "09-localhost"}, e.InvalidClientType),
    (MsgConnectionOpenTry, {"client_id_on_b": ""}, e.InvalidIdentifier),
    (MsgConnectionOpenTry, {"counterparty": OTHER}, e.InvalidIdentifier),
    (MsgConnectionOpenTry, {"versions_on_a": ()}, e.InvalidVersion),
    (MsgConnectionOpenTry, {"versions_on_a": (DEFAULT_VERSION,) * 101}, e.InvalidVersion),
    (
        MsgConnectionOpenTry,
        {"versions_on_a": (DEFAULT_VERSION, BAD_VERSIONS[0])},
        e.InvalidConnectionVersion,
    ),
    (MsgConnectionOpenTry, {"proof_init": b""}, e.InvalidProof),
    (MsgConnectionOpenTry, other(NAMED, client_id="x"), e.InvalidIdentifier),
    (MsgConnectionOpenTry, other(NAMED, prefix=b""), e.InvalidConnectionCounterparty),
    (MsgConnectionOpenAck, {"connection_id_on_a": "connection-x"}, e.InvalidConnectionIdentifier),
    (MsgConnectionOpenAck, {"connection_id_on_b": "connectio"}, e.InvalidIdentifier),
    (MsgConnectionOpenAck, {"version": None}, e.InvalidConnectionVersion),
    (MsgConnectionOpenAck, {"version": BAD_VERSIONS[1]}, e.InvalidConnectionVersion),
    (MsgConnectionOpenAck, {"proof_try": b""}, e.InvalidProof),
    (MsgConnectionOpenConfirm, {"connection_id_on_b": ""}, e.InvalidConnectionIdentifier),
    (MsgConnectionOpenConfirm, {"proof_ack": b""}, e.InvalidProof),
    (MsgChannelOpenInit, {"port_id_on_a": "t"}, e.InvalidIdentifier),
    (MsgChannelOpenInit, end(END, state=ChannelState.TRYOPEN), e.InvalidChannelState),
    (
        MsgChannelOpenInit,
        end(END, counterparty=ChannelCounterparty("transfer", "channel-1")),
        e.InvalidChannelCounterparty,
    ),
    (MsgChannelOpenInit, end(END, ordering=Order.NONE), e.InvalidChannelOrdering),
    (MsgChannelOpenInit, end(END, connection_hops=()), e.TooManyConnectionHops),
    (MsgChannelOpenInit, end(END, connection_hops=("connection-0",) * 2), e.TooManyConnectionHops),
    (MsgChannelOpenInit, end(END, connection_hops=("conn",)), e.InvalidIdentifier),
    (MsgChannelOpenInit, end(END, counterparty=ChannelCounterparty("", "")), e.InvalidIdentifier),
    (MsgChannelOpenTry, {"port_id_on_b": ""}, e.InvalidIdentifier),
    (MsgChannelOpenTry, {"previous_channel_id": "channel-3"}, e.InvalidChannelIdentifier),
    (MsgChannelOpenTry, {"proof_init": b""}, e.InvalidProof),
    (MsgChannelOpenTry, end(TRY_END, state=ChannelState.INIT), e.InvalidChannelState),
    (
        MsgChannelOpenTry,
        end(TRY_END, counterparty=ChannelCounterparty("transfer", "")),
        e.InvalidIdentifier,
    ),
    (MsgChannelOpenTry, end(TRY_END, ordering=Order.NONE), e.InvalidChannelOrdering),
    (MsgChannelOpenTry, end(TRY_END, connection_hops=()), e.TooManyConnectionHops),
    (MsgChannelOpenAck, {"port_id_on_a": "a b"}, e.InvalidIdentifier),
    (MsgChannelOpenAck, {"channel_id_on_a": "channel"}, e.InvalidChannelIdentifier),
    (MsgChannelOpenAck, {"channel_id_on_b": ""}, e.InvalidIdentifier),
    (MsgChannelOpenAck, {"proof_try": b""}, e.InvalidProof),
    (MsgChannelOpenConfirm, {"port_id_on_b": ""}, e.InvalidIdentifier),
    (MsgChannelOpenConfirm, {"channel_id_on_b": "channel-"}, e.InvalidChannelIdentifier),
    (MsgChannelOpenConfirm, {"proof_ack": b""}, e.InvalidProof),
    (MsgChannelCloseInit, {"port_id": ""}, e.InvalidIdentifier),
    (MsgChannelCloseInit, {"channel_id": "connection-0"}, e.InvalidChannelIdentifier),
    (MsgChannelCloseConfirm, {"port_id": ""}, e.InvalidIdentifier),
    (MsgChannelCloseConfirm, {"channel_id": ""}, e.InvalidChannelIdentifier),
    (MsgChannelCloseConfirm, {"proof_init": b""}, e.InvalidProof),
    (MsgRecvPacket, {"proof_commitment_on_a": b""}, e.InvalidProof),
    (MsgAcknowledgement, {"proof_ack_on_b": b""}, e.InvalidProof),
    (MsgAcknowledgement, {"acknowledgement": b""}, e.InvalidAcknowledgement),
    (MsgTimeout, {"proof_unreceived_on_b": b""}, e.InvalidProof),
    (MsgTimeout, {"next_sequence_recv_on_b": 0}, e.InvalidSequence),
    (MsgTimeoutOnClose, {"proof_unreceived_on_b": b""}, e.InvalidProof),
    (MsgTimeoutOnClose, {"proof_close_on_b": b""}, e.InvalidProof),
    (MsgTimeoutOnClose, {"next_sequence_recv_on_b": 0}, e.InvalidSequence),
    *(
        (cls, {"packet": replace(PACKET, sequence=0)}, e.InvalidPacket)
        for cls in (MsgRecvPacket, MsgAcknowledgement, MsgTimeout, MsgTimeoutOnClose)
    ),
]


@pytest.mark.parametrize("msg", GOOD, ids=lambda msg: type(msg).__name__)
def test_a_good_message(msg):
    check(msg)
    assert msg == BY_TYPE[type(msg)]


@pytest.mark.parametrize("msg", GOOD, ids=lambda msg: type(msg).__name__)
@pytest.mark.parametrize("signer", ["", "cosmos1", SIGNER[:-1] + "x", "osmo" + SIGNER[6:]])
def test_a_wrong_signer(msg, signer):
    with pytest.raises(e.InvalidAddress) as refused:
        check(replace(msg, signer=signer))
    assert refused.value.field == "signer"


@pytest.mark.parametrize(("cls", "change", "error"), FAULTS, ids=lambda each: getattr(each, "__name__", "x"))
def test_one_fault(cls, change, error):
    with pytest.raises(error) as refused:
        check(replace(BY_TYPE[cls], **change))
    assert type(refused.value) is error


def test_every_field_but_those_free_to_say_anything_has_a_fault():
    free = {
        "delay_period_ns",
        "proof_height",
        "proof_height_on_a",
        "proof_height_on_b",
        "version_on_a",
        "version_on_b",
        "signer",
    }
    chosen = {  # set by the messages of ICS-4's first text alone: direct/test_basic_checks.py
        MsgConnectionOpenInit: {"connection_id_on_a"},
        MsgConnectionOpenTry: {"connection_id_on_b", "named_on_a"},
        MsgChannelOpenInit: {"channel_id_on_a"},
        MsgChannelOpenTry: {"channel_id_on_b", "named_on_a"},
    }
    for cls, msg in BY_TYPE.items():
        faulty = {name for each, change, _ in FAULTS if each is cls for name in change}
        assert {field.name for field in fields(msg)} - free - chosen.get(cls, set()) == faulty, cls.__name__


def test_every_message_of_connections_channels_and_packets_is_here():
    folders = ("ibc_core.connection.", "ibc_core.channel.", "ibc_core.packet.")
    assert {cls for cls in HANDLERS if cls.__module__.startswith(folders)} == set(BY_TYPE)


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
