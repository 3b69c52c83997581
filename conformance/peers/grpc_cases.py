"""gRPC queries, valid and invalid, and the differences between our responses and ibc-go's."""

from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from types import MappingProxyType
from typing import NamedTuple

CLIENT = "/ibc.core.client.v1.Query/"
CLIENT2 = "/ibc.core.client.v2.Query/"
CONNECTION = "/ibc.core.connection.v1.Query/"
CHANNEL = "/ibc.core.channel.v1.Query/"
CHANNEL2 = "/ibc.core.channel.v2.Query/"
TRANSFER = "/ibc.applications.transfer.v1.Query/"
AUTH = "/cosmos.auth.v1beta1.Query/"
BANK = "/cosmos.bank.v1beta1.Query/"
TX = "/cosmos.tx.v1beta1.Service/"
BLOCKS = "/cosmos.base.tendermint.v1beta1.Service/"
NODE = "/cosmos.base.node.v1beta1.Service/"
HEIGHT = "x-cosmos-block-height"

Fields = Mapping[str, object]
Differs = tuple[str, str, str]

OK, INVALID, UNKNOWN, INTERNAL, NOT_FOUND = "OK", "INVALID_ARGUMENT", "UNKNOWN", "INTERNAL", "NOT_FOUND"
KEYS = (INVALID, OK, "page keys")
FILTERED = (OK, OK, "filtered lists")
HEADER = (INVALID, UNKNOWN, "heights")
TEXTS = (INVALID, UNKNOWN, "malformed text")


class GrpcCase(NamedTuple):
    """A query and the expected difference: our status, ibc-go's, and the section in docs/grpc.md."""

    path: str
    fields: Fields | bytes = MappingProxyType({})  # request fields, or the encoded request
    differs: Differs | None = None
    metadata: tuple[tuple[str, str], ...] = ()


HASH = sha256(b"transfer/channel-0/stake").hexdigest().upper()
IDS = ("", "x", "nope-7-!", "client with space", "a" * 300, "07-tendermint-99", "é")
HUGE = 2**64 - 1
END = {"port_id": "transfer", "channel_id": "channel-0"}
ENDS = (
    END,
    {**END, "channel_id": "channel-9"},
    {**END, "port_id": ""},
    {**END, "channel_id": ""},
    {**END, "port_id": "!"},
    {**END, "channel_id": "x!"},
    {**END, "port_id": "nope"},
    {**END, "port_id": "a" * 200},
)
ONE = {"client_id": "07-tendermint-0"}
ME = "cosmos1dctn4mvzkmv00n7merh76yys3m4nfm9wzxhy6u"
NOBODY = "cosmos1qqqsyqcyq5rqwzqfpg9scrgwpugpzysnrk363e"


def paged(
    path: str,
    fields: Fields = MappingProxyType({}),
    *,
    filtered: bool = False,
    total: bool = True,
    both: str = UNKNOWN,
    keys: Differs | None = KEYS,
) -> list[GrpcCase]:
    """Return queries of a paginated list.

    Args:
        path: The gRPC method.
        fields: Further request fields.
        filtered: Whether ibc-go returns entries beyond the offset.
        total: Whether ibc-go returns the total beyond the end.
        both: ibc-go's status if both key and offset are set.
        keys: The difference for an invalid key.
    """
    beyond = FILTERED if filtered else None if total else (OK, OK, "totals")
    rows: tuple[tuple[Fields, Differs | None], ...] = (
        ({"limit": 1}, None),
        ({"limit": 2**32 - 1}, None),
        ({"limit": 2**63 - 1}, None),
        ({"limit": HUGE}, None),
        ({"count_total": True}, None),
        ({"count_total": True, "limit": 1}, None),
        ({"reverse": True}, None),
        ({"offset": 100}, beyond),
        ({"key": b"zz" * 50}, keys),
        ({"key": b"x", "offset": 1}, None if both == INVALID else (INVALID, both, "key and offset")),
    )
    return [GrpcCase(path, {**fields, "pagination": page}, differs) for page, differs in rows]


