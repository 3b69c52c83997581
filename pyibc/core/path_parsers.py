"""Parsers of `ibc` store keys, for queries, exports and indexes; the inverse of `paths`."""

from pyibc.core.errors import InvalidHeight
from pyibc.core.height import Height, parse_height
from pyibc.core.numbers import parse_u64
from pyibc.core.paths import CLIENTS


def split_client_state_path(below: bytes) -> str | None:
    """Return the client id of a client state's key below `CLIENTS`; None for a client's other keys."""
    client_id, slash, rest = below.partition(b"/")
    return _text(client_id) if slash and rest == b"clientState" else None


def split_height(below: bytes) -> Height | None:
    """Return the height in a consensus state's key below `consensus_states_prefix`; None for other keys."""
    try:
        return parse_height(_text(below) or "")
    except InvalidHeight:
        return None


def split_connection_path(below: bytes) -> str | None:
    """Return the connection id in a connection's key below `CONNECTIONS`."""
    return None if b"/" in below else _text(below)


def split_channel_path(below: bytes) -> tuple[str, str] | None:
    """Return the port and channel id in a channel's key below `CHANNEL_ENDS`."""
    parts = (_text(below) or "").split("/")
    if len(parts) != 4 or parts[0] != "ports" or parts[2] != "channels":
        return None
    return parts[1], parts[3]


def split_packet_path(below: bytes) -> tuple[str, str, int] | None:
    """Return the port, channel id and sequence in a packet's key below its prefix (`acks/`, ...)."""
    parts = (_text(below) or "").split("/")
    sequence = parse_u64(parts[-1])
    if len(parts) != 6 or parts[::2] != ["ports", "channels", "sequences"] or sequence is None:
        return None
    return parts[1], parts[3], sequence


def split_client_path(key: bytes) -> tuple[str, bytes] | None:
    """Return the client id in a key below `CLIENTS`, and the rest of the key."""
    name, slash, below = key.removeprefix(CLIENTS).partition(b"/")
    client_id = _text(name)
    return (client_id, below) if key.startswith(CLIENTS) and slash and below and client_id else None


def split_packet_v2_path(key: bytes, tag: bytes) -> tuple[str, int] | None:
    """Return the client id and sequence in an IBC v2 packet's key, which has `tag` between them."""
    client_id, sequence = _text(key[: -8 - len(tag)]), split_sequence_v2(key[-8:])
    if client_id is None or "/" in client_id or sequence is None or key[-8 - len(tag) : -8] != tag:
        return None
    return client_id, sequence


def split_sequence(below: bytes) -> int | None:
    """Return the sequence in a packet's key below its channel's prefix."""
    return parse_u64(_text(below) or "")


def split_sequence_v2(below: bytes) -> int | None:
    """Return the sequence in an IBC v2 packet's key below its client's prefix: eight bytes, never 0."""
    return int.from_bytes(below, "big") or None if len(below) == 8 else None


def _text(below: bytes) -> str | None:
    """Return a key's part as text; None if it is empty or not ASCII."""
    return below.decode("ascii") if below and below.isascii() else None
