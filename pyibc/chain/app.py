"""The application of one chain, modelled on ABCI 2.0, over a versioned multistore.

InitChain, CheckTx, PrepareProposal, ProcessProposal, FinalizeBlock, Commit, Query and Info have their ABCI
meaning (CometBFT spec/abci). FinalizeBlock persists nothing and may be repeated; Commit persists state,
height and app hash atomically.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from iavl import CommitInfo, HistoryBusy, MultiStore, VersionMissing
from iavl.disk.database.settings import DiskOptions
from iavl.gc_pause import GcPaused
from iavl.restore import Importer
from iavl.view import free
from ibc_module.pipeline import Pipeline
from ibc_module.upgrades import Upgrades
from pyibc.chain.abci_responses import AppInfo, FinalizedBlock
from pyibc.chain.accounts.keeper import Account, Accounts
from pyibc.chain.accounts.plugin import AccountsPlugin
from pyibc.chain.bank.keeper import BankKeeper
from pyibc.chain.bank.plugin import BankPlugin
from pyibc.chain.config import HostConfig
from pyibc.chain.events import with_legacy
from pyibc.chain.parts import with_parts
from pyibc.chain.queries.historical_store import (
    HistoricalStore,
    UntimedContext,
    decode_time,
    encode_time,
    paid_by,
    unreadable,
)
from pyibc.chain.queries.node_queries import NodeQueries
from pyibc.chain.queries.store_query import PEER_FILTER, QueryAnswer, failed_query, store_query
from pyibc.chain.queries.tx_service import Deadline, TimedStore
from pyibc.chain.tx.decoded_tx import DecodedTx
from pyibc.chain.tx.proposals import fit_block, select_txs
from pyibc.chain.tx.runner import TxRunner
from pyibc.chain.tx.steps import Ante, AnteHost
from pyibc.core.address import AddressCodec
from pyibc.core.errors import IbcError, InvalidSdkHeight, InvalidSdkRequest, LogicFault, UnknownRequest
from pyibc.core.host.block import Event, TxOutcome
from pyibc.core.host.gas import UNLIMITED, GasMeter
from pyibc.core.host.overlay import BlockContext, CommittedStore
from pyibc.core.paths import STORE_NAME
from pyibc.isolation import boundary

QUERY_GAS = 100_000_000
"""Gas limit of one query's reads, like the SDK's `query-gas-limit`: 200,000 to 1,000,000 entries.

