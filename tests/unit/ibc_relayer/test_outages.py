"""One chain is away, or a node keeps little: the other is read meanwhile, and clients are updated still."""

import pytest

from ibc_core.channel.types import Order
from ibc_relayer.errors import EndpointRefused, EndpointUnavailable
from ibc_relayer.link import Link, Options
from ibc_relayer.open_path import make_path

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
