"""A chain of a random walk: our host and consensus, with every block recorded."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from conformance.transcripts import actions
from conformance.transcripts.chain import ReplayChain, Result
from conformance.transcripts.document import Action as RecordedAction
from conformance.transcripts.fields import Fields
from conformance.transcripts.reader import read
from conformance.walks import genesis, record
from conformance.walks.stores import ProvableStores
from light_client.tendermint.encoding import EMPTY_HASH
from light_client.tendermint.types import ClientHeader, Commit, Header, Validator, ValidatorSet
from localnet.consensus import engine
from localnet.consensus.sign_state import Keyring, validator_keys
from pyibc.codec.anys import AnyMessage
from pyibc.core import paths
from pyibc.core.errors import IbcError
from pyibc.core.height import Height, revision_of
from pyibc.core.host.block import Event
from pyibc.core.host.context import prefix_end
from pyibc.core.host.overlay import BlockContext
from pyibc.core.wire.merkle import encode_merkle_proof

POWER = 10
BLOCK_BYTES, BLOCK_GAS = 22_020_096, -1


class Transaction(NamedTuple):
    """Messages of one transaction, with a note on their purpose."""

    messages: tuple[AnyMessage, ...]
    note: str


class Action(NamedTuple):
    """An action by an application or governance outside of transactions."""

    name: str
    args: Mapping[str, Any]


class Sealed(NamedTuple):
    """The signed header of a block and its validators."""

    header: Header
    commit: Commit
    validators: ValidatorSet


class Block(NamedTuple):
    """The results of a block."""

    results: tuple[Result, ...]
    action_errors: tuple[IbcError | None, ...]
    events: tuple[Event, ...]  # of successful transactions and actions


class WalkChain:
    """A chain whose blocks are recorded; `start` is its initial state in the transcript.

    Args:
        chain_id: Initial chain id, which remains its name in the transcript.
        time_ns: Time of block 1, unix nanoseconds.
        holders: Addresses with coins.
        seed: Seed of its validators' keys.
        past: What its `ibc` store has besides a new chain's entries.
    """

    def __init__(
        self, chain_id: str, time_ns: int, holders: Sequence[str], seed: str, past: genesis.Past = ()
    ) -> None:
        self.name = chain_id
        self.start = genesis.document(chain_id, time_ns, holders, past)
        start = read({"chains": [self.start], "steps": []}).chains[0]
        self.host = ReplayChain(start, genesis.AUTHORITY, self._made)
        self.start["stores"]["ibc"]["root"] = self.stores.root(paths.STORE_NAME)
        self.keys = validator_keys(f"{seed}/{chain_id}", 4)
        self.keyring = Keyring(self.keys)
        members = [key.validator(POWER) for key in self.keys]
        self._state = engine.genesis_state(members, EMPTY_HASH, time_ns)
        self._sealed: dict[int, Sealed] = {}
        self._seal(engine.make_block(self._rules, self._state, self.keyring, time_ns, [], {}), {}, {})

    def _made(self, names: Iterable[str]) -> ProvableStores:
        self.stores = ProvableStores(names)
        return self.stores

    # -- committed state

    @property
    def chain_id(self) -> str:
        """The current chain id."""
        return self.host.chain_id

    @property
    def height(self) -> Height:
        """Height of the last block."""
        return Height(revision_of(self.chain_id), self._state.height)

    @property
    def time_ns(self) -> int:
        """Time of the last block, unix nanoseconds."""
        return self._state.time_ns

    def get(self, key: bytes) -> bytes | None:
        """Return the value at `key` in the `ibc` store after the last block, or None."""
        return self.stores.get(paths.STORE_NAME, key)

    def entries(self, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Return entries of the `ibc` store below `prefix`, keys without the prefix, in key order."""
        end = prefix_end(prefix)
        for key, value in self.stores.views()[paths.STORE_NAME].iterate(prefix, end):
            yield key[len(prefix) :], value

    def proof(self, key: bytes, height: int, store: str = paths.STORE_NAME) -> bytes:
        """Return the proof of an entry or its absence, under the app hash in the header of `height`.

        If there is no such height (a client may have been given any), the nearest existing one is used.
        """
        version = min(max(height - 1, 1), self._state.height)
        _, proofs = self.stores.multi.prove(store, key, version)
        return encode_merkle_proof(proofs)

    def sealed(self, height: int) -> Sealed:
        """Return header, commit and validators of a block."""
        return self._sealed[height]

    def validators(self, height: int) -> ValidatorSet:
        """Return the validator set of a block, known two blocks ahead."""
        known = self._sealed.get(height)
        if known is not None:
            return known.validators
        ahead = height - self._state.height
        return self._state.validators if ahead <= 1 else self._state.next_validators

    def header(self, height: int, trusted: Height) -> ClientHeader:
        """Return the header of a block for a client that trusts height `trusted`."""
        sealed = self._sealed[height]
        trusted_set = self.validators(trusted.revision_height + 1)
        return ClientHeader(sealed.header, sealed.commit, sealed.validators, trusted, trusted_set)

    # -- blocks

    def run(
        self,
        time_ns: int,
        txs: Sequence[Transaction] = (),
        actions_before: Sequence[Action] = (),
        flags: Mapping[bytes, int] | None = None,
        updates: Mapping[Validator, int] | None = None,
    ) -> tuple[Block, dict[str, Any]]:
        """Make, sign, execute and commit the next block; return it and its step of the transcript."""
        absent = flags or {}
        raw = [each.value for tx in txs for each in tx.messages]
        block = engine.make_block(self._rules, self._state, self.keyring, time_ns, raw, absent)
        header = block.header
        ctx = self.host.context(header.height, time_ns, header.next_validators_hash, header.app_hash)
        step: dict[str, Any] = {
            "chain": self.name,
            "height": block.header.height,
            "time_ns": time_ns,
            "app_hash_before": header.app_hash.hex().upper(),
            "next_validators_hash": block.header.next_validators_hash.hex().upper(),
        }
        outcome = self._execute(ctx, txs, actions_before, step)
        self._seal(block, absent, updates or {})
        step["ibc_store_root"] = self.stores.root(paths.STORE_NAME)
        return outcome, step

    @property
    def _rules(self) -> engine.ChainParams:
        return engine.ChainParams(self.chain_id, BLOCK_BYTES, BLOCK_GAS)

    def _seal(
        self, block: engine.Block, flags: Mapping[bytes, int], updates: Mapping[Validator, int]
    ) -> None:
        self._sealed[block.header.height] = Sealed(block.header, block.commit, block.validators)
        app_hash = self.stores.multi.app_hash
        self._state = engine.state_after(self._state, block, flags, app_hash, EMPTY_HASH, updates)

    def _execute(
        self,
        ctx: BlockContext,
        txs: Sequence[Transaction],
        actions_before: Sequence[Action],
        step: dict[str, Any],
    ) -> Block:
        seen: list[Event] = []
        errors = []
        step["actions"] = []
        for name, args in actions_before:
            error, recorded, own = self._act(ctx, name, args)
            step["actions"].append(recorded)
            errors.append(error)
            seen += own
        self.host.pipeline.begin_block(ctx)
        began = [(kind, (*pairs, ("mode", "BeginBlock"))) for kind, pairs in ctx.take_events()]
        step["block_events"] = record.events(event for event in began if event[0] != "message")
        results = []
        step["txs"] = []
        for index, tx in enumerate(txs):
            messages = [(each.type_url, each.value) for each in tx.messages]
            result = self.host.deliver(ctx, messages, index)
            step["txs"].append(record.transaction(tx.messages, tx.note, result))
            results.append(result)
            seen += result.events
        self.host.pipeline.end_block(ctx)
        step |= record.store_changes(ctx, self.stores.names())
        step["new_accounts"] = record.new_accounts(self.host.new_accounts(ctx))
        step["balance_changes"] = record.balance_changes(ctx, genesis.ADDRESSES)
        self.host.commit(ctx, ctx.height.revision_height)
        return Block(tuple(results), tuple(errors), tuple(seen))

    def _act(
        self, ctx: BlockContext, name: str, args: Mapping[str, Any]
    ) -> tuple[IbcError | None, dict[str, Any], tuple[Event, ...]]:
        error, sequence = None, None
        told = RecordedAction(name, Fields(dict(args), name), None, None, None)
        try:
            with ctx.branch():
                sequence = actions.run(self.host, ctx, told)
        except IbcError as refusal:
            error = refusal
        own = ctx.take_events()
        return (
            error,
            record.action(name, args, error, {} if sequence is None else {"sequence": sequence}, own),
            own,
        )
