"""Misbehaviour is detected, and every client of the chain is frozen."""

import pytest

from conformance.kit.forged_headers import EQUIVOCATIONS
from conformance.kit.headers import header_of, resigned
from light_client.tendermint.codec import pack_client_header
from pyibc.core.channel.types import Order
from pyibc.core.client.messages import MsgUpdateClient
from pyibc.core.height import Height
from pyibc.core.wire.message import pack_msg
from pyibc.relayer.clients.evidence import headers_in
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.clients.misbehaviour_monitor import MisbehaviourMonitor, _height
from pyibc.relayer.errors import EndpointRefused
from pyibc.relayer.paths.open_path import create_client
from pyibc.testing.pair import two_chains

HOUR = 3_600 * 10**9


@pytest.fixture
def chains():
    chains = two_chains()
    yield chains
    chains.close()


@pytest.fixture
def host(chains):
    """Return chain a with a client of b, and its monitor."""
    path = chains.open("transfer", Order.UNORDERED, "ics20-1")
    return path.a.client_id, MisbehaviourMonitor(chains.a.endpoint, chains.b.endpoint, 1)


def view(chains, client_id):
    return ForeignClient(chains.a.endpoint, chains.b.endpoint, client_id).view()


def told(chains, client_id, header):
    """Submit a header to the client on a."""
    message = MsgUpdateClient(client_id, pack_client_header(header), chains.a.address("alice"))
    return chains.a.execute("alice", pack_msg(message))


def next_header(chains, client_id):
    known = view(chains, client_id).latest.revision_height
    for _ in range(3):
        chains.b.chain.make_block()
    return header_of(chains.b.chain, chains.b.chain.height, known)


def test_the_truth_is_no_evidence(chains, host):
    client_id, watch = host
    assert watch.detect() == []
    assert told(chains, client_id, next_header(chains, client_id)).code == 0
    assert watch.detect() == []


@pytest.mark.parametrize("name", EQUIVOCATIONS)
def test_a_signed_lie_freezes_every_client_of_the_chain(chains, host, name):
    client_id, watch = host
    second = create_client(chains.a.endpoint, chains.b.endpoint)
    honest = next_header(chains, client_id)
    assert told(chains, client_id, EQUIVOCATIONS[name](honest, chains.b.chain.keyring)).code == 0
    (conflict,) = watch.detect()
    assert conflict.submitted.height.revision_height == honest.header.height <= conflict.newest
    done = watch.freeze(conflict)
    assert [(each.client_id, each.outcome.code) for each in done] == [(second.client_id, 0), (client_id, 0)]
    assert view(chains, client_id).frozen
    assert second.view().frozen
    assert watch.detect() == []
    assert watch.freeze(conflict) == []


def test_a_lie_above_the_chain_is_found_when_the_chain_gets_there(chains, host):
    client_id, watch = host
    honest = next_header(chains, client_id)
    height, time_ns = honest.header.height + 2, honest.header.time_ns + 5 * 10**9
    ahead = resigned(honest, chains.b.chain.keyring, height=height, time_ns=time_ns)
    assert told(chains, client_id, ahead).code == 0
    assert watch.detect() == []
    chains.clock.advance(HOUR)
    for _ in range(2):
        chains.b.chain.make_block()
    (conflict,) = watch.detect()
    assert [each.outcome.code for each in watch.freeze(conflict)] == [0]
    assert view(chains, client_id).frozen
    assert watch.detect() == []


def test_a_lie_above_the_chain_that_is_older_than_its_last_block_is_found_at_once(chains, host):
    client_id, watch = host
    honest = next_header(chains, client_id)
    ahead = resigned(honest, chains.b.chain.keyring, height=honest.header.height + 50)
    chains.clock.advance(HOUR)
    assert told(chains, client_id, ahead).code == 0
    chains.b.chain.make_block()
    (conflict,) = watch.detect()
    assert conflict.newest < conflict.submitted.height.revision_height
    assert [each.outcome.code for each in watch.freeze(conflict)] == [0]
    assert view(chains, client_id).frozen


def test_a_header_that_no_client_took_is_no_evidence(chains, host):
    client_id, watch = host
    honest = next_header(chains, client_id)
    unsigned = honest._replace(header=honest.header._replace(app_hash=b"\xcc" * 32))
    assert told(chains, client_id, unsigned).code != 0
    assert watch.detect() == []


