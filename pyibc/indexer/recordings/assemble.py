"""Assembly of blocks from headers, results and transactions in several files.

`/block_results` and single transactions do not contain the chain id. These rules apply, in order:

1. Results belong to the header in the same message, otherwise to the header of their height in the same file,
   otherwise to a header of their height with the same number of transactions; among several chains, to the
   one whose file name has the longest common prefix.
2. A transaction belongs to the block that contains its hash. It is dropped as a duplicate if the results of
   its height contain it (the same hash, or the same gas and log or events).
3. Everything else belongs to the chain `unknown`; different content for the same height belongs to another
   chain `unknown-2`, and so on. File names are not evidence here.

If a block was recorded with its own events but without the results of its transactions, it is complete once
all its transactions were recorded singly.
"""

from collections import defaultdict
from itertools import takewhile
from typing import NamedTuple

from pyibc.indexer.blocks.block import UNKNOWN_CHAIN, Block, ChainKey, Tx, tx_hash_text
from pyibc.indexer.blocks.lines import content_digest
from pyibc.indexer.chains.restarts import Comparison, Piece, joined_incarnations
from pyibc.indexer.errors import Skipped
from pyibc.indexer.events.packets import PACKET_TYPES
from pyibc.indexer.recordings.records import Header, Results, TxRecord
from pyibc.indexer.recordings.shapes import Record


class Found(NamedTuple):
    """Record with its file."""

    file: str
    record: Record


class Assembled(NamedTuple):
    """Assembled blocks in the order of chain and height, with skipped records and assumptions."""

    blocks: list[Block]
    skipped: list[Skipped]
    notes: list[Skipped]  # assumptions about files


class _Assembly:
    """Assembly in progress."""

    def __init__(self, headers: list[tuple[str, Header]]) -> None:
        self.blocks: dict[int, dict[str, Block]] = defaultdict(dict)  # by height and chain
        self.skipped: list[Skipped] = []
        self.notes: list[Skipped] = []
        self._headers: dict[int, list[tuple[str, Header]]] = defaultdict(list)
        self._listed: dict[int, dict[str, tuple[str, int]]] = defaultdict(dict)
        """Chain and index of the transactions in headers, by height and hash."""
        self._single: dict[tuple[int, str], dict[str, Tx]] = {}
        """Transactions of partial blocks, by height and chain and by hash."""
        self._begun: set[tuple[int, str]] = set()  # partial blocks whose block events are known
        for file, header in headers:
            self._headers[header.height].append((file, header))
            partial = Block(header.chain_id, header.height, header.time_ns, (), origin=file, partial=True)
            self.blocks[header.height].setdefault(header.chain_id, partial)
            for index, raw in enumerate(header.txs or ()):
                self._listed[header.height].setdefault(tx_hash_text(raw), (header.chain_id, index))

    def add_results(self, file: str, results: Results) -> None:
        """Add the results of a block."""
        header = results.header or self._header_of(file, results)
        txs = _named(results.txs, header)
        time = header.time_ns if header else None
        block = Block(
            "?", results.height, time, txs, results.block_events, origin=file, partial=results.partial
        )
        self._place(block._replace(chain_id=header.chain_id if header else self._guess(block)))

    def add_tx(self, file: str, record: TxRecord) -> None:
        """Add a transaction to its block, unless the block has it."""
        blocks, tx = self.blocks[record.height], record.tx
        chain, index = self._listed[record.height].get(tx.hash, ("", 0))
        if chain and blocks[chain].partial:
            known = self._single.setdefault((record.height, chain), {})
            known[tx.hash] = _completed(known.get(tx.hash, tx), tx)
        elif chain and blocks[chain].txs[index : index + 1] and blocks[chain].txs[index].hash == tx.hash:
            blocks[chain] = _with_completed(blocks[chain], index, tx)
        elif not self._is_like_single(record):
            like = (b for b in blocks.values() if any(_same_tx(tx, other) for other in b.txs))
            block = blocks[chain] if chain else next(like, None) or self._own_block(file, record)
            same = next((n for n, other in enumerate(block.txs) if _same_tx(tx, other)), None)
            added = block._replace(txs=(*block.txs, tx)) if same is None else _with_completed(block, same, tx)
            blocks[block.chain_id] = added

    def finish(self) -> None:
        """Add single transactions to their blocks in the headers' order; blocks may then be complete."""
        for (height, chain), found in self._single.items():
            listed = next(h.txs for _, h in self._headers[height] if h.chain_id == chain and h.txs)
            hashes = list(map(tx_hash_text, listed))
            whole = (height, chain) in self._begun and sorted(found) == sorted(hashes)
            ordered = [found[name] for name in dict.fromkeys([*hashes, *found]) if name in found]
            block = self.blocks[height][chain]
            self.blocks[height][chain] = block._replace(txs=tuple(ordered), partial=not whole)

    def _is_like_single(self, record: TxRecord) -> bool:
        """Return whether a block without results has the transaction, with another hash or without one."""
        return any(
            _same_tx(record.tx, other)
            for chain in self.blocks[record.height]
            for other in self._single.get((record.height, chain), {}).values()
        )

    def _header_of(self, file: str, results: Results) -> Header | None:
        named = self._headers[results.height]
        here = [(f, h) for f, h in named if f == file]
        fitting = here or [(f, h) for f, h in named if h.txs is None or len(h.txs) == len(results.txs)]
        return _closest(file, fitting)

    def _place(self, block: Block) -> None:
        before, place = self.blocks[block.height].get(block.chain_id), (block.height, block.chain_id)
        if before is None or (before.partial and not (block.partial and place in self._begun)):
            self.blocks[block.height][block.chain_id] = block
            if block.partial:
                self._begun.add(place)
        elif block.partial and not before.partial:
            return
        elif content_digest(before) != content_digest(block) or _times_differ(before, block):
            chain = ChainKey.parsed(block.chain_id).chain_id
            reason = f"{chain} {block.height} differs from the block in {before.origin}"
            self.skipped.append(Skipped(block.origin, reason))

    def _own_block(self, file: str, record: TxRecord) -> Block:
        single = Block("?", record.height, record.time_ns, (record.tx,), origin=file, partial=True)
        chain = self._guess(single)
        return self.blocks[record.height].setdefault(chain, single._replace(chain_id=chain))

    def _guess(self, block: Block) -> str:
        """Choose the chain name of a block without a header (rule 3)."""
        number, chain = 1, UNKNOWN_CHAIN
        while not self._may_be(chain, block):
            number += 1
            chain = f"{UNKNOWN_CHAIN}-{number}"
        self.notes.append(Skipped(block.origin, f"contains no chain id: counted under {chain!r}"))
        return chain

    def _may_be(self, chain: str, block: Block) -> bool:
        there = self.blocks[block.height].get(chain)
        if there is None or (there.partial and block.partial):
            return True
        return content_digest(there) == content_digest(block)


