"""ICS-20 by hand: transfers, and what coins are called where."""

from ibc_core.any_message import AnyMessage
from ibc_core.height import ZERO_HEIGHT, Height
from ibc_core.packet_v2.types import NS_PER_S
from ibc_core.transfer.denom import Denom, native
from ibc_core.transfer.msg_transfer import MsgTransfer
from ibc_core.wire.message import pack_msg
from ibc_module.apps.transfer.coins import voucher
from ibc_module.apps.transfer.escrow import escrow_address
from ibc_module.apps.transfer.state import PORT_ID
from ibc_relayer.path import AnyEnd, ClientEnd, PathEnd
from ibc_testing.two_chains import Party

FAR = Height(1, 1_000_000)
"""A timeout that no test reaches."""


def transfer(
    party: Party,
    user: str,
    end: PathEnd,
    denom: str,
    amount: int,
    receiver: str,
    *,
    until: Height | int = FAR,
    memo: str = "",
) -> AnyMessage:
    """A user's MsgTransfer, to arrive before a height of the other chain, or before a time (nanoseconds)."""
    height, timeout_ns = (ZERO_HEIGHT, until) if isinstance(until, int) else (until, 0)
    message = MsgTransfer(
        end.port_id,
        end.channel_id,
        denom,
        str(amount),
        party.address(user),
        receiver,
        height,
        timeout_ns,
        memo,
    )
    return pack_msg(message)


def transfer_v2(  # noqa: PLR0913 - what a transfer says, all of it
    party: Party,
    user: str,
    end: ClientEnd,
    denom: str,
    amount: int,
    receiver: str,
    *,
    until_s: int = 0,
    memo: str = "",
    encoding: str = "",
) -> AnyMessage:
    """A user's MsgTransfer over a client, to arrive before a time of the other chain (unix seconds).

    Without `until_s` it has ten minutes; without `encoding` its payload is JSON.
    """
    soon = party.chain.tip().time_ns // NS_PER_S + 600
    message = MsgTransfer(
        *hop(end),
        denom,
        str(amount),
        party.address(user),
        receiver,
        ZERO_HEIGHT,
        until_s or soon,
        memo,
        encoding,
    )
    return pack_msg(message)


def hop(end: AnyEnd) -> tuple[str, str]:
    """What a voucher's name says of the end it came over: port and channel, or client."""
    return (PORT_ID, end.client_id) if isinstance(end, ClientEnd) else (end.port_id, end.channel_id)


def abroad(denom: str | Denom, *ends: AnyEnd) -> Denom:
    """What a coin is called after it arrived at `ends`, one after the other."""
    name = native(denom) if isinstance(denom, str) else denom
    for end in ends:
        name = voucher(name, *hop(end))
    return name


def in_escrow(party: Party, end: AnyEnd, denom: str) -> int:
    """What the escrow account of a channel or client holds."""
    app = party.chain.app
    return app.bank.balance(app.query_context(), escrow_address(*hop(end)), denom)


def supply(party: Party, denom: str) -> int:
    """How much of a coin there is on a chain."""
    app = party.chain.app
    return app.bank.supply(app.query_context(), denom)
