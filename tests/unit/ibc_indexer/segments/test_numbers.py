import pyarrow as pa
import pytest

from ibc_indexer.rows import ROW_SCHEMA, Row
from ibc_indexer.segments.numbers import EVENT_SCHEMA, End, number_of, numbered


def events(*rows):
    columns = zip(*rows, strict=True)
    return pa.table(
        [pa.array(c, f.type) for c, f in zip(columns, ROW_SCHEMA, strict=True)], schema=ROW_SCHEMA
    )


def row(kind="send_packet", sequence=1, **more):
    ends = {"protocol": 1, "src_port": "p", "src_channel": "c-0", "dst_port": "q", "dst_channel": "c-1"}
    return Row(kind, **{"chain": "a-1", "height": 5} | ends | more, sequence=sequence)


def test_no_two_lists_of_texts_run_together():
    spelled = [("ab", "c"), ("a", "bc"), ("abc",), ("abc", ""), ("", "abc")]
    assert len({number_of(*texts) for texts in spelled}) == len(spelled)
    assert number_of("a") == number_of("a")
    assert -(2**63) <= number_of("a") < 2**63


def test_an_end_is_a_chain_a_side_and_a_path():
    end = End("a-1", False, 1, "p", "c-0", "q", "c-1")
    others = [
        end._replace(chain="b-1"),
        end._replace(receiving=True),
        end._replace(protocol=2),
        end._replace(src_port="c-0", src_channel="p"),
        end._replace(dst_port=None),
        end._replace(dst_port=""),
        end._replace(dst_channel="c-2"),
    ]
    assert len({one.number for one in (end, *others)}) == 1 + len(others)


@pytest.mark.parametrize(
    ("amount", "limbs"),
    [
        ("0", (0, 0)),
        ("9" * 18, (10**18 - 1, 0)),
        ("1" + "0" * 18, (0, 1)),
        ("9" * 36, (10**18 - 1, 10**18 - 1)),
        ("1" + "0" * 36, (None, None)),
        (None, (None, None)),
    ],
)
def test_an_amount_is_two_numbers_and_a_longer_one_a_name(amount, limbs):
    found = numbered(events(row(amount=amount)))
    (one,) = found.events.select(["amount_low", "amount_high", "big_amount_id"]).to_pylist()
    assert (one["amount_low"], one["amount_high"]) == limbs
    named = {("big_amount", amount): number_of(amount)} if amount and len(amount) > 36 else {}
    assert found.names == named
    assert one["big_amount_id"] == (number_of(amount) if named else None)


def test_kinds_acknowledgements_names_and_places_are_numbers():
    told = [
        row(tx_index=3, relayer=None, denom="u"),
        row("recv_packet", relayer="r", chain="b-1"),
        row("write_acknowledgement", relayer="r", chain="b-1", ack="error", detail="no"),
        row("acknowledge_packet", relayer="s", ack="success", detail="yes"),
        row("timeout_packet", tx_index=1 << 30),
    ]
    found = numbered(events(*told))
    assert found.events.schema == EVENT_SCHEMA
    columns = found.events.to_pydict()
    assert columns["kind"] == [0, 1, 2, 3, 4]
    assert columns["ack_state"] == [None, None, 3, 2, None]
    assert columns["detail_id"] == [None, None, number_of("no"), None, None]
    assert columns["relayer_id"][1:4] == [number_of("r"), number_of("r"), number_of("s")]
    assert columns["place"] == [(5 << 20) + 4, 5 << 20, 5 << 20, 5 << 20, (6 << 20) - 1]
    assert set(found.names) == {("relayer", "r"), ("relayer", "s"), ("denom", "u"), ("detail", "no")}


def test_ends_are_counted_and_each_event_has_its_own():
    told = [row(sequence=n) for n in range(5)] + [row("recv_packet", chain="b-1")] + [row(dst_port=None)]
    found = numbered(events(*told))
    path = (1, "p", "c-0", "q", "c-1")
    sender, receiver, half = End("a-1", False, *path), End("b-1", True, *path), End("a-1", False, *path)
    half = half._replace(dst_port=None)
    assert found.ends == {sender: 5, receiver: 1, half: 1}
    assert found.events["end_id"].to_pylist() == [sender.number] * 5 + [receiver.number, half.number]
