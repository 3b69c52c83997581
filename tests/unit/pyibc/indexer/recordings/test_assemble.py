import itertools

from pyibc.indexer.blocks.block import Tx, tx_hash_text
from pyibc.indexer.recordings.assemble import Found, assemble
from pyibc.indexer.recordings.records import Header, Results, TxRecord

EVENT = ("send_packet", (("packet_sequence", "1"),))
S = 10**9


def header(chain, height=7, txs=(b"one",)):
    return Header(chain, height, 1000, txs)


def results(*events, height=7, gas=4, log=""):
    return Results(height, (Tx("", 0, events, gas_used=gas, log=log),), ())


def single(*events, height=7, name="", gas=9, log="", raw=b""):
    return TxRecord(height, 5, Tx(name, 0, events, gas_used=gas, log=log, raw=raw))


def test_results_take_chain_time_and_hashes_of_their_header_in_any_order():
    parts = [Found("b.json", header("a-1")), Found("r.json", results(EVENT))]
    for order in itertools.permutations(parts):
        (block,) = assemble(list(order)).blocks
        assert (block.chain_id, block.height, block.time_ns, block.partial) == ("a-1", 7, 1000, False)
        assert (block.txs[0].hash, block.txs[0].raw, block.origin) == (tx_hash_text(b"one"), b"one", "r.json")


def test_of_two_chains_at_one_height_the_same_file_then_the_transactions_then_the_name_decides():
    two = [Found("x/A_block", header("a-1")), Found("x/B_block", header("b-1"))]

    def chain(file, record, headers=two):
        found = assemble([*headers, Found(file, record)]).blocks
        return next(b.chain_id for b in found if not b.partial)

    assert chain("x/B_block", results(EVENT)) == "b-1"
    assert chain("x/A_results", results(EVENT)) == "a-1"
    assert chain("x/B_results", results(EVENT)) == "b-1"
    assert chain("y", results(EVENT)) == "unknown"
    alike = [Found("f", header("a-1")), Found("ff", header("b-1"))]
    assert chain("f", results(EVENT), alike) == "a-1"
    other = [two[0], Found("x/B_block", header("b-1", txs=(b"one", b"two")))]
    assert chain("y", results(EVENT), other) == "a-1"


def test_a_height_that_a_file_has_again_with_another_time_is_damaged_if_it_is_the_only_one():
    times = [(1, 10), (2, 20), (3, 30), (2, 99), (4, 40), (5, 50)]
    found = [Found("f", header("a-1", height)._replace(time_ns=time * S)) for height, time in times]
    assert [(block.height, block.time_ns // S) for block in assemble(found).blocks] == [
        *((1, 10), (2, 20), (3, 30), (4, 40), (5, 50))
    ]
    again = [(1, 10), (2, 20), (3, 30), (1, 91), (2, 92)]
    found = [Found("f", header("a-1", height)._replace(time_ns=time * S)) for height, time in again]
    blocks = assemble(found).blocks
    assert sorted((block.chain_id, block.height, block.time_ns // S) for block in blocks) == [
        *(("a-1", 1, 10), ("a-1", 1, 91), ("a-1", 2, 20), ("a-1", 2, 92), ("a-1", 3, 30))
    ]


def test_results_without_a_header_are_of_an_unknown_chain_and_that_is_said():
    found = assemble([Found("cosmoshub-4_results.json", results(EVENT))])
    assert found.blocks[0].chain_id == "unknown"
    assert found.blocks[0].time_ns is None
    assert found.notes[0].file == "cosmoshub-4_results.json"
    assert "'unknown'" in found.notes[0].reason


def test_what_is_said_of_a_file_is_said_once():
    two = [Found("txs.json", single(EVENT, name="AA")), Found("txs.json", single(name="BB"))]
    assert len(assemble(two).notes) == 1


def test_two_contents_of_one_height_are_two_unknown_chains():
    found = assemble([Found("1", results(EVENT)), Found("2", results()), Found("3", results(EVENT))])
    assert [b.chain_id for b in found.blocks] == ["unknown", "unknown-2"]
    assert found.skipped == []


def test_two_contents_of_one_height_of_a_known_chain_are_a_conflict():
    found = assemble([Found("b", header("a-1")), Found("1", results(EVENT)), Found("2", results())])
    assert len(found.blocks) == 1
    assert found.blocks[0].txs[0].events == (EVENT,)
    assert [(s.file, "differs from the block in 1" in s.reason) for s in found.skipped] == [("2", True)]


def test_a_transaction_is_not_counted_beside_its_blocks_results():
    block = [Found("b", header("a-1")), Found("r", results(EVENT, log="same"))]
    copies = [
        single(EVENT, name=tx_hash_text(b"one")),
        single(("joined", ()), gas=4, log="same"),
        single(EVENT, gas=4),
    ]
    for copy in copies:
        (found,) = assemble([*block, Found("t", copy)]).blocks
        assert len(found.txs) == 1


def test_a_recorder_that_changed_the_hash_does_not_make_a_second_packet():
    parts = [
        Found("b", header("a-1")),
        Found("r", results(EVENT, log="l")),
        Found("t", single(gas=4, log="l", name="EE")),
    ]
    assert [len(b.txs) for b in assemble(parts).blocks] == [1]
    named, copy = single(EVENT, name=tx_hash_text(b"one"), log="l"), single(EVENT, name="EE", log="l")
    found = assemble([parts[0], Found("t", named), Found("t", copy)]).blocks
    assert [(b.chain_id, [tx.hash for tx in b.txs]) for b in found] == [("a-1", [tx_hash_text(b"one")])]


def test_transactions_of_a_block_without_results_make_a_part_of_it():
    parts = [Found("b", header("a-1", txs=(b"one", b"two")))]
    parts += [Found("t", single(("burn", ()), name=tx_hash_text(raw))) for raw in (b"one", b"two", b"one")]
    (block,) = assemble(parts).blocks
    assert (block.chain_id, block.partial, block.time_ns, len(block.txs)) == ("a-1", True, 1000, 2)


def test_a_transaction_of_no_block_is_of_an_unknown_chain():
    found = assemble([Found("b", header("a-1")), Found("r", results(EVENT)), Found("t", single(name="FF"))])
    assert [(b.chain_id, b.partial) for b in found.blocks] == [("a-1", False), ("unknown", True)]
    assert found.blocks[1].time_ns == 5


def test_headers_alone_say_that_the_block_exists():
    (block,) = assemble([Found("b", header("a-1", txs=None))]).blocks
    assert (block.chain_id, block.partial, block.txs) == ("a-1", True, ())


def test_replayed_and_shuffled_records_give_the_same_blocks():
    parts = [Found("b", header("a-1")), Found("r", results(EVENT)), Found("t", single(EVENT, name="EE"))]
    expected = assemble(parts).blocks
    for order in itertools.permutations(parts * 2, 4):
        if set(order) == set(parts):
            assert assemble(list(order)).blocks == expected
