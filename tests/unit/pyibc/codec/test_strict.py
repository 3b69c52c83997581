import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyibc.codec import anys
from pyibc.codec.anys import MAX_ANY_DEPTH, KnownTypes, Role
from pyibc.codec.budget import ELEMENTS_OF_AN_ANY, Budget
from pyibc.codec.encoding import encode
from pyibc.codec.strict import NOT_UTF8, parse
from pyibc.codec.walk import VARINT, read_field
from pyibc.core.errors import TxDecode
from pyibc.proto.cosmos.crypto.multisig import keys_pb2 as multisig
from pyibc.proto.cosmos.crypto.secp256k1 import keys_pb2 as secp256k1
from pyibc.proto.cosmos.tx.v1beta1 import tx_pb2 as cosmos_tx
from pyibc.proto.google.protobuf import any_pb2
from pyibc.proto.ibc.applications.transfer.v1 import tx_pb2 as transfer_tx
from pyibc.proto.ibc.core.channel.v1 import channel_pb2, query_pb2, tx_pb2
from pyibc.proto.ibc.core.client.v1 import client_pb2
from pyibc.proto.ibc.core.client.v1 import tx_pb2 as client_tx
from pyibc.proto.ibc.lightclients.solomachine.v3 import solomachine_pb2 as solomachine
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2 as tendermint
from tests.sampling import rounds

Recv = tx_pb2.MsgRecvPacket
Height = client_pb2.Height
RECV = encode(Recv(packet=channel_pb2.Packet(sequence=1, data=b"x"), signer="s"))


def length_delimited(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def any_of(message) -> any_pb2.Any:
    packed = anys.pack(message)
    return any_pb2.Any(type_url=packed.type_url, value=packed.value)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (RECV + length_delimited(5, b""), "has no field 5"),
        (RECV + b"\x28\x01", "has no field 5"),
        (length_delimited(1, b"\x48\x01"), "has no field 9"),  # in the packet
        (length_delimited(3, b"\x18\x01"), "has no field 3"),  # in the height
        (RECV + b"\x20\x01", "wire type 0"),  # the signer as a number
        (b"\x0d\x01\x00\x00\x00", "wire type 5"),
        (RECV + length_delimited(1 << 10 | 1 << 11, b"")[:-1], "malformed"),
        (b"\x0a\x05ab", "malformed"),
        (b"\x22\x02\xff\xfe", "malformed"),  # the signer is not UTF-8
        (b"\x00\x01", "malformed"),  # field number 0
        (b"\x0b\x0c", "wire type 3"),  # a group
        (b"\xff" * 11, "malformed"),
    ],
)
def test_d24_malformed_and_unknown_fields_are_refused(raw, reason):
    with pytest.raises(TxDecode, match=reason):
        parse(Recv, raw)


def test_a_non_critical_field_passes_below_a_tx_body_and_is_dropped():
    raw = RECV + length_delimited(1 << 10, b"\xff")
    assert parse(Recv, raw) == Recv.FromString(RECV)
    with pytest.raises(TxDecode, match="no field 1024"):
        parse(Recv, raw, non_critical=False)


@pytest.mark.parametrize("number", [1 << 10, 1 << 10 | 5, 2047, 3 << 10])
def test_bit_11_makes_a_field_non_critical(number):
    assert parse(Height, varint(number << 3) + b"\x07") == Height()


@pytest.mark.parametrize("number", [1 << 9, 1 << 11, 1023, (1 << 29) - 1 - (1 << 10)])
def test_other_fields_are_critical(number):
    with pytest.raises(TxDecode, match=f"no field {number}"):
        parse(Height, varint(number << 3) + b"\x07")


@pytest.mark.parametrize(
    "raw",
    [
        b"\x10\x05\x08\x01",  # descending order
        b"\x08\x01\x10\x05\x08\x01",  # a scalar twice: the last one counts
        b"\x08\x81\x00\x10\x85\x80\x00",  # overlong varints
    ],
)
def test_d24_non_canonical_but_known_bytes_are_read(raw):
    assert parse(Height, raw) == Height(revision_number=1, revision_height=5)


def test_explicit_zeros_are_read():
    assert parse(Height, b"\x08\x00\x10\x00") == Height()


