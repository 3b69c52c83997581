"""Chain endpoint: the interface through which a relayer queries a chain and submits transactions.

Every endpoint declares in `extras` what it can do beyond the interface. Extras save time or money, or protect
against a lying node; a relayer works without any of them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from pyibc.codec.anys import AnyMessage
from pyibc.core.host.block import CommittedBlock, TxOutcome
from pyibc.core.paths import STORE_NAME
from pyibc.relayer.chain.second_opinion import Opinions
from pyibc.relayer.chain.values import LightBlock, Proven, Query, Report, Tip
from pyibc.relayer.errors import RelayerError
from pyibc.relayer.money.fees import Offer
from pyibc.relayer.packets.packets import EventKey
from pyibc.relayer.paths.path import EndName
from pyibc.relayer.rpc.pool_node import NodeStatus

ProveMany = Callable[[Sequence[bytes], int], list[Proven | RelayerError]]
"""Returns `ChainEndpoint.prove` of each key of the IBC store, in order; the error for keys where it fails."""


class Heights(Protocol):
    """Heights that are known before the last block is read, and a cache of blocks."""

    def last_height(self) -> int:
        """Return the height of the last block whose state is committed. Raises as `tip`."""

    def has_block(self, height: int) -> bool:
        """Return whether `block` would answer from the cache."""


class HeightChanges(Protocol):
    """Heights that can be waited for."""

    def height_after(self, known: int, *, relaxed: bool = False) -> int:
        """Wait until the last height is not `known`, at most some seconds; return it. Raises as `tip`.

        `relaxed`: ask less often, since nobody is in a hurry.
        """

    @property
    def signed_height(self) -> int:
        """Height of the last header that `light_block` has before its block is executed; 0: none.

        `height_after` also returns when it changes.
        """

    @property
    def highest_block(self) -> int:
        """Height of the highest block read, also by `submit`, since the last `forget`; 0: none."""


class FindEvent(Protocol):
    """Event index of a node."""

    def __call__(self, key: EventKey, to: EndName = ()) -> int | None:
        """Return the height of a block with the event, which the caller verifies; None: not found.

        On the receiving chain a key alone is ambiguous: packets of several chains may have the same source
        end and sequence. `to` is the destination end.
        """


class Fees(Protocol):
    """Cost of the endpoint's transactions."""

    def offer(self) -> Offer:
        """Return the current price and fee limit.

        Raises:
            EndpointUnavailable, MalformedAnswer: the chain does not return its price.
        """

    @property
    def spent_today(self) -> dict[str, int]:
        """Fees of the current day (UTC), by denomination."""


class Nodes(Protocol):
    """State of a chain's nodes."""

    @property
    def node_statuses(self) -> tuple[NodeStatus, ...]:
        """State of every node, in order of preference."""

    def renew_nodes(self) -> None:
        """Forget all that is known of the nodes: each is judged anew before its next use."""


class Consumer(NamedTuple):
    """Consumer chain (interchain security) as its provider knows it."""

    id: str
    provider: "Callable[[], ChainEndpoint] | None" = None  # None: the chain of the client that was lied to


@dataclass(frozen=True, kw_only=True)
class EndpointExtras:
    """Abilities of an endpoint beyond `ChainEndpoint`; by default there are none."""

    signers: tuple[str, ...] = ()
    """Addresses of all its accounts, `signer` first; empty: there is one."""
    heights: Heights | None = None
    changes: HeightChanges | None = None
    prove_many: ProveMany | None = None
    prefetch_proofs: Callable[[Sequence[bytes], int], None] | None = None
    """Fetches entries that `prove_many` will be asked for. Raises RelayerError, which callers may ignore."""
    find: FindEvent | None = None
    fees: Fees | None = None
    opinions: Opinions | None = None
    nodes: Nodes | None = None
    report_malformed: Report | None = None
    """Told of answers that could not be decoded, by the thread that got them."""
    forget: Callable[[], None] | None = None
    """Clears the caches, after a cached block was found wrong."""
    consumer: Consumer | None = None
    """The chain as its provider knows it, if its misbehaviour is to be reported there."""
    notify_sent: Callable[[Callable[[], None]], None] | None = None
    """Sets what is called after CheckTx accepts a transaction, in the thread that submits it."""


NO_EXTRAS = EndpointExtras()


class ChainEndpoint(Protocol):
    """Interface of one chain, and of the account that signs and pays there."""

    @property
    def chain_id(self) -> str:
        """Chain id."""

    @property
    def signer(self) -> str:
        """Bech32 address of the relayer on this chain."""

    @property
    def extras(self) -> EndpointExtras:
        """Abilities beyond this interface."""

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


def last_height(endpoint: ChainEndpoint) -> int:
    """Return the height of the last committed block, without reading the block if possible."""
    heights = endpoint.extras.heights
    return endpoint.tip().height if heights is None else heights.last_height()


def query_of(endpoint: ChainEndpoint) -> Query:
    """Return the endpoint's gRPC query."""
    return Query(endpoint.grpc, endpoint.extras.report_malformed)
