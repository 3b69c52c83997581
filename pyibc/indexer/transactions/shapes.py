"""Paths of client, channel, sequence, proof height and client states in the IBC messages."""

from typing import NamedTuple

from google.protobuf.message import Message

from pyibc.core.height import revision_of
from pyibc.core.numbers import MAX_I64
from pyibc.indexer.transactions.content import MessageFacts
from pyibc.indexer.transactions.fields import Fields
from pyibc.proto.ibc.applications.transfer.v1 import tx_pb2 as transfer
from pyibc.proto.ibc.core.channel.v1 import tx_pb2 as channel
from pyibc.proto.ibc.core.channel.v2 import tx_pb2 as channel_v2
from pyibc.proto.ibc.core.client.v1 import tx_pb2 as client
from pyibc.proto.ibc.core.client.v2 import tx_pb2 as client_v2
from pyibc.proto.ibc.core.connection.v1 import tx_pb2 as connection
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2 as tendermint

PROVED = "proof_height"


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


_STATES = ("client_state", "consensus_state")
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


def facts_of_message(type_url: str, shape: Shape, fields: Fields) -> MessageFacts:
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


def with_claim(facts: MessageFacts, type_url: str, fields: Fields) -> MessageFacts:
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


def _at(facts: MessageFacts, fields: Fields, path: str) -> MessageFacts:
    return facts._replace(
        revision=fields.number(f"{path}.revision_number"), height=fields.number(f"{path}.revision_height")
    )
