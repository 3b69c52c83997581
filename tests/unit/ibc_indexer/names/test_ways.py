"""The chains of a way: packets decide, claims fill what they leave open, and what differs is said."""

from ibc_indexer.lifecycle import Way
from ibc_indexer.names.facts import CHANNEL, CLIENT, CONNECTION
from ibc_indexer.names.registry import Registered
from ibc_indexer.names.resolve import Named, Names, Told
from ibc_indexer.names.ways import MAX_NOTES, PACKETS, WayNames, name_chains

PATH = (1, "transfer", "channel-1", "wasm.x", "channel-2")
V2 = (2, "transfer", "cl-1", "transfer", "cl-2")


def over(chain, port, channel, other):
    return [
        Told(CLIENT, chain, "cl-1", other_chain=other),
        Told(CONNECTION, chain, "cl-1", "connection-4"),
        Told(CHANNEL, chain, None, "connection-4", port, channel),
    ]


def test_a_side_that_was_not_seen_is_named_by_the_other():
    told = over("a-1", "transfer", "channel-1", "b-1") + over("b-1", "wasm.x", "channel-2", "a-1")
    ways = [Way(PATH, "a-1", None), Way(PATH, None, "b-1"), Way(PATH, "a-1", "b-1"), Way(PATH, "c-1", None)]
    claimed = [Named(chain, "handshake") for chain in ("b-1", "a-1")]
    seen = [Named(chain, PACKETS) for chain in ("a-1", "b-1", "c-1")]
    assert name_chains(ways, Names(told)) == (
        [
            WayNames(seen[0], claimed[0]),
            WayNames(claimed[1], seen[1]),
            WayNames(seen[0], seen[1]),
            WayNames(seen[2], Named()),
        ],
        [],
    )


def test_packets_decide_against_a_claim_and_that_is_said():
    told = over("a-1", "transfer", "channel-1", "mallory-1")
    (names,), (note,) = name_chains([Way(PATH, "a-1", "b-1")], Names(told))
    assert names == WayNames(Named("a-1", PACKETS), Named("b-1", PACKETS))
    assert note.reason == "a-1 claims mallory-1 at an end whose packets are of b-1: these decide"


def test_clients_of_ibc_v2_and_queues():
    told = [Told(CLIENT, "a-1", "cl-1", other_chain="b-1"), Told(CLIENT, "b-1", "cl-2", other_chain="a-1")]
    queue = (0, "mail", "a-1", "mail", "b-1")
    ways = [Way(V2, "a-1", None), Way(V2, None, "b-1"), Way(queue, "a-1", "b-1"), Way(queue, "a-1", None)]
    found, notes = name_chains(ways, Names(told))
    assert [(names.src.chain, names.dst.chain) for names in found] == [
        ("a-1", "b-1"),
        ("a-1", "b-1"),
        ("a-1", "b-1"),
        ("a-1", None),
    ]
    assert notes == []


def test_a_packet_table_has_no_ports_and_is_named_by_the_users_file():
    way = Way((1, None, "channel-1", None, None), "a-1", None)
    (names,), notes = name_chains([way], Names([], [Registered("a-1", "", "channel-1", "b-1")]))
    assert (names.dst, notes) == (Named("b-1", "registry"), [])


def test_notes_are_few():
    ways = [Way((1, "p", f"channel-{n}", "p", "channel-1"), "a-1", None) for n in range(MAX_NOTES + 5)]
    told = [
        Told(CHANNEL, "a-1", None, f"connection-{over}", "p", f"channel-{n}")
        for n in range(MAX_NOTES + 5)
        for over in (1, 2)
    ]
    _, notes = name_chains(ways, Names(told))
    assert len(notes) == MAX_NOTES + 1
    assert notes[-1].reason == "5 more ends of which facts differ"
    assert "connections connection-1 and connection-2" in notes[0].reason
