"""Chains in separate processes for `bench_node`: ours under CometBFT and ibc-go's simd."""

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
from localnet.network import Network, NetworkPlan
from localnet.relayers import HermesChain, HermesConfig, write_hermes
from localnet.settings import COMETBFT, read_node
from pyibc.chain.bank.send import MSG_SEND, encode_send
from pyibc.chain.comet.settings import Abci
from pyibc.codec.anys import AnyMessage
from pyibc.core.channel.types import Order
from pyibc.core.coin import coin
from pyibc.core.packet.types import Packet
from pyibc.proto.cosmos.auth.v1beta1 import auth_pb2, query_pb2
from pyibc.proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest
from pyibc.proto.ibc.core.channel.v1 import query_pb2 as channel_pb2
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.links.link import Link
from pyibc.relayer.money.account import ACCOUNT
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.packets.datagram import Datagram, build, keys_of
from pyibc.relayer.packets.proofs import Proofs, prover_of
from pyibc.relayer.packets.queries import PACKET_COMMITMENTS
from pyibc.relayer.packets.task import Task, TaskKey, TaskKind
from pyibc.relayer.paths.open_path import make_path
from pyibc.relayer.paths.path import Path as Road
from pyibc.relayer.rpc.client import HttpRpc, RpcConfig
from pyibc.relayer.rpc.endpoint import RpcEndpoint

BLOCK_S = 0.2
GAS = 400_000
HERMES = HermesConfig(max_messages=100, max_tx_bytes=2_000_000, trusted_node=True, misbehaviour=False)
PATIENT = """\
experimental_subscription_buffer_size = 50000
experimental_websocket_write_buffer_size = 50000
"""
TICK = os.sysconf("SC_CLK_TCK")


class Node(NamedTuple):
    """A running chain, and its node's process or the parent process of it."""

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
    """Run Python chains under the CometBFT at `binary`, with the attributes that Hermes reads.

    If not `native`, their applications use no native code, even if it is installed. If not `indexed`,
    CometBFT keeps no index of transactions and tolerates subscribers with thousands of pending events;
    otherwise it would end Hermes' subscription at the 200th event of a block.
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
    """Environment of the processes started in the `with` block."""
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
    """Run ibc-go's chains."""
    with ExitStack() as stack:
        found = []
        for letter in "ab"[:count]:
            node = stack.enter_context(simd_node(f"go-{letter}-1", folder, BLOCK_S))
            chain = stack.enter_context(closing(LiveChain(node.rpc, node.grpc)))
            found.append(Node("simd", chain, node.pid))
        yield found


def cpu_s(pid: int) -> dict[str, float]:
    """Return CPU seconds of a process and its descendants so far, by program."""
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
    """A user who signs transactions in advance and submits them as fast as the node accepts them."""

    def __init__(self, chain: LiveChain, user: str = "alice") -> None:
        self._chain = chain
        self._wallet: Wallet = wallet(user)
        self._rpc = HttpRpc(chain.url, RpcConfig(poll_s=0.02))

    def close(self) -> None:
        """Close the connection."""
        self._rpc.close()

    def sign(self, transactions: Sequence[Sequence[AnyMessage]], gas: int = GAS) -> list[bytes]:
        """Return a signed transaction of each list of messages, in order of the account's sequence."""
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
        """Submit all; return when they are in blocks.

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
    """Return transactions with one bank send each."""
    message = encode_send(chain.address("alice"), chain.address("bob"), (coin("stake", 1),))
    return [[AnyMessage(MSG_SEND, message)]] * count


def transfers(chain: LiveChain, road: Road, count: int, messages: int = 1) -> list[list[AnyMessage]]:
    """Return transactions with so many ICS-20 transfers each."""
    one = chain.transfer("alice", road.a, coin("stake", 1), chain.address("bob"))
    return [[one] * messages] * count


def open_channel_path(a: LiveChain, b: LiveChain) -> Road:
    """Open a transfer channel by our relayer."""
    ends = a.as_user("relayer"), b.as_user("relayer")
    return make_path(*ends, "transfer", Order.UNORDERED, "ics20-1")


def receives(a: LiveChain, b: LiveChain, road: Road, first: int) -> list[list[AnyMessage]]:
    """Return transactions that receive one packet each, with proofs.

    The packets were sent on a from block `first` on. The client on b is updated to the height of the proofs.
    """
    sender, receiver = a.as_user("relayer"), b.as_user("alice")
    client = ForeignClient(receiver, sender, road.b.client_id)
    tip = sender.tip().height
    client.update_to(tip)
    tasks = [
        Task(TaskKey(TaskKind.RECV, 0, 1, packet.sequence), road.b, road.a, ordered=False, packet=packet)
        for packet in _sent(sender, first, tip - 1)
    ]
    proofs = Proofs(prover_of(sender), tip - 1, [key for task in tasks for key in keys_of(task)])
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
    """Return whether a packet of the channel is not acknowledged yet."""
    request = channel_pb2.QueryPacketCommitmentsRequest(
        port_id="transfer", channel_id=channel, pagination=PageRequest(limit=1)
    )
    raw = chain.as_user("relayer").grpc(PACKET_COMMITMENTS, request.SerializeToString())
    return bool(channel_pb2.QueryPacketCommitmentsResponse.FromString(raw).commitments)


def relay(url_a: str, url_b: str) -> None:
    """Run our relayer's command, with the key of these chains' relayer."""
    with closing(LiveChain(url_a)) as a, closing(LiveChain(url_b)) as b:
        ends = a.as_user("relayer"), b.as_user("relayer")
        with closing(Link([open_channel_path(a, b)], *ends)) as link:
            print(link.until_idle())


def hermes_command(a: LiveChain, b: LiveChain, folder: Path) -> list[str]:
    """Return the command with which Hermes relays a backlog in both directions and ends."""
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
