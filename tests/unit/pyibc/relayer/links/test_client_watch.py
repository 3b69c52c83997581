"""The watch over a link's light clients runs with the reading of blocks and delays no packet."""

import pytest

from conformance.kit.forged_headers import EQUIVOCATIONS
from conformance.kit.headers import header_of
from conformance.kit.seconds import SECONDS
from ibc_module.plugin import Config
from ibc_module.upgrades import UpgradeNeeded
from light_client.tendermint.codec import pack_client_header
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.codec.gotime import GO_ZERO_TIME_NS
from pyibc.core.channel.types import Order
from pyibc.core.client.messages import MsgIbcSoftwareUpgrade, MsgUpdateClient
from pyibc.core.client.types import UpgradePlan
from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.core.wire.message import pack_msg
from pyibc.default_plugins import plugins
from pyibc.relayer.clients import misbehaviour_monitor
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.clients.tendermint import ClientSettings, client_state
from pyibc.relayer.clients.upgrade import planned_height
from pyibc.relayer.errors import ClientUnusable, EndpointUnavailable
from pyibc.relayer.links.client_watch import PLAN_BLOCKS
from pyibc.relayer.links.link import Link
from pyibc.relayer.links.options import Options
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.paths.open_path import create_client
from pyibc.testing.pair import two_chains

AUTHORITY = Wallet.from_seed("alice", "cosmos").address.text


@pytest.fixture
def chains():
    chains = two_chains(plugins=lambda: plugins(Config(authority=AUTHORITY)))
    yield chains
    chains.close()


@pytest.fixture
def watched(chains):
    """Return a link with a watch, its channel, and the list of the watch's reports."""
    path, told = chains.open("transfer", Order.UNORDERED, "ics20-1"), []
    options = Options(
        sleep=lambda _s: None, clock=SECONDS, watch=lambda event, facts: told.append((event, facts))
    )
    link = Link([path], chains.a.endpoint, chains.b.endpoint, options=options)
    link.until_idle()
    assert told == []
    return link, path, told


def lie(chains, client_id):
    """Update the client on a with a header that b's validators signed and that differs from b's own."""
    known = ForeignClient(chains.a.endpoint, chains.b.endpoint, client_id).view().latest.revision_height
    for _ in range(3):
        chains.b.chain.make_block()
    honest = header_of(chains.b.chain, chains.b.chain.height, known)
    forged = EQUIVOCATIONS["other_state"](honest, chains.b.chain.keyring)
    message = MsgUpdateClient(client_id, pack_client_header(forged), chains.a.address("bob"))
    assert chains.a.execute("bob", pack_msg(message)).code == 0
    return honest.header.height


def send(chains, path):
    far = Height(1, 10**6)
    receiver = chains.b.address("bob")
    message = MsgTransfer(
        "transfer", path.a.channel_id, "stake", "5", chains.a.address("alice"), receiver, far, 0, ""
    )
    assert chains.a.execute("alice", pack_msg(message)).code == 0


def test_a_lie_is_told_counted_and_every_client_frozen(chains, watched):
    link, path, told = watched
    other = create_client(chains.a.endpoint, chains.b.endpoint).client_id
    height = lie(chains, path.a.client_id)
    at = chains.a.chain.height
    send(chains, path)
    chains.a.chain.make_block()
    chains.b.chain.make_block()
    with pytest.raises(ClientUnusable, match="frozen"):
        link.until_idle()
    facts = {"chain": "chain-a-1", "block": at, "of": "chain-b-1", "height": height}
    assert told[0] == ("misbehaviour", facts)
    assert [event for event, _ in told] == ["misbehaviour", "frozen", "frozen"]
    assert {facts["client"] for _, facts in told[1:]} == {other, path.a.client_id}
    assert (link.metrics.conflicts, link.metrics.misbehaviours, link.metrics.unwatched) == (1, 2, 0)
    assert ForeignClient(chains.a.endpoint, chains.b.endpoint, other).view().frozen


def test_what_cannot_be_submitted_yet_is_submitted_later_and_packets_go_on(chains, watched, monkeypatch):
    link, path, told = watched
    lie(chains, path.a.client_id)
    light_block = chains.b.endpoint.light_block

    def silent(_height):
        raise EndpointUnavailable("chain-b-1", "is slow")

    monkeypatch.setattr(chains.b.endpoint, "light_block", silent)
    send(chains, path)  # proven by a alone
    for _ in range(3):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(link._submissions, "free_slots", lambda side: int(side == 1))
            link.round()
    assert link.metrics.delivered == 1
    assert {event for event, _ in told} == {"not watched"}
    assert (link.metrics.unwatched, link.metrics.conflicts) == (len(told), 0)
    monkeypatch.setattr(chains.b.endpoint, "light_block", light_block)
    told.clear()
    for _ in range(8):
        link._watch.run()
    assert [event for event, _ in told] == ["misbehaviour", "frozen"]


