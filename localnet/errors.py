"""What can go wrong with a chain itself. None of these is a chain's answer to anybody."""

from dataclasses import dataclass


@dataclass(eq=False)
class LocalnetError(Exception):
    """Any error of the local network."""


@dataclass(eq=False)
class NoSuchBlock(LocalnetError):
    """A height that has no block (yet)."""

    height: int
    last: int

    def __str__(self) -> str:
        # CometBFT's text, which relayers parse.
        return f"height {self.height} must be less than or equal to the current blockchain height {self.last}"


@dataclass(eq=False)
class ChainHalted(LocalnetError):
    """A block ended in a bug; the chain must be opened again."""

    chain_id: str
    height: int

    def __str__(self) -> str:
        return f"{self.chain_id} halted at block {self.height}"


@dataclass(eq=False)
class BrokenChain(LocalnetError):
    """What is on disk does not fit together."""

    chain_id: str
    reason: str

    def __str__(self) -> str:
        return f"{self.chain_id} cannot be opened: {self.reason}"


@dataclass(eq=False)
class UnknownSigner(LocalnetError):
    """A wallet without an account."""

    chain_id: str
    address: str

    def __str__(self) -> str:
        return f"{self.address} has no account on {self.chain_id}"


@dataclass(eq=False)
class TxNotIncluded(LocalnetError):
    """A chain on a clock did not make the block that was waited for."""

    chain_id: str
    what: str
    seconds: float

    def __str__(self) -> str:
        return f"{self.chain_id}: {self.what} not committed within {self.seconds:g} s"


@dataclass(eq=False)
class AlreadyRunning(LocalnetError):
    """A node's home has an owner already."""

    home: str

    def __str__(self) -> str:
        return f"a node runs at {self.home} already"


@dataclass(eq=False)
class NodeFailed(LocalnetError):
    """A node's process ended, or did not answer in time."""

    chain_id: str
    reason: str
    log: str  # its last lines

    def __str__(self) -> str:
        return f"{self.chain_id}: {self.reason}\n{self.log}".rstrip()


@dataclass(eq=False)
class BadSettings(LocalnetError):
    """A file of settings that cannot be read."""

    path: str
    reason: str

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}: put it right, or remove the network (`pyibc localnet reset`)"


@dataclass(eq=False)
class LostValidators(LocalnetError):
    """Homes of so many validators are gone that the others cannot go on."""

    chain_id: str
    names: str

    def __str__(self) -> str:
        return (
            f"{self.chain_id}: the homes of {self.names} are lost, the other validators are too few to go on:"
            " `pyibc localnet reset` removes the network, `up` makes it anew"
        )


@dataclass(eq=False)
class NoSuchNetwork(LocalnetError):
    """A name that no network has."""

    name: str

    def __str__(self) -> str:
        return f"no network is called {self.name!r}: `pyibc localnet list` tells names, `up --name` makes one"


@dataclass(eq=False)
class NetworkExists(LocalnetError):
    """A network of this name exists, made with other settings."""

    name: str

    def __str__(self) -> str:
        return f"network {self.name!r} exists: start it without settings, or reset it first"
