"""Hand-made messages with proofs at the height that the client knows, for tests to modify and submit."""

from conformance.kit.pair import Pair
from conformance.kit.paired_chain import PairedChain
from conformance.kit.scripted_app import VERSION
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
from pyibc.core.client.messages import MsgCreateClient, MsgUpdateClient
from pyibc.core.connection.messages import (
    MsgConnectionOpenAck,
    MsgConnectionOpenConfirm,
    MsgConnectionOpenInit,
    MsgConnectionOpenTry,
)
from pyibc.core.connection.types import COMPATIBLE_VERSIONS, DEFAULT_VERSION, ConnectionCounterparty
from pyibc.core.packet.messages import MsgAcknowledgement, MsgRecvPacket, MsgTimeout, MsgTimeoutOnClose
from pyibc.core.packet.types import Packet
from pyibc.relayer.chain.values import Proven
from pyibc.relayer.clients.tendermint import ClientSettings, client_header, client_state, consensus_state
from pyibc.relayer.packets.packets import acknowledgement_key, commitment_key, receipt_key


class Messages:
    """Messages to one chain of a pair, with proofs from the other."""

    def __init__(self, pair: Pair, to: PairedChain) -> None:
        self._pair = pair
        self._to = to
        self._prover = pair.other(to)

    @property
    def signer(self) -> str:
        """Address of the relayer on the receiving chain."""
        return self._to.relayer.signer

    def proof(self, key: bytes) -> Proven:
        """Return the other chain's value at `key`, or its absence, with a proof."""
        return self._pair.prove(self._prover, key)

    def _ports(self, port: str) -> tuple[str, str]:
        """Return the ports of this end and of the other; by default those of the scripted applications."""
        return (port, port) if port else (self._to.port, self._prover.port)

    # -- clients

    def create_client(self, terms: ClientSettings | None = None) -> MsgCreateClient:
        """Create a client that starts at the other chain's last header."""
        target = self._prover.chain
        state = client_state(target.chain_id, target.height, terms or ClientSettings())
        return MsgCreateClient(state, consensus_state(target.light_block(target.height)), self.signer)

    def update_client(self, height: int | None = None) -> MsgUpdateClient:
        """Update the client with the other chain's header of `height`, by default the last."""
        target, trusted = self._prover.chain, self._pair.known(self._to).revision_height
        block = target.light_block(target.height if height is None else height)
        header = client_header(block, target.light_block(trusted + 1), target.chain_id)
        return MsgUpdateClient(self._to.client_id, header, self.signer)

    # -- connections

    def connection_open_init(self) -> MsgConnectionOpenInit:
        """Open a connection to the other chain."""
        far = ConnectionCounterparty(self._prover.client_id, "", paths.COMMITMENT_PREFIX)
        return MsgConnectionOpenInit(self._to.client_id, far, DEFAULT_VERSION, 0, self.signer)

    def connection_open_try(self, connection_id_on_a: str) -> MsgConnectionOpenTry:
        """Return a MsgConnectionOpenTry for an INIT end of the other chain."""
        proven = self.proof(paths.connection_path(connection_id_on_a))
        far = ConnectionCounterparty(self._prover.client_id, connection_id_on_a, paths.COMMITMENT_PREFIX)
        versions = COMPATIBLE_VERSIONS
        ours = self._to.client_id
        return MsgConnectionOpenTry(ours, far, 0, versions, proven.proof, proven.height, self.signer)

    def connection_open_ack(self, connection_id: str, far_id: str) -> MsgConnectionOpenAck:
        """Return a MsgConnectionOpenAck for a TRYOPEN end of the other chain."""
        proven = self.proof(paths.connection_path(far_id))
        return MsgConnectionOpenAck(
            connection_id, far_id, DEFAULT_VERSION, proven.proof, proven.height, self.signer
        )

    def connection_open_confirm(self, connection_id: str, far_id: str) -> MsgConnectionOpenConfirm:
        """Return a MsgConnectionOpenConfirm for an OPEN end of the other chain."""
        proven = self.proof(paths.connection_path(far_id))
        return MsgConnectionOpenConfirm(connection_id, proven.proof, proven.height, self.signer)

    # -- channels

    def channel_open_init(
        self, connection_id: str, order: Order = Order.UNORDERED, port: str = "", version: str = VERSION
    ) -> MsgChannelOpenInit:
        """Open a channel.

        `port`, here and below, is the port of both ends; "" means the scripted applications' ports.
        """
        port, far_port = self._ports(port)
        far = ChannelCounterparty(far_port, "")
        end = ChannelEnd(ChannelState.INIT, order, far, (connection_id,), version)
        return MsgChannelOpenInit(port, end, self.signer)

    def channel_open_try(
        self,
        connection_id: str,
        far_channel: str,
        order: Order = Order.UNORDERED,
        port: str = "",
        version: str = VERSION,
    ) -> MsgChannelOpenTry:
        """Return a MsgChannelOpenTry for an INIT end of the other chain."""
        port, far_port = self._ports(port)
        proven = self.proof(paths.channel_path(far_port, far_channel))
        far = ChannelCounterparty(far_port, far_channel)
        end = ChannelEnd(ChannelState.TRYOPEN, order, far, (connection_id,), version)
        return MsgChannelOpenTry(port, "", end, version, proven.proof, proven.height, self.signer)

    def channel_open_ack(
        self, channel: str, far_channel: str, port: str = "", version: str = VERSION
    ) -> MsgChannelOpenAck:
        """Return a MsgChannelOpenAck for a TRYOPEN end of the other chain."""
        port, far_port = self._ports(port)
        proven = self.proof(paths.channel_path(far_port, far_channel))
        return MsgChannelOpenAck(
            port, channel, far_channel, version, proven.proof, proven.height, self.signer
        )

    def channel_open_confirm(self, channel: str, far_channel: str, port: str = "") -> MsgChannelOpenConfirm:
        """Return a MsgChannelOpenConfirm for an OPEN end of the other chain."""
        port, far_port = self._ports(port)
        proven = self.proof(paths.channel_path(far_port, far_channel))
        return MsgChannelOpenConfirm(port, channel, proven.proof, proven.height, self.signer)

    def channel_close_init(self, channel: str, port: str = "") -> MsgChannelCloseInit:
        """Close a channel end."""
        return MsgChannelCloseInit(self._ports(port)[0], channel, self.signer)

    def channel_close_confirm(self, channel: str, far_channel: str, port: str = "") -> MsgChannelCloseConfirm:
        """Return a MsgChannelCloseConfirm for a CLOSED end of the other chain."""
        port, far_port = self._ports(port)
        proven = self.proof(paths.channel_path(far_port, far_channel))
        return MsgChannelCloseConfirm(port, channel, proven.proof, proven.height, self.signer)

    # -- packets

    def recv(self, packet: Packet) -> MsgRecvPacket:
        """Receive a packet that the other chain sent."""
        proven = self.proof(commitment_key(packet))
        return MsgRecvPacket(packet, proven.proof, proven.height, self.signer)

    def acknowledge(self, packet: Packet, acknowledgement: bytes) -> MsgAcknowledgement:
        """Deliver the other chain's acknowledgement of a packet."""
        proven = self.proof(acknowledgement_key(packet))
        return MsgAcknowledgement(packet, acknowledgement, proven.proof, proven.height, self.signer)

    def timeout(self, packet: Packet, order: Order = Order.UNORDERED, next_recv: int = 1) -> MsgTimeout:
        """Time out a packet that the other chain did not receive in time."""
        proven = self._unreceived(packet, order)
        return MsgTimeout(packet, proven.proof, proven.height, next_recv, self.signer)

    def timeout_on_close(
        self, packet: Packet, order: Order = Order.UNORDERED, next_recv: int = 1
    ) -> MsgTimeoutOnClose:
        """Time out a packet that the other chain did not receive before closing the channel."""
        proven = self._unreceived(packet, order)
        closed = self.proof(paths.channel_path(packet.port_id_on_b, packet.channel_id_on_b))
        return MsgTimeoutOnClose(packet, proven.proof, closed.proof, proven.height, next_recv, self.signer)

    def _unreceived(self, packet: Packet, order: Order) -> Proven:
        return self.proof(unreceived_key(packet, order))


def unreceived_key(packet: Packet, order: Order) -> bytes:
    """Return the key on B that proves non-receipt: the packet's receipt or the next sequence to receive."""
    if order is Order.ORDERED:
        return paths.next_sequence_recv_path(packet.port_id_on_b, packet.channel_id_on_b)
    return receipt_key(packet)


def cleanup_key(packet: Packet, claim: int | bytes) -> bytes:
    """Return the key on B that proves `claim`: the next sequence to receive or the acknowledgement."""
    if isinstance(claim, int):
        return paths.next_sequence_recv_path(packet.port_id_on_b, packet.channel_id_on_b)
    return acknowledgement_key(packet)
