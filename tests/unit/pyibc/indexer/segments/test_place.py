"""Sort keys of transactions."""

import pyarrow as pa

from pyibc.indexer.chain_rows import place_of
from pyibc.indexer.segments.numbers import _place

PLACES = [(1, 3), (1 << 24, None), ((1 << 43) - 2, 0), ((1 << 43) - 1, 5), (1 << 62, 1 << 21)]


def test_h273_heights_of_any_int64_come_in_order():
    """Regression: sort keys of heights from 2^43 were negative."""
    heights, indexes = ([place[at] for place in PLACES] for at in (0, 1))
    events = pa.table({"height": pa.array(heights, pa.int64()), "tx_index": pa.array(indexes, pa.int32())})
    expected = [place_of(height, 0 if at is None else at + 1) for height, at in PLACES]
    assert _place(events).to_pylist() == expected == sorted(expected)
