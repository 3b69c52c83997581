"""Links between two chains that verify proofs: every packet is completed once, despite errors."""

import resource
import sqlite3
from contextlib import closing
from math import inf

import pytest

from conformance.kit.seconds import SECONDS
from pyibc.core import paths as keys
from pyibc.core.channel.types import ChannelState, Order
from pyibc.core.packet.events import ACKNOWLEDGE_PACKET, RECV_PACKET, TIMEOUT_PACKET, read_packet_event
from pyibc.relayer.blocks.reader import IDLE_BLOCKS
from pyibc.relayer.clients.driver import Drivers
from pyibc.relayer.clients.tendermint import ClientSettings, TendermintDriver
from pyibc.relayer.errors import (
    ClientUnusable,
    EndpointUnavailable,
    JournalMismatch,
    JournalUnavailable,
    WrongCounterparty,
)
from pyibc.relayer.links.batch import BatchLimits
from pyibc.relayer.links.client_watch import REREAD_NS
from pyibc.relayer.links.journal import Journal
from pyibc.relayer.links.link import Link, relay
from pyibc.relayer.links.options import Options
from pyibc.relayer.packets.backlog import Backlog
from pyibc.relayer.paths.open_path import make_path

CHANNEL = "channel-0"
QUICK = Options(sleep=lambda _seconds: None, clock=SECONDS, retry_wait_s=inf)


def opened(pair, order=Order.UNORDERED, **more):
    a, b = pair
    path = make_path(a, b, "port", order, "v1", **more)
    a.log.clear()
    b.log.clear()
    return path


def ended(chain, kind: str) -> list[int]:
    """Return the sequences of the packet events of one kind, in order."""
    outcomes = [outcome for block in chain.blocks for outcome in block.txs]
    events = [event for outcome in outcomes for event in outcome.events]
    seen = [read_packet_event(event) for event in events]
    return [event.packet.sequence for event in seen if event is not None and event.kind == kind]


def commitments(chain) -> list[bytes]:
    return [key for key in chain.store if key.startswith(keys.packet_commitment_prefix("port", CHANNEL))]


@pytest.mark.parametrize("order", [Order.UNORDERED, Order.ORDERED])
def test_packets_both_ways(pair, order) -> None:
    a, b = pair
    path = opened(pair, order)
    for _ in range(5):
        a.send(CHANNEL)
    for _ in range(3):
        b.send(CHANNEL)
    done = relay(path, a, b, options=QUICK)
    assert (done.delivered, done.acknowledged, done.timed_out, done.redundant) == (8, 8, 0, 0)
    assert ended(b, RECV_PACKET) == ended(a, ACKNOWLEDGE_PACKET) == [1, 2, 3, 4, 5]
    assert ended(a, RECV_PACKET) == ended(b, ACKNOWLEDGE_PACKET) == [1, 2, 3]
    assert commitments(a) == commitments(b) == []
    assert (done.refused, done.given_up) == (0, {})


def test_one_update_and_one_height_for_many_packets(pair) -> None:
    a, b = pair
    path = opened(pair)
    for _ in range(25):
        a.send(CHANNEL)
    a.make_block()
    done = relay(
        path, a, b, options=Options(BatchLimits(messages=10), search_blocks=30, sleep=lambda _s: None)
    )
    received = [entry for entry in b.log if "MsgRecvPacket" in entry["messages"]]
    assert [entry["messages"].count("MsgRecvPacket") for entry in received] == [10, 10, 5]
    assert [entry["messages"].count("MsgUpdateClient") for entry in received] == [1, 0, 0]
    assert len({frozenset(entry["proofs"]) for entry in received}) == 1
    for entry in [*a.log, *b.log]:
        assert entry["messages"].count("MsgUpdateClient") <= 1
        assert len(entry["proofs"]) == 1
    assert (done.transactions, done.updates) == (6, 3)  # acknowledgements: two heights, of 20 and of 5


