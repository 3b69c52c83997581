"""One chain is down, or a node keeps few blocks: the other chain is read, and clients are still updated."""

from math import inf

import pytest

from conformance.kit.seconds import SECONDS
from pyibc.core.channel.types import Order
from pyibc.proto.tendermint.types.types_pb2 import SignedHeader
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, NoPath, WrongCounterparty
from pyibc.relayer.links.link import Link
from pyibc.relayer.links.options import Options
from pyibc.relayer.paths.audit import Audit
from pyibc.relayer.paths.discovery import find_channel, find_path
from pyibc.relayer.paths.open_path import make_path

CHANNEL = "channel-0"
QUICK = Options(sleep=lambda _seconds: None, clock=SECONDS, retry_wait_s=inf)


def linked(pair):
    return Link([make_path(*pair, "port", Order.UNORDERED, "v1")], *pair, options=QUICK)


@pytest.mark.parametrize("away", [0, 1])
def test_the_other_chain_is_read_while_one_is_away(pair, monkeypatch, away):
    """The chain's node may have pruned the blocks when both are back."""
    link, other = linked(pair), pair[1 - away]
    link.until_idle()
    with monkeypatch.context() as down:

        def fails():
            raise EndpointUnavailable(pair[away].chain_id, "is down")

        down.setattr(pair[away], "tip", fails)
        other.send(CHANNEL)
        with pytest.raises(EndpointUnavailable, match="is down"):
            link.round()
        assert link.pending == 1
    sent_in, block = other.height, other.block

    def pruned(height):
        if height <= sent_in:
            raise EndpointRefused(other.chain_id, f"block {height}", "lowest height is more")
        return block(height)

    monkeypatch.setattr(other, "block", pruned)
    other.make_block()
    assert link.until_idle().delivered == 1


def test_a_trusted_block_that_is_pruned_keeps_no_client_from_its_update(pair, monkeypatch):
    """A client without updates trusts a height that no node has any more; the validators are the same."""
    a, _ = pair
    link = linked(pair)
    link.until_idle()
    for _ in range(50):
        a.make_block()
    a.send(CHANNEL)
    light_block, asked = a.light_block, []

    def pruned(height):
        asked.append(height)
        if height < a.height - 10:
            raise EndpointRefused(a.chain_id, f"block {height}", "lowest height is more")
        return light_block(height)

    monkeypatch.setattr(a, "light_block", pruned)
    assert link.until_idle().delivered == 1
    assert min(asked) < a.height - 10


@pytest.fixture
def rested(pair, monkeypatch):
    """Path whose client on b has the header of a block that a's node has pruned, with a pending packet."""
    a, _ = pair
    path = make_path(*pair, "port", Order.UNORDERED, "v1")
    for _ in range(50):
        a.make_block()
    a.send(CHANNEL)
    light_block = a.light_block

    def pruned(height):
        if height < a.height - 10:
            raise EndpointRefused(a.chain_id, f"block {height}", "lowest height is more")
        return light_block(height)

    monkeypatch.setattr(a, "light_block", pruned)
    return path


def test_h225_a_client_older_than_all_blocks_of_a_node_is_relayed_over(pair, rested):
    assert Link([rested], *pair, options=QUICK).until_idle().delivered == 1
    assert find_channel(*pair, "port", CHANNEL) == rested


def test_h225_but_not_if_it_trusts_other_validators(pair, rested, monkeypatch):
    """The chain was started again under its id, so it has other headers and no block left to compare."""
    a, _ = pair
    pruned = a.light_block

    def anew(height):
        block = pruned(height)
        signed = SignedHeader.FromString(block.signed_header)
        signed.header.validators_hash = bytes(range(32))
        return block._replace(signed_header=signed.SerializeToString())

    monkeypatch.setattr(a, "light_block", anew)
    with pytest.raises(WrongCounterparty, match="does not match the header of"):
        Link([rested], *pair, options=QUICK)


def test_h225_nor_if_nobody_named_it_and_nobody_knows_who_made_it(pair, rested, monkeypatch):
    with pytest.raises(NoPath, match="lowest height is more"):
        find_path(*pair, "port", Order.UNORDERED, "v1")
    accept = frozenset({"consensus_states"})
    assert find_path(*pair, "port", Order.UNORDERED, "v1", accept=accept) == rested
    monkeypatch.setattr(Audit, "is_ours", lambda *_: True)
    assert find_path(*pair, "port", Order.UNORDERED, "v1") == rested
