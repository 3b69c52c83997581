"""Messages that exceed the fee limit are deferred: they are listed, cost nothing, and are sent later."""

from fractions import Fraction
from math import inf

import pytest

from conformance.kit.seconds import SECONDS
from pyibc.core.channel.types import Order
from pyibc.relayer.chain.endpoint import EndpointExtras
from pyibc.relayer.chain.simulation import too_expensive
from pyibc.relayer.errors import EndpointUnavailable
from pyibc.relayer.links.deferred_messages import RETRY_BATCH, RETRY_BLOCKS
from pyibc.relayer.links.journal import deferred_in
from pyibc.relayer.links.link import Link
from pyibc.relayer.links.options import Options
from pyibc.relayer.money.fees import GasPrice, Offer
from pyibc.relayer.packets.backlog import DeferredMessage
from pyibc.relayer.packets.packets import covered_packet
from pyibc.relayer.paths.open_path import make_path

CHANNEL = "channel-0"
QUICK = Options(sleep=lambda _seconds: None, clock=SECONDS, retry_wait_s=inf)
UPDATE, PACKET, BYTE = 1_000, 100, 10  # gas of a client update, of a packet, of a byte of its data
HEAVY = b"x" * 1_000


class Priced:
    """Endpoint with a price and a fee limit, around a chain that has neither."""

    def __init__(self, chain, max_fee, price=1):
        self.chain, self.max_fee, self.price, self.refused = chain, max_fee, Fraction(price), []
        self._submit = chain.submit
        chain.submit, chain.extras = self.submit, EndpointExtras(fees=self)

    def offer(self):
        return Offer(GasPrice(self.price, "stake"), self.max_fee)

    def submit(self, messages):
        served = {found for each in messages if (found := covered_packet(each))}
        gas = sum(self.gas(each) for each in messages)
        if not self.offer().allows(gas, len(served)):
            self.refused.append(len(served))
            return too_expensive(self.offer().fee(gas), len(served), self.max_fee, gas)
        return self._submit(messages)

    @staticmethod
    def gas(message):
        if message.type_url.endswith("UpdateClient"):
            return UPDATE
        return PACKET + BYTE * message.value.count(b"x" * 10) * 10


def opened(pair, order=Order.UNORDERED):
    path = make_path(*pair, "port", order, "v1")
    for chain in pair:
        chain.log.clear()
    return path


def paid(chain):
    return [entry["messages"] for entry in chain.log]


def test_a_heavy_packet_waits_is_listed_and_goes_when_gas_is_cheaper(pair):
    link = Link([opened(pair)], *pair, options=QUICK)
    far = Priced(pair[1], max_fee=2_000)
    for data in (b"{}", HEAVY, b"{}"):
        pair[0].send(CHANNEL, data=data)
    done = link.until_idle()
    assert (done.delivered, done.acknowledged, done.given_up, link.pending) == (2, 2, {}, 1)
    reason = "not sent: fee 10100 for 1 packets, above the limit of 2000 per packet"
    assert done.held == {"recv 2 of channel 0 on b": reason}
    assert link.deferred() == [DeferredMessage("alpha-1", "port/channel-0", "recv", 2, reason)]
    tried = len(far.refused)
    pair[1].make_block()
    assert link.until_idle().delivered == 2
    assert len(far.refused) == tried  # at the same price it is not even tried
    far.price = Fraction(1, 10)
    pair[1].make_block()
    done = link.until_idle()
    assert (done.delivered, done.held, done.given_up, link.pending) == (3, {}, {}, 0)


def test_h185_no_update_is_paid_for_what_waits(pair):
    link = Link([opened(pair)], *pair, options=QUICK)
    far = Priced(pair[1], max_fee=2_000)
    for _ in range(3):
        pair[0].send(CHANNEL, data=HEAVY)
    for _ in range(3 * RETRY_BLOCKS):
        link.round()
        pair[1].make_block()
        pair[0].make_block()
    assert paid(pair[1]) == []
    assert far.refused.count(1) > 3  # it was tried again
    assert len(link.deferred()) == link.pending == 3
    assert link.metrics.given_up == {}


def test_light_packets_share_an_update_that_is_too_dear_for_one(pair):
    link = Link([opened(pair)], *pair, options=QUICK)
    Priced(pair[1], max_fee=500)
    pair[0].send(CHANNEL)
    assert link.until_idle().delivered == 0
    assert list(link.metrics.held.values()) == ["not sent: alone it costs too much"]
    for _ in range(2):  # each is too dear alone: 1,100
        pair[0].send(CHANNEL)
        link.until_idle()
    assert (link.metrics.delivered, len(link.deferred()), paid(pair[1])) == (0, 3, [])
    for _ in range(RETRY_BLOCKS):
        pair[1].make_block()
    done = link.until_idle()  # 1,300 for three
    assert (done.delivered, done.acknowledged, done.held) == (3, 3, {})
    assert paid(pair[1])[0] == ["MsgUpdateClient", *["MsgRecvPacket"] * 3]


