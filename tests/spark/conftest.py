import os
import shutil
import subprocess
import warnings
from pathlib import Path

import pytest

from ibc_core.host.block import CommittedBlock, TxOutcome
from ibc_indexer.export import BlockExporter

ROOT = Path(__file__).parents[2]


def _outside(variable, name):
    folder = Path(os.environ.get(variable, ROOT.parent / "shared" / name))
    if not folder.is_dir():
        pytest.skip(f"no folder {name} beside the clone ({variable} names another place)")
    return folder


@pytest.fixture(scope="session")
def realdata():
    """Recordings of live chains."""
    return _outside("IBC_REALDATA_DIR", "realdata")


@pytest.fixture(scope="session")
def live_dump():
    """Recordings of two ibc-go chains."""
    return _outside("IBC_LIVE_DUMP_DIR", "live/dump")


@pytest.fixture(scope="session")
def spark():
    """The one Spark session of a test run."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("no Java runtime")
    from ibc_indexer.session import open_session

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # pyspark leaves pipes to its JVM open
        session = open_session("local[2]", brief=True)
        yield session
        session.stop()


@pytest.fixture(scope="session")
def run(spark):
    """Indexes inputs; gives the outcome and the packet rows as dicts."""
    from ibc_indexer.job import index
    from ibc_indexer.spark_engine import on_spark

    def go(out, *inputs):
        outcome = index(on_spark(spark), inputs, out)
        return outcome, [row.asDict() for row in spark.read.parquet(str(out / "packets")).collect()]

    return go


@pytest.fixture(scope="session")
def chromium():
    """The path of headless Chromium."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("no Chromium (Debian: apt-get install chromium)")
    return found


@pytest.fixture
def dump_dom(chromium, tmp_path):
    """The page as the browser has it after loading."""

    def dump(page):
        flags = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync"
        flags += " --disable-background-networking --disable-component-update --dump-dom"
        profile = f"--user-data-dir={tmp_path / 'profile'}"
        answer = subprocess.run(
            [chromium, *flags.split(), profile, page.as_uri()], capture_output=True, timeout=120, check=True
        )
        return answer.stdout.decode()

    return dump


class Chains:
    """Chains with packets between them, written by the exporter."""

    def __init__(self, folder, prefix="", channel="channel-0"):
        self.folder = folder
        self.prefix = prefix
        self.ends = {"src": ("transfer", channel), "dst": ("transfer", channel)}
        self.blocks = {}

    def event(self, chain, height, kind, sequence, *, until=0, amount="5", owner=None, code=0, **more):
        """A transaction with one event; a packet's data names its `owner`, the sending chain."""
        ends = {side: more.pop(side, place) for side, place in self.ends.items()}
        found = {
            "packet_timeout_height": "0-0",
            "packet_timeout_timestamp": str(until or 10**18 + sequence),
            "packet_sequence": str(sequence),
            **{f"packet_{side}_port": port for side, (port, _) in ends.items()},
            **{f"packet_{side}_channel": channel for side, (_, channel) in ends.items()},
        }
        if kind in {"send_packet", "recv_packet", "write_acknowledgement"}:
            denom = f"u{(owner or chain)[0]}"
            data = f'{{"denom":"{denom}","amount":"{amount}","sender":"s","receiver":"r"}}'
            found["packet_data_hex"] = data.encode().hex()
        signer = ("tx", (("acc_seq", f"relayer-{chain}/1"),))
        event = (kind, tuple((found | more).items()))
        self.blocks.setdefault((chain, height), []).append(TxOutcome(b"x", code, "", (signer, event), 1, 1))

    def relay(self, sequence, at, *, ack=b'{"result":"AQ=="}', src="a-1", dst="b-1", **more):
        """A packet sent, received, answered and acknowledged."""
        self.event(src, at, "send_packet", sequence, **more)
        self.event(dst, at + 1, "recv_packet", sequence, owner=src, **more)
        self.event(
            dst, at + 1, "write_acknowledgement", sequence, owner=src, packet_ack_hex=ack.hex(), **more
        )
        self.event(src, at + 3, "acknowledge_packet", sequence, **more)

    def empty(self, chain, height):
        """A block without transactions."""
        self.blocks.setdefault((chain, height), [])

    def fill(self, chain):
        """Blocks without transactions where a chain has none between its first and last."""
        heights = [height for of, height in self.blocks if of == chain]
        if max(heights) - min(heights) < 10_000:
            for height in range(min(heights), max(heights)):
                self.empty(chain, height)

    def write(self, *, gaps=False):
        """Exports all blocks; a height is a second. Heights without a block become empty ones, or gaps."""
        for chain in sorted({chain for chain, _ in self.blocks}):
            name = self.prefix + chain
            if not gaps:
                self.fill(chain)
            with BlockExporter(self.folder / name, blocks_per_file=10) as exporter:
                for (of, height), txs in sorted(self.blocks.items()):
                    if of == chain:
                        exporter.write(CommittedBlock(name, height, height * 10**9, b"", tuple(txs), ()))
        return self.folder


@pytest.fixture
def chains(tmp_path):
    """A maker of exports."""
    return Chains(tmp_path / "export")


@pytest.fixture(scope="session")
def new_chains():
    """The maker itself."""
    return Chains
