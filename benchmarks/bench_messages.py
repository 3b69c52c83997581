"""Benchmark: updates with changing validators and channel handshakes, beside ibc-go v11 on identical bytes.

python -m benchmarks.bench_messages  (with Go installed, ibc-go's figures between two runs of ours: A B A)

Every message is executed once, in order, on a chain with default genesis, from wire bytes to writes:
decoding, stateless checks, proofs and signatures, all with cold caches. CPU microseconds, medians by kind,
without garbage collection except before every 64th message. Each header has a different validator set from
the one before: a tenth of the members are new, all powers differ. Handshakes are four messages with proofs
from stores with 100,000 keys, each with its client update.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks import message_transcripts as transcripts
from benchmarks.bench_packets import Row, head
from benchmarks.go_build import messages_program
from pyibc.core import native

HANDSHAKE = ("ChannelOpenInit", "ChannelOpenTry", "ChannelOpenAck", "ChannelOpenConfirm")
UPDATES = ((100, 1), (100, 3), (175, 1), (175, 3))
"""(validators, heights from one update to the next)."""


def rows() -> list[Row]:
    """Measure ours, ibc-go's, ours again."""
    built = messages_program()
    program = [] if built is None else [str(built)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "transcript.json"
        found = [_update(program, file, *terms) for terms in UPDATES]
        file.write_text(json.dumps(transcripts.handshakes()))
        return found + _handshake(measured(program, file))


def _update(program: list[str], file: Path, validators: int, stride: int) -> Row:
    file.write_text(json.dumps(transcripts.updates(validators, stride)))
    kind = "adjacent" if stride == 1 else "skipping"
    found = next(row for row in measured(program, file) if row.name == "UpdateClient")
    return found._replace(name=f"update, {validators} changing, {kind}")


def _handshake(found: list[Row]) -> list[Row]:
    each = [row for name in HANDSHAKE for row in found if row.name == name]
    return [*each, total("channel handshake, four messages", each)]


def total(name: str, each: Sequence[Row]) -> Row:
    """Return the total cost of several messages."""
    us, go, built = ([row[at] for row in each] for at in (1, 2, 3))
    sums = [sum(column) if None not in column else None for column in (go, built)]
    return Row(name, sum(us), *sums)


def measured(program: list[str], file: Path) -> list[Row]:
    """Return a row per kind of message: ours, with native code, and the output of `program`, in turns."""
    ours = [sys.executable, "-m", "benchmarks.message_costs", str(file)]
    switches = ("0",) if native.NATIVE is None else ("0", "1")
    first = [_costs(ours, switch) for switch in switches]
    go = _costs([*program, str(file)]) if program else {}
    again = [_costs(ours, switch) for switch in switches] if program else first
    means = [
        {kind: statistics.mean((us, two[kind])) for kind, us in one.items()}
        for one, two in zip(first, again, strict=True)
    ]
    return [Row(kind, means[0][kind], go.get(kind), *[each[kind] for each in means[1:]]) for kind in means[0]]


def _costs(command: list[str], native_switch: str = "") -> dict[str, float]:
    root = Path(__file__).resolve().parent.parent
    env = {**os.environ, "PYIBC_NATIVE": native_switch}
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=root, env=env)
    lines = (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))
    return {line["op"]: line["us"] for line in lines}


def show(found: list[Row]) -> None:
    """Print a table."""
    print(head("CPU us a message", "ibc-go v11"))
    for row in found:
        print(row.line)
    if native.NATIVE is None:
        print(f"native: {native.WHY}")
    if all(row.go_us is None for row in found):
        print("not run: no Go here, or its program could not be built")


if __name__ == "__main__":
    show(rows())
