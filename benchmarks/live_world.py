"""Chains in processes of their own for `bench_node`: ours under CometBFT and ibc-go's simd."""

import os
import time
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from conformance.peers.binaries import peer_binary
from conformance.peers.chain import SEED, LiveChain, private_key, sent_packets, wallet
from conformance.peers.live_chains import simd_node
from ibc_core.any_message import AnyMessage
from ibc_core.channel.types import Order
from ibc_core.coin import coin
from ibc_core.packet.types import Packet
from ibc_proto.cosmos.auth.v1beta1 import auth_pb2, query_pb2
from ibc_proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest
from ibc_proto.ibc.core.channel.v1 import query_pb2 as channel_pb2
from ibc_relayer.chain_account import ACCOUNT
from ibc_relayer.datagram import Datagram, build, keys_of
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.link import Link
from ibc_relayer.open_path import make_path
from ibc_relayer.packet_queries import PACKET_COMMITMENTS
from ibc_relayer.path import Path as Road
from ibc_relayer.proofs import Proofs
from ibc_relayer.rpc_client import HttpRpc, RpcConfig
from ibc_relayer.rpc_endpoint import RpcEndpoint
from ibc_relayer.task import Kind, Task, TaskKey
from ibc_relayer.wallet import Wallet
from localnet.hermes import HermesChain, HermesConfig, write_hermes
from localnet.host.bank_send import MSG_SEND, encode_send
from localnet.network import Network, NetworkPlan
from localnet.settings import COMETBFT, Abci, read_node

BLOCK_S = 0.2
GAS = 400_000
HERMES = HermesConfig(max_messages=100, max_tx_bytes=2_000_000, trusted_node=True, misbehaviour=False)
PATIENT = """\
experimental_subscription_buffer_size = 50000
experimental_websocket_write_buffer_size = 50000
"""
TICK = os.sysconf("SC_CLK_TCK")


class Node(NamedTuple):
    """A running chain, and the process that is its node or has it as its children."""

    name: str
    chain: LiveChain
    pid: int


@contextmanager
def ours(
    count: int,
    folder: Path,
    *,
    binary: Path,
    name: str = "ours",
    abci: Abci = "socket",
    native: bool = True,
    block_s: float = BLOCK_S,
    indexed: bool = True,
) -> Iterator[list[Node]]:
    """Python chains under the CometBFT at `binary`; with the attributes that Hermes reads.

    Not `native`: their applications use no native code, also where it is installed. Not `indexed`: CometBFT
    keeps no index of transactions; and it bears with subscribers who have thousands of events to take, where
    it would end Hermes' subscription at the 200th of a block.
    """
    network = Network(SEED, folder / name)
    plan = NetworkPlan(count, 1, int(block_s * 1000), consensus=COMETBFT, abci=abci, legacy_events=True)
    network.create(plan)
    for settings in () if indexed else network.folder.glob("*/v*/config/config.toml"):
        text = settings.read_text().replace('indexer = "kv"', 'indexer = "null"')
        settings.write_text(text.replace("[rpc]\n", f"[rpc]\n{PATIENT}"))
    with ExitStack() as stack:
        stack.callback(network.stop)
        found = []
        with using(COMETBFT=str(binary), **({} if native else {"PYIBC_NATIVE": "0"})):
            nodes = network.up()
        for status in nodes:
            grpc = f"http://127.0.0.1:{read_node(status.home).ports[0].grpc}"
            chain = stack.enter_context(closing(LiveChain(status.rpc, grpc)))
            found.append(Node(name, chain, status.pid or 0))
        yield found


@contextmanager
def using(**settings: str) -> Iterator[None]:
    """What is started inside has these in its environment."""
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def theirs(count: int, folder: Path) -> Iterator[list[Node]]:
    """ibc-go's chains."""
    with ExitStack() as stack:
        found = []
        for letter in "ab"[:count]:
            node = stack.enter_context(simd_node(f"go-{letter}-1", folder, BLOCK_S))
            chain = stack.enter_context(closing(LiveChain(node.rpc, node.grpc)))
            found.append(Node("simd", chain, node.pid))
        yield found


def cpu_s(pid: int) -> dict[str, float]:
    """CPU seconds so far of a process and all below it, by what they are."""
    found: dict[str, float] = {}
    for each in _family(pid):
        name = _name(each)
        found[name] = found.get(name, 0.0) + _cpu_s(each)
    return found


def _family(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(below for child in children for below in _family(int(child)))]


def _name(pid: int) -> str:
    words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    if "localnet.comet.application" in words:
        return "application"
    return "supervisor" if "localnet.comet.node" in words else Path(words[0]).name


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


