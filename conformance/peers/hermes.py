"""Runs Hermes between live chains."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from conformance.peers.binaries import peer_binary
from conformance.peers.chain import private_key
from conformance.peers.process import PeerFailed, PeerProcess, run, until
from localnet.relayers import HermesChain, HermesConfig, write_hermes

_SHOWN = 4_000
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_TROUBLE = re.compile(r"^\S+ +(WARN|ERROR) .*$", re.MULTILINE)
START_S = 60.0


class Hermes:
    """A Hermes instance with its own folder. Always call `stop`."""

    def __init__(
        self,
        folder: Path,
        chains: Sequence[HermesChain],
        terms: HermesConfig = HermesConfig(),  # noqa: B008
    ) -> None:
        """Write its configuration, with the relayer's key.

        Raises:
            PeerMissing: Hermes is not installed.
        """
        self._binary = peer_binary("hermes")
        self.folder = folder
        self._config = write_hermes(folder, chains, private_key("relayer"), terms)
        self._process: PeerProcess | None = None
        self._runs = 0

    def command(self, *words: str, timeout: float = 180.0) -> Any:
        """Run a command and return its result; the command is logged.

        Raises:
            PeerFailed: it fails.
        """
        told = run([self._binary, "--config", self._config, "--json", *words], timeout=timeout)
        with (self.folder / "commands.log").open("a") as log:
            log.write(f"# {' '.join(words)}\n{told}\n")
        last = json.loads(told.strip().splitlines()[-1])
        if last.get("status") != "success":
            raise PeerFailed(told)
        return last["result"]

    def start(self) -> None:
        """Start relaying; returns when Hermes reports that it has started.

        Raises:
            PeerFailed: it exits, or does not start in time.
        """
        self._runs += 1
        command: list[str | Path] = [self._binary, "--config", self._config, "start"]
        self._process = PeerProcess(command, self.folder / f"start{self._runs}.log")
        until(self._started, "Hermes starts", START_S)

    @contextmanager
    def relaying(self) -> Iterator[None]:
        """Relay for the duration of the `with` block; raises as `start`."""
        try:
            self.start()
            yield
        finally:
            self.stop()

    def stop(self) -> None:
        """Stop it if it is running."""
        if self._process is not None:
            self._process.stop()
            self._process = None

    @property
    def pid(self) -> int:
        """Process id of the running Hermes; raises PeerFailed if it was not started."""
        if self._process is None:
            raise PeerFailed("Hermes was not started")
        return self._process.pid

    def words(self) -> str:
        """Return the output of all runs, without colour codes."""
        logs = sorted(self.folder.glob("start*.log"))
        return _COLOURS.sub("", "".join(log.read_text(errors="replace") for log in logs))

    def last_words(self) -> str:
        """Return the end of the output, for messages about a timeout."""
        return self.words()[-_SHOWN:]

    def trouble(self) -> list[str]:
        """Return the warnings and errors of all runs."""
        return [found.group() for found in _TROUBLE.finditer(self.words())]

    def _started(self) -> bool:
        if self._process is None or not self._process.runs:
            raise PeerFailed(f"Hermes ended\n{self.words()[-3000:]}")
        return "Hermes has started" in self.words()
