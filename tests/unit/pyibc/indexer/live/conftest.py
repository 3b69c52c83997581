"""Live index of the testing kit's chains, with DuckDB in this process."""

import shutil
import threading
from contextlib import contextmanager
from copy import deepcopy
from functools import partial
from http.client import HTTPConnection
from types import SimpleNamespace

import pytest

from pyibc.core.host.block import CommittedBlock
from pyibc.http.server import Server
from pyibc.indexer.blocks.export import BlockExporter
from tests.exported_chains import Chains

NOW = 1_000.0  # unix seconds; the chains' times are their heights


@contextmanager
def without_plots():
    """Skip the plots, which take most of the time of a small run."""
    with pytest.MonkeyPatch.context() as patch:
        for draw in ("timeline_plot", "latency_plot", "state_bars", "denom_bars", "relayer_bars"):
            patch.setattr(f"pyibc.indexer.report.plots.{draw}", lambda *_: "data:,")
        yield


@pytest.fixture(autouse=True, scope="module")
def brief():
    """Skip the plots in the tests of a module."""
    with without_plots():
        yield


def put(chains, *places):
    """Export single blocks."""
    for chain, height in places:
        txs = tuple(chains.blocks.get((chain, height), ()))
        with BlockExporter(chains.folder / chain, blocks_per_file=10) as exporter:
            exporter.write(CommittedBlock(chain, height, chains.time_ns(chain, height), b"", txs, ()))


def make_chains(folder):
    """Relay twelve packets, and one that the receiving chain rejects."""
    chains = Chains(folder)
    for sequence in range(1, 13):
        chains.relay(sequence, sequence * 3)
    chains.relay(13, 5, ack=b'{"error":"<script>alert(1)</script>"}')
    chains.write()
    return chains


def make_live(folder, chains=None):
    """Components of the live index, not running; `look` runs a round if the inputs have changed."""
    from pyibc.indexer.live.follow import Board, Follower
    from pyibc.indexer.live.metrics import Metrics
    from pyibc.indexer.live.packets import Packets
    from pyibc.indexer.live.service import Pages
    from pyibc.indexer.local.run import LocalEngine

    chains = chains or make_chains(folder / "in")
    board, out = Board(), folder / "out"
    told = []
    follower = Follower(LocalEngine(), [chains.folder], out, board, tell=told.append, pause_s=0.01)
    metrics = Metrics(board)
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
    """Components of the live index."""
    return make_live(tmp_path)


@pytest.fixture(scope="session")
def first_round(tmp_path_factory):
    """Components of a live index after its first round, and a copy of its files."""
    base = tmp_path_factory.mktemp("live")
    live = make_live(base / "now")
    with without_plots():
        live.look()
    shutil.copytree(base / "now", base / "then")
    return live, base / "then"


@pytest.fixture
def looked(first_round):
    """Components of a live index after its first round, which all tests share."""
    done, then = first_round
    folder = done.out.parent
    shutil.rmtree(folder)
    shutil.copytree(then, folder)  # keeps the times of the inputs
    live = make_live(folder, chains=deepcopy(done.chains))
    live.board.post(done.board.read().last)
    live.follower._seen = live.follower._looks()
    live.told += done.told
    return live


def numbers(text):
    """Parse a scrape: values by name with labels."""
    lines = (line.rpartition(" ") for line in text.decode().splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in lines}


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """Server of a board with one round; `get` sends a request."""
    from pyibc.indexer.live.service import POLICY

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
    """Send a GET request; return status, headers and body."""
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request(method, path, headers=headers or {})
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read().decode()
    finally:
        connection.close()


@pytest.fixture
def indexed(tmp_path):
    """Outcome of a run of the index over exports, with the answers for metrics; `listed` rows are own."""
    from pyibc.indexer.job import index
    from pyibc.indexer.live.aggregates import live_answers
    from pyibc.indexer.local.run import LocalEngine

    def run(*inputs, listed=100):
        ask = partial(live_answers, listed=listed)
        return index(LocalEngine(), inputs, tmp_path / "indexed", ask=ask)

    return run
