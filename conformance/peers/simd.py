"""An ibc-go chain on loopback: one validator of `simd`, ibc-go's testing application."""

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from conformance.peers.binaries import peer_binary
from conformance.peers.process import PeerFailed, PeerProcess, free_ports, run, until
from localnet.process.startup import node_height

COINS = "1000000000000stake,1000000000000samoleans"
_KEYRING = ("--keyring-backend", "test")


class Ports(NamedTuple):
    """Ports of a node, on 127.0.0.1."""

    rpc: int
    p2p: int
    grpc: int


class Simd:
    """A chain with one validator. Call `start`, and always `stop`."""

    def __init__(self, chain_id: str, home: Path, ports: Ports | None = None, program: str = "simd") -> None:
        """Set chain id, home and ports; creates nothing. `program`: `simd`, or `simd11` of ibc-go v11.

        Raises:
            PeerMissing: simd is not installed.
        """
        self.chain_id = chain_id
        self.home = home
        self.ports = ports or Ports(*free_ports(3))
        self._program, self._binary = program, peer_binary(program)
        self._process: PeerProcess | None = None

    @property
    def rpc(self) -> str:
        """URL of CometBFT's RPC."""
        return f"http://127.0.0.1:{self.ports.rpc}"

    @property
    def grpc(self) -> str:
        """URL of the gRPC server."""
        return f"http://127.0.0.1:{self.ports.grpc}"

    @property
    def pid(self) -> int:
        """Process id of the running node; raises PeerFailed if it was not started."""
        if self._process is None:
            raise PeerFailed(f"{self.chain_id} was not started")
        return self._process.pid

    def make(
        self, accounts: Sequence[str], *, block_s: float = 0.5, state: Mapping[str, Any] | None = None
    ) -> None:
        """Write its genesis and configuration.

        Args:
            accounts: Addresses that receive `COINS` each.
            block_s: `timeout_commit`, seconds.
            state: Module name -> its genesis state, in place of the default.

        Raises:
            PeerFailed: a simd command failed.
        """
        self.command("init", "node", "--chain-id", self.chain_id)
        self.command("keys", "add", "validator", *_KEYRING)
        for account in ("validator", *accounts):
            self.command("genesis", "add-genesis-account", account, COINS, *_KEYRING)
        chain = ("--chain-id", self.chain_id)
        self.command("genesis", "gentx", "validator", "100000000stake", *chain, *_KEYRING)
        self.command("genesis", "collect-gentxs")
        self._replace(state or {})
        self._configure(block_s)

    def fork(self, home: Path) -> "Simd":
        """Return a second instance of the chain with the same state and validator key; stop this one first.

        Both continue from the same block with different transactions, as under a dishonest validator.
        """
        shutil.copytree(self.home, home)
        return Simd(self.chain_id, home, program=self._program)

    def start(self) -> None:
        """Start the node and wait for new blocks.

        Raises:
            PeerFailed: it makes no blocks; includes the end of its log.
        """
        self._process = PeerProcess(self._start_command(), self.home / "simd.log")
        try:
            until(self._lives, f"{self.chain_id} answers", 60)
            before = self.height
            until(lambda: self.height > max(before, 2), f"{self.chain_id} makes blocks", 60)
        except PeerFailed as error:
            self.stop()
            raise PeerFailed(f"{error}\n{self.log()[-3000:]}") from error

    @property
    def height(self) -> int:
        """Return the height of the last block; 0 if the node does not respond."""
        return node_height(self.ports.rpc, self.chain_id) or 0

    def stop(self) -> None:
        """Stop the node if it is running; its state is kept."""
        if self._process is not None:
            self._process.stop()
            self._process = None

    def log(self) -> str:
        """Return the node's output."""
        path = self.home / "simd.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def command(self, *words: str) -> str:
        """Return the output of a simd command; raises PeerFailed."""
        return run([self._binary, *words, "--home", self.home])

    # -- internals

    def _lives(self) -> bool:
        if self._process is None or not self._process.runs:
            raise PeerFailed(f"{self.chain_id} ended")
        return self.height > 0

    def _start_command(self) -> list[str | Path]:
        loopback = "127.0.0.1"
        return [
            self._binary,
            "start",
            f"--home={self.home}",
            "--log_level=info",
            "--log_no_color",
            f"--rpc.laddr=tcp://{loopback}:{self.ports.rpc}",
            f"--p2p.laddr=tcp://{loopback}:{self.ports.p2p}",
            f"--grpc.address={loopback}:{self.ports.grpc}",
            "--grpc-web.enable=false",
            "--api.enable=false",
            "--minimum-gas-prices=0stake",
        ]

    def _replace(self, state: Mapping[str, Any]) -> None:
        path = self.home / "config" / "genesis.json"
        genesis = json.loads(path.read_text())
        for module, entries in state.items():
            genesis["app_state"][module] |= entries
        path.write_text(json.dumps(genesis))

    def _configure(self, block_s: float) -> None:
        path = self.home / "config" / "config.toml"
        text = path.read_text()
        wanted = {
            "timeout_commit": f'"{block_s * 1000:.0f}ms"',
            "timeout_propose": '"2s"',
            "max_tx_bytes": "8388608",
            "max_body_bytes": "20000000",
            "pprof_laddr": '""',
            "addr_book_strict": "false",
        }
        for key, value in wanted.items():
            text, count = re.subn(rf"^{key} = .*$", f"{key} = {value}", text, flags=re.MULTILINE)
            if count != 1:
                raise PeerFailed(f"{path}: {count} entries {key}")
        path.write_text(text)
