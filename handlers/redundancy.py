"""CheckTx of relayers' transactions: refuses redundant ones (ibc-go's RedundantRelayDecorator).

A transaction of updates and packet messages is refused if all of its packet messages are redundant; one
with any other message passes. What is checked here is written to the mempool's own state, so that of two
relayers in one block the second is refused at once. Nothing here is consensus.
"""

from collections.abc import Callable, Sequence
from typing import Any

from handlers.packet import acknowledge, recv, timeout, timeout_on_close
from handlers.packet_v2 import acknowledge as acknowledge_v2
from handlers.packet_v2 import recv as recv_v2
from handlers.packet_v2 import timeout as timeout_v2
from ibc_core.client.update import MsgUpdateClient
from ibc_core.errors import DelayPeriodNotPassed, HeaderFromFuture, RedundantTx
from ibc_core.host.context import WriteContext
from ibc_core.host.routes import CheckedMessage
from ibc_core.packet.acknowledge import MsgAcknowledgement
from ibc_core.packet.outcome import Redundant
from ibc_core.packet.recv import MsgRecvPacket
from ibc_core.packet.timeout import MsgTimeout
from ibc_core.packet.timeout_on_close import MsgTimeoutOnClose
from ibc_core.packet_v2.acknowledge import MsgAcknowledgementV2
from ibc_core.packet_v2.recv import MsgRecvPacketV2
from ibc_core.packet_v2.timeout import MsgTimeoutV2
from keepers.keepers import Keepers
from light_client.views import WriteOnce

_NOT_YET = (HeaderFromFuture, DelayPeriodNotPassed)
"""Errors that the next block may not raise: CheckTx runs at the last block's time."""


def check(
    keepers: Keepers,
    ctx: WriteContext,
    messages: Sequence[CheckedMessage],
    *,
    recheck: bool,
    strict: bool = False,
) -> None:
    """Checks a transaction that enters the mempool, or is in it already (`recheck`).

    `strict`: errors that depend on the last block's time are raised too, as in ibc-go.

    Raises:
        RedundantTx: it has packet messages, and nothing is left to do in any of them.
        IbcError: one of its messages would fail in a block.
    """
    try:
        _check(keepers, ctx, messages, recheck)
    except _NOT_YET:
        if strict:
            raise


def _check(keepers: Keepers, ctx: WriteContext, messages: Sequence[CheckedMessage], recheck: bool) -> None:
    redundant = []
    for type_url, msg in messages:
        if type_url == MsgUpdateClient.TYPE_URL:
            _update(keepers, ctx, msg, recheck)
        elif type_url in _PACKETS:
            redundant.append(_PACKETS[type_url](keepers, ctx, msg, recheck))
        else:
            return
    if redundant and all(redundant):
        raise RedundantTx


def _update(keepers: Keepers, ctx: WriteContext, msg: MsgUpdateClient, recheck: bool) -> None:
    """Takes a header over, or freezes the client, as a block would; a recheck does not verify it again.

    ibc-go hands `UpdateState` evidence too. A light client here need not know that: it gets headers only.
    """
    once = WriteOnce(ctx, {})
    keepers.clients.require_active(once, msg.client_id)
    light_client = keepers.clients.route(once, msg.client_id)
    if not recheck:
        light_client.verify_client_message(once, msg.client_id, msg.client_message)
    if light_client.check_for_misbehaviour(once, msg.client_id, msg.client_message):
        light_client.update_state_on_misbehaviour(once, msg.client_id, msg.client_message)
    else:
        light_client.update_state(once, msg.client_id, msg.client_message)


def _recv(keepers: Keepers, ctx: WriteContext, msg: MsgRecvPacket, recheck: bool) -> bool:
    """Whether the packet was received; no application runs, and a recheck verifies no proof."""
    arrived = msg.packet
    if recheck:
        ordering = keepers.channels.get(ctx, arrived.port_id_on_b, arrived.channel_id_on_b).ordering
        if recv.was_received(keepers, ctx, arrived, ordering):
            return True
    else:
        proven = recv.verify(keepers, ctx, msg)
        if isinstance(proven, Redundant):
            return True
        keepers.clients.settle(ctx, proven.effect)
        ordering = proven.end_on_b.ordering
    recv.mark_received(keepers, ctx, arrived, ordering)
    return False


def _recv_v2(keepers: Keepers, ctx: WriteContext, msg: MsgRecvPacketV2, _: bool) -> bool:
    """Whether the packet was received; no application runs (in ibc-go v11.2 they do)."""
    proven = recv_v2.validate(keepers, ctx, msg)
    if isinstance(proven, Redundant):
        return True
    keepers.clients.settle(ctx, proven.effect)
    keepers.v2.packets.set_receipt(ctx, msg.packet)
    return False


_Check = Callable[[Keepers, WriteContext, Any, bool], bool]


def _whole(validate: Callable[..., Any], execute: Callable[..., Any]) -> _Check:
    """The message's own handler, application included."""

    def run(keepers: Keepers, ctx: WriteContext, msg: Any, _: bool) -> bool:
        verified = validate(keepers, ctx, msg)
        if isinstance(verified, Redundant):
            return True
        execute(keepers, ctx, verified)
        return False

    return run


_PACKETS: dict[str, _Check] = {
    MsgRecvPacket.TYPE_URL: _recv,
    MsgAcknowledgement.TYPE_URL: _whole(acknowledge.validate, acknowledge.execute),
    MsgTimeout.TYPE_URL: _whole(timeout.validate, timeout.execute),
    MsgTimeoutOnClose.TYPE_URL: _whole(timeout_on_close.validate, timeout_on_close.execute),
    MsgRecvPacketV2.TYPE_URL: _recv_v2,
    MsgAcknowledgementV2.TYPE_URL: _whole(acknowledge_v2.validate, acknowledge_v2.execute),
    MsgTimeoutV2.TYPE_URL: _whole(timeout_v2.validate, timeout_v2.execute),
}
"""Message type -> whether nothing is left to do in it; writes to the mempool's state."""
