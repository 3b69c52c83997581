"""Where a denomination comes from, and what its coin is called on both chains of a packet (ICS-20)."""

from functools import lru_cache
from typing import NamedTuple

from ibc_core.transfer.denom import parse_denom

MAX_REMEMBERED = 512
"""Characters of a denomination up to which its coins are remembered."""


class Route(NamedTuple):
    """The ends that a packet goes between."""

    src_port: str
    src_channel: str
    dst_port: str
    dst_channel: str


class Coins(NamedTuple):
    """A packet's denomination, taken apart."""

    base: str  # the name at home
    trace: str | None  # the hops it came over, the last first: `transfer/channel-1/transfer/channel-0`
    src: str  # the coin's name on the sending chain: `ibc/HASH`, or the base
    dst: str  # on the receiving chain


def path_at_receiver(denom: str, route: Route) -> str:
    """The path of `denom` after its packet was received: a hop less if it goes back, else one more."""
    home = f"{route.src_port}/{route.src_channel}/"
    if denom.startswith(home):
        return denom.removeprefix(home)
    return f"{route.dst_port}/{route.dst_channel}/{denom}"


def coins_of(denom: str, route: Route) -> Coins:
    """The coins of a packet that names `denom`."""
    return _remembered(denom, route) if len(denom) <= MAX_REMEMBERED else _coins(denom, route)


def _coins(denom: str, route: Route) -> Coins:
    sent, received = parse_denom(denom), parse_denom(path_at_receiver(denom, route))
    trace = denom.removesuffix(sent.base).rstrip("/") if sent.trace else None
    return Coins(sent.base, trace, sent.coin_denom, received.coin_denom)


_remembered = lru_cache(4096)(_coins)
