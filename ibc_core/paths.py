"""The path space (ICS-24): the only module that builds keys of the `ibc` store."""

from functools import lru_cache

from ibc_core.height import Height
from ibc_core.numbers import be8

STORE_NAME = "ibc"
"""The store that counterparties prove entries of."""
COMMITMENT_PREFIX = b"ibc"
"""First element of every Merkle path into this store: its name in the multistore."""

# ICS-2: clients
NEXT_CLIENT_SEQUENCE = b"nextClientSequence"
CLIENT_PARAMS = b"clientParams"
CLIENTS = b"clients/"


@lru_cache(1024)
def client_prefix(client_id: str) -> bytes:
    """Prefix of all keys of one client."""
    return f"clients/{client_id}/".encode()


@lru_cache(1024)
def client_state_path(client_id: str) -> bytes:
    """-> Any(ClientState)."""
    return f"clients/{client_id}/clientState".encode()


@lru_cache(4096)
def consensus_state_path(client_id: str, height: Height) -> bytes:
    """-> Any(ConsensusState) at `height`."""
    return f"clients/{client_id}/consensusStates/{height}".encode()


@lru_cache(4096)
def processed_time_path(client_id: str, height: Height) -> bytes:
    """-> BE8 host time in ns at which the consensus state of `height` was stored (ICS-7)."""
    return f"clients/{client_id}/consensusStates/{height}/processedTime".encode()


@lru_cache(4096)
def processed_height_path(client_id: str, height: Height) -> bytes:
    """-> host height, as text, at which the consensus state of `height` was stored (ICS-7)."""
    return f"clients/{client_id}/consensusStates/{height}/processedHeight".encode()


def consensus_states_prefix(client_id: str) -> bytes:
    """Prefix of a client's consensus states by height as text: 1-10 comes before 1-9."""
    return f"clients/{client_id}/consensusStates/".encode()


def iteration_prefix(client_id: str) -> bytes:
    """Prefix of a client's consensus states by big-endian height, which iterate in order (ICS-7)."""
    return f"clients/{client_id}/iterateConsensusStates".encode()


def iteration_path(client_id: str, height: Height) -> bytes:
    """-> the consensus state's path below the client's prefix."""
    return iteration_prefix(client_id) + be8(height.revision_number) + be8(height.revision_height)


def consensus_state_suffix(height: Height) -> bytes:
    """Path of a consensus state below its client's prefix: what an iteration key points to."""
    return f"consensusStates/{height}".encode()


@lru_cache(1024)
def client_connections_path(client_id: str) -> bytes:
    """-> ClientPaths: the connections that use the client."""
    return f"clients/{client_id}/connections".encode()


def client_creator_path(client_id: str) -> bytes:
    """-> address bytes of the client's creator."""
    return f"clients/{client_id}/creator".encode()


# ICS-3: connections
NEXT_CONNECTION_SEQUENCE = b"nextConnectionSequence"
CONNECTION_PARAMS = b"connectionParams"
CONNECTIONS = b"connections/"


@lru_cache(1024)
def connection_path(connection_id: str) -> bytes:
    """-> ConnectionEnd."""
    return f"connections/{connection_id}".encode()


# ICS-4: channels
NEXT_CHANNEL_SEQUENCE = b"nextChannelSequence"
CHANNEL_ENDS = b"channelEnds/"


@lru_cache(1024)
def channel_path(port_id: str, channel_id: str) -> bytes:
    """-> Channel."""
    return f"channelEnds/ports/{port_id}/channels/{channel_id}".encode()


@lru_cache(1024)
def next_sequence_send_path(port_id: str, channel_id: str) -> bytes:
    """-> BE8 sequence of the next packet sent."""
    return f"nextSequenceSend/ports/{port_id}/channels/{channel_id}".encode()


@lru_cache(1024)
def next_sequence_recv_path(port_id: str, channel_id: str) -> bytes:
    """-> BE8 sequence of the next packet received (ordered channels)."""
    return f"nextSequenceRecv/ports/{port_id}/channels/{channel_id}".encode()


@lru_cache(1024)
def next_sequence_ack_path(port_id: str, channel_id: str) -> bytes:
    """-> BE8 sequence of the next packet acknowledged (ordered channels)."""
    return f"nextSequenceAck/ports/{port_id}/channels/{channel_id}".encode()


# ICS-4: packets
NEXT_SEQUENCE_SEND = b"nextSequenceSend/"
NEXT_SEQUENCE_RECV = b"nextSequenceRecv/"
NEXT_SEQUENCE_ACK = b"nextSequenceAck/"
PACKET_COMMITMENTS = b"commitments/"
PACKET_RECEIPTS = b"receipts/"
PACKET_ACKNOWLEDGEMENTS = b"acks/"


