"""One of several nodes of a chain, what is known of it, and what is told of it."""

from enum import Enum
from typing import NamedTuple

from ibc_relayer.compact_results import CompactResults
from ibc_relayer.rpc_calls import Rpc

NOT_COMPACT = CompactResults(frozenset(), asked=False)


class Happening(Enum):
    """What happened to a node."""

    DOWN = "down"
    BACK = "back"
    DROPPED = "dropped"
    MALFORMED = "malformed"  # an answer that cannot be read: it is asked last for a while
    DIFFERS = "differs"  # in what no header commits to: the chain's state has to tell who is right


class Notice(NamedTuple):
    """Something that an operator wants to know of a node."""

    chain_id: str
    node: str
    happening: Happening
    reason: str


class Quiet(NamedTuple):
    """What is told of a node at most once in a while."""

    until: float  # by the pool's clock
    untold: int  # notices that nobody has heard of since the last


class PoolNode:
    """A node. Its fields are the pool's to change."""

    def __init__(self, name: str, rpc: Rpc, compact: CompactResults = NOT_COMPACT) -> None:
        """Nothing is known before the first call. `name`: as notices and errors have it.

        `compact`: the form in which results of blocks are asked for, as by those who believe them.
        """
        self.name = name
        self.rpc = rpc
        self.compact = compact
        self.height = 0  # the last that it claimed
        self.until = 0.0  # not to be asked before, by the pool's clock
        self.pause = 1.0  # after the next silence, seconds
        self.doubted = 0.0  # asked last before: it refused a height that it had claimed
        self.judged = False
        self.dropped = ""  # why, for good
        self.problem = ""  # why it does not answer
        self.quiet = {happening: Quiet(0.0, 0) for happening in Happening}
