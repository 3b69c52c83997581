"""One chain without consensus, whose limits are set by hand, and what stands below and above the layers."""

from conformance.memory import MemoryStore
from pyibc.apps.rate_limit import state
from pyibc.apps.rate_limit.limit import Flow, Quota, RateLimit
from pyibc.apps.transfer import packet_data
from pyibc.apps.transfer.denom import parse_denom
from pyibc.core.application.classic import AppAcknowledgement
from pyibc.core.height import Height
from pyibc.core.host.overlay import BlockContext
from pyibc.core.numbers import be8
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet.types import Packet

SECOND = 10**9
CHANNEL, FAR, CLIENT, FAR_CLIENT = "channel-0", "channel-7", "07-tendermint-0", "07-tendermint-3"
REFUSED = b'{"error":"ABCI code: 5: error handling packet: see events for details"}'


def context(time_s=1_000):
    stores = {"ibc": MemoryStore(), "ratelimit": MemoryStore()}
    ctx = BlockContext("chain-1", 100, time_s * SECOND, stores)
    ctx.ibc.set(b"nextSequenceSend/ports/transfer/channels/channel-0", be8(1))
    return ctx


def limited(ctx, *, over=CHANNEL, denom="stake", send=10, recv=10, value=100, hours=24):
    """A limit whose thresholds are `send` and `recv` units."""
    made = RateLimit(denom, over, Quota(send, recv, hours), Flow(0, 0, value))
    state.set_limit(ctx, made)
    return made


def flow(ctx, denom="stake", over=CHANNEL):
    inflow, outflow, _ = state.limit(ctx, denom, over).flow
    return inflow, outflow


def entries(ctx):
    """What the store of limits holds; deletes of nothing leave None."""
    return dict(ctx.writes("ratelimit"))


def marks(ctx):
    """The keys of counted packets."""
    return sorted(
        key for key, value in entries(ctx).items() if key[:1] in {b"\0", b"\1"} and value is not None
    )


def mark(kind, over, denom, sequence):
    return kind + f"{over}\0{denom}\0".encode() + be8(sequence)


def data(amount, denom="stake", sender="alice", receiver="bob"):
    return packet_data.encode(packet_data.make(parse_denom(denom), amount, sender, receiver, ""))


def outgoing(what, sequence=1, denom="stake"):
    raw = what if isinstance(what, bytes) else data(what, denom)
    return Packet(sequence, "transfer", CHANNEL, "transfer", FAR, raw, Height(1, 9), 0)


def incoming(what, sequence=1, denom="stake"):
    raw = what if isinstance(what, bytes) else data(what, denom)
    return Packet(sequence, "transfer", FAR, "transfer", CHANNEL, raw, Height(1, 9), 0)


def voucher(denom="stake", over=CHANNEL):
    return parse_denom(f"transfer/{over}/{denom}").coin_denom


class Below:
    """Takes everything, answers with `answer`; counts sequences as core does."""

    def __init__(self):
        self.calls, self.answer = [], AppAcknowledgement(success=True, data=acks.success())

    def send_packet(self, ctx, port_id, channel_id, *_):
        self.calls.append("send")
        path = f"nextSequenceSend/ports/{port_id}/channels/{channel_id}".encode()
        sequence = int.from_bytes(ctx.ibc.get(path), "big")
        ctx.ibc.set(path, be8(sequence + 1))
        return sequence

    def __getattr__(self, name):
        def called(*_):
            self.calls.append(name)
            return self.answer if name == "on_recv_packet" else None

        return called


class Raises:
    """A function that raises one error."""

    def __init__(self, error):
        self.error = error

    def __call__(self, *_given, **_named):
        raise self.error
