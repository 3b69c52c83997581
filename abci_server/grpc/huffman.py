"""The Huffman code of HPACK (RFC 7541, appendix B). It is canonical: lengths say everything."""

from abci_server.grpc.errors import BadHeaders

_LENGTHS = bytes.fromhex(
    "0d171c1c1c1c1c1c1c181e1c1c1e1c1c1c1c1c1c1c1c1e1c1c1c1c1c1c1c1c1c060a0a0c0d06080b0a0a080b08060606"
    "0505050606060606060607080f060c0a0d06070707070707070707070707070707070707070707070807080d130d0e06"
    "0f05060506050606060507070606060506070605050607070707070f0b0e0d1c14161414161616171617171717171817"
    "181816171817171717151617161717181615141616171715171616181516171715151615171617171416161617161617"
    "1a1a1413161716191a1a1a1b1b1a181913151a1b1b1a1b1815151a1a1c1b1b1b14181415161515171616191918181a17"
    "1a1b1a1a1b1b1b1b1b1c1b1b1b1b1b1a1e"
)
"""Bits of each symbol's code: the 256 bytes, then the end of a string."""
_END = 256


def _codes() -> dict[tuple[int, int], int]:
    """Symbols by length and code: of each length in the symbols' order, as canonical codes are made."""
    found, code, before = {}, 0, 0
    for length, symbol in sorted((length, symbol) for symbol, length in enumerate(_LENGTHS)):
        code <<= length - before
        found[length, code] = symbol
        code, before = code + 1, length
    return found


_SYMBOLS = _codes()


def decode(raw: bytes) -> bytes:
    """The text of a coded string.

    Raises:
        BadHeaders: it holds the code for the end, or does not end in less than eight bits of padding, all 1.
    """
    text = bytearray()
    code = length = 0
    for byte in raw:
        for bit in range(7, -1, -1):
            code, length = code << 1 | byte >> bit & 1, length + 1
            symbol = _SYMBOLS.get((length, code))
            if symbol is None:
                continue
            if symbol == _END:
                raise BadHeaders("a string holds the code for its end")
            text.append(symbol)
            code = length = 0
    if length > 7 or code != (1 << length) - 1:
        raise BadHeaders("a string is cut off, or padded with other than ones")
    return bytes(text)
