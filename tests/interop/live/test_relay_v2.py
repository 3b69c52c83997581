"""IBC v2, from client to client, between chains of ours and of ibc-go: coins go there and come home."""

from contextlib import closing

import pytest

from conformance.peers.chain import sent_packets_v2
from pyibc.apps.transfer import packet_data
from pyibc.apps.transfer.denom import native
from pyibc.core import paths
from pyibc.core.coin import coin
from pyibc.core.packet_v2.messages import MsgSendPacket
from pyibc.core.packet_v2.types import ABI, JSON, NS_PER_S, PROTOBUF, Payload
from pyibc.core.wire.message import pack_msg
from pyibc.proto.ibc.core.channel.v2 import query_pb2
from pyibc.relayer.links.link import Link
from pyibc.relayer.paths.open_path import known_client_path, make_client_path
from pyibc.testing.transfers import abroad

pytestmark = pytest.mark.interop
UNIVERSAL_ERROR = "4774d4a575993f963b1c06573736617a457abef8589178db8d10c94b4ab511ab"


def pair_of_clients(pair):
    return make_client_path(*pair.ends)


def ways(pair, path):
    return (pair, path.a, path.b), (pair.turned(), path.b, path.a)


def submit(chain, messages):
    outcome = chain.submit("alice", messages)
    assert outcome.code == 0, outcome.log
    return sent_packets_v2(outcome)


def send(chain, end, coins, receiver, **more):
    """MsgTransfers in one transaction; their packets."""
    return submit(chain, [chain.transfer("alice", end, each, receiver, **more) for each in coins])


def standing(chain, packets):
    keys = [paths.packet_commitment_v2_path(p.client_id_on_a, p.sequence) for p in packets]
    return [key for key in keys if chain.as_user("relayer").get(key) is not None]


def test_coins_go_there_and_come_home(pair):
    path = pair_of_clients(pair)
    assert make_client_path(*pair.ends) == known_client_path(*pair.ends, path.a.client_id) == path
    for side, near, far in ways(pair, path):
        name = abroad("stake", far).coin_denom
        alice, bob = side.a.balance("alice", "stake"), side.b.balance("bob", name)
        there = send(side.a, near, [coin("stake", 700), coin("stake", 300)], side.b.address("bob"))
        assert len(standing(side.a, there)) == 2
        told = pair.relay(path)
        assert (told.delivered, told.acknowledged, told.timed_out, told.refused) == (2, 2, 0, 0)
        assert side.a.balance("alice", "stake") == alice - 1000
        assert side.b.balance("bob", name) == bob + 1000
        home = [side.b.transfer("bob", far, coin(name, 400), side.a.address("alice"))]
        outcome = side.b.submit("bob", home)
        assert outcome.code == 0, outcome.log
        pair.relay(path)
        assert side.a.balance("alice", "stake") == alice - 600
        assert side.b.balance("bob", name) == bob + 600 == side.b.supply(name)
        assert standing(side.a, there) == standing(side.b, sent_packets_v2(outcome)) == []


@pytest.mark.parametrize("encoding", [JSON, PROTOBUF, ABI])
def test_payloads_that_users_send_themselves(pair, encoding):
    """MsgSendPacket, with ICS-20's data in every encoding that ibc-go knows."""
    path = pair_of_clients(pair)
    for side, near, far in ways(pair, path):
        name = abroad("stake", far).coin_denom
        bob = side.b.balance("bob", name)
        data = packet_data.make(native("stake"), 11, side.a.address("alice"), side.b.address("bob"), "a memo")
        payload = Payload(
            "transfer", "transfer", "ics20-1", encoding, packet_data.encode_payload(data, encoding)
        )
        until_s = side.a.as_user("relayer").tip().time_ns // NS_PER_S + 600
        message = MsgSendPacket(near.client_id, until_s, (payload,), side.a.address("alice"))
        sent = submit(side.a, [pack_msg(message)])
        assert sent[0].payloads == (payload,)
        told = pair.relay(path)
        assert (told.delivered, told.acknowledged, told.refused) == (1, 1, 0)
        assert side.b.balance("bob", name) == bob + 11
        assert standing(side.a, sent) == []


def test_a_packet_that_comes_too_late_is_refunded(pair):
    path = pair_of_clients(pair)
    for side, near, _ in ways(pair, path):
        alice = side.a.balance("alice", "stake")
        tip = side.b.as_user("relayer").tip()
        until_s = side.a.as_user("relayer").tip().time_ns // NS_PER_S + 3
        sent = send(side.a, near, [coin("stake", 9)] * 3, side.b.address("bob"), until=until_s)
        assert side.a.balance("alice", "stake") == alice - 27
        side.b.as_user("relayer").wait(tip.height + 10)
        told = pair.relay(path)
        assert (told.delivered, told.timed_out, told.refused) == (0, 3, 0)
        assert side.a.balance("alice", "stake") == alice
        assert standing(side.a, sent) == []


def test_a_refusal_comes_back_as_the_universal_error_and_the_coins_with_it(pair):
    path = pair_of_clients(pair)
    for side, near, _ in ways(pair, path):
        alice, height = side.a.balance("alice", "stake"), side.b.as_user("relayer").tip().height
        sent = send(side.a, near, [coin("stake", 5)], "nobody")
        told = pair.relay(path)
        assert (told.delivered, told.acknowledged, told.refused) == (1, 1, 0)
        assert side.a.balance("alice", "stake") == alice
        assert standing(side.a, sent) == []
        assert any(UNIVERSAL_ERROR in each for each in acknowledgements(side.b, height))


def acknowledgements(chain, after):
    """What a chain wrote since a block, in hexadecimal."""
    endpoint = chain.as_user("relayer")
    for height in range(after + 1, endpoint.tip().height + 1):
        for outcome in endpoint.block(height).txs:
            for kind, attributes in outcome.events:
                if kind == "write_acknowledgement":
                    yield dict(attributes)["encoded_acknowledgement_hex"]


def test_a_hundred_packets_in_one_transaction_need_few(pair):
    path = pair_of_clients(pair)
    for side, near, far in ways(pair, path):
        name = abroad("stake", far).coin_denom
        bob = side.b.balance("bob", name)
        send(side.a, near, [coin("stake", 1)] * 100, side.b.address("bob"))
        told = pair.relay(path)
        assert (told.delivered, told.acknowledged, told.refused) == (100, 100, 0)
        assert told.transactions <= 10
        assert side.b.balance("bob", name) == bob + 100


def test_a_channel_and_a_pair_of_clients_in_one_link(pair):
    channel, path = pair.open(), pair_of_clients(pair)
    assert (channel.a.client_id, channel.b.client_id) == (path.a.client_id, path.b.client_id)
    messages = [
        pair.a.transfer("alice", end, coin("stake", 1), pair.b.address("bob"))
        for end in (path.a, channel.a, path.a, channel.a)
    ]
    assert pair.a.submit("alice", messages).code == 0
    with closing(Link([channel, path], *pair.ends)) as link:
        told = link.until_idle()
    assert (told.delivered, told.acknowledged, told.refused, told.updates) == (4, 4, 0, 2)


def test_no_chain_has_anything_left(pair):
    """By ibc-go's own queries, and ours."""
    path = pair_of_clients(pair)
    for side, near, _ in ways(pair, path):
        request = query_pb2.QueryPacketCommitmentsRequest(client_id=near.client_id)
        raw = side.a.as_user("relayer").grpc(
            "/ibc.core.channel.v2.Query/PacketCommitments", request.SerializeToString()
        )
        assert list(query_pb2.QueryPacketCommitmentsResponse.FromString(raw).commitments) == []
