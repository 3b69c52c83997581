"""A hostile application: every way it may try to act for what is not its own, and what must come of each.

    for name, attack in ATTACKS.items():
        expect_call_refused(stage, partial(attack.run, loot), attack.error)

The attacker is a module like any other: he owns a port and channels, and holds a handler and senders.
Whatever else he got hold of is his `Loot`, real objects of his victim's among it.
"""

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from conformance.kit.module import ModulePlugin
from conformance.kit.side import NEVER
from ibc_core.direct.calls import Opening
from ibc_core.direct.capability import Capability, mint
from ibc_core.direct.opaque import OpaquePacket
from ibc_core.errors import ChannelNotFound, IbcError, InvalidRequest, InvalidRoute, NotPortOwner, PortExists
from ibc_core.errors.direct import CapabilityRevoked, InvalidCapability, UnknownOpaquePacket
from ibc_core.height import Height
from ibc_core.host.context import WriteContext
from ibc_core.packet.types import Packet


class Loot(NamedTuple):
    """What the attacker has in his hands."""

    own: ModulePlugin  # his own module, with an open channel
    own_channel: str
    own_closed: str  # a channel of his that is CLOSED; he kept its capability
    victim: ModulePlugin  # of which he uses only what is named here
    victim_channel: str
    stolen_port: Capability  # the victim's own objects: leaked, or lent for another purpose
    stolen_channel: Capability
    stolen_packet: OpaquePacket  # of the victim's handler
    next_packet: Packet  # that the victim could send now
    wanted: Opening  # a channel of the victim's port


class Attack(NamedTuple):
    """One way, and the refusal it must meet."""

    run: Callable[[Loot, WriteContext], Any]
    error: type[IbcError]


class LyingText(str):
    """Is the attacker's own port wherever it is compared, and the victim's where it is printed."""

    __slots__ = ("shown",)
    shown: str

    def __str__(self) -> str:
        return self.shown

    def __format__(self, spec: str) -> str:
        return self.shown

    def encode(self, encoding: str = "utf-8", errors: str = "strict") -> bytes:
        """The other text."""
        return self.shown.encode(encoding, errors)


def lying(compared: str, printed: str) -> LyingText:
    """A text that is one thing to a comparison and another to a store key."""
    made = LyingText(compared)
    made.shown = printed
    return made


class LyingPacket(Packet):
    """Came to the attacker's port when it is first asked, and to the victim's from then on."""

    __slots__ = ("asked",)

    def __getattribute__(self, name: str) -> Any:
        if name != "port_id_on_b":
            return super().__getattribute__(name)
        try:
            return super().__getattribute__("asked")
        except AttributeError:
            self.asked = super().__getattribute__("port_id_on_b")
            return "scripted"


class LyingHeight(Height):
    """Another height where it is printed: what is remembered by it would be spoilt for others."""

    def __str__(self) -> str:
        return "1-1"


# -- through what he was given


def _send(loot: Loot, ctx: WriteContext, port: str, channel: str) -> None:
    loot.own.services.sender.send_packet(ctx, port, channel, NEVER, 0, b"stolen")


def _close(loot: Loot, ctx: WriteContext) -> None:
    loot.own.services.sender.close_channel(ctx, loot.victim.port, loot.victim_channel)


def _answer(loot: Loot, ctx: WriteContext, packet: Packet) -> None:
    loot.own.services.sender.write_acknowledgement(ctx, packet, b"stolen")


def _incoming(loot: Loot, kind: type[Packet] = Packet) -> Packet:
    sent = loot.next_packet
    return kind(
        9,
        sent.port_id_on_b,
        sent.channel_id_on_b,
        loot.victim.port,
        loot.victim_channel,
        b"x",
        NEVER,
        0,
    )


def _handler_send(loot: Loot, ctx: WriteContext, shown: Any, packet: Packet | None = None) -> None:
    loot.own.handler.send_packet(ctx, shown, packet or loot.next_packet)


