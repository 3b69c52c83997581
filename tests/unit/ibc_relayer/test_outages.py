"""One chain is away, or a node keeps little: the other is read meanwhile, and clients are updated still."""

import pytest

from ibc_core.channel.types import Order
from ibc_proto.tendermint.types.types_pb2 import SignedHeader
from ibc_relayer.errors import EndpointRefused, EndpointUnavailable, NoPath, WrongCounterparty
from ibc_relayer.find_path import find_channel, find_path
from ibc_relayer.link import Link, Options
from ibc_relayer.open_path import make_path
from ibc_relayer.review import Review

CHANNEL = "channel-0"
QUICK = Options(sleep=lambda _seconds: None)


def linked(pair):
    return Link([make_path(*pair, "port", Order.UNORDERED, "v1")], *pair, options=QUICK)


@pytest.mark.parametrize("away", [0, 1])
def test_the_other_chain_is_read_while_one_is_away(pair, monkeypatch, away):
    """Its node may have pruned the blocks when both are back."""
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
    """A client that rests for long trusts a height that no node has any more; the validators are the same."""
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
    """A path whose client on b has its last header of a block that a's node has pruned; a packet waits."""
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
    """Of a chain that was begun anew under its id: it has others, and no block is left to compare."""
    a, _ = pair
    pruned = a.light_block

    def anew(height):
        block = pruned(height)
        signed = SignedHeader.FromString(block.signed_header)
        signed.header.validators_hash = bytes(range(32))
        return block._replace(signed_header=signed.SerializeToString())

    monkeypatch.setattr(a, "light_block", anew)
    with pytest.raises(WrongCounterparty, match="holds another header"):
        Link([rested], *pair, options=QUICK)


def test_h225_nor_if_nobody_named_it_and_nobody_knows_who_made_it(pair, rested, monkeypatch):
    with pytest.raises(NoPath, match="lowest height is more"):
        find_path(*pair, "port", Order.UNORDERED, "v1")
    accept = frozenset({"consensus_states"})
    assert find_path(*pair, "port", Order.UNORDERED, "v1", accept=accept) == rested
    monkeypatch.setattr(Review, "is_ours", lambda *_: True)
    assert find_path(*pair, "port", Order.UNORDERED, "v1") == rested
