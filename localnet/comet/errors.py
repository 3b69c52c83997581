"""What can go wrong between CometBFT and our application. None of these is a chain's answer to anybody."""

from dataclasses import dataclass

from localnet.errors import LocalnetError


@dataclass(eq=False)
class WrongGenesis(LocalnetError):
    """A genesis that this application cannot run, or another one than it was started with."""

    key: str
    reason: str

    def __str__(self) -> str:
        return f"genesis: {self.key} {self.reason}"


@dataclass(eq=False)
class OutOfStep(LocalnetError):
    """CometBFT asks for another block than the next one: its blocks and our state do not fit together."""

    asked: int
    following: int

    def __str__(self) -> str:
        return f"block {self.asked} is to be executed, the state needs block {self.following}"


@dataclass(eq=False)
class NoCometBft(LocalnetError):
    """There is no CometBFT on this machine."""

    def __str__(self) -> str:
        return "no cometbft found: `make cometbft` builds it where Go is, or set COMETBFT to its path"


@dataclass(eq=False)
class ValidatorFailed(LocalnetError):
    """A validator's application did not start."""

    name: str
    reason: str
    log: str  # its last lines

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}\n{self.log}".rstrip()
