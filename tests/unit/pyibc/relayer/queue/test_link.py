"""Relay of queues between two chains that verify proofs."""

from math import inf

import pytest

from conformance.kit.queue.app import MOCK
from conformance.kit.queue.pair import EndPath, QueuePair
from conformance.kit.scripted_app import ScriptedRefusal
from conformance.kit.seconds import SECONDS
from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.queues.coins import COINS, CoinTransfer, QueueDenom, encode_transfer
from pyibc.queues.messages import MsgQueueSend
from pyibc.queues.types import End
from pyibc.relayer.clients.driver import Drivers, single_driver
from pyibc.relayer.clients.tendermint import TendermintDriver
from pyibc.relayer.errors import EndpointUnavailable, TransactionFailed, WrongCounterparty
from pyibc.relayer.links.batch import BatchLimits
from pyibc.relayer.queue.link import NAIVE, Options, QueueLink
from pyibc.relayer.queue.path import QueuePath, make_queue_path, read_registration
from pyibc.relayer.queue.submitter import BatchPolicy
from tests.unit.pyibc.relayer.manual_runner import ManualRunner


@pytest.fixture
def pair():
    made = QueuePair.registered(channels=2)
    yield made
    made.close()


def paths_of(pair):
    paths = (pair.path, *pair.channel_paths)
    return [make_queue_path(pair.a.relayer, pair.b.relayer, (path.a, path.b)) for path in paths]


def link_of(pair, options=Options()):  # noqa: B008 - a value
    return QueueLink(paths_of(pair), pair.a.relayer, pair.b.relayer, options)


def send(pair, path, number, max_height=ZERO_HEIGHT):
    side = pair.side(path.a)
    message = MsgQueueSend(path.a, path.b, None, MOCK, b"data", max_height, 0, side.user.signer)
    outcome = side.submit_as_user(*[message] * number)
    assert outcome.code == 0, outcome.log


def everything(pair):
    return [
        (pair.side(path.a).bounds(path.outgoing), pair.side(path.b).bounds(path.incoming))
        for path in (pair.path, pair.path.back(), pair.channel_paths[0], pair.channel_paths[1])
    ]


@pytest.mark.parametrize("options", [Options(), Options(items=3), NAIVE], ids=["batches", "threes", "naive"])
def test_brings_packets_there_and_receipts_home(pair, options) -> None:
    send(pair, pair.path, 5)
    send(pair, pair.path.back(), 3)
    send(pair, pair.channel_paths[1], 4)
    metrics = link_of(pair, options._replace(clean=1)).until_idle()
    assert (metrics.delivered, metrics.acknowledged, metrics.cleaned_up) == (12, 12, 12)
    assert (metrics.refused, metrics.given_up) == (0, {})
    assert everything(pair) == [((5, 5), (5, 5)), ((3, 3), (3, 3)), ((0, 0), (0, 0)), ((4, 4), (4, 4))]
    assert [call for call, _ in pair.b.mock.app.calls].count("on_receive") == 9
    assert [call for call, _ in pair.a.mock.app.calls].count("on_commit") == 9


def test_one_header_serves_a_whole_batch_and_the_naive_algorithm_needs_a_transaction_a_packet(pair) -> None:
    send(pair, pair.path, 20)
    batched = link_of(pair).until_idle()
    send(pair, pair.path, 20)
    naive = link_of(pair, NAIVE).until_idle()
    assert (batched.transactions, batched.updates) == (2, 2)
    assert naive.transactions == 40 + naive.updates + 1  # one of them cleans up


def test_a_hundred_packets_of_coins_fit_one_message(pair) -> None:
    user = pair.a.user.signer
    data = encode_transfer(CoinTransfer(QueueDenom("ualpha"), 1, user, pair.b.user.signer))
    message = MsgQueueSend(pair.path.a, pair.path.b, None, COINS, data, ZERO_HEIGHT, 0, user)
    for _ in range(2):
        assert pair.a.submit_as_user(*[message] * 100).code == 0
    pair.a.chain.make_block([])  # whose header proves them
    metrics = link_of(pair, Options(limits=BatchLimits(1))).until_idle()
    assert (metrics.delivered, metrics.acknowledged, metrics.refused) == (200, 200, 0)


def test_receipts_stay_until_they_are_worth_a_transaction_or_go_along(pair) -> None:
    send(pair, pair.path, 5)
    link = link_of(pair)
    assert link.until_idle().cleaned_up == 0
    assert pair.b.bounds(pair.path.incoming) == (0, 5)
    send(pair, pair.path, 1)
    assert link.until_idle().cleaned_up == 5
    assert pair.b.bounds(pair.path.incoming) == (5, 6)


