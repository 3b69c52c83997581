"""What a demo says at the end, whatever its packets go over."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ibc_relayer.metrics import Metrics
from localnet.demo.chains import FUNDS, DemoChain

Announce = Callable[[str], None]
"""Told each chapter."""

OnProgress = Callable[[int], None]
"""Told how many transfers were sent."""


class SupplyAudit(NamedTuple):
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


class ChainResult(NamedTuple):
    """What one chain says at the end."""

    chain_id: str
    blocks: int
    open_packets: int
    audit: SupplyAudit


class QueueResult(NamedTuple):
    """What two chains say at the end of the packets from one end to another."""

    source: str  # the ends' texts
    destination: str
    head: int  # packets that the sender has done with
    tail: int  # packets that it sent


class DemoResult(NamedTuple):
    """What happened."""

    chains: tuple[ChainResult, ChainResult]
    exports: tuple[Path, Path]
    queues: tuple[QueueResult, ...] = ()


def relayer_summary(done: Metrics) -> str:
    """One line on what a relayer did and what it cost."""
    cpu_ms = sum(done.cpu_ns.values()) / 1e6
    cleaned = f", {done.cleaned_up} receipts cleaned up" if done.cleaned_up else ""
    return (
        f"the relayer: {done.delivered} delivered, {done.acknowledged} acknowledged,"
        f" {done.timed_out} timed out{cleaned} in {done.transactions} transactions with"
        f" {done.updates} client updates, {cpu_ms:.0f} ms CPU (the chains' work in it included)"
    )
