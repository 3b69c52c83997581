import os
import shutil
import subprocess
import warnings
from pathlib import Path

import pytest

from ibc_module.core.block import CommittedBlock, TxOutcome
from ibc_module.indexer.export import BlockExporter

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
    from ibc_module.indexer.session import open_session

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # pyspark leaves pipes to its JVM open
        session = open_session("local[2]")
        yield session
        session.stop()


@pytest.fixture(scope="session")
def run(spark):
    """Indexes inputs; gives the outcome and the packet rows as dicts."""
    from ibc_module.indexer.job import index

    def go(out, *inputs):
        outcome = index(spark, inputs, out)
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

    def __init__(self, folder):
        self.folder = folder
        self.blocks = {}

    def event(
        self,
        chain,
        height,
        kind,
        sequence,
        *,
        src=("transfer", "channel-0"),
        dst=("transfer", "channel-0"),
        until=0,
        amount="5",
        receiver="r",
        code=0,
        **more,
    ):
        data = f'{{"denom":"u{chain[0]}","amount":"{amount}","sender":"s","receiver":"{receiver}"}}'
        found = {
            "packet_timeout_height": "0-0",
            "packet_timeout_timestamp": str(until or 10**18 + sequence),
            "packet_sequence": str(sequence),
            "packet_src_port": src[0],
            "packet_src_channel": src[1],
            "packet_dst_port": dst[0],
            "packet_dst_channel": dst[1],
        }
        if kind in {"send_packet", "recv_packet", "write_acknowledgement"}:
            denom_of = more.pop("denom_of", chain)
            found["packet_data_hex"] = data.replace(f'"u{chain[0]}"', f'"u{denom_of[0]}"').encode().hex()
        signer = ("tx", (("acc_seq", f"relayer-{chain}/1"),))
        event = (kind, tuple((found | more).items()))
        self.blocks.setdefault((chain, height), []).append(TxOutcome(b"x", code, "", (signer, event), 1, 1))

    def empty(self, chain, height):
        self.blocks.setdefault((chain, height), [])

    def write(self, second=10**9):
        for chain in sorted({chain for chain, _ in self.blocks}):
            with BlockExporter(self.folder / chain, blocks_per_file=10) as exporter:
                for (name, height), txs in sorted(self.blocks.items()):
                    if name == chain:
                        exporter.write(CommittedBlock(chain, height, height * second, b"", tuple(txs), ()))
        return self.folder


@pytest.fixture
def chains(tmp_path):
    """A maker of exports."""
    return Chains(tmp_path / "export")
