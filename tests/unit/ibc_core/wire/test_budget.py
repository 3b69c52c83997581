"""Decoding costs in proportion to the bytes, whatever they nest, repeat or merge. Work is counted."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibc_core.errors import TxDecode
from ibc_core.wire import strict, tx, walk
from ibc_core.wire.budget import BYTES_A_BYTE, ELEMENTS_A_BYTE, FLOOR, Budget
from ibc_core.wire.encoding import encode
from ibc_core.wire.strict import MAX_ANY_DEPTH, parse
from ibc_proto.cosmos.tx.v1beta1 import tx_pb2
from ibc_proto.google.protobuf import any_pb2
from ibc_proto.ibc.core.client.v1 import query_pb2 as client_query
from ibc_proto.ibc.core.client.v1 import tx_pb2 as client_tx
from ibc_proto.varint import encode_varint

MULTISIG = b"/cosmos.crypto.multisig.LegacyAminoPubKey"
ANSWER = b"/ibc.core.client.v1.QueryClientStateResponse"
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


def spent_on(cls, raw, **options) -> Budget:
    budget = Budget(len(raw))
    parse(cls, raw, budget=budget, **options)
    return budget


@pytest.mark.parametrize("depth", range(2, MAX_ANY_DEPTH + 1))
def test_h60_an_any_is_read_once_for_each_any_it_stands_in(depth):
    raw = nested(depth, THRESHOLDS)
    budget = spent_on(tx_pb2.AuthInfo, raw, non_critical=False)
    assert budget.bytes <= 2 * (depth + 1) * len(raw)
    assert budget.elements <= len(THRESHOLDS) // 2 + 8 * depth


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
    assert (Budget(0).max_bytes, Budget(0).max_elements) == (FLOOR, FLOOR)
    large = Budget(10_000)
    assert (large.max_bytes, large.max_elements) == (
        BYTES_A_BYTE * 10_000 + FLOOR,
        ELEMENTS_A_BYTE * 10_000 + FLOOR,
    )


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
    assert len(THRESHOLDS) < budget.elements < len(raw)


PIECES = st.recursive(
    st.sampled_from([b"\x08\x01", b"\x1a\x01x", field(1 << 10, b"x"), b""]),
    lambda inner: st.lists(inner, max_size=3).map(
        lambda parts: b"".join(field(2, packed(MULTISIG, part), spare=True) for part in parts)
    ),
    max_leaves=12,
)


@given(PIECES)
@settings(max_examples=150, deadline=None)
def test_h60_no_shape_costs_more_than_its_levels(value):
    raw = field(2, packed(MULTISIG, value))
    budget = Budget(len(raw))
    with suppress(TxDecode):
        parse(client_tx.MsgUpdateClient, raw, budget=budget)
    assert budget.bytes <= 2 * (MAX_ANY_DEPTH + 1) * len(raw)
    assert budget.elements <= 2 * len(raw)
