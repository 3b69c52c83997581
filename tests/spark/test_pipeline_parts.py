"""Blocks of which single transactions are known: they add up, whatever the pieces in which they arrive."""

import random

import pytest

from pyibc.indexer.blocks.block import Ack, Block, MessageFacts, Tx, TxContent, tx_hash_text
from pyibc.indexer.blocks.lines import encode_line
from pyibc.indexer.pipeline.lake import rows_in
from pyibc.indexer.pipeline.report import open_views
from pyibc.indexer.pipeline.tables import BLOCKS, PACKET_EVENTS, PROBLEMS
from tests.index_results import TABLES
from tests.packet_attributes import attributes
from tests.pipeline_runs import EACH_ENGINE, check_hours, dicts
from tests.sampling import SEED

SECOND = 10**9


def event(kind, sequence, channel="channel-0"):
    end = {"connection_id": "connection-0", "packet_channel_ordering": "ORDER_UNORDERED"}
    return (kind, tuple(attributes(sequence, channel, "channel-7", **end).items()))


def updated(height):
    told = {"client_id": "07-tendermint-0", "client_type": "07-tendermint", "consensus_height": f"1-{height}"}
    return ("update_client", tuple(told.items()))


def tx(number, *events):
    raw = b"tx %d" % number
    return Tx(tx_hash_text(raw), 0, events, gas_used=number)


def lines_of(height, txs, chain="a-1"):
    """Every transaction as it is known from several recordings, some of them together."""
    block = Block(chain, height, None, (), partial=True)
    found = [block._replace(txs=txs[::-1]), block._replace(block_events=(event("send_packet", 90 + height),))]
    for each in txs:
        content = TxContent("hi", (("uatom", "7"),), "alice", (MessageFacts("/a.B", signer="alice"),))
        ack = (Ack("transfer", "channel-0", 1, b"{}"),)
        timed = block._replace(txs=(each,), time_ns=height * SECOND)
        found += [timed, timed._replace(txs=(each._replace(content=content, signer="alice", acks=ack),))]
    return found


@pytest.fixture(scope="module")
def blocks():
    """Lines of three heights, and the whole block of the last one."""
    txs = [
        tuple(
            tx(10 * height + n, updated(10 * height + n), event("send_packet", 10 * height + n))
            for n in range(3)
        )
        for height in (1, 2, 3)
    ]
    twice = tuple(tx(n, event("acknowledge_packet", 11)) for n in (50, 51))
    found = [*lines_of(1, txs[0]), *lines_of(2, (*txs[1], *twice)), *lines_of(3, txs[2])]
    whole = Block("a-1", 3, 3 * SECOND, txs[2], app_hash=b"\1")
    less = whole._replace(app_hash=b"", time_ns=None, txs=tuple(each._replace(hash="") for each in txs[2]))
    return [encode_line(each) for each in [*found, whole, less]]


def views_of(engine, out):
    lake = engine.lake(out)
    check_hours(lake)
    return {name: sorted(map(str, dicts(lake.rows(f"SELECT * FROM {name}")))) for name in TABLES}


@EACH_ENGINE
def test_transactions_of_a_block_add_up_whatever_the_pieces(engine, blocks, tmp_path):
    (tmp_path / "all").mkdir()
    (tmp_path / "all" / "a.jsonl").write_bytes(b"".join(blocks))
    assert engine.ran(tmp_path / "all", tmp_path / "whole") == 1
    shuffled = random.Random(SEED).sample(blocks, len(blocks))
    (tmp_path / "in").mkdir()
    for number, begin in enumerate(range(0, len(blocks), 16)):
        (tmp_path / "in" / f"{number}.jsonl").write_bytes(b"".join(shuffled[begin : begin + 16]))
        assert engine.ran(tmp_path / "in", tmp_path / "pieces") == 1
    found, pieces = views_of(engine, tmp_path / "whole"), views_of(engine, tmp_path / "pieces")
    for name in TABLES:
        assert pieces[name] == found[name], name
    lake = engine.lake(tmp_path / "whole")
    open_views(lake)
    rows = lake.rows("SELECT height, whole, transactions FROM blocks ORDER BY height")
    assert [tuple(row) for row in rows] == [(1, False, 3), (2, False, 5), (3, True, 3)]
    rows = lake.rows("SELECT height, tx_index, tx_hash, memo, signer FROM transactions ORDER BY 1, 2")
    assert [(row.height, row.tx_index) for row in rows] == [
        (h, n) for h, most in ((1, 3), (2, 5), (3, 3)) for n in range(most)
    ]
    assert {(row.memo, row.signer) for row in rows if row.height < 3} == {("hi", "alice")}
    assert {len(row.tx_hash) for row in rows} == {64}
    assert not [row for row in rows_in(lake, BLOCKS) if row.height == 3 and row.partial]
    assert len(rows_in(lake, PACKET_EVENTS)) == 3 + 1 + 3 + 2 + 1 + 3
    assert [row.updates for row in lake.rows("SELECT updates FROM clients")] == [9]


