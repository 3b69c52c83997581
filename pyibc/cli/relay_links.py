"""What `pyibc relay` relays: a channel, a pair of clients, or ends of queues."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from ibc_core.channel.types import Order
from ibc_core.queue.types import End, parse_end
from ibc_relayer.driver import Drivers
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.known_path import known_path
from ibc_relayer.link import Link
from ibc_relayer.metrics import Metrics
from ibc_relayer.open_clients import known_client_path, make_client_path
from ibc_relayer.open_path import make_path
from ibc_relayer.queue.batch_policy import BatchPolicy
from ibc_relayer.queue.link import NAIVE, Options, QueueLink
from ibc_relayer.queue.path import make_queue_path

OPTIONS = {
    "channel": frozenset({"port", "version", "order", "new_channel", "channel", "journal"}),
    "v2": frozenset({"client", "new_clients", "journal"}),
    "queue": frozenset({"ends", "naive", "wait_packets", "wait_blocks"}),
}
"""The options of each protocol, which the others do not accept."""


class NamedLink(NamedTuple):
    """A link with the description of its paths."""

    link: Link | QueueLink
    lines: list[str]  # one per path
    ends: dict[str, Any]  # for JSON


class ChannelPlan(NamedTuple):
    """The channel to relay."""

    port: str
    version: str
    order: Order
    is_new: bool  # open a new one even if one is open
    channel_id: str | None  # on a: an existing one; its own order and version apply
    journal: Path | None


def channel_link(a: ChainEndpoint, b: ChainEndpoint, plan: ChannelPlan, drivers: Drivers) -> NamedLink:
    """A channel: the one with the given identifier, else an open one or a new one."""
    if plan.channel_id:
        path = known_path(a, b, plan.port, plan.channel_id, drivers)
    else:
        path = make_path(a, b, plan.port, plan.order, plan.version, drivers=drivers, new_channel=plan.is_new)
    line = f"{path.a.chain_id} {path.a.channel_id} <-> {path.b.channel_id} {path.b.chain_id}"
    link = Link([path], a, b, journal=plan.journal, drivers=drivers)
    return NamedLink(link, [line], {"a": path.a._asdict(), "b": path.b._asdict()})


def client_link(
    a: ChainEndpoint,
    b: ChainEndpoint,
    client_id: str | None,
    journal: Path | None,
    drivers: Drivers,
    *,
    new: bool,
) -> NamedLink:
    """A pair of clients: that of the given client, else a registered one or a new one."""
    if client_id:
        path = known_client_path(a, b, client_id, drivers)
    else:
        path = make_client_path(a, b, drivers=drivers, new_clients=new)
    line = f"{path.a.chain_id} {path.a.client_id} <-> {path.b.client_id} {path.b.chain_id}"
    link = Link([path], a, b, journal=journal, drivers=drivers)
    return NamedLink(link, [line], {"a": path.a._asdict(), "b": path.b._asdict()})


def queue_link(
    a: ChainEndpoint, b: ChainEndpoint, ends: Sequence[tuple[End, End]], options: Options, drivers: Drivers
) -> NamedLink:
    """Queues of the chains themselves, or of the given ends; registers them if needed."""
    paths = [make_queue_path(a, b, each, drivers=drivers) for each in ends]
    paths = paths or [make_queue_path(a, b, drivers=drivers)]
    lines = [f"{path.a.local.text} <-> {path.b.local.text}" for path in paths]
    described = {
        name: {
            "chain_id": chain.chain_id,
            "client_id": sides[0].client_id,
            "ends": [side.local.text for side in sides],
        }
        for name, chain, sides in (
            ("a", a, [path.a for path in paths]),
            ("b", b, [path.b for path in paths]),
        )
    }
    return NamedLink(QueueLink(paths, a, b, options, drivers), lines, described)


def parse_ends(pairs: Sequence[tuple[str, str]]) -> list[tuple[End, End]]:
    """Parses pairs of ends.

    Raises:
        ValueError: one is malformed.
    """
    found = []
    for pair in pairs:
        ends = [parse_end(text) for text in pair]
        if ends[0] is None or ends[1] is None:
            raise ValueError(f"{' '.join(pair)}: an end is CHAIN or CHAIN/CONNECTION/CHANNEL")
        found.append((ends[0], ends[1]))
    return found


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


def show(named: NamedLink, metrics: Metrics, *, as_json: bool) -> None:
    """Prints what was done."""
    if as_json:
        click.echo(json.dumps({**named.ends, **vars(metrics)}))
        return
    for line in named.lines:
        click.echo(line)
    cleaned = f", cleaned up {metrics.cleaned_up}" if isinstance(named.link, QueueLink) else ""
    click.echo(
        f"delivered {metrics.delivered}, acknowledged {metrics.acknowledged}, timed out {metrics.timed_out},"
        f" already done by others {metrics.redundant}{cleaned}"
    )
    click.echo(
        f"{metrics.transactions} transactions with {metrics.updates} client updates,"
        f" {metrics.bytes_sent} bytes; {metrics.refused} refused"
    )
    for name, reason in metrics.given_up.items():
        click.echo(f"given up: {name}: {reason}", err=True)
