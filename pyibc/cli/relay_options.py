"""The options of `pyibc relay` and `pyibc relay create`, and what they mean together."""

from collections.abc import Callable, Sequence
from typing import ParamSpec

import click

from ibc_core.channel.types import Order
from ibc_core.queue.types import End, parse_end
from ibc_relayer.queue.batch_policy import BatchPolicy
from ibc_relayer.queue.link import NAIVE, Options

P = ParamSpec("P")

OPTIONS = {
    "channel": frozenset({"port", "version", "order", "channel", "journal", "new_channel"}),
    "v2": frozenset({"client", "journal"}),
    "queue": frozenset({"ends", "naive", "wait_packets", "wait_blocks"}),
}
"""The options of each protocol, which the others do not accept."""

ORDERS = {"unordered": Order.UNORDERED, "ordered": Order.ORDERED}

protocol_option = click.option(
    "--protocol",
    type=click.Choice(list(OPTIONS)),
    default="channel",
    show_default=True,
    help="What packets go over: channels, the clients themselves (IBC v2), or the early protocol's queues.",
)
ends_option = click.option(
    "--ends",
    nargs=2,
    multiple=True,
    metavar="A B",
    help="Queue: ends CHAIN/CONNECTION/CHANNEL of a and b; may be repeated. Without: the chains' own.",
)
accepting = click.option(
    "--accept",
    multiple=True,
    metavar="TERM",
    help="A term that may be other than ours: trusting_period, max_clock_drift, ...; may be repeated.",
)
_CHANNEL = (
    click.option("--port", default="transfer", show_default=True, help="Channel: port on both chains."),
    click.option("--version", default="ics20-1", show_default=True, help="Channel: its version."),
    click.option("--order", type=click.Choice(list(ORDERS)), default="unordered", help="Channel: its order."),
)


def channel_options(command: Callable[P, None]) -> Callable[P, None]:
    """Adds the parameters of a channel."""
    for option in reversed(_CHANNEL):
        command = option(command)
    return command


def parse_ends(pairs: Sequence[tuple[str, str]]) -> list[tuple[End, End] | None]:
    """Parses pairs of ends; None, for the chains themselves, if there are none.

    Raises:
        ValueError: one is malformed.
    """
    found: list[tuple[End, End] | None] = []
    for pair in pairs:
        ends = [parse_end(text) for text in pair]
        if ends[0] is None or ends[1] is None:
            raise ValueError(f"{' '.join(pair)}: an end is CHAIN or CHAIN/CONNECTION/CHANNEL")
        found.append((ends[0], ends[1]))
    return found or [None]


def queue_options(*, naive: bool, packets: int | None, blocks: int | None) -> Options:
    """The options of a queue link.

    Raises:
        ValueError: --naive is combined with a batch policy.
    """
    if naive and (packets or blocks):
        raise ValueError("--naive waits for nobody: without --wait-packets and --wait-blocks")
    if naive:
        return NAIVE
    default = BatchPolicy()
    return Options(BatchPolicy(packets or default.packets, default.blocks if blocks is None else blocks))


def check_options(context: click.Context) -> None:
    """Rejects options of other protocols.

    Raises:
        ValueError: one was given.
    """
    default = click.core.ParameterSource.DEFAULT
    foreign = frozenset().union(*OPTIONS.values()) - OPTIONS[context.params["protocol"]]
    given = {name for name in foreign if context.get_parameter_source(name) is not default}
    flags = sorted(option.opts[0] for option in context.command.params if option.name in given)
    if flags:
        raise ValueError(f"{', '.join(flags)}: not with --protocol {context.params['protocol']}")