def packet_commitment_prefix(port_id: str, channel_id: str) -> bytes:
    """Prefix of a channel's packet commitments; sequences follow."""
    return f"commitments/ports/{port_id}/channels/{channel_id}/sequences/".encode()


def packet_commitment_path(port_id: str, channel_id: str, sequence: int) -> bytes:
    """-> 32-byte commitment, on the sending chain."""
    return f"commitments/ports/{port_id}/channels/{channel_id}/sequences/{sequence}".encode()


def packet_receipt_path(port_id: str, channel_id: str, sequence: int) -> bytes:
    """-> 0x01, on the receiving chain of an unordered channel."""
    return f"receipts/ports/{port_id}/channels/{channel_id}/sequences/{sequence}".encode()


def packet_acknowledgement_prefix(port_id: str, channel_id: str) -> bytes:
    """Prefix of a channel's acknowledgements; sequences follow."""
    return f"acks/ports/{port_id}/channels/{channel_id}/sequences/".encode()


def packet_acknowledgement_path(port_id: str, channel_id: str, sequence: int) -> bytes:
    """-> 32-byte acknowledgement commitment, on the receiving chain."""
    return f"acks/ports/{port_id}/channels/{channel_id}/sequences/{sequence}".encode()


# x/upgrade: a store of its own, which counterparties prove against when a chain moves to its next revision
UPGRADE_STORE_NAME = "upgrade"
UPGRADE_PLAN = b"\x00"


def upgraded_client_path(plan_height: int) -> bytes:
    """-> Any(ClientState) of the next revision."""
    return f"upgradedIBCState/{plan_height}/upgradedClient".encode()


def upgraded_consensus_state_path(plan_height: int) -> bytes:
    """-> Any(ConsensusState) that the next revision starts from."""
    return f"upgradedIBCState/{plan_height}/upgradedConsState".encode()


# IBC v2: counterparties and packets of clients
COMMITMENT_V2 = b"\x01"
RECEIPT_V2 = b"\x02"
ACKNOWLEDGEMENT_V2 = b"\x03"
ASYNC_PACKET = b"async_packet"


@lru_cache(1024)
def client_counterparty_path(client_id: str) -> bytes:
    """-> CounterpartyInfo."""
    return f"clients/{client_id}/counterparty".encode()


@lru_cache(1024)
def client_config_path(client_id: str) -> bytes:
    """-> Config: who may relay."""
    return f"clients/{client_id}/config".encode()


@lru_cache(1024)
def next_sequence_send_v2_path(client_id: str) -> bytes:
    """-> BE8 sequence of the next packet sent over the client (key of ibc-go v10.7 to v11.2)."""
    return f"nextSequenceSend/{client_id}".encode()


def packet_commitment_v2_prefix(client_id_on_a: str) -> bytes:
    """Prefix of the commitments of packets sent over a client; sequences follow."""
    return client_id_on_a.encode() + COMMITMENT_V2


def packet_commitment_v2_path(client_id_on_a: str, sequence: int) -> bytes:
    """-> 32-byte commitment, on the sending chain."""
    return packet_commitment_v2_prefix(client_id_on_a) + be8(sequence)


def packet_receipt_v2_path(client_id_on_b: str, sequence: int) -> bytes:
    """-> 0x02, on the receiving chain."""
    return client_id_on_b.encode() + RECEIPT_V2 + be8(sequence)


def packet_acknowledgement_v2_prefix(client_id_on_b: str) -> bytes:
    """Prefix of the acknowledgements of packets received over a client; sequences follow."""
    return client_id_on_b.encode() + ACKNOWLEDGEMENT_V2


def packet_acknowledgement_v2_path(client_id_on_b: str, sequence: int) -> bytes:
    """-> 32-byte acknowledgement commitment, on the receiving chain."""
    return packet_acknowledgement_v2_prefix(client_id_on_b) + be8(sequence)


def async_packet_path(client_id_on_b: str, sequence: int) -> bytes:
    """-> v2 Packet that is not acknowledged yet, on the receiving chain."""
    return client_id_on_b.encode() + ASYNC_PACKET + be8(sequence)


def prefix_end(prefix: bytes) -> bytes | None:
    """The first key after all keys with `prefix`; None if there is none."""
    trimmed = prefix.rstrip(b"\xff")
    return trimmed[:-1] + bytes([trimmed[-1] + 1]) if trimmed else None
