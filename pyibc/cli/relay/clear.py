"""`pyibc relay clear`: relay the packets that are pending now."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click

from pyibc.cli.progress import progress
from pyibc.cli.relay.configured import (
    WORK_LEFT,
    LinkPart,
    chosen,
    connected,
    link_parts,
    over_paths,
    reports,
    temporary_link,
)
from pyibc.cli.reporting import read_relayer_config
from pyibc.core.errors import IbcError
from pyibc.relayer.config.model import PathConfig, may_send
from pyibc.relayer.daemon.chains import Chain
from pyibc.relayer.errors import WrongConfiguration
from pyibc.relayer.links.link import Link
from pyibc.relayer.metrics import Metrics, acknowledged_text
from pyibc.relayer.packets.policy import BLOCKING, NO_SEQUENCES, Sequences, read_sequences
from pyibc.relayer.queue.link import QueueLink

SHOWN = 3
"""Maximum number of reasons that are printed."""


@click.command()
@over_paths
@click.option(
    "--channel",
    metavar="[CHAIN/]CHANNEL",
    help="With --sequences: the channel, or client, that sends the packets.  [default CHAIN: the path's a]",
)
@click.option("--sequences", metavar="LIST", help="Relay only these packets, such as 5,7-9.")
@reports
def command(
    file: Path, names: tuple[str, ...], as_json: bool, channel: str | None, sequences: str | None
) -> None:
    """Relay pending packets, path after path, until nothing more can be done; then end.

    It may run beside the daemon, and shares its budgets. Exit code 3 if packets are left, or a path failed;
    2 if no path has the channel.
    """
    given = _given(channel, sequences)
    config, left = read_relayer_config(file), False
    with connected(config, config.relayer) as chains:
        paths, found = chosen(file, config, names), False
        for path in paths if given is None else _senders(file, paths, given):
            for row in _clear_all(path, chains, given):
                found = True
                left = left or bool(row["left"] or row["reason"])
                click.echo(json.dumps(row) if as_json else _line(row))
    if given is not None and not found:
        raise WrongConfiguration(str(file), f"no path relays channel {given.channel!r}")
    if left:
        sys.exit(WORK_LEFT)


class Given(NamedTuple):
    """Packets to relay."""

    channel: str  # CHANNEL, or CHAIN/CHANNEL
    sequences: frozenset[int]


def _given(channel: str | None, sequences: str | None) -> Given | None:
    """Return the packets that the options name; None: all."""
    if channel is None or sequences is None:
        if channel is sequences:
            return None
        raise click.UsageError("--channel and --sequences need each other: give both, or neither")
    try:
        return Given(channel, read_sequences(sequences.split(",")))
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--sequences") from error


def _senders(file: Path, paths: list[PathConfig], given: Given) -> list[PathConfig]:
    """Return the paths that may have the channel.

    Raises:
        WrongConfiguration: it is a channel of several chains.
    """
    found = [
        path for path in paths if path.protocol != "queue" and may_send(path, *path.sender(given.channel))
    ]
    chain_ids = {path.sender(given.channel)[0] for path in found}
    if len(chain_ids) > 1:
        several = " or ".join(f"{each}/{given.channel}" for each in sorted(chain_ids))
        raise WrongConfiguration(str(file), f"several chains have this channel: name {several}")
    return found


def _clear_all(path: PathConfig, chains: dict[str, Chain], given: Given | None) -> Iterator[dict[str, Any]]:
    try:
        parts = link_parts(path, chains)
    except (IbcError, OSError) as error:
        yield _row(path.label, Metrics(), 0, str(error))
        return
    for part in parts:
        row = _clear(part, chains, given)
        if row is not None:
            yield row


def _clear(part: LinkPart, chains: dict[str, Chain], given: Given | None) -> dict[str, Any] | None:
    """Relay what is pending on a link; None: it does not have the given channel."""
    done, left, reason = Metrics(), 0, ""
    only = NO_SEQUENCES if given is None else {part.path.sender(given.channel): given.sequences}
    try:
        with temporary_link(part, chains, only) as link:
            if _pending(link, only) is None:
                return None
            try:
                with progress(f"relaying {part.name}"):
                    link.until_idle()
            finally:
                done, left = link.metrics, _pending(link, only) or 0
            if left and only:
                reason = _held(link, only)
    except (IbcError, OSError) as error:
        reason = str(error)
    return _row(part.name, done, left, reason)


def _pending(link: Link | QueueLink, only: Sequences) -> int | None:
    """Return the number of packets that are left; None: the link does not have the channel of `only`."""
    if isinstance(link, QueueLink) or not only:
        return sum(each.packets for each in link.pending_counts())
    ((name, sequences),) = only.items()
    pending = link.pending_from(*name)
    return None if pending is None else len(pending & sequences)


def _held(link: Link | QueueLink, only: Sequences) -> str:
    """Return why given packets are left: a limit or filter holds them, or a packet before them."""
    deferred = link.deferred() if isinstance(link, Link) else []
    ((name, given),) = only.items()
    reasons = [
        f"{m.message} {m.sequence}: {m.reason}"
        for m in deferred
        if (m.src_chain, m.end.rpartition("/")[2]) == name
        and (m.sequence in given or m.reason.endswith(BLOCKING))
    ]
    return "; ".join(reasons[:SHOWN])


def _row(name: str, done: Metrics, left: int, reason: str) -> dict[str, Any]:
    counts = {each: getattr(done, each) for each in ("delivered", "acknowledged", "failed", "timed_out")}
    return {"path": name, **counts, "left": left, "reason": reason}


def _line(row: dict[str, Any]) -> str:
    answered = acknowledged_text(row["acknowledged"], row["failed"])
    counts = f"delivered {row['delivered']}, {answered}, timed out {row['timed_out']}"
    return f"{row['path']}: {counts}, left {row['left']}{'; ' + row['reason'] if row['reason'] else ''}"
