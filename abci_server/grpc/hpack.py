"""Headers of HTTP/2 requests (HPACK, RFC 7541), as far as a server of calls needs them."""

from collections import deque

from abci_server.grpc.errors import BadHeaders
from abci_server.grpc.huffman import decode as decode_huffman

MOST = 16_384
"""Bytes of a decoded list, counted as RFC 7541, 4.1 does, and of a block."""
_TABLE = 4096  # bytes of the dynamic table, as a client may assume without settings
_OVERHEAD = 32
_MOST_KNOWN, _SHORT = 64, 256

Header = tuple[bytes, bytes]

_STATIC: tuple[Header, ...] = (
    (b":authority", b""),
    (b":method", b"GET"),
    (b":method", b"POST"),
    (b":path", b"/"),
    (b":path", b"/index.html"),
    (b":scheme", b"http"),
    (b":scheme", b"https"),
    *((b":status", code) for code in (b"200", b"204", b"206", b"304", b"400", b"404", b"500")),
    (b"accept-charset", b""),
    (b"accept-encoding", b"gzip, deflate"),
    *(
        (name, b"")
        for name in (
            b"accept-language accept-ranges accept access-control-allow-origin age allow authorization"
            b" cache-control content-disposition content-encoding content-language content-length"
            b" content-location content-range content-type cookie date etag expect expires from host if-match"
            b" if-modified-since if-none-match if-range if-unmodified-since last-modified link location"
            b" max-forwards proxy-authenticate proxy-authorization range referer refresh retry-after server"
            b" set-cookie strict-transport-security transfer-encoding user-agent vary via www-authenticate"
        ).split()
    ),
)
"""Appendix A; index 1 is the first."""


class Decoder:
    """Decodes the blocks of one connection in their order: each may name what those before it said."""

    def __init__(self) -> None:
        self._table: deque[Header] = deque()  # the newest first
        self._size = 0
        self._limit = _TABLE
        self._known: dict[bytes, list[Header]] = {}  # what blocks say while the table stays

    def decode(self, block: bytes) -> list[Header]:
        """The names and values of a block.

        Raises:
            BadHeaders: it is malformed, or a list of more than MOST bytes.
        """
        known = self._known.get(block)
        if known is not None:
            return known
        headers, changed = self._read(block)
        if changed:
            self._known.clear()
        elif len(self._known) < _MOST_KNOWN and len(block) < _SHORT:
            self._known[block] = headers
        return headers

    def _read(self, block: bytes) -> tuple[list[Header], bool]:
        headers: list[Header] = []
        at, total, changed = 0, 0, False
        while at < len(block):
            first = block[at]
            if first & 0xE0 == 0x20:
                at = self._resize(block, at, early=not headers)
                changed = True
                continue
            if first & 0x80:
                index, at = _integer(block, at, 7)
                header = self._entry(index)
            else:
                header, at = self._literal(block, at)
                if first & 0x40:
                    self._add(header)
                    changed = True
            total += len(header[0]) + len(header[1]) + _OVERHEAD
            if total > MOST:
                raise BadHeaders(f"headers of more than {MOST} bytes")
            headers.append(header)
        return headers, changed

    def _literal(self, block: bytes, at: int) -> tuple[Header, int]:
        index, at = _integer(block, at, 6 if block[at] & 0x40 else 4)
        if index:
            name = self._entry(index)[0]
        else:
            name, at = _string(block, at)
        value, at = _string(block, at)
        return (name, value), at

    def _entry(self, index: int) -> Header:
        if 0 < index <= len(_STATIC):
            return _STATIC[index - 1]
        if len(_STATIC) < index <= len(_STATIC) + len(self._table):
            return self._table[index - len(_STATIC) - 1]
        raise BadHeaders(f"there is no header {index} in the table")

    def _add(self, header: Header) -> None:
        self._table.appendleft(header)
        self._size += len(header[0]) + len(header[1]) + _OVERHEAD
        self._evict()

    def _resize(self, block: bytes, at: int, *, early: bool) -> int:
        self._limit, at = _integer(block, at, 5)
        if not early or self._limit > _TABLE:
            raise BadHeaders("the table is resized late, or beyond what is allowed")
        self._evict()
        return at

    def _evict(self) -> None:
        while self._size > self._limit:
            name, value = self._table.pop()
            self._size -= len(name) + len(value) + _OVERHEAD


def _integer(block: bytes, at: int, bits: int) -> tuple[int, int]:
    """A number that begins in the last `bits` of a byte (5.1), and where it ends."""
    most = (1 << bits) - 1
    number = block[at] & most
    at += 1
    if number < most:
        return number, at
    for shift in (0, 7, 14):
        if at >= len(block):
            break
        byte = block[at]
        at += 1
        number += (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
    raise BadHeaders("a number is cut off, or longer than a block can need")


def _string(block: bytes, at: int) -> tuple[bytes, int]:
    if at >= len(block):
        raise BadHeaders("a header is cut off")
    coded = block[at] & 0x80
    length, at = _integer(block, at, 7)
    end = at + length
    if end > len(block):
        raise BadHeaders("a string is cut off")
    raw = block[at:end]
    return (decode_huffman(raw) if coded else raw), end
