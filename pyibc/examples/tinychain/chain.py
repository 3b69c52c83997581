"""Host: a whole chain around the IBC plugin. Read it from top to bottom."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from pyibc import (
    BlockContext,
    CheckedMessage,
    CommittedBlock,
    IbcError,
    MessageRoute,
    MultiStore,
    Pipeline,
    TxOutcome,
)
from pyibc.errors import UnauthorizedTx, UnknownMessage, UnknownRequest
from pyibc.examples.tinychain.accounts import Accounts
from pyibc.examples.tinychain.consensus import Consensus
from pyibc.examples.tinychain.envelope import address_of, open_envelope
from pyibc.host import UNLIMITED, Upgrades

GAS_LIMIT = 100_000_000  # per transaction: enough for a relayer's batch; gas is free here


class TinyChain:
    """Chain in memory, with all validators in this process.

    Args:
        chain_id: Its id; `name-N` has revision N.
        plugins: Plugins besides the accounts, called in this order.
        genesis: Initial states by the plugins' keys; written by block 1.
        seeds: The validators' 32-byte seeds.
        clock: Unix nanoseconds.
    """

    def __init__(
        self,
        chain_id: str,
        plugins: Sequence[object],
        genesis: Mapping[str, Any],
        seeds: Sequence[bytes],
        clock: Callable[[], int],
    ) -> None:
        self.chain_id = chain_id
        self.accounts = Accounts()
        self.pipeline = Pipeline([self.accounts, *plugins])
        self.upgrades = Upgrades(self.pipeline)
        self.store = MultiStore(None, self.pipeline.stores(), keep_versions=1000)
        self.consensus = Consensus(chain_id, seeds)
        self.blocks: list[CommittedBlock] = []
        self._routes = self.pipeline.messages()
        self._queries = self.pipeline.queries()
        self._genesis = genesis
        self._clock = clock
        self._waiting: list[bytes] = []
        self.make_block()
        self.mempool = self._context(self.last.time_ns)  # the state of CheckTx

    @property
    def last(self) -> CommittedBlock:
        """Last committed block."""
        return self.blocks[-1]

    # -- check

    def check_tx(self, raw: bytes) -> None:
        """Add a transaction to the mempool; raise IbcError to refuse it."""
        ctx = self.mempool
        ctx.gas.reset(GAS_LIMIT)
        with ctx.branch():  # writes of an accepted one (its nonce) stay until the next block
            messages = self._admit(ctx, raw)
            self.pipeline.check_tx(ctx, [CheckedMessage(url, msg) for url, _, msg in messages], recheck=False)
        ctx.take_events()
        self._waiting.append(raw)

    def next_nonce(self, address: bytes) -> int:
        """Return the nonce of an account's next transaction, counting those in the mempool."""
        self.mempool.gas.reset(UNLIMITED)
        return self.accounts.nonce(self.mempool, address)

    # -- prepare, process, deliver, end of block, commit

    def make_block(self) -> CommittedBlock:
        """Propose, vote on, execute and commit the next block."""
        time_ns = max(self._clock(), self.last.time_ns + 1) if self.blocks else self._clock()
        txs = self._propose(time_ns) if self._waiting else []
        before = self.last.txs if self.blocks else ()
        self.consensus.decide(time_ns, txs, self.store.app_hash, before)

        ctx = self._context(time_ns)
        if not self.blocks:
            self.pipeline.init_genesis(ctx, self._genesis)
            self.upgrades.begin_chain(ctx)
        self.upgrades.begin_block(ctx, self.store.names())  # raises if an upgrade is planned
        self.pipeline.begin_block(ctx)
        block_events = ctx.take_events()
        outcomes = tuple([self._deliver(ctx, raw) for raw in txs])
        ctx.gas.reset(UNLIMITED)
        self.pipeline.end_block(ctx)
        block_events += ctx.take_events()

        self.store.apply({name: ctx.writes(name) for name in self.store.names()})
        height, app_hash = self.store.commit()
        block = CommittedBlock(self.chain_id, height, time_ns, app_hash, outcomes, block_events)
        self.blocks.append(block)
        self._waiting.clear()
        self.mempool = self._context(time_ns)
        self.pipeline.committed(block)
        return block

    def _propose(self, time_ns: int) -> list[bytes]:
        ctx = self._context(time_ns)
        txs = list(self.pipeline.prepare_proposal(ctx, self._waiting))
        return txs if self.pipeline.process_proposal(ctx, txs) else []

    def _deliver(self, ctx: BlockContext, raw: bytes) -> TxOutcome:
        """Execute one transaction atomically; its nonce is used even if a message fails.

        Plugins' errors arrive as IbcErrors. Any other exception, such as a disk failure, stops the chain.
        """
        ctx.gas.reset(GAS_LIMIT)
        try:
            with ctx.branch():
                messages = self._admit(ctx, raw)
            with ctx.branch():
                answers = [route.deliver(ctx, message) for _, route, message in messages]
        except IbcError as error:
            ctx.take_events()
            log = str(error)  # not hashed, and not passed to plugins
            return TxOutcome(raw, error.code, error.codespace, (), GAS_LIMIT, ctx.gas.used, log=log)
        data = msgspec.json.encode(answers)
        return TxOutcome(raw, 0, "", ctx.take_events(), GAS_LIMIT, ctx.gas.used, data)

    def _admit(self, ctx: BlockContext, raw: bytes) -> list[tuple[str, MessageRoute, Any]]:
        """Check signature and nonce; decode every message and check its signer."""
        body = open_envelope(raw, self.chain_id)
        sender = address_of(body.key)
        self.accounts.use_nonce(ctx, sender, body.nonce)
        messages = []
        for call in body.calls:
            route = self._routes.get(call.type)
            if route is None:
                raise UnknownMessage(call.type[:128])
            message = route.decode(call.value)
            if set(route.signers(message)) != {sender}:
                raise UnauthorizedTx("another account must sign this message")
            messages.append((call.type, route, message))
        return messages

    # -- query

    def query(self, path: str, request: bytes) -> bytes:
        """Answer a gRPC query on the state after the last block; raise IbcError."""
        route = self._queries.get(path)
        if route is None:
            raise UnknownRequest(path[:128])
        return route(self.reader(), request)

    def reader(self) -> BlockContext:
        """Return a context to read the state after the last block."""
        return self._context(self.last.time_ns, self.store.version)

    def _context(self, time_ns: int, height: int | None = None) -> BlockContext:
        committed = {name: self.store.store(name) for name in self.store.names()}
        height = height or self.store.next_version
        return BlockContext(self.chain_id, height, time_ns, committed, app_hash=self.store.app_hash)
