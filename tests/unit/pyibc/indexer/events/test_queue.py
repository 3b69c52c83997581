"""Decoding of queue events that the chain's own code emits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.indexer.events.ics20 import Transfer
from pyibc.indexer.events.packets import Malformed, packet_events
from pyibc.indexer.events.queue import transfer_of_coins
from pyibc.queues import packet as queue_events
from pyibc.queues.coins import CoinTransfer as Data
from pyibc.queues.coins import QueueDenom, encode_transfer
from pyibc.queues.packet import TIMED_OUT, QueuePacket, Receipt, Registration
from pyibc.queues.types import End

CHAINS = End("alpha-1"), End("beta-1")
CHANNELS = End("alpha-1", "connection-0", "channel-3"), End("beta-1", "connection-7", "channel-4")
COINS = encode_transfer(Data(QueueDenom("uatom", ("gamma-1/connection-1/channel-1", "beta-1")), 12, "a", "b"))
OK, NO = Receipt(b"result"), Receipt(b"", "queue_coins", 4)


def packet(ends=CHAINS, sequence=0, data=COINS, kind="coins", height=Height(1, 55), time_ns=17):
    return QueuePacket(*ends, sequence, kind, data, height, time_ns)


def read(block, *events):
    return list(packet_events(block(*events)))


@pytest.mark.parametrize("ends", [CHAINS, CHANNELS])
def test_a_send_says_which_packet_what_and_until_when(block, ends) -> None:
    (event,) = read(block, queue_events.send(packet(ends), "client-0"))
    facts = event.facts
    assert (event.type, event.relayer) == ("send_packet", "")
    assert facts[:6] == (0, "coins", ends[0].text, "coins", ends[1].text, 0)
    assert (facts.timeout_revision, facts.timeout_height, facts.timeout_ns) == (1, 55, 17)
    assert facts.transfer == Transfer("gamma-1/connection-1/channel-1/beta-1/uatom", "12", "a", "b")


def test_a_receipt_is_a_delivery_and_an_answer(block) -> None:
    signer = ("tx", (("acc_seq", "relayer/1"),))
    found = read(
        block, signer, queue_events.receive(packet(), OK, "c"), queue_events.receive(packet(), NO, "c")
    )
    assert [(event.type, event.relayer) for event in found] == [
        ("recv_packet", "relayer"),
        ("write_acknowledgement", "relayer"),
    ] * 2
    assert [event.facts.ack for event in found[::2]] == [None, None]
    assert [tuple(event.facts.ack) for event in found[1::2]] == [("success", ""), ("error", "queue_coins/4")]
    (sent,) = read(block, queue_events.send(packet(), "c"))
    assert {event.facts.data_digest for event in found} == {sent.facts.data_digest}


def test_a_packet_that_was_too_late_is_not_delivered_and_times_out(block) -> None:
    assert read(block, queue_events.receive(packet(), TIMED_OUT, "c")) == []
    (event,) = read(block, queue_events.handle_receipt(packet(), TIMED_OUT, "c"))
    assert (event.type, event.facts.ack) == ("timeout_packet", None)


@pytest.mark.parametrize(("receipt", "ack"), [(OK, ("success", "")), (NO, ("error", "queue_coins/4"))])
def test_a_handled_receipt_is_an_acknowledgement(block, receipt, ack) -> None:
    (event,) = read(block, queue_events.handle_receipt(packet(), receipt, "c"))
    assert (event.type, tuple(event.facts.ack)) == ("acknowledge_packet", ack)


def test_only_the_protocols_own_timeout_error_is_one(block) -> None:
    other = Receipt(b"", "queue_coins", TIMED_OUT.code)
    assert len(read(block, queue_events.receive(packet(), other, "c"))) == 2


def test_a_packet_taken_back_times_out(block) -> None:
    (event,) = read(block, queue_events.timeout(packet(), "c"))
    assert (event.type, event.facts.data_digest) == ("timeout_packet", None)


def test_what_is_about_no_packet_is_none(block) -> None:
    registration = Registration.of("c", *CHAINS, b"queue")
    assert read(block, queue_events.advance(registration, 0, 9), queue_events.register(registration)) == []


def test_an_answer_to_what_was_no_packet_has_no_type(block) -> None:
    lost = packet(data=b"", kind="", height=ZERO_HEIGHT, time_ns=0)
    found = read(block, queue_events.receive(lost, NO, "c"))
    assert [event.facts[:6] for event in found] == [(0, "", "alpha-1", "", "beta-1", 0)] * 2


def test_another_types_data_is_not_read_as_coins(block) -> None:
    (event,) = read(block, queue_events.send(packet(kind="mail"), "c"))
    assert event.facts.transfer is None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("source", ""),
        ("destination", ""),
        ("sequence", "-1"),
        ("sequence", "01"),
        ("sequence", str(2**63)),
        ("max_height", "7"),
        ("max_height", ""),
        ("max_time", "soon"),
        ("data_hex", "0"),
        ("code", "one"),
        ("code", ""),
    ],
)
def test_odd_fields_are_told_and_the_rest_counts(block, field, value) -> None:
    kind, attributes = queue_events.receive(packet(), OK, "c")
    odd = kind, tuple((dict(attributes) | {field: value}).items())
    first, *rest = read(block, odd, queue_events.send(packet(sequence=2), "c"))
    assert isinstance(first, Malformed)
    assert first.reason.count("queue_receive") == 1
    assert field in first.reason
    assert [event.facts.sequence for event in rest] == [2]


def test_the_largest_numbers_fit(block) -> None:
    top = packet(sequence=2**63 - 1, height=Height(2**64 - 1, 2**64 - 1), time_ns=2**64 - 1)
    (event,) = read(block, queue_events.send(top, "c"))
    facts = event.facts
    assert {facts.sequence, facts.timeout_revision, facts.timeout_height, facts.timeout_ns} == {2**63 - 1}


@given(st.binary(max_size=80))
def test_any_data_is_coins_or_nothing(data) -> None:
    found = transfer_of_coins(data)
    assert found is None or (found.denom and found.amount.isdigit())


@pytest.mark.parametrize(
    "data", [b"", COINS[:-9], b"\x0a\x02\x12\x01", b"\x08\x01", COINS.replace(b"12", b"xx")]
)
def test_data_that_is_no_transfer(data) -> None:
    assert transfer_of_coins(data) is None
