import pytest

from pyibc.indexer.blocks.block import Ack, Tx
from pyibc.indexer.events.ics20 import Transfer
from pyibc.indexer.events.packets import Malformed, packet_events, signer_of

ICS20 = b'{"denom":"uatom","amount":"12","sender":"a","receiver":"b"}'.hex()
TOKEN = "fungible_token_packet"


def events_of(block):
    return list(packet_events(block))


def test_a_send_says_which_packet_what_and_until_when(block, packet_event):
    (event,) = events_of(
        block(packet_event("send_packet", 3, packet_data_hex=ICS20, packet_timeout_height="4-55"))
    )
    facts = event.facts
    assert (event.type, event.tx_index, event.tx_hash, event.relayer) == ("send_packet", 0, "AA", "")
    assert facts[:6] == (1, "transfer", "channel-0", "transfer", "channel-7", 3)
    assert (facts.timeout_revision, facts.timeout_height, facts.timeout_ns) == (4, 55, 17 * 10**17)
    assert facts.transfer == Transfer("uatom", "12", "a", "b")
    assert (facts.ordering, facts.connection) == ("ORDER_UNORDERED", "connection-0")


def test_hex_and_plain_data_have_one_digest(block, packet_event):
    plain = bytes.fromhex(ICS20).decode()
    (one, other) = events_of(
        block(
            packet_event("send_packet", packet_data_hex=ICS20), packet_event("recv_packet", packet_data=plain)
        )
    )
    assert one.facts.data_digest == other.facts.data_digest is not None


def test_failed_transactions_and_undone_callbacks_do_not_count(block, packet_event):
    assert events_of(block(packet_event("send_packet"), code=1)) == []
    undone = packet_event("send_packet")
    prefixed = tuple((f"ibccallbackerror-{key}", value) for key, value in undone[1])
    assert events_of(block(("ibccallbackerror-send_packet", prefixed))) == []


REFUSED = b'{"error":"ABCI code: 5: error handling packet"}'.hex()
HOP = {"packet_src_channel": "channel-9", "packet_dst_channel": "channel-3"}


def message(**more):
    return ("message", tuple(({"action": "/ibc.core.channel.v1.MsgRecvPacket"} | more).items()))


@pytest.mark.parametrize("index", [{}, {"msg_index": "1"}])
def test_what_a_receive_did_that_its_error_acknowledgement_undid_does_not_count(block, packet_event, index):
    inner = [packet_event("write_acknowledgement", 30, packet_ack="x", **HOP)]
    inner += [packet_event("send_packet", 8, **HOP)]
    events = events_of(
        block(
            message(),
            packet_event("send_packet", 7, **HOP),
            message(),
            packet_event("recv_packet", 1, **index),
            ("message", (("module", "transfer"),)),
            *inner,
            packet_event("write_acknowledgement", 1, packet_ack_hex=REFUSED, **index),
            packet_event("send_packet", 9, **HOP),
        )
    )
    assert [(event.type, event.facts.sequence) for event in events] == [
        ("send_packet", 7),
        ("recv_packet", 1),
        ("write_acknowledgement", 1),
        ("send_packet", 9),
    ]


@pytest.mark.parametrize(
    ("between", "answered", "ack"),
    [
        ((), 1, b'{"result":"AQ=="}'.hex()),
        ((), 2, REFUSED),  # another packet's
        ((message(),), 1, REFUSED),  # in another message
    ],
)
def test_a_send_beside_another_acknowledgement_counts(block, packet_event, between, answered, ack):
    written = packet_event("write_acknowledgement", answered, packet_ack_hex=ack)
    sent = packet_event("send_packet", 8, **HOP)
    events = events_of(block(packet_event("recv_packet", 1), sent, *between, written))
    assert [event.type for event in events] == ["recv_packet", "send_packet", "write_acknowledgement"]


def test_a_send_of_another_message_index_counts(block, packet_event):
    received = packet_event("recv_packet", 1, msg_index="0")
    written = packet_event("write_acknowledgement", 1, packet_ack_hex=REFUSED, msg_index="1")
    events = events_of(block(received, packet_event("send_packet", 8, msg_index="0", **HOP), written))
    assert len(events) == 3


def test_events_of_the_block_itself_count(block, packet_event):
    (event,) = events_of(block(block_events=(packet_event("send_packet"),)))
    assert (event.tx_index, event.tx_hash) == (-1, "")


