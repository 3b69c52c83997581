"""The host's configuration of the IBC module, the same on every validator of a chain."""

from collections.abc import Callable
from typing import NamedTuple

from ibc_core.host.gas import DEFAULT_PRICES, Prices
from ibc_core.value import sealed


@sealed
class Config(NamedTuple):
    """The host's configuration of the IBC module."""

    account_prefix: str = "cosmos"  # of addresses; wiring refuses it if the host names another
    authority: str = ""  # address text of who may send authority messages; "": nobody
    max_expected_time_per_block_ns: int = 30_000_000_000
    allowed_clients: tuple[str, ...] = ("*",)
    optimistic_sends: int = 0  # packets a channel may send before it is OPEN; today's IBC: none
    validate_channel_identifier: Callable[[str, str], bool] | None = None  # (port, chosen channel id)
    several_payloads: bool = False  # IBC v2: packets with more than one payload; ibc-go v11 refuses them
    strict_mempool: bool = (
        False  # its clock is the last block's, as ibc-go's is: no header or delay beyond it
    )
    prices: Prices = DEFAULT_PRICES  # gas of signatures and proofs of other chains