def _own_send(loot: Loot, ctx: WriteContext, shown: Any) -> None:
    """A packet of his own, with whatever he shows for a capability."""
    packet = replace(loot.next_packet, port_id_on_a=loot.own.port, channel_id_on_a=loot.own_channel)
    loot.own.handler.send_packet(ctx, shown, packet)


# -- forging


def _blank(_: Loot) -> Capability:
    return object.__new__(Capability)


def _named(name: str) -> Capability:
    made = object.__new__(Capability)
    object.__setattr__(made, "_name", name)
    return made


def _renamed(loot: Loot, ctx: WriteContext) -> Capability:
    """His own port's capability, under the name of the channel's."""
    other = loot.own.channel(ctx, loot.own_closed)
    object.__setattr__(other, "_name", f"ports/{loot.own.port}/channels/{loot.own_channel}")
    return other


class Impostor:
    """Claims to be equal to everything and of every class."""

    __class__ = Capability  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


def _close_own(loot: Loot, ctx: WriteContext, shown: Any, channel: Any) -> None:
    loot.own.handler.chan_close_init(ctx, shown, loot.own.port, channel)


def _ask(loot: Loot, ctx: WriteContext, shown: Any, port: str, channel: Any) -> Capability:
    return loot.own.handler.channel_capability(ctx, shown, port, channel)


def _recv(loot: Loot, ctx: WriteContext, packet: Any, at: Height = NEVER) -> None:
    shown = loot.own.channel(ctx, loot.own_channel)
    loot.own.handler.recv_packet(ctx, shown, packet, b"x", at, b"done")


