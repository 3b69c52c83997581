"""Reader of clients, connections and channels from a chain's state."""

from typing import NamedTuple

from conformance.walks.chain import WalkChain
from light_client.tendermint.states import (
    ClientState,
    ConsensusState,
    load_client_state,
    load_consensus_state,
)
from light_client.tendermint.store import is_expired
from pyibc.core import paths
from pyibc.core.channel.types import ChannelEnd
from pyibc.core.client.types import SOLOMACHINE, TENDERMINT
from pyibc.core.connection.types import ConnectionEnd
from pyibc.core.height import Height
from pyibc.core.packet_v2.types import decode_counterparty
from pyibc.core.wire import states


class ChannelView(NamedTuple):
    """A channel end with its identifiers."""

    port_id: str
    channel_id: str
    end: ChannelEnd


def client_ids(chain: WalkChain, client_type: str = "") -> list[str]:
    """Return client ids in key order, optionally of one type."""
    names = [paths.split_client_state_path(below) for below, _ in chain.entries(paths.CLIENTS)]
    return [name for name in names if name and name.startswith(client_type)]


def tendermint_ids(chain: WalkChain) -> list[str]:
    """Return the 07-tendermint clients of a chain."""
    return client_ids(chain, TENDERMINT)


def solo_ids(chain: WalkChain) -> list[str]:
    """Return the 06-solomachine clients of a chain."""
    return client_ids(chain, SOLOMACHINE)


def client_state(chain: WalkChain, client_id: str) -> ClientState:
    """Return the state of an existing 07-tendermint client."""
    return load_client_state(chain.get(paths.client_state_path(client_id)) or b"")


def known_heights(chain: WalkChain, client_id: str) -> list[Height]:
    """Return heights of a 07-tendermint client's consensus states, ascending."""
    prefix = paths.consensus_states_prefix(client_id)
    heights = [paths.split_height(below) for below, _ in chain.entries(prefix)]
    return sorted(height for height in heights if height is not None)


def consensus_state(chain: WalkChain, client_id: str, height: Height) -> ConsensusState:
    """Return an existing consensus state."""
    return load_consensus_state(chain.get(paths.consensus_state_path(client_id, height)) or b"")


def is_active(chain: WalkChain, client_id: str, now_ns: int) -> bool:
    """Return whether a 07-tendermint client is neither frozen nor expired."""
    state = client_state(chain, client_id)
    if not state.frozen_height.is_zero:
        return False
    if chain.get(paths.consensus_state_path(client_id, state.latest_height)) is None:
        return False
    newest = consensus_state(chain, client_id, state.latest_height)
    return not is_expired(state, newest.time_ns, now_ns)


def counterparty_prefix(chain: WalkChain, client_id: str) -> tuple[bytes, ...]:
    """Return the Merkle prefix of a client's registered counterparty; () if there is none."""
    raw = chain.get(paths.client_counterparty_path(client_id))
    return () if raw is None else decode_counterparty(raw).merkle_prefix


def connections(chain: WalkChain) -> dict[str, ConnectionEnd]:
    """Return connection ends by id."""
    found = {}
    for below, raw in chain.entries(paths.CONNECTIONS):
        name = paths.split_connection_path(below)
        if name:
            found[name] = states.decode_connection_end(raw)
    return found


def channels(chain: WalkChain) -> list[ChannelView]:
    """Return all channel ends."""
    found = []
    for below, raw in chain.entries(paths.CHANNEL_ENDS):
        place = paths.split_channel_path(below)
        if place:
            found.append(ChannelView(*place, states.decode_channel_end(raw)))
    return found


def channel(chain: WalkChain, port_id: str, channel_id: str) -> ChannelEnd | None:
    """Return a channel end, or None."""
    raw = chain.get(paths.channel_path(port_id, channel_id))
    return None if raw is None else states.decode_channel_end(raw)


def sequence(chain: WalkChain, key: bytes) -> int:
    """Return a sequence counter, 0 if absent."""
    return int.from_bytes(chain.get(key) or b"", "big")
