"""Updates with changing validators and channel handshakes, beside ibc-go v11 on the very same bytes.

python -m benchmarks.bench_messages  (with Go present, ibc-go's figures between two runs of ours: A B A)

Every message is run once, in order, on a chain at its default genesis, from wire bytes to writes: decoding,
stateless checks, proofs and signatures, all seen for the first time. CPU microseconds, medians by kind.
Each header has another validator set than the one before: a tenth of the members are new, all powers differ.
Handshakes are four messages with proofs out of stores with 100,000 keys, each with its own client update.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import message_transcripts as transcripts
from benchmarks.bench_packets import Row
from benchmarks.go_build import messages_program

HANDSHAKE = ("ChannelOpenInit", "ChannelOpenTry", "ChannelOpenAck", "ChannelOpenConfirm")
UPDATES = ((100, 1), (100, 3), (175, 1), (175, 3))
"""Validators, and heights from one update to the next."""


def rows() -> list[Row]:
    """Ours, ibc-go's, ours again."""
    built = messages_program()
    program = [] if built is None else [str(built)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "transcript.json"
        found = [_update(program, file, *terms) for terms in UPDATES]
        file.write_text(json.dumps(transcripts.handshakes()))
        return found + _handshake(*measured(program, file))


def _update(program: list[str], file: Path, validators: int, stride: int) -> Row:
    file.write_text(json.dumps(transcripts.updates(validators, stride)))
    ours, go = measured(program, file)
    kind = "adjacent" if stride == 1 else "skipping"
    return Row(f"update, {validators} changing, {kind}", ours["UpdateClient"], go.get("UpdateClient"))


def _handshake(ours: dict[str, float], go: dict[str, float]) -> list[Row]:
    each = [Row(f"{name}", ours[name], go.get(name)) for name in HANDSHAKE]
    total = sum(go[name] for name in HANDSHAKE) if go else None
    return [*each, Row("channel handshake, four messages", sum(row.us for row in each), total)]


def measured(program: list[str], file: Path) -> tuple[dict[str, float], dict[str, float]]:
    """CPU microseconds by kind of message, ours and what `program` prints; no program: nothing of it."""
    ours = [sys.executable, "-m", "benchmarks.message_costs", str(file)]
    first = _costs(ours)
    if not program:
        return first, {}
    go, again = _costs([*program, str(file)]), _costs(ours)
    return {kind: statistics.mean((us, again[kind])) for kind, us in first.items()}, go


def _costs(command: list[str]) -> dict[str, float]:
    root = Path(__file__).resolve().parent.parent
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=root)
    lines = (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))
    return {line["op"]: line["us"] for line in lines}


def show(found: list[Row]) -> None:
    """Prints a table."""
    print(f"{'CPU us a message':36}{'ours':>9}{'ibc-go v11':>12}{'times as fast':>15}")
    for row in found:
        go = "not run" if row.go_us is None else f"{row.go_us:.1f}"
        print(f"{row.name:36}{row.us:>9.1f}{go:>12}{row.faster:>15}")
    if all(row.go_us is None for row in found):
        print("not run: no Go here, or its program could not be built")


if __name__ == "__main__":
    show(rows())
