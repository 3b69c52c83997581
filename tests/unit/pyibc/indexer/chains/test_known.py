"""Heights of chains as the tables know them."""

from pyibc.indexer.blocks.block import ChainKey
from pyibc.indexer.blocks.coverage import Heights
from pyibc.indexer.chains.known import ChainHeights, Incarnations, known_in


def test_single_transactions_are_no_covered_heights():
    keys = {
        ChainKey("a-1"): ChainHeights(Heights.of([2, 3]), Heights.of([5]), Heights.of([1, 8]), 20, 50),
        ChainKey("b-1", "0" * 16): ChainHeights(Heights(), Heights.of([7]), Heights(), None, None),
        ChainKey("c-1"): ChainHeights(Heights(), Heights(), Heights.of([3]), None, None),
    }
    known = known_in(keys, Incarnations(keys))
    assert known.coverage["a-1"].full == Heights.of([2, 3])
    assert known.coverage["a-1"].gaps == Heights.of([1, 4, 5, 6, 7, 8])  # 1 and 8 cannot be read
    assert known.coverage["b-1"].gaps == Heights.of([7])
    assert known.coverage["c-1"].gaps == Heights.of([3])
    assert known.heights == {"a-1": Heights.of([2, 3, 5]), "b-1": Heights.of([7])}
    assert known.blocks == {"a-1": 3, "b-1": 1}
    span = known.spans["a-1"]
    assert (span.first_height, span.last_height, span.first_ns, span.last_ns) == (2, 5, 20, 50)
    assert (known.spans["b-1"].incarnation, known.chains) == (
        "0" * 16,
        {"a-1": "a-1", "b-1 0000000000000000": "b-1", "c-1": "c-1"},
    )
