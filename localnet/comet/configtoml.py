"""A validator's config.toml: what differs from CometBFT 0.38's defaults, which hold for the rest."""

from collections.abc import Sequence
from typing import NamedTuple

from localnet.settings import Ports

SOCKET = "unix://app.sock"
"""Where the application listens, seen from the validator's home: as an absolute path it could be
longer than the 108 bytes that a unix socket's name has."""


class Peer(NamedTuple):
    """Another validator."""

    node_id: str
    p2p_port: int

    def __str__(self) -> str:
        return f"{self.node_id}@127.0.0.1:{self.p2p_port}"


def config_toml(moniker: str, ports: Ports, peers: Sequence[Peer], block_time_ms: int) -> str:
    """The file's text.

    Args:
        moniker: The validator's name.
        ports: Where it listens.
        peers: Whom it keeps connections to.
        block_time_ms: How long it waits after a commit (`timeout_commit`).
    """
    gossip_ms = max(10, min(100, block_time_ms // 10))
    return f"""\
proxy_app = "{SOCKET}"
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
