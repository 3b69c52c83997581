"""A chain behind a CometBFT node's JSON-RPC, as the relayer sees any chain."""

from base64 import b64encode
from collections.abc import Callable, Sequence
from typing import TypeVar

from ibc_core.any_message import AnyMessage
from ibc_core.comet_json.fields import Json, read_base64, write_hex
from ibc_core.comet_json.results import read_tx_result
from ibc_core.errors import TxInMempool
from ibc_core.host.block import CommittedBlock, TxOutcome, tx_hash
from ibc_core.paths import STORE_NAME
from ibc_relayer.accounts import Accounts, Book, Node
from ibc_relayer.endpoint import LightBlock, Proven, Tip
from ibc_relayer.errors import EndpointRefused, EndpointUnavailable, RelayerError
from ibc_relayer.inclusion import Inclusion
from ibc_relayer.offer import Offer
from ibc_relayer.outcomes import in_mempool_terms
from ibc_relayer.packets import EventKey
from ibc_relayer.pool_node import Notice
from ibc_relayer.rpc_account import GasConfig
from ibc_relayer.rpc_blocks import RpcBlocks
from ibc_relayer.rpc_calls import Doubting, Rpc
from ibc_relayer.rpc_client import HttpRpc, RpcConfig
from ibc_relayer.rpc_index import find_event
from ibc_relayer.rpc_pool import RpcPool
from ibc_relayer.rpc_proofs import STORE_QUERY, RpcProofs, question, response_of
from ibc_relayer.rpc_read import DoubtingQuery, read_answer
from ibc_relayer.submission import refused_for
from ibc_relayer.wallet import Wallet

_V = TypeVar("_V")


