"""Our relayer on ordered channels between our chain and ibc-go's: its mock application and its ICS-27."""

from contextlib import ExitStack

import pytest

from conformance.peers.chain import sent_packets
from conformance.peers.ordered import MsgSay, say
from pyibc.codec.anys import AnyMessage
from pyibc.core import paths
from pyibc.core.channel.types import ChannelState, Order
from pyibc.relayer.paths.discovery import known_path
from pyibc.relayer.paths.ends import channel_end
from pyibc.relayer.paths.handshake import event_attribute

pytestmark = pytest.mark.interop

SECOND = 10**9
CONTROLLER = "/ibc.applications.interchain_accounts.controller.v1."


def varint(number):
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + varint(number >> 7)


def field(number, value):
    """A protobuf field, of a message for which we have no class."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    raw = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(raw)) + raw


@pytest.fixture(scope="module", params=["python-go", "comet-go"])
def pair(request, open_pair, tmp_path_factory):
    """Ours, and ibc-go's."""
    with ExitStack() as stack:
        folder = tmp_path_factory.mktemp("ordered")
        yield open_pair(stack, folder, request.param, plugins=["conformance.peers.ordered:plugins"])


def states(pair, path):
    return [
        channel_end(chain.as_user("relayer"), end.port_id, end.channel_id).state
        for chain, end in ((pair.a, path.a), (pair.b, path.b))
    ]


def send_words(pair, path, *words, timeout_ns):
    signer = pair.a.address("alice")
    messages = [say(MsgSay(signer, path.a.channel_id, word, timeout_ns=timeout_ns)) for word in words]
    outcome = pair.a.submit("alice", messages)
    assert outcome.code == 0, outcome.log
    return sent_packets(outcome)


def acks_of(chain, packets):
    return [
        chain.as_user("relayer").get(
            paths.packet_acknowledgement_path(p.port_id_on_b, p.channel_id_on_b, p.sequence)
        )
        for p in packets
    ]


def next_recv(chain, end):
    raw = chain.as_user("relayer").get(paths.next_sequence_recv_path(end.port_id, end.channel_id))
    return int.from_bytes(raw, "big")


def test_packets_of_ours_arrive_in_order_and_a_late_one_closes_the_channel(pair):
    path = pair.open(Order.ORDERED, ("mock", "mock"), "mock-version", new_channel=True)
    far = pair.a.as_user("relayer").tip().time_ns + 600 * SECOND
    sent = send_words(pair, path, "mock packet data", "other data", "mock packet data", timeout_ns=far)
    told = pair.relay(path)
    assert (told.delivered, told.acknowledged, told.refused) == (3, 3, 0)
    assert None not in acks_of(pair.b, sent)
    assert next_recv(pair.b, path.b) == 4
    soon = pair.b.as_user("relayer").tip().time_ns + 2 * SECOND
    late = send_words(pair, path, "mock packet data", "mock packet data", timeout_ns=soon)
    pair.b.as_user("relayer").wait(pair.b.as_user("relayer").tip().height + 7)
    told = pair.relay(path)
    assert (told.delivered, told.timed_out, told.refused) == (0, 2, 0)
    assert states(pair, path) == [ChannelState.CLOSED, ChannelState.CLOSED]
    assert acks_of(pair.b, late) == [None, None]


@pytest.fixture(scope="module")
def ordered_account(pair):
    """An interchain account of the go chain's alice on ours, over an ordered channel; its path from there."""
    back = pair.turned()
    path = pair.open(Order.ORDERED, ("mock", "mock"), "mock-version", new_channel=True)
    owner = back.a.address("alice")
    register = field(1, owner) + field(2, path.b.connection_id) + field(4, 2)
    outcome = back.a.submit("alice", [AnyMessage(CONTROLLER + "MsgRegisterInterchainAccount", register)])
    assert outcome.code == 0, outcome.log
    channel_id = event_attribute(outcome, "channel_open_init", "channel_id")
    return known_path(*back.ends, f"icacontroller-{owner}", channel_id)


def send_ica(pair, path, count, seconds):
    owner = pair.b.address("alice")
    data = field(1, 1) + field(2, field(1, field(1, "/some.Message")))
    message = field(1, owner) + field(2, path.a.connection_id) + field(3, data) + field(4, seconds * SECOND)
    outcome = pair.b.submit("alice", [AnyMessage(CONTROLLER + "MsgSendTx", message)] * count)
    assert outcome.code == 0, outcome.log
    return sent_packets(outcome)


def test_an_interchain_account_of_ibc_go_sends_to_us_in_order(pair, ordered_account):
    path, back = ordered_account, pair.turned()
    assert path.order == Order.ORDERED
    assert '"address":"accountchannel' in path.version
    sent = send_ica(pair, path, 3, 600)
    told = back.relay(path)
    assert (told.delivered, told.acknowledged, told.refused) == (3, 3, 0)
    assert None not in acks_of(pair.a, sent)
    assert next_recv(pair.a, path.b) == 4


def test_a_late_packet_of_ibc_go_closes_its_end_and_then_ours(pair, ordered_account):
    path, back = ordered_account, pair.turned()
    send_ica(pair, path, 2, 2)
    pair.a.as_user("relayer").wait(pair.a.as_user("relayer").tip().height + 7)
    told = back.relay(path)
    assert (told.delivered, told.timed_out, told.refused) == (0, 2, 0)
    assert states(back, path) == [ChannelState.CLOSED, ChannelState.CLOSED]
    assert known_path(*back.ends, path.a.port_id, path.a.channel_id)[:2] == path[:2]
