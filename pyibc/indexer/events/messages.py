"""Fields of the IBC messages: client, channel, sequence, proof height and client states.

Fields are accessed by path, such as `packet.source_port`, in protobuf or JSON. In JSON of the SDK, 64-bit
numbers are strings, times are in RFC 3339 and durations like `1209600s`. A missing field has its zero value,
because versions of a message differ.
"""

import re
from functools import reduce
from typing import Any, NamedTuple

from google.protobuf.message import DecodeError, Message

from pyibc.codec.gotime import parse_rfc3339
from pyibc.core.channel.types import ORDER_TEXT, Order
from pyibc.core.height import revision_of
from pyibc.core.numbers import MAX_I64, parse_u64
from pyibc.indexer.blocks.block import MAX_NAME, MessageFacts
from pyibc.indexer.errors import MalformedContent
from pyibc.proto.ibc.applications.transfer.v1 import tx_pb2 as transfer
from pyibc.proto.ibc.core.channel.v1 import tx_pb2 as channel
from pyibc.proto.ibc.core.channel.v2 import tx_pb2 as channel_v2
from pyibc.proto.ibc.core.client.v1 import tx_pb2 as client
from pyibc.proto.ibc.core.client.v2 import tx_pb2 as client_v2
from pyibc.proto.ibc.core.connection.v1 import tx_pb2 as connection
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2 as tendermint

SECOND = 10**9
_DURATION = re.compile(r"(-)?([0-9]{1,12})(?:\.([0-9]{1,18}))?s")
_ORDERS = {order.value: ORDER_TEXT[order] for order in Order if order is not Order.NONE}

PROVED = "proof_height"

_STATES = ("client_state", "consensus_state")


class Encoded:
    """Fields of a protobuf message by path."""

    def __init__(self, kinds: dict[str, type[Message]], message: Message) -> None:
        """Wrap `message`; `kinds` are the message types in an `Any` that are decoded, by type URL."""
        self._kinds, self._message = kinds, message

    @classmethod
    def of(cls, kinds: dict[str, type[Message]], kind: type[Message], raw: bytes) -> "Encoded":
        """Decode the message of type `kind` in `raw`.

        Raises:
            MalformedContent: the bytes cannot be decoded.
        """
        try:
            return cls(kinds, kind.FromString(raw))
        except DecodeError:
            raise MalformedContent(f"not a {kind.DESCRIPTOR.full_name}") from None

    def name(self, path: str) -> str:
        """Return an identifier or address; "" if missing."""
        return _name(path, self._get(path))

    def order(self, path: str) -> str:
        """Return a channel ordering such as `ORDER_ORDERED`; "" if unknown."""
        return _ORDERS.get(self._get(path), "")

    def number(self, path: str) -> int:
        """Return an unsigned number, clamped to 2^63-1."""
        return min(int(self._get(path)), MAX_I64)

    def moment_ns(self, path: str) -> int:
        """Return a time in unix nanoseconds; 0 if missing or outside 1970 to 2262."""
        return self.span_ns(path)

    def span_ns(self, path: str) -> int:
        """Return a duration in nanoseconds; 0 if missing or negative."""
        found = self._get(path)
        return _in_range(int(found.seconds) * SECOND + int(found.nanos))

    def inner(self, path: str) -> "tuple[str, Encoded] | None":
        """Return the type URL and the fields of the message in an `Any`; None for types not in `kinds`.

        Raises:
            MalformedContent: the message cannot be decoded.
        """
        found = self._get(path)
        kind = self._kinds.get(found.type_url)
        if kind is None:
            return None
        return found.type_url, Encoded.of(self._kinds, kind, found.value)

    def _get(self, path: str) -> Any:
        return reduce(getattr, path.split("."), self._message)