def test_packed_and_unpacked_numbers_are_read():
    request = query_pb2.QueryUnreceivedPacketsRequest
    assert list(parse(request, b"\x1a\x02\x01\x02").packet_commitment_sequences) == [1, 2]
    assert list(parse(request, b"\x18\x01\x18\x02").packet_commitment_sequences) == [1, 2]


def test_a_packed_list_for_a_single_number_is_refused():
    with pytest.raises(TxDecode, match="wire type 2"):
        parse(Height, b"\x0a\x01\x05")


def test_an_any_is_read_through():
    header = tendermint.Header(trusted_height=Height(revision_height=4))
    raw = encode(client_tx.MsgUpdateClient(client_id="c", client_message=any_of(header)))
    assert parse(client_tx.MsgUpdateClient, raw).client_id == "c"


def update_with(type_url: str, value: bytes) -> bytes:
    packed = any_pb2.Any(type_url=type_url, value=value)
    return client_tx.MsgUpdateClient(client_message=packed).SerializeToString()


@pytest.mark.parametrize(
    ("type_url", "value", "reason"),
    [
        ("/ibc.lightclients.tendermint.v1.Header", length_delimited(9, b""), "no field 9"),
        ("/ibc.lightclients.tendermint.v1.Header", b"\x0a\x07x", "malformed"),
        ("/ibc.lightclients.tendermint.v1.ClientState", b"", "no known client message"),
        ("/ibc.lightclients.nothing.v1.Header", b"", "no known client message"),
        ("ibc.lightclients.tendermint.v1.Header", b"", "no known client message"),
        ("https://x/ibc.lightclients.tendermint.v1.Header", b"", "no known client message"),
        ("", b"", "no known client message"),
    ],
)
def test_what_an_any_holds_is_checked(type_url, value, reason):
    with pytest.raises(TxDecode, match=reason):
        parse(client_tx.MsgUpdateClient, update_with(type_url, value))


HEADER_URL = "/ibc.lightclients.tendermint.v1.Header"


def test_of_an_any_given_twice_the_last_counts():
    first, last = update_with(HEADER_URL, b"\x1a\x00"), update_with(HEADER_URL, b"\x22\x00")
    assert parse(client_tx.MsgUpdateClient, first + last).client_message.value == b"\x22\x00"


def test_an_any_given_twice_is_in_order_both_times():
    first, last = update_with("/nobody.Header", b""), update_with(HEADER_URL, b"")
    with pytest.raises(TxDecode, match="no known type"):
        parse(client_tx.MsgUpdateClient, first + last)
    with pytest.raises(TxDecode, match="no field 15"):
        parse(client_tx.MsgUpdateClient, update_with(HEADER_URL, b"\x78\x01") + last)


def test_of_a_type_url_given_twice_the_last_counts():
    url, other = length_delimited(1, HEADER_URL.encode()), length_delimited(1, b"/nobody.Header")
    twice = parse(client_tx.MsgUpdateClient, length_delimited(2, other + url))
    assert twice.client_message.type_url == HEADER_URL
    with pytest.raises(TxDecode, match="no known type"):
        parse(client_tx.MsgUpdateClient, length_delimited(2, url + other))


def test_text_that_is_not_utf8_is_told_unless_more_is_wrong():
    text = length_delimited(1, b"\xff")
    with pytest.raises(TxDecode, match=f"field 1 {NOT_UTF8}"):
        parse(client_tx.MsgUpdateClient, text)
    with pytest.raises(TxDecode, match="cut off"):
        parse(client_tx.MsgUpdateClient, text + b"\x22\x05")


def test_a_solo_machine_without_consensus_state_is_refused():
    raw = encode(client_tx.MsgCreateClient(client_state=any_of(solomachine.ClientState(sequence=1))))
    with pytest.raises(TxDecode, match="without consensus_state"):
        parse(client_tx.MsgCreateClient, raw)


def test_a_light_client_brings_its_own_types():
    raw = update_with("/ibc.core.channel.v1.Packet", b"")
    with pytest.raises(TxDecode):
        parse(client_tx.MsgUpdateClient, raw)
    known = KnownTypes({Role.CLIENT_MESSAGE: (channel_pb2.Packet,)})
    assert parse(client_tx.MsgUpdateClient, raw, known=known).HasField("client_message")
    with pytest.raises(TxDecode):
        parse(client_tx.MsgUpdateClient, raw)


