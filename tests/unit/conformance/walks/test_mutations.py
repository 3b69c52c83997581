"""What spoils messages: it spoils, never fails, and keeps away from what is stricter here on purpose."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.kit.encode import to_any
from conformance.kit.known import MESSAGES
from conformance.walks.choices import Choices
from conformance.walks.mutations import proto_fields, raw_bytes, semantic
from conformance.walks.mutations.stricter import is_stricter_here
from light_client.tendermint import states
from light_client.tendermint.states import ClientState, ConsensusState
from light_client.tendermint.verifier import TrustLevel
from pyibc.apps.transfer import packet_data
from pyibc.apps.transfer.denom import native
from pyibc.codec.anys import AnyMessage
from pyibc.core.client.messages import MsgCreateClient
from pyibc.core.height import Height
from pyibc.core.packet_v2.messages import MsgSendPacket
from pyibc.core.packet_v2.types import ABI, PROTOBUF, Payload
from pyibc.core.wire.columns import FieldKind
from pyibc.core.wire.message import pack_msg
from pyibc.proto.ibc.core.client.v1 import tx_pb2
from tests.sampling import rounds

STATE = ClientState("far-1", TrustLevel(1, 3), 10, 20, 5, Height(1, 7))
CONSENSUS = ConsensusState(10**18, b"r" * 32, b"n" * 32)


def create(state):
    packed = (
        AnyMessage(states.CLIENT_STATE_TYPE_URL, states.encode_client_state(state)),
        AnyMessage(states.CONSENSUS_STATE_TYPE_URL, states.encode_consensus_state(CONSENSUS)),
    )
    return pack_msg(MsgCreateClient(*packed, "nobody"))


HONEST = create(STATE)


def drawn(data):
    return Choices(lambda limit: data.draw(st.integers(0, limit - 1)))


@settings(max_examples=rounds(25, 100), deadline=None)
@given(st.data(), st.binary(max_size=60))
def test_any_bytes_are_mutated(data, raw):
    assert isinstance(raw_bytes.mutate(drawn(data), raw), bytes)
    assert isinstance(proto_fields.mutate(drawn(data), raw), bytes)


@settings(max_examples=rounds(25, 100), deadline=None)
@given(st.data())
def test_a_mutated_field_leaves_fields_that_read(data):
    assert isinstance(proto_fields.mutate(drawn(data), HONEST.value), bytes)


def test_fields_are_taken_apart_and_joined():
    assert proto_fields.join(proto_fields.fields(HONEST.value)) == HONEST.value
    assert proto_fields.fields(b"") is None
    assert proto_fields.fields(b"\x0a\x05ab") is None


@pytest.mark.parametrize("cls", MESSAGES.values(), ids=lambda cls: cls.__name__)
def test_signers_and_proofs_of_every_message_are_known(cls):
    """By the tables: a proof that a table calls plain bytes would never be exchanged for another."""
    message = cls.TABLE.wire()
    known = semantic.columns(message)
    assert [column.path for column in known if column.kind is FieldKind.SIGNER] == [cls.SIGNER]
    dropped = {"proof_client", "proof_consensus"}  # of a handshake, which nobody reads
    named = {field.name for field in message.DESCRIPTOR.fields if field.name.startswith("proof")}
    proofs = {column.path for column in known if column.kind is FieldKind.PROOF}
    assert proofs == named - dropped - {"proof_height"}


def test_a_message_of_nobody_has_no_columns():
    assert semantic.columns(tx_pb2.MsgCreateClientResponse()) == ()


def test_text_that_is_not_utf8_is_told_outside_of_anys_only():
    strange = create(STATE._replace(chain_id="fa?-1"))
    inside = AnyMessage(MsgCreateClient.TYPE_URL, strange.value.replace(b"fa?-1", b"fa\xff-1"))
    assert is_stricter_here(inside)
    outside = tx_pb2.MsgCreateClient(signer="?").SerializeToString().replace(b"?", b"\xff")
    assert not is_stricter_here(AnyMessage(MsgCreateClient.TYPE_URL, outside))


@pytest.mark.parametrize("encoding", [PROTOBUF, ABI])
def test_transfers_of_strange_coins_are_not_told(encoding):
    def sent(raw_bytes):
        payload = Payload("transfer", "transfer", "ics20-1", encoding, raw_bytes)
        return to_any(MsgSendPacket("07-tendermint-0", 7, (payload,), "nobody"))

    honest = packet_data.encode_payload(packet_data.make(native("stake"), 5, "from", "to", ""), encoding)
    assert is_stricter_here(sent(honest.replace(b"stake", b"st\xffke")))
    assert not is_stricter_here(sent(honest[:-1]))
    assert not is_stricter_here(sent(honest))
