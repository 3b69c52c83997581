"""What a host settles about its IBC module: the same on every validator of a chain."""

from typing import NamedTuple


class Config(NamedTuple):
    """What a host settles about its IBC module."""

    account_prefix: str = "cosmos"  # of addresses; wiring refuses it if the host names another
    authority: str = ""  # address text of who may send authority messages; "": nobody
    max_expected_time_per_block_ns: int = 30_000_000_000
    allowed_clients: tuple[str, ...] = ("*",)
    several_payloads: bool = False  # IBC v2: packets with more than one payload; ibc-go v11 refuses them
