"""Reads connection and channel ends, and finds those whose handshake is unfinished."""

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

from ibc_core import paths as keys
from ibc_core.channel.types import ChannelEnd
from ibc_core.client_v2.types import ClientCounterparty
from ibc_core.connection.types import ConnectionEnd
from ibc_core.packet_v2.states import decode_counterparty
from ibc_core.wire.states import decode_channel_end, decode_client_paths, decode_connection_end
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.rpc_read import read_answer

_V = TypeVar("_V")


def counterparty_of(chain: ChainEndpoint, client_id: str) -> ClientCounterparty | None:
    """The registered counterparty of a client (IBC v2), None if there is none.

    Raises:
        MalformedAnswer: the entry does not decode.
    """
    return _decoded(chain, client_id, keys.client_counterparty_path(client_id), decode_counterparty)


def connection_end(chain: ChainEndpoint, connection_id: str) -> ConnectionEnd | None:
    """A connection end, None if there is none (also for the id "").

    Raises:
        MalformedAnswer: the entry does not decode.
    """
    if not connection_id:
        return None
    return _decoded(chain, connection_id, keys.connection_path(connection_id), decode_connection_end)


def channel_end(chain: ChainEndpoint, port_id: str, channel_id: str) -> ChannelEnd | None:
    """A channel end, None if there is none (also for the id "").

    Raises:
        MalformedAnswer: the entry does not decode.
    """
    if not channel_id:
        return None
    return _decoded(chain, channel_id, keys.channel_path(port_id, channel_id), decode_channel_end)


def connections_of(chain: ChainEndpoint, client_id: str) -> Iterator[tuple[str, ConnectionEnd]]:
    """The connections over a client, newest first."""
    raw = chain.get(keys.client_connections_path(client_id))
    for connection_id in reversed(decode_client_paths(raw) if raw else ()):
        end = connection_end(chain, connection_id)
        if end is not None:
            yield connection_id, end


def channels_of(chain: ChainEndpoint, port_id: str) -> Iterator[tuple[str, ChannelEnd]]:
    """The channels on a port, newest first."""
    for number in reversed(range(_count(chain, keys.NEXT_CHANNEL_SEQUENCE))):
        end = channel_end(chain, port_id, f"channel-{number}")
        if end is not None:
            yield f"channel-{number}", end


def clients_of(chain: ChainEndpoint, client_type: str) -> Iterator[str]:
    """The identifiers that clients of a type may have, newest first."""
    for number in reversed(range(_count(chain, keys.NEXT_CLIENT_SEQUENCE))):
        yield f"{client_type}-{number}"


def _decoded(chain: ChainEndpoint, name: str, key: bytes, decode: Callable[[bytes], _V]) -> _V | None:
    raw = chain.get(key)
    return None if raw is None else read_answer(chain.chain_id, name, lambda: decode(raw), chain)


def _count(chain: ChainEndpoint, key: bytes) -> int:
    return int.from_bytes(chain.get(key) or b"", "big")


class EndCandidate(NamedTuple):
    """A connection or channel end that may be used."""

    name: str
    far_name: str  # its counterparty's identifier; "" while unknown
    is_open: bool


def match_ends(on_a: list[EndCandidate], on_b: list[EndCandidate]) -> tuple[str, str]:
    """The identifiers on a and b of the two ends to use: open ones before unfinished ones; "": none yet.

    An OPEN end names its counterparty; an INIT end is named by its counterparty, if there is one.
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
