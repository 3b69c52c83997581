"""Extraction of facts about clients, connections and channels from transactions.

Only successful transactions are used. The chain id of a client is in the message that created it, the client
id in the event; the two are matched by the message index, or by order if events have no message index.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pyibc.apps.interchain_accounts.packet_data import HOST_PORT, check_account_address, decode_metadata
from pyibc.codec.comet_json import read_hex
from pyibc.core.errors import IbcError, InvalidHeight
from pyibc.core.height import parse_height
from pyibc.core.host.block import Attribute, Event
from pyibc.core.numbers import MAX_I64, parse_u64
from pyibc.indexer.blocks.block import MAX_NAME, MessageFacts
from pyibc.indexer.errors import MalformedContent, MalformedPacketEvent
from pyibc.indexer.events.messages import (
    CHANNEL_OPEN_INIT,
    CHANNEL_OPEN_TRY,
    CREATE_CLIENT,
    REGISTER_COUNTERPARTY,
    RELAYS,
    UPDATE_CLIENT,
    UPGRADE_CLIENT,
)
from pyibc.indexer.events.packet_facts import name_in
from pyibc.indexer.events.packets import undone_events
from pyibc.indexer.events.transactions import claim_of_header
from pyibc.queues.packet import REGISTER
from pyibc.queues.types import parse_end

CLIENT, CONNECTION, CHANNEL, PROOF = "client", "connection", "channel", "proof"
"""Values of a row's `type`. A `proof` fact means that a packet of a channel end was proved at a height to
which the same transaction updated a client; so it identifies the client of channels without a recorded
handshake."""

_CLIENT_EVENTS = {
    "create_client": CREATE_CLIENT,
    "update_client": UPDATE_CLIENT,
    "upgrade_client": UPGRADE_CLIENT,
    "client_misbehaviour": "",
}
_CONNECTION_EVENTS = frozenset(f"connection_open_{step}" for step in ("init", "try", "ack", "confirm"))
_CHANNEL_EVENTS = {
    "channel_open_init": CHANNEL_OPEN_INIT,
    "channel_open_try": CHANNEL_OPEN_TRY,
    "channel_open_ack": "",
    "channel_open_confirm": "",
    "channel_close_init": "",
    "channel_close_confirm": "",
    "channel_close": "",
}
TOLD_BY = frozenset({*_CLIENT_EVENTS, *_CONNECTION_EVENTS, *_CHANNEL_EVENTS, REGISTER})
"""Types of the events that contain facts."""


class Fact(NamedTuple):
    """Fact about a client, connection or channel; the fields are columns (`pyibc/indexer/bronze/rows.py`)."""

    type: str
    event_index: int | None
    told_by: str  # type of the event, or of the message
    client: str | None = None
    client_type: str | None = None
    connection: str | None = None
    port: str | None = None  # channel end on this chain
    channel: str | None = None
    other_port: str | None = None  # channel end on the counterparty chain
    other_channel: str | None = None
    ordering: str | None = None
    other_chain: str | None = None  # as claimed
    other_client: str | None = None
    other_connection: str | None = None
    other_revision: int | None = None  # counterparty height that the client was updated to
    other_height: int | None = None
    other_ns: int | None = None  # counterparty time at that height, unix nanoseconds
    trusting_ns: int | None = None
    account: str | None = None  # interchain account that the host registered for the controller


class MalformedFact(NamedTuple):
    """Malformed event about a client, connection or channel."""

    event_index: int
    reason: str


def facts_of(events: Sequence[Event], messages: Sequence[MessageFacts]) -> Iterator[Fact | MalformedFact]:
    """Yield the facts of a successful transaction, or of block events without messages, in order."""
    relevant = [(index, *event) for index, event in enumerate(events) if event[0] in TOLD_BY]
    if relevant:  # most transactions have none
        undone = undone_events(events, TOLD_BY)
        yield from _from_events([event for event in relevant if event[0] not in undone], messages)
    for message in messages:
        if message.type_url == REGISTER_COUNTERPARTY:
            yield Fact(
                CLIENT, None, message.type_url, message.client_id, other_client=message.other_client or None
            )
    yield from _proofs(messages)


def _from_events(
    events: Sequence[tuple[int, str, tuple[Attribute, ...]]], messages: Sequence[MessageFacts]
) -> Iterator[Fact | MalformedFact]:
    matcher = _MessageMatcher(messages, [kind for _, kind, _ in events])
    for index, kind, attributes in events:
        try:
            yield _fact(index, kind, dict(attributes), matcher)
        except (MalformedPacketEvent, MalformedContent, InvalidHeight, ValueError) as error:
            yield MalformedFact(index, f"{kind}: {getattr(error, 'reason', 'a malformed attribute')}")


class _MessageMatcher:
    """Matcher of events to the messages that emitted them."""

    def __init__(self, messages: Sequence[MessageFacts], kinds: Iterable[str]) -> None:
        self._messages = messages
        self._of_type: dict[str, list[MessageFacts]] = defaultdict(list)
        for message in messages:
            self._of_type[message.type_url].append(message)
        self._events = Counter(kinds)
        self._passed: dict[str, int] = defaultdict(int)

    def by(self, kind: str, type_url: str, found: dict[str, str]) -> MessageFacts | None:
        """Return the message of type `type_url` that emitted an event of type `kind`; None if ambiguous."""
        place = self._passed[kind]
        self._passed[kind] += 1
        number = parse_u64(found.get("msg_index", ""))
        if number is not None:
            message = self._messages[number] if number < len(self._messages) else None
            return message if message is not None and message.type_url == type_url else None
        fitting = self._of_type[type_url]
        if len(fitting) == self._events[kind]:
            return fitting[place]
        client = found.get("client_id")
        return next((message for message in fitting if client and message.client_id == client), None)


def _fact(index: int, kind: str, found: dict[str, str], matcher: _MessageMatcher) -> Fact:
    if kind in _CLIENT_EVENTS:
        return _client(index, kind, found, matcher)
    if kind in _CONNECTION_EVENTS:
        return _connection(index, kind, found)
    return _registration(index, found) if kind == REGISTER else _channel(index, kind, found, matcher)


def _client(index: int, kind: str, found: dict[str, str], matcher: _MessageMatcher) -> Fact:
    client = _name(kind, found, "client_id")
    message = matcher.by(kind, _CLIENT_EVENTS[kind], found)
    # Some versions of ibc-go include the header in the event.
    header = claim_of_header(read_hex(found["header"])) if found.get("header") else None
    claim = header or message or MessageFacts("")
    if claim.client_id and claim.client_id != client:
        raise MalformedContent(f"the client id differs from that of the message, {claim.client_id}")
    revision, height = claim.revision, claim.height
    if found.get("consensus_height"):
        parsed = parse_height(found["consensus_height"])
        revision, height = min(parsed.revision_number, MAX_I64), min(parsed.revision_height, MAX_I64)
    return Fact(
        CLIENT,
        index,
        kind,
        client,
        _optional(found, "client_type"),
        other_chain=claim.chain_id or None,
        other_revision=revision if height else None,
        other_height=height or None,
        other_ns=claim.time_ns or None,
        trusting_ns=claim.trusting_ns or None,
    )


def _connection(index: int, kind: str, found: dict[str, str]) -> Fact:
    return Fact(
        CONNECTION,
        index,
        kind,
        _name(kind, found, "client_id"),
        connection=_name(kind, found, "connection_id"),
        other_client=_optional(found, "counterparty_client_id"),
        other_connection=_optional(found, "counterparty_connection_id"),
    )


def _channel(index: int, kind: str, found: dict[str, str], matcher: _MessageMatcher) -> Fact:
    message = matcher.by(kind, _CHANNEL_EVENTS[kind], found) if _CHANNEL_EVENTS[kind] else None
    ordering = message.ordering if message else _optional(found, "packet_channel_ordering")
    return Fact(
        CHANNEL,
        index,
        kind,
        connection=_optional(found, "connection_id"),
        port=_name(kind, found, "port_id"),
        channel=_name(kind, found, "channel_id"),
        other_port=_optional(found, "counterparty_port_id"),
        other_channel=_optional(found, "counterparty_channel_id"),
        ordering=ordering or None,
        account=_account(kind, found),
    )


def _account(kind: str, found: dict[str, str]) -> str | None:
    """Return the account in the version that a host chain negotiates with a controller (ICS-27)."""
    if kind != "channel_open_try" or found.get("port_id") != HOST_PORT:
        return None
    try:
        account = decode_metadata(found.get("version", "")).address
        check_account_address(account)
    except IbcError:
        return None
    return account


def _registration(index: int, found: dict[str, str]) -> Fact:
    """Build the fact of a queue registration: the client tracks the chain of the registered remote end."""
    remote = parse_end(_name(REGISTER, found, "remote"))
    if remote is None:
        raise MalformedContent("the remote end is malformed")
    client = _name(REGISTER, found, "client_id")
    return Fact(CLIENT, index, REGISTER, client, other_chain=remote.chain)


def _proofs(messages: Sequence[MessageFacts]) -> Iterator[Fact]:
    """Yield a fact for each end whose packets were proved at a height to which one client was updated."""
    if len(messages) < 2:
        return
    brought: dict[tuple[int, int], set[str]] = defaultdict(set)
    ends: dict[tuple[str, str, str], None] = {}
    for message in messages:
        at = (message.revision, message.height)
        if message.type_url == UPDATE_CLIENT and message.height:
            brought[at].add(message.client_id)
        elif message.type_url in RELAYS and message.channel and len(brought.get(at, ())) == 1:
            (client,) = brought[at]
            ends[client, message.port, message.channel] = None
    for client, port, channel in ends:
        yield Fact(PROOF, None, UPDATE_CLIENT, client, port=port, channel=channel)


def _name(kind: str, found: dict[str, str], field: str) -> str:
    return _bounded(field, name_in(kind, found, field))


def _optional(found: dict[str, str], field: str) -> str | None:
    return _bounded(field, found.get(field, "")) or None


def _bounded(field: str, name: str) -> str:
    if len(name) > MAX_NAME:
        raise MalformedContent(f"{field} has {len(name)} characters")
    return name
