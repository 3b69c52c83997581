"""One chain in one process: application, consensus, mempool and blocks, in memory or on disk.

The steps of making a block determine the effect of a crash or power cut at any point (ADR 0021):

    1. consensus makes the block                       nothing is stored, and no validator has signed it
    2. the content to be signed goes to disk           opening finishes the same block
    3. they sign it, the application executes it       opening finishes the same block
    4. the block is saved with its results, flushed    opening executes the block again
    5. the application commits its state atomically    a power cut may undo this; the block is executed again
    6. listeners and RPC clients are notified          nothing is missing
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Condition, RLock

from ibc_module.upgrades import UpgradeNeeded
from light_client.tendermint.codec import commit_to
from light_client.tendermint.types import FLAG_ABSENT, Header, Validator, ValidatorSet
from localnet.consensus import engine
from localnet.consensus.sign_state import Keyring, Proposal, SignState, ValidatorKey
from localnet.consensus.votes import changed
from localnet.errors import AwaitsUpgrade, BlockPruned, ChainHalted, LocalnetError, NoSuchBlock
from localnet.event_index import EventIndex
from localnet.mempool import Mempool
from localnet.settings import DEFAULT_POWER, Genesis
from localnet.storage.block_store import BlockRecord, BlockStore, committed_of, light_block_of, record_of
from localnet.storage.recovery import HomeCreation, begin, check_signed, outcomes_hash, recover
from pyibc.chain.app import HostApp
from pyibc.chain.comet.settings import Retention, keep_from
from pyibc.chain.config import HostConfig
from pyibc.chain.queries.store_query import QueryAnswer
from pyibc.codec.encoding import encode
from pyibc.core.height import Height, revision_of
from pyibc.core.host.block import CommittedBlock, TxOutcome
from pyibc.core.paths import STORE_NAME
from pyibc.core.wire.merkle import encode_merkle_proof
from pyibc.relayer.chain.values import LightBlock, Proven, Tip

log = logging.getLogger("localnet")

_KEEPS = Retention()
STATE, BLOCKS, SIGNED = "state", "blocks", "signed"


class LocalChain:
    """A chain whose validators all run in this process.

    Args:
        chain_id: Id of the chain; `name-N` has revision N.
        home: Folder of its state, created if absent; None keeps everything in memory.
        plugins: Plugins after accounts and bank, in order; not shared with another chain.
        config: Configuration of the host; its `chain_id` is replaced.
        genesis: Initial state. After the first block is committed, only the validators' keys and the initial
            height are read from it.
        clock: Returns unix nanoseconds, for blocks whose time is not given.
        retention: Limits on the history that is stored.

    Raises:
        StateAhead, StateBehind, SignedAhead, DoubleSign, BrokenChain: parts of the home are inconsistent.
        UnreadableSignState, DamagedRecord, StorageError: a part is damaged, or in use.
        PluginsChanged: other plugins made the state, and no upgrade at this height allows the change.
        UpgradeNeeded: the last block is that of an upgrade that this software does not implement.
        ValueError: a setting is out of range.
    """

    def __init__(
        self,
        chain_id: str,
        home: Path | None = None,
        *,
        plugins: Sequence[object] = (),
        config: HostConfig | None = None,
        genesis: Genesis | None = None,
        clock: Callable[[], int] = time.time_ns,
        retention: Retention = _KEEPS,
    ) -> None:
        retention.check()
        self.chain_id = chain_id
        self.revision = revision_of(chain_id)
        genesis = genesis or Genesis()
        self.keys = genesis.keys(chain_id)
        self.keyring = Keyring(self.keys)
        self.offline: set[bytes] = set()
        """Addresses of validators that do not vote."""
        self.lock = RLock()
        self.committed = Condition(self.lock)
        """Notified after each block."""
        self.first_height = genesis.initial_height
        self._clock = clock
        self._halted: BaseException | None = None
        self._undone: engine.Block | None = None
        self.retention = retention
        """Limits on the history that is stored."""
        rules = (config or HostConfig(chain_id)).for_chain(chain_id)
        self._rules = engine.ChainParams(chain_id, rules.block_bytes, rules.block_gas)
        with ExitStack() as opened:
            self._open(home, opened, rules, plugins)
            self._genesis_time_ns = self._time_of_genesis(genesis)
            self._state = self._first_state(genesis)
            # guard: h104-a-signed-block-is-forgotten drop
            #   test_h104_a_block_that_was_signed_is_finished_whatever_fails_after
            #   test_h104_with_blocks_and_state_lost_the_signed_block_is_made_the_same
            self._finish_signed()
            if self._state.last is None:
                self.make_block([], self._genesis_time_ns)
            opened.pop_all()

    def _open(
        self, home: Path | None, opened: ExitStack, rules: HostConfig, plugins: Sequence[object]
    ) -> None:
        """Open the parts of the home; if one fails, close those already open."""
        keeps = self.retention
        self._creation = HomeCreation(home, (BLOCKS, STATE), SIGNED) if home else None
        self.signed = SignState(home / SIGNED if home else None)
        """The block that the validators signed last."""
        opened.callback(self.signed.close)
        self.app = HostApp(
            rules,
            plugins,
            home / STATE if home else None,
            keeps.keep_versions,
            self.first_height,
            map_bytes=keeps.map_bytes,
            cache_nodes=keeps.cache_nodes,
        )
        opened.callback(self.app.store.close)
        self.blocks = BlockStore.open(home / BLOCKS if home else None, keeps.map_bytes)
        opened.callback(self.blocks.close)
        self.app.block_time = self._header_time
        self.mempool = Mempool(self.app.check_tx)
        self.events = EventIndex(lambda: self.height, lambda: self.earliest, self.block)
        """Index of transactions and blocks by event; filled on the first query."""

    # -- committed state

    @property
    def height(self) -> int:
        """Height of the last block."""
        return self._state.height

    @property
    def earliest(self) -> int:
        """Height of the oldest stored block."""
        return self.blocks.first or self.first_height

    @property
    def halted(self) -> BaseException | None:
        """Exception that interrupted the last block; no further block is made until the chain is reopened."""
        return self._halted

    def tip(self) -> Tip:
        """Return height and time of the last committed block."""
        state = self._state
        return Tip(state.height, state.time_ns)

    def record(self, height: int) -> BlockRecord:
        """Return a committed block with its header and commits; raise NoSuchBlock, BlockPruned."""
        record = self.blocks.record(height) if 0 < height <= self.height else None
        if record is None:
            raise self._lacking(height)
        return record

    def oldest(self) -> BlockRecord:
        """Return the oldest stored block."""
        while True:
            first = self.earliest
            record = self.blocks.record(first)
            if record is not None:
                return record
            if first == self.earliest:  # otherwise it was pruned just now
                raise NoSuchBlock(first, self.height)

    def _lacking(self, height: int) -> LocalnetError:
        if self.first_height <= height < self.earliest:
            return BlockPruned(height, self.earliest)
        return NoSuchBlock(height, self.height)

    def block(self, height: int) -> CommittedBlock:
        """Return a committed block with the results of its transactions; raise NoSuchBlock, BlockPruned."""
        return self.record(height).result

    def stored_block(self, height: int) -> CommittedBlock | None:
        """Return `block`, or None if it is not stored; for an exporter that lost lines."""
        record = self.blocks.record(height) if 0 < height <= self.height else None
        return None if record is None else record.result

    def validators(self, height: int) -> ValidatorSet:
        """Return the validator set that signs block `height`, known up to two blocks ahead.

        Raises:
            NoSuchBlock, BlockPruned: the set is not known yet, or was pruned.
        """
        found = self.blocks.validators(height) if 0 < height <= self.height + 2 else None
        if found is None:
            raise self._lacking(height)
        return found

    def light_block(self, height: int) -> LightBlock:
        """Return signed header and validator set of `height`; raise NoSuchBlock, BlockPruned."""
        header, commit = self.signed_header(height)
        return light_block_of(header, commit, self.validators(height))

    def signed_header(self, height: int) -> tuple[Header, bytes]:
        """Return header and encoded commit of `height`; raise NoSuchBlock, BlockPruned.

        At a planned upgrade this includes the block that is not executed, for client upgrades.
        """
        undone = self._undone
        # guard: h278-the-last-header-is-not-served drop test_h278_two_chains_live_through_an_upgrade
        if undone is not None and height == undone.header.height:
            return undone.header, encode(commit_to(undone.commit))
        record = self.record(height)
        return record.header, record.commit

    def get(self, key: bytes, store: str = STORE_NAME) -> bytes | None:
        """Return the value at `key` of a store after the last block, or None."""
        return self.app.store.store(store).get(key)

    def prove(self, key: bytes, height: int, store: str = STORE_NAME) -> Proven:
        """Return the value at `key` after block `height`, or its absence, with a MerkleProof.

        Raises:
            VersionMissing: the state at that height has been pruned.
            UnprovableAbsence: the store is empty.
        """
        value, proofs = self.app.store.prove(store, key, height)
        return Proven(value, encode_merkle_proof(proofs), Height(self.revision, height + 1))

    def grpc(self, path: str, request: bytes) -> bytes:
        """Run a gRPC query on the state after the last block; raise IbcError."""
        with self.lock:
            return self.app.grpc(path, request)

    def query(self, path: str, data: bytes, height: int = 0, prove: bool = False) -> QueryAnswer:
        """Run an ABCI Query on committed state, also while a block is executed; see `HostApp.query`."""
        return self.app.query(path, data, height, prove)

    def find_tx(self, digest: bytes) -> tuple[int, TxOutcome] | None:
        """Return height and outcome of the transaction with this SHA-256, or None if no block includes it."""
        place = self.tx_place(digest)
        return None if place is None else (place[0], self.block(place[0]).txs[place[1]])

    def tx_place(self, digest: bytes) -> tuple[int, int] | None:
        """Return height and index of the transaction with this SHA-256, or None if no block includes it."""
        place = self.blocks.find_tx(digest)
        return place if place is not None and place[0] <= self.height else None

    def has_new_run(self, digest: bytes, before: tuple[int, int] | None) -> bool:
        """Return whether a committed block has a run of this transaction other than that at `before`."""
        return self.tx_place(digest) not in {None, before}

    # -- transactions and blocks

    def submit(self, raw: bytes) -> TxOutcome:
        """Add a transaction to the mempool; return the result of CheckTx."""
        with self.lock:
            self._require_running()
            return self.mempool.add(raw)

    def make_block(
        self,
        txs: Sequence[bytes] | None = None,
        time_ns: int | None = None,
        updates: Mapping[ValidatorKey, int] | None = None,
    ) -> CommittedBlock:
        """Make, sign, execute and commit the next block.

        Args:
            txs: Transactions of the block; None for those in the mempool.
            time_ns: Time of the block; None for the clock's, always later than the previous block.
            updates: New voting powers (0 removes the validator), in force two blocks later.

        Raises:
            ValueError: the time is not after the previous block's, or the updates are invalid.
            NotEnoughPower: too many validators are offline.
            ChainHalted: an earlier block failed with an unexpected exception.
            UpgradeNeeded: an upgrade is planned for this height. The block is signed, and waits for software
                that implements the upgrade; the chain stays open for queries.
        """
        with self.lock:
            self._require_running()
            state = self._state
            when = max(self._clock(), state.time_ns + 1) if time_ns is None else time_ns
            chosen = self._proposal(when) if txs is None else list(txs)
            flags = dict.fromkeys(sorted(self.offline), FLAG_ABSENT)
            changes = self._changes(updates or {})
            return self._decide(Proposal(state.height + 1, when, tuple(chosen), flags, changes))

    def close(self) -> None:
        """Close the databases. The chain can be opened again from its home.

        Raises:
            StorageFailed: the last checkpoint could not be written; all is closed, and no block is lost.
        """
        with self.lock, ExitStack() as parts:
            parts.callback(self.blocks.close)
            parts.callback(self.signed.close)
            self.app.store.close()

    # -- internals

    def _time_of_genesis(self, genesis: Genesis) -> int:
        """Return the first block's time: as stored or signed already, else the genesis', else the clock's."""
        first, signed = self.blocks.record(self.first_height), self.signed.last
        if first is not None:
            return first.header.time_ns
        if signed is not None and signed.height == self.first_height:
            return signed.proposal.time_ns
        return self._clock() if genesis.time_ns is None else genesis.time_ns

    def _first_state(self, genesis: Genesis) -> engine.EngineState:
        if self.app.info().height == 0:
            self.app.init_chain(self._genesis_time_ns, genesis.app_state)
            if self.blocks.height == 0:
                members = [key.validator(DEFAULT_POWER) for key in self.keys]
                return begin(self.blocks, members, self._genesis_time_ns, genesis.initial_height)
        for seed in self.blocks.key_seeds():
            self.keyring.add(ValidatorKey(seed))
        return recover(self.chain_id, self.app, self.blocks, self._genesis_time_ns)

    def _finish_signed(self) -> None:
        """Make the block that the validators had signed before a crash, if it was not stored."""
        signed = self.signed.last
        if check_signed(self.chain_id, signed, self._state) and signed is not None:
            log.info("%s: finishing block %d, which is signed already", self.chain_id, signed.height)
            with self.lock, suppress(UpgradeNeeded):  # the chain stays open, for queries
                self._decide(signed.proposal)

    def _header_time(self, height: int) -> int | None:
        record = self.blocks.record(height)
        return record.header.time_ns if record is not None else None

    def _require_running(self) -> None:
        if self._halted is not None:
            if isinstance(self._halted, UpgradeNeeded):
                raise AwaitsUpgrade(self.chain_id, self.height + 1, str(self._halted)) from self._halted
            raise ChainHalted(self.chain_id, self.height + 1) from self._halted

    def _proposal(self, time_ns: int) -> list[bytes]:
        waiting = self.mempool.waiting()
        if not waiting:
            return []
        chosen = self.app.prepare_proposal(waiting, self._rules.block_bytes, time_ns)
        if not self.app.process_proposal(chosen, time_ns):
            log.warning("%s: the validators reject their own proposal, the block stays empty", self.chain_id)
            return []
        return chosen

    def _changes(self, updates: Mapping[ValidatorKey, int]) -> tuple[Validator, ...]:
        changes = tuple(key.validator(power) for key, power in updates.items())
        if changes:  # raises before anything is signed
            changed(self._state.next_validators, {member: member.power for member in changes})
        for key in updates:
            self.keyring.add(key)
            self.blocks.save_key_seed(key.address, key.seed)
        return changes

    def _decide(self, proposal: Proposal) -> CommittedBlock:
        """Sign, execute and commit a block. Once signed, no other block is made at its height."""
        state, flags = self._state, proposal.flags
        draft = engine.draft(self._rules, state, self.keyring, proposal.time_ns, proposal.txs, flags)
        try:
            self.signed.sign(proposal, draft.block_id)
            block = engine.sign(draft, state.validators, self.keyring, flags)
            try:
                return self._execute(block, proposal)
            except UpgradeNeeded as error:
                log.error("%s: %s", self.chain_id, error)  # noqa: TRY400 - expected at a planned upgrade
                self._undone = block
                raise
        except BaseException as error:
            self._halted = error
            raise

    def _execute(self, block: engine.Block, proposal: Proposal) -> CommittedBlock:
        header = block.header
        final = self.app.finalize_block(header.time_ns, block.txs, header.next_validators_hash)
        committed = committed_of(block, final)
        flags, results = proposal.flags, outcomes_hash(final.outcomes)
        record = record_of(block, committed, flags)
        after = engine.state_after(self._state, block, flags, final.app_hash, results, proposal.changes)
        oldest = keep_from(header.height, self.retention, self.app.info().height)
        # guard: h104-the-state-commits-before-the-block-is-stored swap:commit
        #   test_h104_the_order_in_which_a_block_reaches_the_disk_and_others
        self.blocks.save(record, after.next_validators, oldest)
        if self._creation is not None:
            self._creation.finish()
            self._creation = None
        self.app.commit()
        self._state = after
        self.mempool.after_block(block.txs)
        self.app.pipeline.committed(committed)
        self.committed.notify_all()
        return committed
