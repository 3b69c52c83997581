"""Messages as JSON: written and read without loss, in all the spellings that gogoproto's jsonpb reads."""

import json
from base64 import b64encode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.kit.known import MESSAGES
from pyibc.codec import anys
from pyibc.codec.anys import AnyMessage
from pyibc.codec.exact_json import read_exactly
from pyibc.codec.protojson import Unprintable, from_json, read_any, to_json, write_any
from pyibc.core.channel.messages import MsgChannelOpenInit
from pyibc.core.client.messages import MsgCreateClient
from pyibc.core.errors import TxDecode, UnknownMessage
from pyibc.core.packet.messages import MsgRecvPacket
from pyibc.core.setup_error import InvalidGenesis
from pyibc.core.wire.message import decode_msg, encode_msg, read_msg_json, write_msg_json
from pyibc.proto.cosmos.crypto.multisig import keys_pb2 as multisig
from pyibc.proto.google.protobuf import duration_pb2
from pyibc.proto.ibc.core.channel.v1 import tx_pb2
from pyibc.proto.ibc.lightclients.attestations.v1.attestations_pb2 import AttestationProof
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2
from pyibc.proto.ibc.lightclients.tendermint.v1.tendermint_pb2 import ConsensusState
from pyibc.proto.tendermint.crypto import keys_pb2
from pyibc.queues.messages import MsgQueueSend
from tests.sampling import rounds

RECV = MsgRecvPacket.TYPE_URL
WHOLE = {
    "@type": RECV,
    "packet": {
        "sequence": "18446744073709551615",
        "source_port": "port-a",
        "source_channel": "channel-0",
        "destination_port": "port-b",
        "destination_channel": "channel-1",
        "data": "ZGF0YQ==",
        "timeout_height": {"revision_number": "1", "revision_height": "2"},
        "timeout_timestamp": "3",
    },
    "proof_commitment": "cHJvb2Y=",
    "proof_height": {"revision_number": "0", "revision_height": "7"},
    "signer": "somebody",
}


@pytest.mark.parametrize("cls", MESSAGES.values(), ids=lambda cls: cls.__name__)
@given(data=st.data())
@settings(max_examples=rounds(5, 15), deadline=None)
def test_what_is_written_is_read_back(values_of, cls, data):
    # A time after year 9999 has no JSON; Go's zero time and the wire say the same of one that nobody set.
    msg = decode_msg(cls, encode_msg(data.draw(values_of(cls))))
    written = write_msg_json(msg)
    assert written["@type"] == cls.TYPE_URL
    assert read_msg_json(written, MESSAGES) == msg
    assert read_msg_json(json.dumps(written), MESSAGES) == msg
    assert read_msg_json(json.dumps(written, ensure_ascii=False).encode(), MESSAGES) == msg


def value_of(**changes):
    return read_msg_json(json.dumps(WHOLE | changes), MESSAGES)


def packet_of(**changes):
    return value_of(packet=WHOLE["packet"] | changes).packet


def test_every_part_is_where_ibc_go_prints_it():
    msg = value_of()
    assert write_msg_json(msg) == WHOLE
    assert (msg.packet.sequence, msg.packet.data, msg.proof_commitment_on_a) == (2**64 - 1, b"data", b"proof")


def test_names_may_be_written_in_lower_camel_case():
    camel = {"revisionNumber": 1, "revisionHeight": 2}
    assert packet_of(timeout_height=camel).timeout_height_on_b == (1, 2)
    assert value_of(signer="a").signer == "a"
    both = {"revision_height": "5", "revisionHeight": "6"}
    assert packet_of(timeout_height=both).timeout_height_on_b == (0, 6)
    assert packet_of(timeout_height={"revision_height": "5", "revisionHeight": None}).timeout_height_on_b == (
        0,
        0,
    )


