"""Types that writers of packet tables choose for the same values."""

from datetime import datetime
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pyibc.indexer.errors import UnreadableInput
from pyibc.indexer.segments.columns import NUMBER, TEXT, TIME, cast
from pyibc.indexer.segments.tables import seal_table

MAX = 2**63 - 1
NOON = datetime.fromisoformat("2024-02-29T12:00:05")


def values(array, kind):
    found = cast(pa.chunked_array([array, array.slice(0, 1)]), "sequence", kind)
    assert found.type == kind
    assert found.slice(len(array)).to_pylist() == found.slice(0, 1).to_pylist()
    return found.slice(0, len(array)).to_pylist()


@pytest.mark.parametrize(
    "kind",
    [
        pa.int8(),
        pa.uint8(),
        pa.int32(),
        pa.uint64(),
        pa.decimal128(20, 0),
        pa.decimal128(38, 10),
        pa.decimal128(5, 0),
        pa.decimal256(40, 2),
        pa.float64(),
    ],
)
def test_numbers_of_every_type(kind):
    given = [7, None, 120]
    if pa.types.is_decimal(kind):
        given = [None if each is None else Decimal(each) for each in given]
    assert values(pa.array(given, kind), NUMBER) == [7, None, 120]


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (pa.array([MAX, MAX + 1, 2**64 - 1], pa.uint64()), [MAX, None, None]),
        (
            pa.array([Decimal(MAX), Decimal(MAX + 1), Decimal(10**20 - 1)], pa.decimal128(20, 0)),
            [MAX, None, None],
        ),
        (pa.array([Decimal("2.50"), Decimal("3.00")], pa.decimal128(10, 2)), [None, 3]),
        (pa.array([str(MAX), str(MAX + 1), "9" * 20]), [MAX, None, None]),
        (
            pa.array(["12", "012", "", " 1", "-1", "1.0", "1e3", "٣", "4\n", None]),
            [12, 12, None, None, None, None, None, None, None, None],
        ),
        (pa.array(["12", "x", "12"]).dictionary_encode(), [12, None, 12]),
        (pa.array([2.0**53, 1.5, 4.0]), [None, None, 4]),
    ],
)
def test_numbers_that_are_too_large_or_none_are_null(array, expected):
    assert values(array, NUMBER) == expected


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_times_in_text(kind):
    same = ["2024-02-29T12:00:05Z", "2024-02-29 12:00:05", "2024-02-29 12:00:05.000 UTC"]
    same += ["2024-02-29T14:30:05.0000009+02:30", "2024-02-29T11:00:05-0100"]
    assert values(pa.array(same, kind), TIME) == [NOON] * 5
    assert values(pa.array(["2024-02-29T12:00:05.25Z"], kind), TIME) == [NOON.replace(microsecond=250_000)]
    odd = ["2024-02-30T12:00:05", "2024-13-01 00:00:00", "2024-02-29", "24-02-29 12:00:05", "", "soon", None]
    assert values(pa.array(odd, kind), TIME) == [None] * 7


def test_texts_stay_as_they_are():
    assert values(pa.array(["a-1", None], pa.large_string()), TEXT) == ["a-1", None]
    assert values(pa.nulls(2), TEXT) == [None, None]


@pytest.mark.parametrize(
    ("array", "kind"),
    [
        (pa.array([1]), TEXT),
        (pa.array([[1]]), NUMBER),
        (pa.array([True]), NUMBER),
        (pa.array([1]), TIME),
        (pa.array([b"1"]), NUMBER),
    ],
)
def test_columns_without_such_a_meaning_are_refused(array, kind):
    with pytest.raises(UnreadableInput, match=f"has a column sequence of type {array.type}".split("<")[0]):
        values(array, kind)


def test_a_packet_table_of_other_types_gives_the_same_events(tmp_path):
    def sealed(name, number, time):
        columns = {
            "chain_id": pa.array(["a-1", "a-1"]),
            "channel_id": pa.array(["channel-3", "channel-4"]),
            "sequence": number([5, 6]),
            "send_height": number([70, 71]),
            "send_time": time([NOON, NOON]),
            "ack_height": number([80, None]),
            "ack_time": time([NOON, None]),
        }
        pq.write_table(pa.table(columns), tmp_path / name)
        manifest = seal_table(tmp_path / name, tmp_path, name)
        assert manifest.problems == []
        return pq.read_table(tmp_path / manifest.files["events"].name)

    def text(given):
        return pa.array([None if each is None else str(each) for each in given])

    def decimal(given):
        return pa.array([None if each is None else Decimal(each) for each in given], pa.decimal128(20, 0))

    expected = sealed("expected", lambda given: pa.array(given, NUMBER), lambda given: pa.array(given, TIME))
    assert expected["sequence"].to_pylist() == [5, 6, 5]
    assert sealed("text", text, text) == expected
    assert sealed("decimal", decimal, lambda given: pa.array(given, pa.timestamp("ns"))) == expected
