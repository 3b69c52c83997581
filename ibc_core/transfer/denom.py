"""Denominations and the way they came (ICS-20).

`transfer/channel-1/transfer/channel-0/uatom` is `uatom` that came over two channels, the last hop first. On a
chain it is a coin named `ibc/` and the SHA-256 of that path. Paths come from other chains: everything here is
linear in their length, and memos are kept of short ones only.
"""

from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

from ibc_core.errors import InvalidDenomForTransfer
from ibc_core.identifiers import (
    LOCALHOST_CLIENT_ID,
    is_blank,
    is_channel_id,
    parse_numbered,
    validate_channel_id,
    validate_port_id,
)
from ibc_core.value import sealed, value
from ibc_core.wire.gojson import marshal_string
from ibc_core.wire.states import read
from ibc_proto.ibc.applications.transfer.v1 import token_pb2

REMEMBERED = 512
"""Characters of a path up to which results are remembered: a memo of hostile paths must stay small."""

_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_CLIENT_TYPE = _WORD | {"-"}


@sealed
class Hop(NamedTuple):
    """One step of a coin's way: where this or an earlier chain received it."""

    port_id: str
    channel_id: str  # or a client id, on IBC v2


@value
class Denom:
    """A denomination with its other forms; `make_denom` makes it."""

    base: str
    trace: tuple[Hop, ...]
    path: str
    """The hops and the base, separated by slashes."""
    digest: bytes
    """SHA-256 of the path: the key in the transfer store."""
    hash_text: str
    """The digest in upper-case hexadecimal."""
    coin_denom: str
    """The coin's name on this chain: `ibc/HASH`, or the base itself where it came over no channel."""
    json: str
    """As ibc-go's events show it."""

    @classmethod
    def of(cls, base: str, trace: tuple[Hop, ...]) -> "Denom":
        """The denomination of a base and its hops."""
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
        """Checks base and hops.

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
    """The denomination of a base and its hops, the last hop first."""
    size = len(base) + 64 * len(trace)
    return _made(base, trace) if size <= REMEMBERED else Denom.of(base, trace)


def native(coin_denom: str) -> Denom:
    """A coin of this chain that is no voucher, whatever its name looks like."""
    return make_denom(coin_denom)


def parse_denom(path: str) -> Denom:
    """Splits a full path into hops and base, as ibc-go's ExtractDenomFromPath: total on all texts.

    A pair is a hop as long as its second part looks like a channel id (`channel-N`) or a client id
    (`{client-type}-N`); the rest, slashes included, is the base. `validate` says whether it is any good.
    """
    return _parsed(path) if len(path) <= REMEMBERED else _parse(path)


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
    """Whether ibc-go takes `text` for a channel or client id: no limit of length here, `validate` has it."""
    if is_channel_id(text) or text == LOCALHOST_CLIENT_ID:
        return True
    client_type, dash, digits = text.rpartition("-")
    if not dash or parse_numbered(f"-{digits}"[:64], "-") is None or not client_type:
        return False
    return client_type[0] in _WORD and client_type[-1] in _WORD and _CLIENT_TYPE.issuperset(client_type)


def encode_denom(denom: Denom) -> bytes:
    """ibc.applications.transfer.v1.Denom, as the transfer store holds it."""
    hops = [token_pb2.Hop(port_id=port_id, channel_id=channel_id) for port_id, channel_id in denom.trace]
    return token_pb2.Denom(base=denom.base, trace=hops).SerializeToString()


def decode_denom(raw: bytes) -> Denom:
    """The denomination that the transfer store holds as `raw`.

    Raises:
        CorruptState: `raw` is no such message.
    """
    return _decoded(raw) if len(raw) <= REMEMBERED else _decode(raw)


def _decode(raw: bytes) -> Denom:
    stored = read(token_pb2.Denom, raw)
    return make_denom(stored.base, tuple([Hop(hop.port_id, hop.channel_id) for hop in stored.trace]))


_decoded = lru_cache(4096)(_decode)
