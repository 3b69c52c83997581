"""Modules that call the handler themselves (ICS-25), one on each of two chains, and their calls with proofs.

For example:

    net = DirectModules(optimistic_sends=3)
    a, b = net.calls_on_a, net.calls_on_b
    net.a.inside(a.open_init(opening("alice-to-bob", "bob-to-alice")))   # a call takes the block's context
    net.pair.sync()
    call = b.open_try(opening("bob-to-alice", "alice-to-bob"))           # with its proof
    StagedBlock(net.b.chain).call(call.but(proof_init=b""))              # modified, in an uncommitted block
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from conformance.kit.ics4_messages import Ics4Messages
from conformance.kit.messages import cleanup_key, unreceived_key
from conformance.kit.pair import Pair
from conformance.kit.paired_chain import NEVER, PairedChain
from conformance.kit.sides import Side
from ibc_module import hookimpl
from ibc_module.registration import AtWiring
from pyibc.core import paths
from pyibc.core.application.classic import IbcApp
from pyibc.core.application.services import Services
from pyibc.core.channel.types import ChannelCounterparty, Order
from pyibc.core.coin import Coin
from pyibc.core.host.context import Config, WriteContext
from pyibc.core.packet.types import Packet
from pyibc.direct.calls import DirectOpening, OpenedChannel
from pyibc.direct.capability import Capability
from pyibc.direct.handlers.handler import DirectHandler
from pyibc.relayer.packets.packets import acknowledgement_key, commitment_key

MODULE_PORT = "direct"
CONNECTION = "connection-0"


def direct_of(services: Services) -> DirectHandler:
    """Return the direct call services that a plugin received.

    Raises:
        ValueError: the chain has none.
    """
    if services.direct is None:
        raise ValueError("the chain has no DirectPlugin")
    return services.direct


def one_connection(side: Side) -> Side:
    """Return a copy of the side with `CONNECTION` as its connection, for openings on either chain."""
    return side._replace(numbers=side.numbers._replace(connection=0), connection_id=CONNECTION)


class DirectModulePlugin:
    """A module that binds a port without registering an application: its port takes direct calls only."""

    services = AtWiring[Services]()
    """Services that the module received."""
    capability = AtWiring[Capability]()
    """The port's capability."""

    def __init__(self, port: str = MODULE_PORT) -> None:
        self.port = port
        self.held: dict[str, Capability] = {}
        """Capabilities of channels that it opened, by channel id; retained, as by a careless module."""

    @hookimpl
    def ibc_register_apps(self, services: Services) -> Mapping[str, IbcApp]:
        """Bind the port."""
        self.services, self.capability = services, direct_of(services).bind_port(self.port)
        return {}

    @property
    def handler(self) -> DirectHandler:
        """The module's handler."""
        return direct_of(self.services)

    def channel(self, ctx: WriteContext, channel_id: str) -> Capability:
        """Return a channel's capability: a retained one, or one requested from the handler."""
        kept = self.held.get(channel_id)
        return kept or self.handler.channel_capability(ctx, self.capability, self.port, channel_id)


class CapabilityOf:
    """A placeholder argument for the capability of a channel, which is requested inside the block."""

    def __init__(self, channel_id: str) -> None:
        self.channel_id = channel_id


class Call:
    """A call of the handler, to be made inside a block."""

    def __init__(self, module: DirectModulePlugin, method: str, **arguments: Any) -> None:
        self.module = module
        self.method = method
        self.arguments = arguments

    def but(self, **changes: Any) -> "Call":
        """Return the same call with changed arguments."""
        return Call(self.module, self.method, **{**self.arguments, **changes})

    def but_packet(self, **changes: Any) -> "Call":
        """Return the same call with changed packet fields."""
        return self.but(packet=replace(self.arguments["packet"], **changes))

    def __call__(self, ctx: WriteContext) -> Any:
        """Make the call; retain the capability if it returns one."""
        ready = {
            name: self.module.channel(ctx, value.channel_id) if isinstance(value, CapabilityOf) else value
            for name, value in self.arguments.items()
        }
        result = getattr(self.module.handler, self.method)(ctx, **ready)
        if isinstance(result, OpenedChannel):
            self.module.held[result.channel_id] = result.capability
        return result


