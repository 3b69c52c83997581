"""Stateless checks of client messages, in ibc-go's order (ValidateBasic).

The light client checks its own types.
"""

from ibc_module.core.identifiers import validate_client_id
from ibc_module.core.messages import MsgCreateClient, MsgUpdateClient
from ibc_module.errors import InvalidClientType, TooLarge
from keepers.keepers import Keepers

MAX_STATE_SIZE = 32_768
"""Bytes of a client state, and of a consensus state, in MsgCreateClient."""


def check_create(keepers: Keepers, msg: MsgCreateClient) -> None:
    """Stateless checks of MsgCreateClient.

    Raises:
        InvalidAddress, TooLarge, ClientTypeNotFound, InvalidClientType.
        ...: whatever the light client refuses its states with.
    """
    keepers.addresses.decode(msg.signer, "signer")
    registry = keepers.clients.registry
    _check_size("client_state", msg.client_state.value)
    client = registry.by_client_state(msg.client_state.type_url)
    _check_size("consensus_state", msg.consensus_state.value)
    if registry.by_consensus_state(msg.consensus_state.type_url) is not client:
        raise InvalidClientType("client state and consensus state are of different types")
    client.check_states(msg.client_state.value, msg.consensus_state.value)


def _check_size(field: str, raw: bytes) -> None:
    if len(raw) > MAX_STATE_SIZE:
        raise TooLarge(field, len(raw), MAX_STATE_SIZE)


def check_update(keepers: Keepers, msg: MsgUpdateClient) -> None:
    """Stateless checks of MsgUpdateClient.

    Raises:
        InvalidAddress, ClientTypeNotFound, InvalidIdentifier.
        ...: whatever the light client refuses its message with.
    """
    keepers.addresses.decode(msg.signer, "signer")
    client = keepers.clients.registry.by_message(msg.client_message.type_url)
    client.check_message(msg.client_message)
    validate_client_id(msg.client_id)