ATTACKS: dict[str, Attack] = {
    "sends on the victim's channel": Attack(
        lambda loot, ctx: _send(loot, ctx, loot.victim.port, loot.victim_channel), NotPortOwner
    ),
    "sends on a channel that is nobody's": Attack(
        lambda loot, ctx: _send(loot, ctx, loot.victim.port, "nowhere-0"), ChannelNotFound
    ),
    "sends from a port that passes for his own": Attack(
        lambda loot, ctx: _send(loot, ctx, lying(loot.own.port, loot.victim.port), loot.victim_channel),
        NotPortOwner,
    ),
    "sends on a channel that passes for his own": Attack(
        lambda loot, ctx: _send(loot, ctx, loot.own.port, lying(loot.own_channel, "x/sequences/1")),
        NotPortOwner,
    ),
    "closes the victim's channel": Attack(_close, NotPortOwner),
    "answers the victim's packet": Attack(
        lambda loot, ctx: _answer(loot, ctx, _incoming(loot)), NotPortOwner
    ),
    "answers with a packet that passes for his own": Attack(
        lambda loot, ctx: _answer(loot, ctx, _incoming(loot, LyingPacket)), NotPortOwner
    ),
    "constructs a capability": Attack(lambda *_: Capability(), InvalidCapability),
    "makes an empty one": Attack(lambda loot, ctx: _own_send(loot, ctx, _blank(loot)), InvalidCapability),
    "makes one with the right name": Attack(
        lambda loot, ctx: _own_send(loot, ctx, _named(f"ports/{loot.own.port}/channels/{loot.own_channel}")),
        InvalidCapability,
    ),
    "mints one as the keeper does": Attack(
        lambda loot, ctx: _own_send(loot, ctx, mint(f"ports/{loot.own.port}/channels/{loot.own_channel}")),
        InvalidCapability,
    ),
    "renames one of his own": Attack(
        lambda loot, ctx: _own_send(loot, ctx, _renamed(loot, ctx)), InvalidCapability
    ),
    "shows what is equal to everything": Attack(
        lambda loot, ctx: _own_send(loot, ctx, Impostor()), InvalidCapability
    ),
    "shows the name": Attack(
        lambda loot, ctx: _own_send(loot, ctx, f"ports/{loot.own.port}"), InvalidCapability
    ),
    "shows nothing": Attack(lambda loot, ctx: _own_send(loot, ctx, None), InvalidCapability),
    "shows his port's for a channel's": Attack(
        lambda loot, ctx: _own_send(loot, ctx, loot.own.capability), InvalidCapability
    ),
    "shows a channel's for his port's": Attack(
        lambda loot, ctx: _ask(
            loot, ctx, loot.own.channel(ctx, loot.own_channel), loot.own.port, loot.own_channel
        ),
        InvalidCapability,
    ),
    "changes one": Attack(lambda loot, _: setattr(loot.own.capability, "name", "x"), InvalidCapability),
    "empties one": Attack(lambda loot, _: delattr(loot.stolen_port, "_name"), InvalidCapability),
    "copies one": Attack(lambda loot, _: copy.copy(loot.own.capability), InvalidCapability),
    "copies one deeply": Attack(lambda loot, _: copy.deepcopy([loot.stolen_channel]), InvalidCapability),
    "pickles one": Attack(lambda loot, _: pickle.dumps(loot.stolen_channel), InvalidCapability),
    "shows the victim's own capability": Attack(
        lambda loot, ctx: _handler_send(loot, ctx, loot.stolen_channel), NotPortOwner
    ),
    "shows the victim's for a channel of his": Attack(
        lambda loot, ctx: _own_send(loot, ctx, loot.stolen_channel), InvalidCapability
    ),
    "asks with the victim's port capability": Attack(
        lambda loot, ctx: _ask(loot, ctx, loot.stolen_port, loot.victim.port, loot.victim_channel),
        NotPortOwner,
    ),
    "asks for another's channel with his own": Attack(
        lambda loot, ctx: _ask(loot, ctx, loot.own.capability, loot.victim.port, loot.victim_channel),
        NotPortOwner,
    ),
    "asks for a channel that is not there": Attack(
        lambda loot, ctx: _ask(loot, ctx, loot.own.capability, loot.own.port, "nowhere-0"),
        ChannelNotFound,
    ),
    "asks for a channel by a lying name": Attack(
        lambda loot, ctx: _ask(loot, ctx, loot.own.capability, loot.own.port, lying(loot.own_channel, "x")),
        InvalidCapability,
    ),
    "opens a channel of the victim's port": Attack(
        lambda loot, ctx: loot.own.handler.chan_open_init(ctx, loot.own.capability, loot.wanted),
        NotPortOwner,
    ),
    "opens one with the stolen capability": Attack(
        lambda loot, ctx: loot.own.handler.chan_open_init(ctx, loot.stolen_port, loot.wanted), NotPortOwner
    ),
    "opens one of a port that passes for his own": Attack(
        lambda loot, ctx: loot.own.handler.chan_open_init(
            ctx, loot.own.capability, loot.wanted._replace(port_id=lying(loot.own.port, loot.victim.port))
        ),
        InvalidRequest,
    ),
    "takes the victim's port": Attack(
        lambda loot, _: loot.own.handler.bind_port(loot.victim.port), PortExists
    ),
    "binds a port of the running chain": Attack(
        lambda loot, _: loot.own.handler.bind_port("one-more"), InvalidRoute
    ),
    "binds a port that lies": Attack(
        lambda loot, _: loot.own.handler.bind_port(lying("one-more", loot.victim.port)), NotPortOwner
    ),
    "uses one after the close": Attack(
        lambda loot, ctx: _close_own(loot, ctx, loot.own.channel(ctx, loot.own_closed), loot.own_closed),
        CapabilityRevoked,
    ),
    "asks for one after the close": Attack(
        lambda loot, ctx: _ask(loot, ctx, loot.own.capability, loot.own.port, loot.own_closed),
        CapabilityRevoked,
    ),
    "receives an opaque packet of the victim's handler": Attack(
        lambda loot, ctx: _recv(loot, ctx, loot.stolen_packet), UnknownOpaquePacket
    ),
    "receives an opaque packet of his own making": Attack(
        lambda loot, ctx: _recv(loot, ctx, OpaquePacket()), UnknownOpaquePacket
    ),
    "copies an opaque packet": Attack(lambda loot, _: copy.copy(loot.stolen_packet), InvalidCapability),
    "receives at a height that lies": Attack(
        lambda loot, ctx: _recv(loot, ctx, loot.next_packet, LyingHeight(1, 10)), InvalidRequest
    ),
}
"""Name -> attack; in each the store stays as it was."""
