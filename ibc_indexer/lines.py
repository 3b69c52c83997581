r"""One block, one line.

    pyibc1 <crc32> <chain id> <height> <digest> <full|part> <JSON>\n

`crc32` (eight hex digits) is that of everything after it up to the newline, so that a cut or edited line
shows without parsing. `digest` (sixteen hex digits) is that of the block's results: two records of a block
agree if their digests do, whatever else they know of it. JSON never holds a raw newline.
"""

import re
import sys
from hashlib import blake2b
from io import BytesIO
from typing import NamedTuple
from zlib import crc32

import msgspec

from ibc_core.host.block import CommittedBlock
from ibc_core.numbers import MAX_I64
from ibc_indexer.blocks import Block, from_committed, to_committed
from ibc_indexer.errors import MalformedLine
from ibc_indexer.incarnations import ChainKey
from ibc_indexer.line_body import body_of, read_body

MAGIC = b"pyibc1 "
MAX_CHAIN_ID = 128  # bytes; CometBFT allows 50
MAX_LINE = 512 << 20  # bytes: a block with its results is far below

_encode = msgspec.json.encode
_CHAIN = re.compile(rb"[^\x00-\x20\x7f]{1,128}")
_HEIGHT = re.compile(rb"[1-9][0-9]{0,18}")
_INCARNATION = b'{"incarnation":"'
_HEAD = re.compile(
    rb"(%s) (%s) ([0-9a-f]{16}) (full|part) (?:%s([0-9a-f]{16})\")?"
    % (_CHAIN.pattern, _HEIGHT.pattern, re.escape(_INCARNATION))
)
_HEIGHT_ODD = "its height is no number in 1..2^63-1"
_DIGITS = 19  # of the highest height


class LineHead(NamedTuple):
    """What a line says before its JSON, and its chain's incarnation."""

    chain_id: str
    height: int
    digest: str
    partial: bool
    incarnation: str = ""  # "": not known

    @property
    def chain(self) -> ChainKey:
        """The chain, told from another that was started under its id."""
        return ChainKey(self.chain_id, self.incarnation)


def encode_line(block: Block) -> bytes:
    """The line of `block`, newline included.

    Raises:
        MalformedLine: the chain id cannot stand in a line, something in the block is of a wrong kind or out
            of range, or a text is no Unicode (a lone surrogate).
    """
    body, digest = body_of(block), content_digest(block).encode()
    chain = block.chain_id.encode()
    if not _CHAIN.fullmatch(chain):
        raise MalformedLine(f"chain id {block.chain_id[:64]!r} is empty, too long or has white space")
    mode = b"part" if block.partial else b"full"
    rest = b"%s %d %s %s %s" % (chain, block.height, digest, mode, body)
    return b"%s%08x %s\n" % (MAGIC, crc32(rest), rest)


def content_digest(block: Block) -> str:
    """Sixteen hex digits over what the block did: codes and events, in order."""
    content = [[(t.code, t.events if t.code == 0 else ()) for t in block.txs], block.block_events]
    return blake2b(_encode(content), digest_size=8).hexdigest()


def incarnation_of(first: Block) -> str:
    """What tells a chain from another of the same id: sixteen hex digits over its first block."""
    content = [first.chain_id, first.height, first.time_ns, first.app_hash.hex(), content_digest(first)]
    return blake2b(_encode(content), digest_size=8).hexdigest()


def parse_head(line: bytes) -> LineHead:
    """Checks a line (newline included) and reads what stands before its JSON.

    Raises:
        MalformedLine: it has no newline, no magic word, a wrong checksum or a malformed head.
    """
    if not line.endswith(b"\n"):
        raise MalformedLine("it ends without a newline (cut or half written)")
    if not line.startswith(MAGIC):
        raise MalformedLine("it does not begin with pyibc1")
    checksum, _, rest = line[len(MAGIC) : -1].partition(b" ")
    if checksum != b"%08x" % crc32(rest):
        raise MalformedLine("its checksum does not match")
    found = _HEAD.match(rest)
    if found is None:
        raise MalformedLine(_oddity(rest))
    chain, height, digest, mode, incarnation = found.groups()
    if len(height) == _DIGITS and int(height) > MAX_I64:
        raise MalformedLine(_HEIGHT_ODD)
    try:
        name = sys.intern(chain.decode())
    except UnicodeDecodeError:
        raise MalformedLine("its chain id is no UTF-8") from None
    which = "" if incarnation is None else sys.intern(incarnation.decode())
    return LineHead(name, int(height), digest.decode(), mode == b"part", which)


def _oddity(rest: bytes) -> str:
    """What is wrong with a head."""
    parts = rest.split(b" ", 4)
    if len(parts) != 5 or parts[3] not in {b"full", b"part"}:
        return "its head has not five fields"
    if not _CHAIN.fullmatch(parts[0]):
        return "its chain id is empty, too long or has white space"
    return _HEIGHT_ODD if not _HEIGHT.fullmatch(parts[1]) else "its digest is not of sixteen hex digits"


def decode_line(line: bytes) -> Block:
    """The block of a line whose head `parse_head` accepted.

    Raises:
        MalformedLine: the JSON is not a block, or not of the chain and height that the head names.
    """
    parts = line.rstrip(b"\n").split(b" ", 6)
    if len(parts) != 7:
        raise MalformedLine("its head has not five fields")
    _, _, chain, height, _, mode, body = parts
    block = read_body(body)
    if block.chain_id.encode() != chain:
        raise MalformedLine("its JSON is of another chain than its head - at `$.chain_id`")
    # guard: h90-a-json-of-another-height-is-believed test_h90_a_field_of_a_wrong_kind_is_named
    if b"%d" % block.height != height:
        raise MalformedLine("its JSON is of another height than its head - at `$.height`")
    if block.partial is not (mode == b"part"):
        raise MalformedLine("its JSON and its head differ in what is known - at `$.partial`")
    if block.incarnation and not body.startswith(_INCARNATION):
        raise MalformedLine("its incarnation does not stand first - at `$.incarnation`")
    return block


def encode_committed(block: CommittedBlock) -> bytes:
    """The line of a block whose chain's incarnation is not told. Raises as `encode_line`."""
    return encode_line(from_committed(block))


def decode_committed(line: bytes) -> CommittedBlock:
    """The block of such a line, without the hashes of headers.

    Raises:
        MalformedLine: it is not as it was written.
    """
    parse_head(line)
    return to_committed(decode_line(line))


def split_lines(data: bytes) -> list[bytes]:
    """The lines of `data`, newlines included. Newlines alone end a line: JSON may hold carriage returns."""
    return BytesIO(data).readlines()