@pytest.mark.parametrize(
    ("ack", "status"),
    [
        (b'{"result":"AQ=="}', "success"),
        (b'{"error":"ABCI code: 1"}', "error"),
        (b"\x01", "opaque"),
        (b"[]", "opaque"),
    ],
)
def test_a_written_acknowledgement_is_read(block, packet_event, ack, status):
    (event,) = events_of(block(packet_event("write_acknowledgement", packet_ack_hex=ack.hex())))
    assert event.facts.ack.status == status
    assert event.facts.ack.detail == ("ABCI code: 1" if status == "error" else "")


def test_ics20_says_at_the_sender_what_the_acknowledgement_was(block, packet_event):
    token = (TOKEN, (("denom", "uatom"), ("amount", "5"), ("acknowledgement", 'error:"no"')))
    events = [packet_event("acknowledge_packet", 1), token, (TOKEN, (("error", "no"),))]
    events += [packet_event("acknowledge_packet", 2), (TOKEN, (("success", "\x01"),))]
    one, two = events_of(block(*events))
    assert (one.facts.ack.status, one.facts.transfer) == ("error", Transfer("uatom", "5"))
    assert (two.facts.ack.status, two.facts.transfer) == ("success", None)


def test_messages_are_told_apart_by_their_index(block, packet_event):
    acks = [packet_event("acknowledge_packet", n, msg_index=str(n)) for n in (1, 2)]
    told = [(TOKEN, (("error", "no"), ("msg_index", "1"))), (TOKEN, (("success", "1"), ("msg_index", "2")))]
    assert [e.facts.ack.status for e in events_of(block(*acks, *told))] == ["error", "success"]


def test_without_ics20_the_message_itself_is_asked(block, packet_event):
    made = block(packet_event("acknowledge_packet", 4))
    known = made.txs[0]._replace(acks=(Ack("transfer", "channel-0", 4, b'{"error":"x"}'),), raw=b"")
    (event,) = events_of(made._replace(txs=(known,)))
    assert (event.facts.ack.status, event.facts.ack.detail) == ("error", "x")


@pytest.mark.parametrize("order", [1, -1])
def test_a_timeout_takes_its_refund_before_or_after(block, packet_event, order):
    refund = ("timeout", (("refund_denom", "stake"), ("refund_amount", "007")))
    events = [packet_event("timeout_packet", 1), refund][::order]
    (event,) = events_of(block(*events))
    assert event.facts.transfer == Transfer("stake", "7")


def test_timeouts_in_one_message_take_their_own_refunds(block, packet_event):
    def refund(amount):
        return ("timeout", (("refund_denom", "stake"), ("refund_amount", amount)))

    before = [refund("1"), packet_event("timeout_packet", 1), refund("2"), packet_event("timeout_packet", 2)]
    for events in (before, [before[1], before[0], before[3], before[2]]):
        assert [e.facts.transfer.amount for e in events_of(block(*events))] == ["1", "2"]


REFUND = ("timeout", (("refund_receiver", "a"), ("refund_denom", "stake"), ("refund_amount", "7")))
ACCOUNT = {"packet_src_port": "icacontroller-alice", "packet_dst_port": "icahost"}


@pytest.mark.parametrize("order", [1, -1])
def test_a_timeout_of_another_application_takes_no_refund(block, packet_event, order):
    own, other = packet_event("timeout_packet", 1), packet_event("timeout_packet", 2, **ACCOUNT)
    paid = [own, REFUND][::order]
    for events in ([other, *paid], [*paid, other]):
        found = {event.facts.sequence: event.facts.transfer for event in events_of(block(*events))}
        assert found == {1: Transfer("stake", "7", "a"), 2: None}


def test_an_acknowledgement_of_another_application_takes_no_transfer(block, packet_event):
    token = (TOKEN, (("denom", "uatom"), ("amount", "5"), ("sender", "a"), ("error", "no")))
    (event,) = events_of(block(packet_event("acknowledge_packet", 1, **ACCOUNT), token))
    assert (event.facts.transfer, event.facts.ack) == (None, None)


def test_data_in_the_event_decides_what_a_packet_is(block, packet_event):
    data = b'{"type":"TYPE_EXECUTE_TX"}'.hex()
    (event,) = events_of(block(packet_event("timeout_packet", 1, packet_data_hex=data), REFUND))
    assert event.facts.transfer is None
    cw20 = {"packet_src_port": "wasm.juno1contract", "packet_data_hex": ICS20}
    (event,) = events_of(block(packet_event("timeout_packet", 1, **cw20), REFUND))
    assert event.facts.transfer == Transfer("uatom", "12", "a", "b")


@pytest.mark.parametrize("name", ["timeout_packet", "timeout_on_close", "timeout_on_close_packet"])
def test_every_name_of_a_timeout_is_one_type(block, packet_event, name):
    (event,) = events_of(block(packet_event(name)))
    assert event.type == "timeout_packet"


