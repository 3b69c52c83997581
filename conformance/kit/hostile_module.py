"""Attacks by a hostile module on another module's ports and channels, and the error each must meet.

    for name, attack in ATTACKS.items():
        expect_call_refused(stage, partial(attack.run, attacker), attack.error)

The attacker is a regular module with a port, channels, a handler and a packet sender. `Attacker` also holds
real objects of the victim that it has obtained.
"""

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

from conformance.kit.direct_module import DirectModulePlugin
from conformance.kit.paired_chain import NEVER
from pyibc.core.errors import (
    ChannelNotFound,
    IbcError,
    InvalidRequest,
    InvalidRoute,
    NotPortOwner,
    PortExists,
)
from pyibc.core.height import Height
from pyibc.core.host.context import WriteContext
from pyibc.core.packet.types import Packet
from pyibc.direct.calls import DirectOpening
from pyibc.direct.capability import Capability, OpaquePacket, mint
from pyibc.direct.errors import CapabilityRevoked, InvalidCapability, UnknownOpaquePacket


class Attacker(NamedTuple):
    """Objects that the attacker holds."""

    own: DirectModulePlugin  # its own module, with an open channel
    own_channel: str
    own_closed: str  # its own CLOSED channel, whose capability it retained
    victim: DirectModulePlugin  # used only for its names
    victim_channel: str
    stolen_port: Capability  # objects of the victim, leaked or lent for another purpose
    stolen_channel: Capability
    stolen_packet: OpaquePacket  # a capability of the victim's handler
    next_packet: Packet  # a packet that the victim could send now
    wanted: DirectOpening  # a new channel on the victim's port


class Attack(NamedTuple):
    """An attack, and the error it must be refused with."""

    run: Callable[[Attacker, WriteContext], Any]
    error: type[IbcError]


class DeceptiveText(str):
    """Compares equal to one text and prints as another."""

    __slots__ = ("shown",)
    shown: str

    def __str__(self) -> str:
        return self.shown

    def __format__(self, spec: str) -> str:
        return self.shown

    def encode(self, encoding: str = "utf-8", errors: str = "strict") -> bytes:
        """Encode the printed text."""
        return self.shown.encode(encoding, errors)


def deceptive(compared: str, printed: str) -> DeceptiveText:
    """Return a text that compares as `compared` but is printed into store keys as `printed`."""
    made = DeceptiveText(compared)
    made.shown = printed
    return made


class DeceptivePacket(Packet):
    """A packet with the attacker's port on the first read of its destination, and the victim's after that."""

    asked: ClassVar[set[int]] = set()

    def __getattribute__(self, name: str) -> Any:
        if name != "port_id_on_b" or id(self) in DeceptivePacket.asked:
            return super().__getattribute__(name)
        DeceptivePacket.asked.add(id(self))
        return "scripted"


class DeceptiveHeight(Height):
    """A height that prints as another one, which would poison a cache keyed by its text."""

    def __str__(self) -> str:
        return "1-1"


# -- through its own services


def _send(atk: Attacker, ctx: WriteContext, port: str, channel: str) -> None:
    atk.own.services.sender.send_packet(ctx, port, channel, NEVER, 0, b"stolen")


def _close(atk: Attacker, ctx: WriteContext) -> None:
    atk.own.services.sender.close_channel(ctx, atk.victim.port, atk.victim_channel)


def _answer(atk: Attacker, ctx: WriteContext, packet: Packet) -> None:
    atk.own.services.sender.write_acknowledgement(ctx, packet, b"stolen")


def _incoming(atk: Attacker, kind: type[Packet] = Packet) -> Packet:
    sent = atk.next_packet
    return kind(
        9,
        sent.port_id_on_b,
        sent.channel_id_on_b,
        atk.victim.port,
        atk.victim_channel,
        b"x",
        NEVER,
        0,
    )


def _handler_send(atk: Attacker, ctx: WriteContext, shown: Any, packet: Packet | None = None) -> None:
    atk.own.handler.send_packet(ctx, shown, packet or atk.next_packet)


