"""Checks and proofs shared by the packet messages of IBC v2."""

from typing import NamedTuple

from keepers.keepers import Keepers
from light_client.interface import Claim, ProofEffect
from pyibc.core.application.v2 import BoundAppV2
from pyibc.core.errors import InvalidPacketV2, InvalidRoute
from pyibc.core.height import Height
from pyibc.core.host.block import Attribute
from pyibc.core.host.context import ReadContext
from pyibc.core.packet_v2 import events as channel_v2_events
from pyibc.core.packet_v2.types import PacketV2, Payload, encode_packet


class Delivery(NamedTuple):
    """A payload and its application."""

    payload: Payload
    app: BoundAppV2


def deliveries_on_a(keepers: Keepers, payloads: tuple[Payload, ...]) -> tuple[Delivery, ...]:
    """Return the sending applications of a packet's payloads.

    Raises:
        InvalidRoute: no application is bound to a payload's port.
    """
    return tuple([Delivery(each, _app(keepers, each.port_id_on_a)) for each in payloads])


def deliveries_on_b(keepers: Keepers, payloads: tuple[Payload, ...]) -> tuple[Delivery, ...]:
    """Return the receiving applications of a packet's payloads.

    Raises:
        InvalidRoute: no application is bound to a payload's port.
    """
    return tuple([Delivery(each, _app(keepers, each.port_id_on_b)) for each in payloads])


def _app(keepers: Keepers, port_id: str) -> BoundAppV2:
    try:
        return keepers.v2.ports.route(port_id)
    except InvalidRoute as error:
        # guard: panics-of-v2-routes-are-answered {error.as_panic() => error}
        #   test_an_executed_packet_from_a_port_without_an_application_is_no_answer
        raise error.as_panic()  # noqa: B904 - the same error


def check_commitment(stored: bytes, computed: bytes) -> None:
    """Check that the packet matches its commitment.

    Raises:
        InvalidPacketV2: the commitments differ.
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
    """Verify that the counterparty chain has `value` at `merkle_path`, without a delay period.

    Returns:
        The effect for `ClientKeeper.apply_effect` when the message is executed.

    Raises:
        ClientNotActive, ConsensusStateNotFound, InvalidProof, ...: the proof does not verify.
    """
    return keepers.clients.verify_membership(ctx, client_id, Claim(height, proof, merkle_path, value))


def head(packet: PacketV2) -> tuple[Attribute, ...]:
    """Return the attributes common to all events of a packet."""
    return channel_v2_events.packet_attributes(packet, encode_packet(packet))
