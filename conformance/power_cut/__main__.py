"""Entry point: `python -m conformance.power_cut [BLOCKS] [STATES]`.

By default 1,000 blocks, and all states at each moment (some 15, at 4 moments per block).
"""

import sys
import tempfile
import time
from pathlib import Path

from conformance.power_cut.recorder import build, events, run
from conformance.power_cut.replay import Count, ReplaySettings, replay

KEEP = 30


def tried(blocks: int, folder: Path, most: int = 1_000) -> Count:
    """Record and replay `blocks` blocks in `folder`, up to `most` states at each moment.

    Raises:
        NoCompiler, CalledProcessError: the recorder cannot be built or run.
        Broken: a state does not open, or lost an announced block.
    """
    root, scratch, log = folder / "root", folder / "states", folder / "log"
    root.mkdir()
    scratch.mkdir()
    command = [sys.executable, "-m", "conformance.power_cut.workload", str(root), str(blocks), str(KEEP)]
    run(build(folder), command, root, log)
    return replay(events(log), root, scratch, ReplaySettings(KEEP, most))


def main(blocks: int = 1_000, most: int = 1_000) -> None:
    """Run, and print the totals."""
    memory = Path("/dev/shm")  # noqa: S108 - files in memory: the states are written and opened by thousands
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        start = time.monotonic()
        count = tried(blocks, Path(folder), most)
        seconds = time.monotonic() - start
        told = (
            f"{blocks} blocks, {count.moments} moments, {count.states} states: all open ({seconds:.0f} s)\n"
        )
        sys.stdout.write(told)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
