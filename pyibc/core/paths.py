"""Keys of the `ibc` store, the path space of ICS-24, and their parsers for queries, exports and indexes.

No other module builds keys of this store. `-> X` in a docstring means that the value at the key is X.
"""

from functools import lru_cache

from pyibc.core.errors import InvalidHeight
from pyibc.core.height import Height, parse_height
from pyibc.core.numbers import be8, parse_u64

STORE_NAME = "ibc"
"""Name of the store whose entries counterparties verify."""
COMMITMENT_PREFIX = b"ibc"
"""First element of every Merkle path into this store: the store's name in the multistore."""

# ICS-2: clients
NEXT_CLIENT_SEQUENCE = b"nextClientSequence"
CLIENT_PARAMS = b"clientParams"
CLIENTS = b"clients/"


@lru_cache(1024)
def client_prefix(client_id: str) -> bytes:
    """Return the prefix of all keys of one client."""
    return f"clients/{client_id}/".encode()


@lru_cache(1024)
def client_state_path(client_id: str) -> bytes:
    """Return the key of a client state. -> Any(ClientState)."""
    return f"clients/{client_id}/clientState".encode()


@lru_cache(4096)
def consensus_state_path(client_id: str, height: Height) -> bytes:
    """Return the key of a consensus state. -> Any(ConsensusState)."""
    return f"clients/{client_id}/consensusStates/{height}".encode()


@lru_cache(4096)
def processed_time_path(client_id: str, height: Height) -> bytes:
    """Return the key of a consensus state's processed time (ICS-7). -> BE8 host time in nanoseconds."""
    return f"clients/{client_id}/consensusStates/{height}/processedTime".encode()


@lru_cache(4096)
def processed_height_path(client_id: str, height: Height) -> bytes:
    """Return the key of a consensus state's processed height (ICS-7). -> host height as text."""
    return f"clients/{client_id}/consensusStates/{height}/processedHeight".encode()


def consensus_states_prefix(client_id: str) -> bytes:
    """Return the prefix of a client's consensus states; heights are text, so 1-10 precedes 1-9."""
    return f"clients/{client_id}/consensusStates/".encode()


def iteration_prefix(client_id: str) -> bytes:
    """Return the prefix of a client's iteration keys, in which heights are big-endian (ICS-7)."""
    return f"clients/{client_id}/iterateConsensusStates".encode()


def iteration_path(client_id: str, height: Height) -> bytes:
    """Return the iteration key of a height. -> the consensus state's path below the client's prefix."""
    return iteration_prefix(client_id) + be8(height.revision_number) + be8(height.revision_height)


def consensus_state_suffix(height: Height) -> bytes:
    """Return the path of a consensus state below its client's prefix, the value of an iteration key."""
    return f"consensusStates/{height}".encode()


@lru_cache(1024)
def client_connections_path(client_id: str) -> bytes:
    """Return the key of the list of a client's connections. -> ClientPaths."""
    return f"clients/{client_id}/connections".encode()


def client_creator_path(client_id: str) -> bytes:
    """Return the key of a client's creator. -> address bytes."""
    return f"clients/{client_id}/creator".encode()


# ICS-3: connections
NEXT_CONNECTION_SEQUENCE = b"nextConnectionSequence"
CONNECTION_PARAMS = b"connectionParams"
CONNECTIONS = b"connections/"


@lru_cache(1024)
def connection_path(connection_id: str) -> bytes:
    """Return the key of a connection end. -> ConnectionEnd."""
    return f"connections/{connection_id}".encode()


# ICS-4: channels
NEXT_CHANNEL_SEQUENCE = b"nextChannelSequence"
CHANNEL_ENDS = b"channelEnds/"


@lru_cache(1024)
def channel_path(port_id: str, channel_id: str) -> bytes:
    """Return the key of a channel end. -> Channel."""
    return f"channelEnds/ports/{port_id}/channels/{channel_id}".encode()


@lru_cache(1024)
def next_sequence_send_path(port_id: str, channel_id: str) -> bytes:
    """Return the key of the next sequence to send. -> BE8."""
    return f"nextSequenceSend/ports/{port_id}/channels/{channel_id}".encode()


