"""Benchmark: CPU of the relayer's daemon while nothing is to be relayed.

Two chains are served over HTTP by this process, with a block a second each. The daemon runs in a process of
its own with 1 path, then with 100, each a link over one channel. CPU is user and system time of its process
over `SECONDS`, once all links have been open for a while. The bar is 50 ms a second for 100 paths.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.live_world import TICK
from localnet.rpc.server import RpcServer
from pyibc.cli.relay.status import ask
from pyibc.core.channel.types import Order
from pyibc.relayer.paths.open_path import make_path
from pyibc.testing.pair import SECOND, TwoChains, two_chains

COUNTS = (1, 100)
BLOCK_S = 1.0
SETTLE_S, SECONDS = 30.0, 60.0
"""Time after which all paths are idle, and time of the measurement, seconds."""
START_S = 240.0
"""Maximum time until all paths are relayed, seconds."""


class Idle(NamedTuple):
    """CPU of an idle daemon."""

    paths: int
    ms_per_s: float


def rows() -> list[Idle]:
    """Return a row for each number of paths."""
    with closing(two_chains()) as net, tempfile.TemporaryDirectory() as folder:
        names = [_channel(net) for _ in range(max(COUNTS))]
        with _served(net) as urls:
            return [_idle(net, urls, names[:count], Path(folder) / str(count)) for count in COUNTS]


def show(found: list[Idle]) -> None:
    """Print the rows."""
    for each in found:
        print(f"{each.paths:>4} idle paths: {each.ms_per_s:8.1f} ms of CPU a second")


def _channel(net: TwoChains) -> str:
    ends = net.a.endpoint, net.b.endpoint
    return make_path(*ends, "transfer", Order.UNORDERED, "ics20-1", new_channel=True).a.channel_id


@contextmanager
def _served(net: TwoChains) -> Iterator[list[str]]:
    stop, servers = Event(), [RpcServer(each.chain) for each in (net.a, net.b)]

    def make_blocks() -> None:
        while not stop.wait(BLOCK_S):
            net.clock.advance(int(BLOCK_S * SECOND))
            for each in (net.a, net.b):
                each.chain.make_block()

    maker = Thread(target=make_blocks)
    for server in servers:
        server.start(0.01)
    maker.start()
    try:
        yield [server.url for server in servers]
    finally:
        stop.set()
        maker.join()
        for server in servers:
            server.stop()


def _idle(net: TwoChains, urls: list[str], names: list[str], folder: Path) -> Idle:
    folder.mkdir()
    key = folder / "key"
    key.write_text("11" * 32 + "\n")
    key.chmod(0o600)
    ends = net.a.chain.chain_id, net.b.chain.chain_id
    lines = ['[relayer]\nlisten = "127.0.0.1:0"\nlocks = "."']
    for chain_id, url in zip(ends, urls, strict=True):
        lines.append(f'[[chains]]\nid = "{chain_id}"\nrpc = ["{url}"]\nkey = {{ file = "key" }}')
    lines += [f'[[paths]]\na = "{ends[0]}"\nb = "{ends[1]}"\nchannels = ["{name}"]' for name in names]
    (folder / "relayer.toml").write_text("\n\n".join(lines) + "\n")
    command = [sys.executable, "-m", "pyibc", "relay", "start", "--config", str(folder / "relayer.toml")]
    with (folder / "log").open("w") as log:
        daemon = subprocess.Popen(command, stderr=log)
        try:
            _wait_for(folder / "log", daemon, len(names))
            time.sleep(SETTLE_S)
            began, before = time.monotonic(), _cpu_s(daemon.pid)
            time.sleep(SECONDS)
            return Idle(len(names), 1000 * (_cpu_s(daemon.pid) - before) / (time.monotonic() - began))
        finally:
            daemon.terminate()
            daemon.wait()


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def _wait_for(log: Path, daemon: "subprocess.Popen[bytes]", count: int) -> None:
    """Wait until all paths are relayed."""
    until = time.monotonic() + START_S
    while time.monotonic() < until and daemon.poll() is None:
        address = next((line for line in log.read_text().splitlines() if line.startswith("metrics: ")), "")
        if address:
            found = ask(address.removeprefix("metrics: http://").removesuffix("/metrics"))
            if sum(each["state"] == "relaying" for each in found["paths"]) == count:
                return
        time.sleep(1)
    raise RuntimeError(f"not all paths are relayed: {log.read_text()[-2000:]}")


if __name__ == "__main__":
    show(rows())
