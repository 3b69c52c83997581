"""Literals in the tests of ibc-go and ibc-rs: commitments, acknowledgements, addresses, coin names."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from conformance.case import Cases, expect, table_cases
from conformance.files import json_in
from conformance.vectors import ibc_literals_v2
from pyibc.apps.transfer.coins import escrow_address
from pyibc.apps.transfer.denom import parse_denom
from pyibc.core.address import AddressCodec, module_address
from pyibc.core.errors import IbcError
from pyibc.core.height import Height
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet.acknowledgement import Acknowledgement
from pyibc.core.packet.types import Packet, acknowledgement_commitment, packet_commitment

_Case = dict[str, Any]
_ADDRESSES = AddressCodec("cosmos")


def cases_of(path: Path) -> Cases | None:
    """Return the cases of a file with tables of literals; None for any other file."""
    found = json_in(path)
    if not isinstance(found, dict) or not found.keys() & _TABLES.keys():
        return None
    return table_cases({name: ibc_literals_v2.completed(rows) for name, rows in found.items()}, _TABLES)


def _packet(row: _Case) -> None:
    height = row["timeout_height"]
    packet = Packet(
        sequence=1,
        port_id_on_a="transfer",
        channel_id_on_a="channel-0",
        port_id_on_b="transfer",
        channel_id_on_b="channel-0",
        data=bytes.fromhex(row["data_hex"]),
        timeout_height_on_b=Height(height["revision_number"], height["revision_height"]),
        timeout_ns_on_b=row["timeout_timestamp"],
    )
    expect(packet_commitment(packet).hex(), row["commitment"])


def _ack_commitment(row: _Case) -> None:
    expect(acknowledgement_commitment(bytes.fromhex(row["ack_hex"])).hex(), row["commitment"])


def _ack_bytes(row: _Case) -> None:
    expected = row["bytes"].encode()
    if "result_hex" in row:
        expect(acks.success(bytes.fromhex(row["result_hex"])), expected)
    elif "error_abci_code" in row:
        expect(acks.failure(_error(row["error_abci_code"])), expected)
    else:  # with a codespace: written by other applications, and read by ours
        codespace, code = row["codespace_error"]
        text = f"ABCI error: {codespace}/{code}: error handling packet: see events for details"
        expect(acks.parse(expected), Acknowledgement(None, text))
    acks.check_canonical(expected)


def _error(number: int) -> IbcError:
    class Coded(IbcError):
        code = number

    return Coded()


def _escrow(row: _Case) -> None:
    expect(_ADDRESSES.encode(escrow_address(row["port"], row["channel"])).text, row["bech32"])


def _module_account(row: _Case) -> None:
    expect(_ADDRESSES.encode(module_address(row["name"])).text, row["bech32"])


def _denom(row: _Case) -> None:
    expect(parse_denom(row["path"]).coin_denom, row["ibc"])


_TABLES: dict[str, Callable[[_Case], None]] = {
    "v1_packet_commitment": _packet,
    "v1_ack_commitment": _ack_commitment,
    "v1_ack_bytes": _ack_bytes,
    "escrow": _escrow,
    "module_accounts_from_memory_verified_by_hash": _module_account,
    "denom": _denom,
    **ibc_literals_v2.TABLES,
}
