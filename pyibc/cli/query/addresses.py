"""Addresses that users name: in bech32, or a localnet's wallet."""

from typing import Any

from pyibc.cli.keys import stored_address
from pyibc.cli.one_chain import running
from pyibc.core.address import decode_bech32
from pyibc.core.errors import IbcError


def address_of(text: str, options: dict[str, Any]) -> str:
    """Return the bech32 address that `text` is, or that of a localnet's wallet or a key of this name.

    Raises:
        ValueError: it is none of them, or there is no such localnet.
        NetworkUnusable: the localnet's settings cannot be read.
    """
    try:
        decode_bech32(text)
    except IbcError as error:
        found = wallet_address(text, options) or stored_address(text, options["prefix"])
        if found:
            return found
        if options["node"]:
            raise ValueError(f"{text!r} is not an address: {error}") from None
    else:
        return text
    network, _ = running(options["network"])
    known = ", ".join(network.settings().wallets)
    raise ValueError(
        f"{text!r} is neither an address nor a wallet of network {options['network']!r}; it has {known}"
    )


def wallet_address(name: str, options: dict[str, Any]) -> str:
    """Return the address of a localnet's wallet; "": there is none of this name, or no localnet is meant.

    A wallet comes before a key of the same name, wherever users name one.
    """
    if options["node"]:
        return ""
    network, _ = running(options["network"])
    return network.wallet(name).address.text if name in network.settings().wallets else ""