class Sender:
    """A user who signs many transactions ahead and hands them in as fast as the node takes them."""

    def __init__(self, chain: LiveChain, user: str = "alice") -> None:
        self._chain = chain
        self._wallet: Wallet = wallet(user)
        self._rpc = HttpRpc(chain.url, RpcConfig(poll_s=0.02))

    def close(self) -> None:
        """Lets go of the connection."""
        self._rpc.close()

    def sign(self, transactions: Sequence[Sequence[AnyMessage]], gas: int = GAS) -> list[bytes]:
        """A signed transaction of each, in the account's order."""
        number, sequence = self._account()
        return [
            self._wallet.sign_tx(
                messages,
                chain_id=self._chain.chain_id,
                account_number=number,
                sequence=sequence + index,
                gas_limit=gas * len(messages),
            )
            for index, messages in enumerate(transactions)
        ]

    def send(self, raws: Sequence[bytes]) -> None:
        """Hands all in; returns when blocks hold them.

        Raises:
            RuntimeError: the mempool refuses one.
        """
        for raw in raws:
            answer = self._rpc.call("broadcast_tx_sync", tx=b64encode(raw).decode())
            if answer["code"]:
                raise RuntimeError(answer["log"])
        while int(self._rpc.call("num_unconfirmed_txs")["total"]):
            time.sleep(0.02)
        height = self._height()
        while self._height() <= height:  # the last of them is committed, not only proposed
            time.sleep(0.02)

    def _height(self) -> int:
        return int(self._rpc.call("status")["sync_info"]["latest_block_height"])

    def _account(self) -> tuple[int, int]:
        request = query_pb2.QueryAccountRequest(address=self._wallet.address.text)
        raw = self._chain.as_user("relayer").grpc(ACCOUNT, request.SerializeToString())
        account = auth_pb2.BaseAccount.FromString(
            query_pb2.QueryAccountResponse.FromString(raw).account.value
        )
        return account.account_number, account.sequence


def sends(chain: LiveChain, count: int) -> list[list[AnyMessage]]:
    """Transactions of a bank send each."""
    message = encode_send(chain.address("alice"), chain.address("bob"), (coin("stake", 1),))
    return [[AnyMessage(MSG_SEND, message)]] * count


def transfers(chain: LiveChain, road: Road, count: int, messages: int = 1) -> list[list[AnyMessage]]:
    """Transactions of so many ICS-20 transfers each."""
    one = chain.transfer("alice", road.a, coin("stake", 1), chain.address("bob"))
    return [[one] * messages] * count


def open_road(a: LiveChain, b: LiveChain) -> Road:
    """A channel for coins, opened by our relayer."""
    ends = a.as_user("relayer"), b.as_user("relayer")
    return make_path(*ends, "transfer", Order.UNORDERED, "ics20-1")


def receives(a: LiveChain, b: LiveChain, road: Road, first: int) -> list[list[AnyMessage]]:
    """Transactions that receive one packet each, of those sent on a from block `first` on, with their proofs.

    The client on b has the header that proves them by then.
    """
    sender, receiver = a.as_user("relayer"), b.as_user("alice")
    client = ForeignClient(receiver, sender, road.b.client_id)
    tip = sender.tip().height
    client.update_to(tip)
    tasks = [
        Task(TaskKey(Kind.RECV, 0, 1, packet.sequence), road.b, road.a, ordered=False, packet=packet)
        for packet in _sent(sender, first, tip - 1)
    ]
    proofs = Proofs(sender, tip - 1, [key for task in tasks for key in keys_of(task)])
    transactions = []
    for task in tasks:
        built = build(task, proofs, receiver.signer)
        if not isinstance(built, Datagram):
            raise TypeError(f"packet {task.key.sequence} has no message: {built}")
        transactions.append([built.message])
    return transactions


def _sent(chain: RpcEndpoint, first: int, last: int) -> Iterator[Packet]:
    for height in range(first, last + 1):
        for outcome in chain.block(height).txs:
            yield from sent_packets(outcome)


def pending(chain: LiveChain, channel: str = "channel-0") -> bool:
    """Whether a packet of the channel is not acknowledged yet."""
    request = channel_pb2.QueryPacketCommitmentsRequest(
        port_id="transfer", channel_id=channel, pagination=PageRequest(limit=1)
    )
    raw = chain.as_user("relayer").grpc(PACKET_COMMITMENTS, request.SerializeToString())
    return bool(channel_pb2.QueryPacketCommitmentsResponse.FromString(raw).commitments)


def relay(url_a: str, url_b: str) -> None:
    """What our relayer's command does, with the key of these chains' relayer."""
    with closing(LiveChain(url_a)) as a, closing(LiveChain(url_b)) as b:
        ends = a.as_user("relayer"), b.as_user("relayer")
        with closing(Link([open_road(a, b)], *ends)) as link:
            print(link.until_idle())


def hermes_command(a: LiveChain, b: LiveChain, folder: Path) -> list[str]:
    """The command with which Hermes relays a backlog in both directions and ends."""
    chains = [HermesChain(chain.chain_id, chain.url, chain.grpc) for chain in (a, b)]
    config = write_hermes(
        folder / "hermes",
        chains,
        private_key("relayer"),
        HERMES,
    )
    words = [
        "--config",
        str(config),
        "clear",
        "packets",
        "--chain",
        a.chain_id,
        "--port",
        "transfer",
        "--channel",
        "channel-0",
    ]
    return [str(peer_binary("hermes")), *words]
