"""Relayed round trips a second, and CPU seconds a packet by process, on this machine.

Hermes and our relayer on two chains of ours under CometBFT and on two of ibc-go, one setting after the other.

    python benchmarks/live_relay.py [PACKETS]        # 300; prints a JSON line a setting
"""

import json
import os
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from ibc_module.core import paths
from ibc_module.core.channel import Order
from ibc_module.core.coin import coin
from ibc_module.relayer.open_path import make_path
from localnet.hermes import HermesChain, HermesTerms
from localnet.settings import COMETBFT
from localnet.testkit.peers.chain import LiveChain, key_text, sent_packets
from localnet.testkit.peers.hermes import Hermes
from localnet.testkit.peers.process import PeerProcess, until
from localnet.testkit.peers.stage import python_chains, simd_node

TICK = os.sysconf("SC_CLK_TCK")
BATCH = 100
TERMS = HermesTerms(max_messages=100, max_tx_bytes=2_000_000, trusted_node=True, misbehaviour=False)


def cpu(pid: int) -> float:
    """Seconds that a process has used so far, its ended children too."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:15])) / TICK


def our_chains(stack: ExitStack, folder: Path) -> tuple[list[LiveChain], dict[str, list[int]]]:
    """Two of ours under CometBFT, one validator each, and their processes."""
    chains = stack.enter_context(python_chains(folder, 2, consensus=COMETBFT, validators=1))
    pids = {
        name: [int(path.read_text()) for path in sorted(folder.glob(f"*/*/v0/{name}.pid"))]
        for name in ("app", "comet")
    }
    return chains, pids


def go_chains(stack: ExitStack, folder: Path) -> tuple[list[LiveChain], dict[str, list[int]]]:
    """Two of ibc-go's."""
    nodes = [stack.enter_context(simd_node(f"go-{letter}-1", folder)) for letter in "ab"]
    return [LiveChain(node.rpc, node.grpc) for node in nodes], {"simd": [node.pid for node in nodes]}


def hermes(stack: ExitStack, folder: Path, chains: list[LiveChain]) -> int:
    """Starts Hermes; its process."""
    relayer = Hermes(folder / "hermes", [HermesChain(c.chain_id, c.url, c.grpc) for c in chains], TERMS)
    stack.callback(relayer.stop)
    relayer.start()
    return relayer.pid


def ours(stack: ExitStack, folder: Path, chains: list[LiveChain]) -> int:
    """Starts `pyibc relay`; its process."""
    key = folder / "key"
    key.write_text(key_text("relayer"))
    urls = ["--a", chains[0].url, "--b", chains[1].url, "--key", key]
    words = [sys.executable, "-m", "ibc_module", "relay", *urls, "--follow", "--interval", "0.2"]
    process = PeerProcess(words, folder / "relay.log")
    stack.callback(process.stop)
    until(lambda: "delivered" in process.words(), "the relayer has looked at both chains")
    return process.pid


SETTINGS = {
    "Hermes, our chains": (our_chains, hermes),
    "our relayer, our chains": (our_chains, ours),
    "Hermes, ibc-go": (go_chains, hermes),
    "our relayer, ibc-go": (go_chains, ours),
}


def measure(name: str, count: int) -> dict[str, object]:
    """One setting: packets there and acknowledged, from the first transaction until no commitment is left."""
    make, relay = SETTINGS[name]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        chains, pids = make(stack, folder)
        a, b = chains
        path = make_path(a.as_user("relayer"), b.as_user("relayer"), "transfer", Order.UNORDERED, "ics20-1")
        pids["relayer"] = [relay(stack, folder, chains)]
        used = {part: [cpu(pid) for pid in each] for part, each in pids.items()}
        begin, sent = time.monotonic(), []
        for _ in range(count // BATCH):
            message = a.transfer("alice", path.a, coin("stake", 1), b.address("bob"))
            outcome = a.submit("alice", [message] * BATCH)
            if outcome.code:
                raise RuntimeError(outcome.log)
            sent += sent_packets(outcome)
        for packet in sent:
            key = paths.packet_commitment_path("transfer", path.a.channel_id, packet.sequence)
            until(lambda k=key: a.as_user("alice").get(k) is None, "packets are settled", 300)
        seconds = time.monotonic() - begin
        spent = {
            part: round(sum(cpu(pid) for pid in each) - sum(used[part]), 2) for part, each in pids.items()
        }
        for chain in chains:
            chain.close()
    return {
        "setting": name,
        "packets": len(sent),
        "seconds": round(seconds, 2),
        "round_trips_a_second": round(len(sent) / seconds, 1),
        "cpu_ms_a_packet": {part: round(1000 * each / len(sent), 2) for part, each in spent.items()},
    }


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    for setting in SETTINGS:
        print(json.dumps(measure(setting, number)), flush=True)
