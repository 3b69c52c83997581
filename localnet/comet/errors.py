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
    """There is no CometBFT on this machine, or not where it was said to be."""

    told: str = ""  # what COMETBFT says

    def __str__(self) -> str:
        if self.told:
            return f"COMETBFT is {self.told!r}, which is no program: set it to CometBFT's path, or unset it"
        return "no cometbft found: `make cometbft` builds it where Go is, or set COMETBFT to its path"


@dataclass(eq=False)
class WrongCometBft(LocalnetError):
    """A program that is not the CometBFT that our application speaks with."""

    path: str
    version: str  # what it says of itself

    def __str__(self) -> str:
        said = repr(self.version) if self.version else "nothing"
        return (
            f"{self.path} is no CometBFT 0.38, asked for its version it says {said}:"
            " `make cometbft` builds one, or set COMETBFT to its path"
        )


@dataclass(eq=False)
class ValidatorFailed(LocalnetError):
    """A validator's application did not start."""

    name: str
    code: int | None  # its exit code; below 0: the signal that killed it
    log: str  # its last lines

    def __str__(self) -> str:
        return f"{self.name}: the application ended with exit code {self.code}\n{self.log}".rstrip()
