"""Which packets get other rows with a batch, decided from rows of the table of routes."""

from types import SimpleNamespace

from pyibc.indexer.bronze.records import path_id
from pyibc.indexer.chains.ends import Ends, path_of
from pyibc.indexer.events.packet_facts import V1, End
from pyibc.indexer.pipeline.routes import _moved_ends, pairs_of

SIDES = (("a-1", False), ("b-1", True))


def route(key, ends, name="a-1"):
    return {key: (key, name, "b-1", ends)}


def test_ends_with_another_route_name_or_order_of_chains_are_moved():
    old = route("x", [1, 2, 3]) | route("y", [4])
    assert _moved_ends(old, old) == set()
    assert _moved_ends(old, route("x", [1, 2, 3, 5]) | route("y", [4])) == set()
    assert _moved_ends(old, route("x", [1, 2, 3, 4])) == {4}
    assert _moved_ends(old, route("x", [1, 2, 3]) | route("y", [4], name="a-2")) == {4}
    assert _moved_ends(old, route("x", [2, 5, 1, 3]) | route("y", [4])) == {1, 2, 3}


def test_receiving_ends_without_a_packet_of_their_sender_or_with_other_ones_are_counted():
    paths = [(V1, "transfer", f"channel-{number}", "transfer", "channel-7") for number in range(3)]
    ends = {(chain, side, path): End(chain, side, *path) for path in paths for chain, side in SIDES}
    del ends["a-1", False, paths[2]]
    state = SimpleNamespace(paths={path_id(path_of(end)): path_of(end) for end in ends.values()}, votes={})
    sending, receiving = (ends[chain, side, paths[0]].number for chain, side in SIDES)
    state.votes[path_id(paths[0]), sending, receiving] = (19, 20)
    found = pairs_of(state, Ends({end.number: end for end in ends.values()}, [], {}))
    assert found.senders == {ends["b-1", True, paths[0]]: "a-1"}
    assert found.undecided == 1
    assert [note.reason for note in found.differing] == [
        "b-1 1/transfer/channel-0/transfer/channel-7: 1 of 20 compared packets differ on both chains"
    ]


THERE = (V1, "transfer", "channel-0", "transfer", "channel-7")
BACK = (V1, "transfer", "channel-7", "transfer", "channel-0")


def pairs_with(*votes):
    """Pairs of both directions of a channel, by votes as path, sender, receiver, and their counts."""
    ends = [End(chain, side, *path) for path in (THERE, BACK) for chain, side in (*SIDES, ("c-1", True))]
    ends += [End("b-1", False, *BACK), End("a-1", True, *BACK)]
    state = SimpleNamespace(paths={path_id(path): path for path in (THERE, BACK)}, votes={})
    for path, sender, receiver, counts in votes:
        ids = (End(sender, False, *path).number, End(receiver, True, *path).number)
        state.votes[path_id(path), *ids] = counts
    return pairs_of(state, Ends({end.number: end for end in ends}, [], {}))


def test_packets_of_one_direction_name_the_chains_of_the_other_one():
    found = pairs_with((THERE, "a-1", "b-1", (1, 1)))
    assert found.receivers == {(THERE, "a-1"): "b-1", (BACK, "b-1"): "a-1"}
    assert found.senders[End("a-1", True, *BACK)] == "b-1"
    assert found.differing == []


def test_packets_that_contradict_the_other_direction_decide_alone():
    there = (THERE, "a-1", "b-1", (1, 1))
    assert (BACK, "b-1") not in pairs_with(there, (BACK, "b-1", "a-1", (0, 1))).receivers
    assert pairs_with(there, (BACK, "b-1", "c-1", (1, 1))).receivers[BACK, "b-1"] == "c-1"
