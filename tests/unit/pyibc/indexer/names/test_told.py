"""Contradicting channel facts of packets and handshakes have a fixed order."""

from itertools import permutations

from pyibc.indexer.chain_rows import FACTS, SCHEMAS, chain_rows, place_of
from pyibc.indexer.names.told import FactCollector
from pyibc.indexer.packet_facts import SEND, V1
from pyibc.indexer.rows import Row

CHAIN, HEIGHT = "a-1", 7
PLACE, CONNECTION = SCHEMAS[FACTS].names.index("place"), SCHEMAS[FACTS].names.index("connection")


def sent(connection, height=HEIGHT):
    ends = {"src_port": "p", "src_channel": "channel-0", "dst_port": "q", "dst_channel": "channel-9"}
    return Row(SEND, CHAIN, height, protocol=V1, connection=connection, **ends)


def places(rows):
    return {row[CONNECTION]: row[PLACE] for row in rows}


def test_what_contradicts_itself_at_one_height_has_one_order():
    said = set()
    for order in permutations(["connection-3", "connection-0", "connection-20"]):
        facts_of_segment = FactCollector()
        facts_of_segment.take(CHAIN, HEIGHT, (), [sent(each) for each in order])
        facts_of_segment.take(CHAIN, HEIGHT + 1, (), [sent("connection-5", HEIGHT + 1)])
        said.add(tuple(sorted(places(facts_of_segment.channels()).items(), key=lambda item: item[1])))
    assert said == {
        (
            ("connection-0", place_of(HEIGHT, 0)),
            ("connection-20", place_of(HEIGHT, 1)),
            ("connection-3", place_of(HEIGHT, 2)),
            ("connection-5", place_of(HEIGHT + 1, 0)),
        )
    }


def test_a_handshake_is_later_than_packets_of_its_block(block):
    shaken = {"port_id": "p", "channel_id": "channel-0", "connection_id": "connection-1"}
    facts = chain_rows(block(("channel_open_ack", shaken), chain=CHAIN, height=HEIGHT), "f").rows[FACTS]
    facts_of_segment = FactCollector()
    facts_of_segment.take(CHAIN, HEIGHT, (), [sent(f"connection-{number}") for number in range(2, 50)])
    assert (
        max(places(facts_of_segment.channels()).values())
        < places(facts)["connection-1"]
        < place_of(HEIGHT + 1, 0)
    )
