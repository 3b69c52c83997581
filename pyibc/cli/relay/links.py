"""Links of `pyibc relay`: over a channel, a pair of clients, or ends of queues."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from pyibc.core.channel.types import Order
from pyibc.queues.types import End
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.clients.driver import Drivers, Terms
from pyibc.relayer.errors import JournalMismatch
from pyibc.relayer.links.journal import paths_of
from pyibc.relayer.links.link import Link
from pyibc.relayer.metrics import Metrics
from pyibc.relayer.paths.discovery import find_channel, find_client_path, find_path
from pyibc.relayer.paths.path import AnyPath
from pyibc.relayer.queue.link import Options, QueueLink
from pyibc.relayer.queue.path import QueuePath, find_queue_path


class NamedLink(NamedTuple):
    """Link with the description of its paths."""

    link: Link | QueueLink
    lines: list[str]  # one for each path
    ends: dict[str, Any]  # for JSON


class ChannelPlan(NamedTuple):
    """Parameters of the channel to relay."""

    port: str
    version: str
    order: Order
    channel_id: str  # on a; "": the only one with these parameters; else its own parameters apply


class Between(NamedTuple):
    """Two chains, and the supported clients and accepted terms."""

    a: ChainEndpoint
    b: ChainEndpoint
    drivers: Drivers
    accept: Terms  # terms that may differ from the policy


def channel_link(chains: Between, plan: ChannelPlan, journal: Path | None) -> NamedLink:
    """Return the link of a channel: the named one, the journal's, or the only usable one."""
    a, b, drivers, accept = chains
    name = known_name(journal, chains, (a.chain_id, "", "", plan.port, plan.channel_id))
    if name:
        path = find_channel(a, b, plan.port, name, drivers=drivers, accept=accept)
    else:
        path = find_path(a, b, plan.port, plan.order, plan.version, drivers=drivers, accept=accept)
    return NamedLink(Link([path], a, b, journal=journal, drivers=drivers), *described(path))


def client_link(chains: Between, client_id: str, journal: Path | None) -> NamedLink:
    """Return the link of a pair of clients: the named one, the journal's, or the only usable one."""
    a, b, drivers, accept = chains
    name = known_name(journal, chains, (a.chain_id, client_id))
    path = find_client_path(a, b, name, drivers=drivers, accept=accept)
    return NamedLink(Link([path], a, b, journal=journal, drivers=drivers), *described(path))


def described(path: AnyPath) -> tuple[list[str], dict[str, Any]]:
    """Return a path as lines of text, and for JSON."""
    line = f"{path.a.chain_id} {path.a.name[-1]} <-> {path.b.name[-1]} {path.b.chain_id}"
    return [line], {"a": path.a._asdict(), "b": path.b._asdict()}


def known_name(journal: Path | None, chains: Between, wanted: tuple[str, ...]) -> str:
    """Return the name on a of the path to relay: that of the user, or else that of the journal; "": neither.

    This is checked first: a journal of other paths ends the command before anything is sent, and a journal's
    path stays in use if third parties have created more.

    Args:
        journal: the file, if there is one.
        chains: the chains.
        wanted: the end on a, as in `PathEnd` or `ClientEnd`; "": any.

    Raises:
        JournalMismatch: the journal is of other chains, or of other paths than wanted.
    """
    paths = [] if journal is None else paths_of(journal)
    names = {
        str(on_a[-1])
        for on_a, on_b, *_ in paths
        if len(on_a) == len(wanted)
        and on_b[0] == chains.b.chain_id
        and all(each in {"", name} for each, name in zip(wanted, on_a, strict=True))
    }
    # guard: h135-a-journal-of-other-paths-is-not-refused {paths and (not names) => names and (not paths)}
    #   test_h135_a_journal_of_another_path_ends_the_command_before_anything_is_sent
    if paths and not names:
        raise JournalMismatch(str(journal), "belongs to other paths")
    return names.pop() if len(names) == 1 else wanted[-1]


def queue_link(chains: Between, ends: Sequence[tuple[End, End] | None], options: Options) -> NamedLink:
    """Return the link of queues of the chains themselves, or of the given ends."""
    a, b, drivers, accept = chains
    paths = [find_queue_path(a, b, each, drivers=drivers, accept=accept) for each in ends]
    link = QueueLink(paths, a, b, options, drivers)
    return NamedLink(link, queue_lines(paths), queue_ends(chains, paths))


def queue_lines(paths: Sequence[QueuePath]) -> list[str]:
    """Return the paths as lines of text."""
    return [f"{path.a.local.text} <-> {path.b.local.text}" for path in paths]


def queue_ends(chains: Between, paths: Sequence[QueuePath]) -> dict[str, Any]:
    """Return the paths for JSON."""
    return {
        name: {
            "chain_id": chain.chain_id,
            "client_id": sides[0].client_id,
            "ends": [side.local.text for side in sides],
        }
        for name, chain, sides in (
            ("a", chains.a, [path.a for path in paths]),
            ("b", chains.b, [path.b for path in paths]),
        )
    }


def show(named: NamedLink, metrics: Metrics, *, as_json: bool) -> None:
    """Print the paths and the counters."""
    if as_json:
        click.echo(json.dumps({**named.ends, **vars(metrics)}))
        return
    for line in named.lines:
        click.echo(line)
    cleaned = f", cleaned up {metrics.cleaned_up}" if isinstance(named.link, QueueLink) else ""
    click.echo(
        f"delivered {metrics.delivered}, {metrics.acknowledged_text}, timed out {metrics.timed_out},"
        f" already done by others {metrics.redundant}{cleaned}"
    )
    click.echo(
        f"{metrics.transactions} transactions with {metrics.updates} client updates,"
        f" {metrics.bytes_sent} bytes; {metrics.refused} refused"
    )
    for name, reason in metrics.given_up.items():
        click.echo(f"given up: {name}: {reason}", err=True)
