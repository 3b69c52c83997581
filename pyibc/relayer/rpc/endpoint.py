"""Chain endpoint over the JSON-RPC of one or several CometBFT nodes."""

from base64 import b64encode
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from pyibc.codec.anys import AnyMessage
from pyibc.codec.comet_json import Json, read_base64, read_integer, write_hex
from pyibc.core.comet import read_tx_result
from pyibc.core.errors import TxInMempool
from pyibc.core.host.block import CommittedBlock, TxOutcome, tx_hash
from pyibc.core.paths import STORE_NAME
from pyibc.relayer.chain.endpoint import EndpointExtras
from pyibc.relayer.chain.simulation import Simulator
from pyibc.relayer.chain.values import LightBlock, Proven, Query, Tip
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, RelayerError
from pyibc.relayer.links.outcomes import Action, action_of, in_mempool_terms, refused_for
from pyibc.relayer.money.account import GasConfig
from pyibc.relayer.money.accounts import SigningAccounts, TxLog
from pyibc.relayer.money.fees import Offer
from pyibc.relayer.money.refusals import NodeAccess
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.packets.packets import EventKey
from pyibc.relayer.paths.path import EndName
from pyibc.relayer.rpc.blocks import RpcBlocks
from pyibc.relayer.rpc.calls import Rpc, abci_query_call
from pyibc.relayer.rpc.client import RpcConfig
from pyibc.relayer.rpc.opinions import PoolOpinions
from pyibc.relayer.rpc.pool import RpcPool
from pyibc.relayer.rpc.pool_node import Notice
from pyibc.relayer.rpc.proofs import STORE_QUERY, RpcProofs, abci_response
from pyibc.relayer.rpc.reading import read_answer
from pyibc.relayer.rpc.transactions import FoundTx, find_event, find_tx

# -- search for a transaction in the blocks after its broadcast; works with `indexer = "null"`


class InclusionSearch:
    """Search for one transaction."""

    def __init__(self, blocks: RpcBlocks, tx: bytes, first: int) -> None:
        """Start at block `first`, the one after the last block before the broadcast."""
        self._blocks = blocks
        self._tx = tx
        self._next = first
        self.height = 0
        """Height of the block that includes the transaction; 0: none yet."""

    def poll(self) -> TxOutcome | None:
        """Read the blocks committed since the last call; return the result if one includes the transaction.

        Raises:
            EndpointUnavailable, EndpointRefused, MalformedAnswer: a block cannot be read.
        """
        tip = self._blocks.last_height()
        try:
            while self._next <= tip:
                found = self._in_block(self._next)
                if found is not None:
                    self.height = self._next
                    return found
                self._next += 1
        except EndpointRefused as error:
            if action_of(error) is not Action.OTHER_BACKEND:
                raise  # a lagging node behind the same URL; try again later
        return None

    def _in_block(self, height: int) -> TxOutcome | None:
        block = self._blocks.block_with_tx(height, self._tx)
        return block and next(each for each in block.txs if each.tx == self._tx)


# -- the endpoint


_V = TypeVar("_V")


