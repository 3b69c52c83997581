"""Errors between CometBFT and the application. They never reach a chain's responses."""

from localnet.errors import LocalnetError


class WrongGenesis(LocalnetError):
    """The genesis is invalid, or not the one the application was started with."""

    key: str
    reason: str
    text = "genesis: {key} {reason}"


class OutOfStep(LocalnetError):
    """CometBFT requests a block that is not the next one: its blocks and our state do not match."""

    asked: int
    following: int
    text = "block {asked} is to be executed, the state needs block {following}"


class NoCometBft(LocalnetError):
    """CometBFT is not installed, or not at the given path."""

    told: str = ""  # the value of COMETBFT

    def __str__(self) -> str:
        if self.told:
            return f"COMETBFT is {self.told!r}, which is no program: set it to CometBFT's path, or unset it"
        return "no cometbft found: `make cometbft` builds it where Go is, or set COMETBFT to its path"


class WrongCometBft(LocalnetError):
    """The binary is not a CometBFT version we support."""

    path: str
    version: str  # as it reports it

    def __str__(self) -> str:
        said = repr(self.version) if self.version else "nothing"
        return (
            f"{self.path} is no CometBFT 0.38, asked for its version it says {said}:"
            " `make cometbft` builds one, or set COMETBFT to its path"
        )


class ValidatorFailed(LocalnetError):
    """A validator's application did not start."""

    name: str
    code: int | None  # its exit code; negative: the signal that killed it
    log: str  # its last lines
    text = "{name}: the application ended with exit code {code}\n{log}"