class Printed:
    """Fields of a message in JSON by path; the methods are those of `Encoded`."""

    def __init__(self, message: dict[str, Any]) -> None:
        self._message = message

    def name(self, path: str) -> str:
        """Return as in `Encoded`."""
        return _name(path, self._get(path, ""))

    def order(self, path: str) -> str:
        """Return as in `Encoded`."""
        found = self.name(path)
        return found if found in _ORDERS.values() else ""

    def number(self, path: str) -> int:
        """Return as in `Encoded`."""
        found = self._get(path, 0)
        number = parse_u64(found) if isinstance(found, str) else found
        if type(number) is not int or number < 0:
            raise MalformedContent(f"{path} is not a number")
        return min(number, MAX_I64)

    def moment_ns(self, path: str) -> int:
        """Return as in `Encoded`."""
        found = self._get(path, "")
        try:
            return _in_range(parse_rfc3339(found)) if found else 0
        except (TypeError, ValueError):
            raise MalformedContent(f"{path} is not a time") from None

    def span_ns(self, path: str) -> int:
        """Return as in `Encoded`."""
        found = self._get(path, "0s")
        parts = _DURATION.fullmatch(found) if isinstance(found, str) else None
        if parts is None:
            raise MalformedContent(f"{path} is not a duration")
        return 0 if parts[1] else _in_range(int(parts[2] + (parts[3] or "")[:9].ljust(9, "0")))

    def inner(self, path: str) -> "tuple[str, Printed] | None":
        """Return as in `Encoded`, whatever the type; None if it is missing.

        Raises:
            MalformedContent: a parent in `path` is not an object.
        """
        found = self._get(path, {})
        kind = found.get("@type") if isinstance(found, dict) else None
        return (kind, Printed(found)) if isinstance(kind, str) else None

    def _get(self, path: str, zero: Any) -> Any:
        """Return the value at `path`; `zero` if it or a parent is missing or null."""
        value: Any = self._message
        for part in path.split("."):
            if not isinstance(value, dict):
                raise MalformedContent(f"the parent of {path} is not an object")
            value = value.get(part)
            if value is None:
                return zero
        return value


def _name(path: str, found: object) -> str:
    if not isinstance(found, str):
        raise MalformedContent(f"{path} is not a string")
    if len(found) > MAX_NAME:
        raise MalformedContent(f"{path} has {len(found)} characters")
    return found


def _in_range(nanoseconds: int) -> int:
    return nanoseconds if 0 <= nanoseconds <= MAX_I64 else 0


class Shape(NamedTuple):
    """Message type with the paths of its fields; "" for fields that it does not have."""

    kind: type[Message]
    client: str = ""
    connection: str = ""
    port: str = ""  # of the channel end on the chain that executes the message
    channel: str = ""
    sequence: str = ""
    height: str = ""
    ordering: str = ""
    other_client: str = ""
    claims: tuple[str, ...] = ()  # `Any` fields with client states, consensus states or headers
    signer: str = "signer"


def _handshake(kind: type[Message], height: str = PROVED, ordering: str = "") -> Shape:
    named = "channel_id" if "channel_id" in kind.DESCRIPTOR.fields_by_name else ""
    return Shape(kind, port="port_id", channel=named, height=height, ordering=ordering)


def _packet(kind: type[Message], side: str) -> Shape:
    port, end = f"packet.{side}_port", f"packet.{side}_channel"
    return Shape(kind, port=port, channel=end, sequence="packet.sequence", height=PROVED)


def _packet_v2(kind: type[Message], side: str) -> Shape:
    return Shape(kind, client=f"packet.{side}_client", sequence="packet.sequence", height=PROVED)


_PACKETS = (
    _packet(channel.MsgRecvPacket, "destination"),
    _packet(channel.MsgTimeout, "source"),
    _packet(channel.MsgTimeoutOnClose, "source"),
    _packet(channel.MsgAcknowledgement, "source"),
    _packet_v2(channel_v2.MsgRecvPacket, "destination"),
    _packet_v2(channel_v2.MsgTimeout, "source"),
    _packet_v2(channel_v2.MsgAcknowledgement, "source"),
)
_OTHERS = (
    Shape(client.MsgCreateClient, claims=_STATES),
    Shape(client.MsgUpdateClient, client="client_id", claims=("client_message",)),
    Shape(client.MsgUpgradeClient, client="client_id", claims=_STATES),
    Shape(client.MsgSubmitMisbehaviour, client="client_id"),
    Shape(client.MsgRecoverClient, client="subject_client_id"),
    Shape(client_v2.MsgRegisterCounterparty, client="client_id", other_client="counterparty_client_id"),
    Shape(client_v2.MsgUpdateClientConfig, client="client_id"),
    Shape(connection.MsgConnectionOpenInit, client="client_id"),
    Shape(connection.MsgConnectionOpenTry, client="client_id", height=PROVED),
    Shape(connection.MsgConnectionOpenAck, connection="connection_id", height=PROVED),
    Shape(connection.MsgConnectionOpenConfirm, connection="connection_id", height=PROVED),
    _handshake(channel.MsgChannelOpenInit, "", "channel.ordering"),
    _handshake(channel.MsgChannelOpenTry, ordering="channel.ordering")._replace(channel=""),
    _handshake(channel.MsgChannelOpenAck),
    _handshake(channel.MsgChannelOpenConfirm),
    _handshake(channel.MsgChannelCloseInit, ""),
    _handshake(channel.MsgChannelCloseConfirm),
    Shape(channel_v2.MsgSendPacket, client="source_client"),
    Shape(transfer.MsgTransfer, port="source_port", channel="source_channel", signer="sender"),
)


