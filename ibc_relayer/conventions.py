"""What differs between types of clients in how IBC v2 and heights name the other chain's state."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from ibc_core import paths as keys
from ibc_core.any_message import AnyMessage
from ibc_core.height import Height
from ibc_relayer.endpoint import ChainEndpoint, Proven, height_on
from ibc_relayer.errors import RelayerError

MERKLE_PREFIX = (keys.COMMITMENT_PREFIX, b"")
"""The Merkle prefix of Cosmos SDK chains, as IBC v2 registers it: the last part is prepended to each key."""


class Convention(NamedTuple):
    """How a type of clients names the state of the chain that it follows."""

    merkle_prefix: tuple[bytes, ...] = MERKLE_PREFIX
    has_revisions: bool = True  # heights have the revision in the chain's id; else 0

    def height(self, chain_id: str, height: int) -> Height:
        """A height of the chain as these clients name it."""
        return height_on(chain_id, height) if self.has_revisions else Height(0, height)


@runtime_checkable
class NamesOtherwise(Protocol):
    """A driver whose clients name the other chain's state otherwise than those of Cosmos SDK chains."""

    @property
    def convention(self) -> Convention:
        """How they do."""


def convention_of(driver: object) -> Convention:
    """The convention of a driver's clients: its own, if it has one."""
    return driver.convention if isinstance(driver, NamesOtherwise) else Convention()


@runtime_checkable
class ProvesToClients(Protocol):
    """A driver whose clients take other proofs than the chain's own."""

    def prove_many(
        self, reference: ChainEndpoint, keys: Sequence[bytes], height: int
    ) -> list[Proven | RelayerError]:
        """What stands at keys of `reference` after block `height`, with proofs that its clients take."""


@runtime_checkable
class ReadsAhead(Protocol):
    """A driver whose updates need signed headers alone, known beforehand, whatever their blocks have done."""

    def read_ahead(self, reference: ChainEndpoint, height: int) -> None:
        """Has the endpoint ask for what an update to `height` needs, so that it is there then.

        Raises:
            RelayerError: the endpoint does not give it; nobody need know.
        """


@runtime_checkable
class OutlivesBlocks(Protocol):
    """A driver that knows whether a client can be updated once nobody has the block of its last header."""

    def trusts(self, consensus_state: AnyMessage, reference: ChainEndpoint, height: int) -> bool:
        """Whether a client with this consensus state takes the word of who vouches for block `height`.

        Raises:
            ValueError, IbcError: it is not a consensus state of this type.
        """