def client_cases() -> Iterator[GrpcCase]:
    """Return client queries."""
    for name in ("ClientState", "ClientStatus", "ConsensusStates", "ConsensusStateHeights"):
        for each in ("07-tendermint-0", *IDS):
            yield GrpcCase(CLIENT + name, {"client_id": each})
    for each in ("07-tendermint-0", "07-tendermint-99", "", "é"):
        for rest in (
            {"latest_height": True},
            {},
            {"revision_height": 1},
            {"revision_number": 1, "revision_height": HUGE},
            {"revision_number": 5, "latest_height": True},
        ):
            yield GrpcCase(CLIENT + "ConsensusState", {"client_id": each, **rest})
        for path in (f"{CLIENT}ClientCreator", f"{CLIENT2}CounterpartyInfo", f"{CLIENT2}Config"):
            yield GrpcCase(path, {"client_id": each})
    yield GrpcCase(CLIENT + "ClientParams")
    yield GrpcCase(CLIENT + "UpgradedClientState")
    yield GrpcCase(CLIENT + "UpgradedConsensusState")
    yield from paged(CLIENT + "ClientStates", filtered=True)
    yield from paged(CLIENT + "ConsensusStates", ONE, filtered=True)
    yield from paged(CLIENT + "ConsensusStateHeights", ONE, filtered=True)


def connection_cases() -> Iterator[GrpcCase]:
    """Return connection queries."""
    for each in ("connection-0", "connection-9", "connection-18446744073709551616", *IDS):
        yield GrpcCase(CONNECTION + "Connection", {"connection_id": each})
        yield GrpcCase(CONNECTION + "ConnectionClientState", {"connection_id": each})
        yield GrpcCase(CONNECTION + "ConnectionConsensusState", {"connection_id": each, "revision_height": 1})
        yield GrpcCase(CHANNEL + "ConnectionChannels", {"connection": each})
        yield GrpcCase(CONNECTION + "ClientConnections", {"client_id": each})
    yield GrpcCase(CONNECTION + "ClientConnections", ONE)
    yield GrpcCase(CONNECTION + "ConnectionParams")
    yield from paged(CONNECTION + "Connections", keys=None)


def channel_cases() -> Iterator[GrpcCase]:
    """Return channel queries."""
    for end in ENDS:
        for name in (
            "Channel",
            "ChannelClientState",
            "PacketCommitments",
            "PacketAcknowledgements",
            "NextSequenceReceive",
            "NextSequenceSend",
        ):
            yield GrpcCase(CHANNEL + name, end)
        yield GrpcCase(CHANNEL + "ChannelConsensusState", {**end, "revision_height": 1})
        for name in ("PacketCommitment", "PacketReceipt", "PacketAcknowledgement"):
            for sequence in (0, 1, 4, 5, 99, HUGE):
                yield GrpcCase(CHANNEL + name, {**end, "sequence": sequence})
        for numbers in ([1, 2, 99], [], [0], [5, 5, 4, 1]):
            yield GrpcCase(CHANNEL + "UnreceivedPackets", {**end, "packet_commitment_sequences": numbers})
            yield GrpcCase(CHANNEL + "UnreceivedAcks", {**end, "packet_ack_sequences": numbers})
            yield GrpcCase(
                CHANNEL + "PacketAcknowledgements", {**end, "packet_commitment_sequences": numbers}
            )
        yield GrpcCase(TRANSFER + "EscrowAddress", end)
    yield from paged(CHANNEL + "Channels")
    yield from paged(CHANNEL + "ConnectionChannels", {"connection": "connection-0"}, filtered=True)
    yield from paged(CHANNEL + "PacketCommitments", END)
    yield from paged(CHANNEL + "PacketAcknowledgements", END)


def channel_v2_cases() -> Iterator[GrpcCase]:
    """Return IBC v2 channel queries."""
    for each in ("07-tendermint-0", "07-tendermint-99", "", "!"):
        of = {"client_id": each}
        for name in ("PacketCommitment", "PacketReceipt", "PacketAcknowledgement"):
            for sequence in (0, 1):
                yield GrpcCase(CHANNEL2 + name, {**of, "sequence": sequence})
        for name in ("PacketCommitments", "PacketAcknowledgements", "NextSequenceSend", "UnreceivedPackets"):
            yield GrpcCase(CHANNEL2 + name, of)
        for number in (0, 1):
            yield GrpcCase(CHANNEL2 + "UnreceivedPackets", {**of, "sequences": [number]})
            yield GrpcCase(CHANNEL2 + "UnreceivedAcks", {**of, "packet_ack_sequences": [number]})
    yield from paged(CHANNEL2 + "PacketCommitments", ONE)
    yield from paged(CHANNEL2 + "PacketAcknowledgements", ONE)


def transfer_cases() -> Iterator[GrpcCase]:
    """Return ICS-20 queries."""
    for each in (
        f"ibc/{HASH}",
        f"ibc/{HASH}".lower(),
        HASH,
        HASH.lower(),
        "",
        "ibc/",
        "ibc/00",
        "nope",
        "0" * 64,
    ):
        yield GrpcCase(TRANSFER + "Denom", {"hash": each})
    for each in ("transfer/channel-0/stake", "stake", "", "nope/x/y", "transfer/channel-0/", "/"):
        yield GrpcCase(TRANSFER + "DenomHash", {"trace": each})
    for each in ("stake", "", f"ibc/{HASH}", "!", "a" * 200, "nope"):
        yield GrpcCase(TRANSFER + "TotalEscrowForDenom", {"denom": each})
    yield GrpcCase(TRANSFER + "Params")
    yield from paged(TRANSFER + "Denoms")


