"""What an application on a channel is, and what it may ask of the module (ICS-26, ICS-30).

Applications and middleware implement `IbcApp`; the same Protocol is what middleware calls below itself.
"""

from typing import NamedTuple, Protocol

from ibc_core.address import Address, AddressCodec
from ibc_core.application.v2 import PacketSenderV2
from ibc_core.channel.types import ChannelCounterparty, Order
from ibc_core.coin import Coin
from ibc_core.direct.calls import Ics4Handler
from ibc_core.height import Height
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.packet.types import Packet


class AppAcknowledgement(NamedTuple):
    """What an application answers to a packet."""

    success: bool  # False: the application's writes are undone
    data: bytes  # what is committed and sent back to chain A


class IbcApp(Protocol):
    """One application. A raised `IbcError` refuses the handshake step, or fails the transaction."""

    def on_chan_open_init(
        self,
        ctx: WriteContext,
        order: Order,
        connection_id: str,
        port_id: str,
        channel_id: str,
        counterparty: ChannelCounterparty,
        version: str,
    ) -> str:
        """Chain A opens; returns the version to propose."""

    def on_chan_open_try(
        self,
        ctx: WriteContext,
        order: Order,
        connection_id: str,
        port_id: str,
        channel_id: str,
        counterparty: ChannelCounterparty,
        counterparty_version: str,
    ) -> str:
        """Chain B opens; returns the version it settles on."""

    def on_chan_open_ack(
        self,
        ctx: WriteContext,
        port_id: str,
        channel_id: str,
        counterparty_channel_id: str,
        counterparty_version: str,
    ) -> None:
        """Chain A's end is OPEN now."""

    def on_chan_open_confirm(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Chain B's end is OPEN now."""

    def on_chan_close_init(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Somebody asks to close this end; raise to refuse."""

    def on_chan_close_confirm(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """The other end is CLOSED."""

    def on_recv_packet(
        self, ctx: WriteContext, channel_version: str, packet: Packet, relayer: Address
    ) -> AppAcknowledgement | None:
        """Chain B executes a packet, in a branch; None: the acknowledgement comes later."""

    def on_acknowledgement_packet(
        self,
        ctx: WriteContext,
        channel_version: str,
        packet: Packet,
        acknowledgement: bytes,
        relayer: Address,
    ) -> None:
        """Chain A learns the answer; the packet's commitment is gone already."""

    def on_timeout_packet(
        self, ctx: WriteContext, channel_version: str, packet: Packet, relayer: Address
    ) -> None:
        """Chain A takes the packet back; its commitment is gone already."""


class AppWithCleanup(IbcApp, Protocol):
    """An application that lets others clean up its received packets by message (`MsgCleanupPacket`)."""

    def on_cleanup_packet(
        self,
        ctx: WriteContext,
        channel_version: str,
        packet: Packet,
        acknowledgement: bytes,
        relayer: Address,
    ) -> None:
        """Chain B received the packet, and nobody will say more about it; raise to refuse.

        `acknowledgement` is B's answer on an unordered channel, b"" on an ordered one.
        """


class PacketSender(Protocol):
    """What the module does for an application (ICS-4). Middleware may stand in between."""

    def send_packet(
        self,
        ctx: WriteContext,
        port_id: str,
        channel_id: str,
        timeout_height_on_b: Height,
        timeout_ns_on_b: int,
        data: bytes,
    ) -> int:
        """Sends a packet; returns its sequence."""

    def write_acknowledgement(self, ctx: WriteContext, packet: Packet, acknowledgement: bytes) -> None:
        """Answers a packet whose `on_recv_packet` returned None."""

    def close_channel(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Closes the application's own end of a channel."""


class Bank(Protocol):
    """Coins of the host chain, as ICS-20 needs them. Emits the host's own events."""

    def send(self, ctx: WriteContext, sender: Address, receiver: Address, amount: Coin) -> None:
        """Moves coins; raises `InsufficientBalance` where they are not there."""

    def mint(self, ctx: WriteContext, module: Address, amount: Coin) -> None:
        """Makes coins in a module's account."""

    def burn(self, ctx: WriteContext, module: Address, amount: Coin) -> None:
        """Destroys coins of a module's account."""

    def balance(self, ctx: ReadContext, address: bytes, denom: str) -> int:
        """What an account holds of `denom`."""

    def is_blocked(self, address: bytes) -> bool:
        """Whether the account may not receive coins (module accounts)."""

    def is_send_enabled(self, ctx: ReadContext, denom: str) -> bool:
        """Whether `denom` may be moved by its holders."""


class Services(NamedTuple):
    """What an application is given when it is made, each plugin its own.

    Senders and handler act for the ports that the plugin registers and for no others: whoever holds them
    is the application, as far as the module is concerned (docs/adr/0013).
    """

    sender: PacketSender
    bank: Bank | None  # None: the host has no coins
    addresses: AddressCodec
    authority: str  # who may change parameters
    sender_v2: PacketSenderV2
    ics4: Ics4Handler  # for modules that call the handler themselves
