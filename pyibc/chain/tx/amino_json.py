"""Sign bytes of SIGN_MODE_LEGACY_AMINO_JSON, the sign mode of hardware wallets.

The rules are those of the Cosmos SDK's x/tx/signing/aminojson: JSON without spaces, whose members are sorted
by name; 64-bit numbers are texts; what is empty is left out, unless its field says otherwise; texts are
escaped as by Go's encoding/json, which also escapes `<`, `>` and `&`.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from pyibc.codec.anys import AnyMessage
from pyibc.codec.gojson import marshal_string
from pyibc.codec.gotime import NANOSECONDS, format_rfc3339
from pyibc.codec.strict import parse, parse_outer
from pyibc.core.coin import Coin
from pyibc.core.errors import TxDecode, UnauthorizedTx
from pyibc.core.wire.tx import Fee, Tx
from pyibc.proto.cosmos.bank.v1beta1.tx_pb2 import MsgMultiSend, MsgSend
from pyibc.proto.cosmos.tx.v1beta1 import tx_pb2
from pyibc.proto.ibc.applications.transfer.v1.tx_pb2 import MsgTransfer
from pyibc.proto.pool import descriptor_of

MODE = "SIGN_MODE_LEGACY_AMINO_JSON"


class AminoType(NamedTuple):
    """A message's class, and its name in amino JSON: the SDK's option `amino.name`."""

    kind: type[Message]
    name: str


TYPES: Mapping[str, AminoType] = MappingProxyType(
    {
        "/cosmos.bank.v1beta1.MsgSend": AminoType(MsgSend, "cosmos-sdk/MsgSend"),
        "/cosmos.bank.v1beta1.MsgMultiSend": AminoType(MsgMultiSend, "cosmos-sdk/MsgMultiSend"),
        "/ibc.applications.transfer.v1.MsgTransfer": AminoType(MsgTransfer, "cosmos-sdk/MsgTransfer"),
    }
)
"""Messages that can be signed in this mode, by type URL."""

_WRITTEN_EMPTY = frozenset(
    {
        "cosmos.base.v1beta1.Coin.amount",
        "cosmos.bank.v1beta1.MsgSend.amount",
        "cosmos.bank.v1beta1.MsgMultiSend.inputs",
        "cosmos.bank.v1beta1.MsgMultiSend.outputs",
        "cosmos.bank.v1beta1.Input.coins",
        "cosmos.bank.v1beta1.Output.coins",
        "ibc.applications.transfer.v1.MsgTransfer.token",
        "ibc.applications.transfer.v1.MsgTransfer.timeout_height",
    }
)
"""Fields with the SDK's option `amino.dont_omitempty`."""
_AMOUNT = "cosmos.base.v1beta1.Coin.amount"


def check_messages(messages: Iterable[AnyMessage]) -> None:
    """Raise UnauthorizedTx if a message cannot be signed in this mode."""
    for each in messages:
        if each.type_url not in TYPES:
            raise UnauthorizedTx(
                f"{each.type_url[:128]!a} cannot be signed in {MODE}; sign it in SIGN_MODE_DIRECT"
            )


class AminoDoc:
    """The document that the signers of a transaction sign, each with its own account number and sequence."""

    def __init__(self, tx: Tx, chain_id: str) -> None:
        """Write what is the same for all signers.

        Raises:
            UnauthorizedTx: the transaction has something that the document could not show.
        """
        try:
            # guard: amino-fields-of-the-body-are-not-signed {False => True}
            #   test_what_the_document_cannot_show_is_refused
            body = parse_outer(tx_pb2.TxBody, tx.body_bytes, non_critical=False)
            messages = [_message(each) for each in tx.messages]
        except TxDecode as error:
            raise UnauthorizedTx(f"the transaction cannot be signed in {MODE}: {error}") from None
        self._chain = b'"chain_id":%b,"fee":%b,"memo":%b,"msgs":[%b]' % (
            marshal_string(chain_id),
            _fee(tx.fee),
            marshal_string(tx.memo),
            b",".join(messages),
        )
        self._timeouts = _timeouts(body)

    def sign_bytes(self, account_number: int, sequence: int) -> bytes:
        """Return the document of one signer."""
        return b'{"account_number":"%d",%b,"sequence":"%d"%b}' % (
            account_number,
            self._chain,
            sequence,
            self._timeouts,
        )


def _fee(fee: Fee) -> bytes:
    named = (("granter", fee.granter), ("payer", fee.payer))
    others = b"".join([b',"%b":%b' % (key.encode(), marshal_string(text)) for key, text in named if text])
    return b'{"amount":[%b],"gas":"%d"%b}' % (b",".join(map(_coin, fee.amount)), fee.gas_limit, others)


def _coin(each: Coin) -> bytes:
    denom = b',"denom":%b' % marshal_string(each.denom) if each.denom else b""
    return b'{"amount":"%d"%b}' % (each.amount, denom)


def _timeouts(body: tx_pb2.TxBody) -> bytes:
    height = b',"timeout_height":"%d"' % body.timeout_height if body.timeout_height else b""
    if not body.HasField("timeout_timestamp"):
        return height
    at = body.timeout_timestamp
    text = format_rfc3339(at.seconds * NANOSECONDS + at.nanos)
    return height + b',"timeout_timestamp":"%b"' % text.encode()


def _message(packed: AnyMessage) -> bytes:
    """Return a message with its amino name. Raises UnauthorizedTx, TxDecode."""
    check_messages([packed])
    kind, name = TYPES[packed.type_url]
    # guard: amino-fields-of-a-message-are-not-signed {False => True}
    #   test_what_the_document_cannot_show_is_refused
    message = parse(kind, packed.value, non_critical=False)
    return b'{"type":"%b","value":%b}' % (name.encode(), _value(message))


# recursion: as deep as the messages of TYPES, which contain each other three deep
def _value(message: Message) -> bytes:
    members = []
    for field in _fields(descriptor_of(type(message))):
        text = _member(message, field)
        if text is not None:
            members.append(b'"%b":%b' % (field.name.encode(), text))
    return b"{%b}" % b",".join(members)


def _fields(descriptor: Descriptor) -> list[FieldDescriptor]:
    return sorted(descriptor.fields, key=lambda field: field.name)


def _member(message: Message, field: FieldDescriptor) -> bytes | None:
    """Return the value of a field; None if it is left out."""
    given, is_written = getattr(message, field.name), field.full_name in _WRITTEN_EMPTY
    if field.is_repeated:
        return b"[%b]" % b",".join([_value(each) for each in given]) if given or is_written else None
    if field.message_type is not None:
        if message.HasField(field.name):
            return _value(given)
        if is_written:  # the SDK's encoder fails here, too
            raise UnauthorizedTx(f"{field.full_name} is absent, which {MODE} cannot show")
        return None
    if not given and not is_written:
        return None
    if field.full_name == _AMOUNT:
        return marshal_string(given or "0")
    return marshal_string(given) if field.type == field.TYPE_STRING else b'"%d"' % given
