"""Real messages with real proofs for the messages of the reference model."""

from collections.abc import Callable
from typing import Any, NamedTuple

from conformance.kit.encode import to_any
from conformance.kit.headers import header_of, resigned
from conformance.model.reference import Chain, Packet, Place
from conformance.model.view import bank_denom
from light_client.tendermint.codec import pack_client_header
from localnet.chain import LocalChain
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.codec.anys import AnyMessage
from pyibc.core import paths
from pyibc.core.channel.messages import (
    MsgChannelCloseConfirm,
    MsgChannelCloseInit,
    MsgChannelOpenAck,
    MsgChannelOpenConfirm,
    MsgChannelOpenInit,
    MsgChannelOpenTry,
)
from pyibc.core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from pyibc.core.client.messages import MsgUpdateClient
from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.core.packet import types as core
from pyibc.core.packet.messages import MsgAcknowledgement, MsgRecvPacket, MsgTimeout, MsgTimeoutOnClose
from pyibc.relayer.clients.tendermint import client_header


class Proof(NamedTuple):
    """A proof, and the header height it is submitted with."""

    raw: bytes
    height: Height


class Datagrams:
    """Builder of messages to one chain; each method has the arguments of the model's method of that name.

    Args:
        chain: The model of the chain, to look up its channels.
        prover: The counterparty chain.
    """

    def __init__(self, chain: Chain, prover: LocalChain) -> None:
        self.chain = chain
        self.prover = prover

    def build(self, signer: str, name: str, arguments: tuple[Any, ...]) -> AnyMessage:
        """Return the message, with proof, signed by `signer`."""
        make: Callable[..., Any] = getattr(self, name)
        return to_any(make(signer, *arguments))

    def prove(self, key: bytes, height: int) -> Proof:
        """Return the proof of the other chain's entry at `key`, or of its absence, at its header `height`.

        For a header that does not exist yet, the newest state is used.
        """
        version = min(max(height - 1, 1), self.prover.height)
        return Proof(self.prover.prove(key, version).proof, Height(1, height))

    # -- clients

    def update(self, signer: str, height: int, trusted: int, fork: bool) -> MsgUpdateClient:
        """Return an update; `fork` selects a conflicting, validly signed header of the same height."""
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
        """Return a ChanOpenInit."""
        end = _end("INIT", ordered, (port, ""), connection, version)
        return MsgChannelOpenInit(port, end, signer)

    def open_try(
        self, signer: str, port: str, ordered: bool, connection: str, far: Place, version: str, height: int
    ) -> MsgChannelOpenTry:
        """Return a ChanOpenTry."""
        proof = self.prove(paths.channel_path(*far), height)
        end = _end("TRYOPEN", ordered, far, connection, version)
        return MsgChannelOpenTry(port, "", end, version, *proof, signer)

    def open_ack(
        self, signer: str, place: Place, far_channel: str, version: str, height: int
    ) -> MsgChannelOpenAck:
        """Return a ChanOpenAck."""
        proof = self.prove(paths.channel_path(place[0], far_channel), height)
        return MsgChannelOpenAck(*place, far_channel, version, *proof, signer)

    def open_confirm(self, signer: str, place: Place, height: int) -> MsgChannelOpenConfirm:
        """Return a ChanOpenConfirm."""
        return MsgChannelOpenConfirm(*place, *self._far_end(place, height), signer)

    def close_init(self, signer: str, place: Place) -> MsgChannelCloseInit:
        """Return a ChanCloseInit."""
        return MsgChannelCloseInit(*place, signer)

    def close_confirm(self, signer: str, place: Place, height: int) -> MsgChannelCloseConfirm:
        """Return a ChanCloseConfirm."""
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
        """Return a MsgTransfer."""
        until = _height(until_height)
        return MsgTransfer(*place, bank_denom(denom), str(amount), signer, receiver, until, until_ns, "")

    def receive(self, signer: str, packet: Packet, height: int) -> MsgRecvPacket:
        """Return a MsgRecvPacket."""
        key = paths.packet_commitment_path(*packet.source, packet.sequence)
        return MsgRecvPacket(packet_of(packet), *self.prove(key, height), signer)

    def acknowledge(
        self, signer: str, packet: Packet, acknowledgement: bytes, height: int
    ) -> MsgAcknowledgement:
        """Return a MsgAcknowledgement."""
        key = paths.packet_acknowledgement_path(*packet.destination, packet.sequence)
        return MsgAcknowledgement(packet_of(packet), acknowledgement, *self.prove(key, height), signer)

    def timeout(self, signer: str, packet: Packet, next_recv: int, height: int) -> MsgTimeout:
        """Return a MsgTimeout."""
        proof = self._unreceived(packet, height)
        return MsgTimeout(packet_of(packet), *proof, next_recv, signer)

    def timeout_on_close(self, signer: str, packet: Packet, next_recv: int, height: int) -> MsgTimeoutOnClose:
        """Return a MsgTimeoutOnClose."""
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
    """Convert a packet of the model to the real type."""
    return core.Packet(
        packet.sequence,
        *packet.source,
        *packet.destination,
        packet.data,
        _height(packet.until_height),
        packet.until_ns,
    )
