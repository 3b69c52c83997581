"""The controller's end: what it opens, and what it refuses."""

import pytest

from pyibc.apps.interchain_accounts.messages import (
    MsgRegisterInterchainAccount,
    MsgSendTx,
    MsgUpdateControllerParams,
)
from pyibc.apps.interchain_accounts.packet_data import EXECUTE_TX, InterchainAccountPacketData
from pyibc.apps.interchain_accounts.state import DISABLED, ENABLED, key_of
from pyibc.core.application.classic import Acknowledged, IbcApp, Opened, Opening, TimedOut
from pyibc.core.channel.types import ChannelCounterparty, ChannelState, Order
from pyibc.core.errors import (
    ActiveChannelAlreadySet,
    ActiveChannelNotFound,
    ControllerDisabled,
    InvalidAccountAddress,
    InvalidAccountsVersion,
    InvalidChannelFlow,
    InvalidChannelOrdering,
    InvalidConnection,
    InvalidControllerPort,
    InvalidHostPort,
    InvalidTimeoutTimestamp,
    LogicFault,
    UnauthorizedTx,
)
from pyibc.core.height import ZERO_HEIGHT
from pyibc.core.numbers import MAX_U64
from pyibc.core.packet.types import Packet
from tests.accounts_block import (
    AUTHORITY,
    CLOSED,
    HERE,
    OPEN,
    OWNER,
    PORT,
    THERE,
    metadata,
)

DATA = InterchainAccountPacketData(EXECUTE_TX, b"tx", "")
SEND = MsgSendTx(OWNER, HERE, DATA, 60 * 10**9)
REGISTER = MsgRegisterInterchainAccount(OWNER, HERE, "", Order.UNORDERED)
PACKET = Packet(1, PORT, "channel-5", "icahost", "channel-77", b"{}", ZERO_HEIGHT, 1)
RELAYER = object()


def opening(version="", port_id=PORT, far="icahost", order=Order.UNORDERED):
    return Opening(order, HERE, port_id, "channel-6", ChannelCounterparty(far, ""), version)


def opened(version, port_id=PORT, channel_id="channel-6"):
    return Opened(port_id, channel_id, ChannelCounterparty("icahost", "channel-77"), version)


def switch_off(chain):
    chain.ctx.store("icacontroller").set(b"params", b"")


def active(chain, state, **channel):
    chain.channel(PORT, "channel-5", state, **channel)
    chain.ctx.store("icacontroller").set(key_of(b"activeChannel/", PORT, HERE), b"channel-5")


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (opening(port_id="icacontroller"), InvalidControllerPort),
        (opening(port_id="icacontrollerx"), InvalidControllerPort),
        (opening(far="transfer"), InvalidHostPort),
        (opening(metadata(controller_connection_id=THERE)), InvalidConnection),
    ],
)
def test_what_it_does_not_open(chain, given, error):
    with pytest.raises(error):
        chain.app(given.port_id).on_chan_open_init(chain.ctx, given)


def test_off_it_opens_and_settles_nothing(chain):
    switch_off(chain)
    app = chain.app(PORT)
    chain.channel(PORT, "channel-6", OPEN)
    for call in (
        lambda: app.on_chan_open_init(chain.ctx, opening()),
        lambda: app.on_chan_open_ack(chain.ctx, opened(metadata("cosmos1x"))),
        lambda: app.on_acknowledgement_packet(chain.ctx, Acknowledged("", PACKET, b"{}", RELAYER)),
        lambda: app.on_timeout_packet(chain.ctx, TimedOut("", PACKET, RELAYER)),
    ):
        with pytest.raises(ControllerDisabled):
            call()


@pytest.mark.parametrize("state", [ChannelState.INIT, ChannelState.TRYOPEN, OPEN])
def test_h161_a_channel_that_is_not_closed_is_the_only_one(chain, state):
    active(chain, state, version=metadata())
    with pytest.raises(ActiveChannelAlreadySet):
        chain.app(PORT).on_chan_open_init(chain.ctx, opening())


def test_a_closed_channel_is_opened_again_in_the_same_way(chain):
    active(chain, CLOSED, order=Order.ORDERED, version=metadata("cosmos1x"))
    app = chain.app(PORT)
    assert app.on_chan_open_init(chain.ctx, opening(order=Order.ORDERED)) == metadata()
    with pytest.raises(InvalidChannelOrdering):
        app.on_chan_open_init(chain.ctx, opening(order=Order.UNORDERED))
    with pytest.raises(InvalidAccountsVersion):
        app.on_chan_open_init(chain.ctx, opening(metadata(encoding="proto3json"), order=Order.ORDERED))