@lru_cache(1024)
def next_sequence_recv_path(port_id: str, channel_id: str) -> bytes:
    """Return the key of the next sequence to receive on an ordered channel. -> BE8."""
    return f"nextSequenceRecv/ports/{port_id}/channels/{channel_id}".encode()


@lru_cache(1024)
def next_sequence_ack_path(port_id: str, channel_id: str) -> bytes:
    """Return the key of the next sequence to acknowledge on an ordered channel. -> BE8."""
    return f"nextSequenceAck/ports/{port_id}/channels/{channel_id}".encode()


# ICS-4: packets
NEXT_SEQUENCE_SEND = b"nextSequenceSend/"
NEXT_SEQUENCE_RECV = b"nextSequenceRecv/"
NEXT_SEQUENCE_ACK = b"nextSequenceAck/"
PACKET_COMMITMENTS = b"commitments/"
PACKET_RECEIPTS = b"receipts/"
PACKET_ACKNOWLEDGEMENTS = b"acks/"


def packet_commitment_prefix(port_id: str, channel_id: str) -> bytes:
    """Return the prefix of a channel's packet commitments; sequences follow."""
    return f"commitments/ports/{port_id}/channels/{channel_id}/sequences/".encode()


def packet_commitment_path(port_id: str, channel_id: str, sequence: int) -> bytes:
    """Return the key of a packet commitment on the sending chain. -> 32 bytes."""
    return f"commitments/ports/{port_id}/channels/{channel_id}/sequences/{sequence}".encode()


def packet_receipt_path(port_id: str, channel_id: str, sequence: int) -> bytes:
    """Return the key of a packet receipt on the receiving chain of an unordered channel. -> 0x01."""
    return f"receipts/ports/{port_id}/channels/{channel_id}/sequences/{sequence}".encode()


def packet_acknowledgement_prefix(port_id: str, channel_id: str) -> bytes:
    """Return the prefix of a channel's acknowledgements; sequences follow."""
    return f"acks/ports/{port_id}/channels/{channel_id}/sequences/".encode()


def packet_acknowledgement_path(port_id: str, channel_id: str, sequence: int) -> bytes:
    """Return the key of an acknowledgement commitment on the receiving chain. -> 32 bytes."""
    return f"acks/ports/{port_id}/channels/{channel_id}/sequences/{sequence}".encode()


# x/upgrade: a store of its own, for proofs of the client and consensus states of the chain's next revision
UPGRADE_STORE_NAME = "upgrade"
UPGRADE_PLAN = b"\x00"
UPGRADE_DONE = b"\x01"
UPGRADE_VERSION = b"\x02"


def upgrade_done_path(height: int, name: str) -> bytes:
    """Return the key of the mark that the upgrade `name` was applied at `height`. -> 0x01."""
    return UPGRADE_DONE + height.to_bytes(8, "big") + name.encode()


def plugin_version_path(name: str) -> bytes:
    """Return the key of a plugin's consensus version (x/upgrade: module version). -> BE8."""
    return UPGRADE_VERSION + name.encode()


def upgraded_client_path(plan_height: int) -> bytes:
    """Return the key of the upgraded client state. -> Any(ClientState) of the next revision."""
    return f"upgradedIBCState/{plan_height}/upgradedClient".encode()


def upgraded_consensus_state_path(plan_height: int) -> bytes:
    """Return the key of the upgraded consensus state. -> Any(ConsensusState) of the next revision."""
    return f"upgradedIBCState/{plan_height}/upgradedConsState".encode()


# IBC v2: counterparties and packets of clients
COMMITMENT_V2 = b"\x01"
RECEIPT_V2 = b"\x02"
ACKNOWLEDGEMENT_V2 = b"\x03"
ASYNC_PACKET = b"async_packet"


@lru_cache(1024)
def client_counterparty_path(client_id: str) -> bytes:
    """Return the key of a client's counterparty. -> CounterpartyInfo."""
    return f"clients/{client_id}/counterparty".encode()


@lru_cache(1024)
def client_config_path(client_id: str) -> bytes:
    """Return the key of a client's configuration, its allowed relayers. -> Config."""
    return f"clients/{client_id}/config".encode()


@lru_cache(1024)
def next_sequence_send_v2_path(client_id: str) -> bytes:
    """Return the key of a client's next sequence to send, as in ibc-go v10.7 to v11.2. -> BE8."""
    return f"nextSequenceSend/{client_id}".encode()


