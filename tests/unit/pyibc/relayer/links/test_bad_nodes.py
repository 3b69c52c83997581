"""A round against nodes that lag, refuse or are slow, and chains that are full, narrow or of another time."""

from math import inf

import pytest

from conformance.kit.seconds import SECONDS
from pyibc.core.channel.types import Order
from pyibc.core.client.messages import MsgUpdateClient
from pyibc.core.errors import HeaderFromFuture, OutOfGas, TxTooLarge
from pyibc.core.host.block import TxOutcome
from pyibc.core.packet.events import ACKNOWLEDGE_PACKET, RECV_PACKET, read_packet_event
from pyibc.core.wire.message import decode_msg
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, TransactionFailed
from pyibc.relayer.links.batch import BatchLimits, LearnedLimits
from pyibc.relayer.links.link import Link, relay
from pyibc.relayer.links.options import Options
from pyibc.relayer.links.outcomes import RETRIES, send
from pyibc.relayer.packets.proofs import MAX_TIMEOUTS, Proofs, prover_of
from pyibc.relayer.paths.open_path import make_path

CHANNEL = "channel-0"
SECOND = 10**9
REFUSED = EndpointRefused("alpha-1", "abci_query", "height in the future")
QUICK = Options(sleep=lambda _: None, clock=SECONDS, retry_wait_s=inf, search_blocks=2_000)


def opened(pair, order=Order.UNORDERED):
    return make_path(*pair, "port", order, "v1")


def seen(chain, kind) -> list[int]:
    found = [read_packet_event(event) for block in chain.blocks for tx in block.txs for event in tx.events]
    return sorted(event.packet.sequence for event in found if event is not None and event.kind == kind)


def refusing(chain, monkeypatch, fails, error=REFUSED):
    """Makes every `fails`th proof of a chain fail."""
    asked, prove = [], chain.prove

    def sometimes(key, height):
        asked.append(key)
        if len(asked) % fails == 0:
            raise error
        return prove(key, height)

    monkeypatch.setattr(chain, "prove", sometimes)
    return asked


def test_h142_one_refused_proof_in_a_hundred_keeps_no_packet_back(pair, monkeypatch) -> None:
    a, b = pair
    link = Link([opened(pair)], a, b, options=QUICK)
    for _ in range(1_000):
        a.send(CHANNEL)
    asked = refusing(a, monkeypatch, 100)
    link.round()
    assert (link.metrics.delivered, link.metrics.refused) == (990, 0)
    done = link.until_idle()
    assert (done.delivered, done.acknowledged, done.given_up, link.pending) == (1_000, 1_000, {}, 0)
    assert seen(b, RECV_PACKET) == list(range(1, 1_001))
    assert len(asked) < 1_020  # what was proven is not proven again


def test_h142_an_ordered_channel_waits_for_the_proof_and_stays_in_order(pair, monkeypatch) -> None:
    a, b = pair
    path = opened(pair, Order.ORDERED)
    for _ in range(10):
        a.send(CHANNEL)
    refusing(a, monkeypatch, 4)
    done = relay(path, a, b, options=QUICK)
    assert (done.delivered, done.acknowledged, done.refused, done.given_up) == (10, 10, 0, {})


def test_a_node_that_gives_no_proof_at_all_is_an_outage(pair, monkeypatch) -> None:
    a, b = pair
    path = opened(pair)
    for _ in range(9):
        a.send(CHANNEL)
    with monkeypatch.context() as patch:
        refusing(a, patch, 1)
        pauses = []
        with pytest.raises(EndpointRefused, match="height in the future"):
            relay(path, a, b, options=Options(outages=3, sleep=pauses.append))
        assert len(pauses) == 2
    assert relay(path, a, b, options=QUICK).delivered == 9


def test_a_silent_node_is_not_asked_for_every_proof(pair, monkeypatch) -> None:
    a, _ = pair
    asked = refusing(a, monkeypatch, 1, EndpointUnavailable("alpha-1", "timed out"))
    proofs = Proofs(prover_of(a), 1, [b"%d" % number for number in range(1_000)])
    assert len(asked) == MAX_TIMEOUTS
    with pytest.raises(EndpointUnavailable, match="not queried"):
        proofs.prove(b"999")


def narrow(chain, monkeypatch, limit, error):
    """A chain whose transactions may have `limit` messages."""
    sizes, submit = [], chain.submit

    def checked(messages):
        sizes.append(len(messages))
        if len(messages) > limit:
            raise error
        return submit(messages)

    monkeypatch.setattr(chain, "submit", checked)
    return sizes


def test_h143_a_batch_too_large_is_halved_and_the_limit_is_remembered(pair, monkeypatch) -> None:
    a, b = pair
    link = Link([opened(pair)], a, b, options=QUICK)
    sizes = narrow(b, monkeypatch, 12, TxTooLarge(9, 8))
    for _ in range(400):
        a.send(CHANNEL)
    done = link.until_idle()
    assert (done.delivered, done.given_up) == (400, {})
    too_large = [size for size in sizes if size > 12]
    assert too_large == [
        101,
        100,
        50,
        25,
        24,
    ]  # with the client's update; 20 batches later
    before = len(sizes)
    for _ in range(30):
        a.send(CHANNEL)
    link.until_idle()
    assert [size for size in sizes[before:] if size > 12] == []


