"""A CosmosTx as gogoproto reads it; the verdicts are those of ibc-go's generated code."""

import pytest

from pyibc.codec.anys import AnyMessage
from pyibc.codec.budget import FREE_ELEMENTS, Budget
from pyibc.codec.gogoproto import read_cosmos_tx, without_unknown
from pyibc.codec.strict import parse
from pyibc.core.errors import TxDecode
from pyibc.proto.cosmos.bank.v1beta1.tx_pb2 import MsgMultiSend, MsgSend
from pyibc.proto.ibc.applications.interchain_accounts.v1.packet_pb2 import CosmosTx
from pyibc.proto.ibc.applications.transfer.v1.tx_pb2 import MsgTransfer
from pyibc.proto.ibc.core.channel.v1.channel_pb2 import Channel
from pyibc.proto.ibc.core.client.v1.tx_pb2 import MsgCreateClient, MsgUpdateClient
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2
from pyibc.proto.varint import encode_varint

ONE = AnyMessage("/a.B", b"\x08\x01")
ANY = b"\x0a\x04/a.B\x12\x02\x08\x01"
FIELD = b"\x0a" + bytes((len(ANY),)) + ANY

READ = {
    "nothing": (b"", []),
    "one": (FIELD, [ONE]),
    "two": (FIELD * 2, [ONE, ONE]),
    "an empty one": (b"\x0a\x00", [AnyMessage("", b"")]),
    "an unknown field": (b"\x10\x05" + FIELD, [ONE]),
    "an unknown field in an Any": (b"\x0a\x0c\x18\x01" + ANY, [ONE]),
    "a type twice": (b"\x0a\x0e\x0a\x02/x" + ANY, [ONE]),
    "fixed sizes": (b"\x11" + bytes(8) + b"\x15" + bytes(4) + FIELD, [ONE]),
    "a group": (b"\x13\x08\x01\x14" + FIELD, [ONE]),
    "a group that another number ends": (b"\x13\x08\x01\x7c" + FIELD, [ONE]),
    "groups in each other": (b"\x13\x1b\x24\x14" + FIELD, [ONE]),
    "a tag of ten bytes": (b"\x8a\x80\x80\x80\x80\x80\x80\x80\x80\x00" + FIELD[1:], [ONE]),
    "a field number of which 32 bits count": (b"\x8a\x80\x80\x80\x80\x01" + FIELD[1:], [ONE]),
    "JSON that is protobuf": (b'{"' + b"m" + b"m" * 109 + b"t", []),
    "no text": (b"\x0a\x04\x0a\x02/\xff", [AnyMessage("/\ufffd", b"")]),
}


@pytest.mark.parametrize(("raw", "messages"), READ.values(), ids=READ)
def test_h169_what_gogoproto_takes(raw, messages):
    assert read_cosmos_tx(raw) == messages


REFUSED = {
    "a message of another wire type": b"\x08\x00",
    "a type of another wire type": b"\x0a\x02\x08\x00",
    "cut off": FIELD[:-1],
    "a tag cut off": b"\x80",
    "a size cut off": b"\x0a",
    "fixed, cut off": b"\x11" + bytes(7),
    "a size beyond 63 bits": b"\x0a" + b"\xff" * 9 + b"\x01",
    "an unknown field's size beyond 63 bits": b"\x12" + b"\xff" * 9 + b"\x01",
    "a tag of eleven bytes": b"\x8a" + b"\x80" * 9 + b"\x00" + FIELD[1:],
    "field 0": b"\x00\x00",
    "a negative field": b"\xf8\xff\xff\xff\x7f\x00",
    "the end of no group": b"\x14",
    "a group without an end": b"\x13\x08\x01",
    "wire type 6": b"\x16",
    "wire type 7 in a group": b"\x13\x17\x14",
    "JSON": b'{"messages":[]}',
}


@pytest.mark.parametrize("raw", REFUSED.values(), ids=REFUSED)
def test_h169_what_gogoproto_refuses(raw):
    with pytest.raises(TxDecode):
        read_cosmos_tx(raw)


