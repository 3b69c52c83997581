"""Tables of blocks, events, transactions, messages, clients, channels and chains."""

from collections.abc import Iterator, Mapping

from pyibc.core.numbers import MAX_I64
from pyibc.indexer.blocks.block import ChainKey
from pyibc.indexer.bronze.rows import COLUMNS as CONTENT_COLUMNS
from pyibc.indexer.bronze.rows import FACTS, MESSAGES, TRANSACTIONS, place_of
from pyibc.indexer.chains.lineages import Lineages
from pyibc.indexer.chains.resolve import PACKETS, Names
from pyibc.indexer.sql import Dialect, SqlEngine, columns_of

_CHAINS = columns_of("key string, chain string, incarnation string, lineage string, place_base bigint")
_MAX_BASE = 1 << 42  # half the heights that `bronze.rows.place_of` tells apart
_CLIENTS = columns_of("chain string, client string, other_chain string")
_CHANNELS = columns_of(
    "chain string, port string, channel string, client string, other_chain string, known_by string"
)

_CONTENT = columns_of("chain string, height bigint, time timestamp, tx_index int, tx_hash string")
COLUMNS = {
    "blocks": columns_of(
        "chain string, height bigint, time timestamp, incarnation string, app_hash string, content string, "
        "transactions bigint, whole boolean"
    ),
    "events": columns_of(
        "chain string, height bigint, time timestamp, tx_index int, event_index int, tx_hash string, "
        "type string, protocol tinyint, src_port string, src_channel string, dst_port string, "
        "dst_channel string, sequence bigint, expires_height string, expires_time timestamp, "
        "data_digest bigint, ordering string, connection string, relayer string, denom string, "
        "amount string, sender string, receiver string, memo string, payloads int, ack string, "
        "ack_error string"
    ),
    "transactions": (*_CONTENT, *CONTENT_COLUMNS[TRANSACTIONS]),
    "messages": (*_CONTENT, *CONTENT_COLUMNS[MESSAGES]),
    "clients": columns_of(
        "chain string, client string, client_type string, claimed_chain string, other_client string, "
        "trusting_period_s double, created_height bigint, updates bigint, last_update_height bigint, "
        "last_update_time timestamp, consensus_height string, consensus_time timestamp, "
        "expires_time timestamp, misbehaved boolean"
    ),
    "channels": columns_of(
        "chain string, port string, channel string, state string, ordering string, connection string, "
        "client string, other_chain string, known_by string, other_port string, other_channel string, "
        "other_connection string, other_client string, opened_height bigint, opened_time timestamp, "
        "last_height bigint, account string"
    ),
    "chains": columns_of(
        "chain string, lineage string, chain_id string, revision bigint, incarnation string, "
        "first_height bigint, last_height bigint, first_time timestamp, last_time timestamp, "
        "known_by string, since_height bigint"
    ),
}
"""Columns of the tables."""

_ORDER = f"(least(place, {MAX_I64} - place_base) + place_base)"
"""SQL expression: `place` of a fact if the heights of its chain had never restarted."""


def register_chains(engine: SqlEngine, chains: Mapping[str, str], lineages: Lineages) -> None:
    """Register the names of chains in the results with `engine`, by the texts of their `ChainKey`."""
    rows = []
    for key, name in sorted(chains.items()):
        line, base = lineages.placed(name)
        incarnation = ChainKey.parsed(key).incarnation or None
        rows.append((key, name, incarnation, line, place_of(min(base, _MAX_BASE), 0)))
    engine.table("chain_names", _CHAINS, rows)


def register_ends(engine: SqlEngine, names: Names) -> None:
    """Register the counterparty chains of clients and channels with `engine`."""
    clients = [(chain, client, names.claimed(chain, client)) for chain, client in names.clients()]
    channels = []
    for end in names.channels():
        other = names.of_channel(*end, "", "")
        channels.append((*end, names.below(*end), other.chain, other.by or None))
    engine.table("client_names", _CLIENTS, clients)
    engine.table("channel_names", _CHANNELS, channels)


