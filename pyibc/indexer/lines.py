r"""Block lines: encoding of one block as one line of text.

    pyibc1 <crc32> <chain id> <height> <digest> <full|part> <JSON>\n

`crc32` (8 hex digits) covers everything after it up to the newline, so truncated and modified lines are
detected without parsing. `digest` (16 hex digits) covers the results of the block: two records of a block
agree if their digests are equal, even if other fields differ. The JSON contains no raw newline.
"""

import re
import sys
from hashlib import blake2b
from io import BytesIO
from typing import NamedTuple
from zlib import crc32

import msgspec

from pyibc.core.host.block import CommittedBlock
from pyibc.core.numbers import MAX_I64
from pyibc.indexer.blocks import Block, from_committed, to_committed
from pyibc.indexer.errors import MalformedLine
from pyibc.indexer.line_body import body_of, read_body
from pyibc.indexer.lineage.incarnations import ChainKey

MAGIC = b"pyibc1 "
MAX_CHAIN_ID = 128  # bytes; CometBFT allows 50
MAX_LINE = 512 << 20  # bytes; blocks with their results are far smaller

_encode = msgspec.json.encode
_CHAIN = re.compile(rb"[^\x00-\x20\x7f]{1,128}")
_HEIGHT = re.compile(rb"[1-9][0-9]{0,18}")
_INCARNATION = b'{"incarnation":"'
_TIME = rb'[{,]"chain_id":"[^"\\]*","height":[0-9]+,"time_ns":([0-9]{1,19})(?![0-9])'
_HEAD = re.compile(
    rb"(%s) (%s) ([0-9a-f]{16}) (full|part) (?:%s([0-9a-f]{16})\")?(?:%s)?"
    % (_CHAIN.pattern, _HEIGHT.pattern, re.escape(_INCARNATION), _TIME)
)
_HEIGHT_ODD = "the height is not a number in 1..2^63-1"
_DIGITS = 19  # of the highest height


class LineHead(NamedTuple):
    """Fields of a line before the JSON, the incarnation of its chain, and the block time."""

    chain_id: str
    height: int
    digest: str
    partial: bool
    incarnation: str = ""  # "": not known
    time_ns: int | None = None  # None: not known, or not where `encode_line` writes it

    @property
    def chain(self) -> ChainKey:
        """Chain id with the incarnation."""
        return ChainKey(self.chain_id, self.incarnation)


def encode_line(block: Block) -> bytes:
    """Encode `block` as a line with a newline.

    Raises:
        MalformedLine: the chain id is not allowed in a line, a value has a wrong type or is out of range, or
            a text is not Unicode (a lone surrogate).
    """
    body, digest = body_of(block), content_digest(block).encode()
    chain = block.chain_id.encode()
    if not _CHAIN.fullmatch(chain):
        raise MalformedLine(f"chain id {block.chain_id[:64]!r} is empty, too long or contains white space")
    mode = b"part" if block.partial else b"full"
    rest = b"%s %d %s %s %s" % (chain, block.height, digest, mode, body)
    return b"%s%08x %s\n" % (MAGIC, crc32(rest), rest)


def content_digest(block: Block) -> str:
    """Return the digest of a block's results (codes and events in order), 16 hex digits."""
    content = [[(t.code, t.events if t.code == 0 else ()) for t in block.txs], block.block_events]
    return blake2b(_encode(content), digest_size=8).hexdigest()


def incarnation_of(first: Block) -> str:
    """Return the digest of a chain's first block, 16 hex digits; it distinguishes chains with the same id."""
    content = [first.chain_id, first.height, first.time_ns, first.app_hash.hex(), content_digest(first)]
    return blake2b(_encode(content), digest_size=8).hexdigest()


def parse_head(line: bytes) -> LineHead:
    """Check a line (with its newline) and parse the fields before its JSON.

    Raises:
        MalformedLine: the newline or the magic word is missing, the checksum is wrong, or the head is
            malformed.
    """
    if not line.endswith(b"\n"):
        raise MalformedLine("it ends without a newline (truncated or partially written)")
    if not line.startswith(MAGIC):
        raise MalformedLine("it does not begin with pyibc1")
    checksum, _, rest = line[len(MAGIC) : -1].partition(b" ")
    if checksum != b"%08x" % crc32(rest):
        raise MalformedLine("the checksum does not match")
    found = _HEAD.match(rest)
    if found is None:
        raise MalformedLine(_oddity(rest))
    chain, height, digest, mode, incarnation, time = found.groups()
    if len(height) == _DIGITS and int(height) > MAX_I64:
        raise MalformedLine(_HEIGHT_ODD)
    try:
        name = sys.intern(chain.decode())
    except UnicodeDecodeError:
        raise MalformedLine("the chain id is not UTF-8") from None
    which = "" if incarnation is None else sys.intern(incarnation.decode())
    time_ns = None if time is None else int(time)
    return LineHead(name, int(height), digest.decode(), mode == b"part", which, time_ns)


def checksum_in(line: bytes) -> str:
    """Return the checksum in a line whose head `parse_head` accepted, 8 hex digits."""
    return line[len(MAGIC) : len(MAGIC) + 8].decode()


def _oddity(rest: bytes) -> str:
    """Describe the defect of a malformed head."""
    parts = rest.split(b" ", 4)
    if len(parts) != 5 or parts[3] not in {b"full", b"part"}:
        return "the head does not have five fields"
    if not _CHAIN.fullmatch(parts[0]):
        return "the chain id is empty, too long or contains white space"
    return _HEIGHT_ODD if not _HEIGHT.fullmatch(parts[1]) else "the digest does not have 16 hex digits"


def decode_line(line: bytes) -> Block:
    """Decode the block of a line whose head `parse_head` accepted.

    Raises:
        MalformedLine: the JSON is not a block, or contradicts the head.
    """
    parts = line.rstrip(b"\n").split(b" ", 6)
    if len(parts) != 7:
        raise MalformedLine("the head does not have five fields")
    _, _, chain, height, _, mode, body = parts
    block = read_body(body)
    if block.chain_id.encode() != chain:
        raise MalformedLine("the JSON has another chain id than the head - at `$.chain_id`")
    # guard: h90-a-json-of-another-height-is-believed test_h90_a_field_of_a_wrong_kind_is_named
    if b"%d" % block.height != height:
        raise MalformedLine("the JSON has another height than the head - at `$.height`")
    if block.partial is not (mode == b"part"):
        raise MalformedLine("the JSON and the head differ in whether the block is partial - at `$.partial`")
    if block.incarnation and not body.startswith(_INCARNATION):
        raise MalformedLine("the incarnation is not the first field - at `$.incarnation`")
    return block


def encode_committed(block: CommittedBlock) -> bytes:
    """Encode a block as a line without an incarnation; raise the errors of `encode_line`."""
    return encode_line(from_committed(block))


def decode_committed(line: bytes) -> CommittedBlock:
    """Decode a line of `encode_committed`; header hashes are not restored.

    Raises:
        MalformedLine: the line is malformed.
    """
    parse_head(line)
    return to_committed(decode_line(line))


def split_lines(data: bytes) -> list[bytes]:
    """Split `data` into lines with their newlines; carriage returns, as in JSON, do not end lines."""
    return BytesIO(data).readlines()
