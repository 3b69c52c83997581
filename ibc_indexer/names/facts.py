"""What a transaction tells of clients, connections and channels.

Only successful transactions tell anything. A client's claim stands in the message that created it, its id in
the event; the two belong together by the message's index, or by their order where events have none.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ibc_core.comet_json.fields import read_hex
from ibc_core.errors import IbcError, InvalidHeight
from ibc_core.height import parse_height
from ibc_core.host.events import Attribute, Event
from ibc_core.interchain_accounts.metadata import check_account_address, decode_metadata
from ibc_core.interchain_accounts.names import HOST_PORT
from ibc_core.numbers import MAX_I64, parse_u64
from ibc_core.queue.events import REGISTER
from ibc_core.queue.types import parse_end
from ibc_indexer.attributes import name_in
from ibc_indexer.errors import MalformedContent, MalformedPacketEvent
from ibc_indexer.transactions.content import MAX_NAME, MessageFacts
from ibc_indexer.transactions.decode import claim_of_header
from ibc_indexer.transactions.shapes import (
    CHANNEL_OPEN_INIT,
    CHANNEL_OPEN_TRY,
    CREATE_CLIENT,
    REGISTER_COUNTERPARTY,
    RELAYS,
    UPDATE_CLIENT,
    UPGRADE_CLIENT,
)

CLIENT, CONNECTION, CHANNEL, PROOF = "client", "connection", "channel", "proof"
FACT_TYPES = (CLIENT, CONNECTION, CHANNEL, PROOF)
"""Values of a row's `type`. A proof: a packet's end was proved at a height that its transaction had just
brought to a client; it tells the client of channels whose handshake was not recorded."""

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
"""Types of the events that tell a fact."""


class Fact(NamedTuple):
    """One fact; its fields are columns (`ibc_indexer/chain_rows.py`). What it does not have is null."""

    type: str
    event_index: int | None
    told_by: str  # the event's type, or the message's
    client: str | None = None
    client_type: str | None = None
    connection: str | None = None
    port: str | None = None  # a channel's end on this chain
    channel: str | None = None
    other_port: str | None = None  # its end on the other
    other_channel: str | None = None
    ordering: str | None = None
    other_chain: str | None = None  # as claimed
    other_client: str | None = None
    other_connection: str | None = None
    other_revision: int | None = None  # the height of the other chain that the client was brought to
    other_height: int | None = None
    other_ns: int | None = None  # the other chain's time then, unix nanoseconds
    trusting_ns: int | None = None
    account: str | None = None  # an interchain account that its host gave to the other end


class OddFact(NamedTuple):
    """An event that should tell a fact and does not."""

    event_index: int
    reason: str


def facts_of(events: Sequence[Event], messages: Sequence[MessageFacts]) -> Iterator[Fact | OddFact]:
    """The facts of a successful transaction (or of a block's own events, without messages), in order."""
    telling = [(index, *event) for index, event in enumerate(events) if event[0] in TOLD_BY]
    if telling:  # most transactions tell nothing
        yield from _told_by_events(telling, messages)
    for message in messages:
        if message.type_url == REGISTER_COUNTERPARTY:
            yield Fact(
                CLIENT, None, message.type_url, message.client_id, other_client=message.other_client or None
            )
    yield from _proofs(messages)


def _told_by_events(
    telling: Sequence[tuple[int, str, tuple[Attribute, ...]]], messages: Sequence[MessageFacts]
) -> Iterator[Fact | OddFact]:
    asked = _Asked(messages, [kind for _, kind, _ in telling])
    for index, kind, attributes in telling:
        try:
            yield _fact(index, kind, dict(attributes), asked)
        except (MalformedPacketEvent, MalformedContent, InvalidHeight, ValueError) as error:
            yield OddFact(index, f"{kind}: {getattr(error, 'reason', 'a malformed attribute')}")


class _Asked:
    """Finds the message that an event tells of."""

    def __init__(self, messages: Sequence[MessageFacts], kinds: Iterable[str]) -> None:
        self._messages = messages
        self._of_type: dict[str, list[MessageFacts]] = defaultdict(list)
        for message in messages:
            self._of_type[message.type_url].append(message)
        self._events = Counter(kinds)
        self._passed: dict[str, int] = defaultdict(int)

    def by(self, kind: str, type_url: str, found: dict[str, str]) -> MessageFacts | None:
        """The message of type `type_url` that emitted an event of type `kind`; None if that is not sure."""
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


def _fact(index: int, kind: str, found: dict[str, str], asked: _Asked) -> Fact:
    if kind in _CLIENT_EVENTS:
        return _client(index, kind, found, asked)
    if kind in _CONNECTION_EVENTS:
        return _connection(index, kind, found)
    return _registration(index, found) if kind == REGISTER else _channel(index, kind, found, asked)


def _client(index: int, kind: str, found: dict[str, str], asked: _Asked) -> Fact:
    client = _name(kind, found, "client_id")
    message = asked.by(kind, _CLIENT_EVENTS[kind], found)
    told = _told(found) or message or MessageFacts("")
    if told.client_id and told.client_id != client:
        raise MalformedContent(f"its message is about {told.client_id}")
    revision, height = told.revision, told.height
    if found.get("consensus_height"):
        parsed = parse_height(found["consensus_height"])
        revision, height = min(parsed.revision_number, MAX_I64), min(parsed.revision_height, MAX_I64)
    return Fact(
        CLIENT,
        index,
        kind,
        client,
        _optional(found, "client_type"),
        other_chain=told.chain_id or None,
        other_revision=revision if height else None,
        other_height=height or None,
        other_ns=told.time_ns or None,
        trusting_ns=told.trusting_ns or None,
    )


def _told(found: dict[str, str]) -> MessageFacts | None:
    """The header in the event, where the chain is of a version that puts it there."""
    return claim_of_header(read_hex(found["header"])) if found.get("header") else None


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


def _channel(index: int, kind: str, found: dict[str, str], asked: _Asked) -> Fact:
    message = asked.by(kind, _CHANNEL_EVENTS[kind], found) if _CHANNEL_EVENTS[kind] else None
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
    """The account that a host promises in the version it answers a controller with (ICS-27)."""
    if kind != "channel_open_try" or found.get("port_id") != HOST_PORT:
        return None
    try:
        account = decode_metadata(found.get("version", "")).address
        check_account_address(account)
    except IbcError:
        return None
    return account


def _registration(index: int, found: dict[str, str]) -> Fact:
    """Queues: a client belongs to the chain of the remote end that is registered with it."""
    remote = parse_end(_name(REGISTER, found, "remote"))
    if remote is None:
        raise MalformedContent("a malformed remote end")
    client = _name(REGISTER, found, "client_id")
    return Fact(CLIENT, index, REGISTER, client, other_chain=remote.chain)


def _proofs(messages: Sequence[MessageFacts]) -> Iterator[Fact]:
    """One fact for each end whose packets were proved at a height just brought to one client."""
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
        raise MalformedContent(f"{field} of {len(name)} characters")
    return name