def test_a_channel_that_is_not_there_is_a_fault(chain):
    chain.ctx.store("icacontroller").set(key_of(b"activeChannel/", PORT, HERE), b"channel-5")
    with pytest.raises(LogicFault):
        chain.app(PORT).on_chan_open_init(chain.ctx, opening())


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (opened(metadata("cosmos1x"), port_id="icacontroller"), InvalidControllerPort),
        (opened(metadata("")), InvalidAccountAddress),
        (opened(metadata("cosmos1x", host_connection_id=HERE)), InvalidConnection),
        (opened(metadata("cosmos1x", version="ics27-2")), InvalidAccountsVersion),
    ],
)
def test_what_the_host_may_not_answer(chain, given, error):
    chain.channel(given.port_id, "channel-6", OPEN)
    with pytest.raises(error):
        chain.app(given.port_id).on_chan_open_ack(chain.ctx, given)
    assert not any(key.startswith(b"owner/") for key in chain.entries("icacontroller"))


def test_h161_of_two_handshakes_one_is_completed(chain):
    active(chain, OPEN)
    chain.channel(PORT, "channel-6", OPEN)
    with pytest.raises(ActiveChannelAlreadySet):
        chain.app(PORT).on_chan_open_ack(chain.ctx, opened(metadata("cosmos1x")))
    assert chain.entries("icacontroller")[key_of(b"activeChannel/", PORT, HERE)] == b"channel-5"


class Below(IbcApp):
    """Notes what it is told."""

    def __init__(self):
        self.told = []

    def on_chan_open_init(self, opening):
        self.told.append(opening.version)
        return "ignored"

    def on_timeout_packet(self):
        self.told.append("timeout")


def test_the_application_below_is_told_where_its_flag_is_set(make_chain):
    below = Below()
    chain = make_chain(authentication=below)
    app = chain.app(PORT)
    for flag, told in ((None, []), (DISABLED, []), (ENABLED, [metadata()])):
        if flag is not None:
            chain.ctx.store("icacontroller").set(key_of(b"isMiddlewareEnabled/", PORT, HERE), flag)
        assert app.on_chan_open_init(chain.ctx, opening()) == metadata()
        assert below.told == told
    chain.channel(PORT, "channel-5", OPEN)
    app.on_timeout_packet(chain.ctx, TimedOut("", PACKET, RELAYER))
    assert below.told == [metadata(), "timeout"]


class Greedy(Below):
    """Writes where it may not."""

    def on_chan_open_init(self, ctx):
        ctx.store("icacontroller").set(b"params", b"")
        return ""


def test_h160_the_application_below_is_confined(make_chain):
    chain = make_chain(authentication=Greedy())
    chain.ctx.store("icacontroller").set(key_of(b"isMiddlewareEnabled/", PORT, HERE), ENABLED)
    with pytest.raises(LogicFault):
        chain.app(PORT).on_chan_open_init(chain.ctx, opening())
    assert chain.entries("icacontroller")[b"params"] != b""


# -- messages


def deliver(chain, message):
    return chain.routes[message.TYPE_URL].deliver(chain.ctx, message)


def test_a_registration_while_the_channel_is_open(chain):
    active(chain, OPEN)
    with pytest.raises(ActiveChannelAlreadySet):
        deliver(chain, REGISTER)


@pytest.mark.parametrize(
    ("state", "error"), [(OPEN, InvalidChannelFlow), (ChannelState.INIT, InvalidChannelFlow)]
)
def test_what_a_module_registered_no_message_takes(chain, state, error):
    active(chain, state)
    chain.ctx.store("icacontroller").set(key_of(b"isMiddlewareEnabled/", PORT, HERE), ENABLED)
    with pytest.raises(InvalidChannelFlow):
        deliver(chain, REGISTER)


def test_what_a_message_registered_no_module_takes(chain):
    active(chain, OPEN)
    chain.ctx.store("icacontroller").set(key_of(b"isMiddlewareEnabled/", PORT, HERE), DISABLED)
    with pytest.raises(InvalidChannelFlow):
        chain.plugin.control.register(chain.ctx, HERE, OWNER)


def test_nothing_is_sent_without_an_open_channel(chain):
    with pytest.raises(ActiveChannelNotFound):
        deliver(chain, SEND)
    active(chain, CLOSED)
    with pytest.raises(ActiveChannelNotFound):
        deliver(chain, SEND)


def test_nothing_is_sent_into_the_past(chain):
    active(chain, OPEN)
    over = MAX_U64 + 1 - chain.ctx.time_ns
    for relative in (over, over + chain.ctx.time_ns):
        with pytest.raises(InvalidTimeoutTimestamp):
            deliver(chain, MsgSendTx(OWNER, HERE, DATA, relative))


def test_off_nothing_is_sent(chain):
    active(chain, OPEN)
    switch_off(chain)
    with pytest.raises(ControllerDisabled):
        deliver(chain, SEND)


def test_the_authority_alone_sets_the_parameters(chain):
    with pytest.raises(UnauthorizedTx):
        deliver(chain, MsgUpdateControllerParams(False, OWNER))
    assert chain.entries("icacontroller")[b"params"] == b"\x08\x01"
    deliver(chain, MsgUpdateControllerParams(False, AUTHORITY))
    assert chain.entries("icacontroller")[b"params"] == b""