def opening(
    channel_id: str = "",
    far_channel: str = "",
    order: Order = Order.UNORDERED,
    version: str = "v1",
    *,
    port: str = MODULE_PORT,
    far_port: str = "",
    connection_id: str = CONNECTION,
) -> DirectOpening:
    """Return a channel opening between the modules, from one module's point of view.

    An empty `far_port` means `port`.
    """
    far = ChannelCounterparty(far_port or port, far_channel)
    return DirectOpening(port, channel_id, order, (connection_id,), far, version)


class Calls:
    """A module's calls on one chain of a pair, with proofs from the other chain."""

    def __init__(self, pair: Pair, to: PairedChain, module: DirectModulePlugin, far_port: str) -> None:
        self._pair = pair
        self.far_port = far_port
        self._prover = pair.other(to)
        self.module = module

    def _proof(self, key: bytes) -> tuple[bytes, Any]:
        proven = self._pair.prove(self._prover, key)
        return proven.proof, proven.height

    def _call(self, method: str, **arguments: Any) -> Call:
        return Call(self.module, method, **arguments)

    def _named(self, channel_id: str) -> dict[str, Any]:
        return {"channel": CapabilityOf(channel_id), "port_id": self.module.port, "channel_id": channel_id}

    def _proven(self, name: str, key: bytes, proof_as: str = "proof", **given: Any) -> Call:
        """Return the call with a proof of the other chain's value at `key`."""
        proof, height = self._proof(key)
        return self._call(name, **given, **{proof_as: proof}, proof_height=height)

    def _step(self, name: str, channel_id: str, far_channel: str, proof_as: str, **given: Any) -> Call:
        """Return a handshake call with a proof of the other end."""
        key = paths.channel_path(self.far_port, far_channel)
        return self._proven(name, key, proof_as, **self._named(channel_id), **given)

    # -- channels

    def open_init(self, asked: DirectOpening) -> Call:
        """Open a channel."""
        return self._call("chan_open_init", port=self.module.capability, opening=asked)

    def open_try(self, asked: DirectOpening, version: str = "v1", *, named: bool = True) -> Call:
        """Return the chanOpenTry call for an INIT end of the other chain."""
        key = paths.channel_path(self.far_port, asked.counterparty.channel_id)
        given: dict[str, Any] = {"port": self.module.capability, "opening": asked}
        return self._proven(
            "chan_open_try",
            key,
            "proof_init",
            **given,
            counterparty_version=version,
            named_by_counterparty=named,
        )

    def open_ack(self, channel_id: str, far_channel: str, version: str = "v1") -> Call:
        """Return the chanOpenAck call for a TRYOPEN end of the other chain."""
        far = (far_channel, version)
        return self._step("chan_open_ack", channel_id, far_channel, "proof_try", counterparty=far)

    def open_confirm(self, channel_id: str, far_channel: str) -> Call:
        """Return the chanOpenConfirm call for an OPEN end of the other chain."""
        return self._step("chan_open_confirm", channel_id, far_channel, "proof_ack")

    def close_init(self, channel_id: str) -> Call:
        """Close this channel end."""
        return self._call("chan_close_init", **self._named(channel_id))

    def close_confirm(self, channel_id: str, far_channel: str) -> Call:
        """Return the chanCloseConfirm call for a CLOSED end of the other chain."""
        return self._step("chan_close_confirm", channel_id, far_channel, "proof_init")

    # -- packets

    def send(self, packet: Packet) -> Call:
        """Send a packet."""
        return self._call("send_packet", channel=CapabilityOf(packet.channel_id_on_a), packet=packet)

    def recv(self, packet: Packet, acknowledgement: bytes = b"done") -> Call:
        """Receive a packet."""
        given = _of(packet, packet.channel_id_on_b)
        return self._proven("recv_packet", commitment_key(packet), **given, acknowledgement=acknowledgement)

    def acknowledge(self, packet: Packet, acknowledgement: bytes = b"done") -> Call:
        """Deliver an acknowledgement."""
        given = _of(packet, packet.channel_id_on_a)
        key = acknowledgement_key(packet)
        return self._proven("acknowledge_packet", key, **given, acknowledgement=acknowledgement)

    def timeout(self, packet: Packet, order: Order = Order.UNORDERED, next_recv: int | None = 1) -> Call:
        """Time out a packet."""
        given = _of(packet, packet.channel_id_on_a, "held")
        key = unreceived_key(packet, order)
        return self._proven("timeout_packet", key, **given, next_sequence_recv=next_recv)

    def timeout_on_close(self, packet: Packet, order: Order = Order.UNORDERED, next_recv: int = 1) -> Call:
        """Time out a packet because the other end is CLOSED."""
        proof, height = self._proof(unreceived_key(packet, order))
        closed, _ = self._proof(paths.channel_path(self.far_port, packet.channel_id_on_b))
        given = _of(packet, packet.channel_id_on_a, "held")
        proofs = (proof, closed)
        return self._call(
            "timeout_on_close", **given, proofs=proofs, proof_height=height, next_sequence_recv=next_recv
        )

    def cleanup(self, packet: Packet, claim: int | bytes = b"done") -> Call:
        """Clean up a received packet; `claim` is the other chain's next sequence, or its acknowledgement."""
        given = _of(packet, packet.channel_id_on_a)
        shown: dict[str, Any] = {"next_sequence_recv_or_acknowledgement": claim}
        return self._proven("cleanup_packet", cleanup_key(packet, claim), **given, **shown)


