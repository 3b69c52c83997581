"""google.protobuf.Any: packing and unpacking, the allowed types, and the fields that contain Anys.

ibc-go refuses a transaction at decoding if an Any has an unknown type, or a type that does not implement
the interface of its field (the SDK's interface registry). The known types of a chain are the public keys
and those that its light clients declare.
"""

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import NamedTuple, TypeVar

from google.protobuf.message import DecodeError, Message

from pyibc.codec.encoding import encode, leads_to
from pyibc.core.errors import UnpackAny
from pyibc.core.value import value
from pyibc.proto.cosmos.crypto.ed25519 import keys_pb2 as ed25519
from pyibc.proto.cosmos.crypto.multisig import keys_pb2 as multisig
from pyibc.proto.cosmos.crypto.secp256k1 import keys_pb2 as secp256k1
from pyibc.proto.google.protobuf import any_pb2
from pyibc.proto.ibc.lightclients.solomachine.v3 import solomachine_pb2 as solomachine
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2 as tendermint
from pyibc.proto.pool import descriptor_of, message_class


@value
class AnyMessage:
    """A type URL and the bytes of a message of that type."""

    type_url: str
    value: bytes


NO_ANY = AnyMessage("", b"")
"""Placeholder for an absent field. Compare it by identity: a message may contain an equal Any."""


class Role(Enum):
    """Interface that the type in an Any must implement."""

    CLIENT_STATE = "client state"
    CONSENSUS_STATE = "consensus state"
    CLIENT_MESSAGE = "client message"
    PUBLIC_KEY = "public key"


ROLES = {
    "ibc.core.client.v1.MsgCreateClient.client_state": Role.CLIENT_STATE,
    "ibc.core.client.v1.MsgCreateClient.consensus_state": Role.CONSENSUS_STATE,
    "ibc.core.client.v1.MsgUpdateClient.client_message": Role.CLIENT_MESSAGE,
    "ibc.core.client.v1.MsgUpgradeClient.client_state": Role.CLIENT_STATE,
    "ibc.core.client.v1.MsgUpgradeClient.consensus_state": Role.CONSENSUS_STATE,
    "ibc.core.client.v1.MsgSubmitMisbehaviour.misbehaviour": Role.CLIENT_MESSAGE,
    "ibc.core.client.v1.MsgIBCSoftwareUpgrade.upgraded_client_state": Role.CLIENT_STATE,
    "ibc.core.connection.v1.MsgConnectionOpenTry.client_state": Role.CLIENT_STATE,
    "ibc.core.connection.v1.MsgConnectionOpenAck.client_state": Role.CLIENT_STATE,
    "ibc.lightclients.solomachine.v3.ConsensusState.public_key": Role.PUBLIC_KEY,
    "ibc.lightclients.solomachine.v3.Header.new_public_key": Role.PUBLIC_KEY,
    "ibc.lightclients.solomachine.v3.HeaderData.new_pub_key": Role.PUBLIC_KEY,
    "cosmos.tx.v1beta1.SignerInfo.public_key": Role.PUBLIC_KEY,
    "cosmos.crypto.multisig.LegacyAminoPubKey.public_keys": Role.PUBLIC_KEY,
    "cosmos.auth.v1beta1.BaseAccount.pub_key": Role.PUBLIC_KEY,
}
"""Field -> role; Anys in other fields may have any known type."""

REQUIRED = {"ibc.lightclients.solomachine.v3.ClientState": ("consensus_state",)}
"""Required message fields: ibc-go's decoder panics if they are absent, this one refuses the value."""

_KEYS = (secp256k1.PubKey, ed25519.PubKey, multisig.LegacyAminoPubKey)


