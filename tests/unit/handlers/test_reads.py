"""What a message reads of the `ibc` store: each entry once, whatever asks for it."""

from collections import Counter

import pytest

from conformance import memory
from conformance.kit.scenario import ACK
from handlers.packet import recv, send
from light_client.contexts import CachedReadContext, CachedWriteContext
from light_client.interface import Claim, LightClient, ProofEffect
from pyibc.core import paths
from pyibc.core.channel.types import Order
from pyibc.core.client.types import Status
from pyibc.core.errors import ClientNotActive
from pyibc.core.height import Height
from pyibc.core.host.overlay import OverlayStore

CLAIM = Claim(Height(1, 7), b"proof", (b"ibc", b"key"), b"v")


@pytest.fixture
def reads(monkeypatch):
    """Key -> how often the block under way was asked for it."""
    counted, get = Counter(), OverlayStore.get

    def counting(self, key):
        counted[key] += 1
        return get(self, key)

    monkeypatch.setattr(OverlayStore, "get", counting)
    return counted


@pytest.fixture
def block():
    ctx = memory.block(10**18)
    ctx.ibc.set(b"k", b"v")
    return ctx


class Forgetful(LightClient):
    """Loads its state for every question anew; the state is all that it knows of a proof."""

    client_type = "99-forgetful"

    def status(self, ctx, client_id):
        return Status.UNKNOWN if ctx.ibc.get(b"state") is None else Status.ACTIVE

    latest_height = timestamp_at_height = None

    def verify_membership(self, ctx, client_id, claim):
        return ProofEffect(client_id, ctx.ibc.get(b"state"))

    def verify_non_membership(self, ctx, client_id, claim):
        return ProofEffect(client_id, (ctx.ibc.get(b"state") or b"") + claim.value)


def read_by(stage, message, reads):
    """What delivering a message reads, and how often."""
    reads.clear()
    stage.run(message)
    return dict(reads)


def repeated(seen):
    return {key: count for key, count in seen.items() if count > 1}


def test_an_update_reads_the_client_once(scene, reads):
    """Status, verification, the look for misbehaviour and the update share what was read."""
    scene.b.chain.make_block([])
    stage, message = scene.stage(scene.a), scene.to_a.update_client()
    seen = read_by(stage, message, reads)
    assert seen[paths.client_state_path(scene.a.client_id)] == 1
    assert repeated(seen) == {}


@pytest.mark.parametrize("order", [Order.UNORDERED, Order.ORDERED])
def test_a_received_packet_reads_everything_once_until_its_application_has_run(scene, reads, order):
    """The application may close the channel: it is read again before the answer is written."""
    packet = scene.packets[order].fresh
    channel = paths.channel_path(packet.port_id_on_b, packet.channel_id_on_b)
    seen = read_by(scene.stage(scene.b), scene.to_b.recv(packet), reads)
    assert seen[paths.client_state_path(scene.b.client_id)] == 1
    assert repeated(seen) == {channel: 2}
    reads.clear()
    stage = scene.stage(scene.b)
    recv.validate(scene.b.keepers, stage.ctx, scene.to_b.recv(packet))
    assert seen.keys() >= reads.keys() >= {channel}
    assert repeated(reads) == {}


@pytest.mark.parametrize("order", [Order.UNORDERED, Order.ORDERED])
def test_an_acknowledged_packet_reads_everything_once(scene, reads, order):
    seen = read_by(scene.stage(scene.a), scene.to_a.acknowledge(scene.packets[order].received, ACK), reads)
    assert seen[paths.client_state_path(scene.a.client_id)] == 1
    assert repeated(seen) == {}


def test_a_sent_packet_reads_everything_once(scene, reads):
    stage, end = scene.stage(scene.a), scene.path(Order.UNORDERED).a
    msg = send.SendPacket(end.port_id, end.channel_id, Height(0, 0), 2**63, b"data")
    reads.clear()
    verified = send.validate(scene.a.keepers, stage.ctx, msg)
    assert verified.packet.data == b"data"
    assert reads[paths.client_state_path(scene.a.client_id)] == 1
    assert repeated(reads) == {}


@pytest.mark.parametrize(
    ("ask", "shown"), [("verify_membership", b"one"), ("verify_non_membership", b"onev")]
)
def test_a_type_that_loads_its_state_for_each_question_reads_it_once_a_proof(block, reads, ask, shown):
    block.ibc.set(b"state", b"one")
    asked = getattr(Forgetful(), f"{ask}_if_active")
    assert asked(block, "99-forgetful-0", CLAIM) == ProofEffect("99-forgetful-0", shown)
    assert reads == {b"state": 1}


@pytest.mark.parametrize("ask", ["verify_membership_if_active", "verify_non_membership_if_active"])
def test_h15_a_client_that_is_not_active_is_not_asked_for_its_proof(block, ask):
    with pytest.raises(ClientNotActive) as refusal:
        getattr(Forgetful(), ask)(block, "99-forgetful-0", CLAIM)
    assert refusal.value.status == "Unknown"
    assert block.writes("ibc") == [(b"k", b"v")]


class TestOnce:
    def test_what_was_read_is_not_read_again(self, block, reads):
        once = CachedReadContext(block)
        assert [once.ibc.get(key) for key in (b"k", b"none", b"k", b"none")] == [b"v", None, b"v", None]
        assert (once.ibc.has(b"k"), once.ibc.has(b"none")) == (True, False)
        assert once.reader("ibc") is once.ibc
        assert dict(reads) == {b"k": 1, b"none": 1}
        assert (once.chain_id, once.height, once.time_ns) == (block.chain_id, block.height, block.time_ns)

    def test_what_is_written_is_read_as_it_stands_also_after_it_is_undone(self, block):
        reader = CachedReadContext(block)
        assert reader.ibc.get(b"k") == b"v"
        once = CachedWriteContext(block, reader.entries)
        with once.branch() as branch:
            once.store("ibc").set(b"k", b"other")
            once.ibc.delete(b"gone")
            assert (once.ibc.get(b"k"), once.ibc.has(b"k"), once.ibc.get(b"gone")) == (b"other", True, None)
            branch.discard()
        assert once.ibc.get(b"k") == b"v"
        assert dict(once.ibc.iterate(b"a", None)) == {b"k": b"v"}
