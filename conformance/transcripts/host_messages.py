"""A message of the recorded hosts that only governance may execute: MsgUpdateParams of the bank."""

from collections.abc import Mapping
from typing import Any, Final

from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

from ibc_module import hookimpl
from pyibc.codec.budget import Budget
from pyibc.core.address import AddressCodec
from pyibc.core.errors import TxDecode, UnauthorizedTx
from pyibc.core.host.context import MessageRoute, WriteContext
from pyibc.isolation.isolate import builtin

PACKAGE: Final = "cosmos.bank.v1beta1"
_TEXT, _FLAG, _MESSAGE = (
    FieldDescriptorProto.TYPE_STRING,
    FieldDescriptorProto.TYPE_BOOL,
    FieldDescriptorProto.TYPE_MESSAGE,
)
_Field = tuple[str, FieldDescriptorProto.Type.ValueType, str]
_MESSAGES: Final[Mapping[str, tuple[_Field, ...]]] = {
    "SendEnabled": (("denom", _TEXT, ""), ("enabled", _FLAG, "")),
    "Params": (("send_enabled", _MESSAGE, "[]SendEnabled"), ("default_send_enabled", _FLAG, "")),
    "MsgUpdateParams": (("authority", _TEXT, ""), ("params", _MESSAGE, "Params")),
}
"""Message name -> fields by number: name, type, and message name for fields of message type."""


def _wire() -> type[Message]:
    """Return the message's class, from a private descriptor pool, since our chains do not have it."""
    file = FileDescriptorProto(name="recorded_bank.proto", package=PACKAGE, syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for number, (field, kind, of) in enumerate(fields, 1):
            is_listed = of.startswith("[]")
            label = FieldDescriptorProto.LABEL_REPEATED if is_listed else FieldDescriptorProto.LABEL_OPTIONAL
            made = message.field.add(name=field, number=number, type=kind, label=label)
            if of:
                made.type_name = f".{PACKAGE}.{of.removeprefix('[]')}"
    pool = DescriptorPool()
    pool.Add(file)
    return GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.MsgUpdateParams"))


_MsgUpdateParams = _wire()
TYPE_URL: Final = f"/{PACKAGE}.MsgUpdateParams"


@builtin
class BankParamsPlugin:
    """Refuses MsgUpdateParams of the bank, which no recorded governance action sends."""

    def __init__(self, addresses: AddressCodec, authority: str) -> None:
        self._addresses = addresses
        self._authority = authority

    @hookimpl
    def chain_messages(self) -> Mapping[str, MessageRoute]:
        """Return the one message."""
        route = MessageRoute(
            lambda raw: self._read(raw, Budget(len(raw))),
            lambda message: (self._addresses.decode(message.authority, "authority").raw,),
            self._refuse,
            f"{TYPE_URL}Response",
            self._read,
            read=self._read,
            wire=_MsgUpdateParams,
        )
        return {TYPE_URL: route}

    def _read(self, raw: bytes, budget: Budget) -> Any:
        budget.read(len(raw))
        try:
            return _MsgUpdateParams.FromString(raw)
        except DecodeError as error:
            raise TxDecode(f"malformed {TYPE_URL}") from error

    def _refuse(self, _ctx: WriteContext, message: Any) -> bytes:
        raise UnauthorizedTx(f"invalid authority: expected {self._authority}, got {message.authority}")
