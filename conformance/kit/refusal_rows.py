"""Refusal rows and changes of state shared by the tests of many messages."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from conformance.kit.mutate_state import change_channel, change_connection
from conformance.kit.refusals import Change, Row, mutating, setting
from conformance.kit.sides import side_of
from pyibc.core.errors import InvalidAddress

_NO_SIGNER = {
    "empty": "",
    "blank": "  ",
    "not bech32": "nobody",
    "of another chain": "osmo1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5z5tpwxqergd3c8g7rusqm0c2f6",
    "with a wrong checksum": "cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5aaaaaa",
    "in mixed case": "cosmos1Qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu",
}


def signer_rows() -> list[Row]:
    """Return rows with an invalid signer address."""
    return [
        Row(f"signer {name}", setting(signer=text), InvalidAddress, {"field": "signer", "value": text[:64]})
        for name, text in _NO_SIGNER.items()
    ]


def connected_by(connection_id: str = "", **changes: Any) -> Change:
    """Replace fields of a connection, by default the pair's."""
    return mutating(
        lambda ctx, _: change_connection(ctx, connection_id or side_of(ctx).connection_id, **changes)
    )


def source_channel(**changes: Any) -> Change:
    """Replace fields of the packet's channel end on A."""
    return mutating(
        lambda ctx, msg: change_channel(ctx, msg.packet.port_id_on_a, msg.packet.channel_id_on_a, **changes)
    )


def destination_channel(**changes: Any) -> Change:
    """Replace fields of the packet's channel end on B."""
    return mutating(
        lambda ctx, msg: change_channel(ctx, msg.packet.port_id_on_b, msg.packet.channel_id_on_b, **changes)
    )


def bit_flips(message: Any, proof: str) -> Iterator[Any]:
    """Return copies of the message, each with one bit flipped in a different byte of field `proof`."""
    raw = getattr(message, proof)
    for at in range(len(raw)):
        spoilt = bytearray(raw)
        spoilt[at] ^= 1 << at % 8
        yield replace(message, **{proof: bytes(spoilt)})
