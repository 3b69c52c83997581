"""Client messages that some client took: relayers send them to the mempool, and the block runs them again.

What is kept is a pure function of the message, so that it serves every client: each still verifies it.
"""

from ibc_core.any_message import AnyMessage
from ibc_core.kept import MEGABYTE, Kept
from light_client.tendermint.seen import SeenHeader
from light_client.tendermint.types import ClientHeader, Misbehaviour

ClientMessage = ClientHeader | SeenHeader | Misbehaviour

TAKEN: Kept[AnyMessage, ClientMessage] = Kept(32 * MEGABYTE)
"""Decoded messages that passed `check_message` and were verified."""

_VOTE, _MEMBER, _HEADER = 350, 500, 3_000
"""Bytes of the objects: of a vote, of a validator with its place, of the rest of a header."""


def headers_of(decoded: ClientMessage) -> tuple[ClientHeader | SeenHeader, ...]:
    """The headers that a message brings."""
    return (decoded.header_1, decoded.header_2) if isinstance(decoded, Misbehaviour) else (decoded,)


def take(message: AnyMessage, decoded: ClientMessage) -> None:
    """Keeps a message that was verified, and what is known of the validators in its headers."""
    if message in TAKEN:
        return
    headers, weight = headers_of(decoded), len(message.value)
    for header in headers:
        weight += _HEADER + _VOTE * header.entries + _MEMBER * header.members
    TAKEN.keep(message, decoded, weight)
    for header in headers:
        if isinstance(header, ClientHeader):
            header.validator_set.keep_members()