def test_a_silent_chain_is_asked_less_and_less_often(chains, watched, monkeypatch):
    link, path, told = watched
    lie(chains, path.a.client_id)

    def silent():
        raise EndpointUnavailable("chain-b-1", "is slow")

    link._reader.read()
    monkeypatch.setattr(chains.b.endpoint, "tip", silent)
    for _ in range(1_000):
        link._watch.run()
    assert 15 < len(told) < 25
    assert {event for event, _ in told} == {"not watched"}


def test_a_conflict_is_not_lost_when_the_chain_falls_silent_after_it(chains, watched, monkeypatch):
    link, path, told = watched
    lie(chains, path.a.client_id)
    submit = chains.a.endpoint.submit

    def silent(_messages):
        raise EndpointUnavailable("chain-a-1", "is down")

    monkeypatch.setattr(chains.a.endpoint, "submit", silent)
    link.round()
    assert [event for event, _ in told] == ["misbehaviour", "not watched"]
    monkeypatch.setattr(chains.a.endpoint, "submit", submit)
    link._watch.run()
    assert [event for event, _ in told] == ["misbehaviour", "not watched", "frozen"]
    assert link.metrics.conflicts == 1


def test_h192_headers_that_wait_are_bounded_and_those_dropped_are_told(chains, watched, monkeypatch):
    link, path, told = watched
    monkeypatch.setattr(misbehaviour_monitor, "MAX_PENDING", 1)
    light_block = chains.b.endpoint.light_block

    def silent(_height):
        raise EndpointUnavailable("chain-b-1", "is slow")

    for _ in range(2):
        lie(chains, path.a.client_id)
    monkeypatch.setattr(chains.b.endpoint, "light_block", silent)
    monkeypatch.setattr(link._submissions, "free_slots", lambda _side: 0)
    link.round()
    assert link._watch._monitors[0].pending == 1
    monkeypatch.setattr(chains.b.endpoint, "light_block", light_block)
    link.round()
    reasons = [
        facts["reason"] for event, facts in told if event == "not watched" and "queue" in facts["reason"]
    ]
    assert len(reasons) == 1
    assert link.metrics.conflicts == 1


def test_a_planned_upgrade_moves_the_client_once_it_is_committed(chains, watched):
    link, path, told = watched
    assert planned_height(chains.b.endpoint) == 0
    height = chains.b.chain.height + PLAN_BLOCKS + 10
    plan = UpgradePlan("v2", GO_ZERO_TIME_NS, height, "", False)
    following = client_state("chain-b-2", height + 1, ClientSettings())
    message = MsgIbcSoftwareUpgrade(plan, following, AUTHORITY)
    assert chains.b.execute("alice", pack_msg(message)).code == 0
    assert planned_height(chains.b.endpoint) == height
    while chains.b.chain.height < height - 2:
        chains.b.chain.make_block()
        link.round()
    client = ForeignClient(chains.a.endpoint, chains.b.endpoint, path.a.client_id)
    assert client.view().chain_id == "chain-b-1"
    assert told == []
    chains.b.chain.make_block()  # its last block
    with pytest.raises(UpgradeNeeded):  # the header that proves it is signed
        chains.b.chain.make_block()
    assert chains.b.chain.height == height - 1
    link.round()
    assert told == [("client upgraded", {"chain": "chain-a-1", "client": path.a.client_id, "height": height})]
    assert link.metrics.upgrades == 1
    upgraded = ForeignClient(chains.a.endpoint, chains.b.endpoint, path.a.client_id).view()
    assert (upgraded.chain_id, upgraded.latest) == ("chain-b-2", Height(2, height + 1))
    for _ in range(PLAN_BLOCKS + 1):
        link._watch._plan_queried[1] = -PLAN_BLOCKS
        link._reader.read()
        link._watch.run()
    assert link.metrics.upgrades == len(told) == 1
    assert upgraded.latest != ZERO_HEIGHT


def test_an_upgrade_that_is_refused_is_told_once(chains, watched, monkeypatch):
    link, path, told = watched
    height = chains.b.chain.height + 10
    plan = UpgradePlan("v2", GO_ZERO_TIME_NS, height, "", False)
    backwards = client_state("chain-b-1", 1, ClientSettings())  # not above what the client has
    message = MsgIbcSoftwareUpgrade(plan, backwards, AUTHORITY)
    assert chains.b.execute("alice", pack_msg(message)).code == 0
    monkeypatch.setattr(link._submissions, "free_slots", lambda _side: 0)
    while chains.b.chain.height < height - 1:
        chains.b.chain.make_block()
    with pytest.raises(UpgradeNeeded):
        chains.b.chain.make_block()
    link._watch._plan_queried[1] = -PLAN_BLOCKS
    for _ in range(10):
        link.round()
    assert [event for event, _ in told] == ["client not upgraded"]
    assert "is not above" in told[0][1]["reason"]
    assert link.metrics.upgrades == 0
    assert (
        ForeignClient(chains.a.endpoint, chains.b.endpoint, path.a.client_id).view().chain_id == "chain-b-1"
    )
