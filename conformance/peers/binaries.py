"""Paths of external binaries that tests need."""

from pathlib import Path

from localnet.comet.homes import find_executable


class PeerMissing(Exception):
    """An external binary is not installed; the error says how to install it."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"no {name}: `make live` builds the peers where Go and Rust are,"
            " or IBC_LIVE_BIN names a folder with them"
        )


def peer_binary(name: str) -> Path:
    """Return the path of an external binary; raises PeerMissing."""
    path = find_executable(name)
    if path is None:
        raise PeerMissing(name)
    return path
