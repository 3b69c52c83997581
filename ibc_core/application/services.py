"""What the module and the host do for an application: senders, coins, addresses (ICS-4, ICS-20)."""

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from google.protobuf.message import Message

from ibc_core.address import Address, AddressCodec
from ibc_core.any_message import AnyMessage
from ibc_core.application.v2 import PacketSenderV2
from ibc_core.coin import Coin
from ibc_core.height import Height
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.packet.types import Packet
from ibc_core.value import sealed
from ibc_core.wire.budget import Budget

if TYPE_CHECKING:  # a host without direct calls loads none of their modules
    from ibc_core.direct.calls import DirectHandler


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
        """Makes coins in a module's account; raises `LogicFault` where there would be 2^256 and more."""

    def burn(self, ctx: WriteContext, module: Address, amount: Coin) -> None:
        """Destroys coins of a module's account."""

    def balance(self, ctx: ReadContext, address: bytes, denom: str) -> int:
        """What an account holds of `denom`."""

    def supply(self, ctx: ReadContext, denom: str) -> int:
        """How much of `denom` there is on the chain."""

    def is_blocked(self, address: bytes) -> bool:
        """Whether the account may not receive coins (module accounts)."""

    def is_send_enabled(self, ctx: ReadContext, denom: str) -> bool:
        """Whether `denom` may be moved by its holders."""


class Account(Protocol):
    """One account of the host chain."""

    @property
    def number(self) -> int:
        """Given in the order in which accounts are made, never again."""

    @property
    def sequence(self) -> int:
        """What the account's next transaction must carry; a module's sends none."""

    @property
    def module(self) -> str:
        """Whose account it is, where no key signs for it; "" for an account with a key."""

    @property
    def owner(self) -> str:
        """The controller's port, of an interchain account; "" for any other."""


class Accounts(Protocol):
    """Accounts of the host chain, as interchain accounts need them."""

    def get(self, ctx: ReadContext, address: bytes) -> Account | None:
        """The account at `address`, None where there is none."""

    def create(self, ctx: WriteContext, address: Address, module: str = "", owner: str = "") -> Account:
        """Makes the account of `address`: of a module called `module`, or with a key that is not known yet.

        With an `owner` it is an interchain account, of that controller's port.

        Raises:
            InvalidSdkRequest: there is one; nothing is written.
        """


@sealed
class DecodedMessage(NamedTuple):
    """A message that `Messages.decode` made, to be handed back as it is."""

    type_url: str
    content: Any  # its route's own; another's to look into


class Messages(Protocol):
    """The chain's messages, for applications that execute them for others: interchain accounts, GMP.

    Nothing here asks who may: the application compares `signers` with whom it acts for. An error that a
    message raises leaves what it wrote before: the caller executes in a branch.

    The errors of `NO_VERDICT` say nothing of a message: they fail the transaction, and nobody answers a
    packet with them.
    """

    def decode(self, packed: AnyMessage, budget: Budget) -> DecodedMessage:
        """Reads a message as the SDK unpacks an Any: fields that the message does not have are dropped.

        What it says is not checked yet (`deliver` does), so that its signers can be asked for first, as
        ibc-go does. `budget` counts for everything that is read from one packet: `Budget(len(data))`.

        Raises:
            UnknownMessage: no plugin handles such messages.
            TxDecode: its bytes are malformed, or the budget is spent.
            IbcError: it does not pass its checks, where its plugin cannot tell them from reading.
        """

    def wire(self, type_url: str) -> type[Message]:
        """The protobuf class of a type of messages, by which its JSON is read.

        Raises:
            UnknownMessage: no plugin handles such messages, or they are no protobuf.
        """

    def signers(self, message: DecodedMessage) -> tuple[bytes, ...]:
        """Raw addresses that must have signed it.

        Raises:
            IbcError: one is no address of this chain.
        """

    def deliver(self, ctx: WriteContext, message: DecodedMessage) -> AnyMessage:
        """Checks the message (ValidateBasic) and executes it; returns the response.

        Raises:
            IbcError: the message's own error.
            InvalidRequest: messages execute messages deeper than 32 of them.
        """

    def execute(self, ctx: WriteContext, message: DecodedMessage) -> AnyMessage:
        """Executes a message that the application made itself and vouches for; returns the response.

        As `deliver`, but for the stateless checks (ValidateBasic), which nobody makes then.

        Raises:
            IbcError, InvalidRequest: as `deliver`.
        """

    def query(self, ctx: ReadContext, path: str, request: bytes) -> bytes:
        """Asks a query of the chain by its gRPC path, in the block under way; returns the response's bytes.

        Raises:
            UnknownRequest: no plugin answers `path`.
            IbcError: the query's own error.
        """


@sealed
class Services(NamedTuple):
    """What an application is given when it is made, each plugin its own.

    Senders and `direct` act for the ports that the plugin registers and for no others: whoever holds them
    is the application, as far as the module is concerned (docs/adr/0013).
    """

    sender: PacketSender
    bank: Bank | None  # None: the host has no coins
    addresses: AddressCodec
    authority: str  # who may change parameters
    sender_v2: PacketSenderV2
    messages: Messages
    direct: "DirectHandler | None" = (
        None  # for modules that call the handlers themselves; None: the host lists no DirectPlugin
    )
    accounts: Accounts | None = None  # None: the host offers none