def test_the_batch_policy_waits_for_packets_or_blocks(pair) -> None:
    send(pair, pair.path, 2)
    link = link_of(pair, Options(policy=BatchPolicy(packets=3, blocks=2)))
    start = pair.a.chain.height
    assert link.round()
    assert link.metrics.delivered == 0
    send(pair, pair.path, 1)
    pair.a.chain.make_block([])  # whose header proves it
    assert link.round()
    assert link.metrics.delivered == 3  # company came
    send(pair, pair.path, 1)
    link.until_idle()
    assert link.metrics.delivered == 4  # nobody else came
    assert pair.a.chain.height > start + 2


def test_expired_packets_are_taken_back_and_the_queue_goes_on(pair) -> None:
    soon = Height(1, pair.b.chain.height + 1)
    send(pair, pair.path, 3, max_height=soon)
    pair.b.chain.make_block([])
    pair.b.chain.make_block([])
    link = link_of(pair)
    metrics = link.until_idle()
    assert (metrics.timed_out, metrics.delivered) == (3, 0)
    assert [call for call, _ in pair.a.mock.app.calls].count("on_rollback") == 3
    send(pair, pair.path, 1)
    assert link.until_idle().delivered == 1
    assert (pair.a.bounds(pair.path.outgoing), pair.b.bounds(pair.path.incoming)) == ((4, 4), (3, 4))


def test_an_expired_packet_before_a_fresh_one_goes_along_with_it(pair) -> None:
    send(pair, pair.path, 1, max_height=Height(1, pair.b.chain.height + 1))
    pair.b.chain.make_block([])
    pair.b.chain.make_block([])
    send(pair, pair.path, 1)
    metrics = link_of(pair).until_idle()
    assert (metrics.delivered, metrics.acknowledged, metrics.timed_out) == (2, 2, 0)
    calls = [call for call, _ in pair.a.mock.app.calls]
    assert (calls.count("on_rollback"), calls.count("on_commit")) == (1, 1)


def test_a_second_relayer_finds_the_work_done(pair) -> None:
    send(pair, pair.path, 4)
    first, second = link_of(pair), link_of(pair)
    first.until_idle()
    metrics = second.until_idle()
    assert (metrics.transactions, metrics.refused) == (0, 0)


def test_who_comes_second_is_refused_and_not_blamed(pair, monkeypatch) -> None:
    send(pair, pair.path, 4)
    link = link_of(pair)
    other = link_of(pair)
    submit = pair.b.relayer.submit

    def late(messages):
        monkeypatch.setattr(pair.b.relayer, "submit", submit)
        other.round()
        return submit(messages)

    monkeypatch.setattr(pair.b.relayer, "submit", late)
    metrics = link.until_idle()
    assert metrics.redundant >= 1
    assert metrics.given_up == {}
    assert pair.a.bounds(pair.path.outgoing) == (4, 4)


RETRIED = Options(attempts=2, sleep=lambda _: None, clock=SECONDS, retry_wait_s=inf)


def test_a_refused_receipt_is_tried_again_without_another_update(pair) -> None:
    def refuse(*_):
        raise ScriptedRefusal("on_commit")

    pair.a.mock.app.script["on_commit"] = refuse
    send(pair, pair.path, 1)
    link = link_of(pair, RETRIED)
    link.until_idle()
    before = link.metrics.updates, link.metrics.refused
    for _ in range(40):
        pair.a.chain.make_block([])
        pair.b.chain.make_block([])
        link.round()
    assert link.metrics.updates == before[0]
    assert link.metrics.refused > before[1]
    assert link.metrics.given_up_s > 0
    del pair.a.mock.app.script["on_commit"]
    for _ in range(400):
        pair.a.chain.make_block([])
        link.round()
    assert (link.metrics.acknowledged, link.metrics.given_up, link.metrics.given_up_s) == (1, {}, 0.0)


def test_an_application_that_refuses_its_receipt_holds_up_its_own_path_only(pair) -> None:
    def refuse(*_):
        raise ScriptedRefusal("on_commit")

    pair.a.mock.app.script["on_commit"] = refuse
    send(pair, pair.path, 3)
    send(pair, pair.path.back(), 2)
    link = link_of(pair, RETRIED)
    metrics = link.until_idle()
    assert list(metrics.given_up) == ["handle_receipt of beta-1 on alpha-1"]
    assert pair.a.bounds(pair.path.outgoing) == (0, 3)
    assert pair.b.bounds(pair.path.back().outgoing) == (2, 2)
    del pair.a.mock.app.script["on_commit"]
    assert link_of(pair).until_idle().acknowledged == 3