def _own_send(atk: Attacker, ctx: WriteContext, shown: Any) -> None:
    """Send a packet on the attacker's own channel, with `shown` as the capability."""
    packet = replace(atk.next_packet, port_id_on_a=atk.own.port, channel_id_on_a=atk.own_channel)
    atk.own.handler.send_packet(ctx, shown, packet)


# -- forging


def _blank(_: Attacker) -> Capability:
    return object.__new__(Capability)


def _named(name: str) -> Capability:
    made = object.__new__(Capability)
    object.__setattr__(made, "_name", name)
    return made


def _renamed(atk: Attacker, ctx: WriteContext) -> Capability:
    """Return a capability of the attacker, renamed to that of the channel."""
    other = atk.own.channel(ctx, atk.own_closed)
    object.__setattr__(other, "_name", f"ports/{atk.own.port}/channels/{atk.own_channel}")
    return other


class Impostor:
    """An object that equals everything and claims to be a Capability."""

    __class__ = Capability  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


def _close_own(atk: Attacker, ctx: WriteContext, shown: Any, channel: Any) -> None:
    atk.own.handler.chan_close_init(ctx, shown, atk.own.port, channel)


def _ask(atk: Attacker, ctx: WriteContext, shown: Any, port: str, channel: Any) -> Capability:
    return atk.own.handler.channel_capability(ctx, shown, port, channel)


def _recv(atk: Attacker, ctx: WriteContext, packet: Any, at: Height = NEVER) -> None:
    shown = atk.own.channel(ctx, atk.own_channel)
    atk.own.handler.recv_packet(ctx, shown, packet, b"x", at, b"done")


