"""One rate limit: path, denomination, window, quota."""

from typing import Annotated, NamedTuple

from ibc_core.coin import is_denom
from ibc_core.errors import InvalidRequest
from ibc_core.host.context import ReadContext
from ibc_core.identifiers import validate_channel_id
from ibc_core.numbers import MAX_U256
from ibc_core.value import sealed
from ibc_core.wire.columns import Codec, Wire
from ibc_core.wire.table import on_wire
from ibc_proto.pyibc.ratelimit.v1 import ratelimit_pb2 as pb

_NS_PER_S = 10**9


def _write_amount(amount: int | None) -> str:
    return "" if amount is None else str(amount)


def _read_amount(text: str) -> int | None:
    """The amount of a limit; raises InvalidRequest if it is not a decimal number."""
    if not text:
        return None
    plain = text.isascii() and text.isdigit() and len(text) <= 78 and (text[0] != "0" or text == "0")
    if not plain:
        raise InvalidRequest(f"rate limit: {text[:80]!a} is no amount")
    return int(text)


_AMOUNT = Codec(_read_amount, _write_amount)


@on_wire(pb.RateLimit)
@sealed
class RateLimit(NamedTuple):
    """A quota. Windows follow each other without gap, counted from height or unix time 0."""

    channel_or_client_id: str  # of this chain
    denom: str  # the coin's name on this chain: `stake`, `ibc/HASH`
    window_blocks: int = 0  # a window's length; one of the two lengths is not 0
    window_seconds: int = 0
    max_send: Annotated[int | None, Wire("max_send", _AMOUNT)] = (
        None  # in one window; None: no bound, 0: nothing
    )
    max_recv: Annotated[int | None, Wire("max_recv", _AMOUNT)] = None

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
        """The number of the window of the current block."""
        if self.window_blocks:
            return ctx.height.revision_height // self.window_blocks
        return ctx.time_ns // (self.window_seconds * _NS_PER_S)
