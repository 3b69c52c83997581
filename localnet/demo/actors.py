"""Who takes part in the demo: two chains under one clock, their users and a relayer's account on each."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ibc_module.core.block import CommittedBlock, TxOutcome
from ibc_module.core.coin import coin
from ibc_module.core.height import Height
from ibc_module.core.messages import AnyMessage
from ibc_module.core.transfer import MsgTransfer
from ibc_module.indexer.plugin import ExportPlugin
from ibc_module.plugin import Config, plugins
from ibc_module.relayer.wallet import Wallet
from ibc_module.wire.messages.transfer import TRANSFER, encode_transfer
from localnet.chain import LocalChain
from localnet.endpoint import GAS_PER_MESSAGE, LocalEndpoint
from localnet.errors import TxNotIncluded
from localnet.genesis import Genesis, funded

FEE_DENOM = "stake"
FUNDS = 10**12
BLOCK_NS = 1_200_000_000
"""What a block moves the clock by."""


class SharedClock:
    """One time for both chains: each reading is a block later, so that a run is the same every time."""

    def __init__(self, start_ns: int) -> None:
        self._now_ns = start_ns

    def __call__(self) -> int:
        """Unix nanoseconds of the next block."""
        self._now_ns += BLOCK_NS
        return self._now_ns


class Transfer(NamedTuple):
    """One transfer that a user wants to make."""

    denom: str
    amount: int
    receiver: str
    timeout_height: Height
    timeout_ns: int = 0
    memo: str = ""


class DemoChain:
    """A chain of the demo with its people."""

    def __init__(
        self, chain_id: str, denom: str, home: Path, export: Path, clock: SharedClock, users: int
    ) -> None:
        """`home` holds the chain's databases, `export` its blocks for the indexer."""
        self.denom = denom
        self.users = [Wallet.from_seed(f"{chain_id}/user/{number}", "cosmos") for number in range(users)]
        self.relayer = Wallet.from_seed(f"{chain_id}/relayer", "cosmos")
        holders = [(user.address.text, [coin(denom, FUNDS), coin(FEE_DENOM, FUNDS)]) for user in self.users]
        holders.append((self.relayer.address.text, [coin(FEE_DENOM, FUNDS)]))
        self.exporter = ExportPlugin(export)
        self.chain = LocalChain(
            chain_id,
            home,
            plugins=[*plugins(Config()), self.exporter],
            genesis=Genesis(app_state=funded(holders), validators=4),
            clock=clock,
        )
        self.endpoint = LocalEndpoint(self.chain, self.relayer)

    @property
    def chain_id(self) -> str:
        """The chain's id."""
        return self.chain.chain_id

    def send(self, channel_id: str, orders: Sequence[tuple[Wallet, Sequence[Transfer]]]) -> list[TxOutcome]:
        """One signed transaction a user, all in one block; returns what came of each.

        Raises:
            TxNotIncluded: the mempool refused one.
        """
        for wallet, transfers in orders:
            raw = self._sign(wallet, [_message(wallet, channel_id, each) for each in transfers])
            checked = self.chain.submit(raw)
            if checked.code:
                raise TxNotIncluded(self.chain_id, checked.log, 0.0)
        return list(self.chain.make_block().txs)

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
        """Every block so far."""
        return [self.chain.block(height) for height in range(1, self.chain.height + 1)]

    def close(self) -> None:
        """Lets go of the disk."""
        self.exporter.close()
        self.chain.close()


def _message(wallet: Wallet, channel_id: str, order: Transfer) -> AnyMessage:
    msg = MsgTransfer(
        "transfer",
        channel_id,
        order.denom,
        str(order.amount),
        wallet.address.text,
        order.receiver,
        order.timeout_height,
        order.timeout_ns,
        order.memo,
    )
    return AnyMessage(TRANSFER, encode_transfer(msg))