def test_bytes_of_a_transaction_are_bounded(pair) -> None:
    a, b = pair
    path = opened(pair)
    for _ in range(6):
        a.send(CHANNEL, data=b"x" * 1000)
    a.send(CHANNEL, data=b"y" * 9000)
    relay(path, a, b, options=Options(BatchLimits(size=5000), sleep=lambda _s: None))
    assert sorted(ended(b, RECV_PACKET)) == list(range(1, 8))
    assert len([entry for entry in b.log if "MsgRecvPacket" in entry["messages"]]) == 3


def test_timeouts_by_height_and_by_time(pair) -> None:
    a, b = pair
    path = opened(pair)
    a.send(CHANNEL, timeout=b.height + 2)
    a.send(CHANNEL, timeout_ns=b.times[-1] + 2 * b.step_ns)
    a.send(CHANNEL)
    for _ in range(5):
        b.make_block()
    done = relay(path, a, b, options=QUICK)
    assert ended(a, TIMEOUT_PACKET) == [1, 2]
    assert ended(b, RECV_PACKET) == [3]
    assert (done.timed_out, done.delivered, done.refused) == (2, 1, 0)


def test_a_packet_that_the_next_block_would_refuse_is_timed_out(pair) -> None:
    a, b = pair
    path = opened(pair)
    a.send(CHANNEL, timeout=b.height + 1)
    done = relay(path, a, b, options=QUICK)
    assert (done.timed_out, done.delivered, done.refused) == (1, 0, 0)


def test_ordered_timeout_closes_both_ends(pair) -> None:
    a, b = pair
    path = opened(pair, Order.ORDERED)
    b.send(CHANNEL)
    a.send(CHANNEL)
    a.send(CHANNEL, timeout=b.height)
    a.send(CHANNEL)
    b.send(CHANNEL, timeout_ns=2**64 - 1)
    done = relay(path, a, b, options=QUICK)
    assert ended(b, RECV_PACKET) == [1]
    assert set(ended(a, TIMEOUT_PACKET)) == {2, 3}
    assert a.channel(CHANNEL).state == b.channel(CHANNEL).state == ChannelState.CLOSED
    assert ended(b, TIMEOUT_PACKET) == [2]  # on close; closes b's end as well
    assert (done.closed, done.given_up) == (0, {})


def test_ordered_timeout_with_nothing_under_way_on_the_other_side(pair) -> None:
    a, b = pair
    path = opened(pair, Order.ORDERED)
    a.send(CHANNEL, timeout=b.height)
    a.send(CHANNEL)
    done = relay(path, a, b, options=QUICK)
    assert ended(a, TIMEOUT_PACKET) == [1, 2]
    assert a.channel(CHANNEL).state == b.channel(CHANNEL).state == ChannelState.CLOSED
    assert (done.timed_out, done.closed, done.refused) == (2, 1, 0)


def test_closed_channel_gives_its_packets_back(pair) -> None:
    a, b = pair
    path = opened(pair)
    a.send(CHANNEL)
    a.send(CHANNEL)
    b.close(CHANNEL)
    done = relay(path, a, b, options=QUICK)
    assert ended(a, TIMEOUT_PACKET) == [1, 2]
    assert a.channel(CHANNEL).state == ChannelState.CLOSED
    assert (done.timed_out, done.closed, done.refused) == (2, 1, 0)


def test_h51_poison_does_not_block_the_queue(pair) -> None:
    a, b = pair
    path = opened(pair)
    for _ in range(16):
        a.send(CHANNEL)
    b.poison = {6}
    done = relay(path, a, b, options=QUICK)
    assert sorted(ended(b, RECV_PACKET)) == [s for s in range(1, 17) if s != 6]
    assert done.acknowledged == 15
    assert list(done.given_up) == ["recv 6 of channel 0 on b"]
    assert "poison" in done.given_up["recv 6 of channel 0 on b"]


def test_h51_poison_on_an_ordered_channel_blocks_that_channel_only(pair) -> None:
    a, b = pair
    paths = [
        opened(pair, Order.ORDERED),
        make_path(a, b, "port", Order.UNORDERED, "v1"),
    ]
    for _ in range(4):
        a.send("channel-0")
    b.poison = {2}
    link = Link(paths, a, b, options=QUICK)
    done = link.until_idle()
    assert ended(b, RECV_PACKET) == [1]
    assert list(done.given_up) == ["recv 2 of channel 0 on b"]
    b.poison = set()
    a.send("channel-1")
    assert link.until_idle().delivered == 2


