"""What an ICS-20 packet carries (version ics20-1), read as ibc-go reads it, and the events that tell of it.

msgspec reads what everybody writes; where it refuses, the slow reader with Go's exact rules decides. The
two agree on all that msgspec accepts: chains that disagree on a packet disagree on who owns a coin.
"""

from functools import lru_cache

import msgspec

from ibc_core.application.packet_data import PacketData
from ibc_core.coin import parse_amount
from ibc_core.errors import InvalidAddress, InvalidAmount, InvalidType
from ibc_core.host.context import WriteContext
from ibc_core.host.events import Attribute, Event
from ibc_core.identifiers import GO_SPACES
from ibc_core.packet.acknowledgement import Acknowledgement, text_format
from ibc_core.transfer.denom import REMEMBERED, Denom, parse_denom
from ibc_core.value import value
from ibc_core.wire.gojson import (
    JsonError,
    Object,
    marshal_string,
    match_field,
    parse_first,
    parse_flat_object,
)


@value
class TransferData:
    """A transfer that passed ibc-go's ValidateBasic."""

    denom: Denom  # as on chain A
    amount: int  # 1 to 2^256-1
    amount_text: str  # as the packet spells it: `0x10` and `16` are the same amount
    sender: str  # not checked: chain A's form
    receiver: str  # not checked: chain B's form
    memo: str


class WireFields(msgspec.Struct, forbid_unknown_fields=True):
    """The fields on the wire, none of them checked."""

    denom: str = ""
    amount: str = ""
    sender: str = ""
    receiver: str = ""
    memo: str = ""


_decoder = msgspec.json.Decoder(WireFields)
_FIELDS = frozenset(WireFields.__struct_fields__)


REMEMBERED_DATA = 1024
"""Bytes of a packet's data up to which it is remembered what it says."""


def decode(raw: bytes) -> TransferData:
    """Reads and checks a packet's data, remembered.

    Raises:
        InvalidType: not the JSON of a transfer.
        InvalidAmount: not a number between 1 and 2^256-1.
        InvalidAddress: sender or receiver is blank.
        InvalidDenomForTransfer: the base denomination is blank.
        InvalidIdentifier: a hop of the denomination is malformed.
    """
    return _remembered_data(raw) if len(raw) <= REMEMBERED_DATA else _decoded(raw)


def read_fields(raw: bytes) -> WireFields:
    """What a packet's data says, for who counts transfers before ICS-20 checks them.

    Raises:
        InvalidType: not the JSON of a transfer.
    """
    try:
        return _decoder.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return _decode_slowly(raw)


def _decoded(raw: bytes) -> TransferData:
    wire = read_fields(raw)
    return check(wire.denom, wire.amount, wire.sender, wire.receiver, wire.memo)


_remembered_data = lru_cache(16)(_decoded)


def check(denom: str, amount_text: str, sender: str, receiver: str, memo: str) -> TransferData:
    """The transfer that five fields tell, from whatever encoding.

    Raises:
        InvalidAmount, InvalidAddress, InvalidDenomForTransfer, InvalidIdentifier: as `decode`.
    """
    amount = parse_amount(amount_text)
    if amount is None or amount <= 0:
        raise InvalidAmount(amount_text[:64])
    if not sender.strip(GO_SPACES):
        raise InvalidAddress("sender", sender[:64])
    if not receiver.strip(GO_SPACES):
        raise InvalidAddress("receiver", receiver[:64])
    return TransferData(parse_valid_denom(denom), amount, amount_text, sender, receiver, memo)


def parse_valid_denom(path: str) -> Denom:
    """`parse_denom` and `validate` in one, remembered.

    Raises:
        InvalidDenomForTransfer: the base is blank.
        InvalidIdentifier: a hop's port or channel is malformed.
    """
    return _remembered(path) if len(path) <= REMEMBERED else _parsed(path)


def _parsed(path: str) -> Denom:
    denom = parse_denom(path)
    denom.validate()
    return denom


_remembered = lru_cache(4096)(_parsed)


def _decode_slowly(raw: bytes) -> WireFields:
    """Go's rules: keys match whatever their case, the last one wins, null leaves a field as it was."""
    wire = WireFields()
    try:
        members = parse_flat_object(raw)
    except JsonError as error:
        raise InvalidType("ICS-20 packet data", str(error)) from error
    for key, text in members:
        field = match_field(key, _FIELDS)
        if field is None:
            raise InvalidType("ICS-20 packet data", f"unknown field {key[:64]!a}")
        if text is not None:
            setattr(wire, field, text)
    return wire


