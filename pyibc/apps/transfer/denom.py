"""Denominations and their traces (ICS-20).

`transfer/channel-1/transfer/channel-0/uatom` is `uatom` that came over two channels, the last hop first. The
bank's name of such a coin is `ibc/` and the SHA-256 of that path. Counterparty chains choose paths: all
functions here take linear time, and only results for short paths are cached.
"""

import re
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

from pyibc.codec.gojson import marshal_string
from pyibc.core.coin import is_denom
from pyibc.core.errors import InvalidCoins, InvalidDenomForTransfer
from pyibc.core.identifiers import (
    LOCALHOST_CLIENT_ID,
    is_blank,
    is_channel_id,
    parse_numbered,
    validate_channel_id,
    validate_port_id,
)
from pyibc.core.value import sealed, value
from pyibc.core.wire.states import read
from pyibc.proto.ibc.applications.transfer.v1 import token_pb2

_hash = re.compile(r"[0-9a-fA-F]{64}").fullmatch


def validate_ibc_denom(text: str) -> None:
    """Check the bank's name of a coin to send.

    Raises:
        InvalidCoins: it is not a coin's name, or begins with `ibc/` and is not followed by 64 hexadecimal
            digits.
    """
    if not is_denom(text) or text == "ibc" or (text.startswith("ibc/") and not _hash(text[4:])):
        raise InvalidCoins(text[:64])


def parse_hash(text: str) -> bytes | None:
    """Return the 32 bytes of HASH in `ibc/HASH` (upper or lower case), None if it is malformed."""
    return bytes.fromhex(text) if _hash(text) else None


MAX_CACHED_PATH = 512
"""Maximal length, in characters, of a path whose result is cached: bounds memory under hostile input."""

_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_CLIENT_TYPE = _WORD | {"-"}


@sealed
class Hop(NamedTuple):
    """One hop of a trace: port and channel on the chain that received the coin."""

    port_id: str
    channel_id: str  # or a client id, on IBC v2


@value
class Denom:
    """Denomination with its derived forms; build it with `make_denom`."""

    base: str
    trace: tuple[Hop, ...]
    path: str
    """The hops and the base, separated by slashes."""
    digest: bytes
    """SHA-256 of the path: the key in the transfer store."""
    hash_text: str
    """Digest in upper-case hexadecimal."""
    coin_denom: str
    """Bank's name of the coin on this chain: `ibc/HASH`, or the base if there is no hop."""
    json: str
    """JSON form, as in ibc-go's events."""

    @classmethod
    def of(cls, base: str, trace: tuple[Hop, ...]) -> "Denom":
        """Build the denomination of a base and its hops."""
        path = "".join([f"{port_id}/{channel_id}/" for port_id, channel_id in trace]) + base
        digest = sha256(path.encode()).digest()
        hash_text = digest.hex().upper()
        coin_denom = f"ibc/{hash_text}" if trace else base
        return cls(base, trace, path, digest, hash_text, coin_denom, _json(base, trace))

    def __hash__(self) -> int:
        return hash(self.path)

    def __repr__(self) -> str:
        return f"Denom({self.base!a}, {self.trace!a})"

    def validate(self) -> None:
        """Check base and hops.

        Raises:
            InvalidDenomForTransfer: the base is blank.
            InvalidIdentifier: a hop's port or channel is malformed.
        """
        if is_blank(self.base):
            raise InvalidDenomForTransfer(self.path[:64], "blank base")
        for port_id, channel_id in self.trace:
            validate_port_id(port_id)
            validate_channel_id(channel_id)


def _json(base: str, trace: tuple[Hop, ...]) -> str:
    hops = b",".join(
        [b'{"port_id":%b,"channel_id":%b}' % (marshal_string(p), marshal_string(c)) for p, c in trace]
    )
    return (b'{"base":%b,"trace":%b}' % (marshal_string(base), b"[%b]" % hops if trace else b"null")).decode()


_made = lru_cache(4096)(Denom.of)


def make_denom(base: str, trace: tuple[Hop, ...] = ()) -> Denom:
    """Return the denomination of a base and its hops, the last hop first; cached if short."""
    size = len(base) + 64 * len(trace)
    return _made(base, trace) if size <= MAX_CACHED_PATH else Denom.of(base, trace)


def native(coin_denom: str) -> Denom:
    """Return a denomination without hops, even if the coin's name looks like a voucher's path."""
    return make_denom(coin_denom)


def parse_denom(path: str) -> Denom:
    """Split a full path into hops and base, as ibc-go's ExtractDenomFromPath; every text has a result.

    A pair is a hop as long as its second part looks like a channel id (`channel-N`) or a client id
    (`{client-type}-N`). The remainder, slashes included, is the base. Call `validate` on the result.
    """
    return _parsed(path) if len(path) <= MAX_CACHED_PATH else _parse(path)


def _parse(path: str) -> Denom:
    parts = path.split("/")
    if len(parts) <= 2:
        return make_denom(path)
    end = 0
    while end + 1 < len(parts) and _is_hop_channel(parts[end + 1]):
        end += 2
    trace = tuple([Hop(parts[at], parts[at + 1]) for at in range(0, end, 2)])
    return make_denom("/".join(parts[end:]), trace)


_parsed = lru_cache(4096)(_parse)


def _is_hop_channel(text: str) -> bool:
    """Return whether ibc-go takes `text` for a channel or client id; `validate` checks the length."""
    if is_channel_id(text) or text == LOCALHOST_CLIENT_ID:
        return True
    client_type, dash, digits = text.rpartition("-")
    if not dash or parse_numbered(f"-{digits}"[:64], "-") is None or not client_type:
        return False
    return client_type[0] in _WORD and client_type[-1] in _WORD and _CLIENT_TYPE.issuperset(client_type)


def encode_denom(denom: Denom) -> bytes:
    """Encode as ibc.applications.transfer.v1.Denom, the transfer store's value."""
    hops = [token_pb2.Hop(port_id=port_id, channel_id=channel_id) for port_id, channel_id in denom.trace]
    return token_pb2.Denom(base=denom.base, trace=hops).SerializeToString()


def decode_denom(raw: bytes) -> Denom:
    """Decode a value of the transfer store.

    Raises:
        CorruptState: `raw` is no such message.
    """
    return _decoded(raw) if len(raw) <= MAX_CACHED_PATH else _decode(raw)


def _decode(raw: bytes) -> Denom:
    stored = read(token_pb2.Denom, raw)
    return make_denom(stored.base, tuple([Hop(hop.port_id, hop.channel_id) for hop in stored.trace]))


_decoded = lru_cache(4096)(_decode)
