"""Queries of connection and channel ends, and the choice of ends whose handshake is unfinished."""

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

from pyibc.core import paths as keys
from pyibc.core.channel.types import ChannelEnd
from pyibc.core.client_v2 import ClientCounterparty
from pyibc.core.connection.types import ConnectionEnd
from pyibc.core.packet_v2.types import decode_counterparty
from pyibc.core.wire.states import decode_channel_end, decode_client_paths, decode_connection_end
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.chain.grpc_query import read_of

_V = TypeVar("_V")


def counterparty_of(chain: ChainEndpoint, client_id: str) -> ClientCounterparty | None:
    """Return the registered counterparty of a client (IBC v2); None if there is none.

    Raises:
        MalformedAnswer: the entry cannot be decoded.
    """
    return _decoded(chain, client_id, keys.client_counterparty_path(client_id), decode_counterparty)


def connection_end(chain: ChainEndpoint, connection_id: str) -> ConnectionEnd | None:
    """Return a connection end; None if there is none (also for the id "").

    Raises:
        MalformedAnswer: the entry cannot be decoded.
    """
    if not connection_id:
        return None
    return _decoded(chain, connection_id, keys.connection_path(connection_id), decode_connection_end)


def channel_end(chain: ChainEndpoint, port_id: str, channel_id: str) -> ChannelEnd | None:
    """Return a channel end; None if there is none (also for the id "").

    Raises:
        MalformedAnswer: the entry cannot be decoded.
    """
    if not channel_id:
        return None
    return _decoded(chain, channel_id, keys.channel_path(port_id, channel_id), decode_channel_end)


def connections_of(chain: ChainEndpoint, client_id: str) -> Iterator[tuple[str, ConnectionEnd]]:
    """Yield the connections over a client, newest first."""
    raw = chain.get(keys.client_connections_path(client_id))
    for connection_id in reversed(decode_client_paths(raw) if raw else ()):
        end = connection_end(chain, connection_id)
        if end is not None:
            yield connection_id, end


def channels_of(chain: ChainEndpoint, port_id: str) -> Iterator[tuple[str, ChannelEnd]]:
    """Yield the channels on a port, newest first."""
    for number in reversed(range(_count(chain, keys.NEXT_CHANNEL_SEQUENCE))):
        end = channel_end(chain, port_id, f"channel-{number}")
        if end is not None:
            yield f"channel-{number}", end


def clients_of(chain: ChainEndpoint, client_type: str) -> Iterator[str]:
    """Yield the identifiers that clients of a type may have, newest first."""
    for number in reversed(range(_count(chain, keys.NEXT_CLIENT_SEQUENCE))):
        yield f"{client_type}-{number}"


def _decoded(chain: ChainEndpoint, name: str, key: bytes, decode: Callable[[bytes], _V]) -> _V | None:
    raw = chain.get(key)
    return None if raw is None else read_of(chain, name, lambda: decode(raw))


def _count(chain: ChainEndpoint, key: bytes) -> int:
    return int.from_bytes(chain.get(key) or b"", "big")


class EndCandidate(NamedTuple):
    """Connection or channel end that may be used."""

    name: str
    far_name: str  # its counterparty's identifier; "" while unknown
    is_open: bool


def match_ends(on_a: list[EndCandidate], on_b: list[EndCandidate]) -> tuple[str, str]:
    """Return the identifiers on a and b of the ends to use: open ones before unfinished ones; "": none yet.

    An OPEN end has its counterparty's identifier; an INIT end may have a counterparty that has its own.
    """
    by_name = {end.name: end for end in on_b}
    naming_a = {end.far_name: end.name for end in on_b if end.far_name}
    pairs = [(end, end.far_name or naming_a.get(end.name, "")) for end in on_a]
    for end, far in pairs:
        if end.is_open and far in by_name and by_name[far].is_open:
            return end.name, far
    if pairs:
        return pairs[0][0].name, pairs[0][1]
    started_on_b = next((end.name for end in on_b if not end.far_name), "")
    return "", started_on_b


def match_or_begun(
    on_a: list[EndCandidate], on_b: list[EndCandidate], exists_on_a: Callable[[str], bool]
) -> tuple[str, str]:
    """Match like `match_ends`, or else find an end on b that waits for an end on a with a chosen name."""
    ids = match_ends(on_a, on_b)
    if any(ids):
        return ids
    waiting = ((end.far_name, end.name) for end in on_b if end.far_name and not end.is_open)
    return next((names for names in waiting if not exists_on_a(names[0])), ("", ""))