def test_a_client_without_common_ground_is_said_to_have_none(chains, host):
    client_id, watch = host
    honest = next_header(chains, client_id)
    told(chains, client_id, EQUIVOCATIONS["other_state"](honest, chains.b.chain.keyring))
    (conflict,) = watch.detect()
    for _ in range(2):
        chains.b.chain.make_block()
    later = create_client(chains.a.endpoint, chains.b.endpoint)
    chains.b.chain.make_block()
    outcomes = {each.client_id: each.outcome for each in watch.freeze(conflict)}
    assert outcomes[later.client_id] is None
    assert outcomes[client_id].code == 0


@pytest.mark.parametrize(
    "spoil",
    [
        lambda raw: raw[:-1],
        lambda raw: raw[: raw.index(b"Header\x12") + 7],
        lambda raw: raw[: raw.index(b"Header\x12") + 7] + b"\xff" * 9,
        lambda raw: raw[: raw.index(b"Header\x12") + 7] + b"\x04\x0a\x7f\x00\x00",
        lambda raw: raw.replace(b"chain-b-1", b"chain-c-1"),
    ],
)
def test_bytes_that_are_no_header_of_the_chain_are_passed_over(chains, host, spoil):
    client_id, _ = host
    packed = pack_client_header(next_header(chains, client_id))
    raw = pack_msg(MsgUpdateClient(client_id, packed, "x")).value
    (found,) = headers_in(b"\x0a\x05outer" + raw, "chain-b-1")
    assert found.SerializeToString() == packed.value
    packed_only = raw[: raw.index(packed.value) + len(packed.value)]
    assert list(headers_in(spoil(packed_only), "chain-b-1")) == []


@pytest.mark.parametrize(
    ("text", "height"), [("1-7", Height(1, 7)), ("", Height(0, 0)), ("x-1", Height(0, 0))]
)
def test_heights_of_events(text, height):
    assert _height(text) == height


def test_blocks_that_the_node_has_pruned_are_passed_over_and_told(chains, host, monkeypatch):
    client_id, _ = host
    honest = next_header(chains, client_id)
    assert told(chains, client_id, EQUIVOCATIONS["other_state"](honest, chains.b.chain.keyring)).code == 0
    first, block = chains.a.chain.height, chains.a.endpoint.block

    def pruned(height):
        if height < first:
            raise EndpointRefused("chain-a-1", "block", f"height is not available, lowest height is {first}")
        return block(height)

    monkeypatch.setattr(chains.a.endpoint, "block", pruned)
    watch = MisbehaviourMonitor(chains.a.endpoint, chains.b.endpoint, 1)
    assert len(watch.detect()) == 1
    assert watch.unchecked == [f"blocks 1 to {first - 1} of chain-a-1 are pruned"]
    assert watch.detect() == []


def test_a_block_that_the_node_does_not_give_is_asked_for_again(chains, host, monkeypatch):
    client_id, watch = host
    watch.detect()
    honest = next_header(chains, client_id)
    assert told(chains, client_id, EQUIVOCATIONS["other_state"](honest, chains.b.chain.keyring)).code == 0

    def behind(height):
        raise EndpointRefused("chain-a-1", "block", "must be less than or equal to the current height")

    with monkeypatch.context() as patch:
        patch.setattr(chains.a.endpoint, "block", behind)
        with pytest.raises(EndpointRefused):
            watch.detect()
    with monkeypatch.context() as patch:
        patch.setattr(chains.b.endpoint, "light_block", behind)
        with pytest.raises(EndpointRefused):
            watch.detect()
    assert len(watch.detect()) == 1
    assert watch.unchecked == []


def test_blocks_that_somebody_else_reads_are_judged_as_well(chains, host):
    client_id, watch = host
    honest = next_header(chains, client_id)
    assert told(chains, client_id, EQUIVOCATIONS["other_state"](honest, chains.b.chain.keyring)).code == 0
    watch.observe(chains.a.endpoint.block(chains.a.chain.height))
    assert len(watch.check_pending()) == 1
    assert watch.check_pending() == watch.detect() == []