def _of(packet: Packet, channel_id: str, named: str = "channel") -> dict[str, Any]:
    """Return the arguments of a packet call, with the capability of a channel."""
    return {named: CapabilityOf(channel_id), "packet": packet}


class DirectModules:
    """Two connected chains with direct modules, and the messages of the first ICS-4 text.

    Args:
        ports: Ports of the modules; the first is the default one.
        ports_on_b: Ports of the modules on B, if they differ.
        extra: Returns additional plugins for a chain.
        **rules: Fields of `Config`: `optimistic_sends`, `validate_channel_identifier`.
    """

    def __init__(
        self,
        ports: Sequence[str] = (MODULE_PORT,),
        extra: Callable[[], Sequence[object]] = tuple,
        ports_on_b: Sequence[str] = (),
        **rules: Any,
    ) -> None:
        made: list[list[DirectModulePlugin]] = []
        ports_of = iter((ports, ports_on_b or ports))

        def make_chain(
            chain_id: str, clock: Callable[[], int], coins: Sequence[Coin], side: Side
        ) -> PairedChain:
            made.append([DirectModulePlugin(port) for port in next(ports_of)])
            return PairedChain(
                chain_id, clock, coins, [*made[-1], *extra()], Config(**rules), direct=True,
                side=one_connection(side),
            )  # fmt: skip

        self.pair = Pair.connected(make_chain=make_chain)
        self.a, self.b = self.pair.a, self.pair.b
        self.calls = {
            port: (Calls(self.pair, self.a, on_a, on_b.port), Calls(self.pair, self.b, on_b, on_a.port))
            for port, on_a, on_b in zip(ports, *made, strict=True)
        }
        self.calls_on_a, self.calls_on_b = self.calls[ports[0]]

    def named(self, side: PairedChain) -> Ics4Messages:
        """Return a builder of messages to one of the chains, with chosen identifiers."""
        return Ics4Messages(self.pair, side)

    def on_a(self, call: Call) -> Any:
        """Make a call in a new block of A, then update both clients."""
        result = self.a.inside(call)
        self.pair.sync()
        return result

    def on_b(self, call: Call) -> Any:
        """Make a call in a new block of B, then update both clients."""
        result = self.b.inside(call)
        self.pair.sync()
        return result

    def open(self, on_a: str, on_b: str, order: Order = Order.UNORDERED, port: str = MODULE_PORT) -> None:
        """Open a channel with these identifiers."""
        a, b = self.calls[port]
        self.on_a(a.open_init(opening(on_a, on_b, order, port=port, far_port=a.far_port)))
        self.on_b(b.open_try(opening(on_b, on_a, order, port=a.far_port, far_port=port)))
        self.on_a(a.open_ack(on_a, on_b))
        self.on_b(b.open_confirm(on_b, on_a))


def packet_between(sequence: int, on_a: str, on_b: str, data: bytes = b"data", **fields: Any) -> Packet:
    """Return a packet from the module on A to the one on B; swap the identifiers for the other direction."""
    made = Packet(sequence, MODULE_PORT, on_a, MODULE_PORT, on_b, data, NEVER, 0)
    return replace(made, **fields)