class RpcEndpoint:
    """Chain endpoint over JSON-RPC, with the accounts that sign and pay on the chain."""

    def __init__(
        self,
        rpc: Rpc,
        wallet: Wallet | Sequence[Wallet],
        *,
        gas: GasConfig = GasConfig(),  # noqa: B008 - a value
        config: RpcConfig = RpcConfig(),  # noqa: B008 - a value
        ledger: TxLog | None = None,
        pool: RpcPool | None = None,
    ) -> None:
        """Query the node's chain id.

        The first of several wallets signs messages that must come from one account; packet messages rotate
        through all. The ledger records each transaction, and observes each block that is read. `pool` is
        `rpc` itself if it is one, whose nodes are then asked for second opinions.

        Raises:
            EndpointUnavailable: the node does not answer.
        """
        self._rpc = rpc
        self._config = config
        self._blocks = RpcBlocks(rpc, config)
        self._chain_id = self._blocks.chain_id
        wallets = wallet if isinstance(wallet, Sequence) else (wallet,)
        queries = config.node_queries
        simulator = Simulator(None if queries is None else queries.gas())
        self._accounts = SigningAccounts(wallets, self._chain_id, gas, ledger, config.clock, simulator)
        self._ledger = ledger
        self._proofs = RpcProofs(
            rpc, self._chain_id, config.parallel, None if queries is None else queries.proofs(self._chain_id)
        )
        self._notify_sent: Callable[[], None] = lambda: None
        self._opinions = None
        if pool is not None:
            self._opinions = PoolOpinions(self._chain_id, pool, self.query_by, self.broadcast_by)
        self.extras = self._declared(pool)

    @classmethod
    def connect(
        cls,
        urls: str | Sequence[str],
        wallet: Wallet | Sequence[Wallet],
        gas: GasConfig,
        config: RpcConfig,
        *,
        ledger: TxLog | None = None,
        chain_id: str = "",
        tell: Callable[[Notice], None] = lambda _notice: None,
    ) -> "RpcEndpoint":
        """Create an endpoint for a pool of one or several nodes of one chain (`pool.py`).

        Args:
            urls: URLs of the nodes.
            wallet: as in the constructor.
            gas: as in the constructor.
            config: as in the constructor.
            ledger: as in the constructor.
            chain_id: nodes with another chain id are not used; "": that of the first node that answers.
            tell: called with each event of a node: down, back, malformed answer, difference, dropped.

        Raises:
            EndpointUnavailable: no node answers.
            ValueError: the list of URLs is empty, or one is not an HTTP URL.
        """
        several = [urls] if isinstance(urls, str) else list(urls)
        if not several:
            raise ValueError("no node URL given: a chain needs at least one")
        rpc = RpcPool.over(several, chain_id=chain_id, config=config, report=tell)
        return cls(rpc, wallet, gas=gas, config=config, ledger=ledger, pool=rpc)

    def close(self) -> None:
        """Close the connections."""
        self._rpc.close()

    @property
    def chain_id(self) -> str:
        """Chain id."""
        return self._chain_id

    @property
    def signer(self) -> str:
        """Bech32 address of the first account."""
        return self._accounts.address

    def tip(self) -> Tip:
        """Return the last block whose state is committed and whose results are available."""
        height = self._blocks.last_height()
        return Tip(height, self._blocks.time_ns(height))

    def last_height(self) -> int:
        """Return the height of the last block whose state is committed."""
        return self._blocks.last_height()

    def height_after(self, known: int, *, relaxed: bool = False) -> int:
        """Wait until the last height is not `known`, or for some seconds; return it.

        `relaxed`: ask less often, since nobody is in a hurry.
        """
        return self._blocks.watch.wait_for_change(known, relaxed=relaxed)

    @property
    def signed_height(self) -> int:
        """Height of the last prefetched light block, which may not be executed yet; 0: none."""
        return self._blocks.signed_height

    @property
    def highest_block(self) -> int:
        """Height of the highest block read since the last `forget`; 0: none."""
        return self._blocks.highest

    def has_block(self, height: int) -> bool:
        """Return whether `block` would answer from the cache."""
        return self._blocks.is_cached(height)

    def block(self, height: int) -> CommittedBlock:
        """Return a committed block with its events.

        Raises:
            EndpointRefused: the block does not exist yet, or is pruned.
        """
        block = self._blocks.block(height)
        if self._ledger is not None:
            self._ledger.observe(block)
        return block

    def light_block(self, height: int) -> LightBlock:
        """Return header, commit and validators at `height`.

        Raises:
            EndpointRefused: the block does not exist yet, or is pruned.
        """
        return self._blocks.light_block(height)

    def get(self, key: bytes, store: str = STORE_NAME) -> bytes | None:
        """Return the value of a key after the node's last block, without proof; None if absent."""
        answer = self._query(STORE_QUERY.format(store=store), key)
        return self._read("abci_query", lambda: read_base64(answer["value"])) or None

    def prove(self, key: bytes, height: int, store: str = STORE_NAME) -> Proven:
        """Return the value of a key after block `height`, with proof against header `height + 1`.

        Raises:
            EndpointRefused: the node has pruned the state of that height.
        """
        return self._proofs.prove(key, height, store)

    def prove_many(self, keys: Sequence[bytes], height: int) -> list[Proven | RelayerError]:
        """Return the result of `prove` for each key of the IBC store, or its error."""
        return self._proofs.prove_many(keys, height)

    def grpc(self, path: str, request: bytes) -> bytes:
        """Make a gRPC query as an ABCI query, and return the encoded response.

        Raises:
            EndpointRefused: the chain does not support the query, or refuses it.
        """
        answer = self._query(path, request)
        return self._read(path, lambda: read_base64(answer["value"]))

    def submit(self, messages: Sequence[AnyMessage]) -> TxOutcome:
        """Return the outcome of `submit_located`. Raises as that."""
        return self.submit_located(messages).outcome

    def submit_located(self, messages: Sequence[AnyMessage]) -> FoundTx:
        """Sign and broadcast one transaction of `messages`, and wait until it is included in a block.

        Returns:
            The result in the block. With height 0, that of CheckTx if refused there; that of the simulation
            if it fails, in which case the transaction is not broadcast.

        Raises:
            EndpointUnavailable: no answer, or not included in time; it may still be included.
        """
        before = self._blocks.watch.recent()
        query = Query(self.grpc, self._rpc.report_malformed)
        broadcast = partial(self.broadcast_by, self._rpc)
        node = NodeAccess(query, broadcast, before, self._opinions, self._max_gas)
        sent = self._accounts.broadcast(messages, node)
        if sent.refusal is not None:
            return FoundTx(0, sent.refusal)
        self._notify_sent()
        search = InclusionSearch(self._blocks, sent.raw, before + 1)
        outcome = None
        try:
            outcome = self._poll(search.poll, f"no block with {write_hex(tx_hash(sent.raw))}")
        finally:
            self._accounts.done(sent, outcome)
        return FoundTx(search.height, outcome)

    def offer(self) -> Offer:
        """Return the current gas price and the fee limit per packet. Raises as the price source."""
        return self._accounts.offer(Query(self.grpc, self._rpc.report_malformed))

    @property
    def spent_today(self) -> dict[str, int]:
        """Fees of the current day (UTC), by denomination."""
        return self._accounts.spent_today

    def find(self, key: EventKey, to: EndName = ()) -> int | None:
        """Return the height of a block with a packet event, from the node's event index; None: not found."""
        return find_event(self._rpc, self._chain_id, key, to)

    def find_tx(self, digest: bytes) -> FoundTx | None:
        """Return a transaction by its hash, from the node's index; None: not found. Raises as `find_tx`."""
        return find_tx(self._rpc, self._chain_id, digest)

    def wait(self, height: int) -> None:
        """Wait until block `height` is committed.

        Raises:
            EndpointUnavailable: it is not committed in time.
        """
        self._poll(lambda: True if self._blocks.last_height() >= height else None, f"no block {height}")

    # -- inside

    def _declared(self, pool: RpcPool | None) -> EndpointExtras:
        """Return all extras but prefetched proofs; opinions and states of nodes only with a pool."""
        return EndpointExtras(
            signers=self._accounts.addresses,
            heights=self,
            changes=self,
            prove_many=self.prove_many,
            find=self.find,
            fees=self,
            opinions=self._opinions,
            nodes=pool,
            report_malformed=self._rpc.report_malformed,
            forget=self._blocks.forget,
            notify_sent=self._set_notify_sent,
        )

    def _set_notify_sent(self, notify: Callable[[], None]) -> None:
        self._notify_sent = notify

    def _query(self, path: str, data: bytes) -> Json:
        return self.query_by(self._rpc, path, data)

    def query_by(self, rpc: Rpc, path: str, data: bytes) -> Json:
        """Return the response of a client to a gRPC or store query. Raises as `grpc`."""
        call = abci_query_call(path, data)
        result = rpc.call(call.method, **call.params)
        return abci_response(self._chain_id, result, path, rpc, proves=False)

    def _max_gas(self) -> int | None:
        """Return the maximum gas of a block; None: there is none, or the node does not tell it."""
        try:
            answer = self._rpc.call("consensus_params")
            found = self._read(
                "consensus_params", lambda: read_integer(answer["consensus_params"]["block"]["max_gas"])
            )
        except RelayerError:  # the configured maximum holds; the chain refuses what is above its own
            return None
        return found if found > 0 else None

    def broadcast_by(self, rpc: Rpc, raw: bytes) -> TxOutcome:
        """Broadcast and return the CheckTx result; mempool errors get the SDK client's codespace and code.

        Raises:
            EndpointUnavailable: no answer, or a refusal of the call, which is then its cause.
        """
        try:
            answer = rpc.call("broadcast_tx_sync", tx=b64encode(raw).decode())
        except EndpointRefused as error:
            known = in_mempool_terms(error)
            if known is None:
                raise EndpointUnavailable(self._chain_id, str(error)) from error
            outcome = TxOutcome(raw, known[1], known[0], (), 0, 0, b"", error.reason)
        else:
            read = partial(read_tx_result, raw, answer)
            outcome = read_answer(self._chain_id, "broadcast_tx_sync", read, rpc.report_malformed)
        return outcome._replace(code=0) if refused_for(outcome, TxInMempool) else outcome

    def _poll(self, look: Callable[[], _V | None], failure: str) -> _V:
        for _ in range(max(1, round(self._config.inclusion_s / self._config.poll_s))):
            found = look()
            if found is not None:
                return found
            self._config.sleep(self._config.poll_s)
        raise EndpointUnavailable(self._chain_id, f"{failure} within {self._config.inclusion_s:g} s")

    def _read(self, query: str, reader: Callable[[], _V]) -> _V:
        return read_answer(self._chain_id, query, reader, self._rpc.report_malformed)
