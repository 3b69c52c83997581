"""Schedules of sends, relayers and mishaps between two chains, played until no packet is under way."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Protocol

from ibc_core.any_message import AnyMessage
from ibc_core.packet.event_reader import SEND_PACKET
from ibc_core.wire.tx import decode_tx
from ibc_relayer.link import Link
from ibc_relayer.packets import AnyPacket, commitment_key, read_event
from localnet.chain import LocalChain


class World(Protocol):
    """Two chains and relayers between them; what a schedule's steps name are methods of it too."""

    @property
    def chains(self) -> Sequence[LocalChain]:
        """Both chains, as they are now."""

    @property
    def relayers(self) -> Sequence[Link]:
        """Relayers between them, one at least, as they are now."""

    def laws(self) -> list[str]:
        """What is wrong with the coins: nothing, at any time."""

    def wait(self, seconds: int) -> None:
        """Lets time pass on both chains."""


def play(world: World, steps: Sequence[tuple[Any, ...]], longest_s: int) -> None:
    """Plays a schedule, then lets the relayers end everything.

    Args:
        world: Where.
        steps: Methods of the world by name, each with its arguments.
        longest_s: Seconds after which every packet is late.

    Raises:
        AssertionError: coins were lost or made, or a packet has not come to its end.
    """
    for name, *arguments in steps:
        getattr(world, name)(*arguments)
    _require_nothing(world.laws())
    for relayer in world.relayers:
        relayer.until_idle()
    # What has timed out on a chain that made no block since is taken back now.
    world.wait(longest_s)
    for chain in world.chains:
        chain.make_block([])
    world.relayers[0].until_idle()
    _require_nothing(world.laws())
    _require_nothing([packet for chain in world.chains for packet in outstanding(chain)])


def _require_nothing(found: Sequence[object]) -> None:
    if found:
        raise AssertionError(found)


def outstanding(chain: LocalChain) -> Iterator[AnyPacket]:
    """Packets that the chain sent and whose commitments stand, of both protocols."""
    for height in range(1, chain.height + 1):
        for outcome in chain.block(height).txs:
            for event in outcome.events:
                seen = read_event(event)
                sent = seen.packet if seen is not None and seen.kind == SEND_PACKET else None
                if sent is not None and chain.get(commitment_key(sent)) is not None:
                    yield sent


def earlier_messages(chain: LocalChain, type_urls: Collection[str]) -> list[AnyMessage]:
    """Messages of these kinds in the chain's blocks so far, refused ones too, in order."""
    return [
        message
        for height in range(1, chain.height + 1)
        for outcome in chain.block(height).txs
        for message in decode_tx(outcome.tx).messages
        if message.type_url in type_urls
    ]
