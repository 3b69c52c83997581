"""Paths of external binaries that tests need."""

from pathlib import Path

from localnet.executables import find_executable


class PeerMissing(Exception):
    """A binary is not installed; the message says how to get it."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"no {name}: `make live` builds the peers where Go and Rust are,"
            " or IBC_LIVE_BIN names a folder with them"
        )


def peer_binary(name: str) -> Path:
    """The path of an external binary; raises PeerMissing."""
    path = find_executable(name)
    if path is None:
        raise PeerMissing(name)
    return path
