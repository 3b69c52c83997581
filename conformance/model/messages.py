"""The real message for each message of the reference model, with real proofs."""

from collections.abc import Callable
from typing import Any, NamedTuple

from conformance.kit.encode import to_any
from conformance.kit.headers import header_of, resigned
from conformance.model.reference import Chain, Packet, Place
from conformance.model.view import bank_denom
from ibc_core import paths
from ibc_core.any_message import AnyMessage
from ibc_core.channel.close_confirm import MsgChannelCloseConfirm
from ibc_core.channel.close_init import MsgChannelCloseInit
from ibc_core.channel.open_ack import MsgChannelOpenAck
from ibc_core.channel.open_confirm import MsgChannelOpenConfirm
from ibc_core.channel.open_init import MsgChannelOpenInit
from ibc_core.channel.open_try import MsgChannelOpenTry
from ibc_core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from ibc_core.client.update import MsgUpdateClient
from ibc_core.height import ZERO_HEIGHT, Height
from ibc_core.packet import types as core
from ibc_core.packet.acknowledge import MsgAcknowledgement
from ibc_core.packet.recv import MsgRecvPacket
from ibc_core.packet.timeout import MsgTimeout
from ibc_core.packet.timeout_on_close import MsgTimeoutOnClose
from ibc_core.transfer.msg_transfer import MsgTransfer
from ibc_relayer.tendermint import client_header
from light_client.tendermint.codec import pack_client_header
from localnet.chain import LocalChain


class Proof(NamedTuple):
    """A proof, and the header it claims to be good for."""

    raw: bytes
    height: Height


class Datagrams:
    """Messages to one chain; each method takes what the model's method of its name takes.

    Args:
        chain: The model of the chain, to see what its channels are.
        prover: The other chain.
    """

    def __init__(self, chain: Chain, prover: LocalChain) -> None:
        self.chain = chain
        self.prover = prover

    def build(self, signer: str, name: str, arguments: tuple[Any, ...]) -> AnyMessage:
        """The message, proven and signed by `signer`."""
        make: Callable[..., Any] = getattr(self, name)
        return to_any(make(signer, *arguments))

    def prove(self, key: bytes, height: int) -> Proof:
        """The other chain's entry at `key`, or its absence, in the state that its header `height` shows.

        For a header that does not exist yet, the newest state stands in.
        """
        version = min(max(height - 1, 1), self.prover.height)
        return Proof(self.prover.prove(key, version).proof, Height(1, height))

    # -- clients

    def update(self, signer: str, height: int, trusted: int, fork: bool) -> MsgUpdateClient:
        """A header; `fork`: another one for the same height, truly signed."""
        if fork:
            honest = header_of(self.prover, height, trusted)
            lie = resigned(honest, self.prover.keyring, app_hash=b"\xaa" * 32)
            return MsgUpdateClient(self.chain.client, pack_client_header(lie), signer)
        base = self.prover.light_block(min(trusted + 1, self.prover.height))
        target = self.prover.light_block(height)
        header = client_header(target, base._replace(height=trusted + 1), self.prover.chain_id)
        return MsgUpdateClient(self.chain.client, header, signer)

    # -- channels

    def open_init(
        self, signer: str, port: str, ordered: bool, connection: str, version: str
    ) -> MsgChannelOpenInit:
        """A asks."""
        end = _end("INIT", ordered, (port, ""), connection, version)
        return MsgChannelOpenInit(port, end, signer)

    def open_try(
        self, signer: str, port: str, ordered: bool, connection: str, far: Place, version: str, height: int
    ) -> MsgChannelOpenTry:
        """B answers."""
        proof = self.prove(paths.channel_path(*far), height)
        end = _end("TRYOPEN", ordered, far, connection, version)
        return MsgChannelOpenTry(port, "", end, version, *proof, signer)

    def open_ack(
        self, signer: str, place: Place, far_channel: str, version: str, height: int
    ) -> MsgChannelOpenAck:
        """A agrees."""
        proof = self.prove(paths.channel_path(place[0], far_channel), height)
        return MsgChannelOpenAck(*place, far_channel, version, *proof, signer)

    def open_confirm(self, signer: str, place: Place, height: int) -> MsgChannelOpenConfirm:
        """B follows."""
        return MsgChannelOpenConfirm(*place, *self._far_end(place, height), signer)

    def close_init(self, signer: str, place: Place) -> MsgChannelCloseInit:
        """A user closes."""
        return MsgChannelCloseInit(*place, signer)

    def close_confirm(self, signer: str, place: Place, height: int) -> MsgChannelCloseConfirm:
        """The other end follows."""
        return MsgChannelCloseConfirm(*place, *self._far_end(place, height), signer)

    def _far_end(self, place: Place, height: int) -> Proof:
        end = self.chain.state.ends.get(place)
        return self.prove(paths.channel_path(*(end.far if end else place)), height)

    # -- packets

    def transfer(
        self,
        signer: str,
        place: Place,
        denom: str,
        amount: int,
        receiver: str,
        until_height: int,
        until_ns: int,
    ) -> MsgTransfer:
        """A user sends coins."""
        until = _height(until_height)
        return MsgTransfer(*place, bank_denom(denom), str(amount), signer, receiver, until, until_ns, "")

    def receive(self, signer: str, packet: Packet, height: int) -> MsgRecvPacket:
        """B takes a packet in."""
        key = paths.packet_commitment_path(*packet.source, packet.sequence)
        return MsgRecvPacket(packet_of(packet), *self.prove(key, height), signer)

    def acknowledge(
        self, signer: str, packet: Packet, acknowledgement: bytes, height: int
    ) -> MsgAcknowledgement:
        """A learns B's answer."""
        key = paths.packet_acknowledgement_path(*packet.destination, packet.sequence)
        return MsgAcknowledgement(packet_of(packet), acknowledgement, *self.prove(key, height), signer)

    def timeout(self, signer: str, packet: Packet, next_recv: int, height: int) -> MsgTimeout:
        """A takes a packet back."""
        proof = self._unreceived(packet, height)
        return MsgTimeout(packet_of(packet), *proof, next_recv, signer)

    def timeout_on_close(self, signer: str, packet: Packet, next_recv: int, height: int) -> MsgTimeoutOnClose:
        """A takes a packet back from a closed channel."""
        unreceived = self._unreceived(packet, height)
        closed = self.prove(paths.channel_path(*packet.destination), height)
        return MsgTimeoutOnClose(
            packet_of(packet), unreceived.raw, closed.raw, closed.height, next_recv, signer
        )

    def _unreceived(self, packet: Packet, height: int) -> Proof:
        end = self.chain.state.ends.get(packet.source)
        if end and end.ordered:
            return self.prove(paths.next_sequence_recv_path(*packet.destination), height)
        return self.prove(paths.packet_receipt_path(*packet.destination, packet.sequence), height)


def _height(number: int) -> Height:
    return Height(1, number) if number else ZERO_HEIGHT


def _end(state: str, ordered: bool, far: Place, connection: str, version: str) -> ChannelEnd:
    order = Order.ORDERED if ordered else Order.UNORDERED
    return ChannelEnd(ChannelState[state], order, ChannelCounterparty(*far), (connection,), version)


def packet_of(packet: Packet) -> core.Packet:
    """The packet of the model as the real code has it."""
    return core.Packet(
        packet.sequence,
        *packet.source,
        *packet.destination,
        packet.data,
        _height(packet.until_height),
        packet.until_ns,
    )
