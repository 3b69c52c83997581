"""Results of CometBFT's blocks as text events, and the compression of such events.

Tendermint and CometBFT before 0.37 encode keys and values of attributes in base64, later versions write plain
text. Neither the JSON nor the version text of a node tells which: forks have version numbers of their own,
and a node may be upgraded while it is in use. So the keys of an answer decide.

Repetitive data between nodes and relayers is compressed in the zlib format (RFC 1950), which reduces the
proofs at one header, or the events of a block, to about a seventh.
"""

import zlib
from base64 import b64decode, b64encode
from binascii import Error as BinasciiError
from collections.abc import Container, Iterable, Sequence
from itertools import chain

import msgspec

from pyibc.codec.comet_json import Json, read_base64, read_hex, read_integer, write_base64, write_hex
from pyibc.codec.gotime import parse_rfc3339
from pyibc.core.host.block import Attribute, CommittedBlock, Event, TxOutcome
from pyibc.core.numbers import MAX_U32
from pyibc.core.packet.events import PACKET_EVENTS
from pyibc.proto.tendermint.p2p.types_pb2 import DefaultNodeInfo

_CONTRACTS = "wasm"
"""Beginning of the types of events whose keys a contract chooses."""


def are_encoded(events: Iterable[Event]) -> bool:
    """Return whether the attributes of undecoded events, all of one answer, are base64.

    All keys must be base64, which one key of the chain's own modules disproves (`fee`, `spender`). Most keys
    that no contract has chosen must encode a printable text, which few plain keys do by chance.
    """
    keys, chosen = set[str](), set[str]()
    for kind, pairs in events:
        (chosen if kind.startswith(_CONTRACTS) else keys).update([key for key, _ in pairs])
    keys.discard("")
    chosen.discard("")
    texts = [_decoded(key) for key in keys or chosen]
    # guard: one-plain-key-proves-nothing drop
    #   test_keys_that_a_contract_chooses_do_not_change_how_a_block_is_read
    if None in texts or None in map(_decoded, chosen):
        return False
    return 2 * sum(text is not None and _is_name(text) for text in texts) > len(texts)


def _decoded(key: str) -> bytes | None:
    """Return the bytes that canonical base64 encodes; None: it is something else."""
    try:
        raw = b64decode(key, validate=True)
    except (BinasciiError, ValueError):
        return None
    return raw if b64encode(raw).decode() == key else None


def _is_name(raw: bytes) -> bool:
    return raw.isascii() and raw.decode("ascii").isprintable()


_TEXTS = ("listen_addr", "network", "version", "moniker")
_PROTOCOLS = ("p2p", "block", "app")


def read_node_info(data: Json) -> DefaultNodeInfo:
    """Return the value of a `node_info`.

    Raises:
        ValueError, KeyError, TypeError: `data` is malformed.
    """
    info = DefaultNodeInfo(default_node_id=data["id"], channels=read_hex(data["channels"]))
    for name in _TEXTS:
        setattr(info, name, data[name])
    for name in _PROTOCOLS:
        setattr(info.protocol_version, name, read_integer(data["protocol_version"][name]))
    info.other.tx_index, info.other.rpc_address = data["other"]["tx_index"], data["other"]["rpc_address"]
    return info


def write_node_info(info: DefaultNodeInfo) -> Json:
    """Return the JSON of a `node_info`."""
    return {
        "protocol_version": {name: str(getattr(info.protocol_version, name)) for name in _PROTOCOLS},
        "id": info.default_node_id,
        "channels": write_hex(info.channels),
        **{name: getattr(info, name) for name in _TEXTS},
        "other": {"tx_index": info.other.tx_index, "rpc_address": info.other.rpc_address},
    }


BLOCK_EVENTS = ("finalize_block_events", "begin_block_events", "end_block_events")
"""Fields of `block_results` with block events: the first since 0.38, the others before."""


_BYTES = ("packet_data", "packet_ack")
"""Attributes with bytes of an application, which later versions of ibc-go also emit in hexadecimal."""


class _Attribute(msgspec.Struct, gc=False):
    key: str | None = None
    value: str | None = None


class _Event(msgspec.Struct, gc=False):
    type: str | None = None
    attributes: list[_Attribute] | None = None


class _Sketch(msgspec.Struct, gc=False):
    """An event whose attributes are not parsed yet."""

    type: str | None = None
    attributes: msgspec.Raw = msgspec.Raw(b"null")


_EVENTS = msgspec.json.Decoder(list[_Event] | None)
_SKETCHES = msgspec.json.Decoder(list[_Sketch] | None)
_ATTRIBUTES = msgspec.json.Decoder(list[_Attribute] | None)
_NONE: frozenset[str] = frozenset()


