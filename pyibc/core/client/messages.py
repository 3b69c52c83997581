"""Messages of clients (ICS-2) and of planned upgrades."""

from typing import Annotated

from pyibc.codec.anys import NO_ANY, AnyMessage
from pyibc.codec.gotime import GO_ZERO_TIME_NS
from pyibc.core.checking import HasAddresses, HasClientTypes, check_readable
from pyibc.core.client.types import ALLOW_ALL_CLIENTS, PLAN, TENDERMINT, UpgradePlan
from pyibc.core.errors import (
    IbcError,
    InvalidAddress,
    InvalidClientType,
    InvalidRequest,
    InvalidSdkRequest,
    InvalidSubstitute,
    InvalidUpgradeClient,
    TooLarge,
    TxDecode,
    UnpackAny,
)
from pyibc.core.identifiers import is_blank, parse_client_id, validate_client_id
from pyibc.core.value import value
from pyibc.core.wire.columns import Missing, Proof, Signer, Wire
from pyibc.core.wire.message import Msg, message, response
from pyibc.proto.ibc.core.client.v1 import tx_pb2

MAX_STATE_SIZE = 32_768
"""Maximum size of a client state or a consensus state, in bytes."""


@message(tx_pb2.MsgCreateClient, response(tx_pb2.MsgCreateClientResponse, "client_id"))
@value
class MsgCreateClient(Msg):
    """Create a light client of another chain."""

    client_state: Annotated[AnyMessage, Missing(NO_ANY)]
    consensus_state: Annotated[AnyMessage, Missing(NO_ANY)]
    signer: Signer

    def check(self, chain: HasClientTypes) -> None:
        """Run the stateless checks, including those of the light client.

        Raises:
            TxDecode, InvalidAddress, TooLarge, UnpackAny, ClientTypeNotFound, InvalidClientType.
            IbcError: the light client's own error for a malformed state.
        """
        _check_size("client_state", self.client_state)
        _check_size("consensus_state", self.consensus_state)
        try:
            chain.addresses.decode(self.signer, "signer")
        except InvalidAddress:
            check_readable(chain, self.client_state, self.consensus_state)
            raise
        client = chain.client_types.by_client_state(self.client_state.type_url)
        client.check_client_state(self.client_state.value)
        if chain.client_types.by_consensus_state(self.consensus_state.type_url) is not client:
            raise InvalidClientType("client state and consensus state are of different types")
        client.check_consensus_state(self.consensus_state.value)


def _check_size(field: str, state: AnyMessage) -> None:
    """Raise TooLarge for a large state, and UnpackAny for an absent state, at which ibc-go panics."""
    # guard: panics-of-absent-states-are-answered {state is NO_ANY => False}
    #   test_an_executed_message_at_which_ibc_go_panics_is_no_answer
    if state is NO_ANY:
        raise UnpackAny("", f"no {field}").as_panic()
    if len(state.value) > MAX_STATE_SIZE:
        raise TooLarge(field, len(state.value), MAX_STATE_SIZE)


@message(tx_pb2.MsgUpdateClient)
@value
class MsgUpdateClient(Msg):
    """Update a client with a header or with misbehaviour."""

    client_id: str
    client_message: AnyMessage
    signer: Signer

    def check(self, chain: HasClientTypes) -> None:
        """Run the stateless checks, including those of the light client.

        Raises:
            TxDecode, InvalidAddress, UnpackAny, ClientTypeNotFound, InvalidIdentifier.
            IbcError: the light client's own error for a malformed client message.
        """
        try:
            chain.addresses.decode(self.signer, "signer")
        except InvalidAddress:
            self._check_readable(chain)
            raise
        client = chain.client_types.by_message(self.client_message.type_url)
        client.check_message(self.client_message)
        validate_client_id(self.client_id)

    def _check_readable(self, chain: HasClientTypes) -> None:
        """Raise errors of the SDK's transaction decoder, which precede the check of the signer."""
        if not self.client_message.type_url:
            return
        try:
            chain.client_types.by_message(self.client_message.type_url).check_message(self.client_message)
        except TxDecode:
            raise
        except IbcError:
            return  # the signer is invalid as well, and ibc-go checks it first


@message(tx_pb2.MsgSubmitMisbehaviour)
@value
class MsgSubmitMisbehaviour(MsgUpdateClient):
    """Submit misbehaviour to a client: in ibc-go until v10, and still sent by Hermes."""

    client_message: Annotated[AnyMessage, Wire("misbehaviour")]


