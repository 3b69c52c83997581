"""A chain as it stood before one of its blocks: transactions and queries are tried there, nothing stays.

What a node keeps between transactions is new for each try, so that no try learns from another.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from conformance.fuzz.case import Attack, open_attack
from ibc_core.address import Address
from ibc_core.any_message import AnyMessage
from ibc_core.crypto.secp256k1 import PrivateKey
from ibc_core.errors import ApplicationFault, IbcError
from ibc_core.host.block import TxOutcome
from ibc_core.host.overlay import BlockContext
from ibc_core.wire.tx import decode_tx
from ibc_relayer.wallet import Wallet, seed_key
from localnet.blockstore import BlockRecord
from localnet.chain import LocalChain
from localnet.host.ante import Ante, AnteKeepers
from localnet.host.historical_store import HistoricalStore
from localnet.host.runner import TxRunner
from localnet.host.signature_cache import SignatureCache

PASSED = "ok"

GAS = 2**62
"""More than anything can use, so that gas ends no try."""


def recorded(chain: LocalChain) -> Iterator[tuple[int, AnyMessage]]:
    """Every message that a chain has executed, with the height of its block."""
    for height in range(1, chain.height + 1):
        for outcome in chain.block(height).txs:
            if not outcome.code:
                for message in decode_tx(outcome.tx).messages:
                    yield height, message


class Stage:
    """Block `height` of a chain, without its transactions."""

    def __init__(self, chain: LocalChain, height: int, wallets: Mapping[str, Wallet]) -> None:
        """`wallets`: by address, of the accounts that sign here."""
        self.chain = chain
        self.height = height
        self._wallets = wallets
        self._going: BlockContext | None = None
        self.addresses = tuple(wallets)

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """Within it, each transaction finds what those before it have left: they stand in one block."""
        self._going = self.context()
        try:
            yield
        finally:
            self._going = None

    @property
    def time_ns(self) -> int:
        """The block's time."""
        return self._record().header.time_ns

    @property
    def next_validators_hash(self) -> bytes:
        """What the block's header says of the next validators."""
        return self._record().header.next_validators_hash

    def _record(self) -> BlockRecord:
        return self.chain.record(min(self.height, self.chain.height))

    def context(self) -> BlockContext:
        """The block, begun; where transactions go on, as the last one has left it."""
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
        """What executes transactions, with nothing in its caches."""
        app = self.chain.app
        keepers = AnteKeepers(app.accounts, app.bank, app.addresses, SignatureCache())
        return TxRunner(app.config, app.pipeline, Ante(app.config, keepers), app.addresses)

    def signed(self, ctx: BlockContext, messages: list[AnyMessage], signer: str, **more: Any) -> bytes:
        """A transaction that `signer` has signed; one of no account here is signed by another."""
        wallet = self._wallets.get(signer) or next(iter(self._wallets.values()))
        account = self.chain.app.accounts.get(ctx, wallet.address.raw)
        number, sequence = (account.number, account.sequence) if account else (0, 0)
        told = {"chain_id": self.chain.chain_id, "account_number": number, "sequence": sequence}
        return wallet.sign_tx(messages, **{**told, "gas_limit": GAS, **more})

    def payer(self) -> tuple[PrivateKey, Address]:
        """The key and the address of an account with coins."""
        wallet = next(iter(self._wallets.values()))
        return PrivateKey(seed_key(f"relayer/{self.chain.chain_id}")), wallet.address

    def delivery(self, raw: bytes) -> Attack:
        """A transaction in a block."""
        runner, ctx = self.runner(), self.context()
        inside = partial(_executed, runner, ctx, raw)
        return Attack(len(raw), partial(_door, runner, raw), inside, raw)

    def admission(self, raw: bytes) -> Attack:
        """A transaction at the mempool's door."""
        runner, ctx = self.runner(), self.context()
        run = partial(runner.check, ctx, raw, recheck=False)
        return Attack(len(raw), lambda: verdict_of(run()), lambda: PASSED)

    def simulation(self, raw: bytes) -> Attack:
        """A transaction whose gas is asked for: nobody signs or pays."""
        runner, ctx = self.runner(), self.context()
        return open_attack(len(raw), lambda: verdict_of(runner.simulate(ctx, raw)))

    def message(self, type_url: str, value: bytes) -> Attack:
        """A message that no account may sign, as governance executes it."""
        ctx, route = self.context(), self.chain.app.pipeline.messages()[type_url]

        def run() -> None:
            with ctx.branch():
                route.deliver(ctx, route.decode(value))

        return open_attack(len(value), lambda: tried(run))

    def query(self, path: str, data: bytes, *, prove: bool = False) -> Attack:
        """An ABCI Query of the last state."""

        def run() -> str:
            answer = self.chain.app.query(path, data, prove=prove)
            return _verdict(answer.codespace, answer.code)

        return open_attack(len(path) + len(data), run)


def _door(runner: TxRunner, raw: bytes) -> str | None:
    """What a transaction costs before its signatures; what it decodes to is kept for its execution."""
    found = tried(lambda: runner.decode(raw))
    return None if found == PASSED else found


def _executed(runner: TxRunner, ctx: BlockContext, raw: bytes) -> str:
    return verdict_of(runner.deliver(ctx, raw))


def verdict_of(outcome: TxOutcome) -> str:
    """`codespace/code`, or `PASSED`.

    Raises:
        RuntimeError: it is an `ApplicationFault`, a bug of ours.
    """
    return _verdict(outcome.codespace, outcome.code)


def _verdict(codespace: str, code: int) -> str:
    if (codespace, code) == (ApplicationFault.codespace, ApplicationFault.code):
        raise RuntimeError("an error that nobody foresaw: the node's log has it")
    return f"{codespace}/{code}" if code else PASSED


def tried(run: Callable[[], object]) -> str:
    """The verdict on what `run` reads: its error, or `PASSED`.

    Raises what the border made an `ApplicationFault` of: a refusal that nobody foresaw is a bug of ours.
    """
    try:
        run()
    except ApplicationFault as fault:
        raise fault.__cause__ or fault from None
    except IbcError as error:
        return f"{error.codespace}/{error.code}"
    return PASSED