def read_event(event: Json, *, encoded: bool) -> Event:
    """Return the value of an event.

    Args:
        event: JSON of a type and of attributes with key and value.
        encoded: Whether keys and values are base64. Bytes that are no UTF-8 are escaped with backslashes;
            those of a packet or an acknowledgement stay as they are, under the key in hexadecimal.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: `event` is malformed.
    """
    pair = _decoded_pair if encoded else _plain_pair
    pairs = [pair(each.get("key"), each.get("value")) for each in event.get("attributes") or ()]
    return _plain(event.get("type")), tuple(pairs)


def read_events(
    events: Iterable[Json] | msgspec.Raw | None, *, encoded: bool, without: Container[str] = _NONE
) -> tuple[Event, ...]:
    """Return events in order, from parsed or raw JSON; raises as `read_event`.

    From raw JSON, events of the types in `without` are skipped without parsing their attributes.
    """
    if not isinstance(events, msgspec.Raw):
        return tuple([read_event(each, encoded=encoded) for each in events or ()])
    found = _all(events) if without is _NONE else _some(events, without)
    return decoded_events(found) if encoded else tuple(found)


def decoded_events(events: Iterable[Event]) -> tuple[Event, ...]:
    """Return events whose keys and values were read undecoded from base64; raises as `read_event`."""
    return tuple([(kind, tuple([_decoded_pair(k, v) for k, v in pairs])) for kind, pairs in events])


def _all(events: msgspec.Raw) -> list[Event]:
    """Parse all events without a dict for each attribute: a block has tens of thousands of them."""
    return [(each.type or "", _pairs(each.attributes)) for each in _EVENTS.decode(events) or ()]


def _some(events: msgspec.Raw, without: Container[str]) -> list[Event]:
    return [
        (each.type or "", _pairs(_ATTRIBUTES.decode(each.attributes)))
        for each in _SKETCHES.decode(events) or ()
        if each.type not in without
    ]


def _pairs(attributes: Iterable[_Attribute] | None) -> tuple[tuple[str, str], ...]:
    return tuple([(each.key or "", each.value or "") for each in attributes or ()])


def write_events(events: Sequence[Event]) -> list[Json]:
    """Return the JSON of events in the form of 0.38, with every attribute indexed."""
    return [
        {"type": kind, "attributes": [{"key": key, "value": text, "index": True} for key, text in pairs]}
        for kind, pairs in events
    ]


def read_tx_result(tx: bytes, result: Json, *, without: Container[str] = _NONE) -> TxOutcome:
    """Return the result of a transaction: an entry of `txs_results`, a `tx_result`, or a CheckTx response.

    Args:
        tx: The transaction's bytes.
        result: The node's JSON; its keys show whether attributes are base64.
        without: As in `read_events`.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: `result` is malformed.
    """
    return read_results([tx], [result], (), without)[0][0]


def read_results(
    txs: Sequence[bytes],
    results: Sequence[Json],
    block_events: Iterable[Iterable[Json] | msgspec.Raw | None],
    without: Container[str],
) -> tuple[list[TxOutcome], tuple[Event, ...]]:
    """Return the results of transactions and the block events of one answer, whose keys show the encoding.

    Args:
        txs: The bytes of the transactions.
        results: The JSON of their results.
        block_events: Lists of block events.
        without: As in `read_events`.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: the JSON is malformed.
    """
    outcomes = [_undecoded(tx, each, without) for tx, each in zip(txs, results, strict=True)]
    events = [each for some in block_events for each in read_events(some, encoded=False, without=without)]
    if not are_encoded(chain(events, *(each.events for each in outcomes))):
        return outcomes, tuple(events)
    return [each._replace(events=decoded_events(each.events)) for each in outcomes], decoded_events(events)


def _undecoded(tx: bytes, result: Json, without: Container[str]) -> TxOutcome:
    return TxOutcome(
        tx,
        _code(result.get("code")),
        _plain(result.get("codespace")),
        read_events(result.get("events"), encoded=False, without=without),
        read_integer(result.get("gas_wanted")),
        read_integer(result.get("gas_used")),
        read_base64(result.get("data")),
        _plain(result.get("log")),
    )


def write_tx_result(outcome: TxOutcome) -> Json:
    """Return the JSON of a transaction's result, without the transaction."""
    return {
        "code": outcome.code,
        "data": write_base64(outcome.data),
        "log": outcome.log,
        "info": "",
        "gas_wanted": str(outcome.gas_wanted),
        "gas_used": str(outcome.gas_used),
        "events": write_events(outcome.events),
        "codespace": outcome.codespace,
    }


