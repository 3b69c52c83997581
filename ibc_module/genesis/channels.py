"""Genesis section `channel_genesis` (ICS-4): channels, their sequences, and their packets."""

from collections.abc import Callable, Iterable
from typing import Any

from pyibc.codec.encoding import encode
from pyibc.core import paths
from pyibc.core.channel.types import ChannelState, Order
from pyibc.core.genesis import Entry, Section, counter, require, require_new, require_next
from pyibc.core.identifiers import (
    parse_numbered,
    validate_channel_id,
    validate_connection_id,
    validate_port_id,
)
from pyibc.core.numbers import be8
from pyibc.core.packet.types import RECEIPT
from pyibc.core.setup_error import InvalidGenesis
from pyibc.proto.ibc.core.channel.v1 import channel_pb2, genesis_pb2

PART = "channel_genesis"
_KEY = f"ibc.{PART}"
_SHARED = ("state", "ordering", "counterparty", "connection_hops", "version")
_STATES = frozenset(state.value for state in ChannelState)
_ORDERS = frozenset((Order.UNORDERED.value, Order.ORDERED.value))


def _read_channel(key: bytes, value: bytes) -> channel_pb2.IdentifiedChannel | None:
    if not key.startswith(paths.CHANNEL_ENDS):
        return None
    name = paths.split_channel_path(key.removeprefix(paths.CHANNEL_ENDS))
    if name is None:
        return None
    end = channel_pb2.Channel.FromString(value)
    shared = {field: getattr(end, field) for field in _SHARED}
    return channel_pb2.IdentifiedChannel(port_id=name[0], channel_id=name[1], **shared)


def _channel(item: channel_pb2.IdentifiedChannel) -> Iterable[Entry]:
    shared = {field: getattr(item, field) for field in _SHARED}
    yield paths.channel_path(item.port_id, item.channel_id), encode(channel_pb2.Channel(**shared))


def _packets(field: str, prefix: bytes, path: Callable[[str, str, int], bytes]) -> Section:
    """Build the section of the packet entries below `prefix`."""

    def read(key: bytes, value: bytes) -> channel_pb2.PacketState | None:
        name = paths.split_packet_path(key.removeprefix(prefix)) if key.startswith(prefix) else None
        if name is None:
            return None
        return channel_pb2.PacketState(port_id=name[0], channel_id=name[1], sequence=name[2], data=value)

    def entries(item: channel_pb2.PacketState) -> Iterable[Entry]:
        data = RECEIPT if field == "receipts" else item.data
        yield path(item.port_id, item.channel_id, item.sequence), data

    return Section(PART, field, read, entries)


def _sequences(field: str, prefix: bytes, path: Callable[[str, str], bytes]) -> Section:
    """Build the section of the channels' next sequences below `prefix`."""

    def read(key: bytes, value: bytes) -> genesis_pb2.PacketSequence | None:
        name = paths.split_channel_path(key.removeprefix(prefix)) if key.startswith(prefix) else None
        if name is None or len(value) != 8:
            return None
        number = int.from_bytes(value, "big")
        return genesis_pb2.PacketSequence(port_id=name[0], channel_id=name[1], sequence=number)

    def entries(item: genesis_pb2.PacketSequence) -> Iterable[Entry]:
        yield path(item.port_id, item.channel_id), be8(item.sequence)

    return Section(PART, field, read, entries)


PACKETS = (
    _packets("acknowledgements", paths.PACKET_ACKNOWLEDGEMENTS, paths.packet_acknowledgement_path),
    _packets("commitments", paths.PACKET_COMMITMENTS, paths.packet_commitment_path),
    _packets("receipts", paths.PACKET_RECEIPTS, paths.packet_receipt_path),
)
SEQUENCES = (
    _sequences("send_sequences", paths.NEXT_SEQUENCE_SEND, paths.next_sequence_send_path),
    _sequences("recv_sequences", paths.NEXT_SEQUENCE_RECV, paths.next_sequence_recv_path),
    _sequences("ack_sequences", paths.NEXT_SEQUENCE_ACK, paths.next_sequence_ack_path),
)
SECTIONS = (
    Section(PART, "channels", _read_channel, _channel),
    *PACKETS,
    *SEQUENCES,
    counter(PART, "next_channel_sequence", paths.NEXT_CHANNEL_SEQUENCE),
)


def check(state: genesis_pb2.GenesisState) -> None:
    """Check what ibc-go's `GenesisState.Validate` checks, and that there are no duplicates.

    Raises:
        InvalidGenesis: an entry is malformed or inconsistent.
    """
    seen: set[Any] = set()
    used = []
    for number, item in enumerate(state.channels):
        key = f"{_KEY}.channels[{number}]"
        require_new((item.port_id, item.channel_id), seen, f"{key}.channel_id")
        used += _number(item.channel_id, f"{key}.channel_id")
        _check_channel(item, key)
    require_next(state.next_channel_sequence, used, f"{_KEY}.next_channel_sequence")
    for section in (*PACKETS, *SEQUENCES):
        _check_list(section.field, getattr(state, section.field))


def _number(channel_id: str, key: str) -> list[int]:
    """Return the counter value in an identifier, [] for a chosen identifier (ADR 0013)."""
    # guard: h302-a-channel-of-any-name-is-imported test_h302_a_name_that_no_chain_can_give_is_refused
    require(validate_channel_id, channel_id, key)
    number = parse_numbered(channel_id, "channel-")
    # guard: h302-a-chosen-channel-ends-the-export {[] => [2**64]}
    #   test_h302_a_chain_with_chosen_names_goes_on
    return [] if number is None else [number]


def _check_channel(item: channel_pb2.IdentifiedChannel, key: str) -> None:
    require(validate_port_id, item.port_id, f"{key}.port_id")
    require(validate_port_id, item.counterparty.port_id, f"{key}.counterparty.port_id")
    if item.counterparty.channel_id:
        require(validate_channel_id, item.counterparty.channel_id, f"{key}.counterparty.channel_id")
    if item.state not in _STATES:
        raise InvalidGenesis(f"{key}.state", item.state, "is not a channel state")
    if item.ordering not in _ORDERS:
        raise InvalidGenesis(f"{key}.ordering", item.ordering, "is not a channel ordering")
    if len(item.connection_hops) != 1:
        raise InvalidGenesis(f"{key}.connection_hops", list(item.connection_hops), "is not one connection")
    require(validate_connection_id, item.connection_hops[0], f"{key}.connection_hops[0]")


def _check_list(field: str, items: Iterable[Any]) -> None:
    """Check a list of packet entries or of sequences."""
    seen: set[Any] = set()
    for number, item in enumerate(items):
        key = f"{_KEY}.{field}[{number}]"
        require(validate_port_id, item.port_id, f"{key}.port_id")
        require(validate_channel_id, item.channel_id, f"{key}.channel_id")
        if item.sequence == 0:
            raise InvalidGenesis(f"{key}.sequence", 0, "is zero")
        of_packets = isinstance(item, channel_pb2.PacketState)
        require_new((item.port_id, item.channel_id, of_packets and item.sequence), seen, key)
        if of_packets and not item.data:
            raise InvalidGenesis(f"{key}.data", "", "is empty")
