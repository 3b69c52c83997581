"""A chain's state before one of its blocks, to run transactions and queries on that change nothing.

The caches of a node are new for each run, so that no run benefits from another.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from conformance.fuzz.case import Attack, open_attack
from localnet.chain import LocalChain
from localnet.storage.block_store import BlockRecord
from pyibc.chain.queries.historical_store import HistoricalStore
from pyibc.chain.tx.runner import TxRunner
from pyibc.codec.anys import AnyMessage
from pyibc.core.address import Address
from pyibc.core.crypto.secp256k1 import PrivateKey
from pyibc.core.errors import ApplicationFault, IbcError
from pyibc.core.host.block import TxOutcome
from pyibc.core.host.overlay import BlockContext
from pyibc.core.wire.tx import decode_tx
from pyibc.isolation.limits import size_of_events
from pyibc.relayer.money.wallet import Wallet, seed_key

PASSED = "ok"

GAS = 500_000_000
"""Gas limit of a block by default; a transaction may not declare more."""


def recorded(chain: LocalChain) -> Iterator[tuple[int, AnyMessage]]:
    """Return every message that a chain has executed, with the height of its block."""
    for height in range(1, chain.height + 1):
        for outcome in chain.block(height).txs:
            if not outcome.code:
                for message in decode_tx(outcome.tx).messages:
                    yield height, message


class Stage:
    """Block `height` of a chain, without its transactions."""

    def __init__(self, chain: LocalChain, height: int, wallets: Mapping[str, Wallet]) -> None:
        """Create it; `wallets` are the signing accounts by address."""
        self.chain = chain
        self.height = height
        self._wallets = wallets
        self._going: BlockContext | None = None
        self.addresses = tuple(wallets)

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """Let transactions inside the `with` block see the writes of earlier ones, as within one block."""
        self._going = self.context()
        try:
            yield
        finally:
            self._going = None

    @property
    def time_ns(self) -> int:
        """Time of the block, unix nanoseconds."""
        return self._record().header.time_ns

    @property
    def next_validators_hash(self) -> bytes:
        """Hash of the next validators in the block's header."""
        return self._record().header.next_validators_hash

    def _record(self) -> BlockRecord:
        return self.chain.record(min(self.height, self.chain.height))

    def context(self) -> BlockContext:
        """Return the context of the block, with the writes of earlier transactions inside `going_on`."""
        if self._going is not None:
            return self._going
        store, before = self.chain.app.store, self.height - 1
        committed = {name: HistoricalStore(store, name, before) for name in store.names()}
        ctx = BlockContext(
            self.chain.chain_id,
            self.height,
            self.time_ns,
            committed,
            self.next_validators_hash,
            store.info(before).app_hash,
        )
        self.chain.app.pipeline.begin_block(ctx)
        ctx.take_events()
        return ctx

    def runner(self) -> TxRunner:
        """Return a transaction runner with empty caches."""
        return self.chain.app.new_runner()

    def signed(self, ctx: BlockContext, messages: list[AnyMessage], signer: str, **more: Any) -> bytes:
        """Return a transaction signed by `signer`, or by any known account if that one is unknown."""
        wallet = self._wallets.get(signer) or next(iter(self._wallets.values()))
        account = self.chain.app.accounts.get(ctx, wallet.address.raw)
        number, sequence = (account.number, account.sequence) if account else (0, 0)
        options = {"chain_id": self.chain.chain_id, "account_number": number, "sequence": sequence}
        return wallet.sign_tx(messages, **{**options, "gas_limit": GAS, **more})

    def payer(self) -> tuple[PrivateKey, Address]:
        """Return the key and the address of an account with coins."""
        wallet = next(iter(self._wallets.values()))
        return PrivateKey(seed_key(f"relayer/{self.chain.chain_id}")), wallet.address

    def delivery(self, raw: bytes) -> Attack:
        """Return an input that executes a transaction in a block, decoded again since no cache holds it."""
        ctx = self.context()
        outcomes: list[TxOutcome] = []
        after = partial(_executed, self.runner(), ctx, raw, outcomes)
        before = partial(_door, self.runner(), raw)
        return Attack(len(raw), before, after, raw, lambda: sum(map(_reported_bytes, outcomes)))

    def admission(self, raw: bytes) -> Attack:
        """Return an input that runs CheckTx on a transaction."""
        runner, ctx = self.runner(), self.context()
        run = partial(runner.check, ctx, raw, recheck=False)
        return Attack(len(raw), lambda: verdict_of(run()), lambda: PASSED)

    def simulation(self, raw: bytes) -> Attack:
        """Return an input that simulates an unsigned transaction."""
        runner, ctx = self.runner(), self.context()
        return open_attack(len(raw), lambda: verdict_of(runner.simulate(ctx, raw)))

    def message(self, type_url: str, value: bytes) -> Attack:
        """Return an input that executes a message of the authority, as governance does."""
        ctx, route = self.context(), self.chain.app.pipeline.messages()[type_url]

        def run() -> None:
            with ctx.branch():
                route.deliver(ctx, route.decode(value))

        reported = partial(_reported_in, ctx)
        return open_attack(len(value), lambda: tried(run))._replace(reported=reported)

    def query(self, path: str, data: bytes, *, prove: bool = False) -> Attack:
        """Return an input that runs an ABCI Query on the last state."""

        def run() -> str:
            answer = self.chain.app.query(path, data, prove=prove)
            return _verdict(answer.codespace, answer.code)

        return open_attack(len(path) + len(data), run)


def _door(runner: TxRunner, raw: bytes) -> str | None:
    """Decode a transaction, as before signature verification; return the verdict if it is refused."""
    found = tried(lambda: runner.decode(raw))
    return None if found == PASSED else found


def _executed(runner: TxRunner, ctx: BlockContext, raw: bytes, outcomes: list[TxOutcome]) -> str:
    outcomes += runner.deliver_all(ctx, [raw])
    return verdict_of(outcomes[-1])


def _reported_bytes(outcome: TxOutcome) -> int:
    return size_of_events(outcome.events) + len(outcome.data) + len(outcome.log.encode("utf-8", "replace"))


def _reported_in(ctx: BlockContext) -> int:
    return size_of_events(ctx.take_events())


def verdict_of(outcome: TxOutcome) -> str:
    """Return `codespace/code`, or `PASSED`.

    Raises:
        RuntimeError: the error is an `ApplicationFault`, a bug in this implementation.
    """
    return _verdict(outcome.codespace, outcome.code)


def _verdict(codespace: str, code: int) -> str:
    if (codespace, code) == (ApplicationFault.codespace, ApplicationFault.code):
        raise RuntimeError("an unexpected exception: see the node's log")
    return f"{codespace}/{code}" if code else PASSED


def tried(run: Callable[[], object]) -> str:
    """Return the verdict on what `run` reads: its error, or `PASSED`.

    Re-raises the exception that an `ApplicationFault` wraps: an unexpected exception is a bug.
    """
    try:
        run()
    except ApplicationFault as fault:
        raise fault.__cause__ or fault from None
    except IbcError as error:
        return f"{error.codespace}/{error.code}"
    return PASSED
