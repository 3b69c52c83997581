"""What the host offers, as applications are given it: behind gates, but for those of this distribution."""

from ibc_core.application.gates import AccountsGate, BankGate, MessagesGate
from ibc_core.application.services import Accounts, Bank, Messages
from ibc_core.host.shipped import is_shipped


def bank_for(plugin: object, bank: Bank | None) -> Bank | None:
    """The host's coins for what `plugin` registers, None where the host has none."""
    return bank if bank is None or is_shipped(plugin) else BankGate(bank)


def accounts_for(plugin: object, accounts: Accounts | None) -> Accounts | None:
    """The host's accounts for what `plugin` registers, None where the host offers none."""
    return accounts if accounts is None or is_shipped(plugin) else AccountsGate(accounts)


def messages_for(plugin: object, messages: Messages) -> Messages:
    """The chain's messages for what `plugin` registers."""
    return messages if is_shipped(plugin) else MessagesGate(messages)