def test_two_relayers_lose_nothing(pair) -> None:
    a, b = pair
    path = opened(pair)
    links = [Link([path], a, b, options=QUICK) for _ in range(2)]
    for _ in range(4):
        a.send(CHANNEL)
    heads = [link._reader.read() for link in links]
    for link, seen in zip(links, heads, strict=True):  # both plan from the same blocks
        link._wait_if_needed(seen)
    heads = [link._reader.read() for link in links]
    for link, seen in zip(links, heads, strict=True):
        link._relay_to(1, seen)
    assert [link.metrics.delivered for link in links] == [4, 0]
    assert [link.metrics.redundant for link in links] == [0, 4]
    for link in links:
        link.until_idle()
    assert ended(b, RECV_PACKET) == ended(a, ACKNOWLEDGE_PACKET) == [1, 2, 3, 4]
    assert sum(link.metrics.acknowledged for link in links) == 4
    assert all(link.pending == 0 for link in links)


def test_bisection_through_validator_changes(pair) -> None:
    a, b = pair
    path = opened(pair)
    for number in range(12):
        a.validators = {bytes([65 + number + i]) * 20: 10 for i in range(3)}
        a.make_block()
    a.send(CHANNEL)
    done = relay(path, a, b, options=QUICK)
    assert (done.acknowledged, done.refused) == (1, 0)
    assert done.updates > 2


def test_bisection_when_the_chain_trusts_less(pair, monkeypatch) -> None:
    """A chain's refusal leads to smaller steps, also if the relayer's own check found none necessary."""
    a, b = pair
    path = opened(pair)
    for number in range(8):
        a.validators = {bytes([65 + number + i]) * 20: 10 for i in range(3)}
        a.make_block()
    a.send(CHANNEL)
    monkeypatch.setattr("pyibc.relayer.clients.tendermint.is_trusted", lambda *_args: True)
    done = relay(path, a, b, options=QUICK)
    assert done.acknowledged == 1
    assert done.updates > 2


def test_h50_impersonated_chain_is_refused(pair, new_pair) -> None:
    a, b = pair
    path = opened(pair)
    _, impostor = new_pair()
    for _ in range(b.height + 3):
        impostor.make_block()
    with pytest.raises(WrongCounterparty, match="does not match the header"):
        Link([path], a, impostor)


def test_h50_foreign_channel_is_refused(pair) -> None:
    a, b = pair
    path = opened(pair)
    second = make_path(a, b, "port", Order.UNORDERED, "v1", new_channel=True)
    crossed = path._replace(b=second.b)
    with pytest.raises(WrongCounterparty, match="channel-0: leads to channel-0"):
        Link([crossed], a, b)
    missing = path._replace(a=path.a._replace(channel_id="channel-9"))
    with pytest.raises(WrongCounterparty, match="no such channel"):
        Link([missing], a, b)
    with pytest.raises(WrongCounterparty, match="tracks 'beta-7'"):
        Link([path], a, a)


def keep_up(chain, with_chain) -> None:
    """Make blocks until the times of both chains are the same."""
    while chain.times[-1] < with_chain.times[-1]:
        chain.make_block()


def test_h53_client_is_refreshed_at_two_thirds(pair) -> None:
    a, b = pair
    terms = ClientSettings(trusting_ns=600 * 10**9)
    path = opened(pair, drivers=Drivers(TendermintDriver(terms)))
    told = []
    link = Link([path], a, b, options=QUICK._replace(refreshes=lambda *event: told.append(event)))
    link.until_idle()
    before = link._refreshes[1].expiry
    b.log.clear()
    while b.times[-1] + b.step_ns < link._refreshes[1].due_ns:
        b.make_block()
        keep_up(a, b)
    link.until_idle()
    assert (b.log, told) == ([], [])
    b.make_block()
    keep_up(a, b)
    link.until_idle()
    assert [entry["messages"] for entry in b.log] == [["MsgUpdateClient"]]
    link.round()
    (event, facts), *_ = [each for each in told if each[1]["chain"] == b.chain_id]
    after = next(each for each in link.metrics.expiries if each.chain == b.chain_id)
    assert (event, facts["client"], facts["of"]) == ("client refreshed", "07-tendermint-0", a.chain_id)
    assert facts["expires_s"] == after.expires_ns // 10**9 > before.expires_ns // 10**9
    assert 0 < facts["left_s"] <= 200  # a third of the trusting period


