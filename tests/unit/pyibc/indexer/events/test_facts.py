"""Facts about clients, connections and channels from chains of several versions."""

import pytest

from pyibc.indexer.blocks.block import MessageFacts
from pyibc.indexer.events.facts import CHANNEL, CLIENT, CONNECTION, PROOF, Fact, MalformedFact, facts_of
from pyibc.proto.google.protobuf.any_pb2 import Any
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2 as tendermint

CREATE, UPDATE, RECV, ACK = (
    f"/ibc.core.{name}"
    for name in (
        "client.v1.MsgCreateClient",
        "client.v1.MsgUpdateClient",
        "channel.v1.MsgRecvPacket",
        "channel.v1.MsgAcknowledgement",
    )
)


def told(events, *messages):
    return list(facts_of(events, messages))


def event(kind, **attributes):
    return (kind, tuple(attributes.items()))


def created(client, **more):
    return event(
        "create_client", client_id=client, client_type="07-tendermint", consensus_height="3-9", **more
    )


def claims(facts):
    return {fact.client: fact.other_chain for fact in facts if fact.type == CLIENT}


def test_a_new_client_has_its_messages_claim():
    message = MessageFacts(CREATE, chain_id="b-3", revision=3, height=8, time_ns=5, trusting_ns=7)
    assert told([event("message", x="y"), created("07-tendermint-4")], message) == [
        Fact(
            CLIENT,
            1,
            "create_client",
            "07-tendermint-4",
            "07-tendermint",
            other_chain="b-3",
            other_revision=3,
            other_height=9,
            other_ns=5,
            trusting_ns=7,
        )
    ]


def test_events_belong_to_messages_by_index_else_by_order_else_to_none():
    messages = [
        MessageFacts(CREATE, chain_id="b-3"),
        MessageFacts("/x"),
        MessageFacts(CREATE, chain_id="c-3"),
    ]
    indexed = [created("cl-1", msg_index="2"), created("cl-0", msg_index="0"), created("cl-2", msg_index="1")]
    assert claims(told(indexed, *messages)) == {"cl-1": "c-3", "cl-0": "b-3", "cl-2": None}
    assert claims(told([created("cl-7"), created("cl-5")], *messages)) == {"cl-7": "b-3", "cl-5": "c-3"}
    assert claims(told([created("cl-7")], *messages)) == {"cl-7": None}
    assert claims(told([created("cl-7", msg_index="9")], *messages)) == {"cl-7": None}


def test_an_update_finds_its_message_by_the_client_where_the_numbers_differ():
    messages = [update("cl-1", 10), update("cl-2", 11), update("cl-2", 11)]
    events = [event("update_client", client_id="cl-2"), event("update_client", client_id="cl-3")]
    assert [fact.other_height for fact in told(events, *messages)] == [11, None]


def test_a_header_stands_in_the_event_of_older_chains():
    header = tendermint.Header()
    header.signed_header.header.chain_id, header.signed_header.header.height = "b-3", 12
    encoded = Any(type_url=f"/{header.DESCRIPTOR.full_name}", value=header.SerializeToString())
    events = [event("update_client", client_id="cl-1", header=encoded.SerializeToString().hex())]
    (fact,) = told(events)
    assert (fact.other_chain, fact.other_revision, fact.other_height) == ("b-3", 3, 12)


def test_connections():
    names = {"connection_id": "connection-5", "client_id": "cl-1", "counterparty_client_id": "cl-9"}
    assert told([event("connection_open_try", **names)]) == [
        Fact(CONNECTION, 0, "connection_open_try", "cl-1", connection="connection-5", other_client="cl-9"),
    ]