def refuses(sequence):
    def callback(ctx, packet, *_):
        if packet.sequence == sequence:
            raise ScriptedRefusal("a callback")

    return callback


@pytest.mark.parametrize("options", [Options(), Options(items=2), NAIVE], ids=["batches", "twos", "naive"])
def test_h301_all_packets_before_a_refused_one_are_delivered(pair, options) -> None:
    pair.a.mock.app.script["on_commit"] = refuses(2)
    send(pair, pair.path, 5)
    metrics = link_of(
        pair, options._replace(attempts=2, sleep=lambda _: None, clock=SECONDS, retry_wait_s=inf)
    ).until_idle(100)
    assert pair.a.bounds(pair.path.outgoing) == (2, 5)
    assert metrics.acknowledged == 2
    assert list(metrics.given_up) == ["handle_receipt of beta-1 on alpha-1"]


def test_h301_packets_before_one_that_cannot_be_taken_back_are_taken_back(pair) -> None:
    pair.a.mock.app.script["on_rollback"] = refuses(3)
    send(pair, pair.path, 5, max_height=Height(1, pair.b.chain.height + 1))
    pair.b.chain.make_block([])
    pair.b.chain.make_block([])
    metrics = link_of(pair, RETRIED).until_idle(100)
    assert pair.a.bounds(pair.path.outgoing) == (3, 5)
    assert metrics.timed_out == 3
    assert list(metrics.given_up) == ["timeout of beta-1 on alpha-1"]


def test_registers_what_is_not_registered_and_takes_up_what_is_half_done(pair) -> None:
    ends = End("alpha-1", "connection-0", "channel-5"), End("beta-1", "connection-7", "channel-6")
    assert read_registration(pair.a.relayer, ends[1]) is None
    path = make_queue_path(pair.a.relayer, pair.b.relayer, ends)
    assert path == QueuePath(
        read_registration(pair.a.relayer, ends[1]), read_registration(pair.b.relayer, ends[0])
    )
    assert (path.a.client_id, path.b.client_id) == (pair.a.client_id, pair.b.client_id)
    assert make_queue_path(pair.a.relayer, pair.b.relayer, ends) == path
    height = pair.a.chain.height
    make_queue_path(pair.a.relayer, pair.b.relayer, ends)
    assert pair.a.chain.height == height


def test_an_end_that_talks_to_another_one_is_refused(pair) -> None:
    path = pair.channel_paths[0]
    with pytest.raises(WrongCounterparty, match="is registered with"):
        make_queue_path(pair.a.relayer, pair.b.relayer, (End("alpha-1", "connection-0", "channel-9"), path.b))


def test_a_chain_that_refuses_to_register_is_named(pair) -> None:
    ends = End("alpha-1", "connection-0", "channel-9"), End("beta-1", "connection-8", "channel-9")
    with pytest.raises(TransactionFailed, match=r"queue/.* bound"):
        make_queue_path(pair.a.relayer, pair.b.relayer, ends)


class Noting(TendermintDriver):
    """Record the chains for which clients are created and updated."""

    def __init__(self):
        super().__init__()
        self.made, self.updated = [], []

    def initial_states(self, reference):
        self.made.append(reference.chain_id)
        return super().initial_states(reference)

    def headers(self, client_state, reference, height, max_step):
        self.updated.append(reference.chain_id)
        return super().headers(client_state, reference, height, max_step)


def test_the_drivers_given_make_and_update_the_clients(pair) -> None:
    driver, chains = Noting(), (pair.a.relayer, pair.b.relayer)
    ends = EndPath(
        *(End(chain.chain_id, f"connection-9{at}", "channel-9") for at, chain in enumerate(chains))
    )
    path = make_queue_path(*chains, (ends.a, ends.b), drivers=Drivers(driver), new_clients=True)
    assert driver.made == [chains[1].chain_id, chains[0].chain_id]
    send(pair, ends, 2)
    driver.updated.clear()
    assert QueueLink([path], *chains, drivers=Drivers(driver)).until_idle().acknowledged == 2
    assert {*driver.updated} == {each.chain_id for each in chains}


def test_clients_of_a_type_without_a_driver_are_refused(pair) -> None:
    class Other(TendermintDriver):
        client_type = "attestor"

    paths, before = paths_of(pair), pair.a.entries()
    chains = pair.a.relayer, pair.b.relayer
    with pytest.raises(WrongCounterparty):
        QueueLink(paths, *chains, drivers=single_driver(Other()))
    with pytest.raises(WrongCounterparty):
        make_queue_path(*chains, (pair.path.a, pair.path.b), drivers=single_driver(Other()))
    assert pair.a.entries() == before


