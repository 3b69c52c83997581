"""Genesis sections of IBC v2, `client_v2_genesis` and `channel_v2_genesis`: counterparties and packets.

The allowed relayers of a client are part of its metadata, as in ibc-go.
"""

from collections.abc import Callable, Iterable
from typing import Any

from pyibc.codec.encoding import encode
from pyibc.core import paths
from pyibc.core.genesis import Entry, Section, require, require_new
from pyibc.core.identifiers import validate_client_id
from pyibc.core.numbers import be8
from pyibc.core.packet_v2.types import RECEIPT
from pyibc.core.setup_error import InvalidGenesis
from pyibc.proto.ibc.core.channel.v2 import genesis_pb2 as channel_pb2
from pyibc.proto.ibc.core.client.v2 import counterparty_pb2
from pyibc.proto.ibc.core.client.v2 import genesis_pb2 as client_pb2

CLIENT_PART = "client_v2_genesis"
CHANNEL_PART = "channel_v2_genesis"


def _read_counterparty(key: bytes, value: bytes) -> client_pb2.GenesisCounterpartyInfo | None:
    found = paths.split_client_path(key)
    if found is None or key != paths.client_counterparty_path(found[0]):
        return None
    info = counterparty_pb2.CounterpartyInfo.FromString(value)
    return client_pb2.GenesisCounterpartyInfo(client_id=found[0], counterparty_info=info)


def _counterparty(item: client_pb2.GenesisCounterpartyInfo) -> Iterable[Entry]:
    yield paths.client_counterparty_path(item.client_id), encode(item.counterparty_info)


def _packets(field: str, tag: bytes, path: Callable[[str, int], bytes]) -> Section:
    """Build the section of the packet entries with `tag` in their keys."""

    def read(key: bytes, value: bytes) -> channel_pb2.PacketState | None:
        name = paths.split_packet_v2_path(key, tag)
        return name and channel_pb2.PacketState(client_id=name[0], sequence=name[1], data=value)

    def entries(item: channel_pb2.PacketState) -> Iterable[Entry]:
        yield path(item.client_id, item.sequence), RECEIPT if field == "receipts" else item.data

    return Section(CHANNEL_PART, field, read, entries)


def _read_sequence(key: bytes, value: bytes) -> channel_pb2.PacketSequence | None:
    prefix = paths.NEXT_SEQUENCE_SEND
    client_id = paths.split_connection_path(key.removeprefix(prefix)) if key.startswith(prefix) else None
    if client_id is None or len(value) != 8:
        return None
    return channel_pb2.PacketSequence(client_id=client_id, sequence=int.from_bytes(value, "big"))


def _sequence(item: channel_pb2.PacketSequence) -> Iterable[Entry]:
    yield paths.next_sequence_send_v2_path(item.client_id), be8(item.sequence)


PACKETS = (
    _packets("acknowledgements", paths.ACKNOWLEDGEMENT_V2, paths.packet_acknowledgement_v2_path),
    _packets("commitments", paths.COMMITMENT_V2, paths.packet_commitment_v2_path),
    _packets("receipts", paths.RECEIPT_V2, paths.packet_receipt_v2_path),
    _packets("async_packets", paths.ASYNC_PACKET, paths.async_packet_path),
)
SECTIONS = (
    Section(CLIENT_PART, "counterparty_infos", _read_counterparty, _counterparty),
    *PACKETS,
    Section(CHANNEL_PART, "send_sequences", _read_sequence, _sequence),
)


def check(clients: client_pb2.GenesisState, channels: channel_pb2.GenesisState) -> None:
    """Check what ibc-go's two `GenesisState.Validate` check, and that there are no duplicates.

    Raises:
        InvalidGenesis: an entry is malformed or inconsistent.
    """
    seen: set[str] = set()
    for number, item in enumerate(clients.counterparty_infos):
        key = f"ibc.{CLIENT_PART}.counterparty_infos[{number}]"
        require(validate_client_id, item.client_id, f"{key}.client_id")
        require_new(item.client_id, seen, f"{key}.client_id")
        if not item.counterparty_info.merkle_prefix:
            raise InvalidGenesis(f"{key}.counterparty_info.merkle_prefix", [], "is empty")
    for section in PACKETS:
        _check_list(section.field, getattr(channels, section.field))
    _check_list("send_sequences", channels.send_sequences)


def _check_list(field: str, items: Iterable[Any]) -> None:
    """Check a list of packet entries or of sequences."""
    seen: set[Any] = set()
    for number, item in enumerate(items):
        key = f"ibc.{CHANNEL_PART}.{field}[{number}]"
        require(validate_client_id, item.client_id, f"{key}.client_id")
        if item.sequence == 0:
            raise InvalidGenesis(f"{key}.sequence", 0, "is zero")
        of_packets = isinstance(item, channel_pb2.PacketState)
        require_new((item.client_id, of_packets and item.sequence), seen, key)
        if of_packets and not item.data:
            raise InvalidGenesis(f"{key}.data", "", "is empty")
