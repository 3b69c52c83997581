"""Acknowledgements: success, error, or an application's own bytes.

ICS-4 has the envelope `{"result": base64}` or `{"error": text}`. IBC v2 acknowledges each payload and has one
reserved value for "some application failed".
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

import msgspec
from google.protobuf.message import DecodeError

from ibc_core.packet_v2.states import decode_acknowledgement
from ibc_indexer.blocks import Ack, Tx
from ibc_proto.cosmos.tx.v1beta1.tx_pb2 import TxBody, TxRaw
from ibc_proto.ibc.core.channel.v1.tx_pb2 import MsgAcknowledgement

SUCCESS, ERROR, OPAQUE = "success", "error", "opaque"
UNIVERSAL_ERROR = sha256(b"UNIVERSAL_ERROR_ACKNOWLEDGEMENT").digest()  # IBC v2
MAX_DETAIL = 256  # characters of an error that a table keeps
_MSG_ACKNOWLEDGEMENT = "/ibc.core.channel.v1.MsgAcknowledgement"


class AckResult(NamedTuple):
    """What an acknowledgement says."""

    status: str  # success, error, opaque (bytes that only the application understands)
    detail: str = ""  # an error's text, clipped


def classify(acknowledgement: bytes) -> AckResult:
    """What the bytes of an acknowledgement say, by the envelope of ICS-4."""
    if acknowledgement == UNIVERSAL_ERROR:
        return AckResult(ERROR, "universal error acknowledgement")
    try:
        found = msgspec.json.decode(acknowledgement)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return AckResult(OPAQUE)
    if not isinstance(found, dict):
        return AckResult(OPAQUE)
    if isinstance(found.get("error"), str) and found["error"]:
        return AckResult(ERROR, found["error"][:MAX_DETAIL])
    return AckResult(SUCCESS if "result" in found else OPAQUE)


def classify_v2(encoded: bytes) -> AckResult:
    """What IBC v2's `Acknowledgement`, read from an event, says: an error if any payload's is one."""
    results = [classify(part) for part in decode_acknowledgement(encoded)]
    return next((r for r in results if r.status == ERROR), results[0] if results else AckResult(OPAQUE))


def classify_attributes(found: dict[str, str]) -> AckResult | None:
    """What ICS-20's event at the sender says of the acknowledgement; None if it says nothing."""
    shown = found.get("acknowledgement", "")
    if "error" in found or shown.startswith("error:") or "Acknowledgement_Error" in shown:
        return AckResult(ERROR, (found.get("error") or shown)[:MAX_DETAIL])
    if "success" in found or shown.startswith("result:") or "Acknowledgement_Result" in shown:
        return AckResult(SUCCESS)
    return None


def acknowledgements(tx: Tx) -> dict[tuple[str, str, int], AckResult]:
    """By (source port, source channel, sequence): what the messages of a transaction acknowledge."""
    acks = tx.acks
    if tx.raw and not acks:
        try:
            acks = tuple(_from_raw(tx.raw))
        except DecodeError:  # a chain with transactions of its own: its events must do
            return {}
    return {(a.src_port, a.src_channel, a.sequence): classify(a.acknowledgement) for a in acks}


def _from_raw(raw: bytes) -> Iterator[Ack]:
    body = TxBody.FromString(TxRaw.FromString(raw).body_bytes)
    for message in body.messages:
        if message.type_url == _MSG_ACKNOWLEDGEMENT:
            sent = MsgAcknowledgement.FromString(message.value)
            packet = sent.packet
            yield Ack(packet.source_port, packet.source_channel, packet.sequence, sent.acknowledgement)
