"""Acknowledgements: success, error, or an application's own bytes.

ICS-4 has the envelope `{"result": base64}` or `{"error": text}`. IBC v2 acknowledges each payload and has one
reserved value for "some application failed".
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

import msgspec

from ibc_indexer import protobuf
from ibc_indexer.blocks import Ack, Tx
from ibc_indexer.errors import MalformedProtobuf

SUCCESS, ERROR, OPAQUE = "success", "error", "opaque"
UNIVERSAL_ERROR = sha256(b"UNIVERSAL_ERROR_ACKNOWLEDGEMENT").digest()  # IBC v2
MAX_DETAIL = 256  # characters of an error that a table keeps
_MSG_ACKNOWLEDGEMENT = b"/ibc.core.channel.v1.MsgAcknowledgement"


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
    """What IBC v2's `Acknowledgement{app_acknowledgements=1}` says: an error if any payload's is one.

    Raises:
        MalformedProtobuf: it is no such message.
    """
    parts = [value for number, value in protobuf.fields(encoded) if number == 1 and isinstance(value, bytes)]
    if not parts:
        raise MalformedProtobuf("an acknowledgement of no payload")
    results = [classify(part) for part in parts]
    return next((r for r in results if r.status == ERROR), results[0])


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
        except MalformedProtobuf:  # a chain with transactions of its own: its events must do
            return {}
    return {(a.src_port, a.src_channel, a.sequence): classify(a.acknowledgement) for a in acks}


def _from_raw(raw: bytes) -> Iterator[Ack]:
    """TxRaw{body=1}, TxBody{messages=1}, Any{type_url=1, value=2}, MsgAcknowledgement{packet=1, ack=2}."""
    body = protobuf.octets(protobuf.message(raw), 1)
    for number, value in protobuf.fields(body):
        if number != 1 or not isinstance(value, bytes):
            continue
        wrapped = protobuf.message(value)
        if wrapped.get(1) != _MSG_ACKNOWLEDGEMENT:
            continue
        sent = protobuf.message(protobuf.octets(wrapped, 2))
        packet = protobuf.message(protobuf.octets(sent, 1))
        yield Ack(
            protobuf.text(packet, 2),
            protobuf.text(packet, 3),
            protobuf.number_of(packet, 1),
            protobuf.octets(sent, 2),
        )