def assemble(found: list[Found]) -> Assembled:
    """Assemble records to blocks; their order only determines which of two conflicting ones is used.

    Blocks of a chain that was restarted under its id are listed by incarnation, those with the higher first
    height first. So where the heights of a chain do not ascend, another incarnation begins.
    """
    found = _apart(found)
    work = _Assembly([(f, r) for f, r in found if isinstance(r, Header)])
    for file, record in found:
        if isinstance(record, Results):
            work.add_results(file, record)
    for file, record in found:
        if isinstance(record, TxRecord):
            work.add_tx(file, record)
    work.finish()
    return Assembled(_listed(work.blocks), work.skipped, list(dict.fromkeys(work.notes)))


def _listed(found: dict[int, dict[str, Block]]) -> list[Block]:
    first = dict[str, int]()
    for height in sorted(found):
        for key in found[height]:
            first.setdefault(key, height)
    ordered = sorted(
        (ChainKey.parsed(key).chain_id, -first[key], key, height)
        for height, blocks in found.items()
        for key in blocks
    )
    return [found[height][key]._replace(chain_id=chain) for chain, _, key, height in ordered]


Part = tuple[str, int]  # file, and how often a chain was restarted in it before


def _apart(found: list[Found]) -> list[Found]:
    """Give the headers of chains that were restarted under their id different chain ids, by part of a file.

    A restart within a file begins where a height is in the file again, with another time. A single such
    height is a damaged record.
    """
    parts, pieces = list[Part](), dict[str, dict[Part, dict[int, Header]]]()
    last = defaultdict[str, int](int)
    for file, record in found:
        header = _header_in(record)
        if header is not None:
            known = pieces.setdefault(header.chain_id, {})
            before = known.get((file, last[file]), {}).get(header.height, header)
            last[file] += before.time_ns != header.time_ns
            known.setdefault((file, last[file]), {}).setdefault(header.height, header)
        parts.append((file, last[file]))
    names = {
        (part, chain): name
        for chain, some in pieces.items()
        for part, name in _incarnations(chain, some).items()
    }
    if not names:
        return found
    renamed = [_of_incarnation(one.record, part, names) for one, part in zip(found, parts, strict=True)]
    headers = {
        (part, record.height): record
        for part, record in zip(parts, renamed, strict=True)
        if isinstance(record, Header)
    }
    several = {file for file, number in last.items() if number}
    return [
        Found(file, _with_header(record, headers.get((part, record.height))) if file in several else record)
        for (file, _), part, record in zip(found, parts, renamed, strict=True)
    ]


