"""Packets of IBC v2: what is committed to, and what is well-formed."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyibc.core.errors import InvalidAcknowledgementV2, InvalidIdentifier, InvalidPacketV2, InvalidPayload
from pyibc.core.packet_v2.types import (
    SENTINEL,
    PacketV2,
    Payload,
    acknowledgement_commitment,
    check_acknowledgement,
    packet_commitment,
)
from tests.sampling import rounds

JSON = b'{"denom":"uatom","amount":"1000000","sender":"sender","receiver":"receiver","memo":"memo"}'
TRANSFER = Payload("transfer", "transfer", "ics20-1", "application/json", JSON)
PACKET = PacketV2(1, "07-tendermint-0", "07-tendermint-1", 100, (TRANSFER,))


def test_commitments_are_ibc_gos():
    assert packet_commitment(PACKET).hex() == (
        "a096722aa6534040a0efbdae05765132a7b223ad306d6512f3734821bd046505"
    )
    assert SENTINEL.hex() == "4774d4a575993f963b1c06573736617a457abef8589178db8d10c94b4ab511ab"
    assert acknowledgement_commitment((b"some bytes",)).hex() == (
        "f03b4667413e56aaf086663267913e525c442b56fa1af4fa3f3dab9f37044c5b"
    )
    assert acknowledgement_commitment((SENTINEL,)).hex() == (
        "e2fb30dfbf7abdeaca82d426534d2b3a9d5444dd2a87fa16d38b77ba1a13ced7"
    )


TEXTS = st.text("abc", max_size=2)
PAYLOADS = st.builds(Payload, TEXTS, TEXTS, TEXTS, TEXTS, st.binary(max_size=2))
PACKETS = st.builds(
    PacketV2, st.just(1), st.just("a"), TEXTS, st.integers(0, 3), st.lists(PAYLOADS, max_size=2).map(tuple)
)


@settings(deadline=None, max_examples=rounds(50, 200))
@given(PACKETS, PACKETS)
def test_h33_other_packets_have_other_commitments(one, two):
    assert (packet_commitment(one) == packet_commitment(two)) == (one == two)


OTHER_PACKETS = {
    "client": replace(PACKET, client_id_on_b="07-tendermint-2"),
    "timeout": replace(PACKET, timeout_s_on_b=101),
    "a payload more": replace(PACKET, payloads=(TRANSFER, TRANSFER)),
    "no payload": replace(PACKET, payloads=()),
    "port on A": replace(PACKET, payloads=(replace(TRANSFER, port_id_on_a="other"),)),
    "port on B": replace(PACKET, payloads=(replace(TRANSFER, port_id_on_b="other"),)),
    "version": replace(PACKET, payloads=(replace(TRANSFER, version="ics20-2"),)),
    "encoding": replace(PACKET, payloads=(replace(TRANSFER, encoding="application/x-protobuf"),)),
    "value": replace(PACKET, payloads=(replace(TRANSFER, value=JSON + b" "),)),
}


def test_h33_every_field_of_a_packet_and_its_payloads_is_in_the_commitment():
    """But for sequence and client on A, which its path holds."""
    found = {name: packet_commitment(packet) for name, packet in {"": PACKET, **OTHER_PACKETS}.items()}
    assert len(set(found.values())) == len(found)
    assert packet_commitment(replace(PACKET, sequence=2, client_id_on_a="07-tendermint-9")) == found[""]


@settings(deadline=None, max_examples=rounds(50, 200))
@given(*[st.lists(st.binary(max_size=2), max_size=3).map(tuple)] * 2)
def test_h33_other_acknowledgements_have_other_commitments(one, two):
    assert (acknowledgement_commitment(one) == acknowledgement_commitment(two)) == (one == two)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"sequence": 0}, InvalidPacketV2),
        ({"timeout_s_on_b": 0}, InvalidPacketV2),
        ({"client_id_on_a": "client7"}, InvalidIdentifier),
        ({"client_id_on_b": "x" * 65}, InvalidIdentifier),
        ({"payloads": ()}, InvalidPayload),
        ({"payloads": (TRANSFER, TRANSFER)}, InvalidPayload),
        ({"payloads": (replace(TRANSFER, version="\u2003"),)}, InvalidPayload),
    ],
)
def test_malformed_packets(changes, error):
    with pytest.raises(error):
        replace(PACKET, **changes).validate_basic(several=False)


def test_well_formed_packets():
    PACKET.validate_basic(several=False)
    replace(PACKET, payloads=(TRANSFER, TRANSFER)).validate_basic(several=True)
    replace(PACKET, client_id_on_a="client-7").validate_basic(several=False)


@pytest.mark.parametrize(
    ("answer", "several"),
    [((), True), ((b"",), False), ((b"x", b"y"), False), ((b"x", SENTINEL), True), ((b"x", b""), True)],
)
def test_malformed_acknowledgements(answer, several):
    with pytest.raises(InvalidAcknowledgementV2):
        check_acknowledgement(answer, several=several)


@pytest.mark.parametrize(("answer", "several"), [((SENTINEL,), False), ((b"x", b"y"), True)])
def test_well_formed_acknowledgements(answer, several):
    check_acknowledgement(answer, several=several)
