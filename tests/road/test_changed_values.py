"""One attack a test: on what CheckTx decoded, on memos, on packets before they are answered, on payloads."""

from contextlib import suppress
from dataclasses import replace

import pytest

from ibc_module import hookimpl
from ibc_module.plugin import Config
from pyibc.apps.transfer import packet_data
from pyibc.core import paths
from pyibc.core.application.classic import AppAcknowledgement
from pyibc.core.application.v2 import IbcAppV2
from pyibc.core.channel.types import ChannelState, Order
from pyibc.core.errors import IbcError, LogicFault
from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet_v2.messages import MsgSendPacket
from pyibc.core.packet_v2.types import NS_PER_S, Payload, decode_packet, packet_commitment
from pyibc.core.wire.message import pack_msg
from pyibc.default_plugins import plugins
from pyibc.testing.pair import two_chains


def changing(name, what):
    """A callback that assigns a field of what it is told, and is refused."""

    def act(ctx, *told):
        (found,) = [each for each in told if hasattr(each, name)]
        with pytest.raises(AttributeError):
            setattr(found, name, what)
        with pytest.raises(AttributeError):
            object.__setattr__(found, name, what)
        return AppAcknowledgement(success=True, data=acks.success())

    return act


def test_h80_a_packet_that_checktx_saw_is_the_one_that_is_executed(scene):
    """The message is decoded once for both: what an application did to it in CheckTx would stay."""
    stage, message = scene.stage(scene.b), scene.to_b.recv(scene.packets[Order.UNORDERED].fresh)
    wanted = stage.attempt(message)
    scene.b.app.script["on_recv_packet"] = changing("data", b"other")
    route = scene.b.chain.app.pipeline.messages()[pack_msg(message).type_url]
    decoded = route.decode(pack_msg(message).value)
    for _ in ("CheckTx", "DeliverTx"):
        stage = scene.stage(scene.b)
        with suppress(IbcError):
            route.deliver(stage.ctx, decoded)
        assert stage.writes() == wanted.writes
    assert scene.b.app.calls.count("on_recv_packet") == 3


def test_h82_an_answer_is_for_the_packet_that_came(scene):
    packet = scene.packets[Order.UNORDERED].fresh
    scene.b.app.script["on_recv_packet"] = changing("port_id_on_b", "transfer")
    attempt = scene.stage(scene.b).attempt(scene.to_b.recv(packet))
    path = paths.packet_acknowledgement_path
    assert attempt.error is None
    assert ("ibc", path(packet.port_id_on_b, packet.channel_id_on_b, packet.sequence)) in attempt.writes
    assert ("ibc", path("transfer", packet.channel_id_on_b, packet.sequence)) not in attempt.writes


class Slow(IbcAppV2):
    """Tries to change the payload, and answers later."""

    def __init__(self):
        self.tried = 0

    def on_send_packet(self, sending):
        changing("value", b"other")(None, sending.payload)
        self.tried += 1

    def on_recv_packet(self, received):
        changing("port_id_on_b", "transfer")(None, received.payload)
        self.tried += 1


class SlowPlugin:
    def __init__(self):
        self.app = Slow()

    @hookimpl
    def ibc_register_apps_v2(self):
        return {"slow": self.app}


def test_h82_the_payload_that_came_is_the_one_that_is_kept():
    made = []

    def parts():
        made.append(SlowPlugin())
        return [*plugins(Config()), made[-1]]

    net = two_chains(plugins=parts)
    path, a, b = net.open_clients(), net.a, net.b
    payload = Payload("slow", "slow", "v", "text/plain", b"as it was")
    until_s = a.chain.tip().time_ns // NS_PER_S + 600
    sent = MsgSendPacket(path.a.client_id, until_s, (payload,), a.address("alice"))
    assert a.execute("alice", pack_msg(sent)).code == 0
    net.relay(path)
    assert [plugin.app.tried for plugin in made] == [1, 1]
    kept = decode_packet(b.chain.get(paths.async_packet_path(path.b.client_id, 1)))
    assert kept.payloads == (payload,)
    key = paths.packet_commitment_v2_path(path.a.client_id, 1)
    assert a.chain.get(key) == packet_commitment(kept)
    net.close()


