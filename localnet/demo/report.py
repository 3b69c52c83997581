"""The result of a demo, for any protocol."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ibc_relayer.metrics import Metrics
from localnet.demo.chains import FUNDS, DemoChain

Announce = Callable[[str], None]
"""Receives one line for each phase of the demo."""

OnProgress = Callable[[int], None]
"""Receives the number of transfers sent so far."""


class SupplyAudit(NamedTuple):
    """Where one chain's native coins are."""

    denom: str
    supply: int  # on the native chain
    expected_supply: int
    escrow: int  # backing vouchers and packets in flight
    vouchers: int  # minted on the counterparty
    on_the_way: int  # in packets that have not been received

    @property
    def balanced(self) -> bool:
        """Whether no coin was lost or created."""
        return self.supply == self.expected_supply and self.escrow == self.vouchers + self.on_the_way


def funded_supply(chain: DemoChain) -> int:
    """The native coins that a chain's genesis distributes."""
    return FUNDS * len(chain.users)


class ChainResult(NamedTuple):
    """The final state of one chain."""

    chain_id: str
    blocks: int
    open_packets: int
    audit: SupplyAudit


class QueueResult(NamedTuple):
    """The final state of the queue of packets from one end to another."""

    source: str  # text form of the sending end
    destination: str  # text form of the receiving end
    head: int  # packets acknowledged or timed out
    tail: int  # packets sent


class DemoResult(NamedTuple):
    """The outcome of a demo."""

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
