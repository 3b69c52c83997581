"""Hand-made messages of the first ICS-4 text, with proofs, for ends with chosen identifiers."""

from typing import TypeVar

from conformance.kit.messages import Messages, cleanup_key
from conformance.kit.pair import Pair
from conformance.kit.paired_chain import PairedChain
from pyibc.codec.anys import AnyMessage
from pyibc.core import paths
from pyibc.core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from pyibc.core.connection.types import COMPATIBLE_VERSIONS, DEFAULT_VERSION, ConnectionCounterparty
from pyibc.core.packet.types import Packet
from pyibc.core.wire.message import Msg, pack_msg
from pyibc.direct.calls import DirectOpening
from pyibc.direct.messages import (
    MsgCleanupPacket,
    MsgNamedChannelCloseConfirm,
    MsgNamedChannelCloseInit,
    MsgNamedChannelOpenAck,
    MsgNamedChannelOpenConfirm,
    MsgNamedChannelOpenInit,
    MsgNamedChannelOpenTry,
    MsgNamedConnectionOpenAck,
    MsgNamedConnectionOpenConfirm,
    MsgNamedConnectionOpenInit,
    MsgNamedConnectionOpenTry,
    MsgNamedTimeout,
)

_M = TypeVar("_M", bound=Msg)


class Ics4Messages:
    """Messages to one chain of a pair, with identifiers chosen by the sender."""

    def __init__(self, pair: Pair, to: PairedChain) -> None:
        self._today = Messages(pair, to)
        self._client_id = to.client_id
        self._far_client_id = pair.other(to).client_id

    @property
    def signer(self) -> str:
        """Address of the relayer on the receiving chain."""
        return self._today.signer

    # -- connections

    def connection_open_init(self, connection_id: str = "", far_id: str = "") -> AnyMessage:
        """Open a connection with these identifiers."""
        far = ConnectionCounterparty(self._far_client_id, far_id, paths.COMMITMENT_PREFIX)
        msg = MsgNamedConnectionOpenInit(self._client_id, far, DEFAULT_VERSION, 0, self.signer, connection_id)
        return pack_msg(msg)

    def connection_open_try(self, connection_id: str, far_id: str, *, named: bool = True) -> AnyMessage:
        """Return a ConnOpenTry for an INIT end of the other chain."""
        proven = self._today.proof(paths.connection_path(far_id))
        far = ConnectionCounterparty(self._far_client_id, far_id, paths.COMMITMENT_PREFIX)
        msg = MsgNamedConnectionOpenTry(
            self._client_id,
            far,
            0,
            COMPATIBLE_VERSIONS,
            proven.proof,
            proven.height,
            self.signer,
            connection_id,
            named,
        )
        return pack_msg(msg)

    def connection_open_ack(self, connection_id: str, far_id: str) -> AnyMessage:
        """Return a ConnOpenAck for a TRYOPEN end of the other chain."""
        msg = self._today.connection_open_ack(connection_id, far_id)
        return pack_msg(_named(MsgNamedConnectionOpenAck, msg))

    def connection_open_confirm(self, connection_id: str, far_id: str) -> AnyMessage:
        """Return a ConnOpenConfirm for an OPEN end of the other chain."""
        msg = self._today.connection_open_confirm(connection_id, far_id)
        return pack_msg(_named(MsgNamedConnectionOpenConfirm, msg))

    # -- channels of the scripted applications

    def channel_open_init(self, asked: DirectOpening) -> AnyMessage:
        """Open a channel with these identifiers."""
        end = _end(ChannelState.INIT, asked)
        msg = MsgNamedChannelOpenInit(asked.port_id, end, self.signer, asked.channel_id)
        return pack_msg(msg)

    def channel_open_try(self, asked: DirectOpening, version: str, *, named: bool = True) -> AnyMessage:
        """Return a ChanOpenTry for an INIT end of the other chain."""
        far: ChannelCounterparty = asked.counterparty
        proven = self._today.proof(paths.channel_path(far.port_id, far.channel_id))
        msg = MsgNamedChannelOpenTry(
            asked.port_id,
            "",
            _end(ChannelState.TRYOPEN, asked),
            version,
            proven.proof,
            proven.height,
            self.signer,
            asked.channel_id,
            named,
        )
        return pack_msg(msg)

    def channel_open_ack(self, channel_id: str, far_id: str, version: str) -> AnyMessage:
        """Return a ChanOpenAck for a TRYOPEN end of the other chain."""
        msg = self._today.channel_open_ack(channel_id, far_id, version=version)
        return pack_msg(_named(MsgNamedChannelOpenAck, msg))

    def channel_open_confirm(self, channel_id: str, far_id: str) -> AnyMessage:
        """Return a ChanOpenConfirm for an OPEN end of the other chain."""
        msg = self._today.channel_open_confirm(channel_id, far_id)
        return pack_msg(_named(MsgNamedChannelOpenConfirm, msg))

    def channel_close_init(self, channel_id: str) -> AnyMessage:
        """Close a channel end."""
        msg = self._today.channel_close_init(channel_id)
        return pack_msg(_named(MsgNamedChannelCloseInit, msg))

    def channel_close_confirm(self, channel_id: str, far_id: str) -> AnyMessage:
        """Return a ChanCloseConfirm for a CLOSED end of the other chain."""
        msg = self._today.channel_close_confirm(channel_id, far_id)
        return pack_msg(_named(MsgNamedChannelCloseConfirm, msg))

    # -- packets

    def timeout(self, packet: Packet, order: Order, next_recv: int) -> AnyMessage:
        """Time out a packet; `next_recv` 0 means that the other chain has no such channel."""
        msg = self._today.timeout(packet, order, next_recv)
        return pack_msg(_named(MsgNamedTimeout, msg))

    def cleanup(self, packet: Packet, claim: int | bytes) -> AnyMessage:
        """Clean up a received packet; `claim` is the other chain's next sequence, or its acknowledgement."""
        msg = self.cleanup_value(packet, claim)
        return pack_msg(msg)

    def cleanup_value(self, packet: Packet, claim: int | bytes) -> MsgCleanupPacket:
        """Return the cleanup message as a value, for tests to modify."""
        proven = self._today.proof(cleanup_key(packet, claim))
        sequence, answer = (claim, b"") if isinstance(claim, int) else (0, claim)
        return MsgCleanupPacket(packet, proven.proof, proven.height, sequence, answer, self.signer)


def _named(cls: type[_M], today: Msg) -> _M:
    """Convert a current message to the first text, for ends of any name."""
    return cls(*(getattr(today, column.name) for column in today.TABLE.columns))


def _end(state: ChannelState, asked: DirectOpening) -> ChannelEnd:
    return ChannelEnd(state, asked.order, asked.counterparty, asked.connection_hops, asked.version)
