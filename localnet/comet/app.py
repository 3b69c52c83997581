"""The host application as CometBFT asks for it: `HostApp` behind `abci_server.Application`."""

from collections.abc import Sequence
from threading import RLock

from abci_server import BaseApplication
from abci_server import requests as ask
from abci_server.application import tx_size
from abci_server.responses import (
    ResponseApplySnapshotChunk,
    ResponseCheckTx,
    ResponseFinalizeBlock,
    ResponseInfo,
    ResponseInitChain,
    ResponseQuery,
)
from abci_server.values import OfferResult, Snapshot
from ibc_core.host.block import CommittedBlock
from localnet.comet.errors import OutOfStep, WrongGenesis
from localnet.comet.genesis import ChainRules, app_state
from localnet.comet.last_block_file import LastBlockFile
from localnet.comet.snapshots import FORMAT
from localnet.comet.statesync import SnapshotRestorer, SnapshotTaker
from localnet.comet.translate import check_result, events, query_answer, tx_result
from localnet.host.app import HostApp

_TIME_BYTES = 8


class CometApp(BaseApplication):
    """One chain's application under CometBFT.

    Queries, from here or from a gRPC server beside it, wait for no block; whoever else calls `host` from
    another thread holds `lock` meanwhile, and never waits for CometBFT with it held: CometBFT may be waiting
    for CheckTx.

    Args:
        host: The application.
        rules: What the chain's genesis fixes.
        last: Where the last block is kept for those who listen to committed blocks; None: nobody does.
        taker: What takes snapshots for others; None: none are taken.
    """

    def __init__(
        self,
        host: HostApp,
        rules: ChainRules,
        last: LastBlockFile | None = None,
        taker: SnapshotTaker | None = None,
    ) -> None:
        self.host = host
        self.lock = RLock()
        self._rules = rules
        self._last = last
        self._finalized: CommittedBlock | None = None
        self._taker = taker
        self._joiner = SnapshotRestorer(host)
        if host.info().height:
            host.resume(int.from_bytes(host.store.metadata, "big"))
        # After a kill between a commit and its announcement: who listens must take a block told twice.
        block = last.read() if last else None
        if block is not None and block.height == host.info().height:
            host.pipeline.committed(block)

    def info(self, request: ask.RequestInfo) -> ResponseInfo:  # noqa: ARG002
        """The last committed height and its app hash."""
        with self.lock:
            height, app_hash = self.host.info()
        return ResponseInfo(height, app_hash if height else b"", data="pyibc")

    def init_chain(self, request: ask.RequestInitChain) -> ResponseInitChain:
        """Takes the genesis, which the first block writes.

        Raises:
            WrongGenesis: it is another one than the home's.
            IbcError, ValueError: a plugin does not take its part.
        """
        block = request.consensus_params.block
        limits = (block.max_bytes, block.max_gas) if block else self._rules[2:]
        told = ChainRules(request.chain_id, request.initial_height, *limits)
        if told != self._rules:
            raise WrongGenesis("rules", f"are {told} now, the application was started with {self._rules}")
        with self.lock:
            return ResponseInitChain(
                self.host.init_chain(request.time_ns, app_state(request.app_state_bytes))
            )

    def check_tx(self, request: ask.RequestCheckTx) -> ResponseCheckTx:
        """Whether a transaction may wait for a block."""
        with self.lock:
            return check_result(self.host.check_tx(request.tx, request.recheck))

    def prepare_proposal(self, request: ask.RequestPrepareProposal) -> Sequence[bytes]:
        """What decodes of what waits, in order, within the block's bytes and gas."""
        with self.lock:
            chosen = self.host.prepare_proposal(request.txs, request.max_tx_bytes, request.time_ns)
        size = sum(map(tx_size, chosen))
        while size > request.max_tx_bytes:  # the host counts bare transactions
            size -= tx_size(chosen.pop())
        return chosen

    def process_proposal(self, request: ask.RequestProcessProposal) -> bool:
        """Whether every transaction decodes and all fit the block's gas."""
        with self.lock:
            return self.host.process_proposal(request.txs, request.time_ns)

    def finalize_block(self, request: ask.RequestFinalizeBlock) -> ResponseFinalizeBlock:
        """Executes the next block; persists nothing.

        Raises:
            OutOfStep: it is another one.
        """
        host = self.host
        with self.lock:
            if request.height != host.store.next_version:
                raise OutOfStep(request.height, host.store.next_version)
            final = host.finalize_block(request.time_ns, request.txs, request.next_validators_hash)
        self._finalized = CommittedBlock(
            self._rules.chain_id,
            request.height,
            request.time_ns,
            final.app_hash,
            final.outcomes,
            final.events,
        )
        results = [tx_result(each) for each in final.outcomes]
        return ResponseFinalizeBlock(results, final.app_hash, events(final.events))

    def commit(self) -> int:
        """Persists the finalized block with its time, then tells those who listen."""
        block = self._finalized
        if block is None:
            raise OutOfStep(0, self.host.store.next_version)
        if self._last is not None:
            self._last.write(block)
        with self.lock:
            self.host.commit(block.time_ns.to_bytes(_TIME_BYTES, "big"))
            self.host.pipeline.committed(block)
        self._finalized = None
        if self._taker is not None:
            self._taker.committed(block.height)
        return 0

    def query(self, request: ask.RequestQuery) -> ResponseQuery:
        """A store's entry with its proof, or a gRPC method; on committed state."""
        return query_answer(self.host.query(request.path, request.data, request.height, request.prove))

    def list_snapshots(self) -> Sequence[Snapshot]:
        """The last few, that were taken every so many blocks."""
        return self._taker.snapshots.known() if self._taker else ()

    def load_snapshot_chunk(self, request: ask.RequestLoadSnapshotChunk) -> bytes:
        """A chunk of one of them."""
        if self._taker is None or request.format != FORMAT:
            return b""
        return self._taker.snapshots.chunk(request.height, request.chunk)

    def offer_snapshot(self, request: ask.RequestOfferSnapshot) -> OfferResult:
        """Takes a snapshot of our format where no block was executed yet."""
        with self.lock:
            self._finalized = None
            return self._joiner.offer(request)

    def apply_snapshot_chunk(self, request: ask.RequestApplySnapshotChunk) -> ResponseApplySnapshotChunk:
        """Takes chunks; the last one makes the state, if it has the app hash that CometBFT trusts."""
        with self.lock:
            return self._joiner.apply(request)

    def close(self) -> None:
        """Waits for a snapshot that is being taken, and lets go of the disk."""
        if self._taker is not None:
            self._taker.wait()
        if self._last is not None:
            self._last.close()
        self.host.store.close()
