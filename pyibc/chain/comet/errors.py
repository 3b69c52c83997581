"""Errors of running a chain's node. They never reach the chain's responses."""

from dataclasses import dataclass, fields
from typing import ClassVar, dataclass_transform


@dataclass_transform(eq_default=False)
@dataclass(eq=False)
class NodeError(Exception):
    """Base class of the errors of a node; each subclass is a dataclass with its fields and `text`."""

    text: ClassVar[str] = "node error"

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(eq=False)(cls)

    def __str__(self) -> str:
        return self.text.format(**{f.name: getattr(self, f.name) for f in fields(self)}).rstrip()


class WrongSettings(NodeError):
    """The settings file of an application is missing or malformed."""

    path: str
    reason: str
    text = "{path}: {reason}: write the file as docs/node.md says"


class WrongGenesis(NodeError):
    """The genesis is invalid, or not the one the application was started with."""

    key: str
    reason: str
    text = "genesis: {key} {reason}"


class OutOfStep(NodeError):
    """CometBFT requests a block that is not the next one: its blocks and the state do not match."""

    asked: int
    following: int
    text = "CometBFT requests block {asked}, but the state needs block {following}"
