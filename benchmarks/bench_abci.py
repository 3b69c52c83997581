"""Benchmark: cost of an ABCI socket request, for our server, a plain frame echo, and CometBFT's Go server.

Each server is a separate process with one client, measured in turns. `us` is wall time, `CPU us` the server's
CPU time, both medians per request (FinalizeBlock: per transaction). The echo splits the stream into frames
and sends each back unchanged: the cost of sockets and threads in Python. Go's server is `abci-cli kvstore`
(`make cometbft`); ours returns the same responses and events for the same transactions.
"""

import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import NamedTuple

from abci_server import BaseApplication
from abci_server import server as run
from abci_server.address import listen, parse
from abci_server.connection import FrameReader, frame
from abci_server.messages.requests import (
    Event,
    EventAttribute,
    ExecTxResult,
    ResponseFinalizeBlock,
    ResponseInfo,
    ResponseQuery,
)
from conformance.kit.abci_client import Client
from pyibc.proto.tendermint.abci import types_pb2 as pb

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 5
BLOCK = 1_000
FLUSH = pb.Request(flush={})


class Row(NamedTuple):
    """One operation of one server."""

    name: str
    server: str
    us: float  # wall time
    cpu_us: float  # CPU time of the server
    times_echo: float  # us relative to the echo's
    times_go: float | None  # us relative to Go's; None if not run


class App(BaseApplication):
    """Answers like CometBFT's kvstore, without storing anything."""

    def info(self, request):  # noqa: ARG002, D102
        return ResponseInfo(0, b"")

    def query(self, request):  # noqa: D102
        return ResponseQuery(log="exists", key=request.data, value=b"value")

    def finalize_block(self, request):  # noqa: D102
        results = [ExecTxResult(events=[_event(*_halves(tx))] * 2) for tx in request.txs]
        return ResponseFinalizeBlock(results, bytes(8))

    def commit(self):  # noqa: D102
        return 0


def _halves(tx):
    key, _, value = tx.partition(b"=")
    return key.decode(), value.decode()


def _event(key, value):
    return Event(
        "app",
        [
            EventAttribute("creator", value),
            EventAttribute("key", key),
            EventAttribute("index_key", "index is working"),
            EventAttribute("noindex_key", "index is working", indexed=False),
        ],
    )


def echo(path: str) -> None:
    """Send every frame back."""
    with listen(parse(f"unix://{path}")) as listener:
        while True:
            peer, _ = listener.accept()
            Thread(target=_echo_one, args=(peer,), daemon=True).start()


def _echo_one(peer):
    reader = FrameReader(2**31)
    while chunk := peer.recv(65_536):
        reader.feed(chunk)
        peer.sendall(b"".join(frame(raw) for raw in reader))


# -- load


class Load(NamedTuple):
    """Bytes to send at once, the number of responses, and the number of requests they count as."""

    raw: bytes
    answers: int
    requests: int
    times: int  # one after another


def loads() -> dict[str, Load]:
    """Return the loads by operation."""
    tx = pb.Request(check_tx={"tx": b"key=" + b"v" * 250})
    query = pb.Request(query={"path": b"/key", "data": b"key"})
    block = pb.Request(finalize_block={"txs": [b"%d=value" % n for n in range(BLOCK)], "height": 1})
    return {
        "CheckTx, each awaited": Load(_bytes([tx, FLUSH]), 2, 1, 2_000),
        "CheckTx, 1,000 at once": Load(_bytes([tx] * 1000 + [FLUSH]), 1_001, 1_000, 10),
        "Query, each awaited": Load(_bytes([query, FLUSH]), 2, 1, 2_000),
        "FinalizeBlock of 1,000, a transaction": Load(_bytes([block, FLUSH]), 2, BLOCK, 5),
    }


def _bytes(requests):
    return b"".join(frame(each.SerializeToString()) for each in requests)


def cost(load: Load, client: Client, pid: int) -> tuple[float, float]:
    """Return microseconds per request, wall and server CPU."""
    clock, cpu = time.perf_counter(), _cpu_s(pid)
    for _ in range(load.times):
        sender = Thread(target=client.socket.sendall, args=(load.raw,)) if len(load.raw) > 65_536 else None
        if sender:
            sender.start()
        else:
            client.socket.sendall(load.raw)
        for _ in range(load.answers):
            client.read_frame()
        if sender:
            sender.join()
    scale = 1e6 / load.times / load.requests
    return (time.perf_counter() - clock) * scale, (_cpu_s(pid) - cpu) * scale


def _cpu_s(pid):
    """Return CPU seconds of all threads in nanosecond resolution; `stat` has only hundredths."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


@contextmanager
def server(command: list[str], path: Path) -> Iterator[tuple[Client, int]]:
    """Start a server process at `path`, and connect a client."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    try:
        while not path.exists():
            time.sleep(0.02)
        time.sleep(0.2)
        with Client(f"unix://{path}") as client:
            yield client, process.pid
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def rows() -> list[Row]:
    """Measure every operation at every server."""
    go = shutil.which(str(ROOT / ".cache/bin/abci-cli")) or shutil.which("abci-cli")
    ours = [sys.executable, __file__, "serve"]
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder) / f"{name}.sock" for name in ("echo", "ours", "Go")}
        commands = {name: [*ours, name, str(paths[name])] for name in ("echo", "ours")}
        if go:
            commands["Go"] = [go, "kvstore", "--address", f"unix://{paths['Go']}", "--log_level", "error"]
        samples = _samples(commands, paths)
    return [
        Row(
            name,
            at,
            us,
            cpu,
            us / medians["echo"][0],
            us / medians["Go"][0] if "Go" in medians else None,
        )
        for name, medians in samples.items()
        for at, (us, cpu) in medians.items()
    ]


def _samples(commands, paths):
    """Return operation -> server -> medians. The servers take turns, to spread noise evenly."""
    kept = {name: {at: [] for at in commands} for name in loads()}
    for _ in range(ROUNDS):
        for at, command in commands.items():
            paths[at].unlink(missing_ok=True)
            with server(command, paths[at]) as (client, pid):
                for name, load in loads().items():
                    cost(load._replace(times=1), client, pid)  # warm-up
                    kept[name][at].append(cost(load, client, pid))
    return {
        name: {at: tuple(map(statistics.median, zip(*each, strict=True))) for at, each in of.items()}
        for name, of in kept.items()
    }


def show(found: list[Row]) -> None:
    """Print a table."""
    print(f"{'operation':40}{'server':>8}{'us':>9}{'a second':>13}{'CPU us':>9}{'x echo':>8}{'x Go':>8}")
    for row in found:
        go = "not run" if row.times_go is None else f"{row.times_go:.2f}"
        print(
            f"{row.name:40}{row.server:>8}{row.us:>9.1f}{1e6 / row.us:>13,.0f}{row.cpu_us:>9.1f}"
            f"{row.times_echo:>8.2f}{go:>8}"
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        kind, where = sys.argv[2:]
        raise SystemExit(run(App(), f"unix://{where}") if kind == "ours" else echo(where))
    show(rows())