def test_h252_a_transaction_has_so_many_fields_for_its_size():
    fits = FREE_ELEMENTS + FREE_ELEMENTS // 7  # of two bytes each, where sixteen pay for one
    unknown, empty, group = b"\x18\x00", b"\x0a\x00", (b"\x1b", b"\x1c")
    assert read_cosmos_tx(unknown * fits) == []
    assert len(read_cosmos_tx(empty * fits)) == fits
    assert len(read_cosmos_tx(empty * (fits - 1) + unknown)) == fits - 1
    assert read_cosmos_tx(group[0] * (FREE_ELEMENTS // 2) + group[1] * (FREE_ELEMENTS // 2)) == []
    many = FREE_ELEMENTS * 2
    for raw in (
        unknown * many,
        empty * many,
        empty * many + unknown,
        group[0] * many + group[1] * many,
        b"\x0a\x82\x10" + b"\x0a\x00" * (many + 1),  # a message with its type given many times
    ):
        with pytest.raises(TxDecode, match="elements"):
            read_cosmos_tx(raw)


UNKNOWN = b"\x7a\x01x"
COIN = b"\x1a\x03\x0a\x01d"


def dropped(cls, raw):
    return without_unknown(cls, raw, Budget(len(raw)))


def test_h252_unknown_fields_are_counted():
    few, many = UNKNOWN * (FREE_ELEMENTS // 2), UNKNOWN * FREE_ELEMENTS * 2
    assert dropped(MsgSend, COIN + few) == COIN
    inside = encode_varint(len(many))
    for raw in (many, b"\x1a" + inside + many, (b"\x1a\x03" + UNKNOWN) * FREE_ELEMENTS):
        with pytest.raises(TxDecode, match="elements"):
            dropped(MsgSend, raw)
    with pytest.raises(TxDecode, match="elements"):
        dropped(Channel, many)  # has no numbers of Go, and is not read by hand


def test_h252_anys_in_a_message_are_counted():
    empty = b"\x0a\x00"
    assert dropped(CosmosTx, empty * FREE_ELEMENTS) == empty * FREE_ELEMENTS
    with pytest.raises(TxDecode, match="elements"):
        dropped(CosmosTx, empty * FREE_ELEMENTS * 2)


@pytest.mark.parametrize(
    "raw", [b"\x0a\x01a" + UNKNOWN, UNKNOWN + b"\x0a\x01a", b"\x0a\x01z\x0a\x01a", b"\x0a\x01a"]
)
def test_h163_unknown_fields_are_dropped_and_the_last_of_two_counts(raw):
    assert dropped(MsgSend, raw) == b"\x0a\x01a"
    inside = b"\x1a" + bytes((3 + len(UNKNOWN),)) + b"\x0a\x01d" + UNKNOWN
    assert dropped(MsgSend, inside) == COIN


def test_h163_they_are_dropped_inside_of_anys_too():
    def update(value, type_url="/cosmos.bank.v1beta1.MsgSend"):
        message = MsgUpdateClient(client_id="c")
        message.client_message.type_url, message.client_message.value = type_url, value
        return message.SerializeToString()

    assert dropped(MsgUpdateClient, update(b"\x0a\x01a" + UNKNOWN)) == update(b"\x0a\x01a")
    for type_url in ("/nobody.Msg", "cosmos.bank.v1beta1.MsgSend", ""):
        kept = update(b"\x0a\x01a" + UNKNOWN, type_url)
        assert dropped(MsgUpdateClient, kept) == kept
    with pytest.raises(TxDecode):
        dropped(MsgUpdateClient, update(b"\xff"))


@pytest.mark.parametrize(
    "raw", [b"\xff", b"\x08\x01", b"\x0d1234", b"\x1a\x02\x08\x01", b"\x0a\x01a\x10\x01"]
)
def test_h163_a_known_field_of_another_wire_type_is_an_error(raw):
    with pytest.raises(TxDecode):
        dropped(MsgSend, raw)


def test_a_wrong_wire_type_does_not_hide_behind_what_grows_when_it_is_written_again():
    """An order of -1 in five bytes is ten when written: more by what a wrong field had, which is dropped."""
    short = b"\x10\xff\xff\xff\xff\x0f"
    wrong = b"\x0d\0\0\0\0"  # the state as 32 bits
    bare = dropped(Channel, short)
    assert len(bare) == len(short + wrong)
    with pytest.raises(TxDecode):
        dropped(Channel, short + wrong)


# -- values of Go: the bytes are those of recordings of ibc-go, or made by the same rules


def field(number, content):
    return bytes((number << 3 | 2, len(content))) + content


STAKE = field(1, b"stake")
THREE, FOUR, EMPTY = (field(2, amount) for amount in (b"3", b"4", b""))


def executed(cls, raw):
    """As a message that another one executes is read."""
    return cls.FromString(dropped(cls, raw))


WAYS = pytest.mark.parametrize("read", [parse, executed])


@WAYS
@pytest.mark.parametrize(
    ("coins", "amount"),
    [
        ((STAKE + THREE + EMPTY,), "3"),
        ((STAKE + EMPTY + THREE,), "3"),
        ((STAKE + THREE + FOUR,), "4"),
        ((STAKE + THREE + FOUR + EMPTY + EMPTY,), "4"),
        ((STAKE + THREE, STAKE), "3"),
        ((STAKE + THREE, STAKE + EMPTY), "3"),
        ((STAKE + THREE, STAKE + FOUR), "4"),
        ((STAKE + EMPTY,), ""),
    ],
)
def test_an_empty_amount_leaves_the_one_before_it(read, coins, amount):
    message = read(MsgTransfer, b"".join([field(3, each) for each in coins]))
    assert (message.token.denom, message.token.amount) == ("stake", amount)


@WAYS
def test_coins_in_lists_are_each_their_own(read):
    raw = field(3, STAKE + THREE + EMPTY) + field(3, STAKE + EMPTY) + field(3, STAKE + FOUR)
    assert [each.amount for each in read(MsgSend, raw).amount] == ["3", "", "4"]
    paid = field(1, field(2, STAKE + THREE + EMPTY))
    assert read(MsgMultiSend, paid + paid).inputs[1].coins[0].amount == "3"


@WAYS
@pytest.mark.parametrize(
    "coin", [field(2, b"x") + THREE, THREE + field(2, b"1.5") + THREE, field(2, b" ") + THREE]
)
def test_an_amount_is_an_integer_each_time(read, coin):
    with pytest.raises(TxDecode, match="no integer"):
        read(MsgTransfer, field(3, STAKE + coin))


def test_what_is_not_known_stays_out_of_the_way():
    """Groups of fields that the message does not have, which Go skips."""
    group = b"\x7b\x08\x01\x7c"
    assert executed(MsgTransfer, group + field(3, group + STAKE + THREE + EMPTY)).token.amount == "3"


def time(seconds, nanos):
    return tendermint_pb2.ConsensusState(timestamp={"seconds": seconds, "nanos": nanos}).SerializeToString()


@WAYS
def test_of_a_time_that_is_given_twice_the_last_one_counts(read):
    state = read(tendermint_pb2.ConsensusState, time(5, 7) + time(6, 0))
    assert (state.timestamp.seconds, state.timestamp.nanos) == (6, 0)
    client = read(
        tendermint_pb2.ClientState,
        field(3, b"\x08\x05\x10\x07") + field(3, b"\x10\x09") + field(4, b"\x08\x01"),
    )
    assert (client.trusting_period.seconds, client.trusting_period.nanos) == (0, 9)
    assert client.unbonding_period.seconds == 1


@WAYS
def test_of_a_header_that_is_given_twice_the_time_is_the_last_ones(read):
    """It is one header, put together of both, but for the time."""
    first = field(1, field(1, field(2, b"gaia-1") + field(4, b"\x08\x05\x10\x07")))
    header = read(
        tendermint_pb2.Header, first + field(1, field(1, field(4, b"\x08\x06")))
    ).signed_header.header
    assert (header.chain_id, header.time.seconds, header.time.nanos) == ("gaia-1", 6, 0)


@pytest.mark.parametrize(
    ("seconds", "nanos"), [(1, -1), (1, 10**9), (253_402_300_800, 0), (-62_135_596_801, 0)]
)
def test_a_time_that_is_none_is_not_read(seconds, nanos):
    wrong = time(seconds, nanos)
    for raw in (wrong, wrong + time(1, 1)):
        with pytest.raises(TxDecode, match="timestamp is no time"):
            executed(tendermint_pb2.ConsensusState, raw)
    packed = AnyMessage("/ibc.lightclients.tendermint.v1.ConsensusState", wrong)
    message = MsgCreateClient(consensus_state={"type_url": packed.type_url, "value": packed.value})
    with pytest.raises(TxDecode, match="timestamp is no time"):
        executed(MsgCreateClient, message.SerializeToString())


def test_a_duration_that_is_none_is_not_read():
    for seconds, nanos in ((1, -1), (0, 10**9), (315_576_000_001, 0), (9_223_372_036, 854_775_808)):
        state = tendermint_pb2.ClientState(max_clock_drift={"seconds": seconds, "nanos": nanos})
        with pytest.raises(TxDecode, match="max_clock_drift is no duration"):
            executed(tendermint_pb2.ClientState, state.SerializeToString())
