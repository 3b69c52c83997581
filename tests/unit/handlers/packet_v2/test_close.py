"""Chain A is done with a packet: acknowledged, or timed out."""

import pytest

from pyibc.core.errors import (
    ClientCounterpartyNotFound,
    ConsensusStateNotFound,
    InvalidAcknowledgementV2,
    InvalidAddress,
    InvalidClientCounterparty,
    InvalidPacketV2,
    InvalidPayload,
    InvalidProof,
    InvalidRoute,
    TimeoutNotReachedV2,
    Unauthorized,
)
from pyibc.core.height import Height
from pyibc.core.packet_v2.messages import MsgAcknowledgementV2, MsgTimeoutV2
from pyibc.core.packet_v2.types import SENTINEL
from pyibc.core.wire.message import encode_msg

NOOP, SUCCESS = b"\x08\x01", b"\x08\x02"


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


ROWS = [
    ({"client_id_on_a": "99-believer-1"}, ClientCounterpartyNotFound),
    ({"client_id_on_b": "99-believer-8"}, InvalidClientCounterparty),
    ({"proof": b"bad"}, InvalidProof),
    ({"proof": b""}, InvalidProof),
    ({"signer": "x"}, InvalidAddress),
    ({"timeout_s_on_b": 1}, InvalidPacketV2),
    ({"payloads": ()}, InvalidPayload),
]


@pytest.mark.parametrize(("changes", "error"), ROWS)
def test_refused_acknowledgements(sent, acknowledge, changes, error):
    sent.refuses(error, *acknowledge(**changes))


@pytest.mark.parametrize(("changes", "error"), ROWS)
def test_refused_timeouts(late, timeout, changes, error):
    late.refuses(error, *timeout(**changes))


@pytest.mark.parametrize("answer", [(), (b"",), (b"x", b"y"), (b"x", SENTINEL)])
def test_malformed_answers(sent, acknowledge, answer):
    sent.refuses(InvalidAcknowledgementV2, *acknowledge(answer=answer))


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


def test_an_unknown_height(late, timeout):
    late.refuses(ConsensusStateNotFound, *timeout(height=Height(1, 11)))


def test_only_allowed_relayers(late, kit, acknowledge, timeout):
    late.keepers.v2.clients.set_allowed_relayers(late.ctx, kit.OURS, (late.bob.text,))
    late.ctx.take_events()
    late.refuses(Unauthorized, *acknowledge())
    late.refuses(Unauthorized, *timeout())
    late.deliver(*timeout(signer=late.bob.text))


def test_no_application(late, kit, acknowledge, timeout):
    gone = {"payloads": (kit.payload("nobody"),)}
    late.keepers.v2.packets.commit(late.ctx, kit.outgoing(**gone))
    late.ctx.take_events()
    late.refuses(InvalidRoute, *acknowledge(**gone))
    late.refuses(InvalidRoute, *timeout(**gone))


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
