"""The middleware alone: above, below and the chain's transfers are noted down."""

from types import SimpleNamespace

import pytest

from conformance.memory import MemoryStore
from conformance.memory_bank import MemoryBank
from pyibc.apps.packet_forward.middleware import Defaults, Forwarder, ForwardingApp
from pyibc.apps.packet_forward.state import STORE_NAME
from pyibc.apps.transfer.coins import EscrowMoves, escrow_address
from pyibc.core.address import AddressCodec
from pyibc.core.application.classic import AppAcknowledgement
from pyibc.core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from pyibc.core.height import Height
from pyibc.core.host.overlay import BlockContext
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet.types import Packet
from pyibc.core.paths import channel_path
from pyibc.core.wire.states import encode_channel_end

CODEC = AddressCodec("cosmos")
NOW = 1_700_000_000 * 10**9
OPEN = ChannelEnd(
    ChannelState.OPEN,
    Order.UNORDERED,
    ChannelCounterparty("transfer", "channel-1"),
    ("connection-0",),
    "ics20-1",
)


class Below:
    """ICS-20, as the middleware sees it."""

    def __init__(self):
        self.told, self.error = [], None
        self.answer = AppAcknowledgement(success=True, data=acks.success())

    def on_recv_packet(self, ctx, received):
        if self.error is not None:
            raise self.error
        self.told.append(("recv", received))
        return self.answer

    def on_acknowledgement_packet(self, ctx, acknowledged):
        self.told.append(("ack", acknowledged))

    def on_timeout_packet(self, ctx, timed_out):
        self.told.append(("timeout", timed_out))

    def __getattr__(self, name):  # the callbacks that the middleware hands on
        return lambda *given: self.told.append((name, *given))


@pytest.fixture
def chain():
    """Beta: alpha's packets come over channel-3 here (channel-1 there), gamma's channel is channel-6."""
    stores = {name: MemoryStore() for name in ("ibc", "transfer", STORE_NAME)}
    ctx = BlockContext("beta-1", 5, NOW, stores)
    for channel_id in ("channel-3", "channel-6"):
        ctx.ibc.set(channel_path("transfer", channel_id), encode_channel_end(OPEN))
    bank, below, sent, answered = MemoryBank(), Below(), [], []
    made = SimpleNamespace(ctx=ctx, bank=bank, below=below, sent=sent, answered=answered, error=None)

    def transfer(_, msg):
        if made.error is not None:
            raise made.error
        sent.append(msg)
        return 40 + len(sent)

    above = SimpleNamespace(write_acknowledgement=lambda _, *given: answered.append(given))
    forwarder = Forwarder(transfer, above, EscrowMoves(bank, CODEC), CODEC, Defaults(2, 77))
    made.app = ForwardingApp(below, forwarder)
    made.held = lambda channel, denom: bank.balance(ctx, escrow_address("transfer", channel), denom)
    made.waiting = lambda: list(ctx.reader(STORE_NAME).iterate(b"\0", None))
    return made


@pytest.fixture
def incoming():
    """A packet from alpha."""
    return lambda data: Packet(
        9, "transfer", "channel-1", "transfer", "channel-3", data, Height(1, 500), NOW + 10**9
    )


@pytest.fixture
def outgoing():
    """A packet that beta sent on to gamma."""
    return lambda data, sequence=41: Packet(
        sequence, "transfer", "channel-6", "transfer", "channel-2", data, Height(0, 0), NOW + 77
    )
