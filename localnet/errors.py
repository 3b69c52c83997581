"""Errors of running a chain. They never reach a chain's responses."""

from dataclasses import dataclass
from typing import dataclass_transform


@dataclass_transform(eq_default=False)
@dataclass(eq=False)
class LocalnetError(Exception):
    """Base class of the local network's errors; a subclass is a dataclass that lists its fields."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(eq=False)(cls)


class NoSuchBlock(LocalnetError):
    """There is no block at this height yet."""

    height: int
    last: int

    def __str__(self) -> str:
        # CometBFT's wording, which relayers parse.
        return f"height {self.height} must be less than or equal to the current blockchain height {self.last}"


class ChainHalted(LocalnetError):
    """A block failed with an unexpected exception; the chain must be reopened."""

    chain_id: str
    height: int

    def __str__(self) -> str:
        return f"{self.chain_id} halted at block {self.height}"


class BrokenChain(LocalnetError):
    """State and blocks on disk are inconsistent."""

    chain_id: str
    reason: str

    def __str__(self) -> str:
        return f"{self.chain_id} cannot be opened: {self.reason}"


class UnknownSigner(LocalnetError):
    """The wallet has no account on the chain."""

    chain_id: str
    address: str

    def __str__(self) -> str:
        return f"{self.address} has no account on {self.chain_id}"


class TxNotIncluded(LocalnetError):
    """A transaction was not included in a block."""

    chain_id: str
    what: str
    seconds: float

    def __str__(self) -> str:
        return f"{self.chain_id}: {self.what} not committed within {self.seconds:g} s"


class AlreadyRunning(LocalnetError):
    """Another process holds the lock of a node's home."""

    home: str

    def __str__(self) -> str:
        return f"a node runs at {self.home} already"


class NodeFailed(LocalnetError):
    """A node's process exited or did not respond in time."""

    chain_id: str
    reason: str
    log: str  # its last lines

    def __str__(self) -> str:
        return f"{self.chain_id}: {self.reason}\n{self.log}".rstrip()


class BadSettings(LocalnetError):
    """A settings file is missing or malformed."""

    path: str
    reason: str

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}: put it right, or remove the network (`pyibc localnet reset`)"


class LostValidators(LocalnetError):
    """Too many validators have lost their homes for the others to reach a quorum."""

    chain_id: str
    names: str

    def __str__(self) -> str:
        return (
            f"{self.chain_id}: the homes of {self.names} are lost, the other validators are too few to go on:"
            " `pyibc localnet reset` removes the network, `up` makes it anew"
        )


class NoSuchNetwork(LocalnetError):
    """There is no network with this name."""

    name: str

    def __str__(self) -> str:
        return f"no network is called {self.name!r}: `pyibc localnet list` tells names, `up --name` makes one"


class NetworkExists(LocalnetError):
    """A network with this name exists already."""

    name: str

    def __str__(self) -> str:
        return f"network {self.name!r} exists: start it without settings, or reset it first"