def test_h80_a_query_s_answer_is_nobodys_to_change(scene):
    """What it returned was the decoder's memo: the channel was closed until a restart."""
    end = scene.unordered.a
    stage = scene.stage(scene.a)
    found = scene.a.keepers.channels.get(stage.ctx, end.port_id, end.channel_id)
    again = scene.a.keepers.channels.get(stage.ctx, end.port_id, end.channel_id)
    assert found is again
    for name, what in (("state", ChannelState.CLOSED), ("counterparty", None), ("connection_hops", ())):
        for assign in (setattr, object.__setattr__):
            with pytest.raises(AttributeError):
                assign(found, name, what)
    assert scene.a.keepers.channels.get_open(stage.ctx, end.port_id, end.channel_id).connection_hops
    data = packet_data.decode(b'{"denom":"uatom","amount":"5","sender":"a","receiver":"b","memo":""}')
    for record, name in ((data, "amount"), (data.denom, "base"), (data.denom, "coin_denom")):
        with pytest.raises(AttributeError):
            object.__setattr__(record, name, "other")
    assert (data.amount, data.denom.base, data.denom.coin_denom) == (5, "uatom", "uatom")


class Text(str):
    __slots__ = ()


class Raw(bytes):
    __slots__ = ()


class Number(int):
    __slots__ = ()


LIES = {
    "data that can change": lambda s, ctx, end, _: s.send_packet(ctx, *end, ZERO_HEIGHT, 9, bytearray(b"x")),
    "data of its own": lambda s, ctx, end, _: s.send_packet(ctx, *end, ZERO_HEIGHT, 9, Raw(b"x")),
    "a time of its own": lambda s, ctx, end, _: s.send_packet(ctx, *end, ZERO_HEIGHT, Number(9), b"x"),
    "no time": lambda s, ctx, end, _: s.send_packet(ctx, *end, ZERO_HEIGHT, True, b"x"),
    "a height of its own": lambda s, ctx, end, _: s.send_packet(ctx, *end, Height(Number(1), 2), 0, b"x"),
    "a tuple for a height": lambda s, ctx, end, _: s.send_packet(ctx, *end, (1, 2), 0, b"x"),
    "an answer that can change": lambda s, ctx, _, packet: s.write_acknowledgement(
        ctx, packet, bytearray(b"x")
    ),
    "an answer of its own": lambda s, ctx, _, packet: s.write_acknowledgement(ctx, packet, Raw(b"x")),
    "a packet's text of its own": lambda s, ctx, _, packet: s.write_acknowledgement(
        ctx, replace(packet, channel_id_on_a=Text(packet.channel_id_on_a)), b"x"
    ),
    "a packet's number of its own": lambda s, ctx, _, packet: s.write_acknowledgement(
        ctx, replace(packet, sequence=Number(packet.sequence)), b"x"
    ),
    "a packet's data that can change": lambda s, ctx, _, packet: s.write_acknowledgement(
        ctx, replace(packet, data=bytearray(packet.data)), b"x"
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_h81_senders_take_exact_types(scene, lie):
    path, packet = scene.unordered, scene.packets[Order.UNORDERED].received
    stage, side = (scene.stage(scene.b), scene.b) if "packet" in lie or "answer" in lie else (None, scene.a)
    stage = stage or scene.stage(scene.a)
    end = (path.a.port_id, path.a.channel_id)
    with pytest.raises(LogicFault, match="an application gave"):
        LIES[lie](side.scripted.sender, stage.ctx, end, packet)
    assert stage.writes() == {}
    assert stage.ctx.events == []


BEYOND = (-1, 2**64, 10**5_000)
NUMBERS = {
    "height": lambda s, ctx, end, _, n: s.send_packet(ctx, *end, Height(1, n), 0, b"x"),
    "revision": lambda s, ctx, end, _, n: s.send_packet(ctx, *end, Height(n, 1), 0, b"x"),
    "time": lambda s, ctx, end, _, n: s.send_packet(ctx, *end, ZERO_HEIGHT, n, b"x"),
    "packet's sequence": lambda s, ctx, _, packet, n: s.write_acknowledgement(
        ctx, replace(packet, sequence=n), b"x"
    ),
    "packet's time": lambda s, ctx, _, packet, n: s.write_acknowledgement(
        ctx, replace(packet, timeout_ns_on_b=n), b"x"
    ),
    "packet's height": lambda s, ctx, _, packet, n: s.write_acknowledgement(
        ctx, replace(packet, timeout_height_on_b=Height(n, n)), b"x"
    ),
}


@pytest.mark.parametrize("number", BEYOND, ids=["-1", "2^64", "10^5000"])
@pytest.mark.parametrize("name", NUMBERS)
def test_h244_numbers_that_no_field_holds_are_refused(scene, name, number):
    path, packet = scene.unordered, scene.packets[Order.UNORDERED].received
    side = scene.b if "packet" in name else scene.a
    stage = scene.stage(side)
    end = (path.a.port_id, path.a.channel_id)
    raised = None
    try:
        NUMBERS[name](side.scripted.sender, stage.ctx, end, packet, number)
    except Exception as caught:
        raised = caught
    assert type(raised) is LogicFault
    assert "outside 0..2^64-1" in str(raised)
    assert stage.writes() == {}
    assert stage.ctx.events == []
