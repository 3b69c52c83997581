"""The host's coins, accounts and messages as applications are given them.

The host's own context stands behind an application's, and nothing but exact types passes. Messages are
executed with the application's own context where that may not execute any.
"""

from google.protobuf.message import Message

from ibc_core.address import Address
from ibc_core.any_message import AnyMessage
from ibc_core.application.exact import check_address, check_coin, check_record, check_types
from ibc_core.application.services import Account, Accounts, Bank, DecodedMessage, Messages
from ibc_core.coin import Coin
from ibc_core.host.confined import opened
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.wire.budget import Budget

_check_any = check_record(AnyMessage, type_url=str, value=bytes)


class BankGate:
    """The host's bank behind an application's context. Raises LogicFault for arguments of other types."""

    __slots__ = ("_bank",)

    def __init__(self, bank: Bank) -> None:
        self._bank = bank

    def send(self, ctx: WriteContext, sender: Address, receiver: Address, amount: Coin) -> None:
        """Moves coins; raises `InsufficientBalance` where they are not there."""
        check_address(sender, "a sender")
        check_address(receiver, "a receiver")
        check_coin(amount)
        self._bank.send(opened(ctx), sender, receiver, amount)

    def mint(self, ctx: WriteContext, module: Address, amount: Coin) -> None:
        """Makes coins in a module's account."""
        check_address(module, "a module")
        check_coin(amount)
        self._bank.mint(opened(ctx), module, amount)

    def burn(self, ctx: WriteContext, module: Address, amount: Coin) -> None:
        """Destroys coins of a module's account."""
        check_address(module, "a module")
        check_coin(amount)
        self._bank.burn(opened(ctx), module, amount)

    def balance(self, ctx: ReadContext, address: bytes, denom: str) -> int:
        """What an account holds of `denom`."""
        check_types("an account's denomination", (address, bytes), (denom, str))
        return self._bank.balance(opened(ctx), address, denom)

    def supply(self, ctx: ReadContext, denom: str) -> int:
        """How much of `denom` there is on the chain."""
        check_types("a denomination", (denom, str))
        return self._bank.supply(opened(ctx), denom)

    def is_blocked(self, address: bytes) -> bool:
        """Whether the account may not receive coins (module accounts)."""
        check_types("an account", (address, bytes))
        return self._bank.is_blocked(address)

    def is_send_enabled(self, ctx: ReadContext, denom: str) -> bool:
        """Whether `denom` may be moved by its holders."""
        check_types("a denomination", (denom, str))
        return self._bank.is_send_enabled(opened(ctx), denom)


class AccountsGate:
    """The host's accounts, in the same way."""

    __slots__ = ("_accounts",)

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts

    def get(self, ctx: ReadContext, address: bytes) -> Account | None:
        """The account at `address`, None where there is none."""
        check_types("an account", (address, bytes))
        return self._accounts.get(opened(ctx), address)

    def create(self, ctx: WriteContext, address: Address, module: str = "", owner: str = "") -> Account:
        """Makes the account of `address`.

        Raises:
            InvalidSdkRequest: there is one; nothing is written.
        """
        check_address(address, "an account")
        check_types("a module or an owner", (module, str), (owner, str))
        return self._accounts.create(opened(ctx), address, module, owner)


class MessagesGate:
    """The chain's messages, in the same way."""

    __slots__ = ("_messages",)

    def __init__(self, messages: Messages) -> None:
        self._messages = messages

    def decode(self, packed: AnyMessage, budget: Budget) -> DecodedMessage:
        """Reads a message."""
        # guard: h162-a-stranger-s-bytes test_h162_strangers_hand_over_exact_types
        _check_any(packed, "a message")
        check_types("a budget", (budget, Budget))
        return self._messages.decode(packed, budget)

    def wire(self, type_url: str) -> type[Message]:
        """Its protobuf class."""
        check_types("a type of messages", (type_url, str))
        return self._messages.wire(type_url)

    def signers(self, message: DecodedMessage) -> tuple[bytes, ...]:
        """Who must have signed it, as raw addresses."""
        check_types("a decoded message", (message, DecodedMessage))
        return self._messages.signers(message)

    def deliver(self, ctx: WriteContext, message: DecodedMessage) -> AnyMessage:
        """Checks and executes it."""
        check_types("a decoded message", (message, DecodedMessage))
        return self._messages.deliver(ctx, message)

    def execute(self, ctx: WriteContext, message: DecodedMessage) -> AnyMessage:
        """Executes it; a stranger's own message is checked all the same."""
        return self.deliver(ctx, message)

    def query(self, ctx: ReadContext, path: str, request: bytes) -> bytes:
        """Asks a query of the chain."""
        check_types("a query", (path, str), (request, bytes))
        return self._messages.query(ctx, path, request)
