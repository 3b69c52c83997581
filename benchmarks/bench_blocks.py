"""Benchmark: growth of memory, file descriptors, disk and start time with the number of blocks.

    python -m benchmarks.bench_blocks            100,000 blocks (ten to twenty minutes)
    python -m benchmarks.bench_blocks 10000

Every other block has a bank transfer. The chain retains 1,000 blocks and 100 versions; it is closed and
reopened for each row. Memory is the process's RssAnon after that, disk the space its files occupy. The
last lines are the growth over 100,000 blocks, by linear regression over the second half of the rows.
"""

import gc
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from localnet.chain import LocalChain
from localnet.settings import Genesis, funded
from pyibc.chain.bank.send import MSG_SEND, encode_send
from pyibc.chain.comet.settings import Retention
from pyibc.codec.anys import AnyMessage
from pyibc.core.coin import coin
from pyibc.core.host.context import Config
from pyibc.default_plugins import plugins
from pyibc.relayer.money.wallet import Wallet

START = 10**18
CHAIN_ID = "long-1"
ALICE, BOB = Wallet.from_seed("a", "cosmos"), Wallet.from_seed("b", "cosmos")
KEEPS = Retention(keep_blocks=1_000, keep_versions=100, cache_nodes=10_000)
ROWS = 20


class Row(NamedTuple):
    """Figures after some number of blocks."""

    blocks: int
    memory_mb: float  # RssAnon
    descriptors: int
    disk_mb: float  # of both databases
    open_ms: float
    block_ms: float  # mean wall time since the previous row

    def __str__(self) -> str:
        return (
            "| "
            + " | ".join(f"{each:,.1f}" if isinstance(each, float) else f"{each:,}" for each in self)
            + " |"
        )


def opened(home: Path) -> LocalChain:
    """Open the chain at `home`."""
    genesis = Genesis(funded([(ALICE.address.text, [coin("stake", 10**12)])]), START)
    return LocalChain(
        CHAIN_ID, home, plugins=plugins(Config()), genesis=genesis, clock=lambda: START, retention=KEEPS
    )


def send(chain: LocalChain) -> bytes:
    """Return Alice's next transaction."""
    account = chain.app.pending_account(ALICE.address.raw)
    assert account is not None
    message = AnyMessage(MSG_SEND, encode_send(ALICE.address.text, BOB.address.text, (coin("stake", 1),)))
    return ALICE.sign_tx(
        [message], chain_id=CHAIN_ID, account_number=0, sequence=account.sequence, gas_limit=10**6
    )


def memory_mb() -> float:
    """Return the process's RssAnon, in MB."""
    told = Path("/proc/self/status").read_text().split("RssAnon:")[1].split()[0]
    return int(told) / 1024


def disk_mb(folder: Path) -> float:
    """Return the disk space of the files below a folder, in MB."""
    return sum(path.stat().st_blocks for path in folder.rglob("*") if path.is_file()) * 512 / 1e6


def rows(home: Path, blocks: int) -> list[Row]:
    """Yield a row after each of equally many blocks."""
    chain, found = opened(home), []
    for part in range(ROWS):
        start = time.perf_counter()
        while chain.height < blocks * (part + 1) // ROWS:
            chain.make_block([send(chain)] if chain.height % 2 else [], START + chain.height * 10**9)
        block_ms = (time.perf_counter() - start) * 1e3 / (blocks / ROWS)
        chain.close()
        start = time.perf_counter()
        chain = opened(home)
        open_ms = (time.perf_counter() - start) * 1e3
        gc.collect()
        descriptors = sum(1 for _ in Path("/proc/self/fd").iterdir())
        found.append(Row(chain.height, memory_mb(), descriptors, disk_mb(home), open_ms, block_ms))
        print(found[-1], flush=True)
    chain.close()
    return found


def growth(found: list[Row], name: str) -> float:
    """Return the growth of a figure over 100,000 blocks, by the second half of the rows."""
    late = found[len(found) // 2 :]
    xs, ys = [row.blocks for row in late], [getattr(row, name) for row in late]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    slope = sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / sum((a - x) ** 2 for a in xs)
    return float(slope * 100_000)


def main(blocks: int) -> None:
    """Print the rows and slopes."""
    print("| blocks | memory MB | descriptors | disk MB | open ms | ms a block |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        found = rows(Path(folder) / "home", blocks)
    for name in Row._fields[1:]:
        print(f"{name}: {growth(found, name):+.2f} over 100,000 blocks")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