@message(tx_pb2.MsgUpgradeClient)
@value
class MsgUpgradeClient(Msg):
    """Upgrade a client to its chain's next revision, with proofs of the states committed before the halt."""

    client_id: str
    client_state: AnyMessage
    consensus_state: AnyMessage
    client_proof: Annotated[Proof, Wire("proof_upgrade_client")]
    consensus_proof: Annotated[Proof, Wire("proof_upgrade_consensus_state")]
    signer: Signer

    def check(self, chain: HasClientTypes) -> None:
        """Run the stateless checks, except of the states: committed upgrade states need not be complete.

        Raises:
            UnpackAny, ClientTypeNotFound, TxDecode, InvalidUpgradeClient, InvalidAddress, InvalidIdentifier.
        """
        types = chain.client_types
        check_readable(chain, self.client_state, self.consensus_state)
        client = types.by_client_state(self.client_state.type_url)
        if types.by_consensus_state(self.consensus_state.type_url) is not client:
            raise InvalidUpgradeClient("client state and consensus state are of different types")
        if not self.client_proof:
            raise InvalidUpgradeClient("empty proof of the upgraded client state")
        if not self.consensus_proof:
            raise InvalidUpgradeClient("empty proof of the upgraded consensus state")
        chain.addresses.decode(self.signer, "signer")
        validate_client_id(self.client_id)


@message(tx_pb2.MsgRecoverClient)
@value
class MsgRecoverClient(Msg):
    """Recover a frozen or expired client with an active substitute of the same chain; for the authority."""

    subject_client_id: str
    substitute_client_id: str
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidAddress, InvalidIdentifier, InvalidSubstitute.
        """
        chain.addresses.decode(self.signer, "signer")
        validate_client_id(self.subject_client_id)
        validate_client_id(self.substitute_client_id)
        if self.subject_client_id == self.substitute_client_id:
            raise InvalidSubstitute("subject and substitute must be different")


@message(tx_pb2.MsgIBCSoftwareUpgrade)
@value
class MsgIbcSoftwareUpgrade(Msg):
    """Plan an upgrade and commit to the client state of the next revision; for the authority."""

    plan: Annotated[UpgradePlan, Wire("plan", PLAN)]
    upgraded_client_state: AnyMessage
    signer: Signer

    def check(self, chain: HasClientTypes) -> None:
        """Run the stateless checks.

        Raises:
            TxDecode, InvalidAddress, UnpackAny, ClientTypeNotFound, InvalidUpgradeClient, InvalidSdkRequest.
        """
        state, types = self.upgraded_client_state, chain.client_types
        check_readable(chain, state)
        chain.addresses.decode(self.signer, "signer")
        client = types.by_client_state(state.type_url)
        if client.client_type != TENDERMINT:
            raise InvalidUpgradeClient(
                f"upgraded client state of type {client.client_type}, not {TENDERMINT}"
            )
        _check_plan(self.plan)


def _check_plan(plan: UpgradePlan) -> None:
    if plan.time_ns != GO_ZERO_TIME_NS:
        raise InvalidSdkRequest("plan: upgrades by time are no longer supported")
    if plan.has_client_state:
        raise InvalidSdkRequest("plan: upgraded_client_state belongs into the message, not into the plan")
    if not plan.name:
        raise InvalidSdkRequest("plan: no name")
    if plan.height <= 0:
        raise InvalidSdkRequest(f"plan: height {plan.height} is not positive")


MAX_ALLOWED_CLIENTS = 200
"""Maximum number of types in the parameter `allowed_clients`."""


@message(tx_pb2.MsgUpdateParams)
@value
class MsgUpdateClientParams(Msg):
    """Replace all client parameters; for the authority."""

    allowed_clients: Annotated[tuple[str, ...], Wire("params.allowed_clients")]
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidAddress, InvalidRequest.
        """
        chain.addresses.decode(self.signer, "signer")
        check_allowed_clients(self.allowed_clients)


def check_allowed_clients(allowed: tuple[str, ...]) -> None:
    """Check the parameter `allowed_clients`.

    Raises:
        InvalidRequest: there are too many types, one is blank or repeated, or `*` is not alone.
    """
    if len(allowed) > MAX_ALLOWED_CLIENTS:
        raise InvalidRequest(f"allowed_clients: {len(allowed)} types exceed {MAX_ALLOWED_CLIENTS}")
    if ALLOW_ALL_CLIENTS in allowed and len(allowed) > 1:
        raise InvalidRequest(f"allowed_clients: {ALLOW_ALL_CLIENTS} stands for all and must stand alone")
    if any(is_blank(client_type) for client_type in allowed):
        raise InvalidRequest("allowed_clients: blank type")
    if len(set(allowed)) < len(allowed):
        raise InvalidRequest("allowed_clients: duplicate type")


@message(tx_pb2.MsgDeleteClientCreator)
@value
class MsgDeleteClientCreator(Msg):
    """Delete the record of a client's creator; for the creator or the authority."""

    client_id: str
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Run the stateless checks.

        Raises:
            InvalidAddress, InvalidIdentifier.
        """
        chain.addresses.decode(self.signer, "signer")
        validate_client_id(self.client_id)
        parse_client_id(self.client_id)
