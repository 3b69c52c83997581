"""CheckTx of relayers' transactions, which refuses redundant ones (ibc-go's RedundantRelayDecorator).

A transaction of client updates and packet messages is refused if all its packet messages are redundant; a
transaction with any other message is accepted. The effects are written to the mempool's own state, so that
the second of two relayers' transactions in a block is refused early. Nothing here is part of consensus.
"""

from collections.abc import Callable, Sequence
from typing import Any

from handlers.packet import acknowledge, recv, timeout, timeout_on_close
from handlers.packet_v2 import acknowledge as acknowledge_v2
from handlers.packet_v2 import recv as recv_v2
from handlers.packet_v2 import timeout as timeout_v2
from keepers.keepers import Keepers
from light_client.contexts import CachedWriteContext
from pyibc.core.client.messages import MsgUpdateClient
from pyibc.core.errors import DelayPeriodNotPassed, HeaderFromFuture, RedundantTx
from pyibc.core.host.context import CheckedMessage, WriteContext
from pyibc.core.packet.messages import (
    MsgAcknowledgement,
    MsgRecvPacket,
    MsgTimeout,
    MsgTimeoutOnClose,
    Redundant,
)
from pyibc.core.packet_v2.messages import MsgAcknowledgementV2, MsgRecvPacketV2, MsgTimeoutV2

_NOT_YET = (HeaderFromFuture, DelayPeriodNotPassed)
"""Errors that the next block might not raise, because CheckTx uses the last block's time."""


def check(
    keepers: Keepers,
    ctx: WriteContext,
    messages: Sequence[CheckedMessage],
    *,
    recheck: bool,
    strict: bool = False,
) -> None:
    """Check a transaction that enters the mempool, or is already in it (`recheck`).

    With `strict`, errors that depend on the last block's time are raised too, as in ibc-go.

    Raises:
        RedundantTx: the transaction has packet messages, and all are redundant.
        IbcError: a message would fail in a block.
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
    """Update or freeze the client, as a block would; a recheck does not verify the message again.

    Unlike in ibc-go, misbehaviour is not passed to `update_state`.
    """
    once = CachedWriteContext(ctx, {})
    keepers.clients.require_active(once, msg.client_id)
    light_client = keepers.clients.route(once, msg.client_id)
    if not recheck:
        light_client.verify_client_message(once, msg.client_id, msg.client_message)
    if light_client.check_for_misbehaviour(once, msg.client_id, msg.client_message):
        light_client.update_state_on_misbehaviour(once, msg.client_id, msg.client_message)
    else:
        light_client.update_state(once, msg.client_id, msg.client_message)


def _recv(keepers: Keepers, ctx: WriteContext, msg: MsgRecvPacket, recheck: bool) -> bool:
    """Return whether the packet is redundant, without calling the application; a recheck skips the proof."""
    arrived = msg.packet
    if recheck:
        ordering = keepers.channels.get(ctx, arrived.port_id_on_b, arrived.channel_id_on_b).ordering
        if recv.was_received(keepers, ctx, arrived, ordering):
            return True
    else:
        proven = recv.verify(keepers, ctx, msg)
        if isinstance(proven, Redundant):
            return True
        keepers.clients.apply_effect(ctx, proven.effect)
        ordering = proven.end_on_b.ordering
    recv.mark_received(keepers, ctx, arrived, ordering)
    return False


def _recv_v2(keepers: Keepers, ctx: WriteContext, msg: MsgRecvPacketV2, _: bool) -> bool:
    """Return whether the packet is redundant, without calling applications, unlike in ibc-go v11.2."""
    proven = recv_v2.validate(keepers, ctx, msg)
    if isinstance(proven, Redundant):
        return True
    keepers.clients.apply_effect(ctx, proven.effect)
    keepers.v2.packets.set_receipt(ctx, msg.packet)
    return False


_Check = Callable[[Keepers, WriteContext, Any, bool], bool]


def _whole(validate: Callable[..., Any], execute: Callable[..., Any]) -> _Check:
    """Return a check that runs the message's handler, including the application."""

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
"""Message type -> function that returns whether a message is redundant, and writes its effects."""
