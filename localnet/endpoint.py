"""An in-process chain as a relayer's endpoint (`pyibc.relayer.chain.endpoint.ChainEndpoint`)."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from iavl import IavlError
from localnet.chain import LocalChain
from localnet.errors import BlockPruned, ChainHalted, NoSuchBlock, UnknownSigner
from pyibc.codec.anys import AnyMessage
from pyibc.core.coin import Coin
from pyibc.core.host.block import CommittedBlock, TxOutcome, tx_hash
from pyibc.core.paths import STORE_NAME
from pyibc.relayer.chain.endpoint import NO_EXTRAS
from pyibc.relayer.chain.values import LightBlock, Proven, Tip
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable
from pyibc.relayer.money.wallet import Wallet

GAS_PER_MESSAGE = 2_000_000
GAS_PER_BYTE = 100
"""Gas limit per message and per byte, sufficient for any IBC message; fees do not depend on it."""


class LocalEndpoint:
    """A chain, and the wallet that signs and pays for transactions.

    Args:
        chain: The chain.
        wallet: Signer and fee payer; its account must exist on the chain.
        on_demand: Make a block for each submitted transaction; otherwise wait for one.
        fee: Fee of every transaction.
        timeout_s: Timeout of `submit` and `wait` for a block, seconds.
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

    extras = NO_EXTRAS

    @property
    def chain_id(self) -> str:
        """Chain id of the chain."""
        return self.chain.chain_id

    @property
    def signer(self) -> str:
        """Address of the wallet."""
        return self.wallet.address.text

    def tip(self) -> Tip:
        """Return height and time of the last committed block."""
        return self.chain.tip()

    def block(self, height: int) -> CommittedBlock:
        """Return a committed block with its events; raise EndpointRefused if there is none."""
        with self._answers(f"block {height}"):
            return self.chain.block(height)

    def light_block(self, height: int) -> LightBlock:
        """Return header, commit and validators of `height`; raise EndpointRefused if the block is missing."""
        with self._answers(f"light block {height}"):
            return self.chain.light_block(height)

    def get(self, key: bytes, store: str = STORE_NAME) -> bytes | None:
        """Return the value at `key` of a store after the last block, or None."""
        return self.chain.get(key, store)

    def prove(self, key: bytes, height: int, store: str = STORE_NAME) -> Proven:
        """Return the value at `key` after block `height`, with a proof against header `height + 1`.

        Raises:
            EndpointRefused: the state has been pruned, or the store is empty.
        """
        with self._answers(f"proof at {height}"):
            return self.chain.prove(key, height, store)

    def grpc(self, path: str, request: bytes) -> bytes:
        """Run a gRPC query on the state after the last block; raise IbcError."""
        return self.chain.grpc(path, request)

    def submit(self, messages: Sequence[AnyMessage]) -> TxOutcome:
        """Sign a transaction of `messages` and wait until it is in a block.

        Returns:
            Outcome in the block, or the result of CheckTx if that rejected the transaction.

        Raises:
            UnknownSigner: the wallet has no account on the chain.
            EndpointUnavailable: the transaction was not included in time, or the chain has halted.
        """
        with self._answers("transaction"), self.chain.lock:
            raw = self._sign(messages)
            before = self.chain.blocks.find_tx(tx_hash(raw))
            checked = self.chain.submit(raw)
            if checked.code:
                return checked
            if self._on_demand:
                self.chain.make_block()
        return self._outcome(raw, before)

    def wait(self, height: int) -> None:
        """Wait until block `height` is committed; in on-demand mode, make the missing blocks.

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

    def _outcome(self, raw: bytes, before: tuple[int, int] | None) -> TxOutcome:
        """Wait for the outcome of a transaction that may have failed at the position `before` already."""
        digest, chain = tx_hash(raw), self.chain
        with chain.lock:
            # guard: h272-an-earlier-run-is-told-to-a-relayer {chain.has_new_run(digest, before) =>
            #   chain.find_tx(digest) is not None} test_h272_a_relayer_is_told_of_the_run_that_it_waited_for
            if chain.committed.wait_for(lambda: chain.has_new_run(digest, before), self._timeout_s):
                found = chain.find_tx(digest)
                if found is not None:
                    return found[1]
        raise self._late(f"transaction {digest.hex().upper()}")

    def _late(self, what: str) -> EndpointUnavailable:
        return EndpointUnavailable(self.chain_id, f"{what} not committed within {self._timeout_s:g} s")

    @contextmanager
    def _answers(self, query: str) -> Iterator[None]:
        """Convert the chain's errors to those of the relayer."""
        try:
            yield
        except ChainHalted as error:
            raise EndpointUnavailable(self.chain_id, str(error)) from error
        except (NoSuchBlock, BlockPruned, IavlError) as error:
            raise EndpointRefused(self.chain_id, query, str(error)) from error


def _gas(messages: Sequence[AnyMessage]) -> int:
    """Return a gas limit that grows with the size: one message may carry many packets."""
    by_size = GAS_PER_BYTE * sum(len(message.value) for message in messages)
    return max(GAS_PER_MESSAGE * max(1, len(messages)), by_size)
