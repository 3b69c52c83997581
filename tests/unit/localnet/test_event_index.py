"""Queries over events, and the index that answers them."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localnet.event_index import EventIndex, EventQuery, TxPlace, parse_query
from pyibc.core.errors import InvalidRequest
from pyibc.core.host.block import CommittedBlock, TxOutcome, tx_hash
from pyibc.core.numbers import MAX_I64
from tests.sampling import rounds


def test_a_query_is_taken_apart():
    text = "a.b='it AND that' AND  c.d-e = 'x=y' AND tx.height>=3 AND tx.height < 9 AND f.g='' AND h.i=7"
    pairs = (("a.b", "it AND that"), ("c.d-e", "x=y"), ("f.g", ""), ("h.i", "7"))
    assert parse_query(text) == EventQuery(pairs, 3, 8, None)
    assert parse_query("tx.hash='AbCd'").digest == b"\xab\xcd"
    assert parse_query("block.height = 5") == EventQuery((), 5, 5, None)
    assert parse_query("tx.height > 5 AND tx.height <= 9") == EventQuery((), 6, 9, None)
    assert parse_query("a.b='c'").last == MAX_I64


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "a",
        "a.b",
        "a.b=",
        "a.b=c",
        "a.b='c",
        "a.b='c' AND",
        "AND a.b='c'",
        "a.b='c' OR a.b='d'",
        "a.b>'c'",
        "a.b EXISTS",
        "a.b CONTAINS 'c'",
        "nodot='c'",
        "tx.height='x'",
        "tx.height=99999999999999999999",
        "a.b='c'\n--",
        "x" * 5_000,
    ],
)
def test_what_is_no_query_is_refused(text):
    with pytest.raises(InvalidRequest):
        parse_query(text)


@settings(deadline=None, max_examples=rounds(50, 200))
@given(st.text(max_size=80))
def test_any_text_is_a_query_or_refused(text):
    with contextlib.suppress(InvalidRequest):
        parse_query(text)


def tx(*events):
    return TxOutcome(b"", 0, "", tuple(events), 0, 0)


def event(kind, **attributes):
    return kind, tuple(attributes.items())


def chain_of(*blocks):
    """A chain whose blocks have these transactions and block events."""
    made = [CommittedBlock("c", n, n, b"", tuple(txs), tuple(own)) for n, (txs, own) in enumerate(blocks, 1)]
    asked = []

    def block(height):
        asked.append(height)
        return made[height - 1]

    return EventIndex(lambda: len(made), lambda: 1, block), made, asked


def found(index, text):
    return [tuple(place) for place in index.txs(parse_query(text))]


def test_conditions_on_one_type_hold_in_one_event():
    index, _, _ = chain_of(
        ([tx(event("send", seq="1", ch="a"), event("send", seq="2", ch="b"))], []),
        ([tx(event("send", seq="2", ch="a")), tx(event("send", seq="2", ch="a"), event("msg", by="me"))], []),
    )
    assert found(index, "send.seq='2' AND send.ch='b'") == [(1, 0)]
    assert found(index, "send.seq='1' AND send.ch='b'") == []
    assert found(index, "send.seq='2'") == [(1, 0), (2, 0), (2, 1)]
    assert found(index, "send.seq='2' AND msg.by='me'") == [(2, 1)]
    assert found(index, "send.seq='2' AND tx.height=2") == [(2, 0), (2, 1)]
    assert found(index, "tx.height>0") == [(1, 0), (2, 0), (2, 1)]
    assert found(index, "send.seq='3'") == []


def test_blocks_events_are_the_blocks_alone():
    index, _, _ = chain_of(
        ([], [event("ack", n="1")]), ([tx(event("ack", n="1"))], []), ([], [event("ack", n="1")])
    )
    assert index.blocks(parse_query("ack.n='1'")) == [1, 3]
    assert found(index, "ack.n='1'") == [(2, 0)]


def test_each_block_is_read_once_and_only_when_asked():
    index, made, asked = chain_of(([tx(event("a", b="c"))], []))
    assert asked == []
    for _ in range(3):
        assert index.txs(parse_query("a.b='c'")) == [TxPlace(1, 0)]
    made.append(CommittedBlock("c", 2, 2, b"", (tx(event("a", b="c")),), ()))
    assert found(index, "a.b='c'") == [(1, 0), (2, 0)]
    assert asked == [1, 2]


@pytest.mark.parametrize("start", [1, (1 << 24) - 2, 1 << 40, MAX_I64 - 3])
def test_h273_heights_of_any_int64_are_indexed(start):
    """From 2^24 - 1 on all heights were one, and what was found was none of theirs."""
    made = {
        start + n: CommittedBlock("c", start + n, 1, b"", (tx(event("a", b="c")),) * n, (event("d", e="f"),))
        for n in range(4)
    }
    index = EventIndex(lambda: start + 3, lambda: start, made.__getitem__)
    assert index.blocks(parse_query("d.e='f'")) == list(made)
    for n in range(4):
        assert found(index, f"tx.height={start + n}") == [(start + n, number) for number in range(n)]
        assert found(index, f"tx.height={start + n} AND a.b='c'") == found(index, f"tx.height={start + n}")
    assert found(index, f"a.b='c' AND tx.height>{start + 1} AND tx.height<{start + 3}") == [
        (start + 2, 0),
        (start + 2, 1),
    ]


def test_h273_a_chain_may_begin_at_any_height(make_chain, genesis, sign, tmp_path):
    """Blocks, transactions, the state and searches, also after a restart."""
    start = 1 << 62
    options = {"home": tmp_path / "c", "genesis": genesis._replace(initial_height=start)}
    chain = make_chain(**options)
    chain.make_block([sign()])
    chain.make_block([sign(sequence=1)])
    for _ in range(2):
        assert found(chain.events, f"tx.height={start + 1}") == [(start + 1, 0)]
        assert chain.find_tx(tx_hash(sign(sequence=1)))[0] == chain.height == start + 2
        assert chain.query("/store/bank/key", b"\x00stake", start + 1, True).code == 0
        assert chain.light_block(start + 2).height == start + 2
        chain.close()
        chain = make_chain(**options)


VALUES = st.sampled_from(["x", "y"])
EVENTS = st.lists(st.tuples(st.sampled_from(["p", "q"]), st.tuples(VALUES, VALUES)), max_size=3)


@settings(deadline=None, max_examples=rounds(15, 60))
@given(
    blocks=st.lists(st.lists(EVENTS, max_size=3), max_size=5),
    asked=st.lists(st.tuples(st.sampled_from(["p.a", "p.b", "q.a"]), VALUES), min_size=1, max_size=3),
)
def test_the_index_finds_what_a_look_at_all_finds(blocks, asked):
    txs = [[tx(*[event(kind, a=a, b=b) for kind, (a, b) in events]) for events in block] for block in blocks]
    index, _, _ = chain_of(*[(each, []) for each in txs])

    def holds(outcome):
        types = {key.split(".")[0] for key, _ in asked}
        return all(
            any(
                kind == wanted
                and all(
                    dict(pairs)[key.split(".")[1]] == value for key, value in asked if key.startswith(wanted)
                )
                for kind, pairs in outcome.events
            )
            for wanted in types
        )

    expected = [
        (height, number)
        for height, block in enumerate(txs, 1)
        for number, outcome in enumerate(block)
        if holds(outcome)
    ]
    assert found(index, " AND ".join(f"{key}='{value}'" for key, value in asked)) == expected
