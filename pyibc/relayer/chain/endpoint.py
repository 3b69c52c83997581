"""Chain endpoint: the interface through which a relayer queries a chain and submits transactions."""

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from pyibc.core.host.block import CommittedBlock, TxOutcome
from pyibc.core.paths import STORE_NAME
from pyibc.core.wire.any_message import AnyMessage
from pyibc.relayer.chain.values import LightBlock, Proven, Tip


@runtime_checkable
class ReportsHeight(Protocol):
    """Endpoint that reports its height without reading the last block."""

    def last_height(self) -> int:
        """Return the height of the last block whose state is committed. Raises as `tip`."""

    def has_block(self, height: int) -> bool:
        """Return whether `block` would answer from the cache."""


def last_height(endpoint: "ChainEndpoint") -> int:
    """Return the height of the last committed block, without reading the block if possible."""
    return endpoint.last_height() if isinstance(endpoint, ReportsHeight) else endpoint.tip().height


@runtime_checkable
class WatchesHeight(Protocol):
    """Endpoint that waits for the next height, and reports the highest block read through it."""

    @property
    def is_watched(self) -> bool:
        """True if waiting is supported; a wrapper of another endpoint may not support it."""

    def height_after(self, known: int, *, relaxed: bool = False) -> int:
        """Wait until the last height is not `known`, at most some seconds; return it. Raises as `tip`.

        `relaxed`: ask less often, since nobody is in a hurry.
        """

    @property
    def highest_block(self) -> int:
        """Height of the highest block read, also by `submit`, since the last `forget`; 0: none."""


@runtime_checkable
class ReportsSignedHeight(Protocol):
    """Endpoint whose `light_block` can return a header before the block is executed."""

    @property
    def signed_height(self) -> int:
        """Height of the last such header; 0: none. `height_after` also returns when it changes."""


@runtime_checkable
class CachesBlocks(Protocol):
    """Endpoint that caches blocks."""

    def forget(self) -> None:
        """Clear the cache, after a cached block was found wrong."""


@runtime_checkable
class HasSigners(Protocol):
    """Endpoint with several accounts."""

    @property
    def signers(self) -> tuple[str, ...]:
        """Bech32 addresses of the accounts, `signer` first."""


@runtime_checkable
class NotifiesBroadcast(Protocol):
    """Endpoint with a callback for transactions accepted by CheckTx."""

    on_broadcast: Callable[[], None]
    """Callback after CheckTx accepts a transaction, in the thread that submits it."""


class ChainEndpoint(Protocol):
    """Interface of one chain, and of the account that signs and pays there."""

    @property
    def chain_id(self) -> str:
        """Chain id."""

    @property
    def signer(self) -> str:
        """Bech32 address of the relayer on this chain."""

    def tip(self) -> Tip:
        """Return height and time of the last committed block."""

    def block(self, height: int) -> CommittedBlock:
        """Return a committed block with its events."""

    def light_block(self, height: int) -> LightBlock:
        """Return header, commit and validators at `height`."""

    def get(self, key: bytes, store: str = STORE_NAME) -> bytes | None:
        """Return the value of a key after the last block, without proof; None if absent."""

    def prove(self, key: bytes, height: int, store: str = STORE_NAME) -> Proven:
        """Return the value of a key after block `height`, with proof against header `height + 1`."""

    def grpc(self, path: str, request: bytes) -> bytes:
        """Make a gRPC query at the last block, and return the encoded response."""

    def submit(self, messages: Sequence[AnyMessage]) -> TxOutcome:
        """Sign and broadcast one transaction of `messages`, and wait until it is included in a block."""

    def wait(self, height: int) -> None:
        """Wait until block `height` is committed."""
