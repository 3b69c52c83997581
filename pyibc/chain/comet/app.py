"""The ABCI application of a host chain: `HostApp` behind `abci_server.Application`."""

import logging
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from threading import RLock

import msgspec

from abci_server import AnswerHeld, BaseApplication
from abci_server.application import tx_size
from abci_server.messages import requests as ask
from abci_server.messages.requests import (
    OfferResult,
    ResponseApplySnapshotChunk,
    ResponseCheckTx,
    ResponseFinalizeBlock,
    ResponseInfo,
    ResponseInitChain,
    ResponseQuery,
    Snapshot,
)
from ibc_module.plugin import Config
from ibc_module.registration import load_plugins
from ibc_module.upgrades import UpgradeNeeded
from pyibc.chain.app import HostApp
from pyibc.chain.comet.block_results import BlockResults, check_result, query_answer, tx_result
from pyibc.chain.comet.settings import (
    APP_STATE,
    AppSettings,
    ChainRules,
    OutOfStep,
    Retention,
    TwoSlots,
    WrongGenesis,
    app_state,
    keep_from,
    read_app,
    read_rules,
)
from pyibc.chain.comet.snapshots import FORMAT, Snapshots
from pyibc.chain.comet.state_sync import SnapshotRestorer, SnapshotTaker
from pyibc.chain.config import APP_PROTOCOL, NAME, VERSION, HostConfig
from pyibc.chain.parts import protocol
from pyibc.core.host.block import CommittedBlock

# -- the block being committed, on disk, so that listeners are notified of it even after a crash


class LastBlockFile:
    """File of the last block. A commit must not need a new file descriptor, which may be unavailable.

    Args:
        path: Common prefix of the file names; raises OSError.
    """

    def __init__(self, path: Path) -> None:
        self._slots = TwoSlots(path, durable=True)

    def write(self, block: CommittedBlock) -> None:
        """Overwrite the older of the two stored blocks and sync it to disk. Raises OSError."""
        self._slots.write(block.height, msgspec.msgpack.encode(block))

    def read(self) -> CommittedBlock | None:
        """Return the last block, or None if neither file is readable."""
        found = [block for block in map(_decoded, self._slots.read()) if block is not None]
        return max(found, key=lambda block: block.height, default=None)

    def close(self) -> None:
        """Close the files, if they are open."""
        self._slots.close()


def _decoded(raw: bytes) -> CommittedBlock | None:
    try:
        return msgspec.msgpack.decode(raw, type=CommittedBlock)
    except msgspec.DecodeError:
        return None  # only a notification is lost; the state itself is stored elsewhere


# -- the application

log = logging.getLogger("pyibc.chain")

_KEEPS = Retention()


