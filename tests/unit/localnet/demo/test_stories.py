"""The demos without Spark: what their chains say of themselves at the end."""

from functools import cache

import pytest

from localnet.demo import queue as queues
from localnet.demo import scenario
from localnet.demo import scenario as channels
from localnet.demo.chains import two_chains
from localnet.demo.scenario import demo_ends
from localnet.errors import TxNotIncluded
from pyibc.core.channel.types import Order
from pyibc.relayer.paths.open_path import make_path

ENDS = ("alpha-1", "beta-1")
CHANNEL_ENDS = tuple(f"{chain}/connection-0/channel-0" for chain in ENDS)


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """Runs a story once; gives it, what it said, and how far it said it was."""

    @cache
    def run(story, transfers):
        said, done = [], []
        found = story(tmp_path_factory.mktemp("story"), transfers, said.append, done.append)
        return found, "\n".join(said), done

    return run


@pytest.mark.parametrize("story", [channels.run, queues.run])
def test_nothing_is_lost_and_one_packet_is_under_way(told, story) -> None:
    found, said, done = told(story, 40)
    assert [chain.chain_id for chain in found.chains] == list(ENDS)
    assert [chain.open_packets for chain in found.chains] == [1, 0]
    assert all(chain.audit.balanced for chain in found.chains)
    assert [chain.audit.on_the_way for chain in found.chains] == [77_777, 0]
    assert min(chain.audit.vouchers for chain in found.chains) > 0
    assert done[-1] == 40
    assert all(any(folder.iterdir()) for folder in found.exports)
    assert "left in flight" in said


def test_the_queues_say_what_was_sent_and_done(told) -> None:
    found, said, _ = told(queues.run, 40)
    both = [(ENDS, False), (CHANNEL_ENDS, True), (ENDS[::-1], False), (CHANNEL_ENDS[::-1], False)]
    assert [(queue.source, queue.destination) for queue in found.queues] == [ends for ends, _ in both]
    assert [queue.tail - queue.head for queue in found.queues] == [open_ for _, open_ in both]
    sent = 40 + 24 + 1 + 12 + 2 + 60 + 1  # rush, home, nobody, late, late and fresh, compared, in flight
    assert sum(queue.tail for queue in found.queues) == sent
    assert "12 timed out" in said  # the thirteenth came back as a receipt
    assert "30 handled receipts cleaned up: entries in the stores from 27 to 12 and 27 to 12" in said
    naive, batched = (
        int(line.split(": ")[1].split(" ")[0]) for line in said.splitlines() if "us CPU a packet" in line
    )
    assert naive > 60
    assert batched <= 6


@pytest.mark.parametrize(("story", "chapter"), [(channels.run, "4 transfers"), (queues.run, "4 packets")])
def test_a_short_story_claims_no_more_than_it_did(told, story, chapter) -> None:
    found, said, done = told(story, 2)
    assert done == [1, 2]
    assert f"{chapter} of vouchers home" in said
    assert all(chain.audit.balanced for chain in found.chains)


def test_a_transfer_that_fails_ends_the_story(tmp_path) -> None:
    with two_chains(tmp_path) as (a, b):
        path = make_path(a.endpoint, b.endpoint, "transfer", Order.UNORDERED, "ics20-1")
        end = demo_ends(a, b, path)[0]
        poor = scenario.SentTransfer("nothing", 1, b.users[0].address.text, scenario.timeout_after(end, 9))
        with pytest.raises(TxNotIncluded, match="nothing"):
            scenario.send(end, [(a.users[0], [poor])])
