"""One chain in one process: application, consensus, mempool and blocks, in memory or on disk.

The order in which a block is made decides what a crash or a power cut at any point leaves behind (ADR 0021):

    1. consensus makes the block                      nothing is stored; nobody has signed it
    2. what the validators will sign goes to the disk  the block is finished on opening, the same
    3. they sign it, the application executes it       the block is finished on opening, the same
    4. the block is saved with its results, flushed    the block is executed again on opening
    5. the application commits its state atomically    that may be lost to a power cut: executed again
    6. listeners and RPC hear of it                    nothing is missing
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from threading import Condition, RLock
from typing import NamedTuple

from ibc_core.height import Height, revision_of
from ibc_core.host.block import CommittedBlock, TxOutcome
from ibc_core.paths import STORE_NAME
from ibc_core.wire.encoding import encode
from ibc_core.wire.merkle import encode_merkle_proof
from ibc_proto.tendermint.types.types_pb2 import SignedHeader
from ibc_relayer.endpoint import LightBlock, Proven, Tip
from light_client.tendermint.codec import commit_to, header_to, validator_set_to
from light_client.tendermint.types import FLAG_ABSENT, Validator, ValidatorSet
from localnet.beginning import Beginning
from localnet.blockstore import BlockRecord, BlockStore
from localnet.consensus import engine
from localnet.consensus.keys import Keyring, ValidatorKey
from localnet.consensus.rotation import changed
from localnet.consensus.sign_state import Proposal, SignState
from localnet.errors import BlockPruned, ChainHalted, LocalnetError, NoSuchBlock
from localnet.event_index import EventIndex
from localnet.genesis import DEFAULT_POWER, Genesis
from localnet.host.app import FinalizedBlock, HostApp
from localnet.host.config import HostConfig
from localnet.host.query import QueryAnswer
from localnet.mempool import Mempool
from localnet.recovery import begin, check_signed, outcomes_hash, recover
from localnet.retention import Retention, keep_from

log = logging.getLogger("localnet")

_KEEPS = Retention()
STATE, BLOCKS, SIGNED = "state", "blocks", "signed"


class HostOptions(NamedTuple):
    """What a chain's application is made of."""

    rules: HostConfig
    plugins: Sequence[object]
    initial_height: int