@pytest.mark.parametrize(("told", "number"), [("7", 7), (7, 7), ("0", 0), (None, 0), (2**64 - 1, 2**64 - 1)])
def test_numbers_come_bare_and_quoted(told, number):
    assert packet_of(sequence=told).sequence == number


def order_of(told):
    made = {
        "@type": MsgChannelOpenInit.TYPE_URL,
        "channel": {"ordering": told, "connection_hops": ["a", None]},
    }
    return read_msg_json(json.dumps(made), MESSAGES)


def test_enums_come_by_name_and_by_number():
    assert order_of("ORDER_ORDERED").channel.ordering == order_of(2).channel.ordering == 2
    assert order_of(9).channel.ordering == 0  # as on the wire: no order of ours
    assert order_of(1).channel.connection_hops == ("a", "")


def test_the_last_of_two_members_of_one_name_counts():
    text = json.dumps(WHOLE)[:-1] + ', "signer": "the last"}'
    assert read_msg_json(text, MESSAGES).signer == "the last"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"nobody": 1}, "nobody: .* is no field of ibc.core.channel.v1.MsgRecvPacket"),
        ({"Signer": "a"}, "Signer: .* is no field"),
        ({"packet": []}, "packet: .* is not an object"),
        ({"packet": {"sequence": 1.0}}, "packet.sequence: .* is no number"),
        ({"packet": {"sequence": "1e3"}}, "packet.sequence: .* is no number"),
        ({"packet": {"sequence": "01"}}, "packet.sequence: .* is no number"),
        ({"packet": {"sequence": "-0"}}, "packet.sequence: .* is no number"),
        ({"packet": {"sequence": -1}}, "packet.sequence: .* is no number"),
        ({"packet": {"sequence": 2**64}}, "packet.sequence: .* is no number"),
        ({"packet": {"sequence": "9" * 5000}}, "packet.sequence: .* is no number"),
        ({"packet": {"sequence": True}}, "packet.sequence: .* is no number"),
        ({"packet": {"sequence": ""}}, "packet.sequence: .* is no number"),
        ({"packet": {"sequence": "\uff17"}}, "packet.sequence: .* is no number"),
        ({"packet": {"data": "ZGF0YQ"}}, "packet.data: .* is not base64"),
        ({"packet": {"data": "_-=="}}, "packet.data: .* is not base64"),
        ({"packet": {"data": 5}}, "packet.data: .* is not base64"),
        ({"signer": 5}, "signer: .* is no str"),
        ({"@type": "/nobody.Knows"}, "@type: .* is no known type"),
        ({"@type": RECV[1:]}, "@type: .* is no known type"),
        ({"@type": None}, "@type: .* is no known type"),
    ],
)
@pytest.mark.parametrize("form", [json.dumps, dict])
def test_what_does_not_fit_is_refused_by_name(form, changes, why):
    with pytest.raises(TxDecode, match=rf"^.*JSON: {why}"):
        read_msg_json(form(WHOLE | changes), MESSAGES)


@pytest.mark.parametrize("text", ["", "{", "[]", "5", "null", "\ufeff{}", '{"@type"}', "NaN", "\ud800"])
def test_what_is_no_object_is_refused_by_name(text):
    with pytest.raises(TxDecode, match="JSON: "):
        read_any(text)


@pytest.mark.parametrize(("start", "end"), [("[", "]"), ('{"a":', "}")])
@pytest.mark.parametrize("around", ["%s", '{"@type":"/ibc.core.channel.v1.MsgRecvPacket","signer":%s}'])
def test_d20_a_deep_value_is_refused_without_printing_it(start, end, around):
    """Deeper than Python's recursion goes, so that its text could not be made."""
    with pytest.raises(TxDecode) as refused:
        read_any(around % (start * 5000 + "1" + end * 5000))
    assert len(str(refused.value)) < 200


def test_a_message_that_nobody_handles_is_another_refusal():
    with pytest.raises(UnknownMessage):
        read_msg_json({"@type": "/cosmos.bank.v1beta1.MsgSend"}, MESSAGES)