def account_cases() -> Iterator[GrpcCase]:
    """Return account and bank queries."""
    bad = ("garbage", "osmo1mpscetk07xkl88eu8nccwqtar2xjyhpukklwkd", ME[:-1] + "q")
    for each in (ME, "", ME.upper(), NOBODY, *bad):
        for name in ("Account", "AccountInfo"):
            yield GrpcCase(AUTH + name, {"address": each}, TEXTS if each in bad else None)
        for denom in ("stake", "", "!", "nope", f"ibc/{HASH}"):
            yield GrpcCase(BANK + "Balance", {"address": each, "denom": denom})
            yield GrpcCase(BANK + "SpendableBalanceByDenom", {"address": each, "denom": denom})
        yield GrpcCase(BANK + "AllBalances", {"address": each})
        yield GrpcCase(BANK + "SpendableBalances", {"address": each})
    for number in (0, 1, HUGE):
        yield GrpcCase(AUTH + "AccountAddressByID", {"account_id": number})
    yield GrpcCase(AUTH + "AccountAddressByID", {"id": 1})
    yield GrpcCase(AUTH + "ModuleAccountByName", {"name": "nope"})
    yield GrpcCase(AUTH + "ModuleAccountByName", {"name": ""})
    for path in (
        f"{AUTH}Bech32Prefix",
        f"{AUTH}Params",
        f"{BANK}Params",
        "/cosmos.staking.v1beta1.Query/Params",
    ):
        yield GrpcCase(path)
    for denom in ("stake", "", "!", "nope"):
        yield GrpcCase(BANK + "SupplyOf", {"denom": denom})
        yield GrpcCase(BANK + "DenomMetadata", {"denom": denom})
        yield GrpcCase(BANK + "DenomOwners", {"denom": denom})
    yield from paged(AUTH + "Accounts", total=False, keys=None)
    yield from paged(BANK + "TotalSupply", total=False, keys=None, both=INTERNAL)
    yield from paged(BANK + "DenomOwners", {"denom": "stake"}, total=False)
    yield from paged(BANK + "AllBalances", {"address": ME}, total=False, keys=None, both=INVALID)


def block_cases() -> Iterator[GrpcCase]:
    """Return block, validator set and node queries."""
    for name in ("GetSyncing", "GetLatestBlock", "GetLatestValidatorSet"):
        yield GrpcCase(BLOCKS + name)
    for height in (1, 2):  # before any transaction
        for path in (f"{BLOCKS}GetBlockByHeight", f"{BLOCKS}GetValidatorSetByHeight"):
            yield GrpcCase(path, {"height": height})
    for height, differs in ((0, HEADER), (-1, HEADER), (10**9, None), (2**63 - 1, None)):
        for path in (f"{BLOCKS}GetBlockByHeight", f"{BLOCKS}GetValidatorSetByHeight"):
            yield GrpcCase(path, {"height": height}, differs)
        yield GrpcCase(TX + "GetBlockWithTxs", {"height": height}, HEADER)
    yield GrpcCase(
        BLOCKS + "GetLatestValidatorSet", {"pagination": {"offset": 100}}, (OK, UNKNOWN, "lists of no store")
    )
    yield GrpcCase(BLOCKS + "GetLatestValidatorSet", {"pagination": {"key": b"zz"}}, KEYS)
    yield GrpcCase(NODE + "Config", {}, (OK, OK, "about the node"))
    yield GrpcCase(NODE + "Status", {}, (OK, OK, "about the node"))
    yield GrpcCase(BLOCKS + "GetNodeInfo", {}, (OK, OK, "about the node"))
    yield GrpcCase("/cosmos.consensus.v1.Query/Params", {}, (OK, OK, "about the node"))


def height_cases() -> Iterator[GrpcCase]:
    """Return queries at a height given as metadata."""
    held = {"address": ME, "denom": "stake"}
    for path, fields in ((f"{BANK}Balance", held), (f"{CLIENT}ClientState", ONE)):
        for text in ("0", "2", "02", "99999999999", str(2**63 - 1)):
            yield GrpcCase(path, fields, None, ((HEIGHT, text),))
        for text in ("-1", "x", "", "1.5", " 5", str(2**63), "0x5"):
            yield GrpcCase(path, fields, HEADER, ((HEIGHT, text),))
        yield GrpcCase(path, fields, (INVALID, OK, "heights"), ((HEIGHT, "2"), (HEIGHT, "3")))
    yield GrpcCase(BANK + "Balance", held, (INVALID, OK, "heights"), ((HEIGHT, "+2"),))


