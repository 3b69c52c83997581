"""Interfaces to the chain for stateless checks of messages: nothing that changes from block to block."""

from typing import Protocol

from pyibc.codec.anys import AnyMessage
from pyibc.core.address import AddressCodec
from pyibc.core.errors import InvalidProof


class HasAddresses(Protocol):
    """A chain with account addresses."""

    @property
    def addresses(self) -> AddressCodec:
        """The chain's address codec."""


class HasPayloadRule(HasAddresses, Protocol):
    """A chain that supports IBC v2."""

    @property
    def several_payloads(self) -> bool:
        """True if a packet may have more than one payload."""


class ClientChecks(Protocol):
    """The stateless checks of one light client's types."""

    @property
    def client_type(self) -> str:
        """The client type, such as `07-tendermint`."""

    def check_client_state(self, client_state: bytes, /) -> None:
        """Check a client state, given as the bytes inside its Any; raises IbcError."""

    def check_consensus_state(self, consensus_state: bytes, /) -> None:
        """Check a consensus state, given as the bytes inside its Any; raises IbcError."""

    def check_readable(self, state: AnyMessage, /) -> None:
        """Check only that a state can be decoded; raises TxDecode."""

    def check_message(self, message: AnyMessage, /) -> None:
        """Check a header or misbehaviour; raises IbcError."""


class ClientTypes(Protocol):
    """The light clients of a chain.

    Each method raises UnpackAny for an empty type URL and ClientTypeNotFound for an unknown one.
    """

    def by_client_state(self, type_url: str, /) -> ClientChecks:
        """Return the light client whose client states have this type URL."""

    def by_consensus_state(self, type_url: str, /) -> ClientChecks:
        """Return the light client whose consensus states have this type URL."""

    def by_message(self, type_url: str, /) -> ClientChecks:
        """Return the light client whose headers or misbehaviour have this type URL."""


class HasClientTypes(HasAddresses, Protocol):
    """A chain with light clients."""

    @property
    def client_types(self) -> ClientTypes:
        """The chain's light clients."""


def check_readable(
    chain: HasClientTypes, client_state: AnyMessage, consensus_state: AnyMessage | None = None
) -> None:
    """Check that states can be decoded, which the SDK's transaction decoder does before any other check.

    Raises:
        TxDecode: a state is malformed.
        ClientTypeNotFound: a state is of an unknown type.
    """
    types = chain.client_types
    if client_state.type_url:
        types.by_client_state(client_state.type_url).check_readable(client_state)
    if consensus_state is not None and consensus_state.type_url:
        types.by_consensus_state(consensus_state.type_url).check_readable(consensus_state)


def check_proof(proof: bytes, what: str) -> None:
    """Check that a proof is not empty.

    Raises:
        InvalidProof: the proof is empty.
    """
    if not proof:
        raise InvalidProof(f"empty {what} proof")
