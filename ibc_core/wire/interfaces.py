"""Which types may stand in which Any: Go's interface registry.

A node of ibc-go refuses a transaction at decoding when an Any holds a type that it does not know, or
that is not of the kind its field asks for. What is known belongs to one chain: the keys that every chain
knows, and what the light clients of that chain declare.
"""

from collections.abc import Iterable, Mapping
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

_KEYS = (secp256k1.PubKey, ed25519.PubKey, multisig.LegacyAminoPubKey)


class KnownTypes:
    """The types that one chain knows in Anys; never changed."""

    __slots__ = ("_by_role", "_declared")

    def __init__(self, declared: Mapping[Role, Iterable[type[Message]]]) -> None:
        """Knows the public keys, `declared` in their roles, and without a role every message of our wire."""
        roles = {**declared, Role.PUBLIC_KEY: (*declared.get(Role.PUBLIC_KEY, ()), *_KEYS)}
        self._by_role: dict[Role, dict[str, type[Message]]] = {
            role: {cls.DESCRIPTOR.full_name: cls for cls in roles.get(role, ())} for role in Role
        }
        self._declared = {name: cls for found in self._by_role.values() for name, cls in found.items()}

    def find(self, type_url: str, role: Role | None) -> type[Message] | None:
        """The class of `/{full name}`, None where it is not known or not of `role`."""
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
"""What a chain knows that has the light clients of this distribution; off-chain readers take it as well."""
