"""Chain A is done with a packet: acknowledged, or timed out."""

import pytest

from pyibc.core.errors import (
    InvalidAcknowledgementV2,
    InvalidPacketV2,
    TimeoutNotReachedV2,
)
from pyibc.core.packet_v2.messages import MsgAcknowledgementV2, MsgTimeoutV2
from pyibc.core.packet_v2.types import SENTINEL
from pyibc.core.wire.message import encode_msg


@pytest.fixture
def sent(chain, kit):
    """The chain, which has sent packet 3."""
    chain.keepers.v2.packets.commit(chain.ctx, kit.outgoing())
    chain.ctx.take_events()
    return chain


@pytest.fixture
def acknowledge(chain, kit):
    def message(proof=kit.GOOD, signer=None, answer=(b"done",), **changes):
        signer = chain.alice.text if signer is None else signer
        msg = MsgAcknowledgementV2(kit.outgoing(**changes), answer, proof, kit.HEIGHT, signer)
        return MsgAcknowledgementV2.TYPE_URL, encode_msg(msg)

    return message


@pytest.fixture
def timeout(chain, kit):
    def message(proof=kit.GOOD, signer=None, height=kit.HEIGHT, **changes):
        signer = chain.alice.text if signer is None else signer
        return MsgTimeoutV2.TYPE_URL, encode_msg(MsgTimeoutV2(kit.outgoing(**changes), proof, height, signer))

    return message


@pytest.fixture
def late(sent, kit):
    """The other chain is at the packet's timeout."""
    sent.client.time_s = kit.NOW_S + 100
    return sent


def test_the_other_chain_must_be_past_the_timeout(late, kit, timeout):
    late.client.time_s -= 1
    error = late.refuses(TimeoutNotReachedV2, *timeout())
    assert (error.timeout_s, error.time_s) == (kit.NOW_S + 100, kit.NOW_S + 99)


def test_a_clock_beyond_2_63_nanoseconds_is_past_every_timeout(sent, timeout):
    """As in ibc-go, where it is one before 1970 with seconds of 64 bits; then the packet is looked at."""
    sent.client.time_s = 2**63 // 10**9 - 1
    sent.refuses(TimeoutNotReachedV2, *timeout(timeout_s_on_b=2**63))
    sent.client.time_s += 1
    sent.refuses(InvalidPacketV2, *timeout(timeout_s_on_b=2**63))


# -- several payloads


@pytest.fixture
def both(several, kit):
    payloads = {"payloads": (kit.payload(), kit.payload("two"))}
    several.keepers.v2.packets.commit(several.ctx, kit.outgoing(**payloads))
    several.ctx.take_events()
    return payloads


def answers(several):
    return [app.calls[0][5] for app in (several.one, several.two)]


def test_each_application_gets_its_answer(several, acknowledge, both):
    several.deliver(*acknowledge(answer=(b"x", b"y"), **both))
    assert answers(several) == [b"x", b"y"]


def test_each_application_gets_the_sentinel(several, acknowledge, both):
    several.deliver(*acknowledge(answer=(SENTINEL,), **both))
    assert answers(several) == [SENTINEL, SENTINEL]


@pytest.mark.parametrize("answer", [(b"x",), (b"x", b"y", b"z"), (SENTINEL, b"y")])
def test_another_number_of_answers(several, acknowledge, both, answer):
    several.refuses(InvalidAcknowledgementV2, *acknowledge(answer=answer, **both))


def test_each_application_takes_its_payload_back(several, kit, timeout, both):
    several.client.time_s = kit.NOW_S + 100
    several.deliver(*timeout(**both))
    assert [app.calls[0][0] for app in (several.one, several.two)] == ["timeout", "timeout"]
