"""Services for applications: packet senders, bank, accounts, messages, addresses (ICS-4, ICS-20)."""

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from google.protobuf.message import Message

from pyibc.codec.budget import Budget
from pyibc.core.address import Address, AddressCodec
from pyibc.core.application.v2 import PacketSenderV2
from pyibc.core.coin import Coin
from pyibc.core.height import Height
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.packet.types import Packet
from pyibc.core.value import sealed
from pyibc.core.wire.any_message import AnyMessage

if TYPE_CHECKING:  # a host without direct calls does not load their modules
    from pyibc.direct.calls import DirectHandler


class PacketSender(Protocol):
    """Functions of ICS-4 that an application calls; middleware may wrap them."""

    def send_packet(
        self,
        ctx: WriteContext,
        port_id: str,
        channel_id: str,
        timeout_height_on_b: Height,
        timeout_ns_on_b: int,
        data: bytes,
    ) -> int:
        """Send a packet and return its sequence."""

    def write_acknowledgement(self, ctx: WriteContext, packet: Packet, acknowledgement: bytes) -> None:
        """Write the acknowledgement of a packet for which `on_recv_packet` returned None."""

    def close_channel(self, ctx: WriteContext, port_id: str, channel_id: str) -> None:
        """Close the application's end of a channel."""


class Bank(Protocol):
    """Coins of the host chain for ICS-20; emits the host's events."""

    def send(self, ctx: WriteContext, sender: Address, receiver: Address, amount: Coin) -> None:
        """Move coins; raises `InsufficientBalance`."""

    def mint(self, ctx: WriteContext, module: Address, amount: Coin) -> None:
        """Mint coins in a module account; raises `LogicFault` if the supply would reach 2^256."""

    def burn(self, ctx: WriteContext, module: Address, amount: Coin) -> None:
        """Burn coins of a module account."""

    def balance(self, ctx: ReadContext, address: bytes, denom: str) -> int:
        """Return the balance of an account in `denom`."""

    def supply(self, ctx: ReadContext, denom: str) -> int:
        """Return the total supply of `denom`."""

    def is_blocked(self, address: bytes) -> bool:
        """Return whether the account must not receive coins, as module accounts."""

    def is_send_enabled(self, ctx: ReadContext, denom: str) -> bool:
        """Return whether transfers of `denom` are enabled."""


class Account(Protocol):
    """One account of the host chain."""

    @property
    def number(self) -> int:
        """Unique account number, in order of creation."""

    @property
    def sequence(self) -> int:
        """Sequence of the account's next transaction; unused by module accounts."""

    @property
    def module(self) -> str:
        """Name of the module of a module account; "" for an account with a key."""

    @property
    def owner(self) -> str:
        """Controller port of an interchain account; "" for other accounts."""


class Accounts(Protocol):
    """Accounts of the host chain for interchain accounts."""

    def get(self, ctx: ReadContext, address: bytes) -> Account | None:
        """Return the account at `address`; None if there is none."""

    def create(self, ctx: WriteContext, address: Address, module: str = "", owner: str = "") -> Account:
        """Create an account: a module account if `module` is given, else one without a public key yet.

        With an `owner`, it is an interchain account of that controller port.

        Raises:
            InvalidSdkRequest: the account exists; nothing is written.
        """


@sealed
class DecodedMessage(NamedTuple):
    """A message decoded by `Messages.decode`, to be passed to the other methods unchanged."""

    type_url: str
    content: Any  # value of the message's route, opaque to applications


class Messages(Protocol):
    """The chain's message router, for applications that execute messages: interchain accounts, GMP.

    It does not authorize: the application compares `signers` with the account for which it acts. Writes of
    a message that raises an error are not reverted; the caller executes in a branch.

    The errors in `NO_VERDICT` are no results of a message: they fail the transaction and must not become an
    acknowledgement.
    """

    def decode(self, packed: AnyMessage, budget: Budget) -> DecodedMessage:
        """Decode a message as the SDK unpacks an Any, dropping unknown fields.

        The stateless checks are made by `deliver`, so that the signers can be compared first, as in ibc-go.
        `budget` is shared by everything decoded from one packet: `Budget(len(data))`.

        Raises:
            UnknownMessage: no plugin handles the message type.
            TxDecode: the bytes are malformed, or the budget is exhausted.
            IbcError: the message fails its checks, if its plugin decodes and checks in one step.
        """

    def wire(self, type_url: str) -> type[Message]:
        """Return the protobuf class of a message type, for parsing its JSON.

        Raises:
            UnknownMessage: no plugin handles the message type, or it has no protobuf class.
        """

    def signers(self, message: DecodedMessage) -> tuple[bytes, ...]:
        """Return the raw addresses of the required signers.

        Raises:
            IbcError: a signer is no address of this chain.
        """

    def deliver(self, ctx: WriteContext, message: DecodedMessage) -> AnyMessage:
        """Check the message (ValidateBasic), execute it and return the response.

        Raises:
            IbcError: the message's own error.
            InvalidRequest: messages that execute messages are nested deeper than 32 levels.
        """

    def execute(self, ctx: WriteContext, message: DecodedMessage) -> AnyMessage:
        """Execute a message that the application created itself, and return the response.

        As `deliver`, but without the stateless checks (ValidateBasic).

        Raises:
            IbcError, InvalidRequest: as `deliver`.
        """

    def query(self, ctx: ReadContext, path: str, request: bytes) -> bytes:
        """Execute a gRPC query by its path in the current block, and return the response's bytes.

        Raises:
            UnknownRequest: no plugin serves `path`.
            IbcError: the query's own error.
        """


@sealed
class Services(NamedTuple):
    """Services passed to a plugin's application when it is created.

    Senders and `direct` act for the ports that the plugin registers and for no others. They are
    capabilities: to the module, their caller is the application (docs/adr/0013).
    """

    sender: PacketSender
    bank: Bank | None  # None: the host has no bank
    addresses: AddressCodec
    authority: str  # address that may change parameters
    sender_v2: PacketSenderV2
    messages: Messages
    direct: "DirectHandler | None" = (
        None  # for modules that call the handlers directly; None: the host has no DirectPlugin
    )
    accounts: Accounts | None = None  # None: the host has none
