"""The store of rate limits: limits, flows of the current windows, and packets that may be refunded."""

from collections.abc import Iterator
from typing import NamedTuple

from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.numbers import be8
from ibc_core.value import sealed
from ibc_core.wire.states import read
from ibc_core.wire.table import pack, unpack
from ibc_module.apps.rate_limit.limit import RateLimit
from ibc_proto.pyibc.ratelimit.v1 import ratelimit_pb2 as pb

STORE_NAME = "ratelimit"
LIMITS = b"limits/"
"""Then `{id}/{denom}` -> RateLimit."""
_FLOWS = b"flows/"
"""Then `{id}/{denom}` -> Flow."""
SENT, WAITING = b"sent/", b"waiting/"
"""Then `{id}/` and the sequence in eight bytes -> the window in which a packet was counted."""


@sealed
class Flow(NamedTuple):
    """The flow in one window."""

    window: int
    sent: int
    received: int


def limit_path(channel_or_client_id: str, denom: str) -> bytes:
    """-> RateLimit."""
    return LIMITS + f"{channel_or_client_id}/{denom}".encode()


def _flow_path(limit: RateLimit) -> bytes:
    return _FLOWS + f"{limit.channel_or_client_id}/{limit.denom}".encode()


def _packet_path(kind: bytes, channel_or_client_id: str, sequence: int) -> bytes:
    return kind + f"{channel_or_client_id}/".encode() + be8(sequence)


def limit(ctx: ReadContext, channel_or_client_id: str, denom: str) -> RateLimit | None:
    """The limit of a coin over a channel or client, None if there is none."""
    raw = ctx.reader(STORE_NAME).get(limit_path(channel_or_client_id, denom))
    return None if raw is None else unpack(RateLimit, read(pb.RateLimit, raw))


def limits(ctx: ReadContext) -> Iterator[RateLimit]:
    """All limits, in the order of their keys."""
    for _, raw in ctx.reader(STORE_NAME).iterate(LIMITS, LIMITS[:-1] + b"0"):
        yield unpack(RateLimit, read(pb.RateLimit, raw))


def set_limit(ctx: WriteContext, new: RateLimit) -> None:
    """Sets a limit; a new window length starts with an empty flow."""
    before = limit(ctx, new.channel_or_client_id, new.denom)
    if before is not None and before[2:4] != new[2:4]:
        ctx.store(STORE_NAME).delete(_flow_path(new))
    path = limit_path(new.channel_or_client_id, new.denom)
    ctx.store(STORE_NAME).set(path, pack(new).SerializeToString(deterministic=True))


def remove_limit(ctx: WriteContext, old: RateLimit) -> None:
    """Deletes a limit and its flow."""
    ctx.store(STORE_NAME).delete(limit_path(old.channel_or_client_id, old.denom))
    ctx.store(STORE_NAME).delete(_flow_path(old))


def flow(ctx: ReadContext, of: RateLimit) -> Flow:
    """The flow in the current window."""
    window, raw = of.window(ctx), ctx.reader(STORE_NAME).get(_flow_path(of))
    stored = pb.Flow() if raw is None else read(pb.Flow, raw)
    if raw is None or stored.window != window:
        return Flow(window, 0, 0)
    return Flow(window, int(stored.sent or 0), int(stored.received or 0))


def set_flow(ctx: WriteContext, of: RateLimit, new: Flow) -> None:
    """Writes the flow of a window."""
    wire = pb.Flow(window=new.window, sent=str(new.sent), received=str(new.received))
    ctx.store(STORE_NAME).set(_flow_path(of), wire.SerializeToString(deterministic=True))


def note_packet(ctx: WriteContext, kind: bytes, of: RateLimit, sequence: int) -> None:
    """Records the window a packet was counted in, as `SENT` or `WAITING` for its acknowledgement."""
    path = _packet_path(kind, of.channel_or_client_id, sequence)
    ctx.store(STORE_NAME).set(path, _window_text(ctx, of))


def take_packet(ctx: WriteContext, kind: bytes, channel_or_client_id: str, sequence: int) -> bytes | None:
    """Removes and returns a packet's record; None if it was not counted."""
    path, store = _packet_path(kind, channel_or_client_id, sequence), ctx.store(STORE_NAME)
    note = store.get(path)
    if note is not None:
        store.delete(path)
    return note


def is_of_window(ctx: ReadContext, note: bytes, of: RateLimit) -> bool:
    """Whether a record is of the current window, by the limit's present window length."""
    return note == _window_text(ctx, of)


def _window_text(ctx: ReadContext, of: RateLimit) -> bytes:
    return f"{of.window_blocks}/{of.window_seconds}/{of.window(ctx)}".encode()