Rebuilding a height that is not in memory is charged to the query (`pyibc.chain.queries.historical_store`).
"""

EMPTY_APP_HASH = sha256(b"").digest()
"""App hash returned by InitChain: the hash of the empty string, as in the SDK."""


class HostApp:
    """The ABCI application of one chain: accounts, bank and the given plugins, in that order.

    Thread safety: one thread at a time calls the consensus methods and `check_tx`; `query`, `grpc` and
    `simulate` may run concurrently with them and with each other. They read one committed version, which
    blocks do not change, and hold only the store's lock, for one batch of entries at a time.
    """

    block_time: Callable[[int], int | None] | None = None
    """Callback that returns the time of a committed block whose time the state lacks, because an earlier
    release of `LocalChain` kept it only in the block store."""

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
                *with_parts(plugins),
            ],
            config.gas.answers,
        )
        self.upgrades = Upgrades(self.pipeline, config.upgrade)
        disk = DiskOptions(map_size=map_bytes)
        open_store = partial(MultiStore, path, initial_version=initial_height, disk=disk)
        self.store = self._opened(partial(open_store, keep_versions=keep_versions, cache_nodes=cache_nodes))
        self._runner = self.new_runner()
        self._decode = boundary.outside_blocks("a proposal's decoding", self._runner.decode)
        self.node_queries = NodeQueries(config)
        own = self.pipeline.registered("chain_node_queries", "query")
        self._queries = {path: each.answer(self) for path, each in own.items()} | self.pipeline.queries()
        self._first_height = initial_height
        self._genesis: Mapping[str, Any] = {}
        self._genesis_time_ns = 0
        self._finalized_time_ns: int | None = None
        self._check: BlockContext | None = None
        self._check_lock = Lock()
        """Guards the check state, which CheckTx writes and simulations copy."""

    # -- ABCI

    def info(self) -> AppInfo:
        """Return the last committed height and its app hash."""
        return AppInfo(self.store.version, self.store.app_hash)

    def init_chain(self, time_ns: int, genesis: Mapping[str, Any]) -> bytes:
        """Store the genesis, which the first block applies; return the app hash for that block's header.

        Raises:
            IbcError, ValueError: a plugin rejects its section of the genesis.
        """
        self._genesis, self._genesis_time_ns, self._check = genesis, time_ns, None
        self._context(time_ns)
        return EMPTY_APP_HASH

    def check_tx(self, raw: bytes, recheck: bool = False) -> TxOutcome:
        """Check whether a transaction may enter the mempool."""
        with self._check_lock:
            return self._runner.check(self._pending(), raw, recheck)

    def prepare_proposal(self, txs: Sequence[bytes], max_bytes: int, time_ns: int) -> list[bytes]:
        """Select transactions for a block, in order, within `max_bytes` and the block's gas limit."""
        ordered = self.pipeline.prepare_proposal(self._context(time_ns), txs)
        return select_txs(ordered, self._decoded, max_bytes, self.config.block_gas)

    def process_proposal(self, txs: Sequence[bytes], time_ns: int) -> bool:
        """Return whether a proposed block is acceptable.

        All transactions decode and fit the gas limit, and no plugin rejects the block.
        """
        fit = fit_block(txs, self._decoded, self.config.block_gas)
        return fit and self.pipeline.process_proposal(self._context(time_ns), txs)

    def finalize_block(
        self, time_ns: int, txs: Sequence[bytes], next_validators_hash: bytes = b""
    ) -> FinalizedBlock:
        """Execute the next block without persisting it. A second call before Commit executes it again.

        Args:
            time_ns: Block time, unix nanoseconds.
            txs: The block's transactions.
            next_validators_hash: Field of the block's header.

        Raises:
            UpgradeNeeded: an upgrade is planned for this height, and no plugin implements it.
        """
        self.store.rollback()
        with self.store.executing(), GcPaused():
            ctx = self._context(time_ns)
            ctx.next_validators_hash = next_validators_hash
            self.upgrades.begin_block(ctx, self._stores_before())
            self.pipeline.begin_block(ctx)
            events = self._block_events(ctx)
            outcomes = self._runner.deliver_all(ctx, txs)
            ctx.gas.reset(UNLIMITED)
            self.pipeline.end_block(ctx)
            events += self._block_events(ctx)
            app_hash = self.store.apply({name: ctx.writes(name) for name in self.store.names()})
        self._finalized_time_ns = time_ns
        return FinalizedBlock(outcomes, events, app_hash)

    def commit(self) -> AppInfo:
        """Persist the finalized block and its time atomically, and reset the check state.

        Raises:
            LogicFault: no block was finalized.
        """
        if self._finalized_time_ns is None:
            raise LogicFault("commit without a finalized block")
        # guard: h270-a-block-s-time-is-not-kept {encode_time(self._finalized_time_ns) => b''}
        #   test_h270_a_query_is_judged_by_the_time_of_its_height
        height, app_hash = self.store.commit(encode_time(self._finalized_time_ns))
        self._check = self._finalized_time_ns = None
        return AppInfo(height, app_hash)

    def pending_account(self, address: bytes) -> Account | None:
        """Return the account in the check state; its sequence counts pending transactions."""
        with self._check_lock:
            check = self._pending()
            check.gas.reset(UNLIMITED)
            return self.accounts.get(check, address)

    def importer(self, height: int, app_hash: bytes) -> Importer:
        """Return an importer for a snapshot of the state after block `height`; see `MultiStore.importer`.

        A state restored earlier remains until `restore`.

        Raises:
            NotEmpty: this node has executed blocks.
            StorageFailed: the disk failed.
        """
        return self.store.importer(height, app_hash, self._replaceable())

    def restore(self, importer: Importer) -> None:
        """Replace the state with an imported one; see `MultiStore.restore`.

        The time of its block is unknown: queries at that height that read the block time are refused.

        Raises:
            BadExport, NotEmpty, StorageFailed: see `MultiStore.restore`; nothing has changed.
            PluginsChanged: the state was made with other plugins; this process cannot use it.
        """
        self.store.restore(importer, self._replaceable())
        # guard: h277-a-restored-state-is-not-checked drop
        #   test_h277_a_state_that_other_plugins_made_is_not_restored_silently
        self._check_plugins(self.store)
        with self._check_lock:
            self._check, self._genesis, self._finalized_time_ns = None, {}, None

    def _replaceable(self) -> int:
        return self.store.version if self.is_restored else 0

    @property
    def is_restored(self) -> bool:
        """True while the state comes from `restore` and no block has been committed on it.

        Restored states have empty metadata: every commit writes the block's time there.
        """
        return self.store.version > 0 and not self.store.metadata

    def query(self, path: str, data: bytes, height: int = 0, prove: bool = False) -> QueryAnswer:
        """Handle ABCI Query: a store entry or a gRPC method. Errors are returned in the response, not raised.

        Args:
            path: `/store/{name}/key`, a gRPC method, or `/p2p/filter/...`, by which CometBFT asks whether it
                may connect to a peer (`filter_peers`); always allowed.
            data: The key, or the encoded request.
            height: Height of the state; 0 for the last.
            prove: Whether to return a proof of the store entry.
        """
        store_path, last = path.lstrip("/").startswith("store/"), self.store.version
        if path.startswith(PEER_FILTER):
            return QueryAnswer(0)
        try:
            if height < 0:
                raise InvalidSdkRequest("cannot query with height < 0; please provide a valid height")
            if height > last:
                raise InvalidSdkHeight(height, last)
            if store_path:
                meter = GasMeter(QUERY_GAS)
                # guard: h303-a-store-s-entry-is-free {paid_by(lambda: meter) => free}
                #   test_h303_old_heights_are_paid_for
                charge = paid_by(lambda: meter)
                return store_query(self.store, path, data, height or last, prove, charge)
            return QueryAnswer(height or last, value=self.grpc(path, data, height or last))
        except IbcError as error:
            return failed_query(error, last, by_grpc=not store_path)

    def simulate(self, raw: bytes, *, with_events: bool = True) -> TxOutcome:
        """Run a transaction on a copy of the check state without verifying signatures."""
        return self._runner.simulate(self._simulation(), raw, with_events=with_events)

    def export_genesis(self) -> dict[str, Any]:
        """Export the state after the last block as a genesis that `init_chain` accepts."""
        return self.pipeline.export_genesis(self.query_context())

    def grpc(self, path: str, request: bytes, height: int = 0) -> bytes:
        """Run a gRPC query on committed state (height 0: the last).

        Raises:
            UnknownRequest: `path` is not a registered method.
            StateNotFound: the state at that height has been pruned.
            OutOfGas: the query exceeds `QUERY_GAS`; a smaller page limit reads less.
            IbcError: the query failed.
        """
        route = self._queries.get(path)
        try:
            if route is None:
                raise UnknownRequest(path[:128])
            ctx = self._after(height, height or self.store.version, is_paid=True)
            # guard: h75-a-query-reads-without-end test_h75_a_query_reads_so_much_and_no_more
            ctx.gas.reset(QUERY_GAS)
            return route(ctx, request)  # type: ignore[no-any-return]
        except (VersionMissing, HistoryBusy) as error:
            raise unreadable(error) from error

    def grpc_paths(self) -> list[str]:
        """Return all method paths that `grpc` handles, sorted."""
        return sorted(self._queries)

    def new_runner(self) -> TxRunner:
        """Return a runner of transactions with empty caches; the chain has one of its own."""
        host = AnteHost(self.config, self.accounts, self.bank, self.addresses)
        ante = Ante(host, self.pipeline.registered("chain_ante", "step").values())
        return TxRunner(self.config, self.pipeline, ante, self.addresses)

    # -- internals

    def _opened(self, open_store: Callable[[Sequence[str]], MultiStore]) -> MultiStore:
        """Open the state and check that these plugins may continue it; raise PluginsChanged otherwise."""
        store = open_store(sorted({STORE_NAME, *self.pipeline.stores()}))
        try:
            self._check_plugins(store)
        except BaseException:
            store.close()
            raise
        return store

    def _check_plugins(self, store: MultiStore) -> None:
        """Raise PluginsChanged if the state was made with other plugins."""
        if store.version:
            committed = {name: store.store(name) for name in store.names()}
            ctx = self._blank(store.next_version, None, committed, store.app_hash)
            self.upgrades.check(ctx, store.info().roots)

    def _stores_before(self) -> Collection[str]:
        """Return the stores of the last version; before the first block all stores, for the genesis."""
        return self.store.info().roots if self.store.version else self.store.names()

    def _context(self, time_ns: int | None) -> BlockContext:
        """Return the next block's context over the committed state; with the genesis for the first block."""
        store = self.store
        committed = {name: store.store(name) for name in store.names()}
        app_hash = store.app_hash  # from the store: FinalizeBlock does not carry the header's app hash
        ctx = self._blank(store.next_version, time_ns, committed, app_hash)
        if store.version == 0:
            self.pipeline.init_genesis(ctx, self._genesis)
            self.upgrades.begin_chain(ctx)
            ctx.take_events()
        return ctx

    def query_context(self, height: int = 0) -> BlockContext:
        """Return a context for reading committed state (height 0: the last)."""
        return self._after(height, height or self.store.version)

    def _after(
        self, version: int, height: int, deadline: Deadline | None = None, *, is_paid: bool = False
    ) -> BlockContext:
        """Return a context at `height` over the state after block `version` (0: always the latest).

        With `is_paid`, rebuilding the version is charged to the context's gas meter.
        """
        store = self.store
        # guard: h303-a-query-s-old-height-is-free {is_paid => False} test_h303_old_heights_are_paid_for
        charge = paid_by(lambda: ctx.gas) if is_paid else free
        committed: dict[str, CommittedStore] = {
            name: HistoricalStore(store, name, version, charge) if version else store.store(name)
            for name in store.names()
        }
        if deadline is not None:
            committed = {name: TimedStore(each, deadline) for name, each in committed.items()}
        info = store.info(version or None)
        # guard: h270-an-earlier-height-has-the-last-time {self._time_after(info) =>
        #   self._time_after(store.info())}
        #   test_h270_a_query_is_judged_by_the_time_of_its_height
        ctx = self._blank(height, self._time_after(info), committed, info.app_hash)
        return ctx

    def _blank(
        self, height: int, time_ns: int | None, committed: Mapping[str, CommittedStore], app_hash: bytes
    ) -> BlockContext:
        chain_id = self.config.chain_id
        # guard: h270-an-unknown-time-is-taken-for-another drop
        #   test_h270_what_nobody_knows_the_time_of_is_not_judged_by_another
        if time_ns is None:
            return UntimedContext(chain_id, height, 0, committed, app_hash=app_hash)
        return BlockContext(chain_id, height, time_ns, committed, app_hash=app_hash)

    def _time_after(self, info: CommitInfo) -> int | None:
        """Return the time of the block that committed a version; None if this node never knew it."""
        if not info.version:
            return self._genesis_time_ns
        known = decode_time(info.metadata)
        return self.block_time(info.version) if known is None and self.block_time else known

    def _pending(self) -> BlockContext:
        """Return the check state: the last committed state plus the writes of pending transactions."""
        if self._check is None:
            self._check = self._context(self._time_after(self.store.info()))
        return self._check

    def _simulation(self) -> BlockContext:
        """Return a copy of the check state whose reads fail after the simulation deadline."""
        deadline = Deadline(self.config.simulation_s)
        with self._check_lock:
            check, last = self._check, self.store.version
            if last == 0:
                return self._context(self._genesis_time_ns)
            if check is None or check.height.revision_height == self._first_height:
                return self._after(last, last + 1, deadline)
            height = check.height.revision_height
            ctx = self._after(height - 1, height, deadline)
            for name in self.store.names():
                ctx.store(name).adopt(check.store(name))
        return ctx

    def _block_events(self, ctx: BlockContext) -> tuple[Event, ...]:
        events = ctx.take_events()
        return with_legacy(events) if self.config.legacy_events else events

    def _decoded(self, raw: bytes) -> DecodedTx | None:
        """Decode a transaction; return None if it is invalid."""
        try:
            decoded: DecodedTx = self._decode(raw)
        except IbcError:
            return None
        return decoded
