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