V2_PACKET = "0801120f30372d74656e6465726d696e742d301a0f30372d74656e6465726d696e742d3120cda6c8ac06"
V2_PAYLOAD = "1208" + b"transfer".hex() + "1a07" + b"ics20-1".hex() + "2216" + b"application/x-protobuf".hex()
UNIVERSAL = "4774d4a575993f963b1c06573736617a457abef8589178db8d10c94b4ab511ab"


def v2(kind, payload="", **more):
    encoded = V2_PACKET + (f"2a{len(payload) // 2:02x}{payload}" if payload else "")
    found = {
        "packet_source_client": "07-tendermint-0",
        "packet_dest_client": "07-tendermint-1",
        "packet_sequence": "1",
        "packet_timeout_timestamp": "1704072013",
        "encoded_packet_hex": encoded,
    }
    return (kind, tuple((found | more).items()))


def test_packets_of_ibc_v2_are_kept_apart(block):
    value = "0a0575" + b"atom".hex() + "120234321a0161220162"
    payload = "0a08" + b"transfer".hex() + V2_PAYLOAD + f"2a{len(value) // 2:02x}{value}"
    (event,) = events_of(block(v2("send_packet", payload)))
    assert event.facts[:6] == (2, "transfer", "07-tendermint-0", "transfer", "07-tendermint-1", 1)
    assert event.facts.timeout_ns == 1704072013 * 10**9
    assert event.facts.transfer == Transfer("uatom", "42", "a", "b")


@pytest.mark.parametrize(
    ("ack", "status"), [(f"0a20{UNIVERSAL}", "error"), ("0a117b22726573756c74223a2241513d3d227d", "success")]
)
def test_acknowledgements_of_ibc_v2(block, ack, status):
    (event,) = events_of(block(v2("write_acknowledgement", encoded_acknowledgement_hex=ack)))
    assert event.facts.ack.status == status


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (("send_packet", ()), "without packet_sequence"),
        (v2("send_packet", encoded_packet_hex="zz"), "not hexadecimal"),
        (v2("send_packet", encoded_packet_hex="0a"), "Packet"),
        (("recv_packet", (("packet_source_client", "x"),)), "without encoded_packet_hex"),
        (v2("write_acknowledgement", encoded_acknowledgement_hex=""), "without encoded_acknowledgement_hex"),
    ],
)
def test_events_that_name_no_packet_are_told(block, event, reason):
    (found,) = events_of(block(event))
    assert isinstance(found, Malformed)
    assert reason in found.reason


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("packet_sequence", ""),
        ("packet_sequence", "0"),
        ("packet_sequence", "01"),
        ("packet_sequence", "-1"),
        ("packet_sequence", " 1"),
        ("packet_sequence", "1_0"),
        ("packet_sequence", "\u0661"),
        ("packet_sequence", "9223372036854775808"),
        ("packet_sequence", "9" * 5000),
        ("packet_src_channel", ""),
        ("packet_timeout_height", "7"),
        ("packet_timeout_timestamp", "soon"),
        ("packet_data_hex", "0"),
        ("packet_ack_hex", "xy"),
    ],
)
def test_odd_fields_are_told_and_the_rest_counts(block, packet_event, field, value):
    odd, good = packet_event("send_packet", **{field: value}), packet_event("send_packet", 2)
    first, second = events_of(block(odd, good))
    assert isinstance(first, Malformed)
    assert field in first.reason
    assert second.facts.sequence == 2


def test_the_largest_numbers_fit(block, packet_event):
    top = {"packet_sequence": str(2**63 - 1), "packet_timeout_timestamp": str(2**64 - 1)}
    (event,) = events_of(block(packet_event("send_packet", **top)))
    assert (event.facts.sequence, event.facts.timeout_ns) == (2**63 - 1, 2**63 - 1)


def test_who_relayed_is_read_from_the_best_source():
    sender = ("message", (("sender", "payer"),))
    payer = ("tx", (("fee", "1u"), ("fee_payer", "feepayer")))
    signed = ("tx", (("acc_seq", "signer/5"),))
    assert signer_of(Tx("", 0, (sender, payer, signed))) == "signer"
    assert signer_of(Tx("", 0, (sender, payer))) == "feepayer"
    assert signer_of(Tx("", 0, (sender, ("message", (("sender", "module"),))))) == "payer"
    assert signer_of(Tx("", 0, (sender,), signer="json")) == "json"
    assert signer_of(Tx("", 0, ())) == ""