class RpcEndpoint:
    """A chain, and the account that signs and pays there."""

    def __init__(
        self,
        rpc: Rpc,
        wallet: Wallet | Sequence[Wallet],
        *,
        gas: GasConfig = GasConfig(),  # noqa: B008 - a value
        config: RpcConfig = RpcConfig(),  # noqa: B008 - a value
        ledger: Book | None = None,
    ) -> None:
        """Queries the node's chain id.

        Of several wallets the first signs what only one account may send; all take turns with packets. The
        ledger is told of every transaction, and of every block that is read.

        Raises:
            EndpointUnavailable: the node does not answer.
        """
        self._rpc = rpc
        self._config = config
        self._blocks = RpcBlocks(rpc, config)
        self._chain_id, self._encoded = self._blocks.chain_id, self._blocks.encoded
        wallets = wallet if isinstance(wallet, Sequence) else (wallet,)
        self._accounts = Accounts(wallets, self._chain_id, gas, ledger)
        self._ledger = ledger
        self._proofs = RpcProofs(rpc, self._chain_id, config.parallel)
        self.when_sent: Callable[[], None] = lambda: None
        """Called when the mempool has taken a transaction, in the thread that submits it."""

    @classmethod
    def connect(
        cls,
        urls: str | Sequence[str],
        wallet: Wallet | Sequence[Wallet],
        gas: GasConfig,
        config: RpcConfig,
        *,
        ledger: Book | None = None,
        chain_id: str = "",
        tell: Callable[[Notice], None] = lambda _notice: None,
    ) -> "RpcEndpoint":
        """The endpoint of the node at a URL, or of several nodes of one chain (`rpc_pool.py`).

        Of several nodes those of another chain than `chain_id` are not used; "": than the first that answers.
        `tell` hears of nodes that do not answer, come back, lie or are of another chain. The rest as in the
        constructor.

        Raises:
            EndpointUnavailable: no node answers.
            ValueError: there is no URL, or one is no HTTP URL.
        """
        several = [urls] if isinstance(urls, str) else list(urls)
        if not several:
            raise ValueError("a chain needs the URL of a node")
        rpc: Rpc = HttpRpc(several[0], config)
        if len(several) > 1:
            rpc = RpcPool.over(several, chain_id=chain_id, config=config, tell=tell)
        return cls(rpc, wallet, gas=gas, config=config, ledger=ledger)

    def close(self) -> None:
        """Closes the connections."""
        self._rpc.close()

    @property
    def chain_id(self) -> str:
        """The chain's id."""
        return self._chain_id

    @property
    def signer(self) -> str:
        """The account's address."""
        return self._accounts.address

    @property
    def signers(self) -> tuple[str, ...]:
        """The addresses of all accounts, `signer` first."""
        return self._accounts.addresses

    def tip(self) -> Tip:
        """The last block whose state is committed and whose results can be read."""
        height = self._blocks.last_height()
        return Tip(height, self._blocks.time_ns(height))

    def last_height(self) -> int:
        """Height of the last block whose state is committed."""
        return self._blocks.last_height()

    @property
    def is_watched(self) -> bool:
        """Yes."""
        return True

    def height_after(self, known: int) -> int:
        """The last height once it is another than `known`, or after a while."""
        return self._blocks.watch.after(known)

    @property
    def signed_height(self) -> int:
        """The last height whose header came before anybody asked for it; it may not be executed yet."""
        return self._blocks.signed_height

    @property
    def highest_block(self) -> int:
        """Of the blocks that were read here; 0: none was."""
        return self._blocks.highest

    def has_block(self, height: int) -> bool:
        """Whether `block` answers without asking the node."""
        return self._blocks.has(height)

    def block(self, height: int) -> CommittedBlock:
        """A committed block with its events.

        Raises:
            EndpointRefused: the node has no such block (yet, or any more).
        """
        block = self._blocks.block(height)
        if self._ledger is not None:
            self._ledger.observe(block)
        return block

    def forget(self) -> None:
        """Drops the blocks that are kept: they are asked for again."""
        self._blocks.forget()

    def light_block(self, height: int) -> LightBlock:
        """Header, commit and validators of `height`.

        Raises:
            EndpointRefused: the node has no such block (yet, or any more).
        """
        return self._blocks.light_block(height)

    def get(self, key: bytes, store: str = STORE_NAME) -> bytes | None:
        """The value of a key in the node's last state; None if absent."""
        answer = self._query(STORE_QUERY.format(store=store), key)
        return self._read("abci_query", lambda: read_base64(answer["value"])) or None

    def prove(self, key: bytes, height: int, store: str = STORE_NAME) -> Proven:
        """The value of a key after block `height`, with its proof.

        Raises:
            EndpointRefused: the node does not keep the state of that height.
        """
        return self._proofs.one(key, height, store)

    def prove_many(self, keys: Sequence[bytes], height: int) -> list[Proven | RelayerError]:
        """`prove` of each key of the IBC store; the error where it fails."""
        return self._proofs.many(keys, height)

    def grpc(self, path: str, request: bytes) -> bytes:
        """The response to a gRPC query, made as an ABCI query.

        Raises:
            EndpointRefused: the chain does not serve the query, or refuses it.
        """
        answer = self._query(path, request)
        return self._read(path, lambda: read_base64(answer["value"]))

    def doubt(self, error: RelayerError) -> None:
        """Tells a pool that the last answer of this thread is none."""
        if isinstance(self._rpc, Doubting):
            self._rpc.doubt(error)

    def submit(self, messages: Sequence[AnyMessage]) -> TxOutcome:
        """Signs and broadcasts one transaction of `messages`, and waits until it is included in a block.

        Returns:
            Its result in the block; that of CheckTx if CheckTx refused it, or of the simulation by which it
            would fail, in which case it was not sent.

        Raises:
            EndpointUnavailable: no answer, or not included in time: it may still be included.
        """
        before = self._blocks.watch.lately()
        asked = DoubtingQuery(self.grpc, self.doubt)
        sent = self._accounts.broadcast(messages, Node(asked, self._broadcast, before))
        if sent.refusal is not None:
            return sent.refusal
        self.when_sent()
        search = Inclusion(self._blocks, sent.raw, before + 1)
        outcome = None
        try:
            outcome = self._poll(search.look, f"no block with {write_hex(tx_hash(sent.raw))}")
        finally:
            self._accounts.done(sent, outcome)
        return outcome

    def offer(self) -> Offer:
        """What is paid now (`ibc_relayer.offer`). Raises as the price does."""
        return self._accounts.offer(DoubtingQuery(self.grpc, self.doubt))

    def find(self, key: EventKey) -> int | None:
        """Height of a block with a packet event, by the node's index; None: it does not tell."""
        return find_event(self._rpc, self._chain_id, key)

    def wait(self, height: int) -> None:
        """Returns when block `height` is committed.

        Raises:
            EndpointUnavailable: it was not, in time.
        """
        self._poll(lambda: True if self._blocks.last_height() >= height else None, f"no block {height}")

    # -- inside

    def _query(self, path: str, data: bytes) -> Json:
        asked = question(path, data)
        said = self._rpc.call(asked.method, **asked.params)
        return response_of(self._chain_id, said, path, self._rpc, proves=False)

    def _broadcast(self, raw: bytes) -> TxOutcome:
        """CheckTx's answer; what precedes CheckTx has the code that the SDK's client would give it."""
        try:
            answer = self._rpc.call("broadcast_tx_sync", tx=b64encode(raw).decode())
        except EndpointRefused as error:
            known = in_mempool_terms(error)
            if known is None:
                raise EndpointUnavailable(self._chain_id, str(error)) from error
            outcome = TxOutcome(raw, known[1], known[0], (), 0, 0, b"", error.reason)
        else:
            outcome = self._read(
                "broadcast_tx_sync", lambda: read_tx_result(raw, answer, encoded=self._encoded)
            )
        return outcome._replace(code=0) if refused_for(outcome, TxInMempool) else outcome

    def _poll(self, look: Callable[[], _V | None], failure: str) -> _V:
        for _ in range(max(1, round(self._config.inclusion_s / self._config.poll_s))):
            found = look()
            if found is not None:
                return found
            self._config.sleep(self._config.poll_s)
        raise EndpointUnavailable(self._chain_id, f"{failure} within {self._config.inclusion_s:g} s")

    def _read(self, query: str, reader: Callable[[], _V]) -> _V:
        return read_answer(self._chain_id, query, reader, self._rpc)
