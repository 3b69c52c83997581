"""Stateless checks of client messages, in ibc-go's order (ValidateBasic).

The light client checks its own types.
"""

from ibc_core.client.types import ALLOW_ALL_CLIENTS, TENDERMINT
from ibc_core.errors import (
    InvalidClientType,
    InvalidRequest,
    InvalidSdkRequest,
    InvalidSubstitute,
    InvalidUpgradeClient,
    TooLarge,
)
from ibc_core.identifiers import parse_client_id, validate_client_id
from ibc_core.messages import (
    MsgCreateClient,
    MsgDeleteClientCreator,
    MsgIbcSoftwareUpgrade,
    MsgRecoverClient,
    MsgUpdateClient,
    MsgUpdateClientParams,
    MsgUpgradeClient,
    UpgradePlan,
)
from ibc_core.text import is_blank
from ibc_core.wire.messages.upgrade import GO_ZERO_SECONDS
from keepers.keepers import Keepers

MAX_STATE_SIZE = 32_768
"""Bytes of a client state, and of a consensus state, in MsgCreateClient."""


MAX_ALLOWED_CLIENTS = 200
"""Types in the parameter `allowed_clients`."""


def check_create(keepers: Keepers, msg: MsgCreateClient) -> None:
    """Stateless checks of MsgCreateClient.

    Raises:
        InvalidAddress, TooLarge, UnpackAny, ClientTypeNotFound, InvalidClientType.
        ...: whatever the light client refuses its states with.
    """
    keepers.addresses.decode(msg.signer, "signer")
    registry = keepers.clients.registry
    _check_size("client_state", msg.client_state.value)
    client = registry.by_client_state(msg.client_state.type_url)
    client.check_client_state(msg.client_state.value)
    _check_size("consensus_state", msg.consensus_state.value)
    if registry.by_consensus_state(msg.consensus_state.type_url) is not client:
        raise InvalidClientType("client state and consensus state are of different types")
    client.check_consensus_state(msg.consensus_state.value)


def _check_size(field: str, raw: bytes) -> None:
    if len(raw) > MAX_STATE_SIZE:
        raise TooLarge(field, len(raw), MAX_STATE_SIZE)


def check_update(keepers: Keepers, msg: MsgUpdateClient) -> None:
    """Stateless checks of MsgUpdateClient.

    Raises:
        InvalidAddress, UnpackAny, ClientTypeNotFound, InvalidIdentifier.
        ...: whatever the light client refuses its message with.
    """
    keepers.addresses.decode(msg.signer, "signer")
    client = keepers.clients.registry.by_message(msg.client_message.type_url)
    client.check_message(msg.client_message)
    validate_client_id(msg.client_id)


def check_upgrade(keepers: Keepers, msg: MsgUpgradeClient) -> None:
    """Stateless checks of MsgUpgradeClient; the states are not checked: as committed they need not be whole.

    Raises:
        UnpackAny, ClientTypeNotFound, InvalidUpgradeClient, InvalidAddress, InvalidIdentifier.
    """
    registry = keepers.clients.registry
    client = registry.by_client_state(msg.client_state.type_url)
    if registry.by_consensus_state(msg.consensus_state.type_url) is not client:
        raise InvalidUpgradeClient("client state and consensus state are of different types")
    if not msg.client_proof:
        raise InvalidUpgradeClient("empty proof of the upgraded client state")
    if not msg.consensus_proof:
        raise InvalidUpgradeClient("empty proof of the upgraded consensus state")
    keepers.addresses.decode(msg.signer, "signer")
    validate_client_id(msg.client_id)


def check_recover(keepers: Keepers, msg: MsgRecoverClient) -> None:
    """Stateless checks of MsgRecoverClient.

    Raises:
        InvalidAddress, InvalidIdentifier, InvalidSubstitute.
    """
    keepers.addresses.decode(msg.signer, "signer")
    validate_client_id(msg.subject_client_id)
    validate_client_id(msg.substitute_client_id)
    if msg.subject_client_id == msg.substitute_client_id:
        raise InvalidSubstitute("subject and substitute must be different")


def check_delete_creator(keepers: Keepers, msg: MsgDeleteClientCreator) -> None:
    """Stateless checks of MsgDeleteClientCreator.

    Raises:
        InvalidAddress, InvalidIdentifier.
    """
    keepers.addresses.decode(msg.signer, "signer")
    validate_client_id(msg.client_id)
    parse_client_id(msg.client_id)


def check_update_params(keepers: Keepers, msg: MsgUpdateClientParams) -> None:
    """Stateless checks of MsgUpdateParams of clients.

    Raises:
        InvalidAddress, InvalidRequest.
    """
    keepers.addresses.decode(msg.signer, "signer")
    check_allowed_clients(msg.allowed_clients)


def check_allowed_clients(allowed: tuple[str, ...]) -> None:
    """Checks the parameter `allowed_clients`.

    Raises:
        InvalidRequest: too many types, a blank one, one twice, or one beside the one that stands for all.
    """
    if len(allowed) > MAX_ALLOWED_CLIENTS:
        raise InvalidRequest(f"allowed_clients: {len(allowed)} types exceed {MAX_ALLOWED_CLIENTS}")
    if ALLOW_ALL_CLIENTS in allowed and len(allowed) > 1:
        raise InvalidRequest(f"allowed_clients: {ALLOW_ALL_CLIENTS} stands for all and must stand alone")
    if any(is_blank(client_type) for client_type in allowed):
        raise InvalidRequest("allowed_clients: blank type")
    if len(set(allowed)) < len(allowed):
        raise InvalidRequest("allowed_clients: a type comes twice")


def check_software_upgrade(keepers: Keepers, msg: MsgIbcSoftwareUpgrade) -> None:
    """Stateless checks of MsgIBCSoftwareUpgrade.

    Raises:
        InvalidAddress, UnpackAny, ClientTypeNotFound, InvalidUpgradeClient, InvalidSdkRequest.
    """
    keepers.addresses.decode(msg.signer, "signer")
    client = keepers.clients.registry.by_client_state(msg.upgraded_client_state.type_url)
    if client.client_type != TENDERMINT:
        raise InvalidUpgradeClient(f"upgraded client state of type {client.client_type}, not {TENDERMINT}")
    _check_plan(msg.plan)


def _check_plan(plan: UpgradePlan) -> None:
    if plan.time_ns != GO_ZERO_SECONDS * 10**9:
        raise InvalidSdkRequest("plan: upgrades by time are no longer supported")
    if plan.has_client_state:
        raise InvalidSdkRequest("plan: an upgraded client state does not belong into the plan")
    if not plan.name:
        raise InvalidSdkRequest("plan: no name")
    if plan.height <= 0:
        raise InvalidSdkRequest(f"plan: height {plan.height} is not positive")
