"""Foreign programs that a test needs."""

from pathlib import Path

from localnet.executables import find_executable


class PeerMissing(Exception):
    """A foreign program is not on this machine; the message names it and how to get it."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"no {name}: `make live` builds the peers where Go and Rust are,"
            " or IBC_LIVE_BIN names a folder with them"
        )


def peer_binary(name: str) -> Path:
    """The path of a foreign program; raises PeerMissing."""
    path = find_executable(name)
    if path is None:
        raise PeerMissing(name)
    return path
