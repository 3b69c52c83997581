"""The host's configuration of the IBC module, the same on every validator of a chain."""

from collections.abc import Callable
from typing import NamedTuple

from pyibc.core.host.gas import DEFAULT_PRICES, Prices
from pyibc.core.value import sealed


@sealed
class Config(NamedTuple):
    """The host's configuration of the IBC module."""

    account_prefix: str = "cosmos"  # of addresses; must equal the host's own
    authority: str = ""  # address that may send authority messages; "": none
    max_expected_time_per_block_ns: int = 30_000_000_000
    allowed_clients: tuple[str, ...] = ("*",)
    optimistic_sends: int = 0  # packets that a channel may send before it is OPEN; 0 in ibc-go
    validate_channel_identifier: Callable[[str, str], bool] | None = None  # (port, chosen channel id)
    several_payloads: bool = False  # IBC v2: packets with more than one payload; ibc-go v11 refuses them
    strict_mempool: bool = (
        False  # its clock is the last block's, as ibc-go's is: no header or delay beyond it
    )
    prices: Prices = DEFAULT_PRICES  # gas of signatures and proofs of other chains