class CometApp(BaseApplication):
    """One chain's application under CometBFT.

    Queries, over ABCI or from a gRPC server in the same process, do not block on consensus. Any other thread
    that uses `host` must hold `lock`, and must not wait for CometBFT while it does: CometBFT may itself be
    waiting for CheckTx.

    Args:
        host: The application.
        rules: The chain's parameters from its genesis.
        last: File of the last block, for listeners to committed blocks; None if there are no listeners.
        taker: Takes state sync snapshots; None for no snapshots.
        retention: Number of blocks that CometBFT is asked to retain.
    """

    def __init__(
        self,
        host: HostApp,
        rules: ChainRules,
        last: LastBlockFile | None = None,
        taker: SnapshotTaker | None = None,
        retention: Retention = _KEEPS,
    ) -> None:
        self.host = host
        self.lock = RLock()
        self._rules = rules
        self._last = last
        self._finalized: CommittedBlock | None = None
        self._taker = taker
        self._retention = retention
        self._joiner = SnapshotRestorer(host)
        # After a crash between a commit and its notification: listeners must tolerate a repeated block.
        block = last.read() if last else None
        if block is not None and block.height == host.info().height:
            host.pipeline.committed(block)

    def info(self, request: ask.RequestInfo) -> ResponseInfo:
        """Return the last committed height and its app hash; records CometBFT's version."""
        self.host.node_queries.cometbft = request.version or self.host.node_queries.cometbft
        with self.lock:
            height, app_hash = self.host.info()
        return ResponseInfo(height, app_hash if height else b"", NAME, VERSION, APP_PROTOCOL)

    def init_chain(self, request: ask.RequestInitChain) -> ResponseInitChain:
        """Accept the genesis, which the first block writes to the state.

        Raises:
            WrongGenesis: the genesis differs from that in the validator's home.
            IbcError, ValueError: a plugin rejects its section.
        """
        block = request.consensus_params.block
        limits = (block.max_bytes, block.max_gas) if block else self._rules[2:]
        told = ChainRules(request.chain_id, request.initial_height, *limits)
        if told != self._rules:
            raise WrongGenesis("rules", f"are {told}, but the application was started with {self._rules}")
        with self.lock:
            return ResponseInitChain(
                self.host.init_chain(request.time_ns, app_state(request.app_state_bytes))
            )

    def check_tx(self, request: ask.RequestCheckTx) -> ResponseCheckTx:
        """Check whether a transaction may enter the mempool."""
        with self.lock:
            return check_result(self.host.check_tx(request.tx, request.recheck))

    def prepare_proposal(self, request: ask.RequestPrepareProposal) -> Sequence[bytes]:
        """Return the decodable transactions of the request, in order, within the block's bytes and gas."""
        with self.lock:
            chosen = self.host.prepare_proposal(request.txs, request.max_tx_bytes, request.time_ns)
        size = sum(map(tx_size, chosen))
        while size > request.max_tx_bytes:  # the host counts transactions without their length prefixes
            size -= tx_size(chosen.pop())
        return chosen

    def process_proposal(self, request: ask.RequestProcessProposal) -> bool:
        """Return whether every transaction decodes and the block stays within its gas limit."""
        with self.lock:
            return self.host.process_proposal(request.txs, request.time_ns)

    def finalize_block(self, request: ask.RequestFinalizeBlock) -> ResponseFinalizeBlock:
        """Execute the next block; persists nothing.

        Raises:
            OutOfStep: the request is for a different height.
            AnswerHeld: a planned upgrade needs other software. CometBFT stores the block, and queries are
                answered until both processes are stopped.
        """
        host = self.host
        with self.lock:
            if request.height != host.store.next_version:
                raise OutOfStep(request.height, host.store.next_version)
            try:
                final = host.finalize_block(request.time_ns, request.txs, request.next_validators_hash)
            except UpgradeNeeded as needed:
                log.error("%s", needed)  # noqa: TRY400 - expected at a planned upgrade
                raise AnswerHeld from needed
        self._finalized = CommittedBlock(
            self._rules.chain_id,
            request.height,
            request.time_ns,
            final.app_hash,
            final.outcomes,
            final.events,
        )
        results = [tx_result(each) for each in final.outcomes]
        return ResponseFinalizeBlock(results, final.app_hash, final.events)

    def commit(self) -> int:
        """Persist the finalized block with its time, then notify listeners.

        Returns the oldest block to retain: nodes that restore a snapshot need the blocks after it.
        """
        block = self._finalized
        if block is None:
            raise OutOfStep(0, self.host.store.next_version)
        if self._last is not None:
            self._last.write(block)
        with self.lock:
            self.host.commit()
            self.host.pipeline.committed(block)
        self._finalized = None
        if self._taker is not None:
            self._taker.committed(block.height)
        oldest = self._taker.snapshots.oldest() if self._taker is not None else 0
        return keep_from(block.height, self._retention, oldest or block.height)

    def query(self, request: ask.RequestQuery) -> ResponseQuery:
        """Return a store entry with its proof, or the response of a gRPC method, on committed state."""
        return query_answer(self.host.query(request.path, request.data, request.height, request.prove))

    def list_snapshots(self) -> Sequence[Snapshot]:
        """Return the snapshots available to peers."""
        return self._taker.snapshots.known() if self._taker else ()

    def load_snapshot_chunk(self, request: ask.RequestLoadSnapshotChunk) -> bytes:
        """Return a chunk of an available snapshot; empty if there is no such chunk."""
        if self._taker is None or request.format != FORMAT:
            return b""
        return self._taker.snapshots.chunk(request.height, request.chunk)

    def offer_snapshot(self, request: ask.RequestOfferSnapshot) -> OfferResult:
        """Accept a snapshot of a supported format if no block has been executed yet."""
        with self.lock:
            self._finalized = None
            return self._joiner.offer(request)

    def apply_snapshot_chunk(self, request: ask.RequestApplySnapshotChunk) -> ResponseApplySnapshotChunk:
        """Apply a chunk; after the last one, accept the state if it has the trusted app hash."""
        with self.lock:
            return self._joiner.apply(request)

    def close(self) -> None:
        """Wait for a snapshot in progress, then close all files and databases.

        Raises:
            StorageFailed: the last checkpoint could not be written; no block is lost.
        """
        with ExitStack() as parts:
            parts.callback(self.host.store.close)
            if self._last is not None:
                parts.callback(self._last.close)
            if self._taker is not None:
                parts.callback(self._taker.wait)


def open_app(home: Path, plugins: Sequence[object] = ()) -> CometApp:
    """Return the application of the validator at `home`.

    The gRPC server and the export that its settings ask for belong to the process, not to the application.

    Args:
        home: Home of the validator, with its settings and its genesis.
        plugins: Plugins besides those of its settings.

    Raises:
        OSError: the settings or the genesis cannot be read.
        WrongSettings: the settings are malformed.
        ValueError: a plugin cannot be loaded.
        WrongGenesis: the genesis is malformed.
    """
    settings, rules = read_app(home), read_rules(home)
    settings.retention.check()
    folder = home / APP_STATE
    folder.mkdir(exist_ok=True)
    host = host_app(folder / "state", settings, rules, plugins)
    snapshots = Snapshots(folder / "snapshots", settings.snapshots_kept)
    taker = SnapshotTaker(
        host, snapshots, settings.snapshot_every, settings.snapshot_chunk_bytes, settings.snapshot_percent
    )
    return CometApp(host, rules, LastBlockFile(folder / "last"), taker, settings.retention)


def host_app(
    path: Path | None, settings: AppSettings, rules: ChainRules, listening: Sequence[object] = ()
) -> HostApp:
    """Return the host application with its state at `path` (None: in memory); raise ValueError."""
    config = Config(account_prefix=settings.prefix)
    ibc = protocol(config, queues=settings.queues)
    host = HostConfig(
        rules.chain_id,
        settings.prefix,
        block_bytes=rules.block_bytes,
        block_gas=rules.block_gas,
        legacy_events=settings.legacy_events,
        upgrade=settings.upgrade.planned() if settings.upgrade else None,
    )
    return HostApp(
        host,
        [*ibc, *load_plugins(settings.plugins), BlockResults(), *listening],
        path,
        keep_versions=settings.keep_versions,
        initial_height=rules.initial_height,
        map_bytes=settings.map_bytes,
    )