def test_limits_come_back_after_a_while() -> None:
    class Item:
        size = 100

    limits = LearnedLimits(BatchLimits(100, 50_000))
    limits.refused([Item()] * 100)
    assert limits.now == BatchLimits(50, 5_000)
    limits.refused([Item()])
    assert limits.now == BatchLimits(1, 50)
    for _ in range(19):
        limits.accepted()
    assert limits.now == BatchLimits(1, 50)
    for _ in range(400):
        limits.accepted()
    assert limits.now == BatchLimits(100, 50_000)


def test_out_of_gas_finds_the_heavy_message_and_lowers_no_limit(pair, monkeypatch) -> None:
    a, b = pair
    path = opened(pair)
    heavy = a.send(CHANNEL, data=b"heavy")
    for _ in range(31):
        a.send(CHANNEL)
    sizes, submit = [], b.submit

    def metered(messages):
        sizes.append(len(messages))
        if any(b"heavy" in message.value for message in messages):
            return TxOutcome(b"", OutOfGas.code, OutOfGas.codespace, (), 0, 0, b"", "out of gas")
        return submit(messages)

    monkeypatch.setattr(b, "submit", metered)
    link = Link([path], a, b, options=QUICK)
    done = link.until_idle()
    assert (done.delivered, done.given_up) == (
        31,
        {f"recv {heavy.sequence} of channel 0 on b": "sdk/11 out of gas"},
    )
    assert link._submissions._slots[1].submitter._submitter._limits.now == BatchLimits()


FULL = TxOutcome(b"", 20, "sdk", (), 0, 0, b"", "mempool is full: number of txs 5000")


def test_h143_a_full_mempool_is_waited_for_and_blames_no_packet(pair, monkeypatch) -> None:
    a, b = pair
    path = opened(pair)
    a.send(CHANNEL)
    tries, submit = [], b.submit

    def full_until(height):
        def checked(messages):
            tries.append(b.height)
            return submit(messages) if b.height >= height else FULL

        return checked

    start = b.height
    monkeypatch.setattr(b, "submit", full_until(start + 3))
    done = relay(path, a, b, options=QUICK)
    assert tries == [start, start + 1, start + 2, start + 3]
    assert (done.delivered, done.refused, done.given_up) == (1, 0, {})


def test_a_mempool_that_stays_full_is_an_outage(pair, monkeypatch) -> None:
    a, _ = pair
    tries = []
    monkeypatch.setattr(a, "submit", lambda _messages: tries.append(a.height) or FULL)
    with pytest.raises(EndpointUnavailable, match="sdk/20 mempool is full"):
        send(a, [])
    assert len(tries) == RETRIES + 1
    assert len(set(tries)) == len(tries)  # a block apart


DRIFT = 10 * SECOND


def strict_clock(host, monkeypatch):
    """A host that refuses headers from its future as ibc-go does; returns the headers refused."""
    refused, update = [], host._MsgUpdateClient

    def checked(raw):
        header = tendermint_pb2.Header.FromString(decode_msg(MsgUpdateClient, raw).client_message.value)
        stored = header.signed_header.header
        now = host.times[-1]
        if stored.time.ToNanoseconds() >= now + DRIFT:
            refused.append(stored.height)
            raise HeaderFromFuture(stored.time.ToNanoseconds(), now, DRIFT)
        update(raw)

    monkeypatch.setattr(host, "_MsgUpdateClient", checked)
    return refused


def test_h144_a_clock_a_minute_ahead_is_waited_for(pair, monkeypatch) -> None:
    a, b = pair
    path = opened(pair)
    refused = strict_clock(b, monkeypatch)
    a.skew_ns += b.times[-1] - a.times[-1] + 60 * SECOND
    a.make_block()
    for _ in range(5):
        a.send(CHANNEL)
    make = b.make_block

    def both(*txs, **more):
        for _ in range(3):
            a.make_block()
        make(*txs, **more)

    monkeypatch.setattr(b, "make_block", both)
    link = Link([path], a, b, options=QUICK)
    done = link.until_idle()
    assert (done.delivered, done.acknowledged, done.given_up, link.pending) == (5, 5, {}, 0)
    assert seen(a, ACKNOWLEDGE_PACKET) == [1, 2, 3, 4, 5]
    a.send(CHANNEL)
    assert link.until_idle().delivered == 6
    learned = len(refused)
    assert learned <= 9
    for _ in range(5):
        a.send(CHANNEL)
        link.until_idle()
    assert (link.metrics.delivered, len(refused)) == (11, learned)


def test_h144_a_handshake_waits_for_the_host_s_time(new_pair, monkeypatch) -> None:
    a, b = new_pair()
    refused = strict_clock(b, monkeypatch)
    for _ in range(60):
        a.make_block()
    path = opened((a, b))
    assert path.b.channel_id == CHANNEL
    assert 1 <= len(refused) <= 3


def test_a_chain_that_calls_every_header_one_from_the_future_ends_the_round(pair, monkeypatch) -> None:
    a, b = pair
    path = opened(pair)
    a.send(CHANNEL)
    tries = []

    def refuse(_raw):
        tries.append(b.height)
        raise HeaderFromFuture(2, 1, 0)

    monkeypatch.setattr(b, "_MsgUpdateClient", refuse)
    with pytest.raises(TransactionFailed, match="cometbft/2"):
        relay(path, a, b, options=QUICK)
    assert len(tries) < 20
