"""Build of the Go program of these benchmarks, if Go is installed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).with_name("go")


def messages_program() -> Path | None:
    """Return the built program; None without Go, or if the build fails, with the reason on stderr.

    The first build takes minutes and downloads ibc-go's modules. It is made outside of the sources, in
    PEERS_WORK, or else in the user's cache.
    """
    go = shutil.which(os.environ.get("GO", "go"))
    if go is None:
        return None
    work = Path(os.environ.get("PEERS_WORK", Path.home() / ".cache" / "ibc-peers")) / "messages"
    work.mkdir(parents=True, exist_ok=True)
    for name in ("main.go", "go.mod"):
        _renew(SOURCE / name, work / name)
    program = work / "messages"
    env = {**os.environ, "GOFLAGS": "-mod=mod -buildvcs=false"}
    done = subprocess.run(
        [go, "build", "-o", program, "."], check=False, cwd=work, env=env, capture_output=True, text=True
    )
    if done.returncode:
        print(f"the Go program cannot be built: {done.stderr.strip()[-500:]}", file=sys.stderr)
        return None
    return program


def _renew(source: Path, target: Path) -> None:
    """Copy a changed file; keep a go.mod that the build completed."""
    mark = target.with_name(f"{target.name}.source")
    if mark.exists() and mark.read_bytes() == source.read_bytes() and target.exists():
        return
    shutil.copyfile(source, target)
    shutil.copyfile(source, mark)
