"""Block ranges as plain values: one item per height, in order, and texts about nodes."""

from pyibc.relayer.blocks.nodes import BLOCK, fetch_ranges
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer
from tests.comet_nodes import Chain, Node


def encoded(block):
    return b"%d" % block.height


def brought(*nodes, ranges=((1, 20),), size=1 << 20, chain_id="a-1"):
    """Return the items, and the error that ended them."""
    urls, found = {f"http://{number}": node for number, node in enumerate(nodes)}, []
    try:
        for item in fetch_ranges(
            tuple(urls), chain_id, ranges, 2, size, encode=encoded, connect=urls.__getitem__
        ):
            found.append(item)  # noqa: PERF402 - those before an error count
    except (EndpointRefused, EndpointUnavailable, MalformedAnswer) as error:
        return found, error
    return found, None


def test_every_height_of_the_ranges_in_order():
    chain = Chain(last=12)
    found, error = brought(Node(chain, first=3), Node(chain), ranges=((2, 4), (9, 9)))
    assert found == [(BLOCK, chain.hash(h), chain.hash(h - 1), b"%d" % h) for h in (2, 3, 4, 9)]
    assert error is None


def test_it_ends_at_its_size_and_gives_one_block_at_least():
    found, _ = brought(Node(Chain(last=20)), size=4)
    assert [line for *_, line in found] == [b"1", b"2", b"3", b"4"]
    found, _ = brought(Node(Chain(last=20)), size=1, ranges=((15, 20),))
    assert [line for *_, line in found] == [b"15"]


def test_what_no_node_answers_ends_it_behind_what_came_before():
    chain = Chain(last=20)
    chain.changed[7] = {"height": "8"}
    found, error = brought(Node(chain))
    assert len(found) == 6
    assert isinstance(error, MalformedAnswer)
    assert "block 7" in str(error)


def test_a_node_of_another_chain_is_refused():
    found, error = brought(Node(Chain("b-2", last=20)))
    assert found == []
    assert isinstance(error, EndpointRefused)
    assert str(error) == "http://0: status: it is a node of b-2"
