"""What the host offers, as applications are given it: behind gates."""

from ibc_core.application.gates import AccountsGate, BankGate
from ibc_core.application.services import Accounts, Bank
from ibc_module.pipeline import Pipeline


def gated_bank(pipeline: Pipeline) -> Bank | None:
    """The host's coins, None where it has none."""
    bank = pipeline.bank()
    return None if bank is None else BankGate(bank)


def gated_accounts(pipeline: Pipeline) -> Accounts | None:
    """The host's accounts, None where it offers none."""
    accounts = pipeline.accounts()
    return None if accounts is None else AccountsGate(accounts)
