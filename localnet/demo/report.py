"""The result of a demo, for any protocol."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from localnet.demo.chains import FUNDS, DemoChain
from pyibc.relayer.metrics import Metrics

Announce = Callable[[str], None]
"""Callback for one line per phase of the demo."""

OnProgress = Callable[[int], None]
"""Callback for the number of transfers sent so far."""


class SupplyAudit(NamedTuple):
    """Distribution of one chain's native coins."""

    denom: str
    supply: int  # on the native chain
    expected_supply: int
    escrow: int  # backing vouchers and packets in flight
    vouchers: int  # minted on the counterparty
    on_the_way: int  # in packets that have not been received

    @property
    def balanced(self) -> bool:
        """True if no coin was lost or created."""
        return self.supply == self.expected_supply and self.escrow == self.vouchers + self.on_the_way


def funded_supply(chain: DemoChain) -> int:
    """Return the amount of native coins that a chain's genesis distributes."""
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
    """Return one line on a relayer's work and its cost."""
    cpu_ms = sum(done.cpu_ns.values()) / 1e6
    cleaned = f", {done.cleaned_up} receipts cleaned up" if done.cleaned_up else ""
    failed = f" ({done.failed} with an error)" if done.failed else ""
    return (
        f"the relayer: {done.delivered} delivered, {done.acknowledged} acknowledged{failed},"
        f" {done.timed_out} timed out{cleaned} in {done.transactions} transactions with"
        f" {done.updates} client updates, {cpu_ms:.0f} ms CPU (the chains' work in it included)"
    )