def nested_keys(depth: int) -> bytes:
    """A multisignature key of one multisignature key of ... : an Any a level."""
    value = secp256k1.PubKey(key=b"k").SerializeToString()
    type_url = b"/cosmos.crypto.secp256k1.PubKey"
    for _ in range(depth - 1):
        value = length_delimited(2, length_delimited(1, type_url) + length_delimited(2, value))
        type_url = b"/cosmos.crypto.multisig.LegacyAminoPubKey"
    packed = length_delimited(1, type_url) + length_delimited(2, value)
    return length_delimited(1, length_delimited(1, packed))


def test_h45_anys_may_nest_to_the_limit():
    parse(cosmos_tx.AuthInfo, nested_keys(MAX_ANY_DEPTH), non_critical=False)
    with pytest.raises(TxDecode, match="10 Anys"):
        parse(cosmos_tx.AuthInfo, nested_keys(MAX_ANY_DEPTH + 1), non_critical=False)


@pytest.mark.parametrize("depth", [100, 1_000])
def test_h45_deeply_nested_messages_are_refused(depth):
    mode = b""
    for _ in range(depth):
        mode = length_delimited(2, length_delimited(2, mode))
    raw = length_delimited(1, length_delimited(2, mode))
    with pytest.raises(TxDecode, match="malformed"):
        parse(cosmos_tx.AuthInfo, raw, non_critical=False)


@pytest.mark.parametrize(
    ("levels", "reason"), [(11, "10 Anys"), (100, "10 Anys"), (50_000, "10 Anys"), (10**6, "bytes exceed")]
)
def test_h45_any_bombs_are_refused_in_bounded_work(levels, reason):
    raw = bomb(levels)
    budget = Budget(len(raw))
    with pytest.raises(TxDecode, match=reason):
        parse(cosmos_tx.AuthInfo, raw, non_critical=False, budget=budget)
    assert budget.bytes <= 2 * (MAX_ANY_DEPTH + 1) * len(raw)
    assert budget.elements <= (ELEMENTS_OF_AN_ANY + 1) * (MAX_ANY_DEPTH + 1)


def bomb(levels: int) -> bytes:
    """As `nested_keys`, in linear time: the front grows level by level, nothing is copied."""
    key = length_delimited(1, b"/cosmos.crypto.secp256k1.PubKey") + length_delimited(2, b"\x0a\x01k")
    url = length_delimited(1, b"/cosmos.crypto.multisig.LegacyAminoPubKey")
    fronts, size = [], len(key)
    for _ in range(levels - 1):
        keys = b"\x12" + varint(size)
        front = url + b"\x12" + varint(size + len(keys)) + keys
        fronts.append(front)
        size += len(front)
    outer = b"\x0a" + varint(size)
    return b"\x0a" + varint(size + len(outer)) + outer + b"".join(reversed(fronts)) + key


def test_a_bomb_is_what_nested_keys_builds():
    assert bomb(7) == nested_keys(7)


@given(st.binary(max_size=60))
@settings(max_examples=rounds(75, 300), deadline=None)
def test_any_bytes_are_read_or_refused(raw):
    for cls in (Recv, client_tx.MsgCreateClient, cosmos_tx.AuthInfo, multisig.LegacyAminoPubKey):
        try:
            message = parse(cls, raw)
        except TxDecode:
            continue
        assert parse(cls, message.SerializeToString()) == message


@pytest.mark.parametrize("raw", [b"", b"\x80", b"\x80" * 10 + b"\x01", b"\xff" * 9 + b"\x02"])
def test_bad_varints_are_refused(raw):
    with pytest.raises(TxDecode, match="malformed varint"):
        read_field(b"\x08" + raw, 0, 1 + len(raw))


def test_the_largest_varint_is_read():
    assert read_field(b"\x08" + b"\xff" * 9 + b"\x01", 0, 11) == (1, VARINT, 1, 11)


def test_an_amount_given_twice_is_an_integer_both_times():
    def coin(*amounts):
        token = length_delimited(1, b"stake") + b"".join(length_delimited(2, each) for each in amounts)
        return length_delimited(3, token)

    assert parse(transfer_tx.MsgTransfer, coin(b"1", b"2")).token.amount == "2"
    with pytest.raises(TxDecode, match="no integer"):
        parse(transfer_tx.MsgTransfer, coin(b"x", b"2"))
