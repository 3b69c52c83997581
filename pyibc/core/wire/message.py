"""Base class of messages, and their common decoder and encoder.

A message class is a value (`core.value`) with a table (`wire.table`), stateless checks and a response. Its
module is the single definition of the message for handlers, clients and relayers.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple, TypeVar

from google.protobuf.message import Message

from pyibc.codec.anys import BUILTIN, AnyMessage, KnownTypes
from pyibc.codec.budget import Budget
from pyibc.codec.encoding import encode
from pyibc.codec.protojson import read_any, write_any
from pyibc.codec.strict import parse
from pyibc.core.checking import HasAddresses
from pyibc.core.errors import UnknownMessage
from pyibc.core.host.context import MessageRoute, WriteContext
from pyibc.core.value import sealed
from pyibc.core.wire.columns import FieldKind
from pyibc.core.wire.table import Table, on_wire

_M = TypeVar("_M", bound="Msg")


@sealed
class Response(NamedTuple):
    """Encoder of a message's response."""

    encode: Callable[[Any], bytes]
    """Result of `execute` -> the response's bytes."""


def _nothing(_: Any) -> bytes:
    return b""


EMPTY = Response(_nothing)
"""A response without fields."""


def response(wire: type[Message], *fields: str) -> Response:
    """Return the response `wire` with the result of `execute` in `fields`: a value or a tuple of values."""
    if len(fields) == 1:
        return Response(lambda result: encode(wire(**{fields[0]: result})))
    return Response(lambda result: encode(wire(**dict(zip(fields, result, strict=True)))))


class Msg(ABC):
    """Base class of messages signed by an account; an instance is decoded but not checked."""

    __slots__ = ()

    TABLE: ClassVar[Table[Any]]
    TYPE_URL: ClassVar[str]
    RESPONSE: ClassVar[Response]
    SIGNER: ClassVar[str]
    """Name of the field with the required signer's address."""

    @abstractmethod
    def check(self, chain: Any) -> None:
        """Run the stateless checks in ibc-go's order (ValidateBasic).

        `chain` has one of the interfaces in `core.checking`. The first fault is raised as an IbcError.
        """


def message(wire: type[Message], reply: Response = EMPTY) -> Callable[[type[_M]], type[_M]]:
    """Return a decorator that makes a value class a message, encoded as `wire` and answered by `reply`."""

    def mark(cls: type[_M]) -> type[_M]:
        cls = on_wire(wire)(cls)
        cls.TYPE_URL = f"/{wire.DESCRIPTOR.full_name}"
        cls.RESPONSE = reply
        (cls.SIGNER,) = [column.name for column in cls.TABLE.columns if column.kind is FieldKind.SIGNER]
        return cls

    return mark


def decode_msg(cls: type[_M], raw: bytes, known: KnownTypes = BUILTIN) -> _M:
    """Return the message of class `cls` encoded in `raw`, the value of an Any in a transaction.

    `known` has the types allowed in the message's own Anys.

    Raises:
        TxDecode: `raw` is malformed, or has unknown fields or an Any of an unknown type.
    """
    table = cls.TABLE
    found: _M = table.unpack(parse(table.wire, raw, known=known))
    return found


def encode_msg(msg: Msg) -> bytes:
    """Return the encoding of a message, identical to Go's."""
    return msg.TABLE.encode(msg)


def pack_msg(msg: Msg) -> AnyMessage:
    """Return the Any of a message, for a transaction."""
    return AnyMessage(msg.TYPE_URL, encode_msg(msg))


def read_msg_json(content: Any, known: Mapping[str, type[Msg]]) -> Msg:
    """Return the message in JSON, `{"@type": "/ibc....Msg...", ...}`; `known` has the classes by type URL.

    Raises:
        TxDecode: the JSON is malformed, see `protojson.read_any` and `decode_msg`.
        UnknownMessage: the type is not in `known`.
    """
    packed = read_any(content)
    if packed.type_url not in known:
        raise UnknownMessage(packed.type_url[:128])
    return decode_msg(known[packed.type_url], packed.value)


def write_msg_json(msg: Msg) -> dict[str, Any]:
    """Return the JSON of a message as a value for `json.dumps`; the inverse of `read_msg_json`.

    Raises:
        Unprintable: the message has an Any of an unknown type, or a time after the year 9999.
    """
    found: dict[str, Any] = write_any(pack_msg(msg))
    return found


def route_of(
    cls: type[Msg],
    chain: HasAddresses,
    deliver: Callable[[WriteContext, Any], bytes],
    known: KnownTypes = BUILTIN,
) -> MessageRoute:
    """Return the route of messages of class `cls`.

    `chain` is the argument of its checks; `known` has the types that the chain allows in its Anys.
    """
    wire, unpack, signer = cls.TABLE.wire, cls.TABLE.unpack, attrgetter(cls.SIGNER)

    def read(raw: bytes, budget: Budget | None = None) -> Msg:
        # guard: h60-a-route-forgets-the-budget drop:budget
        #   test_h60_a_route_spends_the_budget_of_its_transaction
        msg: Msg = unpack(parse(wire, raw, known=known, budget=budget))
        return msg

    def check(msg: Any) -> Any:
        msg.check(chain)
        return msg

    def decode(raw: bytes, budget: Budget | None = None) -> Any:
        return check(read(raw, budget))

    def signers(msg: Any) -> tuple[bytes, ...]:
        return (chain.addresses.decode(signer(msg), cls.SIGNER).raw,)

    response_url = f"{cls.TYPE_URL}Response"
    return MessageRoute(decode, signers, deliver, response_url, decode, read=read, check=check, wire=wire)
