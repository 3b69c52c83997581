"""IBC v2: what nodes say wrongly, and messages that fail."""

from math import inf

from conformance.kit.seconds import SECONDS
from conformance.kit.v2_chains import scripted
from localnet.endpoint import LocalEndpoint
from pyibc.core.packet_v2.types import PacketV2, encode_packet
from pyibc.relayer.errors import EndpointUnavailable
from pyibc.relayer.links.batch import BatchLimits
from pyibc.relayer.links.options import Options


def test_events_that_cannot_be_read_are_counted_and_passed_over(client_net) -> None:
    net = client_net
    client = ("packet_source_client", net.path.a.client_id)
    stray = PacketV2(1, net.path.a.client_id, "07-tendermint-9", 2**40, (scripted(b"x"),))
    whole = ("encoded_packet_hex", encode_packet(stray).hex())
    net.a.chain.make_block([])
    block = net.a.chain.block(net.a.chain.height)
    bad = (
        ("send_packet", (client,)),
        ("send_packet", (client, ("encoded_packet_hex", "xx"))),
        ("send_packet", (client, ("encoded_packet_hex", "ff"))),
        ("write_acknowledgement", (client, ("encoded_packet_hex", "08"))),
        ("send_packet", (client, ("encoded_packet_hex", encode_packet(stray).hex()))),
        ("write_acknowledgement", (client, whole, ("encoded_acknowledgement_hex", "ff"))),
        ("channel_close", (("port_id", ""), ("channel_id", net.path.a.client_id))),
    )
    link = net.link()
    link._backlog.observe(0, block._replace(block_events=bad))
    assert (link._backlog.unreadable, link.pending) == (5, 0)
    assert link._backlog.channels[0].closed_at == [None, None]
    net.transfer()
    done = link.until_idle()
    assert (done.acknowledged, done.unreadable) == (1, 5)


def test_an_event_that_lies_costs_no_transaction(client_net) -> None:
    """A packet that was never sent, and one that differs from what was committed to: that is found again."""
    net = client_net
    net.transfer()
    height = net.a.chain.height
    honest = net.a.chain.block(height)
    (event,) = [event for event in honest.txs[0].events if event[0] == "send_packet"]
    pairs = dict(event[1])
    lie = {**pairs, "encoded_packet_hex": pairs["encoded_packet_hex"].replace("0801", "0802", 1)}
    other = {**pairs, "encoded_packet_hex": pairs["encoded_packet_hex"][:-2] + "00"}
    lies = [("send_packet", tuple(each.items())) for each in (lie, other)]
    link = net.link(start=(height + 1, net.b.chain.height + 1))
    link._backlog.observe(0, honest._replace(txs=(), block_events=tuple(lies)))
    done = link.until_idle()
    assert (done.transactions, done.refused, done.given_up) == (2, 0, {})
    assert (done.delivered, done.acknowledged, done.redundant, net.outstanding()) == (1, 1, 0, [])


def test_batches_go_on_when_one_message_fails(client_net) -> None:
    """The application of chain b cannot take one of the packets: the others arrive, and it is named."""
    net = client_net
    net.transfer(count=5)
    net.send(scripted(b"lie"))  # a success that spells the error acknowledgement
    net.transfer(count=5)
    done = net.relay(
        options=Options(BatchLimits(messages=20), sleep=lambda _: None, clock=SECONDS, retry_wait_s=inf)
    )
    assert (done.delivered, done.acknowledged) == (10, 10)
    assert list(done.given_up) == ["recv 6 of channel 0 on b"]
    assert net.outstanding() == [("chain-a-1", 6)]


def test_a_node_that_fails_now_and_then(client_net, monkeypatch) -> None:
    net = client_net
    prove, count = LocalEndpoint.prove, 0

    def failing(self, key, height, store="ibc"):
        nonlocal count
        count += 1
        if count % 3 == 0:
            raise EndpointUnavailable(self.chain_id, "gone")
        return prove(self, key, height, store)

    monkeypatch.setattr(LocalEndpoint, "prove", failing)
    net.transfer(count=2)
    done = net.relay()
    assert (done.acknowledged, done.given_up) == (2, {})
