"""Makes the link of a configured path. Nothing is created on a chain: what does not exist is an error."""

from pathlib import Path

from ibc_core.queue.types import End
from ibc_relayer.daemon.config import FilterConfig, PathConfig, RuleConfig
from ibc_relayer.daemon.pausing import pause
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.find_path import find_channel, find_client_path
from ibc_relayer.link import Link, Options
from ibc_relayer.path import AnyPath
from ibc_relayer.policy import Policy, Rule
from ibc_relayer.queue.link import QueueLink
from ibc_relayer.queue.path import find_queue_path


def open_link(path: PathConfig, a: ChainEndpoint, b: ChainEndpoint, journal: Path) -> Link | QueueLink:
    """The link of `path`, its paths checked against both chains.

    Raises:
        IbcError: as `Link`; a path does not exist, or its terms are not ours.
    """
    accept = frozenset(path.accept)
    if path.protocol == "queue":
        ends = path.queue_ends or [(End(a.chain_id), End(b.chain_id))]
        return QueueLink([find_queue_path(a, b, each, accept=accept) for each in ends], a, b)
    found: list[AnyPath]
    if path.protocol == "v2":
        found = [find_client_path(a, b, path.client, accept=accept)]
    else:
        found = [find_channel(a, b, path.port, channel, accept=accept) for channel in path.channels]
    return Link(found, a, b, journal=journal, options=Options(policy=policy_of(path.filter), sleep=pause))


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
