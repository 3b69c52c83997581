"""The events of calls, as ibc-go emits them."""

from base64 import b64encode

from ibc_core.application.v2 import ReceivedV2, SendingV2
from ibc_core.gmp.packet_data import GmpPacketData
from ibc_core.host.context import WriteContext

MODULE = ("message", (("module", "gmp"),))
NOTHING = GmpPacketData("", "", b"", b"", "")
"""What events say of a packet that could not be read."""


def emit_sent(ctx: WriteContext, sending: SendingV2, data: GmpPacketData) -> None:
    """A call that leaves."""
    ctx.emit(("ics27_gmp_send_call", _attributes(sending, data)))
    ctx.emit(MODULE)


def emit_received(ctx: WriteContext, received: ReceivedV2, data: GmpPacketData, error: str | None) -> None:
    """A call that came in, and what became of it; `error`: None where it was executed."""
    outcome: tuple[tuple[str, str], ...] = (("success", "true"),)
    if error is not None:
        outcome = (("success", "false"), ("error", error))
    ctx.emit(("ics27_gmp_recv_packet", _attributes(received, data) + outcome))
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