def decode_jsonpb(raw: bytes) -> TransferData:
    """Reads and checks a packet's data as ibc-go's packet forwarding does, by gogoproto's jsonpb.

    Other than for `decode`, names are exact, null is empty, and what follows the object is not looked at.

    Raises:
        InvalidType, InvalidAmount, InvalidAddress, InvalidDenomForTransfer, InvalidIdentifier: as `decode`.
    """
    try:
        wire = _decoder.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        wire = _decode_jsonpb(raw)
    return check(wire.denom, wire.amount, wire.sender, wire.receiver, wire.memo)


def _decode_jsonpb(raw: bytes) -> WireFields:
    try:
        content, _ = parse_first(raw)
    except JsonError as error:
        raise InvalidType("ICS-20 packet data", str(error)) from error
    if content is not None and not isinstance(content, Object):
        raise InvalidType("ICS-20 packet data", "no object")
    wire = WireFields()
    for name, text in () if content is None else dict(content.members).items():
        if name not in _FIELDS:
            raise InvalidType("ICS-20 packet data", f"unknown field {name[:64]!a}")
        if not isinstance(text, str | None):
            raise InvalidType("ICS-20 packet data", f"{name} is no text")
        setattr(wire, name, text or "")
    return wire


def make(denom: Denom, amount: int, sender: str, receiver: str, memo: str) -> TransferData:
    """A transfer of this chain's own."""
    return TransferData(denom, amount, str(amount), sender, receiver, memo)


def told(data: TransferData) -> PacketData:
    """What middleware is told of a transfer."""
    return PacketData(data.sender, data.receiver, data.memo, data)


def encode(data: TransferData) -> bytes:
    """The data as ibc-go v9 and later write it: fields in this order, an empty memo left out."""
    memo = b',"memo":' + marshal_string(data.memo) if data.memo else b""
    return b'{"denom":%b,"amount":%b,"sender":%b,"receiver":%b%b}' % (
        marshal_string(data.denom.path),
        marshal_string(data.amount_text),
        marshal_string(data.sender),
        marshal_string(data.receiver),
        memo,
    )


# -- events, attribute for attribute as ibc-go emits them

MODULE: Event = ("message", (("module", "transfer"),))
EVENT_TYPE = "fungible_token_packet"


def emit_sent(ctx: WriteContext, data: TransferData) -> None:
    """A transfer left this chain."""
    ctx.emit(("ibc_transfer", _parties(data)))
    ctx.emit(MODULE)


def emit_received(ctx: WriteContext, data: TransferData) -> None:
    """A transfer came in."""
    ctx.emit((EVENT_TYPE, (*_parties(data), ("success", "true"))))
    ctx.emit(MODULE)


def emit_refused(ctx: WriteContext, data: TransferData | None, reason: str) -> None:
    """A transfer was refused; core renames this event, since the branch it stands in is undone."""
    _refused(ctx, data, reason, "false")


def emit_refused_v2(ctx: WriteContext, data: TransferData | None, reason: str) -> None:
    """The same in IBC v2, where ibc-go says `success` all the same; the sentinel tells that it failed."""
    _refused(ctx, data, reason, "true")


def _refused(ctx: WriteContext, data: TransferData | None, reason: str, success: str) -> None:
    parties = _parties(data) if data is not None else _NO_PARTIES
    ctx.emit((EVENT_TYPE, (*parties, ("success", success), ("error", reason))))
    ctx.emit(MODULE)


def emit_acknowledged(ctx: WriteContext, data: TransferData, answer: Acknowledgement) -> None:
    """The other chain answered a transfer of ours."""
    ctx.emit((EVENT_TYPE, (*_parties(data), ("acknowledgement", text_format(answer)))))
    ctx.emit(MODULE)
    if answer.error is not None:
        ctx.emit((EVENT_TYPE, (("error", answer.error),)))
    else:
        ctx.emit((EVENT_TYPE, (("success", (answer.result or b"").decode("utf-8", "replace")),)))


def emit_timed_out(ctx: WriteContext, data: TransferData) -> None:
    """A transfer of ours came back."""
    refund = f'{{"denom":{data.denom.json},"amount":{marshal_string(data.amount_text).decode()}}}'
    ctx.emit(("timeout", (("receiver", data.sender), ("refund_tokens", refund), ("memo", data.memo))))
    ctx.emit(MODULE)


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
