"""What is pending on a path, in one direction, in numbers."""

from typing import NamedTuple

from ibc_relayer.backlog import Backlog
from ibc_relayer.path import SIDES, other
from ibc_relayer.pending_packets import Stage


class Waiting(NamedTuple):
    """The packets from one end to the other whose life is not over."""

    src_chain: str
    dst_chain: str
    end: str  # on the sending chain: `port/channel`, a client, or an end of queues
    packets: int
    oldest: int  # their lowest sequence; 0: none, or unknown
    received: int = 0  # of these: those that wait for their acknowledgement to get back


class HeldMessage(NamedTuple):
    """A message of a pending packet that is held back, by a filter or for its price."""

    src_chain: str
    end: str  # as in `Waiting`
    message: str  # `recv`, `acknowledge`, `timeout`, ...
    sequence: int
    reason: str


def waiting_in(backlog: Backlog) -> list[Waiting]:
    """Of every path of a backlog, both directions."""
    return [
        Waiting(
            channel.path.end(side).chain_id,
            channel.path.end(other(side)).chain_id,
            "/".join(channel.path.end(side).name),
            len(sent.packets),
            sent.oldest(),
            len(sent.packets) - sent.count(Stage.SENT),
        )
        for channel in backlog.channels
        for side in SIDES
        for sent in (channel.sent_from(side),)
    ]
