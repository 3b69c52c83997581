"""Errors of keys, accounts and prices. None of them says anything of a key but where it was read."""

from ibc_relayer.errors import RelayerError


class KeyExposed(RelayerError, code=40):
    """A file with a key can be read or written by others than its owner: it is not read."""

    file: str
    mode: str  # octal
    text = "{file}: mode {mode} lets others at the key: chmod 600 '{file}'"


class KeyRefused(RelayerError, code=41):
    """What was given as a key is not one."""

    where: str  # a file, or env:NAME
    reason: str
    text = "{where}: {reason}"


class AccountCannotSign(RelayerError, code=42):
    """The account on the chain is of a type that no key signs for, or that we cannot read."""

    chain_id: str
    address: str
    reason: str
    text = "{chain_id}: account {address}: {reason}"


class PriceRefused(RelayerError, code=43):
    """A gas price, or another number of the fee's configuration, is malformed."""

    given: str
    reason: str
    text = "{given}: {reason}"
