"""Alerts: a command that gets each packet or client in a state that needs attention once.

These are stuck packets, overdue acknowledgements, and clients that expire soon. If the command fails, it gets
them again in the next round.
"""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple

import msgspec

from pyibc.indexer.chains.progress import Tip
from pyibc.indexer.files import StateFolder
from pyibc.indexer.pipeline.report import Outcome
from pyibc.indexer.results.table_answers import Row

STUCK, ACK_OVERDUE, EXPIRING = "stuck", "ack_overdue", "expiring"
KINDS = (STUCK, ACK_OVERDUE, EXPIRING)
EXPIRES_WITHIN_S = 24 * 3600.0

TIMEOUT_S = 10.0
ALERTS_PER_RUN = 1000  # alerts in one run of the command; the others are deferred to the next round
FILE = "alerted.json"  # in the folder of results

Tell = Callable[[str], None]


class Concern(NamedTuple):
    """Packet or client in a state that needs an operator's attention."""

    kind: str  # one of `KINDS`
    key: str  # identifies the packet or client and its state, for deduplication
    fields: dict[str, Any]  # JSON values; times in unix seconds


def concerns(outcome: Outcome, within_s: float = EXPIRES_WITHIN_S) -> list[Concern]:
    """Find all alert conditions: stuck packets, overdue acknowledgements, and expiring clients in use.

    Of stuck packets and of overdue acknowledgements, the oldest ten thousand are used.

    The time left of a client is relative to the last block of its host chain, so old recordings raise no
    alert. A client is in use if it has an open channel or IBC v2 packets.
    """
    answers = outcome.answers
    packets = [_packet(STUCK, row) for row in answers.stuck]
    packets += [_packet(ACK_OVERDUE, row) for row in answers.ack_overdue]
    clients = [_client(row, outcome.tips, within_s) for row in answers.tables.clients]
    return packets + [each for each in clients if each is not None]


def _packet(kind: str, row: Row) -> Concern:
    names = ("packet_id", "src_chain", "dst_chain", "src_port", "src_channel", "dst_port", "dst_channel")
    more = ("sequence", "send_height", "received", "expires_height", "denom", "amount")
    fields = {name: getattr(row, name) for name in (*names, *more)}
    moments = {name: _seconds(getattr(row, name)) for name in ("send_time", "recv_time", "expires_time")}
    return Concern(kind, f"{kind} {row.packet_id}", fields | moments)


def _client(row: Row, tips: Mapping[str, Tip], within_s: float) -> Concern | None:
    tip = tips.get(row.chain)
    if tip is None or tip.time_ns is None or row.expires is None or not row.channels + row.packets:
        return None
    left = row.expires / 1e6 - tip.time_ns / 1e9
    if left > within_s:
        return None
    state = "expiring" if left > 0 else "expired"
    fields = {name: getattr(row, name) for name in ("chain", "client", "claimed_chain", "channels")}
    expiry = {"state": state, "expires_time": _seconds(row.expires), "left_s": left}
    return Concern(EXPIRING, f"{state} {row.chain} {row.client}", fields | expiry)


def _seconds(micros: int | None) -> float | None:
    return None if micros is None else micros / 1e6


class AlertSettings(NamedTuple):
    """Command and thresholds of alerts."""

    command: Sequence[str]  # program and arguments, run without a shell
    within_s: float = EXPIRES_WITHIN_S  # time before the expiry of a client
    timeout_s: float = TIMEOUT_S


class Alerts:
    """Runner of the alert command, which gets JSON on its standard input and no chain data in its arguments.

        {"alerts": [{"kind": "stuck", "key": ..., "packet_id": ..., ...}], "waiting": 0}

    Alerts are recorded in `FILE` when the command has ended with 0, so that none is lost: one is repeated if
    this process is killed in between. Resolved alerts are removed from it, and reported again if they recur.
    """

    def __init__(self, settings: AlertSettings, out: Path, tell: Tell, ran: Callable[[bool], None]) -> None:
        """Set up alerts; `ran` is called after each run of the command with whether it failed."""
        self._settings = settings
        self._folder = StateFolder(str(out))
        self._tell = tell
        self._ran = ran
        self._told: set[str] | None = None

    def __call__(self, outcome: Outcome) -> None:
        """Report the new alerts in `outcome`.

        Raises:
            OSError: the result folder is not writable.
        """
        found = concerns(outcome, self._settings.within_s)
        before = self._read()
        fresh = [each for each in found if each.key not in before]
        # guard: h119-a-flood-is-told-at-once drop:ALERTS_PER_RUN
        #   test_h119_a_flood_is_one_run_of_the_command_at_a_time
        now = fresh[:ALERTS_PER_RUN]
        told = before & {each.key for each in found}
        if now and self._run(now, len(fresh) - len(now)):
            told |= {each.key for each in now}
        if told != before:
            self._write(told)

    def _run(self, now: Sequence[Concern], waiting: int) -> bool:
        """Run the command; return whether it ended with 0."""
        alerts = [{"kind": each.kind, "key": each.key, **each.fields} for each in now]
        data = json.dumps({"alerts": alerts, "waiting": waiting}, ensure_ascii=True).encode()
        failure = run_command(self._settings.command, data, self._settings.timeout_s)
        if failure:
            self._tell(f"the alert command {self._settings.command[0]} {failure}")
        self._ran(bool(failure))
        return not failure

    def _read(self) -> set[str]:
        if self._told is None:
            try:
                self._told = msgspec.json.decode(self._folder.read(FILE), type=set[str])
            except (FileNotFoundError, msgspec.DecodeError):  # repeat alerts rather than lose them
                self._told = set()
        return self._told

    def _write(self, told: set[str]) -> None:
        self._told = told  # first: what is told is not repeated because the disk is full
        self._folder.write(FILE, msgspec.json.encode(sorted(told)))


def run_command(command: Sequence[str], data: bytes, timeout_s: float) -> str:
    """Run a program with `data` on its standard input; return a description of the failure, or "".

    The program runs in a session of its own, so that a timeout kills its child processes, too.
    """
    with TemporaryFile() as given:  # not a pipe, which would block if the program does not read
        given.write(data)
        given.seek(0)
        try:
            process = subprocess.Popen(  # noqa: S603 - the operator's own command, without a shell
                command, stdin=given, stdout=subprocess.DEVNULL, start_new_session=True
            )
        except OSError as error:
            return f"cannot be started: {error.strerror}"
    try:
        process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        # guard: h119-what-a-command-started-goes-on {=> process.kill()}
        #   test_h119_a_command_that_does_not_end_is_ended_with_all_it_started
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return f"did not end within {timeout_s:g} s"
    return f"exited with code {process.returncode}" if process.returncode else ""
