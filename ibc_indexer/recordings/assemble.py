"""Headers, results and transactions of many files become blocks.

`/block_results` and single transactions do not say which chain they are from. Rules, in order:

1. Results belong to the header of their height that stands in the same file, else to one whose number of
   transactions is theirs; of several chains the one whose file name begins most alike, if one does.
2. A transaction belongs to the block that contains its hash; it is dropped as a copy where the results of
   its height hold it already (the same hash, or the same gas and log or events).
3. What is left is of the chain `unknown`; a second content for the same height of it is of another chain,
   `unknown-2`, and so on. File names are not asked: what a file is called proves nothing.
"""

from collections import defaultdict
from itertools import takewhile
from typing import NamedTuple

from ibc_indexer.blocks import UNKNOWN_CHAIN, Block, Tx, tx_hash_text
from ibc_indexer.lines import content_digest
from ibc_indexer.packets import PACKET_TYPES
from ibc_indexer.recordings.shapes import Header, Record, Results
from ibc_indexer.recordings.transactions import TxRecord
from ibc_indexer.scan import Skipped


class Found(NamedTuple):
    """A record and the file it stood in."""

    file: str
    record: Record


class Assembled(NamedTuple):
    """The blocks, in order of chain and height; what could not be used; what was assumed."""

    blocks: list[Block]
    skipped: list[Skipped]
    notes: list[Skipped]  # a file and what was assumed of it


class _Assembly:
    """Blocks under way."""

    def __init__(self, headers: list[tuple[str, Header]]) -> None:
        self.blocks: dict[int, dict[str, Block]] = defaultdict(dict)  # by height and chain
        self.skipped: list[Skipped] = []
        self.notes: list[Skipped] = []
        self._headers: dict[int, list[tuple[str, Header]]] = defaultdict(list)
        for file, header in headers:
            self._headers[header.height].append((file, header))
            partial = Block(header.chain_id, header.height, header.time_ns, (), origin=file, partial=True)
            self.blocks[header.height].setdefault(header.chain_id, partial)

    def add_results(self, file: str, results: Results) -> None:
        """Puts the results of a block in its place."""
        header = self._header_of(file, results)
        txs = _named(results.txs, header)
        time = header.time_ns if header else None
        block = Block("?", results.height, time, txs, results.block_events, origin=file)
        self._place(block._replace(chain_id=header.chain_id if header else self._guess(block)))

    def add_tx(self, file: str, record: TxRecord) -> None:
        """Puts a transaction in its block, unless it is there."""
        block = self._block_of(record.tx, record.height)
        if block is None:
            single = Block("?", record.height, record.time_ns, (record.tx,), origin=file, partial=True)
            block = self._own_block(single._replace(chain_id=self._guess(single)))
        same = next((n for n, tx in enumerate(block.txs) if _same_tx(record.tx, tx)), None)
        txs = (*block.txs, record.tx) if same is None else _completed(block.txs, same, record.tx)
        self.blocks[block.height][block.chain_id] = block._replace(txs=txs)

    def _header_of(self, file: str, results: Results) -> Header | None:
        named = self._headers[results.height]
        here = [(f, h) for f, h in named if f == file]
        fitting = here or [(f, h) for f, h in named if h.txs is None or len(h.txs) == len(results.txs)]
        return _closest(file, fitting)

    def _place(self, block: Block) -> None:
        before = self.blocks[block.height].get(block.chain_id)
        if before is None or before.partial:
            self.blocks[block.height][block.chain_id] = block
        elif content_digest(before) != content_digest(block):
            reason = f"{block.chain_id} {block.height} has other content than in {before.origin}"
            self.skipped.append(Skipped(block.origin, reason))

    def _block_of(self, tx: Tx, height: int) -> Block | None:
        for _, header in self._headers[height]:
            if tx.hash and any(tx_hash_text(raw) == tx.hash for raw in header.txs or ()):
                return self.blocks[height][header.chain_id]
        return next(
            (b for b in self.blocks[height].values() if any(_same_tx(tx, other) for other in b.txs)), None
        )

    def _own_block(self, single: Block) -> Block:
        return self.blocks[single.height].setdefault(single.chain_id, single)

    def _guess(self, block: Block) -> str:
        """The chain of a block that no header names (rule 3)."""
        number, chain = 1, UNKNOWN_CHAIN
        while not self._may_be(chain, block):
            number += 1
            chain = f"{UNKNOWN_CHAIN}-{number}"
        self.notes.append(Skipped(block.origin, f"names no chain: counted under {chain!r}"))
        return chain

    def _may_be(self, chain: str, block: Block) -> bool:
        there = self.blocks[block.height].get(chain)
        if there is None or (there.partial and block.partial):
            return True
        return content_digest(there) == content_digest(block)


def assemble(found: list[Found]) -> Assembled:
    """Blocks out of records; the order of `found` decides nothing but which of two conflicting ones stays."""
    work = _Assembly([(f, r) for f, r in found if isinstance(r, Header)])
    for file, record in found:
        if isinstance(record, Results):
            work.add_results(file, record)
    for file, record in found:
        if isinstance(record, TxRecord):
            work.add_tx(file, record)
    blocks = [block for at_height in work.blocks.values() for block in at_height.values()]
    blocks.sort(key=lambda block: (block.chain_id, block.height))
    return Assembled(blocks, work.skipped, list(dict.fromkeys(work.notes)))


def _closest(file: str, headers: list[tuple[str, Header]]) -> Header | None:
    """The header of the one chain there is, or of the chain whose file is named most like `file`."""
    ranked = sorted(headers, key=lambda entry: _likeness(file, entry[0]), reverse=True)
    rivals = [(f, h) for f, h in ranked if h.chain_id != ranked[0][1].chain_id]
    if not ranked or (rivals and _likeness(file, rivals[0][0]) == _likeness(file, ranked[0][0])):
        return None
    return ranked[0][1]


def _likeness(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _named(txs: tuple[Tx, ...], header: Header | None) -> tuple[Tx, ...]:
    """The results with the transactions they are of, where the header's block holds as many."""
    raw = header.txs if header is not None else None
    if raw is None or len(raw) != len(txs):
        return txs
    return tuple(tx._replace(hash=tx_hash_text(r), raw=r) for tx, r in zip(txs, raw, strict=True))


def _completed(txs: tuple[Tx, ...], place: int, other: Tx) -> tuple[Tx, ...]:
    """`txs`, the one at `place` with what only another record of it tells."""
    known = txs[place]
    told = {
        field: getattr(other, field)
        for field in ("hash", "raw", "acks", "signer", "content")
        if not getattr(known, field)
    }
    return (*txs[:place], known._replace(**told), *txs[place + 1 :])


def _same_tx(one: Tx, other: Tx) -> bool:
    """Whether two records are of one transaction: by hash, or else by what it did.

    Two transactions may well do the same, but for packets: no packet is sent, or received, twice.
    """
    if one.hash and one.hash == other.hash:
        return True
    if (one.code, one.gas_used) != (other.code, other.gas_used):
        return False
    if one.hash and other.hash and not any(kind in PACKET_TYPES for kind, _ in (*one.events, *other.events)):
        return False
    return one.log == other.log if one.log and other.log else one.events == other.events
