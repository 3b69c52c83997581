"""Chain A sends between clients."""

import pytest

from pyibc.core.errors import (
    InvalidPacketV2,
    InvalidPayload,
    InvalidTimeoutV2,
    TimeoutElapsedV2,
)
from pyibc.core.packet_v2.messages import MsgSendPacket
from pyibc.core.packet_v2.types import MAX_PAYLOADS_SIZE
from pyibc.core.wire.message import encode_msg

DAY = 24 * 3600


@pytest.fixture
def send(chain, kit):
    def message(**changes):
        fields = {
            "client_id_on_a": kit.OURS,
            "timeout_s_on_b": kit.NOW_S + 100,
            "payloads": (kit.payload(),),
            "signer": chain.alice.text,
        }
        return MsgSendPacket.TYPE_URL, encode_msg(MsgSendPacket(**fields | changes))

    return message


@pytest.mark.parametrize(("seconds", "error"), [(0, TimeoutElapsedV2), (DAY + 1, InvalidTimeoutV2)])
def test_h15_timeouts_count_from_the_block(chain, kit, send, seconds, error):
    chain.refuses(error, *send(timeout_s_on_b=kit.NOW_S + seconds))


def test_a_timeout_at_the_block_is_elapsed(chain, kit, send):
    chain.client.time_s = kit.NOW_S - 10
    chain.ctx.time_ns = kit.NOW_S * 10**9
    chain.refuses(TimeoutElapsedV2, *send(timeout_s_on_b=kit.NOW_S))


@pytest.mark.parametrize("seconds", [1, DAY])
def test_timeouts_within_a_day(chain, kit, send, seconds):
    chain.client.time_s = kit.NOW_S - 10
    chain.deliver(*send(timeout_s_on_b=kit.NOW_S + seconds))


def test_the_other_chain_must_not_be_past_the_timeout(chain, kit, send):
    chain.client.time_s = kit.NOW_S + 100
    error = chain.refuses(TimeoutElapsedV2, *send())
    assert (error.timeout_s, error.time_s) == (kit.NOW_S + 100, kit.NOW_S + 100)
    chain.client.time_s -= 1
    chain.deliver(*send())


def test_the_largest_payload(chain, kit, send):
    chain.deliver(*send(payloads=(kit.payload(value=bytes(MAX_PAYLOADS_SIZE)),)))


def test_several_payloads_are_refused_unless_the_host_allows_them(chain, several, kit, send):
    both = send(payloads=(kit.payload(), kit.payload("two")))
    chain.refuses(InvalidPayload, *both)
    several.deliver(*both)
    assert [app.calls[0][4].port_id_on_a for app in (several.one, several.two)] == ["one", "two"]


def test_all_payloads_together_are_limited(several, kit, send):
    half = bytes(MAX_PAYLOADS_SIZE // 2)
    several.deliver(*send(payloads=(kit.payload(value=half), kit.payload("two", half))))
    too_much = send(payloads=(kit.payload(value=half), kit.payload("two", half + b"x")))
    several.refuses(InvalidPacketV2, *too_much)


def test_an_application_sends_as_a_transaction_does(chain, kit):
    send = chain.sender.send_packet
    assert send(chain.ctx, kit.OURS, kit.NOW_S + 100, (kit.payload(),), chain.bob) == 4
    assert chain.one.calls[0][-1] == chain.bob
    with pytest.raises(InvalidTimeoutV2):
        send(chain.ctx, kit.OURS, 0, (kit.payload(),), chain.bob)
