"""Chains of several implementations for a test, created below a folder and always stopped."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from conformance.peers.chain import SEED, LiveChain, addresses
from conformance.peers.simd import Simd
from localnet.network import Network, NetworkPlan
from localnet.settings import LOCAL, Consensus, read_node

BLOCK_S = 0.5


@contextmanager
def simd_node(
    chain_id: str,
    folder: Path,
    block_s: float = BLOCK_S,
    program: str = "simd",
    state: Mapping[str, Any] | None = None,
) -> Iterator[Simd]:
    """Run an ibc-go chain with the test users.

    Raises:
        PeerMissing: simd is not installed.
    """
    node = Simd(chain_id, folder / chain_id, program=program)
    try:
        node.make(addresses(), block_s=block_s, state=state)
        node.start()
        yield node
    finally:
        node.stop()


@contextmanager
def simd_chain(
    chain_id: str,
    folder: Path,
    block_s: float = BLOCK_S,
    program: str = "simd",
    state: Mapping[str, Any] | None = None,
) -> Iterator[LiveChain]:
    """Run an ibc-go chain, as a `LiveChain`."""
    with (
        simd_node(chain_id, folder, block_s, program, state) as node,
        closing(LiveChain(node.rpc, node.grpc)) as chain,
    ):
        yield chain


@contextmanager
def python_chains(
    folder: Path,
    count: int,
    *,
    consensus: Consensus = LOCAL,
    validators: int = 4,
    plugins: Sequence[str] = (),
    legacy_events: bool = False,
    block_s: float = BLOCK_S,
) -> Iterator[list[LiveChain]]:
    """Run our chains with the test users, each in its own process.

    Args:
        folder: Folder of their state.
        count: Number of chains.
        consensus: Consensus engine: local or CometBFT.
        validators: Number of validators per chain.
        plugins: Additional plugins as `module:callable`.
        legacy_events: Whether to emit the attributes that older relayers read.
        block_s: Block interval, seconds.
    """
    network = Network(SEED, folder)
    plan = NetworkPlan(
        count,
        validators,
        int(block_s * 1000),
        plugins=tuple(plugins),
        consensus=consensus,
        legacy_events=legacy_events,
    )
    network.create(plan)
    with ExitStack() as stack:
        stack.callback(network.stop)
        yield [stack.enter_context(closing(LiveChain(node.rpc, _grpc(node.home)))) for node in network.up()]


def _grpc(home: Path) -> str:
    ports = read_node(home).ports
    return f"http://127.0.0.1:{ports[0].grpc}" if ports else ""