class KnownTypes:
    """Immutable registry of the types that a chain allows in Anys."""

    __slots__ = ("_by_role", "_declared")

    def __init__(self, declared: Mapping[Role, Iterable[type[Message]]]) -> None:
        """Register the public keys, `declared` by role, and, without a role, all messages of this package."""
        roles = {**declared, Role.PUBLIC_KEY: (*declared.get(Role.PUBLIC_KEY, ()), *_KEYS)}
        self._by_role: dict[Role, dict[str, type[Message]]] = {
            role: {cls.DESCRIPTOR.full_name: cls for cls in roles.get(role, ())} for role in Role
        }
        self._declared = {name: cls for found in self._by_role.values() for name, cls in found.items()}

    def find(self, type_url: str, role: Role | None) -> type[Message] | None:
        """Return the class of `/{full name}`; None if it is unknown or does not have `role`."""
        if not type_url.startswith("/"):
            return None
        name = type_url[1:]
        if role is not None:
            return self._by_role[role].get(name)
        try:
            return self._declared.get(name) or message_class(name)
        except KeyError:
            return None


BUILTIN = KnownTypes(
    {
        Role.CLIENT_STATE: (tendermint.ClientState, solomachine.ClientState),
        Role.CONSENSUS_STATE: (tendermint.ConsensusState, solomachine.ConsensusState),
        Role.CLIENT_MESSAGE: (
            tendermint.Header,
            tendermint.Misbehaviour,
            solomachine.Header,
            solomachine.Misbehaviour,
        ),
    }
)
"""Registry of a chain with the light clients of this distribution; also the default off chain."""


MAX_ANY_DEPTH = 10
"""Maximum nesting of Anys, as in the SDK. Other nesting is limited to 100 levels by upb's parser."""


class AnyPlace(NamedTuple):
    """A field that is an Any or contains Anys."""

    field: str
    repeated: bool
    is_any: bool
    role: Role | None


_ANY = ("google.protobuf.Any",)
_PLACES: dict[type[Message], tuple[AnyPlace, ...]] = {}


def any_places(cls: type[Message]) -> tuple[AnyPlace, ...]:
    """Return the fields of a message that are or contain Anys."""
    found = _PLACES.get(cls)
    if found is None:
        found = _PLACES[cls] = tuple(
            AnyPlace(
                field.name,
                not field.has_presence,
                field.message_type.full_name in _ANY,
                ROLES.get(field.full_name),
            )
            for field in descriptor_of(cls).fields
            if field.message_type is not None and leads_to(field.message_type, _ANY)
        )
    return found


_M = TypeVar("_M", bound=Message)

EMPTY = AnyMessage("", b"")
"""Value of an absent Any field."""


def type_url(cls: type[Message]) -> str:
    """Return the type URL `/{full name}`, in Cosmos without a host."""
    return f"/{cls.DESCRIPTOR.full_name}"


def pack(message: Message) -> AnyMessage:
    """Return the Any of `message`, with an encoding identical to Go's."""
    return AnyMessage(type_url(type(message)), encode(message))


def unpack(packed: AnyMessage, cls: type[_M]) -> _M:
    """Return the message of class `cls` in an Any.

    Raises:
        UnpackAny: the Any has another type or malformed bytes.
    """
    if packed.type_url != type_url(cls):
        raise UnpackAny(packed.type_url[:100], f"expected {type_url(cls)}")
    return _parse(cls, packed)


def _parse(cls: type[_M], packed: AnyMessage) -> _M:
    try:
        return cls.FromString(packed.value)
    except DecodeError:
        raise UnpackAny(packed.type_url[:100], "malformed") from None


def unpack_any(message: Message, field: str) -> AnyMessage:
    """Return a message's Any field as a value; `EMPTY` if it is absent."""
    if not message.HasField(field):
        return EMPTY
    packed = getattr(message, field)
    return AnyMessage(packed.type_url, packed.value)


def pack_any(packed: AnyMessage) -> any_pb2.Any | None:
    """Return the value of a message's Any field; None for an absent one."""
    return None if packed == EMPTY else any_pb2.Any(type_url=packed.type_url, value=packed.value)


def encode_any(packed: AnyMessage) -> bytes:
    """Return the encoded `google.protobuf.Any`, the stored form of client and consensus states."""
    return any_pb2.Any(type_url=packed.type_url, value=packed.value).SerializeToString()


def decode_any(raw: bytes) -> AnyMessage:
    """Return the Any encoded in `raw`.

    Raises:
        UnpackAny: the bytes are malformed.
    """
    try:
        packed = any_pb2.Any.FromString(raw)
    except DecodeError:
        raise UnpackAny("", "malformed Any") from None
    return AnyMessage(packed.type_url, packed.value)
