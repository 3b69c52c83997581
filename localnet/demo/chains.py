"""The demo's chains: two chains on one clock, with users and a relayer account on each."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from ibc_module.plugin import Config
from localnet.chain import LocalChain
from localnet.endpoint import GAS_PER_MESSAGE, LocalEndpoint
from localnet.errors import TxNotIncluded
from localnet.settings import Genesis, funded
from pyibc.codec.anys import AnyMessage
from pyibc.core.coin import coin
from pyibc.core.host.block import CommittedBlock
from pyibc.default_plugins import plugins
from pyibc.indexer.blocks.plugin import ExportPlugin
from pyibc.relayer.money.wallet import Wallet

CHAINS = (("alpha-1", "ualpha"), ("beta-1", "ubeta"))
USERS = 5
START_NS = 1_767_225_600_000_000_000
"""2026-01-01T00:00:00Z, the start of the demo's clock, so that every run is identical."""
FEE_DENOM = "stake"
FUNDS = 10**12
BLOCK_NS = 1_200_000_000
"""Time between blocks, nanoseconds."""


class SharedClock:
    """One clock for both chains. Each reading is one block later, which makes runs deterministic."""

    def __init__(self, start_ns: int) -> None:
        self._now_ns = start_ns

    def __call__(self) -> int:
        """Return the time of the next block, unix nanoseconds."""
        self._now_ns += BLOCK_NS
        return self._now_ns


class DemoChain:
    """A chain of the demo with its accounts.

    Args:
        chain_id: Id of the chain.
        denom: Native denomination, apart from that of fees.
        home: Folder of its databases.
        export: Folder of its exported blocks, for the indexer.
        clock: Source of block times.
        users: Number of user accounts.
        protocol: IBC plugins; None for channels with ICS-20.
    """

    def __init__(
        self,
        chain_id: str,
        denom: str,
        home: Path,
        export: Path,
        clock: SharedClock,
        users: int,
        protocol: Sequence[object] | None = None,
    ) -> None:
        self.denom = denom
        self.export = export
        self.users = [Wallet.from_seed(f"{chain_id}/user/{number}", "cosmos") for number in range(users)]
        self.relayer = Wallet.from_seed(f"{chain_id}/relayer", "cosmos")
        holders = [(user.address.text, [coin(denom, FUNDS), coin(FEE_DENOM, FUNDS)]) for user in self.users]
        holders.append((self.relayer.address.text, [coin(FEE_DENOM, FUNDS)]))
        self.exporter = ExportPlugin(export)
        self.chain = LocalChain(
            chain_id,
            home,
            plugins=[*(plugins(Config()) if protocol is None else protocol), self.exporter],
            genesis=Genesis(app_state=funded(holders), validators=4),
            clock=clock,
        )
        self.exporter.fill_from(self.chain.stored_block)
        self.endpoint = LocalEndpoint(self.chain, self.relayer)

    @property
    def chain_id(self) -> str:
        """Chain id of the chain."""
        return self.chain.chain_id

    def send(self, orders: Iterable[tuple[Wallet, Sequence[AnyMessage]]]) -> None:
        """Sign one transaction per order and execute them all in one block.

        Raises:
            TxNotIncluded: CheckTx or the block rejected a transaction.
        """
        for wallet, messages in orders:
            raw = self._sign(wallet, messages)
            checked = self.chain.submit(raw)
            if checked.code:
                raise TxNotIncluded(self.chain_id, checked.log, 0.0)
        for outcome in self.chain.make_block().txs:
            if outcome.code:
                raise TxNotIncluded(self.chain_id, outcome.log, 0.0)

    def _sign(self, wallet: Wallet, messages: Sequence[AnyMessage]) -> bytes:
        account = self.chain.app.pending_account(wallet.address.raw)
        if account is None:
            raise TxNotIncluded(self.chain_id, f"no account {wallet.address.text}", 0.0)
        return wallet.sign_tx(
            messages,
            chain_id=self.chain_id,
            account_number=account.number,
            sequence=account.sequence,
            fee=(coin(FEE_DENOM, 10),),
            gas_limit=GAS_PER_MESSAGE * len(messages),
        )

    def blocks(self) -> list[CommittedBlock]:
        """Return all blocks so far."""
        return [self.chain.block(height) for height in range(1, self.chain.height + 1)]

    def supply(self, denom: str) -> int:
        """Return the total supply of `denom`."""
        return self.chain.app.bank.supply(self.chain.app.query_context(), denom)

    def balance(self, address: bytes, denom: str) -> int:
        """Return an account's balance of `denom`."""
        return self.chain.app.bank.balance(self.chain.app.query_context(), address, denom)

    def close(self) -> None:
        """Close the export and the chain's databases."""
        self.exporter.close()
        self.chain.close()


@contextmanager
def two_chains(
    out: Path, protocol: Callable[[], Sequence[object]] | None = None
) -> Iterator[tuple[DemoChain, DemoChain]]:
    """Open the demo's chains in the folder `out`: state below `chains`, exported blocks below `export`.

    `protocol` returns the IBC plugins of one chain.
    """
    clock = SharedClock(START_NS)
    with ExitStack() as opened:
        a, b = (
            opened.enter_context(
                closing(
                    DemoChain(
                        chain_id,
                        denom,
                        out / "chains" / chain_id,
                        out / "export" / chain_id,
                        clock,
                        USERS,
                        protocol() if protocol else None,
                    )
                )
            )
            for chain_id, denom in CHAINS
        )
        yield a, b
