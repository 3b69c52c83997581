"""Benchmark: relayers between two live chains with 0.5 s blocks and 40 ms network latency.

    python -m benchmarks.bench_live_relay [--seconds 60] [--others 60] [--share 0.5] [--most 1000] ...

Needs CometBFT, and Hermes for its row. The chains have no transaction index. First users send as fast as
their chain accepts, without a relayer: the chain's own rate. Then, for each relayer, they send `share` of
that rate (at most `most` per second) over a separate channel, for `seconds`, or `others` for relayers other
than ours, which then has as long again for the rest. The fate of each packet is read from the blocks
afterwards: it was sent at the time of its block, and delivered at the time of the block that received it;
latency is also counted in blocks of the receiving chain. CPU is user and system time of processes, from the
first packet to the last acknowledgement. Our relayer signs with four keys per chain, Hermes with one.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import live_world as world
from benchmarks.packets_in_blocks import Fate, Fates
from conformance.peers.binaries import PeerMissing, peer_binary
from conformance.peers.chain import key_text, private_key, wallet
from localnet.comet.homes import cometbft
from localnet.errors import NoCometBft
from localnet.process.lifecycle import free_port
from localnet.relayers import HermesChain, write_hermes, write_relayer
from pyibc.chain.bank.send import MSG_SEND, encode_send
from pyibc.codec.anys import AnyMessage
from pyibc.core.channel.types import Order
from pyibc.core.coin import coin
from pyibc.relayer.paths.open_path import make_path

BLOCK_S, DELAY_S = 0.5, 0.04
OWN_S = 20.0
"""Duration of measuring the chain's own rate, seconds."""
ROOT = Path(__file__).resolve().parents[1]
KEYS = ("relayer", "bob", "carol", "dave")
"""Our relayer's keys on each chain; each account simulates and submits one transaction at a time."""
COINS = 10**9
SOON = 3
"""Number of blocks in which a packet should arrive."""
HERMES = world.HERMES._replace(clear_on_start=False, clear_interval=0)


class Setting(NamedTuple):
    """Parameters of the load."""

    seconds: float = 60.0  # seconds, with our relayer
    others: float = 60.0  # seconds, with each other relayer
    in_one: int = 1  # transfers per transaction
    share: float = 0.5  # share of the chain's own rate
    most: float = 1_000.0  # maximum packets per second


class Row(NamedTuple):
    """Figures of one relayer."""

    relayer: str
    own_per_s: float  # packets per second that the chain accepts without a relayer
    sent_per_s: float
    delivered_per_s: float  # during the load
    left: int  # packets not acknowledged at the end
    delivery_s: tuple[float, float]  # seconds, median and 95th percentile
    delivery_blocks: tuple[int, int]  # the same, in blocks of the receiving chain
    within: float  # share of deliveries within `SOON` blocks
    blocks_s: tuple[float, float]  # mean block interval of both chains, during the load
    cpu_ms: dict[str, float]  # CPU per acknowledged packet, by process
    warnings: list[str]  # from our relayer's log


class ChainUrls(NamedTuple):
    """Addresses of a chain for a relayer."""

    rpc: str
    grpc: str


def rows(setting: Setting = Setting()) -> list[Row]:  # noqa: B008 - a value
    """Measure our relayer, and Hermes if it is installed."""
    try:
        binary = cometbft()
    except NoCometBft as missing:
        print(f"not run: {missing}")
        return []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-live-relay-")))
        chains = world.ours(2, folder, binary=binary, block_s=BLOCK_S, indexed=False)
        a, b = stack.enter_context(chains)
        proxy, farther = stack.enter_context(_farther([a, b]))
        for node in (a, b):
            fund(node)
        found = []
        for channel, (name, command) in enumerate(relayers(), start=1):
            _open(a, b, channel)
            own = _own_rate(a, b, setting)
            home = folder / name.replace(" ", "-")
            process = command(a, b, farther, home, f"channel-{channel}")
            mine = setting if command is _our_relayer else setting._replace(seconds=setting.others)
            row = _row(name, own, (a, b, proxy), process, mine, f"channel-{channel}")
            warnings = _warnings(home) if command is _our_relayer else []
            found.append(row._replace(warnings=warnings))
        return found


