"""The application of one chain, modelled on ABCI 2.0, over a versioned multistore.

InitChain, CheckTx, PrepareProposal, ProcessProposal, FinalizeBlock, Commit, Query and Info have their ABCI
meaning (CometBFT spec/abci). FinalizeBlock persists nothing and may be repeated; Commit persists state,
height and app hash atomically.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from iavl import HistoryBusy, MultiStore, VersionMissing
from iavl.collector import CollectorPaused
from iavl.disk.options import DiskOptions
from iavl.restore import Importer
from ibc_core.address import AddressCodec
from ibc_core.errors import IbcError, InvalidSdkRequest, UnknownRequest
from ibc_core.host.block import TxOutcome
from ibc_core.host.events import Event
from ibc_core.host.gas import UNLIMITED
from ibc_core.host.overlay import BlockContext, CommittedStore
from ibc_core.paths import STORE_NAME
from ibc_module import border
from ibc_module.pipeline import Pipeline
from localnet.host.accounts import Account, Accounts
from localnet.host.accounts_plugin import AccountsPlugin
from localnet.host.ante import Ante, AnteKeepers
from localnet.host.bank import BankKeeper
from localnet.host.bank_plugin import BankPlugin
from localnet.host.config import HostConfig
from localnet.host.decoded_tx import DecodedTx
from localnet.host.historical_store import HistoricalStore
from localnet.host.legacy_events import with_legacy
from localnet.host.node_queries import NodeQueries
from localnet.host.proof_queries import ProofQueries
from localnet.host.query import PEER_FILTER, QueryAnswer, failed_query, store_query
from localnet.host.runner import TxRunner
from localnet.host.signature_cache import SignatureCache
from localnet.host.tx_service import SIMULATIONS

QUERY_GAS = 100_000_000
"""Gas of a query's reads, as the SDK's `query-gas-limit`: 200 000 to 1 000 000 entries, a second or two."""

EMPTY_APP_HASH = sha256(b"").digest()
"""App hash returned by InitChain: the hash of the empty string, as in the SDK."""


class AppInfo(NamedTuple):
    """The response to ABCI Info."""

    height: int  # last committed; 0 before the first block
    app_hash: bytes


class FinalizedBlock(NamedTuple):
    """The response to ABCI FinalizeBlock."""

    outcomes: tuple[TxOutcome, ...]
    events: tuple[Event, ...]  # of begin block and end block
    app_hash: bytes


class HostApp:
    """One chain's application: accounts, bank and the given plugins, in that order.

    Threads: the consensus methods and `check_tx` must be called by one thread at a time; `query`, `grpc` and
    `simulate` may run concurrently with them and with each other. They read one committed version, which no
    block changes, and hold only the store's lock, for a batch of entries at a time.
    """

    def __init__(
        self,
        config: HostConfig,
        plugins: Sequence[object] = (),
        path: Path | None = None,
        keep_versions: int | None = 1000,
        initial_height: int = 1,
        *,
        map_bytes: int = 1 << 38,
        cache_nodes: int = 500_000,
    ) -> None:
        self.config = config
        self.addresses = AddressCodec(config.prefix)
        self.accounts = Accounts()
        self.bank = BankKeeper(self.accounts, config.module_accounts)
        self.pipeline = Pipeline(
            [
                AccountsPlugin(self.accounts, self.addresses, config),
                BankPlugin(self.bank, self.addresses),
                *plugins,
            ]
        )
        names = sorted({STORE_NAME, *self.pipeline.stores()})
        disk = DiskOptions(map_size=map_bytes)
        open_store = partial(MultiStore, path, names, initial_version=initial_height, disk=disk)
        self.store = open_store(keep_versions=keep_versions, cache_nodes=cache_nodes)
        keepers = AnteKeepers(self.accounts, self.bank, self.addresses, SignatureCache())
        self._runner = TxRunner(config, self.pipeline, Ante(config, keepers), self.addresses)
        self._decode = border.outside_blocks("a proposal's decoding", self._runner.decode)
        self.node_queries = NodeQueries(config)
        own = {**self.node_queries.routes(), **ProofQueries(self.store).routes()}
        self._queries = {**own, **self.pipeline.queries()}
        self._first_height = initial_height
        self._genesis: Mapping[str, Any] = {}
        self._time_ns = 0
        self._check: BlockContext | None = None
        self._check_lock = Lock()
        """Guards the check state, which CheckTx writes and simulations copy."""

    # -- ABCI

    def info(self) -> AppInfo:
        """The last committed height and its app hash."""
        return AppInfo(self.store.version, self.store.app_hash)

    def init_chain(self, time_ns: int, genesis: Mapping[str, Any]) -> bytes:
        """Accepts the genesis, which the first block writes; returns the app hash for that block's header.

        Raises:
            IbcError, ValueError: a plugin rejects its part of the genesis.
        """
        self._genesis, self._time_ns, self._check = genesis, time_ns, None
        self._context(time_ns)
        return EMPTY_APP_HASH

    def check_tx(self, raw: bytes, recheck: bool = False) -> TxOutcome:
        """Whether a transaction may enter the mempool."""
        with self._check_lock:
            return self._runner.check(self._pending(), raw, recheck)

    def prepare_proposal(self, txs: Sequence[bytes], max_bytes: int, time_ns: int) -> list[bytes]:
        """Selects transactions for a block, in order, within `max_bytes` and the block's gas limit."""
        chosen: list[bytes] = []
        bytes_left, gas_left = max_bytes, self.config.gas_of_block
        for raw in self.pipeline.prepare_proposal(self._context(time_ns), txs):
            gas = self._gas_wanted(raw)
            if gas is None or len(raw) > bytes_left or gas > gas_left:
                continue
            bytes_left, gas_left = bytes_left - len(raw), gas_left - gas
            chosen.append(raw)
        return chosen

    def process_proposal(self, txs: Sequence[bytes], time_ns: int) -> bool:
        """Whether a proposed block is acceptable.

        It decodes, fits the gas limit, and no plugin rejects it.
        """
        gas_left = self.config.gas_of_block
        for raw in txs:
            gas = self._gas_wanted(raw)
            if gas is None or gas > gas_left:
                return False
            gas_left -= gas
        return self.pipeline.process_proposal(self._context(time_ns), txs)

    def finalize_block(
        self, time_ns: int, txs: Sequence[bytes], next_validators_hash: bytes = b""
    ) -> FinalizedBlock:
        """Executes the next block without persisting it. A second call before Commit starts over.

        Args:
            time_ns: Block time, unix nanoseconds.
            txs: The block's transactions.
            next_validators_hash: From the block's header.
        """
        self.store.rollback()
        with self.store.executing(), CollectorPaused():
            ctx = self._context(time_ns)
            ctx.next_validators_hash = next_validators_hash
            self.pipeline.begin_block(ctx)
            events = self._block_events(ctx)
            deliver = self._runner.deliver
            outcomes = tuple([deliver(ctx, raw) for raw in txs])
            ctx.gas.reset(UNLIMITED)
            self.pipeline.end_block(ctx)
            events += self._block_events(ctx)
            app_hash = self.store.apply({name: ctx.writes(name) for name in self.store.names()})
        self._time_ns = time_ns
        return FinalizedBlock(outcomes, events, app_hash)

    def commit(self, metadata: bytes = b"") -> AppInfo:
        """Persists the finalized block and the consensus engine's `metadata` atomically.

        Resets the check state.
        """
        height, app_hash = self.store.commit(metadata)
        self._check = None
        return AppInfo(height, app_hash)

    def pending_account(self, address: bytes) -> Account | None:
        """The account in the check state, whose sequence counts pending transactions."""
        with self._check_lock:
            check = self._pending()
            check.gas.reset(UNLIMITED)
            return self.accounts.get(check, address)

    def resume(self, time_ns: int) -> None:
        """Sets the time of the last committed block, after opening."""
        self._time_ns = time_ns

    def importer(self, height: int, app_hash: bytes) -> Importer:
        """Takes the state after block `height` from peers; see `MultiStore.importer`.

        A state restored earlier stays until `restore`.

        Raises:
            NotEmpty: blocks were executed here.
            StorageFailed: the disk refused.
        """
        return self.store.importer(height, app_hash, self._replaceable())

    def restore(self, importer: Importer) -> None:
        """Starts from an imported state; see `MultiStore.restore`.

        The block's time is unknown until the next block.

        Raises:
            BadExport, NotEmpty, StorageFailed: see `MultiStore.restore`; nothing has changed.
        """
        self.store.restore(importer, self._replaceable())
        with self._check_lock:
            self._check, self._genesis, self._time_ns = None, {}, 0

    def _replaceable(self) -> int:
        return self.store.version if self.is_restored else 0

    @property
    def is_restored(self) -> bool:
        """Whether the state comes from `restore` and no block has been committed on it since.

        A restored state is recognised by its empty metadata, so a host that restores must commit with
        metadata.
        """
        return self.store.version > 0 and not self.store.metadata

    def query(self, path: str, data: bytes, height: int = 0, prove: bool = False) -> QueryAnswer:
        """ABCI Query: a store entry or a gRPC method. Errors are returned in the answer, not raised.

        Args:
            path: `/store/{name}/key`, a gRPC method, or `/p2p/filter/...`, by which CometBFT asks whether it
                may connect to a peer (`filter_peers`); always allowed.
            data: The key, or the encoded request.
            height: Height of the state; 0: the last.
            prove: Whether to return a proof of the store entry.
        """
        store_path, last = path.lstrip("/").startswith("store/"), self.store.version
        if path.startswith(PEER_FILTER):
            return QueryAnswer(0)
        try:
            if height < 0 or height > last:
                raise InvalidSdkRequest(f"no state of height {height} yet")
            if store_path:
                return store_query(self.store, path, data, height or last, prove)
            return QueryAnswer(height or last, value=self.grpc(path, data, height or last))
        except IbcError as error:
            return failed_query(error, last, by_grpc=not store_path)

    def simulate(self, raw: bytes, *, tells_events: bool = True) -> TxOutcome:
        """Runs a transaction on the check state without verifying signatures; changes nothing."""
        return self._runner.simulate(self._simulation(), raw, tells_events=tells_events)

    def export_genesis(self) -> dict[str, Any]:
        """The state after the last block as a genesis that `init_chain` accepts."""
        return self.pipeline.export_genesis(self.query_context())

    def grpc(self, path: str, request: bytes, height: int = 0) -> bytes:
        """Answers a gRPC query on committed state (height 0: the last).

        Raises:
            UnknownRequest: no plugin answers `path`.
            InvalidSdkRequest: the state at that height has been pruned.
            OutOfGas: the query reads more than `QUERY_GAS` pays for; a page with a limit reads less.
            IbcError: an error of the query.
        """
        route, simulation = self._queries.get(path), SIMULATIONS.get(path)
        try:
            if simulation is not None:
                return simulation(self.simulate, request)
            if route is None:
                raise UnknownRequest(path[:128])
            ctx = self.query_context(height)
            # guard: h75-a-query-reads-without-end test_h75_a_query_reads_so_much_and_no_more
            ctx.gas.reset(QUERY_GAS)
            return route(ctx, request)
        except (VersionMissing, HistoryBusy) as error:
            raise InvalidSdkRequest(str(error)) from error

    def grpc_paths(self) -> list[str]:
        """All paths that `grpc` answers."""
        return sorted({*self._queries, *SIMULATIONS})

    # -- internals

    def _context(self, time_ns: int) -> BlockContext:
        """The next block's context over the committed state; at the first block it includes the genesis."""
        store = self.store
        committed = {name: store.store(name) for name in store.names()}
        app_hash = store.app_hash  # the node's own: FinalizeBlock does not carry the header's
        ctx = BlockContext(self.config.chain_id, store.next_version, time_ns, committed, app_hash=app_hash)
        if store.version == 0:
            self.pipeline.init_genesis(ctx, self._genesis)
            ctx.take_events()
        return ctx

    def query_context(self, height: int = 0) -> BlockContext:
        """A context for reading committed state (height 0: the last)."""
        return self._after(height, height or self.store.version)

    def _after(self, version: int, height: int) -> BlockContext:
        """A context of `height` over the state after block `version` (0: always the latest)."""
        store = self.store
        committed: dict[str, CommittedStore] = {
            name: HistoricalStore(store, name, version) if version else store.store(name)
            for name in store.names()
        }
        app_hash = store.info(version).app_hash if version else store.app_hash
        return BlockContext(self.config.chain_id, height, self._time_ns, committed, app_hash=app_hash)

    def _pending(self) -> BlockContext:
        """The check state: the last committed state plus the writes of pending transactions' CheckTx."""
        if self._check is None:
            self._check = self._context(self._time_ns)
        return self._check

    def _simulation(self) -> BlockContext:
        """A private copy of the check state."""
        with self._check_lock:
            check, last = self._check, self.store.version
            if last == 0:
                return self._context(self._time_ns)
            if check is None or check.height.revision_height == self._first_height:
                return self._after(last, last + 1)
            ctx = self._after(check.height.revision_height - 1, check.height.revision_height)
            for name in self.store.names():
                ctx.store(name).adopt(check.store(name))
        return ctx

    def _block_events(self, ctx: BlockContext) -> tuple[Event, ...]:
        events = ctx.take_events()
        return with_legacy(events) if self.config.legacy_events else events

    def _gas_wanted(self, raw: bytes) -> int | None:
        """Gas limit of a transaction, or None if it does not decode."""
        try:
            decoded: DecodedTx = self._decode(raw)
        except IbcError:
            return None
        return decoded.tx.fee.gas_limit
