"""Messages: all that an outsider may know of one stands in one file, and everybody reads it there.

A message is a value (`ibc_core.value`) with a table (`ibc_core.wire.table`), the checks that need no state,
and the response. Decoder and encoder are the same for all of them.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple, TypeVar

from google.protobuf.message import Message

from ibc_core.any_message import AnyMessage
from ibc_core.checking import HasAddresses
from ibc_core.errors import UnknownMessage
from ibc_core.host.context import WriteContext
from ibc_core.host.routes import MessageRoute
from ibc_core.value import sealed
from ibc_core.wire.budget import Budget
from ibc_core.wire.columns import Kind
from ibc_core.wire.encoding import encode
from ibc_core.wire.interfaces import BUILTIN, KnownTypes
from ibc_core.wire.protojson import read_any, write_any
from ibc_core.wire.strict import parse
from ibc_core.wire.table import Table, on_wire

_M = TypeVar("_M", bound="Msg")


@sealed
class Response(NamedTuple):
    """What a message is answered with."""

    encode: Callable[[Any], bytes]
    """What `execute` returned -> the response's bytes."""


def _nothing(_: Any) -> bytes:
    return b""


EMPTY = Response(_nothing)
"""A response without fields."""


def response(wire: type[Message], *fields: str) -> Response:
    """The response `wire`, whose fields are what `execute` returns: one thing, or a tuple in this order."""
    if len(fields) == 1:
        return Response(lambda result: encode(wire(**{fields[0]: result})))
    return Response(lambda result: encode(wire(**dict(zip(fields, result, strict=True)))))


class Msg(ABC):
    """A message that an account signs; a value that has passed nothing but decoding."""

    __slots__ = ()

    TABLE: ClassVar[Table[Any]]
    TYPE_URL: ClassVar[str]
    RESPONSE: ClassVar[Response]
    SIGNER: ClassVar[str]
    """The field that names who must sign."""

    @abstractmethod
    def check(self, chain: Any) -> None:
        """Checks that need no state, in ibc-go's order (ValidateBasic).

        `chain` is what a message may know of its chain: see `ibc_core.checking`. Of several faults the first
        is raised, as an IbcError.
        """


def message(wire: type[Message], reply: Response = EMPTY) -> Callable[[type[_M]], type[_M]]:
    """Makes a value a message: the wire message that carries it, and its response."""

    def mark(cls: type[_M]) -> type[_M]:
        cls = on_wire(wire)(cls)
        cls.TYPE_URL = f"/{wire.DESCRIPTOR.full_name}"
        cls.RESPONSE = reply
        (cls.SIGNER,) = [column.name for column in cls.TABLE.columns if column.kind is Kind.SIGNER]
        return cls

    return mark


def decode_msg(cls: type[_M], raw: bytes, known: KnownTypes = BUILTIN) -> _M:
    """The message of class `cls` that `raw` encodes: the bytes of an Any in a transaction.

    `known`: the types that may stand in the message's own Anys.

    Raises:
        TxDecode: `raw` is refused: malformed, with unknown fields, or with an Any of an unknown type.
    """
    table = cls.TABLE
    found: _M = table.unpack(parse(table.wire, raw, known=known))
    return found


def encode_msg(msg: Msg) -> bytes:
    """The bytes of a message, as Go would write them."""
    return msg.TABLE.encode(msg)


def pack_msg(msg: Msg) -> AnyMessage:
    """The Any of a message, as transactions hold it."""
    return AnyMessage(msg.TYPE_URL, encode_msg(msg))


def read_msg_json(content: Any, known: Mapping[str, type[Msg]]) -> Msg:
    """The message in JSON, `{"@type": "/ibc....Msg...", ...}`; `known` are the classes by type URL.

    Raises:
        TxDecode: see `protojson.read_any` and `decode_msg`.
        UnknownMessage: a type that `known` does not have.
    """
    packed = read_any(content)
    if packed.type_url not in known:
        raise UnknownMessage(packed.type_url[:128])
    return decode_msg(known[packed.type_url], packed.value)


def write_msg_json(msg: Msg) -> dict[str, Any]:
    """The message as a value for `json.dumps`, which `read_msg_json` reads.

    Raises:
        Unprintable: it holds an Any of an unknown type, or a time past year 9999.
    """
    found: dict[str, Any] = write_any(pack_msg(msg))
    return found


def route_of(
    cls: type[Msg],
    chain: HasAddresses,
    deliver: Callable[[WriteContext, Any], bytes],
    known: KnownTypes = BUILTIN,
) -> MessageRoute:
    """How a host reaches a message of class `cls`.

    `chain` is what its checks want, `known` the types that the chain lets stand in its Anys.
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
