"""Benchmark: applications and middleware beside ibc-go v11, on identical messages.

python -m benchmarks.bench_apps  (with Go installed, ibc-go's figures between two runs of ours: A B A)

Forwarded packets, interchain accounts, calls, and transfers through the full stack: rate limits over
forwarding over ICS-20. Every message is timed from its bytes to writes, proofs included: CPU microseconds,
medians by kind of message; the last row of each kind is the sum over a packet's whole life.

First in blocks of one kind, on chains with 100,000 keys (`benchmarks.app_transcripts`); then ("alone") in
recordings of ibc-go's testing application, replayed on both sides: a different kind of message each time, in
tiny stores, with cold caches.
"""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.app_transcripts import KINDS, traffic
from benchmarks.bench_messages import measured, show, total
from benchmarks.bench_packets import Row
from conformance.transcripts.reader import load
from conformance.walks.replay_program import Missing, build

RECORDINGS = Path(__file__).resolve().parent.parent / "tests" / "vectors" / "ibcgo-transcripts"
FILES = ("pfm", "ica", "gmp")
CACHE = Path(__file__).resolve().parent.parent / ".cache" / "interop-go"

_OTHERS = {
    "MsgTransfer": "transfer under the full stack, sent",
    "controller.v1.MsgSendTx": "interchain account, sent",
    "gmp.v1.MsgSendCall": "GMP call, sent",
}


def label(tx: dict[str, Any]) -> str:
    """Return the label of a successful transaction of one message; "" if no row covers it."""
    if tx["code"] or len(tx["msgs"]) != 1:
        return ""
    kind = tx["msgs"][0]["type_url"]
    for ending, name in _OTHERS.items():
        if kind.endswith(ending):
            return name
    told = {event["type"]: dict(_pairs(event)) for event in tx["events"]}
    if kind.endswith(".MsgRecvPacket"):
        return _received(told)
    if kind.endswith(".MsgAcknowledgement") and "write_acknowledgement" in told:
        return "forwarded packet, answered"
    return ""


def _pairs(event: dict[str, Any]) -> Iterator[tuple[str, str]]:
    return ((each.get("key", ""), each.get("value", "")) for each in event["attributes"])


def _received(told: dict[str, dict[str, str]]) -> str:
    if "ibccallbackerror-fungible_token_packet" in told or "write_acknowledgement" not in told:
        return "forwarded packet, received and sent on" if "send_packet" in told else ""
    if told.get("ics27_packet", {}).get("success") == "true":
        return "interchain account, executed"
    if told.get("ics27_gmp_recv_packet", {}).get("success") == "true":
        return "GMP call, executed"
    is_transfer = told.get("fungible_token_packet", {}).get("success") == "true"
    return "transfer under the full stack, received" if is_transfer else ""


def labelled(name: str) -> dict[str, Any]:
    """Return a recording with labelled transactions."""
    document = load(RECORDINGS / f"{name}.json.gz")
    for step in document["steps"]:
        for tx in step.get("txs") or ():
            tx["label"] = label(tx)
    return document


def rows() -> list[Row]:
    """Measure ours, ibc-go's, ours again."""
    try:
        command = [str(build(CACHE)), "-time"]
    except Missing as missing:
        print(missing)
        command = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "transcript.json"
        file.write_text(json.dumps(traffic()))
        found = _with_sums(measured(command, file))
        for name in FILES:
            file.write_text(json.dumps(labelled(name)))
            found += [row._replace(name=f"alone: {row.name}") for row in measured(command, file)]
    return found


def _with_sums(found: list[Row]) -> list[Row]:
    """Add the sum of all messages after the rows of each kind of packet."""
    every: list[Row] = []
    for kind in KINDS:
        each = [row for row in found if row.name.startswith(f"{kind},")]
        every += [*each, total(f"{kind}, its whole life", each)]
    return every


if __name__ == "__main__":
    show(rows())
