"""The messages by which the host's authority sets and removes rate limits."""

from typing import NamedTuple

from ibc_core.address import AddressCodec
from ibc_core.errors import RateLimitNotFound, UnauthorizedTx
from ibc_core.host.context import WriteContext
from ibc_core.wire.encoding import encode
from ibc_core.wire.strict import parse
from ibc_module.apps.rate_limit import state
from ibc_module.apps.rate_limit.limit import RateLimit, pack, unpack
from ibc_proto.pyibc.ratelimit.v1 import ratelimit_pb2 as pb

SET_RATE_LIMIT = "/pyibc.ratelimit.v1.MsgSetRateLimit"
REMOVE_RATE_LIMIT = "/pyibc.ratelimit.v1.MsgRemoveRateLimit"


class MsgSetRateLimit(NamedTuple):
    """A new limit, or other numbers for one that there is."""

    signer: str
    limit: RateLimit


class MsgRemoveRateLimit(NamedTuple):
    """No limit any more."""

    signer: str
    channel_or_client_id: str
    denom: str


def encode_set(msg: MsgSetRateLimit) -> bytes:
    """`MsgSetRateLimit`."""
    return encode(pb.MsgSetRateLimit(signer=msg.signer, limit=pack(msg.limit)))


def encode_remove(msg: MsgRemoveRateLimit) -> bytes:
    """`MsgRemoveRateLimit`."""
    return encode(pb.MsgRemoveRateLimit(**msg._asdict()))


def decode_set(raw: bytes, addresses: AddressCodec) -> MsgSetRateLimit:
    """`MsgSetRateLimit`, checked.

    Raises:
        TxDecode: `raw` is refused.
        InvalidAddress, InvalidIdentifier, InvalidRequest: it makes no sense.
    """
    wire = parse(pb.MsgSetRateLimit, raw)
    addresses.decode(wire.signer, "signer")
    limit = unpack(wire.limit)
    limit.validate()
    return MsgSetRateLimit(wire.signer, limit)


def decode_remove(raw: bytes, addresses: AddressCodec) -> MsgRemoveRateLimit:
    """`MsgRemoveRateLimit`, checked.

    Raises:
        TxDecode: `raw` is refused.
        InvalidAddress: the signer is no address.
    """
    wire = parse(pb.MsgRemoveRateLimit, raw)
    addresses.decode(wire.signer, "signer")
    return MsgRemoveRateLimit(wire.signer, wire.channel_or_client_id, wire.denom)


def execute_set(ctx: WriteContext, msg: MsgSetRateLimit, authority: str) -> None:
    """Writes the limit; what was counted in the window under way stays, if the windows do.

    Raises:
        UnauthorizedTx: the signer is not the authority.
    """
    _require_authority(msg.signer, authority)
    state.set_limit(ctx, msg.limit)


def execute_remove(ctx: WriteContext, msg: MsgRemoveRateLimit, authority: str) -> None:
    """Drops the limit.

    Raises:
        UnauthorizedTx: the signer is not the authority.
        RateLimitNotFound: there is none.
    """
    _require_authority(msg.signer, authority)
    found = state.limit(ctx, msg.channel_or_client_id, msg.denom)
    if found is None:
        raise RateLimitNotFound(msg.channel_or_client_id[:64], msg.denom[:128])
    state.remove_limit(ctx, found)


def _require_authority(signer: str, authority: str) -> None:
    if signer != authority:
        raise UnauthorizedTx(f"invalid authority: expected {authority}, got {signer}")