def fund(node) -> None:
    """Fund our relayer's keys."""
    receivers = [wallet(name).address.text for name in KEYS[2:]]
    messages = [
        AnyMessage(MSG_SEND, encode_send(node.chain.address("bob"), receiver, (coin("stake", COINS),)))
        for receiver in receivers
    ]
    with closing(world.Sender(node.chain, "bob")) as sender:
        sender.send(sender.sign([messages]))


def _open(a, b, channel: int) -> None:
    """Open channels 0, for the chain's own rate, to `channel`."""
    ends = a.chain.as_user("relayer"), b.chain.as_user("relayer")
    for _ in range(2 if channel == 1 else 1):
        make_path(*ends, "transfer", Order.UNORDERED, "ics20-1", new_channel=True)


def _own_rate(a, b, setting: Setting) -> float:
    """Return packets per second that the chain accepts, from the first block with packets to the last."""
    first = a.chain.as_user("relayer").tip().height
    _users(a, "channel-0", 0.0, setting.in_one, OWN_S).wait()
    fates = Fates(a.chain.url, b.chain.url, "channel-0")
    return fates.sent_rate(first)


def _row(name, own, nodes, process, setting: Setting, channel: str) -> Row:
    a, b, proxy = nodes
    per_s = min(setting.most, setting.share * own)
    first = [each.chain.as_user("relayer").tip().height for each in (a, b)]
    users = _users(a, channel, per_s, setting.in_one, setting.seconds)
    pids = {"chain a": a.pid, "chain b": b.pid, "relayer": process.pid, "proxy": proxy}
    try:
        before, users_s = _cpu(pids), _wait(users)
        _drain(a, channel, setting.seconds)
        spent = {key: now - before[key] for key, now in _cpu(pids).items()}
    finally:
        process.terminate()
        process.wait()
    fate = Fates(a.chain.url, b.chain.url, channel).since(*first)
    return _figures(name, own, fate, {**spent, "users": users_s})


def _figures(name: str, own: float, fate: Fate, cpu_s: dict[str, float]) -> Row:
    done = max(1, fate.acknowledged)
    cpu_ms = {key: spent / done * 1e3 for key, spent in cpu_s.items()}
    return Row(
        name,
        own,
        fate.sent / fate.sending_s,
        fate.delivered_while_sending / fate.sending_s,
        fate.sent - fate.acknowledged,
        (fate.delivery_s(0.5), fate.delivery_s(0.95)),
        (fate.delivery_blocks(0.5), fate.delivery_blocks(0.95)),
        fate.within(SOON),
        fate.blocks_s,
        cpu_ms,
        [],
    )


def _cpu(pids: dict[str, int]) -> dict[str, float]:
    return {name: sum(world.cpu_s(pid).values()) for name, pid in pids.items()}


def _wait(users) -> float:
    """Wait for the users; return their CPU time, seconds."""
    _, status, used = os.wait4(users.pid, 0)
    users.returncode = os.waitstatus_to_exitcode(status)
    if users.returncode:
        raise RuntimeError(f"users ended with {users.returncode}")
    return used.ru_utime + used.ru_stime


def _drain(a, channel: str, seconds: float) -> None:
    """Wait until all packets are acknowledged, or for `seconds`."""
    end = time.monotonic() + seconds
    while world.pending(a.chain, channel) and time.monotonic() < end:
        time.sleep(0.2)


def _users(node, channel: str, per_s: float, in_one: int, seconds: float) -> subprocess.Popen:
    words = [node.chain.url, channel, str(per_s), str(in_one), str(seconds)]
    return subprocess.Popen([sys.executable, "-m", "benchmarks.live_users", *words], cwd=ROOT)


