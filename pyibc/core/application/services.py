"""Ports and their owners (ICS-5), and the services that applications are given.

A prefix matches every port that begins with it, as `icacontroller-` does for interchain accounts. An entry
for a port identifier takes precedence over its prefix. Prefixes do not overlap, so at most one matches (as
in ibc-go's router, modules/core/api/router.go).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from google.protobuf.message import Message

from pyibc.codec.anys import AnyMessage
from pyibc.codec.budget import Budget
from pyibc.core.address import Address, AddressCodec
from pyibc.core.application.v2 import PacketSenderV2
from pyibc.core.coin import Coin
from pyibc.core.height import Height
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.identifiers import validate_port_id
from pyibc.core.packet.types import Packet
from pyibc.core.value import sealed

if TYPE_CHECKING:  # a host without direct calls does not load their modules
    from pyibc.direct.handlers.handler import DirectHandler


_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class PortPrefix:
    """Every port whose identifier begins with `text`."""

    text: str

    def __str__(self) -> str:
        return f"{self.text}*"


PortKey = str | PortPrefix
"""A port identifier or a prefix of port identifiers."""


def validate_port_key(key: PortKey) -> None:
    """Check a port identifier or a prefix, which must be a valid port identifier itself (ICS-24).

    Raises:
        InvalidIdentifier: the identifier or prefix is malformed.
    """
    validate_port_id(key.text if isinstance(key, PortPrefix) else key)


class PortOwner:
    """Capability of one plugin for its ports: code with this object acts for them.

    A middleware owns the port or prefix that it is registered for.
    """

    __slots__ = ("_ports", "_prefixes", "name")

    def __init__(self, name: str, *keys: PortKey) -> None:
        """Create the owner of `keys`; `name` is the plugin's, for error messages."""
        self.name = name
        self._ports: set[str] = set()
        self._prefixes: tuple[str, ...] = ()
        for key in keys:
            self.add(key)

    def add(self, key: PortKey) -> None:
        """Add a port, or all ports of a prefix."""
        if isinstance(key, PortPrefix):
            self._prefixes = (*self._prefixes, key.text)
        else:
            self._ports.add(key)

    def holds(self, port_id: str) -> bool:
        """Return whether the owner has the port; False for a subclass of `str`, which might lie."""
        return type(port_id) is str and (port_id in self._ports or port_id.startswith(self._prefixes))


class PortTable(Generic[_T]):
    """Immutable table of entries by port identifier and by prefix."""

    def __init__(self, entries: Mapping[PortKey, _T]) -> None:
        """Create the table; the caller has checked that prefixes do not overlap."""
        self._by_port = {key: entry for key, entry in entries.items() if not isinstance(key, PortPrefix)}
        self._by_prefix = [(key.text, entry) for key, entry in entries.items() if isinstance(key, PortPrefix)]

    def find(self, port_id: str) -> _T | None:
        """Return the entry of the port, or else of its prefix; None if there is neither."""
        found = self._by_port.get(port_id)
        return self._below_prefix(port_id) if found is None else found

    def _below_prefix(self, port_id: str) -> _T | None:
        for prefix, entry in self._by_prefix:
            if port_id.startswith(prefix):
                return entry
        return None


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
