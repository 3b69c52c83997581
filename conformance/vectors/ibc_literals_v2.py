"""Literals of IBC v2 in ibc-go's tests: commitments of packets and acknowledgements, and keys."""

from collections.abc import Callable
from typing import Any

from conformance.case import expect
from pyibc.apps.transfer import packet_data
from pyibc.core import paths
from pyibc.core.packet_v2.types import (
    SENTINEL,
    PacketV2,
    Payload,
    acknowledgement_commitment,
    packet_commitment,
)

_Case = dict[str, Any]
_SENTINEL_TEXT = 'sha256("UNIVERSAL_ERROR_ACKNOWLEDGEMENT")'


def completed(rows: list[_Case]) -> list[_Case]:
    """Complete rows that say "the same packet" with the packet of the row before."""
    whole: list[_Case] = []
    for row in rows:
        whole.append(row if "same_packet_abi_encoding" not in row else {**row, "packet": whole[-1]["packet"]})
    return whole


def _packet(row: _Case) -> None:
    raw = row["packet"]
    packet = PacketV2(
        sequence=raw["sequence"],
        client_id_on_a=raw["source_client"],
        client_id_on_b=raw["destination_client"],
        timeout_s_on_b=raw["timeout_timestamp"],
        payloads=tuple(_payload(each, row.get("same_packet_abi_encoding")) for each in raw["payloads"]),
    )
    expect(packet_commitment(packet).hex(), row["commitment"])


def _payload(raw: _Case, encoding: str | None) -> Payload:
    """Return the payload, or the payload with its data in another encoding."""
    args = raw["source_port"], raw["destination_port"], raw["version"]
    payload = Payload(*args, raw["encoding"], raw["value_utf8"].encode())
    if encoding is None:
        return payload
    return Payload(*args, encoding, packet_data.encode_payload(packet_data.decode_payload(payload), encoding))


def _acknowledgement(row: _Case) -> None:
    if "app_acks_hex" in row:
        entries = tuple(bytes.fromhex(each) for each in row["app_acks_hex"])
    else:
        expect(row["app_acks"], [_SENTINEL_TEXT])
        entries = (SENTINEL,)
    expect(acknowledgement_commitment(entries).hex(), row["commitment"])


def _keys(row: _Case) -> None:
    name = row["id"], row["sequence"]
    expect(paths.packet_commitment_v2_path(*name).hex(), row["commitment_key"])
    expect(paths.packet_receipt_v2_path(*name).hex(), row["receipt_key"])
    expect(paths.packet_acknowledgement_v2_path(*name).hex(), row["ack_key"])


TABLES: dict[str, Callable[[_Case], None]] = {
    "v2_packet_commitment": _packet,
    "v2_ack_commitment": _acknowledgement,
    "v2_keys": _keys,
}
