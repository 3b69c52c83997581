"""Addresses that users name: in bech32, or a localnet's wallet."""

from typing import Any

from pyibc.cli.keys import stored_address
from pyibc.cli.one_chain import running
from pyibc.core.address import decode_bech32
from pyibc.core.errors import IbcError


def address_of(text: str, options: dict[str, Any]) -> str:
    """Return the bech32 address that `text` is, or that of a key or a localnet's wallet of this name.

    Raises:
        ValueError: it is neither, or there is no such localnet.
        NetworkUnusable: the localnet's settings cannot be read.
    """
    try:
        decode_bech32(text)
    except IbcError as error:
        stored = stored_address(text, options["prefix"])
        if stored:
            return stored
        if options["node"]:
            raise ValueError(f"{text!r} is not an address: {error}") from None
    else:
        return text
    network, _ = running(options["network"])
    try:
        return network.wallet(text).address.text
    except KeyError:
        known = ", ".join(network.settings().wallets)
        raise ValueError(
            f"{text!r} is neither an address nor a wallet of network {options['network']!r}; it has {known}"
        ) from None
