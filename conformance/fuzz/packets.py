"""Cases of packet data: what applications parse after the packet's proof was verified.

The counterparty chain may be malicious, so any bytes come with a valid proof. Messages inside packet data are
generated from the descriptors of all messages that a chain executes, in protobuf and in JSON.
"""

import json
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from conformance.fuzz.block_stage import PASSED, tried
from conformance.fuzz.builtin_apps import CONTRACT
from conformance.fuzz.case import Attack, Case
from conformance.fuzz.grammar import Write, written
from conformance.fuzz.json_grammar import written_json
from conformance.fuzz.texts import SHAPES
from conformance.fuzz.wire import packed, repeat
from conformance.fuzz.worlds import PacketRoute, Worlds, short_name
from handlers.packet import recv
from handlers.packet_v2 import recv as recv_v2
from handlers.packet_v2.route import deliveries_on_b
from keepers.keepers import Keepers
from pyibc.apps.gmp import packet_data as gmp_data
from pyibc.apps.gmp.packet_data import GmpPacketData
from pyibc.apps.interchain_accounts.packet_data import HOST_PORT
from pyibc.apps.transfer import packet_data
from pyibc.apps.transfer.packet_data import TransferData
from pyibc.core.host.block import Event
from pyibc.core.host.overlay import BlockContext
from pyibc.core.packet.types import Packet
from pyibc.core.packet_v2.types import JSON, PROTOBUF, SENTINEL
from pyibc.isolation.limits import size_of_events
from pyibc.proto.ibc.applications.interchain_accounts.v1.packet_pb2 import CosmosTx
from pyibc.proto.pool import message_class

REFUSED = "refused"
"""Verdict on a packet with an error acknowledgement."""
_ERRORS = (b'{"error"'.hex(), SENTINEL.hex())
_ANSWERS = ("packet_ack_hex", "encoded_acknowledgement_hex")
_OTHERS = 1 << 20
"""Offset added to a packet's sequence, to obtain one that was not received."""
_DEEP = (
    "/cosmos.bank.v1beta1.MsgSend",
    "/ibc.core.client.v1.MsgUpdateClient",
    "/ibc.core.channel.v1.MsgRecvPacket",
)
"""Messages whose fields all get protobuf shapes in packets; the cases of messages cover the others."""

Carry = Callable[[bytes], bytes]
"""Return packet data with the given content."""


def packet_cases(made: Worlds) -> Iterator[Case]:
    """Return every route of a packet to an application, with every shape that the application parses."""
    seen: set[str] = set()
    for route in made.routes:
        if route.name not in seen:
            seen.add(route.name)
            for name, write in _contents(route):
                yield Case(f"packet to {route.name}: {name}", partial(arrived, route, write))


def _contents(route: PacketRoute) -> Iterator[tuple[str, Write]]:
    for shape, write in SHAPES.items():
        yield f"whole, {shape}", write
    port = _port(route)
    if port == "transfer":
        yield from _memos(route)
        return
    carry = _in_account if port == HOST_PORT else partial(_in_call, _call_in(route), _encoding(route))
    for shape, write in SHAPES.items():
        yield f"transaction, {shape}", partial(_carried, carry, write)
    if port == HOST_PORT or _encoding(route) == PROTOBUF:  # otherwise covered by the transaction
        yield from _json(route, carry) if "proto3json" in route.name else _protobuf(carry)


_HOLE = b"%b"
_HOP = b'{"forward":{"receiver":"r","port":"transfer","channel":"channel-0",%b}}'
_AROUND = {
    "memo": _HOLE,
    "forward": b'{"forward":%b}',
    "timeout": _HOP.replace(_HOLE, b'"timeout":%b'),
    "next": _HOP.replace(_HOLE, b'"next":%b'),
    "beside forward": _HOP.replace(_HOLE, b'"x":%b'),
    "callback": b'{"dest_callback":%b}',
    "beside a callback": b'{"dest_callback":{"address":"%a"},"x":%b}'.replace(b"%a", CONTRACT.encode()),
}


def _memos(route: PacketRoute) -> Iterator[tuple[str, Write]]:
    """Return memos that request forwarding or a contract call, valid and almost valid."""
    data = _transfer_in(route)
    for shape, write in SHAPES.items():
        for name, around in _AROUND.items():
            yield f"{name}, {shape}", partial(_in_memo, route, data, around, write)
    for name, write in {"hops": _hops, "hops in texts": _texts, "hops in doubled texts": _doubled}.items():
        yield f"memo of {name}", partial(_in_memo, route, data, _HOLE, write)
    timeout = _HOP.replace(_HOLE, b'"timeout":"%b"')
    for name, piece in {"parts": b"0s", "fractions": b".1s"}.items():
        yield f"timeout of {name}", partial(_in_memo, route, data, timeout, partial(repeat, piece))