def read_block(block: Json, results: Json, *, without: Container[str] = _NONE) -> CommittedBlock:
    """Return a block from the responses to `block` and `block_results` of one height.

    `without` is as in `read_events`; the keys of the results show whether attributes are base64.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: the JSON is malformed, or of two different blocks.
    """
    listed = [results.get(field) for field in BLOCK_EVENTS]
    outcomes, events = read_results(read_txs(block), results["txs_results"] or (), listed, without)
    return read_header(block)._replace(
        app_hash=read_base64(results.get("app_hash")), txs=tuple(outcomes), block_events=events
    )


def read_header(block: Json) -> CommittedBlock:
    """Return the header of a `block` response; app hash, transactions and events are empty.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: the JSON is malformed.
    """
    header = block["block"]["header"]
    return CommittedBlock(
        header["chain_id"],
        read_integer(header["height"]),
        parse_rfc3339(header["time"]),
        b"",
        (),
        (),
        _hash(block.get("block_id")),
        _hash(header.get("last_block_id")),
    )


def _hash(block_id: Json | None) -> bytes:
    return read_hex((block_id or {}).get("hash"))


def read_txs(block: Json) -> list[bytes]:
    """Return the transactions of a `block` response; raises as `read_block`."""
    return [read_base64(tx) for tx in block["block"]["data"]["txs"] or ()]


def write_block_results(block: CommittedBlock) -> Json:
    """Return the JSON of a `block_results` response."""
    return {
        "height": str(block.height),
        "txs_results": [write_tx_result(each) for each in block.txs] or None,
        "finalize_block_events": write_events(block.block_events),
        "validator_updates": None,
        "consensus_param_updates": None,
        "app_hash": write_base64(block.app_hash),
    }


def _code(value: object) -> int:
    code = read_integer(value)
    if not 0 <= code <= MAX_U32:
        raise ValueError(f"no code: {code}")
    return code


def _plain(text: object) -> str:
    if text is None:
        return ""
    if not isinstance(text, str):
        raise TypeError(f"no text: {text!a:.64}")
    return text


def _plain_pair(key: object, value: object) -> tuple[str, str]:
    return _plain(key), _plain(value)


def _decoded_pair(key: object, value: object) -> tuple[str, str]:
    name, raw = _escaped(read_base64(key)), read_base64(value)
    try:
        return name, raw.decode()
    except UnicodeDecodeError:
        if name in _BYTES:
            return f"{name}_hex", raw.hex()
        return name, _escaped(raw)


def _escaped(raw: bytes) -> str:
    return raw.decode("utf-8", "backslashreplace")


FAST = 1
"""Compression level; higher levels gain little here."""


class NotDeflated(ValueError):
    """Raised for bytes that are not zlib's format, are truncated, or inflate to more than allowed."""


def deflate(raw: bytes) -> bytes:
    """Return `raw` compressed in the zlib format."""
    return zlib.compress(raw, FAST)


def inflate(deflated: bytes, most: int) -> bytes:
    """Return the decompressed bytes, at most `most`: a kilobyte may inflate to a megabyte.

    Raises:
        NotDeflated: the input is malformed or inflates to more.
    """
    whole = zlib.decompressobj()
    try:
        # guard: h237-inflated-without-bound drop:most test_h237_a_gigabyte_is_not_made_of_a_megabyte
        #   test_h237_no_more_is_inflated_than_a_block_has
        raw = whole.decompress(deflated, most)
    except zlib.error:
        raise NotDeflated("not in zlib's format") from None
    if not whole.eof or whole.unused_data:
        raise NotDeflated(f"truncated, or more than {most} bytes")
    return raw


# -- compression of packet events: removal of redundant attributes and of attributes of the channel

_OF_THE_CHANNEL = frozenset({"packet_channel_ordering", "packet_connection", "connection_id"})
_OF_THE_TX = "msg_index"
_EXACT = {"packet_data": "packet_data_hex", "packet_ack": "packet_ack_hex"}
"""Attributes with bytes as text, and the attributes with the same bytes in hexadecimal."""


def compact_events(events: Iterable[Event]) -> tuple[Event, ...]:
    """Return the events, with packet events (IBC v1 and v2) reduced to the attributes of the packet.

    The channel's ordering and connection and the message index are removed, as well as data and
    acknowledgement as text if they are present in hexadecimal. `event_reader` reads the same packets from
    the result.
    """
    return tuple([_compacted(event) if event[0] in PACKET_EVENTS else event for event in events])


def _compacted(event: Event) -> Event:
    kind, attributes = event
    keys = {key for key, _ in attributes}
    return kind, tuple([each for each in attributes if _is_needed(each, keys)])


def _is_needed(attribute: Attribute, keys: set[str]) -> bool:
    key = attribute[0]
    if key in _OF_THE_CHANNEL or key == _OF_THE_TX:
        return False
    # guard: brief-events-lose-their-bytes {_EXACT.get(key) not in keys => key not in _EXACT}
    #   test_bytes_that_are_there_in_text_alone_stay
    return _EXACT.get(key) not in keys
