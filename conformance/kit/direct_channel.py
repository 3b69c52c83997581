"""Two direct modules with one open channel between them."""

from typing import Any

from conformance.kit.direct_module import DirectModules, packet_between
from conformance.kit.paired_chain import PairedChain
from pyibc.core.channel.types import Order
from pyibc.core.packet.types import Packet

A, B = "x-end-on-a", "x-end-on-b"
"""Channel identifiers of the two ends."""


def opened(order: Order = Order.UNORDERED, **options: Any) -> DirectModules:
    """Modules with the open channel; `options` are those of `DirectModules`."""
    net = DirectModules(**options)
    net.open(A, B, order)
    return net


def send(net: DirectModules, *numbers: int, **fields: Any) -> list[Packet]:
    """Send packets with these sequences from A and update B's client; `fields` override packet fields."""
    packets = [packet_between(number, A, B, b"packet %d" % number, **fields) for number in numbers]
    for packet in packets:
        net.a.inside(net.calls_on_a.send(packet))
    net.pair.sync()
    return packets


def has(side: PairedChain, key: bytes) -> bool:
    """Return whether a chain's store contains the key."""
    return side.chain.get(key) is not None