def _incarnations(chain: str, parts: dict[Part, dict[int, Header]]) -> dict[Part, str]:
    """Return the incarnations of parts of files with headers of a chain; the first one's have none."""
    pieces, compared, number = list[Piece](), Comparison(), 0
    for place, ((file, restarts), headers) in enumerate(parts.items()):
        times = {height: header.time_ns for height, header in headers.items()}
        number += not restarts or len(headers.keys() & parts.get((file, restarts - 1), {}).keys()) > 1
        pieces.append(Piece(number, "", min(times), max(times), min(times.values()), max(times.values())))
        for height, time_ns in times.items():
            compared.add(place, height, time_ns)
    found = joined_incarnations(chain, {}, dict(enumerate(pieces)), compared)
    return {part: found[place] for place, part in enumerate(parts) if found[place]}


def _of_incarnation(record: Record, part: Part, names: dict[tuple[Part, str], str]) -> Record:
    header = _header_in(record)
    if header is None or (part, header.chain_id) not in names:
        return record
    renamed = header._replace(chain_id=str(ChainKey(header.chain_id, names[part, header.chain_id])))
    return record._replace(header=renamed) if isinstance(record, Results) else renamed


def _with_header(record: Record, header: Header | None) -> Record:
    """Return results with the header of their part of the file, which has their height more than once."""
    return record if not isinstance(record, Results) or record.header else record._replace(header=header)


def _header_in(record: Record) -> Header | None:
    if isinstance(record, Header):
        return record
    return record.header if isinstance(record, Results) else None


def _times_differ(one: Block, other: Block) -> bool:
    return None not in {one.time_ns, other.time_ns} and one.time_ns != other.time_ns


def _closest(file: str, headers: list[tuple[str, Header]]) -> Header | None:
    """Return the header of the only chain, or of the chain whose file name is most similar to `file`."""
    ranked = sorted(headers, key=lambda entry: _likeness(file, entry[0]), reverse=True)
    rivals = [(f, h) for f, h in ranked if h.chain_id != ranked[0][1].chain_id]
    if not ranked or (rivals and _likeness(file, rivals[0][0]) == _likeness(file, ranked[0][0])):
        return None
    return ranked[0][1]


def _likeness(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _named(txs: tuple[Tx, ...], header: Header | None) -> tuple[Tx, ...]:
    """Add the encoded transactions of the header's block to the results, if their number is the same."""
    raw = header.txs if header is not None else None
    if raw is None or len(raw) != len(txs):
        return txs
    return tuple(tx._replace(hash=tx_hash_text(r), raw=r) for tx, r in zip(txs, raw, strict=True))


def _with_completed(block: Block, place: int, other: Tx) -> Block:
    """Return `block`, with the transaction at `place` completed from another record of it."""
    txs = block.txs
    return block._replace(txs=(*txs[:place], _completed(txs[place], other), *txs[place + 1 :]))


def _completed(known: Tx, other: Tx) -> Tx:
    """Return `known`, with missing fields set from another record of the transaction."""
    added = {
        field: getattr(other, field)
        for field in ("hash", "raw", "acks", "signer", "content")
        if not getattr(known, field)
    }
    return known._replace(**added)


def _same_tx(one: Tx, other: Tx) -> bool:
    """Return whether two records are of the same transaction, by hash or by effects.

    Different transactions may have the same effects only without packet events: a packet is sent and received
    once.
    """
    if one.hash and one.hash == other.hash:
        return True
    if (one.code, one.gas_used) != (other.code, other.gas_used):
        return False
    if one.hash and other.hash and not any(kind in PACKET_TYPES for kind, _ in (*one.events, *other.events)):
        return False
    return one.log == other.log if one.log and other.log else one.events == other.events
