"""Traces of denominations, and coin names on both chains of a packet (ICS-20)."""

from functools import lru_cache
from typing import NamedTuple

from pyibc.apps.transfer.packet_data import parse_denom

MAX_CACHED = 512
"""Maximum characters of a denomination whose coins are cached."""


class Route(NamedTuple):
    """Channel ends of a packet."""

    src_port: str
    src_channel: str
    dst_port: str
    dst_channel: str


class Coins(NamedTuple):
    """Parsed denomination of a packet."""

    base: str  # base denomination
    trace: str | None  # hops, last one first: `transfer/channel-1/transfer/channel-0`
    src: str  # coin on the sending chain: `ibc/HASH`, or the base denomination
    dst: str  # coin on the receiving chain


def path_at_receiver(denom: str, route: Route) -> str:
    """Return the path of `denom` on the receiving chain: one hop less if it returns, otherwise one more."""
    home = f"{route.src_port}/{route.src_channel}/"
    if denom.startswith(home):
        return denom.removeprefix(home)
    return f"{route.dst_port}/{route.dst_channel}/{denom}"


def coins_of(denom: str, route: Route) -> Coins:
    """Parse the denomination of a packet, with a cache."""
    return _cached(denom, route) if len(denom) <= MAX_CACHED else _coins(denom, route)


def _coins(denom: str, route: Route) -> Coins:
    sent, received = parse_denom(denom), parse_denom(path_at_receiver(denom, route))
    trace = denom.removesuffix(sent.base).rstrip("/") if sent.trace else None
    return Coins(sent.base, trace, sent.coin_denom, received.coin_denom)


_cached = lru_cache(4096)(_coins)