def _by_type(shapes: tuple[Shape, ...]) -> dict[str, Shape]:
    return {_type_url(shape.kind): shape for shape in shapes}


def _type_url(kind: type[Message]) -> str:
    return f"/{kind.DESCRIPTOR.full_name}"


RELAYS = frozenset(_by_type(_PACKETS))
"""Relay messages: receive, acknowledge, time out."""

SHAPES = _by_type(_PACKETS + _OTHERS)
"""Shapes of the IBC messages by type URL."""

CREATE_CLIENT = _type_url(client.MsgCreateClient)
UPDATE_CLIENT = _type_url(client.MsgUpdateClient)
UPGRADE_CLIENT = _type_url(client.MsgUpgradeClient)
REGISTER_COUNTERPARTY = _type_url(client_v2.MsgRegisterCounterparty)
CHANNEL_OPEN_INIT = _type_url(channel.MsgChannelOpenInit)
CHANNEL_OPEN_TRY = _type_url(channel.MsgChannelOpenTry)

STATE, HEADER = _type_url(tendermint.ClientState), _type_url(tendermint.Header)
CONSENSUS = _type_url(tendermint.ConsensusState)
CLAIMING: dict[str, type[Message]] = {
    STATE: tendermint.ClientState,
    HEADER: tendermint.Header,
    CONSENSUS: tendermint.ConsensusState,
}
"""Message types in an `Any` that are decoded. Solo machines are not chains; wasm client states are opaque."""


def facts_of_message(type_url: str, shape: Shape, fields: Encoded | Printed) -> MessageFacts:
    """Extract the fields of a message.

    Raises:
        MalformedContent: a field has a wrong type, or cannot be decoded.
    """
    facts = MessageFacts(
        type_url,
        signer=fields.name(shape.signer),
        client_id=fields.name(shape.client) if shape.client else "",
        connection_id=fields.name(shape.connection) if shape.connection else "",
        port=fields.name(shape.port) if shape.port else "",
        channel=fields.name(shape.channel) if shape.channel else "",
        sequence=fields.number(shape.sequence) if shape.sequence else 0,
        ordering=fields.order(shape.ordering) if shape.ordering else "",
        other_client=fields.name(shape.other_client) if shape.other_client else "",
    )
    if shape.height:
        facts = _at(facts, fields, shape.height)
    for path in shape.claims:
        claim = fields.inner(path)
        if claim is not None:
            facts = with_claim(facts, *claim)
    return facts


def with_claim(facts: MessageFacts, type_url: str, fields: Encoded | Printed) -> MessageFacts:
    """Add the fields of a client state, consensus state or header.

    The revision of a header's height is the revision number in its chain id.

    Raises:
        MalformedContent: a field has a wrong type.
    """
    if type_url == STATE:
        named = facts._replace(
            chain_id=fields.name("chain_id"), trusting_ns=fields.span_ns("trusting_period")
        )
        return _at(named, fields, "latest_height")
    if type_url == CONSENSUS:
        return facts._replace(time_ns=fields.moment_ns("timestamp"))
    if type_url == HEADER:
        chain_id = fields.name("signed_header.header.chain_id")
        return facts._replace(
            chain_id=chain_id,
            revision=min(revision_of(chain_id), MAX_I64),
            height=fields.number("signed_header.header.height"),
            time_ns=fields.moment_ns("signed_header.header.time"),
        )
    return facts


def _at(facts: MessageFacts, fields: Encoded | Printed, path: str) -> MessageFacts:
    return facts._replace(
        revision=fields.number(f"{path}.revision_number"), height=fields.number(f"{path}.revision_height")
    )
