"""Decoding costs in proportion to the bytes, whatever they nest, repeat or merge. Work is counted."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyibc.codec import budget as budgets
from pyibc.codec import strict, walk
from pyibc.codec.anys import MAX_ANY_DEPTH
from pyibc.codec.budget import (
    BYTES_A_BYTE,
    BYTES_AN_ELEMENT,
    ELEMENTS_OF_A_FIELD,
    ELEMENTS_OF_AN_ANY,
    FLOOR,
    FREE_ELEMENTS,
    Budget,
)
from pyibc.codec.encoding import encode
from pyibc.codec.strict import parse, parse_outer
from pyibc.core.errors import TxDecode
from pyibc.core.wire import tx
from pyibc.proto.cosmos.bank.v1beta1 import tx_pb2 as bank_tx
from pyibc.proto.cosmos.tx.v1beta1 import tx_pb2
from pyibc.proto.google.protobuf import any_pb2
from pyibc.proto.ibc.core.client.v1 import query_pb2 as client_query
from pyibc.proto.ibc.core.client.v1 import tx_pb2 as client_tx
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2
from pyibc.proto.tendermint.types import types_pb2
from pyibc.proto.varint import encode_varint
from tests.sampling import rounds

MULTISIG = b"/cosmos.crypto.multisig.LegacyAminoPubKey"
ANSWER = b"/ibc.core.client.v1.QueryClientStateResponse"
HEADER = b"/ibc.lightclients.tendermint.v1.Header"
UPGRADED = b"/ibc.core.client.v1.QueryUpgradedClientStateResponse"  # the same bytes are one of these, too


def field(number: int, content: bytes, *, spare: bool = False) -> bytes:
    """A field; `spare`: its length in one byte more than it needs, so that its message is not canonical."""
    size = encode_varint(len(content))
    if spare:
        size = size[:-1] + bytes((size[-1] | 0x80, 0))
    return encode_varint(number << 3 | 2) + size + content


def packed(type_url: bytes, value: bytes) -> bytes:
    return field(1, type_url) + field(2, value)


def nested(depth: int, inner: bytes) -> bytes:
    """AuthInfo with keys inside keys, none in canonical form."""
    value = inner
    for _ in range(depth - 1):
        value = field(2, packed(MULTISIG, value), spare=True)
    return field(1, field(1, packed(MULTISIG, value), spare=True))


THRESHOLDS = b"\x08\x01" * 500
"""One field again and again: a thousand bytes, and the last counts."""


@pytest.fixture
def unbounded(monkeypatch):
    """Elements without end: what there is to look at is looked at."""
    monkeypatch.setattr(budgets, "FREE_ELEMENTS", 1 << 40)


def spent_on(cls, raw, **options) -> Budget:
    budget = Budget(len(raw))
    parse(cls, raw, budget=budget, **options)
    return budget


@pytest.mark.parametrize("depth", range(2, MAX_ANY_DEPTH + 1))
@pytest.mark.usefixtures("unbounded")
def test_h60_an_any_is_read_once_for_each_any_it_stands_in(depth):
    raw = nested(depth, THRESHOLDS)
    budget = spent_on(tx_pb2.AuthInfo, raw, non_critical=False)
    assert budget.bytes <= 2 * (depth + 1) * len(raw)
    assert budget.elements <= ELEMENTS_OF_A_FIELD * (len(THRESHOLDS) // 2 + 8 * depth)


@pytest.mark.usefixtures("unbounded")
def test_h60_ten_levels_cost_a_walk_of_each_byte(monkeypatch):
    """What took 2^10 walks of the innermost message."""
    counted, read = [], walk.read_field
    monkeypatch.setattr(walk, "read_field", lambda *given: counted.append(1) or read(*given))
    raw = nested(MAX_ANY_DEPTH, THRESHOLDS)
    parse(tx_pb2.AuthInfo, raw, non_critical=False)
    assert len(THRESHOLDS) // 2 < len(counted) < len(raw)


def merged(depth: int) -> bytes:
    """Answers inside each other; each Any is given under one type, then told to be of another that fits."""
    raw = field(1, packed(MULTISIG, THRESHOLDS))
    for _ in range(depth - 1):
        raw = field(1, packed(ANSWER, raw)) + field(1, field(1, UPGRADED), spare=True)
    return raw


@pytest.mark.parametrize("depth", [2, 6, MAX_ANY_DEPTH])
@pytest.mark.usefixtures("unbounded")
def test_h60_an_any_that_is_merged_is_read_once_more_and_what_is_in_it_is_not(monkeypatch, depth):
    """Two types for the same bytes: each level doubled the work of those below."""
    counted, read = [], walk.read_field
    monkeypatch.setattr(walk, "read_field", lambda *given: counted.append(1) or read(*given))
    raw = merged(depth)
    budget = spent_on(client_query.QueryClientStateResponse, raw)
    assert len(counted) <= 2 * len(raw)
    assert budget.bytes <= 4 * (depth + 1) * len(raw)


@pytest.mark.parametrize(
    "raw",
    [
        field(2, packed(b"/ibc.lightclients.tendermint.v1.Header", b"")) * 2_000,  # merged
        field(1 << 10, b"") * 5_000,  # not critical
        field(1, b"c") * 5_000,
        encode_varint(1 << 13) + b"\xff" * 9 + b"\x01",
    ],
    ids=["an Any again and again", "unknown fields", "a text again and again", "an extreme number"],
)
@pytest.mark.usefixtures("unbounded")
def test_h60_repeated_and_extreme_fields_cost_what_they_weigh(raw):
    budget = spent_on(client_tx.MsgUpdateClient, raw)
    assert budget.bytes <= 4 * len(raw)
    assert budget.elements <= len(raw)


def test_h60_a_spent_budget_refuses():
    raw = nested(3, THRESHOLDS)
    poor = Budget(len(raw))
    poor.max_elements = 200
    with pytest.raises(TxDecode, match="more than 200 elements"):
        parse(tx_pb2.AuthInfo, raw, non_critical=False, budget=poor)
    poor = Budget(len(raw))
    poor.max_bytes = len(raw) + 1
    with pytest.raises(TxDecode, match=f"more than {len(raw) + 1} bytes"):
        parse(tx_pb2.AuthInfo, raw, non_critical=False, budget=poor)


def test_h60_a_budget_follows_the_size():
    assert (Budget(0).max_bytes, Budget(0).max_elements) == (FLOOR, FREE_ELEMENTS)
    large = Budget(10_000)
    assert (large.max_bytes, large.max_elements) == (
        BYTES_A_BYTE * 10_000 + FLOOR,
        10_000 // BYTES_AN_ELEMENT + FREE_ELEMENTS,
    )


@pytest.mark.usefixtures("unbounded")
def test_h60_one_budget_counts_across_a_transaction(monkeypatch):
    """Its body, its options and its keys; a host's messages have one each, of their own bytes."""
    made = []

    def counting(size):
        made.append(Budget(size))
        return made[-1]

    monkeypatch.setattr(tx, "Budget", counting)
    monkeypatch.setattr(strict, "Budget", lambda size: pytest.fail("a second budget"))
    option = any_pb2.Any(type_url=MULTISIG.decode(), value=THRESHOLDS)
    body = encode(tx_pb2.TxBody(non_critical_extension_options=[option])) + field(2, b"memo")
    raw = encode(tx_pb2.TxRaw(body_bytes=body, auth_info_bytes=nested(4, THRESHOLDS)))
    assert tx.decode_tx(raw).extension_options == (MULTISIG.decode(),)
    (budget,) = made
    assert budget.max_bytes == Budget(len(raw)).max_bytes
    assert ELEMENTS_OF_A_FIELD * len(THRESHOLDS) < budget.elements
    assert budget.elements < ELEMENTS_OF_A_FIELD * len(raw)