def packet_commitment_v2_prefix(client_id_on_a: str) -> bytes:
    """Return the prefix of the commitments of packets sent over a client; sequences follow."""
    return client_id_on_a.encode() + COMMITMENT_V2


def packet_commitment_v2_path(client_id_on_a: str, sequence: int) -> bytes:
    """Return the key of a packet commitment on the sending chain. -> 32 bytes."""
    return packet_commitment_v2_prefix(client_id_on_a) + be8(sequence)


def packet_receipt_v2_path(client_id_on_b: str, sequence: int) -> bytes:
    """Return the key of an IBC v2 packet receipt on the receiving chain. -> 0x02."""
    return client_id_on_b.encode() + RECEIPT_V2 + be8(sequence)


def packet_acknowledgement_v2_prefix(client_id_on_b: str) -> bytes:
    """Return the prefix of the acknowledgements of packets received over a client; sequences follow."""
    return client_id_on_b.encode() + ACKNOWLEDGEMENT_V2


def packet_acknowledgement_v2_path(client_id_on_b: str, sequence: int) -> bytes:
    """Return the key of an acknowledgement commitment on the receiving chain. -> 32 bytes."""
    return packet_acknowledgement_v2_prefix(client_id_on_b) + be8(sequence)


def async_packet_path(client_id_on_b: str, sequence: int) -> bytes:
    """Return the key of a packet awaiting acknowledgement on the receiving chain. -> v2 Packet."""
    return client_id_on_b.encode() + ASYNC_PACKET + be8(sequence)


def split_client_state_path(below: bytes) -> str | None:
    """Return the client id of a client state's key below `CLIENTS`; None for a client's other keys."""
    client_id, slash, rest = below.partition(b"/")
    return _text(client_id) if slash and rest == b"clientState" else None


def split_height(below: bytes) -> Height | None:
    """Return the height in a consensus state's key below `consensus_states_prefix`; None for other keys."""
    try:
        return parse_height(_text(below) or "")
    except InvalidHeight:
        return None


def split_connection_path(below: bytes) -> str | None:
    """Return the connection id in a connection's key below `CONNECTIONS`."""
    return None if b"/" in below else _text(below)


def split_channel_path(below: bytes) -> tuple[str, str] | None:
    """Return the port and channel id in a channel's key below `CHANNEL_ENDS`."""
    parts = (_text(below) or "").split("/")
    return (parts[1], parts[3]) if len(parts) == 4 and parts[::2] == ["ports", "channels"] else None


def split_packet_path(below: bytes) -> tuple[str, str, int] | None:
    """Return the port, channel id and sequence in a packet's key below its prefix (`acks/`, ...)."""
    parts = (_text(below) or "").split("/")
    sequence = parse_u64(parts[-1])
    fits = len(parts) == 6 and parts[::2] == ["ports", "channels", "sequences"]
    return (parts[1], parts[3], sequence) if fits and sequence is not None else None


def split_client_path(key: bytes) -> tuple[str, bytes] | None:
    """Return the client id in a key below `CLIENTS`, and the rest of the key."""
    name, _, below = key.removeprefix(CLIENTS).partition(b"/")
    return (client_id, below) if key.startswith(CLIENTS) and below and (client_id := _text(name)) else None


def split_packet_v2_path(key: bytes, tag: bytes) -> tuple[str, int] | None:
    """Return the client id and sequence in an IBC v2 packet's key, which has `tag` between them."""
    client_id, sequence = _text(key[: -8 - len(tag)]), split_sequence_v2(key[-8:])
    if client_id is None or "/" in client_id or sequence is None or key[-8 - len(tag) : -8] != tag:
        return None
    return client_id, sequence


def split_sequence(below: bytes) -> int | None:
    """Return the sequence in a packet's key below its channel's prefix."""
    return parse_u64(_text(below) or "")


def split_sequence_v2(below: bytes) -> int | None:
    """Return the sequence in an IBC v2 packet's key below its client's prefix: eight bytes, never 0."""
    return int.from_bytes(below, "big") or None if len(below) == 8 else None


def _text(below: bytes) -> str | None:
    """Return a key's part as text; None if it is empty or not ASCII."""
    return below.decode("ascii") if below and below.isascii() else None
