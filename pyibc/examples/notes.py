"""Example of a module that calls the handler itself: notes over a channel of a chosen name.

A chain lists `DirectPlugin()` and `NotesPlugin()` (docs/queue-protocol.md). The message `/notes.Step` opens a
channel, sends a note, and proves what the other chain did.
"""

from collections.abc import Mapping, Sequence

import msgspec

from pyibc import (
    AtWiring,
    ChannelCounterparty,
    Height,
    IbcApp,
    MessageRoute,
    Order,
    Packet,
    Services,
    WriteContext,
    hookimpl,
)
from pyibc.apps import json_route
from pyibc.direct import Capability, DirectHandler, DirectOpening
from pyibc.errors import InvalidRequest

PORT, STORE, VERSION, STEP = "notes", "notes", "notes-1", "/notes.Step"


class Step(msgspec.Struct, frozen=True):
    """One message for all steps; a real module has one for each."""

    signer: str
    name: str
    connection: str
    own: str  # the channel's name here
    far: str  # and there
    text: str = ""
    sequence: int = 1
    proof: str = ""  # hexadecimal
    height: int = 0  # of the other chain, whose header the proof leads to


class NotesPlugin:
    """Binds the port and routes the message; there is no application, direct calls only."""

    services = AtWiring[Services]()
    handler = AtWiring[DirectHandler]()
    port = AtWiring[Capability]()

    @hookimpl
    def chain_stores(self) -> Sequence[str]:
        """Declare the store."""
        return (STORE,)

    @hookimpl
    def ibc_register_apps(self, services: Services) -> Mapping[str, IbcApp]:
        """Bind the port, and register no application on it.

        Raises:
            ValueError: the chain does not list DirectPlugin.
        """
        if services.direct is None:
            raise ValueError("direct calls need the plugin DirectPlugin")
        self.services, self.handler = services, services.direct
        self.port = self.handler.bind_port(PORT)
        return {}

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """Route the message."""
        return {STEP: json_route(STEP, Step, self.services.addresses, self.step)}

    def step(self, ctx: WriteContext, msg: Step) -> bytes:
        """Perform one step of a channel's life. Raises InvalidRequest: there is no such step."""
        handler, proven = self.handler, (bytes.fromhex(msg.proof), Height(1, msg.height))
        far = ChannelCounterparty(PORT, msg.far)
        opening = DirectOpening(PORT, msg.own, Order.ORDERED, (msg.connection,), far, VERSION)
        if msg.name == "open":
            handler.chan_open_init(ctx, self.port, opening)
            return b""
        if msg.name == "answer":
            handler.chan_open_try(ctx, self.port, opening, VERSION, *proven)
            return b""
        channel = handler.channel_capability(ctx, self.port, PORT, msg.own)
        name, data, until = (PORT, msg.own), msg.text.encode(), Height(1, 10**6)
        sent = Packet(msg.sequence, *name, PORT, msg.far, data, until, 0)
        got = Packet(msg.sequence, PORT, msg.far, *name, data, until, 0)
        match msg.name:
            case "acknowledge the opening":
                handler.chan_open_ack(ctx, channel, *name, (msg.far, VERSION), *proven)
            case "confirm the opening":
                handler.chan_open_confirm(ctx, channel, *name, *proven)
            case "send":
                handler.send_packet(ctx, channel, sent)
            case "receive":  # proves it, marks it as received, writes the answer
                packet = handler.recv_packet(ctx, channel, got, *proven, b"noted")
                ctx.store(STORE).set(b"last", packet.data)
            case "close":  # the answer is proven: the commitment is gone, once
                handler.acknowledge_packet(ctx, channel, sent, b"noted", *proven)
            case other:
                raise InvalidRequest(f"no step {other!a}")
        return b""
