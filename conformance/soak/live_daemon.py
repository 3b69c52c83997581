"""The daemon of a live soak test, which is reloaded, started a second time and killed while it relays."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

IN_USE = 2  # exit code of a daemon whose journal or key another one has
_STOP_S = 60


def events_in(log: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a daemon's log; one that a kill cut short, or is being written, is left out."""
    for line in log.read_text(encoding="utf-8").split("\n")[:-1]:
        if line.startswith("{") and line.endswith("}"):
            yield json.loads(line)


class LiveDaemon:
    """`pyibc relay start` in a process of its own, with its log in `relayer.log`.

    Args:
        folder: The folder with `relayer.toml`.
    """

    def __init__(self, folder: Path) -> None:
        self.log = folder / "relayer.log"
        self._config = folder / "relayer.toml"
        self._again: list[subprocess.Popen[bytes]] = []
        self._reloads = 0
        self._process = self._started()

    @property
    def has_ended(self) -> bool:
        """True if the process has ended by itself."""
        return self._process.poll() is not None

    def suffer(self, kind: str) -> None:
        """Begin a fault: `reload` of the unchanged file, a `second` daemon of the same file, or `kill`."""
        if kind == "reload":
            self._process.send_signal(signal.SIGHUP)
            self._reloads += 1
        elif kind == "second":
            self._again.append(self._started())
        else:
            for each in self._again:  # one that is still starting would take the place of the killed one
                each.wait(_STOP_S)
            self._process.kill()
            self._process.wait()
            self._process = self._started()

    def kill(self) -> None:
        """End all processes at once."""
        for each in (self._process, *self._again):
            each.kill()
            each.wait()

    def stop(self) -> int | None:
        """Let the daemon end; return its exit code, or None if it had ended before."""
        ended = self.has_ended
        self._process.terminate()
        code = self._process.wait(_STOP_S)
        return None if ended else code

    def failures(self) -> list[str]:
        """Return what the faults should not have done, in words."""
        codes = [each.wait(_STOP_S) for each in self._again]
        found = [f"a second daemon ended with {code}" for code in codes if code != IN_USE]
        reloads = [each for each in events_in(self.log) if each["event"] in ("reloaded", "not reloaded")]
        found += [f"a reload: {each}" for each in reloads if each["event"] == "not reloaded" or each["ended"]]
        if len(reloads) != self._reloads:
            found.append(f"{len(reloads)} of {self._reloads} reloads")
        return found

    def _started(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "pyibc", "relay", "start", "--config", str(self._config)]
        with self.log.open("ab") as log:
            return subprocess.Popen(command, stderr=log)  # noqa: S603 - ours
