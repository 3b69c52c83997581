"""Chain B receives between clients, and answers at once or later."""

import pytest

from pyibc.core.application.v2 import PayloadAnswer
from pyibc.core.errors import (
    AcknowledgementExistsV2,
    ClientCounterpartyNotFound,
    InvalidAcknowledgementV2,
    InvalidAddress,
    InvalidClientCounterparty,
    InvalidPacketV2,
    InvalidPayload,
    InvalidProof,
    TimeoutElapsedV2,
)
from pyibc.core.packet_v2.messages import MsgRecvPacketV2
from pyibc.core.packet_v2.types import SENTINEL, acknowledgement_commitment
from pyibc.core.wire.message import encode_msg

SUCCESS = b"\x08\x02"


@pytest.fixture
def recv(chain, kit):
    def message(proof=kit.GOOD, signer=None, **changes):
        packet = kit.incoming(**changes)
        signer = chain.alice.text if signer is None else signer
        return MsgRecvPacketV2.TYPE_URL, encode_msg(MsgRecvPacketV2(packet, proof, kit.HEIGHT, signer))

    return message


def key(kit, kind, sequence=3):
    return kit.OURS.encode() + kind + sequence.to_bytes(8, "big")


def names(events):
    return [name for name, _ in events]


def test_h4_a_failed_application_is_undone_and_chain_a_learns_no_more(chain, kit, recv):
    chain.one.answer = PayloadAnswer(success=False, data=b"why")
    response, events = chain.deliver(*recv())
    assert response == SUCCESS
    ibc, app = chain.state()
    assert ibc[key(kit, b"\x02")] == b"\x02"
    assert ibc[key(kit, b"\x03")] == acknowledgement_commitment((SENTINEL,))
    assert app == {}
    prefix = "ibccallbackerror-"
    assert names(events) == [
        "recv_packet",
        "message",
        f"{prefix}recv_packet",
        f"{prefix}message",
        f"{prefix}app",
        "write_acknowledgement",
        "message",
    ]
    assert events[4][1] == ((f"{prefix}call", "recv"),)


def test_h15_it_may_be_too_late_by_the_second(chain, kit, recv):
    error = chain.refuses(TimeoutElapsedV2, *recv(timeout_s_on_b=kit.NOW_S))
    assert (error.timeout_s, error.time_s) == (kit.NOW_S, kit.NOW_S)
    chain.deliver(*recv(timeout_s_on_b=kit.NOW_S + 1))


@pytest.mark.parametrize("data", [SENTINEL, b""])
def test_a_success_that_is_none(chain, recv, data):
    chain.one.answer = PayloadAnswer(success=True, data=data)
    chain.refuses(InvalidAcknowledgementV2, *recv())


# -- answered later


@pytest.fixture
def slow(chain, recv):
    chain.one.answer = None
    chain.deliver(*recv())
    return chain


@pytest.mark.parametrize(
    ("sequence", "answer"), [(4, (b"x",)), (3, ()), (3, (b"",)), (3, (b"x", b"y")), (3, (b"x", SENTINEL))]
)
def test_later_answers_that_do_not_fit(slow, kit, sequence, answer):
    before = slow.state()
    with pytest.raises(InvalidAcknowledgementV2):
        slow.sender.write_acknowledgement(slow.ctx, kit.OURS, sequence, answer)
    assert slow.state() == before


# -- several payloads


def test_all_applications_succeed_or_none(several, kit, recv):
    both = recv(payloads=(kit.payload(), kit.payload("two")))
    several.two.answer = PayloadAnswer(success=False)
    several.deliver(*both)
    ibc, app = several.state()
    assert app == {}
    assert ibc[key(kit, b"\x03")] == acknowledgement_commitment((SENTINEL,))


def test_each_payload_has_its_answer(several, kit, recv):
    several.two.answer = PayloadAnswer(success=True, data=b"also")
    several.deliver(*recv(payloads=(kit.payload(), kit.payload("two"))))
    assert several.state()[0][key(kit, b"\x03")] == acknowledgement_commitment((b"done", b"also"))


def test_several_payloads_cannot_wait(several, kit, recv):
    several.two.answer = None
    several.refuses(InvalidPacketV2, *recv(payloads=(kit.payload(), kit.payload("two"))))


def test_several_payloads_are_refused_by_default(chain, kit, recv):
    chain.refuses(InvalidPayload, *recv(payloads=(kit.payload(), kit.payload("two"))))


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"client_id_on_b": "99-believer-1"}, ClientCounterpartyNotFound),
        ({"client_id_on_a": "99-believer-8"}, InvalidClientCounterparty),
        ({"proof": b"bad"}, InvalidProof),
        ({"proof": b""}, InvalidProof),
        ({"signer": "x"}, InvalidAddress),
        ({"sequence": 0}, InvalidPacketV2),
        ({"timeout_s_on_b": 0}, InvalidPacketV2),
        ({"payloads": ()}, InvalidPayload),
    ],
)
def test_refusals(chain, recv, changes, error):
    chain.refuses(error, *recv(**changes))


def test_one_answer_is_enough(slow, kit):
    slow.keepers.v2.packets.set_acknowledgement(slow.ctx, kit.incoming(), (b"x",))
    with pytest.raises(AcknowledgementExistsV2):
        slow.sender.write_acknowledgement(slow.ctx, kit.OURS, 3, (b"y",))
