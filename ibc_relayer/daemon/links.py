"""Makes the link of a configured path. Nothing is created on a chain: what does not exist is an error."""

import logging
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from ibc_core.queue.types import End
from ibc_relayer.batch import Limits
from ibc_relayer.daemon.config import FilterConfig, PathConfig, RuleConfig
from ibc_relayer.daemon.pausing import pause
from ibc_relayer.daemon.thread_lanes import ThreadLanes
from ibc_relayer.driver import Drivers, Terms
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.errors import NoPath
from ibc_relayer.find_path import discover, find_channel, find_client_path
from ibc_relayer.link import DEFAULT_OPTIONS, Link, Options
from ibc_relayer.path import AnyPath
from ibc_relayer.path import Path as ChannelPath
from ibc_relayer.policy import Policy, Rule
from ibc_relayer.queue.link import Options as QueueOptions
from ibc_relayer.queue.link import QueueLink
from ibc_relayer.queue.path import find_queue_path
from ibc_relayer.tendermint import DRIVERS

log = logging.getLogger("pyibc.relayer")

MESSAGES = 200
"""Of one submission, where several are under way at once: one transaction, so that none waits for another."""


SERIOUS = frozenset({"misbehaviour", "frozen", "not frozen"})
"""Events of a watch for which somebody has to get up."""


def open_for_daemon(
    path: PathConfig,
    a: ChainEndpoint,
    b: ChainEndpoint,
    journal: Path,
    drivers: Drivers,
    *,
    watch: bool = True,
) -> Link | QueueLink:
    """As `open_link`; both directions, and several submissions to a chain, are under way at once.

    `watch`: the light clients on both chains are watched (`ibc_relayer.link_watch`).
    """
    tell = partial(_tell, path.label) if watch else None
    lanes = ThreadLanes(path.label)
    options = Options(messages_per_round=MESSAGES, limits=Limits(messages=MESSAGES), lanes=lanes, watch=tell)
    return open_link(path, a, b, journal, drivers, options)


def _tell(path: str, event: str, facts: Mapping[str, object]) -> None:
    level = logging.CRITICAL if event in SERIOUS else logging.WARNING
    log.log(logging.INFO if event == "client upgraded" else level, event, extra={"path": path, **facts})


def open_link(
    path: PathConfig,
    a: ChainEndpoint,
    b: ChainEndpoint,
    journal: Path,
    drivers: Drivers = DRIVERS,
    options: Options = DEFAULT_OPTIONS,
) -> Link | QueueLink:
    """The link of `path`, its paths checked against both chains; the policy is the path's own.

    Raises:
        IbcError: as `Link`; a path does not exist, or its terms are not ours.
    """
    accept = frozenset(path.accept)
    if path.protocol == "queue":
        ends = path.queue_ends or [(End(a.chain_id), End(b.chain_id))]
        queues = [find_queue_path(a, b, each, drivers=drivers, accept=accept) for each in ends]
        return QueueLink(queues, a, b, QueueOptions(lanes=options.lanes), drivers)
    found: list[AnyPath]
    if path.protocol == "v2":
        found = [find_client_path(a, b, path.client, drivers=drivers, accept=accept)]
    else:
        found = [*configured_channels(path, a, b, accept, drivers)]
    options = options._replace(policy=policy_of(path.filter), sleep=pause)
    return Link(found, a, b, journal=journal, options=options, drivers=drivers)


def configured_channels(
    path: PathConfig, a: ChainEndpoint, b: ChainEndpoint, accept: Terms, drivers: Drivers = DRIVERS
) -> list[ChannelPath]:
    """The channels of a configured path; a pattern stands for all usable ones that there are now.

    Raises:
        NoPath: a pattern fits none.
        IbcError: as `find_channel`.
    """
    found: dict[ChannelPath, None] = {}
    for channel in path.channels:
        if _is_pattern(path.port) or _is_pattern(channel):
            fitting = discover(a, b, port=path.port, channel=channel, drivers=drivers, accept=accept)
            paths = [each.path for each in fitting if each.is_usable]
            here = [each for each in paths if isinstance(each, ChannelPath)]
            if not here:
                raise NoPath(f"channel {path.port}/{channel} from {a.chain_id} to {b.chain_id}", (), 0)
            found.update(dict.fromkeys(here))
        else:
            found[find_channel(a, b, path.port, channel, drivers=drivers, accept=accept)] = None
    return list(found)


def _is_pattern(text: str) -> bool:
    return any(sign in text for sign in "*?")


def policy_of(given: FilterConfig) -> Policy:
    """The policy of a configured filter."""
    return Policy(
        source=_rule(given.source),
        destination=_rule(given.destination),
        sender=_rule(given.sender),
        receiver=_rule(given.receiver),
        denom=_rule(given.denom),
        max_memo=given.max_memo,
        max_receiver=given.max_receiver,
        max_data=given.max_data,
    )


def _rule(given: RuleConfig) -> Rule:
    return Rule(given.allow, given.deny)