PIECES = st.recursive(
    st.sampled_from([b"\x08\x01", b"\x1a\x01x", field(1 << 10, b"x"), b""]),
    lambda inner: st.lists(inner, max_size=3).map(
        lambda parts: b"".join(field(2, packed(MULTISIG, part), spare=True) for part in parts)
    ),
    max_leaves=12,
)


@given(PIECES)
@settings(max_examples=rounds(37, 150), deadline=None)
def test_h60_no_shape_costs_more_than_its_levels(value):
    raw = field(2, packed(MULTISIG, value))
    budget = Budget(len(raw))
    with suppress(TxDecode):
        parse(client_tx.MsgUpdateClient, raw, budget=budget)
    assert budget.bytes <= 2 * (MAX_ANY_DEPTH + 1) * len(raw)
    assert budget.elements <= 2 * len(raw)


SPARSE = BYTES_AN_ELEMENT * ELEMENTS_OF_A_FIELD


@pytest.mark.parametrize("size", [1_000, 20_000, 400_000])
@pytest.mark.parametrize(
    "piece", [b"\x0a\x00", b"\x82\x40\x00", b"\x12\x00"], ids=["texts", "unknown fields", "messages"]
)
def test_h60_a_message_of_many_fields_that_is_not_canonical_is_refused_early(monkeypatch, piece, size):
    counted, read = [], walk.read_field
    monkeypatch.setattr(walk, "read_field", lambda *given: counted.append(1) or read(*given))
    with pytest.raises(TxDecode, match="elements"):
        parse(client_tx.MsgUpdateClient, piece * (size // len(piece)))
    assert len(counted) <= size / SPARSE + FREE_ELEMENTS


def test_h60_a_message_of_few_fields_need_not_be_canonical():
    few = FREE_ELEMENTS // ELEMENTS_OF_A_FIELD
    assert parse(client_tx.MsgUpdateClient, field(1, b"c") * few).client_id == "c"
    spread = field(1, b"c" * SPARSE) * 1_000
    assert parse(client_tx.MsgUpdateClient, spread).client_id == "c" * SPARSE
    with pytest.raises(TxDecode, match="elements"):
        parse(client_tx.MsgUpdateClient, b"\x0a\x00" * (few + few))


@pytest.mark.parametrize(
    ("cls", "raw"),
    [
        (tx_pb2.AuthInfo, b"\x0a\x00"),
        (tx_pb2.AuthInfo, field(2, b"\x0a\x00" * 50_000)),
        (bank_tx.MsgSend, b"\x1a\x00"),
        (client_tx.MsgUpdateClient, field(2, packed(HEADER, field(2, b"\x0a\x00" * 50_000)))),
    ],
    ids=["signers", "fees", "coins", "validators"],
)
def test_h60_lists_of_next_to_nothing_are_refused_though_canonical(cls, raw):
    raw = raw if len(raw) > 2 else raw * 50_000
    assert cls.FromString(raw).SerializeToString() == raw
    with pytest.raises(TxDecode, match="elements"):
        parse(cls, raw)


@pytest.mark.parametrize("cls", [tx_pb2.TxBody, tx_pb2.AuthInfo])
def test_h60_lists_are_counted_where_anys_are_not_looked_into(cls):
    with pytest.raises(TxDecode, match="elements"):
        parse_outer(cls, field(1, b"") * 50_000, non_critical=False)


def test_h60_the_smallest_votes_there_are_pass():
    absent = types_pb2.CommitSig(block_id_flag=1)
    absent.timestamp.seconds = -62_135_596_800
    commit = types_pb2.Commit(signatures=[absent] * 10_000)
    header = tendermint_pb2.Header(signed_header=types_pb2.SignedHeader(commit=commit))
    raw = field(2, packed(HEADER, encode(header)))
    assert spent_on(client_tx.MsgUpdateClient, raw).elements == 10_000 + ELEMENTS_OF_AN_ANY


def test_h60_keys_of_many_keys_pass():
    key = packed(b"/cosmos.crypto.secp256k1.PubKey", field(1, b"k" * 33))
    raw = field(1, field(1, packed(MULTISIG, b"\x08\x02" + field(2, key) * 2_000)))
    assert spent_on(tx_pb2.AuthInfo, raw, non_critical=False).elements > 2_000 * ELEMENTS_OF_AN_ANY
