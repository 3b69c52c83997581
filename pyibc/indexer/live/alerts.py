"""Alert command: run once for each stuck packet, overdue acknowledgement and expiring client, per state."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

import msgspec

from pyibc.indexer.live.concerns import EXPIRES_WITHIN_S, Concern, concerns
from pyibc.indexer.locations import replace
from pyibc.indexer.pipeline.report import Outcome

TIMEOUT_S = 10.0
ALERTS_PER_RUN = 1000  # alerts in one run of the command; the others are deferred to the next round
FILE = "alerted.json"  # in the folder of results

Tell = Callable[[str], None]


class AlertSettings(NamedTuple):
    """Command and thresholds of alerts."""

    command: Sequence[str]  # program and arguments, run without a shell
    within_s: float = EXPIRES_WITHIN_S  # time before the expiry of a client
    timeout_s: float = TIMEOUT_S


class Alerts:
    """Runner of the alert command, which gets JSON on its standard input and no chain data in its arguments.

        {"alerts": [{"kind": "stuck", "key": ..., "packet_id": ..., ...}], "waiting": 0}

    Reported alerts are recorded in `FILE` before the command runs, so that none is repeated after a kill.
    Resolved alerts are removed from it, and reported again if they recur.
    """

    def __init__(self, settings: AlertSettings, out: Path, tell: Tell, ran: Callable[[bool], None]) -> None:
        """Set up alerts; `ran` is called after each run of the command with whether it failed."""
        self._settings = settings
        self._file = out / FILE
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
        told = (before & {each.key for each in found}) | {each.key for each in now}
        if told != before:
            self._write(told)
        if now:
            self._run(now, len(fresh) - len(now))

    def _run(self, now: Sequence[Concern], waiting: int) -> None:
        alerts = [{"kind": each.kind, "key": each.key, **each.fields} for each in now]
        data = json.dumps({"alerts": alerts, "waiting": waiting}, ensure_ascii=True).encode()
        failure = run_command(self._settings.command, data, self._settings.timeout_s)
        if failure:
            self._tell(f"the alert command {self._settings.command[0]} {failure}")
        self._ran(bool(failure))

    def _read(self) -> set[str]:
        if self._told is None:
            try:
                self._told = msgspec.json.decode(self._file.read_bytes(), type=set[str])
            except (FileNotFoundError, msgspec.DecodeError):  # repeat alerts rather than lose them
                self._told = set()
        return self._told

    def _write(self, told: set[str]) -> None:
        replace(self._file, msgspec.json.encode(sorted(told)))
        self._told = told


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