class LocalChain:
    """A chain whose validators all run in this process.

    Args:
        chain_id: Its id; `name-N` has revision N.
        home: Folder of its state, created if absent; None keeps everything in memory.
        plugins: Plugins the host runs after accounts and bank, in order; not shared with another chain.
        config: The host's rules; `chain_id` in it is replaced.
        genesis: Its initial state. Once the first block is committed, only the validators' keys and the first
            block's height are read from it.
        clock: Returns unix nanoseconds, for blocks whose time is not given.
        retention: How much of its past it keeps.

    Raises:
        StateAhead, StateBehind, SignedAhead, DoubleSign, BrokenChain: parts of the home contradict others.
        UnreadableSignState, DamagedRecord, StorageError: a part is damaged, or in use.
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
        self.retention = retention
        """How much of its past it keeps."""
        rules = (config or HostConfig(chain_id)).for_chain(chain_id)
        self._rules = engine.Rules(chain_id, rules.block_bytes, rules.block_gas)
        with ExitStack() as opened:
            self._open(home, opened, HostOptions(rules, plugins, genesis.initial_height))
            self._genesis_time_ns = self._time_of_genesis(genesis)
            self._state = self._first_state(genesis)
            # guard: h104-a-signed-block-is-forgotten drop
            #   test_h104_a_block_that_was_signed_is_finished_whatever_fails_after
            #   test_h104_with_blocks_and_state_lost_the_signed_block_is_made_the_same
            self._finish_signed()
            if self._state.last is None:
                self.make_block([], self._genesis_time_ns)
            opened.pop_all()

    def _open(self, home: Path | None, opened: ExitStack, host: "HostOptions") -> None:
        """Opens the parts of the home; what was opened is closed again where a later one cannot be."""
        keeps = self.retention
        self._beginning = Beginning(home, (BLOCKS, STATE), SIGNED) if home else None
        self.signed = SignState(home / SIGNED if home else None)
        """What the validators signed last."""
        opened.callback(self.signed.close)
        self.app = HostApp(
            host.rules,
            host.plugins,
            home / STATE if home else None,
            keeps.keep_versions,
            host.initial_height,
            map_bytes=keeps.map_bytes,
            cache_nodes=keeps.cache_nodes,
        )
        opened.callback(self.app.store.close)
        self.blocks = BlockStore.open(home / BLOCKS if home else None, keeps.map_bytes)
        opened.callback(self.blocks.close)
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
        """Height of the oldest block that is kept."""
        return self.blocks.first or self.first_height

    @property
    def halted(self) -> BaseException | None:
        """What ended the last block before it was done: no other is made until the chain is opened again."""
        return self._halted

    def tip(self) -> Tip:
        """The last committed block."""
        state = self._state
        return Tip(state.height, state.time_ns)

    def record(self, height: int) -> BlockRecord:
        """A committed block with its header and commits; raises NoSuchBlock, BlockPruned."""
        record = self.blocks.record(height) if 0 < height <= self.height else None
        if record is None:
            raise self._lacking(height)
        return record

    def oldest(self) -> BlockRecord:
        """The oldest block that is kept."""
        while True:
            first = self.earliest
            record = self.blocks.record(first)
            if record is not None:
                return record
            if first == self.earliest:  # else it was pruned just now
                raise NoSuchBlock(first, self.height)

    def _lacking(self, height: int) -> LocalnetError:
        if self.first_height <= height < self.earliest:
            return BlockPruned(height, self.earliest)
        return NoSuchBlock(height, self.height)

    def block(self, height: int) -> CommittedBlock:
        """A committed block with the results of its transactions; raises NoSuchBlock, BlockPruned."""
        return self.record(height).result

    def stored_block(self, height: int) -> CommittedBlock | None:
        """As `block`, None where there is none: what an exporter that lost lines asks."""
        record = self.blocks.record(height) if 0 < height <= self.height else None
        return None if record is None else record.result

    def validators(self, height: int) -> ValidatorSet:
        """The validator set that signs block `height`, known up to two blocks ahead.

        Raises:
            NoSuchBlock, BlockPruned: it is not known yet, or not any more.
        """
        found = self.blocks.validators(height) if 0 < height <= self.height + 2 else None
        if found is None:
            raise self._lacking(height)
        return found

    def light_block(self, height: int) -> LightBlock:
        """Signed header and validator set of `height`; raises NoSuchBlock, BlockPruned."""
        record = self.record(height)
        signed = SignedHeader(header=header_to(record.header))
        signed.commit.ParseFromString(record.commit)
        validators = validator_set_to(self.validators(height))
        return LightBlock(height, record.header.time_ns, encode(signed), encode(validators))

    def get(self, key: bytes, store: str = STORE_NAME) -> bytes | None:
        """The value at `key` of a store after the last block, or None."""
        return self.app.store.store(store).get(key)

    def prove(self, key: bytes, height: int, store: str = STORE_NAME) -> Proven:
        """The value at `key` after block `height`, or its absence, with a MerkleProof.

        Raises:
            VersionMissing: the state at that height has been pruned.
            UnprovableAbsence: the store is empty.
        """
        value, proofs = self.app.store.prove(store, key, height)
        return Proven(value, encode_merkle_proof(proofs), Height(self.revision, height + 1))

    def grpc(self, path: str, request: bytes) -> bytes:
        """Answers a gRPC query on the state after the last block; raises IbcError."""
        with self.lock:
            return self.app.grpc(path, request)

    def query(self, path: str, data: bytes, height: int = 0, prove: bool = False) -> QueryAnswer:
        """Answers an ABCI Query on committed state, while a block may be executing; see `HostApp.query`."""
        return self.app.query(path, data, height, prove)

    def find_tx(self, digest: bytes) -> tuple[int, TxOutcome] | None:
        """Height and outcome of the transaction with this SHA-256, or None if no block includes it."""
        place = self.blocks.find_tx(digest)
        if place is None or place[0] > self.height:
            return None
        return place[0], self.block(place[0]).txs[place[1]]

    # -- transactions and blocks

    def submit(self, raw: bytes) -> TxOutcome:
        """Adds a transaction to the mempool; returns the result of CheckTx."""
        with self.lock:
            self._require_running()
            return self.mempool.add(raw)

    def make_block(
        self,
        txs: Sequence[bytes] | None = None,
        time_ns: int | None = None,
        updates: Mapping[ValidatorKey, int] | None = None,
    ) -> CommittedBlock:
        """Makes, signs, executes and commits the next block.

        Args:
            txs: Its transactions; None: those in the mempool.
            time_ns: Its time; None: the clock's, and always later than the previous block.
            updates: New voting powers (0 removes the validator), in force two blocks later.

        Raises:
            ValueError: the time is not after the previous block's, or the updates are invalid.
            NotEnoughPower: too many validators are offline.
            ChainHalted: an earlier block failed with an unexpected exception.
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
        """Closes the databases. The chain can be opened again from its home.

        Raises:
            StorageFailed: the disk refused the last checkpoint; all is closed, and no block is lost.
        """
        with self.lock, ExitStack() as parts:
            parts.callback(self.blocks.close)
            parts.callback(self.signed.close)
            self.app.store.close()

    # -- internals

    def _time_of_genesis(self, genesis: Genesis) -> int:
        """The first block's time: as stored or signed already, else the genesis', else the clock's."""
        first, signed = self.blocks.record(self.first_height), self.signed.last
        if first is not None:
            return first.header.time_ns
        if signed is not None and signed.height == self.first_height:
            return signed.proposal.time_ns
        return self._clock() if genesis.time_ns is None else genesis.time_ns

    def _first_state(self, genesis: Genesis) -> engine.State:
        if self.app.info().height == 0:
            self.app.init_chain(self._genesis_time_ns, genesis.app_state)
            if self.blocks.height == 0:
                members = [key.validator(DEFAULT_POWER) for key in self.keys]
                return begin(self.blocks, members, self._genesis_time_ns, genesis.initial_height)
        for seed in self.blocks.key_seeds():
            self.keyring.add(ValidatorKey(seed))
        return recover(self.chain_id, self.app, self.blocks, self._genesis_time_ns)

    def _finish_signed(self) -> None:
        """Makes the block that the validators had signed when the process ended, if it was not stored."""
        signed = self.signed.last
        if check_signed(self.chain_id, signed, self._state) and signed is not None:
            log.info("%s: block %d was signed, it is finished", self.chain_id, signed.height)
            with self.lock:
                self._decide(signed.proposal)

    def _require_running(self) -> None:
        if self._halted is not None:
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
        """Signs, executes and commits a block. From its signature on there is no other at its height."""
        state, flags = self._state, proposal.flags
        draft = engine.draft(self._rules, state, self.keyring, proposal.time_ns, proposal.txs, flags)
        try:
            self.signed.sign(proposal, draft.block_id)
            return self._execute(engine.sign(draft, state.validators, self.keyring, flags), proposal)
        except BaseException as error:
            self._halted = error
            raise

    def _execute(self, block: engine.Block, proposal: Proposal) -> CommittedBlock:
        header = block.header
        final = self.app.finalize_block(header.time_ns, block.txs, header.next_validators_hash)
        committed = _committed(block, final)
        flags, results = proposal.flags, outcomes_hash(final.outcomes)
        after = engine.state_after(self._state, block, flags, final.app_hash, results, proposal.changes)
        record = BlockRecord(
            block.header,
            block.block_id,
            encode(commit_to(block.last_commit)),
            encode(commit_to(block.commit)),
            dict(flags),
            committed,
        )
        oldest = keep_from(header.height, self.retention, self.app.info().height)
        # guard: h104-the-state-commits-before-the-block-is-stored swap:commit
        #   test_h104_the_order_in_which_a_block_reaches_the_disk_and_others
        self.blocks.save(record, after.next_validators, oldest)
        if self._beginning is not None:
            self._beginning.finish()
            self._beginning = None
        self.app.commit()
        self._state = after
        self.mempool.after_block(block.txs)
        self.app.pipeline.committed(committed)
        self.committed.notify_all()
        return committed


def _committed(block: engine.Block, final: FinalizedBlock) -> CommittedBlock:
    header = block.header
    return CommittedBlock(
        header.chain_id,
        header.height,
        header.time_ns,
        final.app_hash,
        final.outcomes,
        final.events,
        block.block_id.hash,
        header.last_block_id.hash,
    )
