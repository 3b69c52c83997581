"""Work: one message to be sent, before its proof is known."""

from enum import Enum
from typing import NamedTuple

from ibc_relayer.packets import AnyPacket
from ibc_relayer.path import AnyEnd, Side


class Kind(Enum):
    """Which message a work becomes."""

    RECV = "recv"
    ACKNOWLEDGE = "acknowledge"
    TIMEOUT = "timeout"
    TIMEOUT_ON_CLOSE = "timeout_on_close"
    CLOSE_CONFIRM = "close_confirm"


class WorkKey(NamedTuple):
    """Names a work through all rounds."""

    kind: Kind
    channel: int  # index of the channel, or of the pair of clients, in the backlog
    target: Side
    sequence: int  # 0 for a channel's own messages


class Work(NamedTuple):
    """A message for one chain, to be proven by the other."""

    key: WorkKey
    target_end: AnyEnd  # of the chain that gets the message
    prover_end: AnyEnd  # of the chain whose state is proven
    ordered: bool
    packet: AnyPacket | None = None  # None for CLOSE_CONFIRM
    acknowledgement: bytes = b""


class Verdict(Enum):
    """What became of a work."""

    EFFECTIVE = "effective"  # our message did it
    RECEIVED = "received"  # the packet had arrived before: its acknowledgement is what is left to bring
    GONE = "gone"  # the packet needs nothing more
    FAILED = "failed"
    SKIPPED = "skipped"  # stood behind a failed one on an ordered channel


class Result(NamedTuple):
    """A work and what became of it."""

    work: Work
    verdict: Verdict
    reason: str = ""
