"""An in-process chain as a relayer's endpoint (`ibc_relayer.endpoint.ChainEndpoint`)."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from iavl import IavlError
from ibc_core.any_message import AnyMessage
from ibc_core.coin import Coin
from ibc_core.host.block import CommittedBlock, TxOutcome, tx_hash
from ibc_core.paths import STORE_NAME
from ibc_relayer.endpoint import LightBlock, Proven, Tip
from ibc_relayer.errors import EndpointRefused, EndpointUnavailable
from ibc_relayer.wallet import Wallet
from localnet.chain import LocalChain
from localnet.errors import BlockPruned, ChainHalted, NoSuchBlock, UnknownSigner

GAS_PER_MESSAGE = 2_000_000
GAS_PER_BYTE = 100
"""Sufficient for any message of the IBC module. Gas is only a limit here; fees do not depend on it."""


class LocalEndpoint:
    """A chain, and the wallet that signs and pays for transactions.

    Args:
        chain: The chain.
        wallet: Signs and pays; its account must exist on the chain.
        on_demand: Whether `submit` makes the block for its transaction; otherwise it waits for one.
        fee: The fee of every transaction.
        timeout_s: How long `submit` and `wait` wait for a block, seconds.
    """

    def __init__(
        self,
        chain: LocalChain,
        wallet: Wallet,
        *,
        on_demand: bool = True,
        fee: Sequence[Coin] = (),
        timeout_s: float = 30.0,
    ) -> None:
        self.chain = chain
        self.wallet = wallet
        self._on_demand = on_demand
        self._fee = tuple(fee)
        self._timeout_s = timeout_s

    @property
    def chain_id(self) -> str:
        """The chain's id."""
        return self.chain.chain_id

    @property
    def signer(self) -> str:
        """The wallet's address."""
        return self.wallet.address.text

    def tip(self) -> Tip:
        """The last committed block."""
        return self.chain.tip()

    def block(self, height: int) -> CommittedBlock:
        """A committed block with its events; raises EndpointRefused if there is none."""
        with self._answers(f"block {height}"):
            return self.chain.block(height)

    def light_block(self, height: int) -> LightBlock:
        """Header, commit and validators of `height`; raises EndpointRefused if there is no such block."""
        with self._answers(f"light block {height}"):
            return self.chain.light_block(height)

    def get(self, key: bytes, store: str = STORE_NAME) -> bytes | None:
        """The value at `key` of a store after the last block, or None."""
        return self.chain.get(key, store)

    def prove(self, key: bytes, height: int, store: str = STORE_NAME) -> Proven:
        """The value at `key` after block `height`, with a proof against header `height + 1`.

        Raises:
            EndpointRefused: the state has been pruned, or the store is empty.
        """
        with self._answers(f"proof at {height}"):
            return self.chain.prove(key, height, store)

    def grpc(self, path: str, request: bytes) -> bytes:
        """A gRPC query on the state after the last block; raises IbcError."""
        return self.chain.grpc(path, request)

    def submit(self, messages: Sequence[AnyMessage]) -> TxOutcome:
        """Signs a transaction of `messages` and waits until it is in a block.

        Returns:
            Its outcome in the block, or the result of CheckTx if that rejected it.

        Raises:
            UnknownSigner: the wallet has no account on the chain.
            EndpointUnavailable: it was not included in time, or the chain has halted.
        """
        with self._answers("transaction"), self.chain.lock:
            raw = self._sign(messages)
            checked = self.chain.submit(raw)
            if checked.code:
                return checked
            if self._on_demand:
                self.chain.make_block()
        return self._outcome(raw)

    def wait(self, height: int) -> None:
        """Waits until block `height` is committed; in on-demand mode, makes the missing blocks.

        Raises:
            EndpointUnavailable: the block was not made in time, or the chain has halted.
        """
        with self._answers(f"block {height}"), self.chain.lock:
            while self._on_demand and self.chain.height < height:
                self.chain.make_block()
            if not self.chain.committed.wait_for(lambda: self.chain.height >= height, self._timeout_s):
                raise self._late(f"block {height}")

    def _sign(self, messages: Sequence[AnyMessage]) -> bytes:
        account = self.chain.app.pending_account(self.wallet.address.raw)
        if account is None:
            raise UnknownSigner(self.chain_id, self.signer)
        return self.wallet.sign_tx(
            messages,
            chain_id=self.chain_id,
            account_number=account.number,
            sequence=account.sequence,
            fee=self._fee,
            gas_limit=_gas(messages),
        )

    def _outcome(self, raw: bytes) -> TxOutcome:
        digest, chain = tx_hash(raw), self.chain
        with chain.lock:
            if chain.committed.wait_for(lambda: chain.find_tx(digest) is not None, self._timeout_s):
                found = chain.find_tx(digest)
                if found is not None:
                    return found[1]
        raise self._late(f"transaction {digest.hex().upper()}")

    def _late(self, what: str) -> EndpointUnavailable:
        return EndpointUnavailable(self.chain_id, f"{what} not committed within {self._timeout_s:g} s")

    @contextmanager
    def _answers(self, query: str) -> Iterator[None]:
        """Converts the chain's errors to those of the relayer."""
        try:
            yield
        except ChainHalted as error:
            raise EndpointUnavailable(self.chain_id, str(error)) from error
        except (NoSuchBlock, BlockPruned, IavlError) as error:
            raise EndpointRefused(self.chain_id, query, str(error)) from error


def _gas(messages: Sequence[AnyMessage]) -> int:
    """A gas limit that grows with the size: one message may carry many packets."""
    by_size = GAS_PER_BYTE * sum(len(message.value) for message in messages)
    return max(GAS_PER_MESSAGE * max(1, len(messages)), by_size)
