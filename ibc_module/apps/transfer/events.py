"""Events of ICS-20, attribute for attribute as ibc-go emits them."""

from ibc_core.host.context import WriteContext
from ibc_core.host.events import Attribute, Event
from ibc_core.packet.acknowledgement import Acknowledgement, text_format
from ibc_core.wire.gojson import marshal_string
from ibc_module.apps.transfer.denom import Denom
from ibc_module.apps.transfer.packet_data import TransferData

MODULE: Event = ("message", (("module", "transfer"),))
EVENT_TYPE = "fungible_token_packet"


def sent(ctx: WriteContext, data: TransferData) -> None:
    """Event of an outgoing transfer."""
    ctx.emit(("ibc_transfer", _parties(data)))
    ctx.emit(MODULE)


def received(ctx: WriteContext, data: TransferData) -> None:
    """Event of a received transfer."""
    ctx.emit((EVENT_TYPE, (*_parties(data), ("success", "true"))))
    ctx.emit(MODULE)


def refused(ctx: WriteContext, data: TransferData | None, reason: str) -> None:
    """Event of a refused transfer; core renames it, since its branch is reverted."""
    _refused(ctx, data, reason, "false")


def refused_v2(ctx: WriteContext, data: TransferData | None, reason: str) -> None:
    """The same in IBC v2, where ibc-go says `success` all the same; the sentinel tells that it failed."""
    _refused(ctx, data, reason, "true")


def _refused(ctx: WriteContext, data: TransferData | None, reason: str, success: str) -> None:
    parties = _parties(data) if data is not None else _NO_PARTIES
    ctx.emit((EVENT_TYPE, (*parties, ("success", success), ("error", reason))))
    ctx.emit(MODULE)


def acknowledged(ctx: WriteContext, data: TransferData, answer: Acknowledgement) -> None:
    """Events of an acknowledged transfer."""
    ctx.emit((EVENT_TYPE, (*_parties(data), ("acknowledgement", text_format(answer)))))
    ctx.emit(MODULE)
    if answer.error is not None:
        ctx.emit((EVENT_TYPE, (("error", answer.error),)))
    else:
        ctx.emit((EVENT_TYPE, (("success", (answer.result or b"").decode("utf-8", "replace")),)))


def timed_out(ctx: WriteContext, data: TransferData) -> None:
    """Event of a timed-out transfer."""
    refund = f'{{"denom":{data.denom.json},"amount":{marshal_string(data.amount_text).decode()}}}'
    ctx.emit(("timeout", (("receiver", data.sender), ("refund_tokens", refund), ("memo", data.memo))))
    ctx.emit(MODULE)


def denomination(ctx: WriteContext, voucher: Denom) -> None:
    """Event of a new voucher denomination."""
    ctx.emit(("denomination", (("denom_hash", voucher.hash_text), ("denom", voucher.json))))


_NO_PARTIES: tuple[Attribute, ...] = (
    ("sender", ""),
    ("receiver", ""),
    ("denom", ""),
    ("amount", ""),
    ("memo", ""),
)


def _parties(data: TransferData) -> tuple[Attribute, ...]:
    return (
        ("sender", data.sender),
        ("receiver", data.receiver),
        ("denom", data.denom.path),
        ("amount", data.amount_text),
        ("memo", data.memo),
    )