def search_cases() -> Iterator[GrpcCase]:
    """Return transaction searches."""
    mine = "message.sender='cosmos1mpscetk07xkl88eu8nccwqtar2xjyhpu7dv7ql'"
    for order in (0, 1, 2, 7):
        yield GrpcCase(TX + "GetTxsEvent", {"query": mine, "order_by": order})
    for page, limit in ((1, 1), (2, 1), (0, 1), (1, 0), (1, 1000), (1, HUGE)):
        yield GrpcCase(TX + "GetTxsEvent", {"query": mine, "page": page, "limit": limit})
    for query in (
        "tx.height=1",
        "tx.hash='" + "AB" * 32 + "'",
        "message.sender EXISTS",
        "message.sender CONTAINS 'cosmos'",
        "send_packet.packet_sequence=1",
        "send_packet.packet_sequence>1",
        "tx.height>1 AND send_packet.packet_sequence='2'",
        "MESSAGE.sender='x'",
        "message.sender='nobody'",
    ):
        yield GrpcCase(TX + "GetTxsEvent", {"query": query})
    wrong = (INVALID, INTERNAL, "searches")
    for query in (
        "",
        "garbage",
        "message.sender",
        "message.sender='x",
        "a.b='c' OR a.b='d'",
        "tx.hash='nope'",
        "a" * 9_000,
    ):
        yield GrpcCase(TX + "GetTxsEvent", {"query": query}, wrong)
    yield GrpcCase(TX + "GetTxsEvent", {"query": mine, "page": 99, "limit": 1}, wrong)
    yield GrpcCase(TX + "GetTxsEvent", {"query": mine, "events": ["x.y='1'"]})
    yield GrpcCase(
        TX + "GetTxsEvent", {"events": ["send_packet.packet_sequence='1'"]}, (OK, INTERNAL, "searches")
    )
    yield GrpcCase(
        TX + "GetTxsEvent", {"query": mine, "pagination": {"offset": 1}}, (INVALID, OK, "searches")
    )
    yield GrpcCase(
        TX + "GetTxsEvent", {"query": mine, "pagination": {"key": b"x"}}, (INVALID, OK, "searches")
    )


def transaction_cases() -> Iterator[GrpcCase]:
    """Return transaction queries and broadcasts."""
    for each in ("", "AB" * 32):
        yield GrpcCase(TX + "GetTx", {"hash": each})
    for each in ("0x" + "AB" * 32, "zz", " " + "AB" * 32):
        yield GrpcCase(TX + "GetTx", {"hash": each}, TEXTS)
    for each in ("AB", "AB" * 33):
        yield GrpcCase(TX + "GetTx", {"hash": each}, (INVALID, NOT_FOUND, "malformed text"))
    for mode in (0, 1, 9):
        yield GrpcCase(
            TX + "BroadcastTx", {"mode": mode, "tx_bytes": b"\xff"}, (INVALID, UNKNOWN, "broadcast modes")
        )
    yield GrpcCase(TX + "BroadcastTx", {"mode": 2})
    yield GrpcCase(TX + "BroadcastTx", {"mode": 2, "tx_bytes": b"\xff"})
    yield GrpcCase(TX + "BroadcastTx", {"mode": 3, "tx_bytes": b"\xfe"}, (OK, OK, "broadcast modes"))
    yield GrpcCase(TX + "Simulate")
    yield GrpcCase(TX + "Simulate", {"tx_bytes": b"\xff"})
    yield GrpcCase(TX + "TxDecode")
    yield GrpcCase(TX + "TxDecode", {"tx_bytes": b"\xff"})
    yield GrpcCase(TX + "TxEncode")


def bytes_cases() -> Iterator[GrpcCase]:
    """Return requests that are not valid protobuf, or have unknown fields."""
    for path in (
        f"{BANK}Balance",
        f"{CLIENT}ClientState",
        f"{TX}GetTx",
        f"{TX}Simulate",
        f"{BLOCKS}GetLatestBlock",
    ):
        yield GrpcCase(path, b"\xff\xff", (INVALID, INTERNAL, "requests that are no protobuf"))
    yield GrpcCase(BANK + "Params", b"\xa2\x3f\x00")  # an unknown field


CASE_GROUPS: tuple[Callable[[], Iterator[GrpcCase]], ...] = (
    client_cases,
    connection_cases,
    channel_cases,
    channel_v2_cases,
    transfer_cases,
    account_cases,
    block_cases,
    height_cases,
    search_cases,
    transaction_cases,
    bytes_cases,
)
