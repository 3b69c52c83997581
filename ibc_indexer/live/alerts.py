"""The alert command: run with what is new to worry about, once for each packet or client and state."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Sequence
from tempfile import TemporaryFile
from typing import NamedTuple

import msgspec

from ibc_indexer.job import Outcome
from ibc_indexer.live.concerns import EXPIRES_WITHIN_S, Concern, concerns
from ibc_indexer.storage.locations import Location, replace

TIMEOUT_S = 10.0
TOLD_AT_ONCE = 1000  # concerns in one run of the command; the others wait for the next round
FILE = "alerted.json"  # in the folder of results

Tell = Callable[[str], None]


class AlertSettings(NamedTuple):
    """What is run, and when."""

    command: Sequence[str]  # a program and its arguments: no shell sees them
    within_s: float = EXPIRES_WITHIN_S  # before it expires a client is told
    timeout_s: float = TIMEOUT_S


class Alerts:
    """Runs a command with JSON on its standard input; nothing that a chain says is among its arguments.

        {"alerts": [{"kind": "stuck", "key": ..., "packet_id": ..., ...}], "waiting": 0}

    What was told is in `FILE` before the command runs: after a kill nothing is told twice. What stops to be a
    concern is forgotten, and told anew if it comes back.
    """

    def __init__(
        self, settings: AlertSettings, out: Location, tell: Tell, ran: Callable[[bool], None]
    ) -> None:
        """`ran` hears of each run of the command whether it failed."""
        self._settings = settings
        self._file = out / FILE
        self._tell = tell
        self._ran = ran
        self._told: set[str] | None = None

    def __call__(self, outcome: Outcome) -> None:
        """Tells what is new in `outcome`.

        Raises:
            OSError: the folder of results cannot be written.
        """
        found = concerns(outcome, self._settings.within_s)
        before = self._read()
        fresh = [each for each in found if each.key not in before]
        # guard: h119-a-flood-is-told-at-once drop:TOLD_AT_ONCE
        #   test_h119_a_flood_is_one_run_of_the_command_at_a_time
        now = fresh[:TOLD_AT_ONCE]
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
            except (FileNotFoundError, msgspec.DecodeError):  # rather told twice than never
                self._told = set()
        return self._told

    def _write(self, told: set[str]) -> None:
        replace(self._file, msgspec.json.encode(sorted(told)))
        self._told = told


def run_command(command: Sequence[str], data: bytes, timeout_s: float) -> str:
    """Runs a program with `data` on its standard input; returns what went wrong, or nothing.

    It is in a session of its own: what it has started ends with it when its time is over.
    """
    with TemporaryFile() as given:  # no pipe, which a program that does not read would block
        given.write(data)
        given.seek(0)
        try:
            process = subprocess.Popen(  # noqa: S603 - the operator's own command, without a shell
                command, stdin=given, stdout=subprocess.DEVNULL, start_new_session=True
            )
        except OSError as error:
            return f"cannot be run: {error.strerror}"
    try:
        process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        # guard: h119-what-a-command-started-goes-on {=> process.kill()}
        #   test_h119_a_command_that_does_not_end_is_ended_with_all_it_started
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return f"did not end within {timeout_s:g} s"
    return f"ended with {process.returncode}" if process.returncode else ""
