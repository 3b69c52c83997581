"""A validator's config.toml. Settings that are left out keep CometBFT 0.38's defaults."""

from collections.abc import Sequence
from typing import NamedTuple

from localnet.settings import Abci, Ports

SOCKET = "unix://app.sock"
"""The application's socket, relative to the validator's home: an absolute path could exceed the 108 bytes
of a unix socket address."""
_PROXY_APP = {"socket": SOCKET, "grpc": f"passthrough:{SOCKET}"}
"""The same for CometBFT: over gRPC its library would take `unix://` for itself, and no relative path."""


class Peer(NamedTuple):
    """Another validator's p2p address."""

    node_id: str
    p2p_port: int

    def __str__(self) -> str:
        return f"{self.node_id}@127.0.0.1:{self.p2p_port}"


def config_toml(
    moniker: str, ports: Ports, peers: Sequence[Peer], block_time_ms: int, abci: Abci = "socket"
) -> str:
    """The text of config.toml.

    Args:
        moniker: The node's name.
        ports: The ports it listens on.
        peers: Its persistent peers.
        block_time_ms: `timeout_commit`, milliseconds.
        abci: How CometBFT speaks with its application.
    """
    gossip_ms = max(10, min(100, block_time_ms // 10))
    return f"""\
proxy_app = "{_PROXY_APP[abci]}"
abci = "{abci}"
moniker = "{moniker}"
log_level = "main:info,state:info,statesync:info,*:error"

[rpc]
laddr = "tcp://127.0.0.1:{ports.rpc}"

[p2p]
laddr = "tcp://127.0.0.1:{ports.p2p}"
persistent_peers = "{",".join(map(str, peers))}"
addr_book_strict = false
allow_duplicate_ip = true
pex = false

[consensus]
timeout_commit = "{block_time_ms}ms"
peer_gossip_sleep_duration = "{gossip_ms}ms"

[tx_index]
indexer = "kv"
"""
