"""What a demo says at the end, whatever its packets go over."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from localnet.demo.actors import FUNDS, DemoChain

Say = Callable[[str], None]
"""Told each chapter."""

Tick = Callable[[int], None]
"""Told how many transfers were sent."""


class Books(NamedTuple):
    """Where one chain's own coins are."""

    denom: str
    supply: int  # on its own chain
    expected_supply: int
    escrow: int  # held for what is abroad
    vouchers: int  # made of it on the other chain
    on_the_way: int  # left, or on the way home, and not arrived

    @property
    def balanced(self) -> bool:
        """Whether nothing was lost and nothing was made of nothing."""
        return self.supply == self.expected_supply and self.escrow == self.vouchers + self.on_the_way


def funded_supply(chain: DemoChain) -> int:
    """How many of its own coins a chain began with."""
    return FUNDS * len(chain.users)


class ChainStory(NamedTuple):
    """What one chain says at the end."""

    chain_id: str
    blocks: int
    open_packets: int
    books: Books


class QueueStory(NamedTuple):
    """What two chains say at the end of the packets from one end to another."""

    source: str  # the ends' texts
    destination: str
    head: int  # packets that the sender has done with
    tail: int  # packets that it sent


class Story(NamedTuple):
    """What happened."""

    chains: tuple[ChainStory, ChainStory]
    exports: tuple[Path, Path]
    queues: tuple[QueueStory, ...] = ()
