"""Bytes in zlib's format (RFC 1950), as our nodes and relayers tell each other what repeats itself.

Proofs by one header and the events of a block are a seventh of themselves then.
"""

import zlib

FAST = 1
"""Of zlib's levels: the others gain little here."""


class NotDeflated(ValueError):
    """Bytes that are not in zlib's format, not whole, or more than is wanted once they are inflated."""


def deflate(raw: bytes) -> bytes:
    """`raw` in zlib's format."""
    return zlib.compress(raw, FAST)


def inflate(deflated: bytes, most: int) -> bytes:
    """What was deflated, `most` bytes at most: a kilobyte can be a megabyte.

    Raises:
        NotDeflated: it is malformed, or more.
    """
    whole = zlib.decompressobj()
    try:
        # guard: h237-inflated-without-bound drop:most test_h237_a_gigabyte_is_not_made_of_a_megabyte
        #   test_h237_no_more_is_inflated_than_a_block_has
        raw = whole.decompress(deflated, most)
    except zlib.error:
        raise NotDeflated("not in zlib's format") from None
    if not whole.eof or whole.unused_data:
        raise NotDeflated(f"not whole, or more than {most} bytes")
    return raw
