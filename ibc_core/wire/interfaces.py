"""Which types may stand in which Any: Go's interface registry.

A node of ibc-go refuses a transaction at decoding when an Any holds a type that it does not know, or
that is not of the kind its field asks for. A light client that brings messages of its own makes them
known here when it is wired.
"""

from enum import Enum

from google.protobuf.message import Message

from ibc_proto.cosmos.crypto.ed25519 import keys_pb2 as ed25519
from ibc_proto.cosmos.crypto.multisig import keys_pb2 as multisig
from ibc_proto.cosmos.crypto.secp256k1 import keys_pb2 as secp256k1
from ibc_proto.ibc.lightclients.solomachine.v3 import solomachine_pb2 as solomachine
from ibc_proto.ibc.lightclients.tendermint.v1 import tendermint_pb2 as tendermint
from ibc_proto.pool import message_class


class Role(Enum):
    """What an Any is asked to be."""

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
"""Field -> role; an Any in any other field may hold every known type."""

REQUIRED = {"ibc.lightclients.solomachine.v3.ClientState": ("consensus_state",)}
"""Message fields without which ibc-go's decoder panics: we refuse such a value."""

_known: dict[str, type[Message]] = {}
_members: dict[Role, set[str]] = {role: set() for role in Role}


def add_type(cls: type[Message], role: Role | None = None) -> None:
    """Makes a type known in Anys, and in those of `role`; every node of a chain must do so at its start."""
    name = cls.DESCRIPTOR.full_name
    _known[name] = cls
    if role is not None:
        _members[role].add(name)


def known_type(type_url: str, role: Role | None) -> type[Message] | None:
    """The class of `/{full name}`, None where it is not known or not of `role`."""
    if not type_url.startswith("/"):
        return None
    name = type_url[1:]
    if role is not None and name not in _members[role]:
        return None
    try:
        return _known.get(name) or message_class(name)
    except KeyError:
        return None


for _role, _classes in {
    Role.CLIENT_STATE: (tendermint.ClientState, solomachine.ClientState),
    Role.CONSENSUS_STATE: (tendermint.ConsensusState, solomachine.ConsensusState),
    Role.CLIENT_MESSAGE: (
        tendermint.Header,
        tendermint.Misbehaviour,
        solomachine.Header,
        solomachine.Misbehaviour,
    ),
    Role.PUBLIC_KEY: (secp256k1.PubKey, ed25519.PubKey, multisig.LegacyAminoPubKey),
}.items():
    for _class in _classes:
        add_type(_class, _role)
