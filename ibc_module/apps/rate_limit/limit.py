"""One rate limit: over what, of which coin, in which windows, how much."""

from typing import NamedTuple

from ibc_core.coin import is_denom
from ibc_core.errors import InvalidRequest
from ibc_core.host.context import ReadContext
from ibc_core.identifiers import validate_channel_id
from ibc_core.numbers import MAX_U256
from ibc_proto.pyibc.ratelimit.v1 import ratelimit_pb2 as pb

_NS_PER_S = 10**9


class RateLimit(NamedTuple):
    """A quota. Windows follow each other without gap, counted from height or unix time 0."""

    channel_or_client_id: str  # of this chain
    denom: str  # the coin's name on this chain: `stake`, `ibc/HASH`
    window_blocks: int = 0  # a window's length; one of the two lengths is not 0
    window_seconds: int = 0
    max_send: int | None = None  # in one window; None: no bound, 0: nothing
    max_recv: int | None = None

    def validate(self) -> None:
        """Checks that the limit can be kept.

        Raises:
            InvalidIdentifier: not the form of a channel's or a client's identifier.
            InvalidRequest: no coin's name, no window or two, or an amount beyond 2^256-1.
        """
        validate_channel_id(self.channel_or_client_id)
        if not is_denom(self.denom):
            raise InvalidRequest(f"rate limit: {self.denom[:128]!a} is no denomination")
        if (self.window_blocks > 0) is (self.window_seconds > 0):
            raise InvalidRequest("rate limit: a window is so many blocks, or so many seconds")
        for amount in (self.max_send, self.max_recv):
            if amount is not None and not 0 <= amount <= MAX_U256:
                raise InvalidRequest(f"rate limit: amount {amount} is outside 0..2^256-1")

    def window(self, ctx: ReadContext) -> int:
        """The number of the window that the block under way is in."""
        if self.window_blocks:
            return ctx.height.revision_height // self.window_blocks
        return ctx.time_ns // (self.window_seconds * _NS_PER_S)


def pack(limit: RateLimit) -> pb.RateLimit:
    """The limit as a message."""
    return pb.RateLimit(
        channel_or_client_id=limit.channel_or_client_id,
        denom=limit.denom,
        window_blocks=limit.window_blocks,
        window_seconds=limit.window_seconds,
        max_send=_text(limit.max_send),
        max_recv=_text(limit.max_recv),
    )


def unpack(wire: pb.RateLimit) -> RateLimit:
    """The limit that a message tells; `validate` has not been asked.

    Raises:
        InvalidRequest: an amount is no decimal number.
    """
    return RateLimit(
        wire.channel_or_client_id,
        wire.denom,
        wire.window_blocks,
        wire.window_seconds,
        _amount(wire.max_send),
        _amount(wire.max_recv),
    )


def _text(amount: int | None) -> str:
    return "" if amount is None else str(amount)


def _amount(text: str) -> int | None:
    if not text:
        return None
    plain = text.isascii() and text.isdigit() and len(text) <= 78 and (text[0] != "0" or text == "0")
    if not plain:
        raise InvalidRequest(f"rate limit: {text[:80]!a} is no amount")
    return int(text)
