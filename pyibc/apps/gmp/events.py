"""Events of calls, with ibc-go's attributes."""

from base64 import b64encode

from pyibc.apps.gmp.packet_data import GmpPacketData
from pyibc.core.application.v2 import ReceivedV2, SendingV2
from pyibc.core.errors import IbcError
from pyibc.core.host.context import WriteContext

MODULE = ("message", (("module", "gmp"),))
EMPTY_DATA = GmpPacketData("", "", b"", b"", "")
"""Attribute values for a packet that cannot be decoded."""


def emit_sent(ctx: WriteContext, sending: SendingV2, data: GmpPacketData) -> None:
    """Emit the event of a call that is sent."""
    ctx.emit(("ics27_gmp_send_call", _attributes(sending, data)))
    ctx.emit(MODULE)


def emit_received(ctx: WriteContext, received: ReceivedV2, data: GmpPacketData) -> None:
    """Emit the event of a call that was executed."""
    _emit(ctx, received, data, ("success", "true"))


def emit_refused(ctx: WriteContext, received: ReceivedV2, data: GmpPacketData, error: IbcError) -> None:
    """Emit the event of a call that failed."""
    _emit(ctx, received, data, ("success", "false"), ("error", str(error)))


def _emit(ctx: WriteContext, received: ReceivedV2, data: GmpPacketData, *outcome: tuple[str, str]) -> None:
    ctx.emit(("ics27_gmp_recv_packet", (*_attributes(received, data), *outcome)))
    ctx.emit(MODULE)


def _attributes(packet: SendingV2 | ReceivedV2, data: GmpPacketData) -> tuple[tuple[str, str], ...]:
    return (
        ("sender", data.sender),
        ("receiver", data.receiver),
        ("salt", b64encode(data.salt).decode()),
        ("payload", b64encode(data.payload).decode()),
        ("memo", data.memo),
        ("source_client", packet.client_id_on_a),
        ("destination_client", packet.client_id_on_b),
        ("source_port", packet.payload.port_id_on_a),
        ("destination_port", packet.payload.port_id_on_b),
        ("sequence", str(packet.sequence)),
    )