WHOLE = Block("a-1", 5, 5 * SECOND, (tx(1, event("send_packet", 1)), tx(2)), app_hash=b"\1")
OTHER = (tx(1, event("send_packet", 2))._replace(hash=""), tx(2))
SAME = {
    "whole": WHOLE,
    "copy": WHOLE._replace(app_hash=b""),
    "untimed": WHOLE._replace(time_ns=None),
    "part": WHOLE._replace(txs=WHOLE.txs[1:], partial=True),
}
DIFFERING = {"late": WHOLE._replace(time_ns=6 * SECOND), "other": WHOLE._replace(txs=OTHER, app_hash=b"")}


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("differing", [{}, DIFFERING], ids=["copies", "others"])
@EACH_ENGINE
def test_a_block_that_differs_from_another_record_of_it_is_named(engine, tmp_path, differing, seed):
    beside = [Block("a-1", height, height * SECOND, ()) for height in range(6, 30)]
    records = {"whole": WHOLE} | differing if differing else SAME
    for name in random.Random(f"{SEED} {seed}").sample([*records], len(records)):
        path = tmp_path / "in" / f"{name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"".join(map(encode_line, (*beside, records[name], records[name]))))
        if seed:
            engine.ran(tmp_path / "in", tmp_path / "out")
    engine.ran(tmp_path / "in", tmp_path / "out")
    lake = engine.lake(tmp_path / "out")
    kept = [row.file.rpartition("/")[2] for row in rows_in(lake, BLOCKS, "height = 5")]
    assert kept == ["whole.jsonl"]
    told = [(row.file.rpartition("/")[2], row.reason, row.height) for row in rows_in(lake, PROBLEMS)]
    reason = "a-1 5 differs from another record of the block"
    assert sorted(told) == [(f"{name}.jsonl", reason, 5) for name in sorted(differing)]


@EACH_ENGINE
def test_problems_of_a_file_that_is_mended_are_forgotten(engine, tmp_path):
    lines = [encode_line(Block("a-1", height, height * SECOND, ())) for height in range(1, 6)]
    events = (event("send_packet", 1),)
    other = encode_line(Block("a-1", 5, 5 * SECOND, (), events, app_hash=b"x"))  # knows more, so it is kept
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "others.jsonl").write_bytes(other)
    for name in ("mended", "damaged", "grown"):
        path = tmp_path / "in" / f"{name}.jsonl"
        path.write_bytes(b"".join([*lines[:3], b"pyibc0" + lines[3][6:], *lines[4:]]))
    engine.ran(tmp_path / "in", tmp_path / "out")
    (tmp_path / "in" / "mended.jsonl").write_bytes(b"".join(lines[:-1]))
    (tmp_path / "in" / "damaged.jsonl").touch()
    with (tmp_path / "in" / "grown.jsonl").open("ab") as grown:
        grown.write(lines[3])
    engine.ran(tmp_path / "in", tmp_path / "out")
    lake = engine.lake(tmp_path / "out")
    told = [row.file.rpartition("/")[2] for row in rows_in(lake, PROBLEMS)]
    assert sorted(told) == ["damaged.jsonl"] * 2 + ["grown.jsonl"] * 2  # of the line, and of block 5
    assert sorted(row.height for row in rows_in(lake, BLOCKS)) == [1, 2, 3, 4, 5]
