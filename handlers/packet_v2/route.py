"""Checks and proofs shared by the packet messages of IBC v2."""

from typing import NamedTuple

from ibc_core.application.v2 import BoundAppV2
from ibc_core.errors import InvalidPacketV2
from ibc_core.height import Height
from ibc_core.host.context import ReadContext
from ibc_core.host.events import Attribute
from ibc_core.packet_v2 import events as channel_v2_events
from ibc_core.packet_v2.states import encode_packet
from ibc_core.packet_v2.types import PacketV2, Payload
from keepers.keepers import Keepers
from light_client.interface import Claim, ProofEffect


class Delivery(NamedTuple):
    """A payload and its application."""

    payload: Payload
    app: BoundAppV2


def deliveries_on_a(keepers: Keepers, payloads: tuple[Payload, ...]) -> tuple[Delivery, ...]:
    """The sending applications of a packet's payloads.

    Raises:
        InvalidRoute: no application is bound to a payload's port.
    """
    return tuple([Delivery(each, keepers.v2.ports.route(each.port_id_on_a)) for each in payloads])


def deliveries_on_b(keepers: Keepers, payloads: tuple[Payload, ...]) -> tuple[Delivery, ...]:
    """The receiving applications of a packet's payloads.

    Raises:
        InvalidRoute: no application is bound to a payload's port.
    """
    return tuple([Delivery(each, keepers.v2.ports.route(each.port_id_on_b)) for each in payloads])


def check_commitment(stored: bytes, computed: bytes) -> None:
    """Checks that the packet matches its commitment.

    Raises:
        InvalidPacketV2: it was changed.
    """
    if stored != computed:
        raise InvalidPacketV2(f"commitment {computed.hex()} is not the stored {stored.hex()}")


def verify(
    keepers: Keepers,
    ctx: ReadContext,
    client_id: str,
    height: Height,
    proof: bytes,
    merkle_path: tuple[bytes, ...],
    value: bytes,
) -> ProofEffect | None:
    """Checks that the other chain has `value` at `merkle_path`; there is no delay in IBC v2.

    Returns what `ClientKeeper.settle` must write when the message is executed.

    Raises:
        ClientNotActive, ConsensusStateNotFound, InvalidProof, ...: not proven.
    """
    return keepers.clients.verify_membership(ctx, client_id, Claim(height, proof, merkle_path, value))


def head(packet: PacketV2) -> tuple[Attribute, ...]:
    """The attributes that all events of a packet have."""
    return channel_v2_events.packet_attributes(packet, encode_packet(packet))
