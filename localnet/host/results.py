"""What comes of a transaction: the one place where an error of the tree becomes a code."""

from collections.abc import Iterable
from functools import lru_cache

from ibc_module.core.block import TxOutcome
from ibc_module.core.events import Event
from ibc_module.core.gas import GasMeter
from ibc_module.errors import IbcError


def refused(
    raw: bytes, error: IbcError, gas_wanted: int, meter: GasMeter, events: tuple[Event, ...] = ()
) -> TxOutcome:
    """The outcome of a transaction that `error` ended; `events` are the ante's, where it had passed."""
    return TxOutcome(
        raw, error.code, error.codespace, events, gas_wanted, meter.used, log=str(error)
    )


def _delimited(tag: bytes, raw: bytes) -> bytes:
    size, head = len(raw), b""
    while size > 0x7F:
        head += bytes((size & 0x7F | 0x80,))
        size >>= 7
    return b"%b%b%b%b" % (tag, head, bytes((size,)), raw)


@lru_cache(1024)
def _type_field(type_url: str) -> bytes:
    return _delimited(b"\x0a", type_url.encode())


def message_data(responses: Iterable[tuple[str, bytes]]) -> bytes:
    """TxMsgData of the responses (type URL, bytes), as the result's `data` holds it."""
    parts = []
    for type_url, value in responses:
        body = _type_field(type_url) + (_delimited(b"\x12", value) if value else b"")
        parts.append(_delimited(b"\x12", body))
    return b"".join(parts)
