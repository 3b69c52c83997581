"""Tables of blocks, events, transactions, messages, clients, channels and chains."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pyibc.core.numbers import MAX_I64
from pyibc.indexer.blocks.block import ChainKey
from pyibc.indexer.bronze.rows import COLUMNS, FACTS, MESSAGES, TRANSACTIONS, place_of
from pyibc.indexer.chains.lineages import Lineages, Member
from pyibc.indexer.chains.resolve import PACKETS, Names
from pyibc.indexer.sql import Columns, Dialect, SqlEngine, columns_of

_CHAINS = columns_of("key string, chain string, incarnation string, lineage string, place_base bigint")
_MAX_BASE = 1 << 42  # half the heights that `chain_rows.place_of` tells apart
_CLIENTS = columns_of("chain string, client string, other_chain string")
_CHANNELS = columns_of(
    "chain string, port string, channel string, client string, other_chain string, known_by string"
)

_BLOCK_COLUMNS = columns_of(
    "chain string, height bigint, time timestamp, incarnation string, app_hash string, content string, "
    "transactions bigint, whole boolean"
)
_EVENT_COLUMNS = columns_of(
    "chain string, height bigint, time timestamp, tx_index int, event_index int, tx_hash string, "
    "type string, protocol tinyint, src_port string, src_channel string, dst_port string, "
    "dst_channel string, sequence bigint, expires_height string, expires_time timestamp, data_digest bigint, "
    "ordering string, connection string, relayer string, denom string, amount string, sender string, "
    "receiver string, memo string, payloads int, ack string, ack_error string"
)
_PLACE = columns_of("chain string, height bigint, time timestamp, tx_index int, tx_hash string")
_CLIENT_COLUMNS = columns_of(
    "chain string, client string, client_type string, claimed_chain string, other_client string, "
    "trusting_period_s double, created_height bigint, updates bigint, last_update_height bigint, "
    "last_update_time timestamp, consensus_height string, consensus_time timestamp, expires_time timestamp, "
    "misbehaved boolean"
)
_CHANNEL_COLUMNS = columns_of(
    "chain string, port string, channel string, state string, ordering string, connection string, "
    "client string, other_chain string, known_by string, other_port string, other_channel string, "
    "other_connection string, other_client string, opened_height bigint, opened_time timestamp, "
    "last_height bigint, account string"
)

_ORDER = f"(least(place, {MAX_I64} - place_base) + place_base)"
"""SQL expression: `place` of a fact if the heights of its chain had never restarted."""

MEMBERS = columns_of(
    "chain string, lineage string, chain_id string, revision bigint, incarnation string, "
    "first_height bigint, last_height bigint, first_ns bigint, last_ns bigint, known_by string, "
    "since_height bigint"
)


class Table(NamedTuple):
    """Result table, defined by a query."""

    name: str  # also of its folder
    columns: Columns
    expressions: dict[str, str]  # of columns that differ from the source column of the same name
    source: str  # FROM clause

    def query(self, dialect: Dialect) -> str:
        """Build the query for the rows."""
        listed = ",\n  ".join(
            f"CAST({self.expressions.get(name, name)} AS {dialect.type(kind)}) AS {name}"
            for name, kind in self.columns
        )
        return f"SELECT {listed}\nFROM {self.source}"


class EndNames(NamedTuple):
    """Counterparty chains of clients and channels, as rows."""

    clients: list[tuple[str | None, ...]]
    channels: list[tuple[str | None, ...]]


def end_names(names: Names) -> EndNames:
    """Collect the counterparty chains of clients and channels."""
    clients: list[tuple[str | None, ...]] = [
        (chain, client, names.claimed(chain, client)) for chain, client in names.clients()
    ]
    channels: list[tuple[str | None, ...]] = []
    for chain, port, channel in names.channels():
        other = names.of_channel(chain, port, channel, "", "")
        below = names.below(chain, port, channel)
        channels.append((chain, port, channel, below, other.chain, other.by or None))
    return EndNames(clients, channels)


def register_chains(engine: SqlEngine, chains: Mapping[str, str], lineages: Lineages) -> None:
    """Register the names of chains in the results with `engine`, by the texts of their `ChainKey`."""
    rows = []
    for key, name in sorted(chains.items()):
        line, base = lineages.placed(name)
        incarnation = ChainKey.parsed(key).incarnation or None
        rows.append((key, name, incarnation, line, place_of(min(base, _MAX_BASE), 0)))
    engine.table("chain_names", _CHAINS, rows)


def register_ends(engine: SqlEngine, names: EndNames) -> None:
    """Register the counterparty chains of clients and channels with `engine`."""
    engine.table("client_names", _CLIENTS, names.clients)
    engine.table("channel_names", _CHANNELS, names.channels)


def blocks_table(dialect: Dialect) -> Table:
    """Define the table with one row per known block."""
    return Table(
        "blocks",
        _BLOCK_COLUMNS,
        {
            "chain": "chain_names.chain",
            "time": dialect.time("time_ns"),
            "content": "digest",
            "transactions": "txs",
            "whole": "NOT partial",
        },
        _named("blocks"),
    )


def events_table(dialect: Dialect) -> Table:
    """Define the table with one row per packet event."""
    limit = "(CAST(timeout_revision AS string) || '-' || CAST(timeout_height AS string))"
    return Table(
        "events",
        _EVENT_COLUMNS,
        {
            "chain": "chain_names.chain",
            "time": dialect.time("time_ns"),
            "expires_height": f"CASE WHEN timeout_height > 0 OR timeout_revision > 0 THEN {limit} END",
            "expires_time": f"CASE WHEN timeout_ns > 0 THEN {dialect.time('timeout_ns')} END",
            "ack_error": "CASE WHEN ack = 'error' THEN detail END",
        },
        _named("events"),
    )


def transactions_table(dialect: Dialect) -> Table:
    """Define the table with one row per transaction, including failed ones."""
    return _content_table(TRANSACTIONS, dialect)


def messages_table(dialect: Dialect) -> Table:
    """Define the table with one row per message."""
    return _content_table(MESSAGES, dialect)


def _content_table(name: str, dialect: Dialect) -> Table:
    expressions = {"chain": "chain_names.chain", "time": dialect.time("time_ns")}
    return Table(name, (*_PLACE, *COLUMNS[name]), expressions, _named(name))


def clients_table(dialect: Dialect) -> Table:
    """Define the table with one row per client."""
    latest, trusting = "max(other_ns)", _last("trusting_ns")
    created = "CASE WHEN told_by = 'create_client' THEN height END"
    expires = f"CASE WHEN {trusting} <= {MAX_I64} - {latest} THEN {trusting} + {latest} END"
    height = "(CAST(other_revision AS string) || '-' || CAST(other_height AS string))"
    grouped = (
        f"(SELECT chain_names.lineage AS chain, client, {_last('client_type')} AS client_type,\n"
        f"  {_last('other_client')} AS other_client, {trusting} AS trusting_ns,\n"
        f"  {_earliest(created)} AS created_height,\n"
        "  count(CASE WHEN told_by = 'update_client' THEN 1 END) AS updates,\n"
        f"  {_last('CASE WHEN other_height IS NOT NULL THEN height END')} AS last_update_height,\n"
        "  max(CASE WHEN other_height IS NOT NULL THEN time_ns END) AS last_update_ns,\n"
        f"  {_last(f'CASE WHEN other_height IS NOT NULL THEN {height} END')} AS consensus_height,\n"
        f"  {latest} AS other_ns, {expires} AS expires_ns,\n"
        "  count(CASE WHEN told_by = 'client_misbehaviour' THEN 1 END) > 0 AS misbehaved\n"
        f"FROM {_named(FACTS)} WHERE type = 'client' GROUP BY chain_names.lineage, client) AS told\n"
        "LEFT JOIN client_names AS other ON told.chain = other.chain AND told.client = other.client"
    )
    return Table(
        "clients",
        _CLIENT_COLUMNS,
        {
            "chain": "told.chain",
            "client": "told.client",
            "claimed_chain": "other.other_chain",
            "trusting_period_s": "trusting_ns / 1e9",
            "last_update_time": dialect.time("last_update_ns"),
            "consensus_time": dialect.time("other_ns"),
            "expires_time": dialect.time("expires_ns"),
        },
        grouped,
    )


def channels_table(dialect: Dialect) -> Table:
    """Define the table with one row per channel end, known from its handshake or its packets."""
    step = f"CASE WHEN told_by <> '{PACKETS}' THEN told_by END"
    opened = "CASE WHEN told_by IN ('channel_open_ack', 'channel_open_confirm') THEN {} END"
    ends = (
        f"(SELECT chain_names.lineage AS chain, port, channel, {_last('connection')} AS connection,\n"
        f"  {_last('other_port')} AS other_port, {_last('other_channel')} AS other_channel,\n"
        f"  {_last('ordering')} AS ordering, {_last(step)} AS step,\n"
        f"  {_earliest(opened.format('height'))} AS opened_height,\n"
        f"  min({opened.format('time_ns')}) AS opened_ns,\n"
        f"  {_last('height')} AS last_height, {_last('account')} AS account\n"
        f"FROM {_named(FACTS)} WHERE type = 'channel' AND channel IS NOT NULL\n"
        "GROUP BY chain_names.lineage, port, channel) AS told"
    )
    return Table(
        "channels",
        _CHANNEL_COLUMNS,
        {
            **{name: f"told.{name}" for name in ("chain", "port", "channel", "connection", "account")},
            "state": (
                "CASE WHEN step = 'channel_open_init' THEN 'INIT'"
                " WHEN step = 'channel_open_try' THEN 'TRYOPEN'"
                " WHEN step IN ('channel_open_ack', 'channel_open_confirm') THEN 'OPEN'"
                " WHEN step IS NOT NULL THEN 'CLOSED' END"
            ),
            "client": "coalesce(below.client, named.client)",
            "other_client": "below.other_client",
            "opened_time": dialect.time("opened_ns"),
        },
        f"{ends}\nLEFT JOIN {_connections()}\n"
        "ON told.chain = below.chain AND told.connection = below.connection\n"
        "LEFT JOIN channel_names AS named ON told.chain = named.chain AND told.channel = named.channel\n"
        "AND coalesce(told.port, '') = named.port",
    )


def _connections() -> str:
    """Build the subquery for one row per connection."""
    return (
        f"(SELECT chain_names.lineage AS chain, connection, {_last('client')} AS client,\n"
        f"  {_last('other_client')} AS other_client, {_last('other_connection')} AS other_connection\n"
        f"FROM {_named(FACTS)} WHERE type = 'connection' GROUP BY chain_names.lineage, connection) AS below"
    )


SEALED = (blocks_table, events_table, transactions_table, messages_table)
"""Tables with rows of blocks; they are made from views of the same names with the prefix `sealed_`."""
SMALL = (clients_table, channels_table)
"""Tables made from facts."""


def _named(role: str) -> str:
    return f"sealed_{role} AS sealed JOIN chain_names ON sealed.chain = chain_names.key"


def _last(expression: str) -> str:
    """Aggregate to the last value that is not null, by the order of the facts of a lineage."""
    return f"max_by({expression}, CASE WHEN ({expression}) IS NOT NULL THEN {_ORDER} END)"


def _earliest(expression: str) -> str:
    """Aggregate to the first value that is not null, by the order of the facts of a lineage."""
    return f"min_by({expression}, CASE WHEN ({expression}) IS NOT NULL THEN {_ORDER} END)"


def register_lineages(engine: SqlEngine, members: Iterable[Member]) -> None:
    """Register the chains with their lineages with `engine` as `lineage_members`."""
    engine.table("lineage_members", MEMBERS, map(member_row, members))


def member_row(one: Member) -> tuple[str | int | None, ...]:
    """Return a chain as a row with the columns `MEMBERS`."""
    return (
        *(one.span.name, one.lineage, one.span.chain_id, one.span.revision),
        *(one.span.incarnation or None, one.span.first_height, one.span.last_height),
        *(one.span.first_ns, one.span.last_ns, one.known_by or None, one.since or None),
    )


def chains_table(dialect: Dialect) -> Table:
    """Define the table with one row per chain: its lineage, known blocks, and how it continues another."""
    times = {f"{name}_time": dialect.time(f"{name}_ns") for name in ("first", "last")}
    columns = tuple(
        (name.replace("_ns", "_time"), "timestamp") if name.endswith("_ns") else (name, kind)
        for name, kind in MEMBERS
    )
    return Table("chains", columns, times, "lineage_members")
