"""ICS-20 in tests: transfers, and names of vouchers."""

from pyibc.apps.transfer.coins import escrow_address, voucher
from pyibc.apps.transfer.denom import Denom, native
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.apps.transfer.packet_data import PORT_ID
from pyibc.codec.anys import AnyMessage
from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.core.packet_v2.types import NS_PER_S
from pyibc.core.wire.message import pack_msg
from pyibc.relayer.paths.path import AnyEnd, ClientEnd, PathEnd
from pyibc.testing.pair import Party

FAR = Height(1, 1_000_000)
"""A timeout height that no test reaches."""


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
    """Return a user's MsgTransfer with a timeout height, or a timeout timestamp in nanoseconds."""
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


def transfer_v2(  # noqa: PLR0913 - all fields of a transfer
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
    """Return a user's MsgTransfer over a client, with a timeout in unix seconds.

    Without `until_s` the timeout is ten minutes; without `encoding` its payload is JSON.
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
    """Return the hop that a voucher's denomination names: port and channel, or port and client."""
    return (PORT_ID, end.client_id) if isinstance(end, ClientEnd) else (end.port_id, end.channel_id)


def abroad(denom: str | Denom, *ends: AnyEnd) -> Denom:
    """Return the denomination of a coin after it was received at `ends`, in this order."""
    name = native(denom) if isinstance(denom, str) else denom
    for end in ends:
        name = voucher(name, *hop(end))
    return name


def in_escrow(party: Party, end: AnyEnd, denom: str) -> int:
    """Return the balance of the escrow account of a channel or client."""
    app = party.chain.app
    return app.bank.balance(app.query_context(), escrow_address(*hop(end)), denom)


def supply(party: Party, denom: str) -> int:
    """Return the supply of a coin on a chain."""
    app = party.chain.app
    return app.bank.supply(app.query_context(), denom)