@pytest.mark.parametrize("heavy", [{1}, {3}, {5}, {1, 5}])
def test_h186_a_heavy_packet_holds_up_none_of_those_beside_it(pair, heavy):
    link = Link([opened(pair)], *pair, options=QUICK)
    Priced(pair[1], max_fee=600)
    for sequence in range(1, 6):
        pair[0].send(CHANNEL, data=HEAVY if sequence in heavy else b"{}")
    pair[0].make_block()
    done = link.until_idle()
    assert {each.sequence for each in link.deferred()} == heavy
    assert (done.delivered, done.given_up, done.refused) == (5 - len(heavy), {}, 0)


def test_on_an_ordered_channel_those_behind_wait_and_none_is_sent_in_vain(pair):
    link = Link([opened(pair, Order.ORDERED)], *pair, options=QUICK)
    far = Priced(pair[1], max_fee=2_000)
    for data in (b"{}", HEAVY, b"{}"):
        pair[0].send(CHANNEL, data=data)
    done = link.until_idle()
    assert (done.delivered, link.pending, done.refused) == (1, 2, 0)
    assert [each.sequence for each in link.deferred()] == [2]
    far.max_fee = None
    for _ in range(RETRY_BLOCKS):
        pair[1].make_block()
    assert link.until_idle().delivered == 3


def test_acknowledgements_and_timeouts_wait_as_well(pair):
    link = Link([opened(pair)], *pair, options=QUICK)
    near = Priced(pair[0], max_fee=10)
    pair[0].send(CHANNEL)
    pair[0].send(CHANNEL, timeout=pair[1].height)
    done = link.until_idle()
    assert (done.delivered, done.acknowledged, done.timed_out) == (1, 0, 0)
    assert {(each.message, each.sequence, each.src_chain) for each in link.deferred()} == {
        ("acknowledge", 1, "alpha-1"),
        ("timeout", 2, "alpha-1"),
    }
    near.max_fee = 10_000
    pair[0].make_block()
    done = link.until_idle()
    assert (done.acknowledged, done.timed_out, link.pending, done.held) == (1, 1, 0, {})


def test_h187_thousands_that_are_too_dear_are_tried_a_few_at_a_time(pair):
    link = Link([opened(pair)], *pair, options=QUICK._replace(messages_per_round=5_000))
    far = Priced(pair[1], max_fee=50)
    for _ in range(400):
        pair[0].send(CHANNEL)
    link.until_idle()
    far.refused.clear()
    for _ in range(RETRY_BLOCKS):
        pair[1].make_block()
    link.round()
    assert far.refused.count(1) == RETRY_BATCH
    far.refused.clear()
    for _ in range(RETRY_BLOCKS):
        pair[1].make_block()
        link.round()
    assert far.refused == []  # the next time is twice as far off
    assert len(link.deferred()) == 400


def test_what_is_delivered_by_somebody_else_is_listed_no_more(pair):
    path = opened(pair)
    link = Link([path], *pair, options=QUICK)
    far = Priced(pair[1], max_fee=10)
    pair[0].send(CHANNEL)
    assert len(link.until_idle().held) == 1
    pair[1].submit = far._submit
    Link([path], *pair, options=QUICK).until_idle()
    assert link.until_idle().held == {}
    assert link.pending == 0


def test_another_process_reads_in_the_journal_what_waits(pair, tmp_path):
    path, file = opened(pair), tmp_path / "relayer.db"
    assert deferred_in(file) == []
    assert not file.exists()
    link = Link([path], *pair, journal=file, options=QUICK)
    far = Priced(pair[1], max_fee=10)
    pair[0].send(CHANNEL)
    link.until_idle()
    told = deferred_in(file)
    assert told == link.deferred() != []
    asking = Link([path], *pair, options=QUICK)
    asking.planned()
    assert asking.deferred() == []
    stranger = DeferredMessage("alpha-1", "port/channel-9", "recv", 1, "of another path")
    gone = DeferredMessage("alpha-1", "port/channel-0", "recv", 7, "long ago")
    assert asking.deferred([*told, stranger, gone]) == told
    pair[1].submit = far._submit
    far.max_fee = None
    pair[1].make_block()
    link.until_idle()
    assert deferred_in(file) == []
    (tmp_path / "other").write_text("no journal")
    assert deferred_in(tmp_path / "other") == []


def test_a_price_that_cannot_be_asked_for_is_asked_for_again(pair):
    link = Link([opened(pair)], *pair, options=QUICK)
    far = Priced(pair[1], max_fee=10)
    pair[0].send(CHANNEL)
    link.until_idle()

    def silent():
        raise EndpointUnavailable("beta-7", "no price")

    far.offer, offer = silent, far.offer
    pair[1].make_block()
    assert link.until_idle().delivered == 0
    far.max_fee = None
    far.offer = offer
    pair[1].make_block()
    assert link.until_idle().delivered == 1
