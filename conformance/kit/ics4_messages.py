"""Hand-made messages of the first ICS-4 text, with proofs, for ends with chosen identifiers."""

from typing import TypeVar

from conformance.kit.messages import Messages, cleanup_key
from conformance.kit.pair import Pair
from conformance.kit.paired_chain import PairedChain
from ibc_core import paths
from ibc_core.any_message import AnyMessage
from ibc_core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from ibc_core.connection.types import COMPATIBLE_VERSIONS, DEFAULT_VERSION, ConnectionCounterparty
from ibc_core.direct.calls import Opening
from ibc_core.direct.channel_messages import (
    MsgNamedChannelCloseConfirm,
    MsgNamedChannelCloseInit,
    MsgNamedChannelOpenAck,
    MsgNamedChannelOpenConfirm,
    MsgNamedChannelOpenInit,
    MsgNamedChannelOpenTry,
    MsgNamedTimeout,
)
from ibc_core.direct.connection_messages import (
    MsgNamedConnectionOpenAck,
    MsgNamedConnectionOpenConfirm,
    MsgNamedConnectionOpenInit,
    MsgNamedConnectionOpenTry,
)
from ibc_core.packet.cleanup import MsgCleanupPacket
from ibc_core.packet.types import Packet
from ibc_core.wire.message import Msg, pack_msg

_M = TypeVar("_M", bound=Msg)


class Ics4Messages:
    """Messages to one chain of a pair, with identifiers chosen by the sender."""

    def __init__(self, pair: Pair, to: PairedChain) -> None:
        self._today = Messages(pair, to)
        self._client_id = to.client_id
        self._far_client_id = pair.other(to).client_id

    @property
    def signer(self) -> str:
        """The relayer's address on the receiving chain."""
        return self._today.signer

    # -- connections

    def connection_open_init(self, connection_id: str = "", far_id: str = "") -> AnyMessage:
        """Opens a connection with these identifiers."""
        far = ConnectionCounterparty(self._far_client_id, far_id, paths.COMMITMENT_PREFIX)
        msg = MsgNamedConnectionOpenInit(self._client_id, far, DEFAULT_VERSION, 0, self.signer, connection_id)
        return pack_msg(msg)

    def connection_open_try(self, connection_id: str, far_id: str, *, named: bool = True) -> AnyMessage:
        """ConnOpenTry for an INIT end of the other chain."""
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
        """ConnOpenAck for a TRYOPEN end of the other chain."""
        msg = self._today.connection_open_ack(connection_id, far_id)
        return pack_msg(_named(MsgNamedConnectionOpenAck, msg))

    def connection_open_confirm(self, connection_id: str, far_id: str) -> AnyMessage:
        """ConnOpenConfirm for an OPEN end of the other chain."""
        msg = self._today.connection_open_confirm(connection_id, far_id)
        return pack_msg(_named(MsgNamedConnectionOpenConfirm, msg))

    # -- channels of the scripted applications

    def channel_open_init(self, asked: Opening) -> AnyMessage:
        """Opens a channel with these identifiers."""
        end = _end(ChannelState.INIT, asked)
        msg = MsgNamedChannelOpenInit(asked.port_id, end, self.signer, asked.channel_id)
        return pack_msg(msg)

    def channel_open_try(self, asked: Opening, version: str, *, named: bool = True) -> AnyMessage:
        """ChanOpenTry for an INIT end of the other chain."""
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
        """ChanOpenAck for a TRYOPEN end of the other chain."""
        msg = self._today.channel_open_ack(channel_id, far_id, version=version)
        return pack_msg(_named(MsgNamedChannelOpenAck, msg))

    def channel_open_confirm(self, channel_id: str, far_id: str) -> AnyMessage:
        """ChanOpenConfirm for an OPEN end of the other chain."""
        msg = self._today.channel_open_confirm(channel_id, far_id)
        return pack_msg(_named(MsgNamedChannelOpenConfirm, msg))

    def channel_close_init(self, channel_id: str) -> AnyMessage:
        """Closes a channel end."""
        msg = self._today.channel_close_init(channel_id)
        return pack_msg(_named(MsgNamedChannelCloseInit, msg))

    def channel_close_confirm(self, channel_id: str, far_id: str) -> AnyMessage:
        """ChanCloseConfirm for a CLOSED end of the other chain."""
        msg = self._today.channel_close_confirm(channel_id, far_id)
        return pack_msg(_named(MsgNamedChannelCloseConfirm, msg))

    # -- packets

    def timeout(self, packet: Packet, order: Order, next_recv: int) -> AnyMessage:
        """Times out a packet; `next_recv` 0 means that the other chain has no such channel."""
        msg = self._today.timeout(packet, order, next_recv)
        return pack_msg(_named(MsgNamedTimeout, msg))

    def cleanup(self, packet: Packet, claim: int | bytes) -> AnyMessage:
        """Cleans up a received packet; `claim` is the other chain's next sequence, or its acknowledgement."""
        msg = self.cleanup_value(packet, claim)
        return pack_msg(msg)

    def cleanup_value(self, packet: Packet, claim: int | bytes) -> MsgCleanupPacket:
        """The cleanup message as a value, for tests to modify."""
        proven = self._today.proof(cleanup_key(packet, claim))
        sequence, answer = (claim, b"") if isinstance(claim, int) else (0, claim)
        return MsgCleanupPacket(packet, proven.proof, proven.height, sequence, answer, self.signer)


def _named(cls: type[_M], today: Msg) -> _M:
    """A message of today's wire, for ends of any name."""
    return cls(*(getattr(today, column.name) for column in today.TABLE.columns))


def _end(state: ChannelState, asked: Opening) -> ChannelEnd:
    return ChannelEnd(state, asked.order, asked.counterparty, asked.connection_hops, asked.version)
