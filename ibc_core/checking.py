"""What the stateless checks of messages may know of the chain: nothing that changes from block to block."""

from typing import Protocol

from ibc_core.address import AddressCodec
from ibc_core.any_message import AnyMessage
from ibc_core.errors import InvalidProof


class HasAddresses(Protocol):
    """A chain that spells addresses in its own way."""

    @property
    def addresses(self) -> AddressCodec:
        """The chain's spelling of addresses."""


class HasPayloadRule(HasAddresses, Protocol):
    """A chain that speaks IBC v2."""

    @property
    def several_payloads(self) -> bool:
        """Whether a packet may have more than one payload."""


class ClientChecks(Protocol):
    """What a light client can say of its own types without state."""

    @property
    def client_type(self) -> str:
        """`07-tendermint`, ..."""

    def check_client_state(self, client_state: bytes, /) -> None:
        """Checks a client state, given as the bytes inside its Any; raises IbcError."""

    def check_consensus_state(self, consensus_state: bytes, /) -> None:
        """Checks a consensus state, given as the bytes inside its Any; raises IbcError."""

    def check_readable(self, state: AnyMessage, /) -> None:
        """Checks that a state which is not checked further can be read; raises TxDecode."""

    def check_message(self, message: AnyMessage, /) -> None:
        """Checks a header or evidence; raises IbcError."""


class ClientTypes(Protocol):
    """The light clients of a chain; each function raises UnpackAny for "" and ClientTypeNotFound."""

    def by_client_state(self, type_url: str, /) -> ClientChecks:
        """The one whose client states have this type URL."""

    def by_consensus_state(self, type_url: str, /) -> ClientChecks:
        """The one whose consensus states have this type URL."""

    def by_message(self, type_url: str, /) -> ClientChecks:
        """The one whose headers or evidence have this type URL."""


class HasClientTypes(HasAddresses, Protocol):
    """A chain that keeps light clients."""

    @property
    def client_types(self) -> ClientTypes:
        """Its light clients."""


def check_readable(
    chain: HasClientTypes, client_state: AnyMessage, consensus_state: AnyMessage | None = None
) -> None:
    """Checks that states can be read, which Go's decoder of transactions does before anything else.

    Raises:
        TxDecode: one cannot be.
        ClientTypeNotFound: one is of no known type.
    """
    types = chain.client_types
    if client_state.type_url:
        types.by_client_state(client_state.type_url).check_readable(client_state)
    if consensus_state is not None and consensus_state.type_url:
        types.by_consensus_state(consensus_state.type_url).check_readable(consensus_state)


def check_proof(proof: bytes, what: str) -> None:
    """Checks that a proof is there.

    Raises:
        InvalidProof: it is empty.
    """
    if not proof:
        raise InvalidProof(f"empty {what} proof")
