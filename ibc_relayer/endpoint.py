"""The interface through which a relayer reads and writes a chain, in process or over a node's RPC."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from ibc_core.any_message import AnyMessage
from ibc_core.height import Height, revision_of
from ibc_core.host.block import CommittedBlock, TxOutcome
from ibc_core.paths import STORE_NAME


class Tip(NamedTuple):
    """The last committed block."""

    height: int
    time_ns: int


class Proven(NamedTuple):
    """A store entry, or its absence, with its proof."""

    value: bytes | None  # None: absent, `proof` is a proof of non-membership
    proof: bytes  # MerkleProof
    height: Height  # proof height: of the header whose app hash commits to the state, one above it


class LightBlock(NamedTuple):
    """A signed header and the validators that signed it, as protobuf bytes."""

    height: int
    time_ns: int
    signed_header: bytes  # tendermint.types.SignedHeader
    validators: bytes  # tendermint.types.ValidatorSet


def height_on(chain_id: str, height: int) -> Height:
    """`height` with the revision number of the chain id."""
    return Height(revision_of(chain_id), height)


@runtime_checkable
class TellsHeight(Protocol):
    """An endpoint that tells its height before its last block is read."""

    def last_height(self) -> int:
        """Height of the last block whose state is committed. Raises as `tip`."""

    def has_block(self, height: int) -> bool:
        """Whether `block` answers without asking the chain."""


@runtime_checkable
class WatchesHeight(Protocol):
    """An endpoint that tells when its height changes, and how far its blocks were read."""

    @property
    def is_watched(self) -> bool:
        """Whether it does: one that stands for another may not know how."""

    def height_after(self, known: int) -> int:
        """The last height once it is another than `known`, at the latest after a while. Raises as `tip`."""

    @property
    def highest_block(self) -> int:
        """Of the blocks that were read here, also by `submit`; 0: none was since a `forget`."""


@runtime_checkable
class TellsSigned(Protocol):
    """An endpoint that has a block's header before the block is executed, and gives it by `light_block`."""

    @property
    def signed_height(self) -> int:
        """The last such height; 0: none is known. `height_after` returns when it changes, too."""


@runtime_checkable
class KeepsBlocks(Protocol):
    """An endpoint that gives a block again without asking for it again."""

    def forget(self) -> None:
        """Drops what is kept: something was wrong with it."""


@runtime_checkable
class HasSigners(Protocol):
    """An endpoint of several accounts."""

    @property
    def signers(self) -> tuple[str, ...]:
        """Their addresses, `signer` first."""


@runtime_checkable
class TellsWhenSent(Protocol):
    """An endpoint that tells when the mempool has taken a transaction."""

    when_sent: Callable[[], None]
    """Called in the thread that submits it."""


class ChainEndpoint(Protocol):
    """One chain, and the account that signs and pays there."""

    @property
    def chain_id(self) -> str:
        """The chain's id."""

    @property
    def signer(self) -> str:
        """The relayer's address on this chain."""

    def tip(self) -> Tip:
        """The last committed block."""

    def block(self, height: int) -> CommittedBlock:
        """A committed block with its events; read once a block."""

    def light_block(self, height: int) -> LightBlock:
        """Header, commit and validators of `height`."""

    def get(self, key: bytes, store: str = STORE_NAME) -> bytes | None:
        """The value of a key after the last block, without proof; None if absent."""

    def prove(self, key: bytes, height: int, store: str = STORE_NAME) -> Proven:
        """The value of a key after block `height`, with proof against header `height + 1`."""

    def grpc(self, path: str, request: bytes) -> bytes:
        """The response to a gRPC query, at the last block."""

    def submit(self, messages: Sequence[AnyMessage]) -> TxOutcome:
        """Signs and broadcasts one transaction of `messages`, and waits until it is included in a block."""

    def wait(self, height: int) -> None:
        """Returns when block `height` is committed."""
