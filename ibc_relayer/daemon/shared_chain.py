"""One chain for all links that use it: every block is asked for once, whoever is first."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock, local
from time import monotonic

from ibc_core.any_message import AnyMessage
from ibc_core.host.block import CommittedBlock, TxOutcome
from ibc_core.paths import STORE_NAME
from ibc_relayer.daemon.latency import Stopwatch
from ibc_relayer.endpoint import (
    ChainEndpoint,
    HasSigners,
    KeepsBlocks,
    LightBlock,
    Proven,
    TellsHeight,
    TellsSigned,
    TellsWhenSent,
    Tip,
    WatchesHeight,
)
from ibc_relayer.errors import RelayerError
from ibc_relayer.event_index import FindsEvents
from ibc_relayer.foreseen import Foreseen
from ibc_relayer.offer import Offer, Offers
from ibc_relayer.packets import EventKey
from ibc_relayer.proofs import ProvesMany, prove_in_turn
from ibc_relayer.rpc_calls import Doubting

KEPT = 64
"""Blocks; links of one chain are rarely further apart."""


class _Slot:
    """A block that is there, or being read."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.block: CommittedBlock | None = None


class SharedChain:
    """A `ibc_relayer.endpoint.ChainEndpoint` of several threads; blocks are kept for the others."""

    def __init__(
        self, endpoint: ChainEndpoint, kept: int = KEPT, clock: Callable[[], float] = monotonic
    ) -> None:
        """`endpoint` may be called by several threads at once; `kept`: blocks; `clock`: in seconds."""
        self._endpoint = endpoint
        self._kept = kept
        self._slots = OrderedDict[int, _Slot]()
        self._lock = Lock()
        self._clock = clock
        self._foreseen = Foreseen(self._prove_many)
        self._watched: WatchesHeight | None = None  # looked up once: that of a protocol is slow
        if isinstance(endpoint, WatchesHeight) and endpoint.is_watched:
            self._watched = endpoint
        self._signing = endpoint if isinstance(endpoint, TellsSigned) else None
        self.confirmed = Stopwatch()
        """From a transaction's messages to its block, or refusal."""
        self.submitted = Stopwatch()
        """From a transaction's messages to the mempool that took it."""
        self._began = local()
        if isinstance(endpoint, TellsWhenSent):
            endpoint.when_sent = self._sent
        self.asked = 0
        """Blocks that were asked for."""

    @property
    def chain_id(self) -> str:
        """That of the endpoint."""
        return self._endpoint.chain_id

    @property
    def signer(self) -> str:
        """The address of the endpoint's account."""
        return self._endpoint.signer

    @property
    def signers(self) -> tuple[str, ...]:
        """The addresses of the endpoint's accounts, `signer` first."""
        return self._endpoint.signers if isinstance(self._endpoint, HasSigners) else (self.signer,)

    def tip(self) -> Tip:
        """As the endpoint tells it, each time."""
        return self._endpoint.tip()

    def last_height(self) -> int:
        """As the endpoint tells it, before its block is read where it can."""
        if isinstance(self._endpoint, TellsHeight):
            return self._endpoint.last_height()
        return self._endpoint.tip().height

    @property
    def is_watched(self) -> bool:
        """Whether the endpoint tells when its height changes."""
        return self._watched is not None

    def height_after(self, known: int) -> int:
        """As the endpoint tells it."""
        return self.last_height() if self._watched is None else self._watched.height_after(known)

    @property
    def signed_height(self) -> int:
        """As the endpoint tells it."""
        return 0 if self._signing is None else self._signing.signed_height

    @property
    def highest_block(self) -> int:
        """As the endpoint tells it."""
        return 0 if self._watched is None else self._watched.highest_block

    def has_block(self, height: int) -> bool:
        """Whether the block is there."""
        with self._lock:
            slot = self._slots.get(height)
        return slot is not None and slot.block is not None

    def block(self, height: int) -> CommittedBlock:
        """A committed block; of several threads that want it one asks."""
        slot = self._slot(height)
        with slot.lock:
            if slot.block is None:
                self.asked += 1
                slot.block = self._endpoint.block(height)
            return slot.block

    def light_block(self, height: int) -> LightBlock:
        """A signed block, as the endpoint gives it."""
        return self._endpoint.light_block(height)

    def get(self, key: bytes, store: str = STORE_NAME) -> bytes | None:
        """A value, unproven, as the endpoint gives it."""
        return self._endpoint.get(key, store)

    def prove(self, key: bytes, height: int, store: str = STORE_NAME) -> Proven:
        """A value proven, as the endpoint gives it."""
        return self._endpoint.prove(key, height, store)

    def prove_many(self, keys: Sequence[bytes], height: int) -> list[Proven | RelayerError]:
        """Several values proven (`ibc_relayer.proofs`): those that were fetched ahead, and others now."""
        return self._foreseen.many(keys, height)

    def prove_ahead(self, keys: Sequence[bytes], height: int) -> None:
        """Fetches what `prove_many` will be asked for."""
        self._foreseen.fetch(keys, height)

    def _prove_many(self, keys: Sequence[bytes], height: int) -> list[Proven | RelayerError]:
        """At once where the endpoint can, else in turn."""
        if isinstance(self._endpoint, ProvesMany):
            return self._endpoint.prove_many(keys, height)
        return prove_in_turn(self._endpoint, keys, height)

    def find(self, key: EventKey) -> int | None:
        """Where an event is (`ibc_relayer.event_index`); None where the endpoint has no index."""
        return self._endpoint.find(key) if isinstance(self._endpoint, FindsEvents) else None

    def offer(self) -> Offer | None:
        """What the endpoint pays now (`ibc_relayer.offer`); None where it does not tell."""
        return self._endpoint.offer() if isinstance(self._endpoint, Offers) else None

    def grpc(self, path: str, request: bytes) -> bytes:
        """An answer, as the endpoint gives it."""
        return self._endpoint.grpc(path, request)

    def doubt(self, error: RelayerError) -> None:
        """Tells the endpoint that what it gave the calling thread last is no answer."""
        if isinstance(self._endpoint, Doubting):
            # guard: h241-the-pool-does-not-hear-of-values drop
            #   test_h241_through_the_chain_that_links_share_the_pool_hears_of_it
            self._endpoint.doubt(error)

    def submit(self, messages: Sequence[AnyMessage]) -> TxOutcome:
        """Submits by the endpoint, and takes the time."""
        began = self._began.s = self._clock()
        outcome = self._endpoint.submit(messages)
        self.confirmed.took(self._clock() - began)
        return outcome

    def wait(self, height: int) -> None:
        """Waits by the endpoint."""
        self._endpoint.wait(height)

    def forget(self) -> None:
        """Drops all blocks: something was wrong with what the chain said, so it is asked again."""
        self._foreseen.forget()
        with self._lock:
            self._slots.clear()
        if isinstance(self._endpoint, KeepsBlocks):
            self._endpoint.forget()

    def _sent(self) -> None:
        self.submitted.took(self._clock() - self._began.s)

    def _slot(self, height: int) -> _Slot:
        with self._lock:
            slot = self._slots.setdefault(height, _Slot())
            self._slots.move_to_end(height)
            while len(self._slots) > self._kept:
                self._slots.popitem(last=False)
            return slot
