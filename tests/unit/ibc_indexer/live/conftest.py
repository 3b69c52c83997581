"""An index of the kit's chains, kept up to date in this process by DuckDB."""

import threading
from http.client import HTTPConnection
from types import SimpleNamespace

import pytest

from ibc_core.host.block import CommittedBlock
from ibc_http.server import Server
from ibc_indexer.export import BlockExporter
from tests.exported_chains import Chains

NOW = 1_000.0  # unix seconds; the chains' times are their heights


@pytest.fixture(autouse=True, scope="module")
def brief():
    """Files are sealed in this process, and no picture is drawn: both take most of a small run."""
    from ibc_indexer.segments.sealing import seal_here

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ibc_indexer.job.seal_in_processes", seal_here)
        for draw in ("timeline_plot", "latency_plot", "state_bars", "bars"):
            patch.setattr(f"ibc_indexer.plots.{draw}", lambda *_: "data:,")
        yield


def put(chains, *places):
    """Exports single blocks."""
    for chain, height in places:
        txs = tuple(chains.blocks.get((chain, height), ()))
        with BlockExporter(chains.folder / chain, blocks_per_file=10) as exporter:
            exporter.write(CommittedBlock(chain, height, height * 10**9, b"", txs, ()))


def make_chains(folder):
    """Twelve packets that are done, and one whose receiver refused it."""
    chains = Chains(folder)
    for sequence in range(1, 13):
        chains.relay(sequence, sequence * 3)
    chains.relay(13, 5, ack=b'{"error":"<script>alert(1)</script>"}')
    chains.write()
    return chains


def make_live(folder):
    """The parts of the program, none of them running; `look` makes a round if the inputs have changed."""
    from ibc_indexer.live.board import Board
    from ibc_indexer.live.follow import Follower
    from ibc_indexer.live.metrics import Metrics
    from ibc_indexer.live.packets import Packets
    from ibc_indexer.live.pages import Pages
    from ibc_indexer.local_engine import here

    chains = make_chains(folder / "in")
    board, out = Board(), folder / "out"
    told = []
    follower = Follower(here, [chains.folder], out, board, tell=told.append, pause_s=0.01)
    metrics = Metrics(board, lambda: NOW)
    pages = Pages(board, Packets(out), metrics, lambda: NOW)
    stop = threading.Event()
    return SimpleNamespace(
        board=board,
        out=out,
        chains=chains,
        follower=follower,
        look=lambda: follower.look(stop),
        metrics=metrics,
        numbers=lambda: numbers(metrics.text()),
        pages=pages,
        put=lambda *places: put(chains, *places),
        stop=stop,
        told=told,
    )


@pytest.fixture
def live(tmp_path):
    """The parts of the program."""
    return make_live(tmp_path)


def numbers(text):
    """Every line of a scrape: its name with labels, and the number."""
    lines = (line.rpartition(" ") for line in text.decode().splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in lines}


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The server of a board with one round; `get` asks it."""
    from ibc_indexer.live.pages import POLICY

    live = make_live(tmp_path_factory.mktemp("served"))
    live.look()
    server = Server(live.pages.routes(), "127.0.0.1", 0, POLICY)
    server.start()
    live.server = server
    live.port = server.server_address[1]
    live.get = lambda path, method="GET", **headers: ask(live.port, path, method, headers)
    yield live
    server.stop()


def ask(port, path, method="GET", headers=None):
    """Status, headers and body of an answer."""
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request(method, path, headers=headers or {})
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read().decode()
    finally:
        connection.close()


@pytest.fixture
def indexed(tmp_path):
    """Indexes an export once."""
    from ibc_indexer.job import index
    from ibc_indexer.local_engine import here

    return lambda *inputs: index(here, inputs, tmp_path / "indexed")