# -- directions beside each other


def go_on(link, runner, rounds=20):
    for _ in range(rounds):
        link.round()
        while runner.waiting:
            runner.run()


def test_both_directions_are_under_way_at_once(pair) -> None:
    send(pair, pair.path, 2)
    send(pair, pair.path.back(), 3)
    runner = ManualRunner()
    link = link_of(pair, Options(runner=runner, clean=1))
    assert link.round()
    (to_a, _), _ = runner.waiting
    for _ in range(4):
        runner.run(1)
        assert link.round()
        pair.a.relayer.wait(pair.a.relayer.tip().height + 1)
        assert link.round()
    assert (link.metrics.delivered, runner.waiting[0][0]) == (2, to_a)  # what is for a has not begun
    go_on(link, runner)
    assert (link.metrics.acknowledged, link.metrics.refused, link.round()) == (5, 0, False)
    assert everything(pair)[:2] == [((2, 2), (2, 2)), ((3, 3), (3, 3))]


def test_a_direction_that_fails_holds_up_nothing_of_the_other(pair, monkeypatch) -> None:
    send(pair, pair.path, 2)
    send(pair, pair.path.back(), 3)
    runner = ManualRunner()
    link = link_of(pair, Options(runner=runner))
    submit = pair.b.relayer.submit

    def away(_messages):
        raise EndpointUnavailable(pair.b.relayer.chain_id, "is away")

    monkeypatch.setattr(pair.b.relayer, "submit", away)
    go_on(link, runner)
    assert link.metrics.delivered == 3
    assert [(side, chain) for side, chain, _ in runner.errors] == [(1, pair.b.relayer.chain_id)]
    (said,) = link.problems()
    assert "is away" in said
    monkeypatch.setattr(pair.b.relayer, "submit", submit)
    runner.is_paused = lambda _side: False  # its pause is over
    go_on(link, runner)
    assert (link.metrics.delivered, link.metrics.acknowledged, link.problems()) == (5, 5, [])


def test_a_look_that_failed_is_repeated_without_a_new_block(pair, monkeypatch) -> None:
    link = link_of(pair, Options(runner=(runner := ManualRunner())))
    looks = []

    def away():
        looks.append(1)
        raise EndpointUnavailable(pair.b.relayer.chain_id, "is away")

    monkeypatch.setattr(link._directions[1].submitter, "submit_pending", away)
    runner.is_paused = lambda _side: False
    go_on(link, runner, rounds=4)
    assert len(looks) == 2  # of a round in two: what has ended is settled at the end of one


def test_a_fault_of_ours_ends_the_round_after_the_other_direction(pair, monkeypatch) -> None:
    send(pair, pair.path.back(), 1)
    link = link_of(pair)
    monkeypatch.setattr(link._directions[0].submitter, "submit_pending", lambda: {}["ours"])
    send(pair, pair.path, 2)
    for _ in range(2):
        with pytest.raises(KeyError, match="ours"):
            link.round()
        pair.a.relayer.wait(pair.a.relayer.tip().height + 1)
    assert link.metrics.delivered == 2


def test_chains_without_a_new_block_are_not_looked_at_again(pair, monkeypatch) -> None:
    link, looks = link_of(pair), []
    for way in link._directions:
        monkeypatch.setattr(way.submitter, "submit_pending", lambda: looks.append(1))
    for _ in range(3):
        assert not link.round()
    assert len(looks) == 2
    pair.a.relayer.wait(pair.a.relayer.tip().height + 1)
    assert not link.round()
    assert len(looks) == 4


def test_an_idle_client_is_refreshed_and_that_is_told(pair) -> None:
    told = []
    link = link_of(pair, Options(refreshes=lambda *event: told.append(event)))
    assert len(link.metrics.expiries) == 2  # before any round
    link.until_idle()
    before = {each.chain: each for each in link.metrics.expiries}
    assert sorted(before) == sorted([pair.a.chain.chain_id, pair.b.chain.chain_id])
    pair.clock.advance(before[pair.a.chain.chain_id].trusting_ns * 3 // 4)
    for _ in range(3):
        for side in (pair.a, pair.b):
            side.chain.make_block([])
        link.round()
    after = {each.chain: each for each in link.metrics.expiries}
    assert all(after[chain].expires_ns > before[chain].expires_ns for chain in before)
    assert [event for event, _ in told] == ["client refreshed"] * 2
    assert link.metrics.updates == 2
