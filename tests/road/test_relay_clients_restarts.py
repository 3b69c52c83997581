"""IBC v2: several relayers at once, relayers that are killed, and what a new one finds."""

from contextlib import closing

import pytest

from conformance.kit.v2_chains import scripted
from localnet.endpoint import LocalEndpoint
from pyibc.relayer.errors import EndpointRefused
from pyibc.relayer.links.journal import Journal
from pyibc.relayer.paths.open_path import make_client_path
from pyibc.testing.pair import SECOND


class Killed(BaseException):
    """Not an Exception: nothing may catch it."""


def run_until_killed(net, at, journal, monkeypatch):
    """A relayer that is killed at its `at`-th call to a chain or save; returns whether it was."""
    count = 0

    def point():
        nonlocal count
        count += 1
        if count == at:
            raise Killed

    def deadly(original):
        def call(*args, **more):
            point()
            result = original(*args, **more)
            point()
            return result

        return call

    with monkeypatch.context() as patch:
        for name in ("tip", "block", "light_block", "get", "prove", "submit", "wait", "grpc"):
            patch.setattr(LocalEndpoint, name, deadly(getattr(LocalEndpoint, name)))
        patch.setattr(Journal, "save", deadly(Journal.save))
        try:
            net.relay(journal=journal)
        except Killed:
            return True
    return False


@pytest.mark.parametrize("with_journal", [False, True])
def test_killed_at_any_call_its_successor_finishes(client_net, tmp_path, with_journal, monkeypatch) -> None:
    net = client_net
    at, journal = 0, tmp_path / "relayer.db" if with_journal else None
    while True:
        at += 7
        now_s = net.clock.now_ns // SECOND
        net.transfer(2)
        net.transfer(3, receiver="nobody")
        net.transfer(1, until_s=now_s + 4)
        killed = run_until_killed(net, at, journal, monkeypatch)
        net.b.chain.make_block([])
        done = net.relay(journal=journal)
        assert (done.given_up, net.outstanding()) == ({}, [])
        if not killed:
            break
        if at > 200:
            at += 40
    assert net.broken_laws() == []
    assert at > 100


def test_a_new_start_without_memory_reads_no_more_blocks_than_it_must(client_net) -> None:
    net = client_net
    net.transfer(count=2)
    net.relay()
    for _ in range(50):
        net.a.chain.make_block([])
    net.transfer(count=3)
    done = net.relay()
    assert (done.delivered, done.acknowledged) == (3, 3)
    assert done.blocks < 15


def test_a_chain_that_does_not_serve_the_query_is_read_from_its_first_block(client_net, monkeypatch) -> None:
    net = client_net

    def refuse(_self, path, _request):
        raise EndpointRefused("chain-a-1", path, "unknown query path")

    net.transfer(count=2)
    monkeypatch.setattr(LocalEndpoint, "grpc", refuse)
    done = net.relay()
    assert (done.delivered, done.acknowledged) == (2, 2)
    assert done.blocks >= net.a.chain.height


def test_an_answer_to_the_last_of_many_outstanding_packets_is_found(client_net, monkeypatch) -> None:
    """They are asked for page by page; the first pages alone would not lead back to the answer's block."""
    net = client_net
    monkeypatch.setattr("pyibc.relayer.chain.grpc_query.PAGE_SIZE", 3)
    for _ in range(7):
        net.send(scripted(b"lie"))  # chain b cannot take it
    net.transfer()
    net.a.chain.make_block([])
    link = net.link()
    link._relay_to(1, link._reader.read())
    link.close()
    for _ in range(5):
        net.b.chain.make_block([])
    done = net.relay()
    assert (done.delivered, done.acknowledged) == (0, 1)
    assert net.outstanding() == [("chain-a-1", number) for number in range(1, 8)]


def test_a_journal_survives_and_keeps_paths_apart(client_net, tmp_path) -> None:
    net = client_net
    file = tmp_path / "relayer.db"
    net.transfer(3, 2)
    for count in (2, 3):
        done = net.relay(journal=file)
        assert (done.delivered, done.acknowledged) == (count, count)
        net.transfer(1, 3)
    done = net.relay(journal=file)
    assert (done.acknowledged, done.blocks < 10) == (3, True)
    net.transfer(2)
    net.path = make_client_path(*net.ends, new_clients=True)
    with closing(net.link(journal=file)) as link:
        assert link.pending == 0  # what is saved is of another path


def test_packets_in_flight_stand_in_the_journal_whole(client_net, tmp_path) -> None:
    net = client_net
    file = tmp_path / "relayer.db"
    net.send(scripted(b"later"))
    net.transfer(2)
    link = net.link(journal=file)
    link._reader.read()
    link._relay_to(1, link._reader.read())
    link._reader.read()
    known = [dict(sent.packets) for sent in link._backlog.channels[0].pending]
    link.close()
    again = net.link(journal=file)
    assert [dict(sent.packets) for sent in again._backlog.channels[0].pending] == known
    assert sorted(known[0]) == [1, 2]
    again.close()
