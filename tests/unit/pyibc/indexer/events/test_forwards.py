"""Two packets are linked to one transfer only if the transaction proves it."""

import json

import pytest

from pyibc.indexer.blocks.block import Block, Tx
from pyibc.indexer.events.forwards import forwards_of
from pyibc.indexer.events.packets import PacketEvent, packet_events
from tests.packet_attributes import attributes

ON = {"forward": {"receiver": "carol", "port": "transfer", "channel": "channel-5", "next": {"x": 1}}}


def data(denom="uatom", amount="7", receiver="hop", memo=""):
    told = {"denom": denom, "amount": amount, "sender": "s", "receiver": receiver, "memo": memo}
    return json.dumps(told).encode().hex()


def packet(kind, sequence, src, dst, **more):
    return (kind, tuple(attributes(sequence, src, dst, until=9, **more).items()))


def received(sequence=1, *, index="0", memo=ON, **more):
    memo = memo if isinstance(memo, str) else json.dumps(memo)
    return packet(
        "recv_packet",
        sequence,
        "channel-1",
        "channel-2",
        msg_index=index,
        packet_data_hex=data(memo=memo, **more),
    )


def sent(
    sequence=4, *, index="0", denom="transfer/channel-2/uatom", receiver="carol", src="channel-5", **more
):
    told = data(denom, receiver=receiver, **more)
    return packet("send_packet", sequence, src, "channel-6", msg_index=index, packet_data_hex=told)


def forwards(*txs):
    block = Block("b-1", 5, 1, tuple(Tx("AA", 0, events) for events in txs))
    events = [event for event in packet_events(block) if isinstance(event, PacketEvent)]
    return [(f.cause.facts.sequence, f.sent.facts.sequence, f.retry) for f in forwards_of(events)]


def test_a_packet_sent_on_in_the_message_that_received_it():
    assert forwards((received(1), ("fungible_token_packet", ()), sent(4))) == [(1, 4, False)]


def test_several_messages_each_with_its_own():
    events = (received(1), sent(4), received(2, index="1"), sent(5, index="1"))
    assert forwards(events) == [(1, 4, False), (2, 5, False)]
    without = tuple(
        (kind, tuple(a for a in attributes if a[0] != "msg_index")) for kind, attributes in events
    )
    assert forwards(without) == [(1, 4, False), (2, 5, False)]


@pytest.mark.parametrize("key", ['"\\u0066orward"', '"forwar\\u0064"', '"forward" '])
def test_however_the_key_is_spelt(key):
    assert forwards((received(1, memo=json.dumps(ON).replace('"forward"', key)), sent(4))) == [(1, 4, False)]


def test_a_memo_that_only_a_middleware_makes():
    """Escaping may expand a text to six times its length, which exceeds what users may write."""
    long = {"forward": ON["forward"] | {"next": {"forward": {"receiver": "<" * 30_000}}}}
    memo = json.dumps(long).replace("<", "\\u003c")
    assert len(memo) > 32_768
    assert forwards((received(1, memo=memo), sent(4))) == [(1, 4, False)]


def test_coins_that_go_home_lose_their_hop():
    events = (received(1, denom="transfer/channel-1/ustake"), sent(4, denom="ustake"))
    assert forwards(events) == [(1, 4, False)]


def test_the_port_is_transfer_where_the_memo_names_none():
    memo = {"forward": {"receiver": "carol", "channel": "channel-5"}}
    assert forwards((received(memo=memo), sent())) == [(1, 4, False)]


def test_a_memo_with_half_a_surrogate_is_read_as_the_middleware_reads_it():
    memo = r'{"forward": {"receiver": "carol", "port": "transfer", "channel": "channel-5"}, "note": "\ud83d"}'
    assert forwards((received(1, memo=memo), sent(4))) == [(1, 4, False)]
    assert forwards((received(1, memo=memo.replace("carol", "dave")), sent(4))) == []
    assert forwards((received(1, memo=memo.replace('"channel"', '"road"')), sent(4))) == []


@pytest.mark.parametrize(
    "events",
    [
        (sent(), received()),  # before it
        (received(), sent(index="1")),  # in another message
        (received(), sent(amount="6")),  # reduced by a fee
        (received(), sent(denom="uatom")),  # another coin
        (received(), sent(receiver="dave")),  # another receiver
        (received(), sent(src="channel-9")),  # another channel
        (received(memo=""), sent()),
        (received(memo='{"forward": 5}'), sent()),
        (received(memo='{"forward": {"receiver": 1, "channel": "channel-5"}}'), sent()),
        (received(memo='"forward"'), sent()),
        (received(memo='{"forward"' + "[" * 70_000), sent()),
        (received(memo={"wasm": {"forward": ON["forward"]}}), sent()),
        (packet("recv_packet", 1, "channel-1", "channel-2", msg_index="0", packet_data_hex="00"), sent()),
        (packet("acknowledge_packet", 1, "channel-2", "channel-1", msg_index="0"), sent()),
    ],
)
def test_other_packets_are_not_tied(events):
    assert forwards(events) == []


def test_one_packet_causes_one_and_another_transaction_none():
    assert forwards((received(), sent(4), sent(5))) == [(1, 4, False)]
    assert forwards((received(),), (sent(),)) == []


def timeout(sequence, *, amount="7", denom="transfer/channel-2/uatom"):
    refund = ("timeout", (("refund_denom", denom), ("refund_amount", amount), ("msg_index", "0")))
    return packet("timeout_packet", sequence, "channel-5", "channel-6", msg_index="0"), refund


def test_a_packet_that_timed_out_and_is_sent_again():
    assert forwards((*timeout(4), sent(6))) == [(4, 6, True)]
    assert forwards((*timeout(4, amount="8"), sent(6))) == []
    assert forwards((*timeout(4), sent(6, src="channel-8"))) == []
    assert forwards((*timeout(4, denom="uatom"), sent(6))) == []
