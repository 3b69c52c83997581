"""Classification of acknowledgements: success, error, or application-specific bytes.

ICS-4 defines the envelope `{"result": base64}` or `{"error": text}`. IBC v2 acknowledges each payload and
reserves one value, the universal error acknowledgement, for failed applications.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

import msgspec
from google.protobuf.message import DecodeError

from pyibc.core.packet.acknowledgement import parse
from pyibc.core.packet_v2.types import decode_acknowledgement
from pyibc.indexer.blocks.block import Ack, Tx
from pyibc.proto.cosmos.tx.v1beta1.tx_pb2 import TxBody, TxRaw
from pyibc.proto.ibc.core.channel.v1.tx_pb2 import MsgAcknowledgement

SUCCESS, ERROR, OPAQUE = "success", "error", "opaque"
UNIVERSAL_ERROR = sha256(b"UNIVERSAL_ERROR_ACKNOWLEDGEMENT").digest()  # IBC v2
MAX_DETAIL = 256  # characters of an error that the tables store
_MSG_ACKNOWLEDGEMENT = "/ibc.core.channel.v1.MsgAcknowledgement"


class AckResult(NamedTuple):
    """Status of an acknowledgement, with the text of an error."""

    status: str  # success, error, opaque (bytes that only the application understands)
    detail: str = ""  # text of an error, clipped to `MAX_DETAIL` characters


def classify(acknowledgement: bytes) -> AckResult:
    """Classify the bytes of an acknowledgement by the envelope of ICS-4."""
    if acknowledgement == UNIVERSAL_ERROR:
        return AckResult(ERROR, "universal error acknowledgement")
    try:
        found = msgspec.json.decode(acknowledgement)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _classify_by_module(acknowledgement)
    if not isinstance(found, dict):
        return AckResult(OPAQUE)
    if isinstance(found.get("error"), str) and found["error"]:
        return AckResult(ERROR, found["error"][:MAX_DETAIL])
    return AckResult(SUCCESS if "result" in found else OPAQUE)


def _classify_by_module(acknowledgement: bytes) -> AckResult:
    """Classify an acknowledgement that only Go's JSON reads, for example with invalid UTF-8 in its error."""
    found = parse(acknowledgement)
    if found is None or not (found.success or found.error):
        return AckResult(OPAQUE)
    return AckResult(ERROR, found.error[:MAX_DETAIL]) if found.error else AckResult(SUCCESS)


def classify_v2(encoded: bytes) -> AckResult:
    """Classify an encoded IBC v2 `Acknowledgement`: an error if that of any payload is one."""
    results = [classify(part) for part in decode_acknowledgement(encoded)]
    return next((r for r in results if r.status == ERROR), results[0] if results else AckResult(OPAQUE))


def classify_attributes(found: dict[str, str]) -> AckResult | None:
    """Classify an acknowledgement by the ICS-20 event on the sending chain; None if it has no result."""
    shown = found.get("acknowledgement", "")
    if "error" in found or shown.startswith("error:") or "Acknowledgement_Error" in shown:
        return AckResult(ERROR, (found.get("error") or shown)[:MAX_DETAIL])
    if "success" in found or shown.startswith("result:") or "Acknowledgement_Result" in shown:
        return AckResult(SUCCESS)
    return None


def acknowledgements(tx: Tx) -> dict[tuple[str, str, int], AckResult]:
    """Return the acknowledgements in a transaction's messages by (source port, source channel, sequence)."""
    acks = tx.acks
    if tx.raw and not acks:
        try:
            acks = tuple(_from_raw(tx.raw))
        except DecodeError:  # not a Cosmos SDK transaction: only its events can be used
            return {}
    return {(a.src_port, a.src_channel, a.sequence): classify(a.acknowledgement) for a in acks}


def _from_raw(raw: bytes) -> Iterator[Ack]:
    body = TxBody.FromString(TxRaw.FromString(raw).body_bytes)
    for message in body.messages:
        if message.type_url == _MSG_ACKNOWLEDGEMENT:
            sent = MsgAcknowledgement.FromString(message.value)
            packet = sent.packet
            yield Ack(packet.source_port, packet.source_channel, packet.sequence, sent.acknowledgement)