def test_channels():
    here = {"port_id": "wasm.x", "channel_id": "channel-8", "connection_id": "connection-5"}
    there = {"counterparty_port_id": "transfer", "counterparty_channel_id": "channel-3"}
    events = [event("channel_open_try", **here, **there), event("channel_close_init", **here)]
    asked = MessageFacts("/ibc.core.channel.v1.MsgChannelOpenTry", ordering="ORDER_ORDERED")
    ours = {"connection": "connection-5", "port": "wasm.x", "channel": "channel-8"}
    theirs = {"other_port": "transfer", "other_channel": "channel-3", "ordering": "ORDER_ORDERED"}
    assert told(events, asked) == [
        Fact(CHANNEL, 0, "channel_open_try", **ours, **theirs),
        Fact(CHANNEL, 1, "channel_close_init", **ours),
    ]


def test_a_queues_registration_and_a_registered_counterparty():
    events = [event("queue_register", local="a-1", remote="b-1/connection-0/channel-1", client_id="cl-4")]
    counterparty = MessageFacts(
        "/ibc.core.client.v2.MsgRegisterCounterparty", client_id="cl-4", other_client="cl-6"
    )
    one, two = told(events, counterparty)
    assert (one.client, one.other_chain) == ("cl-4", "b-1")
    assert (two.client, two.other_client, two.event_index) == ("cl-4", "cl-6", None)


def update(client, height):
    return MessageFacts(UPDATE, client_id=client, chain_id="b-1", revision=1, height=height)


def relay(kind, height, port="transfer", channel="channel-0"):
    return MessageFacts(kind, port=port, channel=channel, sequence=1, revision=1, height=height)


def test_a_packet_proved_at_the_height_just_brought_tells_its_client():
    messages = [update("cl-1", 10), relay(RECV, 10), relay(RECV, 10), relay(ACK, 10, channel="channel-2")]
    proofs = [fact for fact in told([], *messages) if fact.type == PROOF]
    assert [(fact.client, fact.port, fact.channel) for fact in proofs] == [
        ("cl-1", "transfer", "channel-0"),
        ("cl-1", "transfer", "channel-2"),
    ]


@pytest.mark.parametrize(
    "messages",
    [
        [update("cl-1", 10), relay(RECV, 11)],  # another height
        [relay(RECV, 10), update("cl-1", 10)],  # updated afterwards
        [update("cl-1", 10), update("cl-2", 10), relay(RECV, 10)],  # by two clients
        [update("cl-1", 0), relay(RECV, 0)],  # without a height
    ],
)
def test_other_proofs_tell_nothing(messages):
    assert told([], *messages) == []


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        (event("create_client", client_type="x"), "create_client has no attribute client_id"),
        (event("create_client", client_id="c" * 257), "client_id has 257 characters"),
        (event("update_client", client_id="c", consensus_height="9"), "not revision-height"),
        (event("update_client", client_id="c", header="zz"), "malformed attribute"),
        (event("update_client", client_id="c", header="ff"), "not an Any"),
        (event("connection_open_init", connection_id="c"), "no attribute client_id"),
        (event("channel_open_init", port_id="p"), "no attribute channel_id"),
        (event("channel_open_ack", port_id="p", channel_id="c", connection_id="x" * 300), "300 characters"),
        (event("queue_register", client_id="c", remote="//"), "remote end is malformed"),
    ],
)
def test_odd_events_are_named_and_the_others_count(odd, reason):
    first, second = told([odd, created("cl-1")])
    assert isinstance(first, MalformedFact)
    assert first.event_index == 0
    assert reason in first.reason
    assert second.client == "cl-1"


def test_a_handshake_that_an_error_acknowledgement_undid_tells_nothing(packet_event):
    opened = event("channel_open_init", port_id="icacontroller-a", channel_id="channel-3")
    refused = packet_event("write_acknowledgement", packet_ack='{"error":"no"}')
    (found,) = told([packet_event("recv_packet"), opened, refused, created("cl-1")])
    assert found.client == "cl-1"
    answered = packet_event("write_acknowledgement", packet_ack='{"result":"AQ=="}')
    (found,) = told([packet_event("recv_packet"), opened, answered])
    assert found.channel == "channel-3"


def test_an_update_event_of_another_client_than_its_message_is_odd():
    (found,) = told([event("update_client", client_id="cl-2", msg_index="0")], update("cl-1", 10))
    assert "the client id differs from that of the message, cl-1" in found.reason
