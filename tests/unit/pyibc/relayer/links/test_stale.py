"""Relayers with outdated knowledge, and chains with unexpected answers."""

from math import inf

import pytest

from conformance.kit.seconds import SECONDS
from pyibc.core.channel.types import Order
from pyibc.core.errors import InsufficientFee, RedundantTx, WrongSequence
from pyibc.core.host.block import TxOutcome
from pyibc.relayer.errors import TransactionFailed
from pyibc.relayer.links.journal import Journal
from pyibc.relayer.links.link import Link, relay
from pyibc.relayer.links.options import Options
from pyibc.relayer.links.outcomes import RETRIES, send
from pyibc.relayer.packets.backlog import Backlog
from pyibc.relayer.paths.open_path import make_path

CHANNEL = "channel-0"
QUICK = Options(sleep=lambda _seconds: None, clock=SECONDS, retry_wait_s=inf)


def opened(chains, order=Order.UNORDERED):
    return make_path(*chains, "port", order, "v1")


def relay_client(path, a, b) -> None:
    """Update b's client of a to the tip."""
    Link([path], a, b, options=QUICK)._submissions._slots[1].submitter.refresh(a.height)


def test_nothing_is_sent_for_packets_that_are_done(pair) -> None:
    a, b = pair
    path = opened(pair)
    a.send(CHANNEL)
    a.make_block()
    late = Link([path], a, b, options=QUICK)
    heads = late._reader.read()
    relay(path, a, b, options=QUICK)
    a.make_block()
    relay_client(path, a, b)
    before = b.height
    late._relay_to(1, heads)
    assert (b.height, late.pending) == (before, 0)
    assert (late.metrics.refused, late._backoff._failing) == (0, {})


def test_nothing_is_sent_for_a_timeout_of_a_packet_that_came_in(pair) -> None:
    """The relayer began to read b after the packet was received there: only b's state shows it."""
    a, b = pair
    path = opened(pair)
    b.answer_later = True
    a.send(CHANNEL, timeout=b.height + 9)
    relay(path, a, b, options=QUICK)
    for _ in range(12):
        b.make_block()
    late = Link([path], a, b, start=(1, b.height + 1), options=QUICK)
    before = a.height
    late.until_idle()
    assert a.height == before
    assert (late.metrics.refused, late.pending, late._backoff._failing) == (0, 1, {})


def test_late_relayer_waits_for_the_answer(pair) -> None:
    a, b = pair
    path = opened(pair)
    b.answer_later = True
    packet = a.send(CHANNEL)
    relay(path, a, b, options=QUICK)
    for _ in range(3):
        b.make_block()
    late = Link([path], a, b, start=(1, b.height + 1), options=QUICK)
    assert late.until_idle().redundant == 0
    assert late.pending == 1
    b.answer(packet)
    assert late.until_idle().acknowledged == 1
    assert late.pending == 0


def test_proofs_are_made_at_the_clients_height_where_it_is_ahead(pair) -> None:
    a, b = pair
    path = opened(pair)
    a.send(CHANNEL)
    a.make_block()
    late = Link([path], a, b, options=QUICK)
    heads = late._reader.read()
    for _ in range(3):
        a.make_block()
    relay_client(path, a, b)
    late._relay_to(1, heads)
    assert (late.metrics.delivered, late.metrics.refused, late.metrics.updates) == (1, 0, 0)


def test_redundant_transactions_that_the_mempool_refuses(pair, monkeypatch) -> None:
    """ibc-go's ante handler rejects transactions whose packet messages are all redundant."""
    a, b = pair
    path = opened(pair)
    for _ in range(3):
        a.send(CHANNEL)
    a.make_block()
    late = Link([path], a, b, options=QUICK)
    heads = late._reader.read()

    def refuse(_messages):
        raise RedundantTx

    with monkeypatch.context() as patch:
        patch.setattr(b, "submit", refuse)
        late._relay_to(1, heads)
    assert (late.metrics.redundant, late.metrics.delivered) == (3, 0)
    assert (late._backoff._failing, late.pending) == ({}, 3)


def test_event_of_another_packet_than_was_sent(pair) -> None:
    a, b = pair
    path = opened(pair)
    packet = a.send(CHANNEL)
    kind, pairs = a.blocks[-1].block_events[0]
    forged = (kind, tuple((k, "00" if k == "packet_data_hex" else v) for k, v in pairs))
    a.blocks[-1] = a.blocks[-1]._replace(block_events=(forged,))
    a.send(CHANNEL)
    done = relay(path, a, b, options=QUICK)
    assert done.given_up == {
        f"recv {packet.sequence} of channel 0 on b": "the commitment is not that of the packet in the event"
    }
    assert (done.delivered, done.refused) == (1, 0)


def test_ordered_channel_goes_on_without_its_history(pair) -> None:
    a, b = pair
    path = opened(pair, Order.ORDERED)
    for _ in range(3):
        a.send(CHANNEL)
    relay(path, a, b, options=QUICK)
    a.send(CHANNEL)
    late = Link([path], a, b, start=(a.height, b.height + 1), options=QUICK)
    assert late.until_idle().acknowledged == 1


def test_journal_forgets_what_is_done(pair, fast_path) -> None:
    a, b = pair
    path = opened(pair)
    b.answer_later = True
    packets = [a.send(CHANNEL) for _ in range(2)]
    relay(path, a, b, journal=fast_path / "j.db", options=QUICK)
    assert pending_in(fast_path / "j.db", path) == [1, 2]
    b.answer(packets[0])
    relay(path, a, b, journal=fast_path / "j.db", options=QUICK)
    assert pending_in(fast_path / "j.db", path) == [2]


def pending_in(file, path) -> list[int]:
    backlog, journal = Backlog([path]), Journal(file, [path])
    assert journal.load(backlog) is not None
    journal.close()
    return sorted(backlog.channels[0].sent_from(0).packets)


def test_sequence_mismatch_is_tried_again(pair, monkeypatch) -> None:
    a, _ = pair
    mismatch = TxOutcome(b"", WrongSequence.code, WrongSequence.codespace, (), 0, 0)
    fine = TxOutcome(b"", 0, "", (), 0, 0)
    answers = [mismatch, mismatch, fine]
    monkeypatch.setattr(a, "submit", lambda _messages: answers.pop(0))
    assert send(a, []) == fine
    answers += [mismatch] * (RETRIES + 1)
    assert send(a, []) == mismatch
    assert answers == []


def test_a_transaction_of_our_account_on_its_way_is_waited_for(pair, monkeypatch) -> None:
    """Until a block has the transaction, the chain returns one sequence and its mempool expects another."""
    a, _ = pair
    mismatch = TxOutcome(b"", WrongSequence.code, WrongSequence.codespace, (), 0, 0)
    fine = TxOutcome(b"", 0, "", (), 0, 0)
    start = a.tip().height
    tries = []

    def submit(_messages):
        tries.append(a.tip().height)
        return fine if a.tip().height > start + 1 else mismatch

    monkeypatch.setattr(a, "submit", submit)
    assert send(a, []) == fine
    assert tries == [start, start, start + 1, start + 2]


def test_account_that_cannot_pay(pair, monkeypatch) -> None:
    a, _ = pair
    poor = TxOutcome(b"", InsufficientFee.code, InsufficientFee.codespace, (), 0, 0, b"", "5stake needed")
    monkeypatch.setattr(a, "submit", lambda _messages: poor)
    with pytest.raises(
        TransactionFailed, match="alpha-1 refused the relayer's transactions: sdk/13 5stake needed"
    ):
        send(a, [])