def test_what_the_wire_refuses_is_refused_here():
    """Anys of a kind that their field does not take."""
    state = write_any(anys.pack(tendermint_pb2.ConsensusState()))
    with pytest.raises(TxDecode, match="no known client state"):
        read_msg_json({"@type": MsgCreateClient.TYPE_URL, "client_state": state}, MESSAGES)


def test_a_sequence_left_open_stays_open():
    left_open = {"@type": MsgQueueSend.TYPE_URL}
    assert read_msg_json(left_open, MESSAGES).sequence is None
    assert write_msg_json(read_msg_json(left_open, MESSAGES))["sequence"] is None
    assert read_msg_json(left_open | {"sequence": 0}, MESSAGES).sequence == 0


def test_of_a_oneof_only_the_member_that_is_set_is_printed():
    """As gogoproto's jsonpb does; a validator's key in a header would print with null for the other kinds."""
    key = keys_pb2.PublicKey(ed25519=b"\1" * 32)
    assert to_json(key) == {"ed25519": b64encode(b"\1" * 32).decode()}
    assert to_json(keys_pb2.PublicKey()) == {}
    assert read_exactly(keys_pb2.PublicKey, json.dumps(to_json(key)).encode()) == key
    with pytest.raises(TxDecode, match="prints otherwise"):
        read_exactly(keys_pb2.PublicKey, json.dumps(to_json(key) | {"secp256k1": None}).encode())


def test_anys_of_well_known_types_have_their_value_beside_the_type():
    packed = anys.pack(duration_pb2.Duration(seconds=3))
    assert write_any(packed) == {"@type": "/google.protobuf.Duration", "value": "3s"}
    assert read_any(write_any(packed)) == packed
    for value in (None, 3, "3"):
        with pytest.raises(TxDecode, match="is no Duration"):
            read_any({"@type": "/google.protobuf.Duration", "value": value})


@pytest.mark.parametrize("depth", [8, 5000])
def test_anys_inside_anys_end_somewhere(depth):
    key = '{"@type": "/cosmos.crypto.multisig.LegacyAminoPubKey", "public_keys": ['
    text = key * depth + "]}" * depth
    if depth > 10:
        with pytest.raises(TxDecode, match="more than 10 Anys"):
            read_any(text)
        return
    found = multisig.LegacyAminoPubKey.FromString(read_any(text).value)
    assert found.public_keys[0].type_url == "/cosmos.crypto.multisig.LegacyAminoPubKey"


def test_an_any_of_an_unknown_type_has_no_json():
    with pytest.raises(Unprintable):
        write_any(AnyMessage("/nobody.Knows", b""))
    with pytest.raises(Unprintable):
        write_any(AnyMessage(RECV, b"\xff"))
    assert write_any(AnyMessage(RECV, tx_pb2.MsgRecvPacket(signer="a").SerializeToString()))["signer"] == "a"


def test_bytes_that_are_empty_are_null_but_in_lists():
    """A slice that is nil in Go, as every empty field is that was read from protobuf."""
    proof = AttestationProof(signatures=[b"", b"s"])
    assert to_json(proof) == {"attestation_data": None, "signatures": ["", "cw=="]}
    assert from_json(AttestationProof, to_json(proof), "proof") == proof
    assert from_json(AttestationProof, {"attestation_data": ""}, "proof") == AttestationProof()


def test_a_hash_that_go_holds_as_hexadecimal():
    state = ConsensusState(next_validators_hash=b"\xab\x01")
    assert to_json(state)["next_validators_hash"] == "AB01"
    for spelt in ("AB01", "ab01"):
        assert from_json(ConsensusState, {"next_validators_hash": spelt}, "state") == state
    for spelt in ("A", "qwE=", "0xAB", " AB01", 5, ["AB"]):
        with pytest.raises(InvalidGenesis, match="is not hexadecimal"):
            from_json(ConsensusState, {"next_validators_hash": spelt}, "state")