@contextmanager
def _farther(nodes) -> Iterator[tuple[int, list[ChainUrls]]]:
    """Start the proxy; return its process and the chains' addresses through it."""
    taken: set[int] = set()
    words, found = [], []
    for node in nodes:
        urls = []
        for url in (node.chain.url, node.chain.grpc):
            port = free_port(taken)
            taken.add(port)
            words.append(f"{port}:{url.rpartition(':')[2]}")
            urls.append(f"http://127.0.0.1:{port}")
        found.append(ChainUrls(*urls))
    command = [sys.executable, "-m", "benchmarks.delay_proxy", str(DELAY_S), *words]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
    try:
        process.stdout.readline()
        yield process.pid, found
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def relayers():
    """Return the installed relayers; print the names of the others."""
    yield "our relayer", _our_relayer
    try:
        peer_binary("hermes")
    except PeerMissing as missing:
        print(f"not run: {missing}")
    else:
        yield "Hermes", _hermes


def _our_relayer(a, b, farther, folder: Path, channel: str) -> subprocess.Popen:
    chains = [(node.chain.chain_id, far.rpc, "cosmos") for node, far in zip((a, b), farther, strict=True)]
    config = write_relayer(folder, chains, private_key("relayer"), channel)
    text = config.read_text().replace("127.0.0.1:3001", "")
    for name in KEYS[1:]:
        (folder / f"{name}.key").touch(mode=0o600)
        (folder / f"{name}.key").write_text(key_text(name))
    keys = ", ".join(f'{{ file = "{name}.key" }}' for name in KEYS)
    config.write_text(text.replace('key = { file = "relayer.key" }', f"keys = [{keys}]"))
    command = [sys.executable, "-m", "pyibc", "relay", "start", "--config", str(config)]
    return _start(command, folder)


def _hermes(a, b, farther, folder: Path, _channel: str) -> subprocess.Popen:
    chains = [
        HermesChain(node.chain.chain_id, far.rpc, far.grpc) for node, far in zip((a, b), farther, strict=True)
    ]
    config = write_hermes(folder, chains, private_key("relayer"), HERMES)
    return _start([str(peer_binary("hermes")), "--config", str(config), "start"], folder)


def _start(command: list[str], folder: Path) -> subprocess.Popen:
    """Start a relayer, and wait for its startup."""
    log = (folder / "log").open("wb")
    process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
    time.sleep(8.0)
    return process


def _warnings(folder: Path) -> list[str]:
    """Return the warnings in our relayer's log."""
    lines = (folder / "log").read_text(errors="replace").splitlines()
    return [line for line in lines if '"level": "info"' not in line]


def show(found: list[Row]) -> None:
    """Print a table."""
    for row in found:
        print(f"{row.relayer}: the chain's own rate {row.own_per_s:,.0f} packets/s")
        ratio = row.delivered_per_s / row.own_per_s
        print(
            f"  sent {row.sent_per_s:,.0f}/s, delivered {row.delivered_per_s:,.0f}/s ({ratio:.2f} of its own)"
        )
        (s50, s95), (b50, b95) = row.delivery_s, row.delivery_blocks
        print(
            f"  delivery p50 {s50:.2f} s, {b50} blocks; p95 {s95:.2f} s, {b95} blocks; "
            f"{row.within:.1%} within {SOON}"
        )
        print(f"  blocks of a every {row.blocks_s[0]:.2f} s, of b every {row.blocks_s[1]:.2f} s")
        print(f"  left without an acknowledgement: {row.left}")
        for line in row.warnings[:10]:
            print(f"  it warned: {line[:300]}")
        print("  CPU ms a packet: " + ", ".join(f"{name} {ms:.2f}" for name, ms in row.cpu_ms.items()))


def _setting() -> Setting:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in Setting()._asdict().items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default)
    return Setting(**vars(parser.parse_args()))


if __name__ == "__main__":
    show(rows(_setting()))