def _hops(size: int) -> bytes:
    hop = _HOP[:-4] + b'"retries":1,"next":'
    count = max(1, size // (len(hop) + 2))
    return hop * count + b"{}" + b"}}" * count


def _texts(size: int) -> bytes:
    """Return nested hops encoded as JSON text, each a few bytes longer than the one inside."""
    return _nested(size, lambda text: text.replace("\\", "\\u005c").replace('"', "\\u0022"))


def _doubled(size: int) -> bytes:
    """Return the same with normal escaping, which doubles the length at each level."""
    return _nested(size, lambda text: json.dumps(text)[1:-1])


def _nested(size: int, escaped: Callable[[str], str]) -> bytes:
    """Nest objects to a depth that takes half of the size, and fill the innermost with the rest."""
    front, back = _HOP.decode().split("%b")
    text, levels = "{}", 0
    while len(text) < size // 2:
        text, levels = f'{front}"next":"{escaped(text)}"{back}', levels + 1
    text = f'{front}"x":"{"a" * (size // 2)}"{back}'
    for _ in range(levels - 1):
        text = f'{front}"next":"{escaped(text)}"{back}'
    return text.encode()


# -- messages


def _protobuf(carry: Carry) -> Iterator[tuple[str, Write]]:
    for each in written(CosmosTx):
        yield f"CosmosTx {each.name}", partial(_carried, carry, each.write)
    for url in _DEEP:
        for each in written(message_class(url[1:])):
            write = partial(_packed, url.encode(), each.write)
            yield f"{short_name(url)} {each.name}", partial(_carried, carry, write)


def _packed(url: bytes, write: Write, size: int) -> bytes:
    return packed(1, packed(1, url) + packed(2, write(size)))


def _json(route: PacketRoute, carry: Carry) -> Iterator[tuple[str, Write]]:
    for url in route.stage.chain.app.pipeline.messages():
        try:
            cls = message_class(url[1:])
        except KeyError:
            continue
        for name, write in written_json(cls, url):
            listed = partial(_listed, write)
            yield f"{short_name(url)} in JSON {name}", partial(_carried, carry, listed)


def _listed(write: Write, size: int) -> bytes:
    return b'{"messages":[%b]}' % write(size)


# -- packet data around messages


def _carried(carry: Carry, write: Write, size: int) -> bytes:
    return carry(write(size * 3 // 4 if carry is _in_account else size))  # which is longer in base64


def _in_account(transaction: bytes) -> bytes:
    return b'{"type":"TYPE_EXECUTE_TX","data":"%b","memo":""}' % b64encode(transaction)


def _in_call(call: GmpPacketData, encoding: str, payload: bytes) -> bytes:
    return gmp_data.encode(call._replace(payload=payload), encoding)


def _in_memo(route: PacketRoute, data: TransferData, around: bytes, write: Write, size: int) -> bytes:
    memo = around.replace(_HOLE, write(size)).decode("utf-8", "replace")
    return packet_data.encode_payload(replace(data, memo=memo), _encoding(route))


# -- a changed packet


def _port(route: PacketRoute) -> str:
    packet = route.packet
    return packet.port_id_on_b if isinstance(packet, Packet) else packet.payloads[0].port_id_on_b


def _encoding(route: PacketRoute) -> str:
    return JSON if isinstance(route.packet, Packet) else route.packet.payloads[0].encoding


def _transfer_in(route: PacketRoute) -> TransferData:
    packet = route.packet
    return (
        packet_data.decode(packet.data)
        if isinstance(packet, Packet)
        else packet_data.decode_payload(packet.payloads[0])
    )


def _call_in(route: PacketRoute) -> GmpPacketData:
    if isinstance(route.packet, Packet):
        raise TypeError("calls come over clients")
    (payload,) = route.packet.payloads
    return gmp_data.decode(payload.value, payload.version, payload.encoding)


def arrived(route: PacketRoute, write: Write, size: int) -> Attack:
    """Execute a received packet on a route with the generated data, as if its proof were verified."""
    data, ctx, packet = write(size), route.stage.context(), route.packet
    execute = _execute if isinstance(packet, Packet) else _execute_v2
    events: list[Event] = []

    def run() -> str:
        found = tried(lambda: execute(route.keepers, ctx, packet, data, route.stage.addresses[0]))
        events.extend(ctx.take_events())
        return REFUSED if found == PASSED and any(map(_is_refusal, events)) else found

    return Attack(len(data), lambda: None, run, reported=lambda: size_of_events(events))


def _is_refusal(event: Event) -> bool:
    """Return whether an event reports an error acknowledgement."""
    answers = [value for key, value in event[1] if key in _ANSWERS]
    return any(error in answer for answer in answers for error in _ERRORS)


def _execute(keepers: Keepers, ctx: BlockContext, packet: Any, data: bytes, relayer: str) -> None:
    sent = replace(packet, data=data, sequence=packet.sequence + _OTHERS)
    end = keepers.channels.get_open(ctx, packet.port_id_on_b, packet.channel_id_on_b)
    app, address = keepers.ports.route(packet.port_id_on_b), keepers.addresses.decode(relayer, "signer")
    with ctx.branch():
        recv.execute(keepers, ctx, recv.VerifiedRecv(sent, end, app, address, None))


def _execute_v2(keepers: Keepers, ctx: BlockContext, packet: Any, data: bytes, relayer: str) -> None:
    payloads = (replace(packet.payloads[0], value=data),)
    sent = replace(packet, payloads=payloads, sequence=packet.sequence + _OTHERS)
    verified = recv_v2.VerifiedRecvV2(
        sent, deliveries_on_b(keepers, payloads), keepers.addresses.decode(relayer, "signer"), None
    )
    with ctx.branch():
        recv_v2.execute(keepers, ctx, verified)