def test_the_expiry_of_a_client_follows_updates_with_packets(pair) -> None:
    a, b = pair
    a.step_ns = b.step_ns = 20 * 10**9
    path = opened(pair)
    link = Link([path], a, b, options=QUICK)
    assert [each.chain for each in link.metrics.expiries] == [a.chain_id, b.chain_id]  # before any round
    link.until_idle()
    before = next(each for each in link.metrics.expiries if each.chain == b.chain_id)
    for _ in range(REREAD_NS // b.step_ns - 5):
        b.make_block()
        a.make_block()
    a.send(CHANNEL)
    link.until_idle()
    for _ in range(10):
        b.make_block()
    link.round()
    after = next(each for each in link.metrics.expiries if each.chain == b.chain_id)
    assert after == before._replace(expires_ns=after.expires_ns)
    assert after.expires_ns > before.expires_ns + REREAD_NS // 2


def test_expired_client_stops_the_link(pair) -> None:
    a, b = pair
    path = opened(pair, drivers=Drivers(TendermintDriver(ClientSettings(trusting_ns=30 * 10**9))))
    for _ in range(20):
        b.make_block()
    with pytest.raises(ClientUnusable, match="07-tendermint-0 is expired"):
        Link([path], a, b)


def test_pending_packets_are_found_without_a_journal(pair) -> None:
    a, b = pair
    path = opened(pair)
    for _ in range(3):
        a.send(CHANNEL)
    relay(path, a, b, options=QUICK)
    for _ in range(30):
        a.make_block()
        b.make_block()
    a.send(CHANNEL)
    b.answer_later = True
    link = Link([path], a, b, options=QUICK)
    link.until_idle()
    assert link.metrics.blocks < 12
    b.answer_later = False
    b.answer(a_packet(a, 4))
    a.make_block()
    done = relay(path, a, b, options=QUICK)
    assert (done.acknowledged, done.delivered) == (1, 0)


def a_packet(chain, sequence: int):
    events = [event for block in chain.blocks for event in block.block_events]
    seen = [read_packet_event(event) for event in events]
    return next(event.packet for event in seen if event is not None and event.packet.sequence == sequence)


def test_chain_that_does_not_answer_for_a_while(pair) -> None:
    a, b = pair
    path = opened(pair)
    a.send(CHANNEL)
    link = Link([path], a, b, options=QUICK)
    fails = 4

    def point(name: str) -> None:
        nonlocal fails
        if name == "tip" and fails:
            fails -= 1
            raise EndpointUnavailable(b.chain_id, "refused")

    b.point = point
    assert link.until_idle().acknowledged == 1
    fails = 10**9
    with pytest.raises(EndpointUnavailable, match="refused"):
        link.until_idle()


def test_h233_a_file_that_is_no_journal_is_not_written_to(pair, tmp_path) -> None:
    a, b = pair
    path = opened(pair)
    text, other = tmp_path / "key.hex", tmp_path / "other.db"
    text.write_text("00" * 32)
    with closing(sqlite3.connect(other)) as db:
        db.execute("CREATE TABLE packet (mine TEXT)")
        db.execute("CREATE TABLE things (mine TEXT)")
        db.commit()
    for file, reason in ((text, "file is not a database"), (other, "of something else")):
        before = file.read_bytes()
        with pytest.raises(JournalMismatch, match=reason):
            Link([path], a, b, journal=file)
        assert file.read_bytes() == before


def test_a_journal_that_cannot_be_saved_is_told_until_it_can(pair, tmp_path, monkeypatch) -> None:
    a, b = pair
    path = opened(pair)
    link = Link([path], a, b, journal=tmp_path / "journal.db", options=QUICK)
    link.until_idle()
    saved = []
    with monkeypatch.context() as full:
        full.setattr(Journal, "save", lambda *_: saved.append(1))
        a.send(CHANNEL)
        link.until_idle()
    assert (link.metrics.is_unsaved, bool(saved)) == (True, True)
    a.send(CHANNEL)
    link.until_idle()
    assert link.metrics.is_unsaved is False
    link.close()


def test_an_idle_link_saves_its_cursors_once_in_a_while_and_at_its_end(pair, tmp_path) -> None:
    a, b = pair
    path, file = opened(pair), tmp_path / "journal.db"
    link = Link([path], a, b, journal=file, options=QUICK)
    saved = []
    for _ in range(2 * IDLE_BLOCKS):
        a.make_block()
        link.round()
        with closing(sqlite3.connect(file)) as db:
            found = db.execute("SELECT height FROM cursor WHERE side=0").fetchone()
        saved.append(found[0] if found else 0)
    assert 1 <= len(set(saved) - {0}) <= link.metrics.blocks // IDLE_BLOCKS
    a.send(CHANNEL)
    a.make_block()
    link.round()
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("SELECT height FROM cursor WHERE side=0").fetchone() == (a.height,)
        a.make_block()
        link.round()
        link.close()
        assert db.execute("SELECT height FROM cursor WHERE side=0").fetchone() == (a.height,)


def test_h195_a_disk_that_is_full_is_no_foreign_journal(pair, tmp_path) -> None:
    a, b = pair
    path, file = opened(pair), tmp_path / "journal.db"
    relay(path, a, b, journal=file, options=QUICK)
    known = file.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        with pytest.raises(JournalUnavailable):
            Link([path], a, b, journal=file)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert file.read_bytes() == known
    relay(path, a, b, journal=file, options=QUICK)
    with pytest.raises(JournalUnavailable, match="unable to open"):
        Link([path], a, b, journal=tmp_path)


def test_one_journal_keeps_several_links_apart(pair, tmp_path) -> None:
    a, b = pair
    file = tmp_path / "relayer.db"
    first = opened(pair)
    second = make_path(a, b, "port", Order.UNORDERED, "v1", new_channel=True)
    b.answer_later = True
    for channel in ("channel-0", "channel-1", "channel-1"):
        a.send(channel)
    for path in (first, second):
        relay(path, a, b, journal=file, options=QUICK)
    known = {}
    for path in (first, second):
        backlog, journal = Backlog([path]), Journal(file, [path])
        assert journal.load(backlog) is not None
        known[path.a.channel_id] = sorted(backlog.channels[0].sent_from(0).packets)
        journal.close()
    assert known == {"channel-0": [1], "channel-1": [1, 2]}


def test_a_chain_that_was_reset_is_begun_anew(pair, new_pair, tmp_path) -> None:
    """Same ids, paths and heights, but another history."""
    a, b = pair
    path = opened(pair)
    file = tmp_path / "relayer.db"
    for _ in range(4):
        a.send(CHANNEL)
    b.answer_later = True
    relay(path, a, b, journal=file, options=QUICK)
    anew = new_pair()
    again = opened(anew)
    assert again == path
    while anew[0].height < a.height or anew[1].height < b.height:
        anew[0].send(CHANNEL)
        anew[1].make_block()
    sent = anew[0].height
    link = Link([again], *anew, journal=file, options=QUICK)
    assert link.pending == 4
    done = link.until_idle()
    assert (done.restarts, done.acknowledged, link.pending) == (2, len(ended(anew[1], RECV_PACKET)), 0)
    assert commitments(anew[0]) == []
    assert sent > 4
    link.close()


def test_paths_over_several_clients_are_refused_with_their_groups(pair) -> None:
    a, b = pair
    path = opened(pair)
    stranger = path.b._replace(client_id="07-tendermint-9")
    others = [
        path._replace(a=path.a._replace(channel_id=f"channel-{number}"), b=stranger) for number in (7, 8)
    ]
    with pytest.raises(WrongCounterparty) as refused:
        Link([path, *others], a, b, options=QUICK)
    assert str(refused.value).endswith(
        f"paths: several pairs of clients: port/{CHANNEL} over {path.a.client_id} and {path.b.client_id}; "
        f"port/channel-7, port/channel-8 over {path.a.client_id} and 07-tendermint-9. "
        "Configure a path for each pair, or a pattern of channels"
    )