ATTACKS: dict[str, Attack] = {
    "sends on the victim's channel": Attack(
        lambda atk, ctx: _send(atk, ctx, atk.victim.port, atk.victim_channel),
        NotPortOwner,
    ),
    "sends on a channel that is nobody's": Attack(
        lambda atk, ctx: _send(atk, ctx, atk.victim.port, "nowhere-0"), ChannelNotFound
    ),
    "sends from a port that passes for his own": Attack(
        lambda atk, ctx: _send(atk, ctx, deceptive(atk.own.port, atk.victim.port), atk.victim_channel),
        NotPortOwner,
    ),
    "sends on a channel that passes for his own": Attack(
        lambda atk, ctx: _send(atk, ctx, atk.own.port, deceptive(atk.own_channel, "x/sequences/1")),
        NotPortOwner,
    ),
    "closes the victim's channel": Attack(_close, NotPortOwner),
    "answers the victim's packet": Attack(lambda atk, ctx: _answer(atk, ctx, _incoming(atk)), NotPortOwner),
    "answers with a packet that passes for his own": Attack(
        lambda atk, ctx: _answer(atk, ctx, _incoming(atk, DeceptivePacket)), NotPortOwner
    ),
    "constructs a capability": Attack(lambda *_: Capability(), InvalidCapability),
    "makes an empty one": Attack(lambda atk, ctx: _own_send(atk, ctx, _blank(atk)), InvalidCapability),
    "makes one with the right name": Attack(
        lambda atk, ctx: _own_send(atk, ctx, _named(f"ports/{atk.own.port}/channels/{atk.own_channel}")),
        InvalidCapability,
    ),
    "mints one as the keeper does": Attack(
        lambda atk, ctx: _own_send(atk, ctx, mint(f"ports/{atk.own.port}/channels/{atk.own_channel}")),
        InvalidCapability,
    ),
    "renames one of his own": Attack(
        lambda atk, ctx: _own_send(atk, ctx, _renamed(atk, ctx)), InvalidCapability
    ),
    "shows what is equal to everything": Attack(
        lambda atk, ctx: _own_send(atk, ctx, Impostor()), InvalidCapability
    ),
    "shows the name": Attack(
        lambda atk, ctx: _own_send(atk, ctx, f"ports/{atk.own.port}"), InvalidCapability
    ),
    "shows nothing": Attack(lambda atk, ctx: _own_send(atk, ctx, None), InvalidCapability),
    "shows his port's for a channel's": Attack(
        lambda atk, ctx: _own_send(atk, ctx, atk.own.capability), InvalidCapability
    ),
    "shows a channel's for his port's": Attack(
        lambda atk, ctx: _ask(
            atk,
            ctx,
            atk.own.channel(ctx, atk.own_channel),
            atk.own.port,
            atk.own_channel,
        ),
        InvalidCapability,
    ),
    "changes one": Attack(lambda atk, _: setattr(atk.own.capability, "name", "x"), InvalidCapability),
    "empties one": Attack(lambda atk, _: delattr(atk.stolen_port, "_name"), InvalidCapability),
    "copies one": Attack(lambda atk, _: copy.copy(atk.own.capability), InvalidCapability),
    "copies one deeply": Attack(lambda atk, _: copy.deepcopy([atk.stolen_channel]), InvalidCapability),
    "pickles one": Attack(lambda atk, _: pickle.dumps(atk.stolen_channel), InvalidCapability),
    "shows the victim's own capability": Attack(
        lambda atk, ctx: _handler_send(atk, ctx, atk.stolen_channel), NotPortOwner
    ),
    "shows the victim's for a channel of his": Attack(
        lambda atk, ctx: _own_send(atk, ctx, atk.stolen_channel), InvalidCapability
    ),
    "asks with the victim's port capability": Attack(
        lambda atk, ctx: _ask(atk, ctx, atk.stolen_port, atk.victim.port, atk.victim_channel),
        NotPortOwner,
    ),
    "asks for another's channel with his own": Attack(
        lambda atk, ctx: _ask(atk, ctx, atk.own.capability, atk.victim.port, atk.victim_channel),
        NotPortOwner,
    ),
    "asks for a channel that is not there": Attack(
        lambda atk, ctx: _ask(atk, ctx, atk.own.capability, atk.own.port, "nowhere-0"),
        ChannelNotFound,
    ),
    "asks for a channel by a lying name": Attack(
        lambda atk, ctx: _ask(atk, ctx, atk.own.capability, atk.own.port, deceptive(atk.own_channel, "x")),
        InvalidCapability,
    ),
    "opens a channel of the victim's port": Attack(
        lambda atk, ctx: atk.own.handler.chan_open_init(ctx, atk.own.capability, atk.wanted),
        NotPortOwner,
    ),
    "opens one with the stolen capability": Attack(
        lambda atk, ctx: atk.own.handler.chan_open_init(ctx, atk.stolen_port, atk.wanted),
        NotPortOwner,
    ),
    "opens one of a port that passes for his own": Attack(
        lambda atk, ctx: atk.own.handler.chan_open_init(
            ctx,
            atk.own.capability,
            atk.wanted._replace(port_id=deceptive(atk.own.port, atk.victim.port)),
        ),
        InvalidRequest,
    ),
    "takes the victim's port": Attack(lambda atk, _: atk.own.handler.bind_port(atk.victim.port), PortExists),
    "binds a port of the running chain": Attack(
        lambda atk, _: atk.own.handler.bind_port("one-more"), InvalidRoute
    ),
    "binds a port that lies": Attack(
        lambda atk, _: atk.own.handler.bind_port(deceptive("one-more", atk.victim.port)),
        NotPortOwner,
    ),
    "uses one after the close": Attack(
        lambda atk, ctx: _close_own(atk, ctx, atk.own.channel(ctx, atk.own_closed), atk.own_closed),
        CapabilityRevoked,
    ),
    "asks for one after the close": Attack(
        lambda atk, ctx: _ask(atk, ctx, atk.own.capability, atk.own.port, atk.own_closed),
        CapabilityRevoked,
    ),
    "receives an opaque packet of the victim's handler": Attack(
        lambda atk, ctx: _recv(atk, ctx, atk.stolen_packet), UnknownOpaquePacket
    ),
    "receives an opaque packet of his own making": Attack(
        lambda atk, ctx: _recv(atk, ctx, OpaquePacket()), UnknownOpaquePacket
    ),
    "copies an opaque packet": Attack(lambda atk, _: copy.copy(atk.stolen_packet), InvalidCapability),
    "receives at a height that lies": Attack(
        lambda atk, ctx: _recv(atk, ctx, atk.next_packet, DeceptiveHeight(1, 10)),
        InvalidRequest,
    ),
}
"""Attacks by name; none of them changes the store."""
