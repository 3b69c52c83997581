"""Paged packet queries: each row appears once, and malformed queries are refused."""

import json

import pytest

from pyibc.indexer.live.packets import BadQuery, Busy
from pyibc.indexer.results.packets import COLUMNS


def ask(live, query):
    answer = live.pages.packets(query)
    return answer.status, json.loads(answer.body)


def test_pages_give_each_packet_once_in_order(served):
    found, address, pages = [], "/packets?limit=5", 0
    while address:
        status, page = ask(served, address.partition("?")[2])
        assert status == 200
        found += [row["packet_id"] for row in page["packets"]]
        address, pages = page["next"], pages + 1
    assert (len(found), pages) == (13, 3)
    assert found == sorted(set(found))


def test_values_have_the_types_of_their_columns(served):
    kinds = {"boolean": bool, "bigint": int, "int": int, "tinyint": int, "double": float}
    _, page = ask(served, "limit=1000")
    for row in page["packets"]:
        assert [*row] == [name for name, _ in COLUMNS]
        for name, kind in COLUMNS:
            assert row[name] is None or type(row[name]) is kinds.get(kind, str), name


def test_filters_and_values(live):
    live.chains.event("a-1", 41, "send_packet", 20, until=42 * 10**9)
    live.put(("a-1", 41), ("a-1", 42), ("b-1", 42))
    live.look()
    _, page = ask(live, "chain=b-1&channel=channel-0&state=succeeded&limit=1000")
    assert sorted(row["sequence"] for row in page["packets"]) == list(range(1, 13))
    assert page["next"] is None
    _, page = ask(live, "state=in_flight&src_chain=a-1")
    (row,) = page["packets"]
    assert (row["sequence"], row["send_time"], row["ack_time"]) == (20, "1970-01-01T00:00:41+00:00", None)
    # Other packets were received, too, and have another state since.
    for nothing in ("src_chain=b-1", "state=ack_overdue", "state=received"):
        assert ask(live, nothing)[1]["packets"] == []


@pytest.mark.parametrize(
    "query",
    [
        "state=stuck'--",
        "limit=0",
        "limit=1001",
        "limit=-1",
        "limit=٣",
        "file=/etc/passwd",
        "chain=a&chain=b",
        "chain=" + "a" * 257,
        "&".join(f"x{n}=1" for n in range(20)),
    ],
)
def test_h118_what_cannot_be_asked_is_refused(served, query):
    from pyibc.indexer.live.packets import read_query

    with pytest.raises(BadQuery):
        read_query(query)
    status, answer = ask(served, query)
    assert status == 400
    assert "packets" not in answer


@pytest.mark.parametrize("value", ["' OR 1=1 --", "a-1'; DROP TABLE x", "%", "\x00", "\ud800"])
def test_h118_values_are_no_sql(served, value):
    from pyibc.indexer.live.packets import Packets, read_query

    asked = read_query("")._replace(equal={"chain": value.encode("utf-8", "replace").decode()})
    assert Packets(served.out).page(asked)["packets"] == []


def test_h118_queries_at_once_are_bounded(served):
    from pyibc.indexer.live import packets as module
    from pyibc.indexer.live.packets import Packets, read_query

    packets = Packets(served.out)
    for _ in range(module._TOGETHER):
        packets._slots.acquire()
    with pytest.raises(Busy):
        packets.page(read_query(""))
    packets._slots.release()
    assert len(packets.page(read_query(""))["packets"]) == 13
    assert packets._slots._value == 1


def test_a_table_that_is_being_replaced_is_asked_for_again(looked):
    for file in (looked.out / "gold" / "packets").rglob("*.parquet"):
        file.write_bytes(b"PAR1")
    status, answer = ask(looked, "")
    assert status == 503
    assert answer["error"].startswith("try again: ")


def test_before_the_first_round_there_is_none(live):
    assert ask(live, "") == (200, {"packets": [], "next": None})