def table_queries(dialect: Dialect) -> Iterator[tuple[str, str]]:
    """Yield the tables and the query of each.

    Tables with rows of blocks are made from views of the same names with the prefix `sealed_`, `clients` and
    `channels` from the facts (`n` alike), and `chains` from `lineage_members`.
    """
    of_blocks = {"chain": "chain_names.chain", "time": dialect.time("time_ns")}
    limit = "(CAST(timeout_revision AS string) || '-' || CAST(timeout_height AS string))"
    expressions = {
        "blocks": {"content": "digest", "transactions": "txs", "whole": "NOT partial"},
        "events": {
            "expires_height": f"CASE WHEN timeout_height > 0 OR timeout_revision > 0 THEN {limit} END",
            "expires_time": f"CASE WHEN timeout_ns > 0 THEN {dialect.time('timeout_ns')} END",
            "ack_error": "CASE WHEN ack = 'error' THEN detail END",
        },
        TRANSACTIONS: {},
        MESSAGES: {},
    }
    for name, own in expressions.items():
        yield name, _query(dialect, name, of_blocks | own, _named(name))
    yield "clients", _clients_query(dialect)
    yield "channels", _channels_query(dialect)
    yield "chains", _query(dialect, "chains", {}, "lineage_members")


def _query(dialect: Dialect, name: str, expressions: Mapping[str, str], source: str) -> str:
    return f"SELECT {dialect.listed(COLUMNS[name], expressions)}\nFROM {source}"


def _clients_query(dialect: Dialect) -> str:
    """Build the query for one row per client."""
    latest, trusting = "max(other_ns)", _last("trusting_ns")
    created = "CASE WHEN told_by = 'create_client' THEN height END"
    expires = f"CASE WHEN {trusting} <= {MAX_I64} - {latest} THEN {trusting} + {latest} END"
    height = "(CAST(other_revision AS string) || '-' || CAST(other_height AS string))"
    grouped = (
        f"(SELECT chain_names.lineage AS chain, client, {_last('client_type')} AS client_type,\n"
        f"  {_last('other_client')} AS other_client, {trusting} AS trusting_ns,\n"
        f"  {_earliest(created)} AS created_height,\n"
        "  CAST(coalesce(sum(CASE WHEN told_by = 'update_client' THEN n END), 0) AS bigint) AS updates,\n"
        f"  {_last('CASE WHEN other_height IS NOT NULL THEN height END')} AS last_update_height,\n"
        "  max(CASE WHEN other_height IS NOT NULL THEN time_ns END) AS last_update_ns,\n"
        f"  {_last(f'CASE WHEN other_height IS NOT NULL THEN {height} END')} AS consensus_height,\n"
        f"  {latest} AS other_ns, {expires} AS expires_ns,\n"
        "  count(CASE WHEN told_by = 'client_misbehaviour' THEN 1 END) > 0 AS misbehaved\n"
        f"FROM {_named(FACTS)} WHERE type = 'client' GROUP BY chain_names.lineage, client) AS told\n"
        "LEFT JOIN client_names AS other ON told.chain = other.chain AND told.client = other.client"
    )
    return _query(
        dialect,
        "clients",
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


def _channels_query(dialect: Dialect) -> str:
    """Build the query for one row per channel end, known from its handshake or its packets."""
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
    return _query(
        dialect,
        "channels",
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


def _named(role: str) -> str:
    return f"sealed_{role} AS sealed JOIN chain_names ON sealed.chain = chain_names.key"


def _last(expression: str) -> str:
    """Aggregate to the last value that is not null, by the order of the facts of a lineage."""
    return f"max_by({expression}, CASE WHEN ({expression}) IS NOT NULL THEN {_ORDER} END)"


def _earliest(expression: str) -> str:
    """Aggregate to the first value that is not null, by the order of the facts of a lineage."""
    return f"min_by({expression}, CASE WHEN ({expression}) IS NOT NULL THEN {_ORDER} END)"
