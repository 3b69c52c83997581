"""Keys of the `ibc` store: ibc-go's texts, no list reaching into another (H12a)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyibc.core import paths as p
from pyibc.core.height import Height
from pyibc.core.host.context import prefix_end
from pyibc.core.numbers import MAX_U64

U64 = st.integers(0, MAX_U64)
HEIGHTS = st.builds(Height, U64, U64)
ALPHABET = "abc019._+-#[]<>"
CLIENTS = st.text(ALPHABET, min_size=4, max_size=64)
CONNECTIONS = st.text(ALPHABET, min_size=10, max_size=64)
CHANNELS = st.text(ALPHABET, min_size=8, max_size=64)
PORTS = st.text(ALPHABET, min_size=2, max_size=128)
AT = Height(1, 5)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (lambda: p.client_state_path("07-tendermint-0"), "clients/07-tendermint-0/clientState"),
        (
            lambda: p.consensus_state_path("07-tendermint-0", AT),
            "clients/07-tendermint-0/consensusStates/1-5",
        ),
        (lambda: p.processed_time_path("a-0", AT), "clients/a-0/consensusStates/1-5/processedTime"),
        (lambda: p.processed_height_path("a-0", AT), "clients/a-0/consensusStates/1-5/processedHeight"),
        (lambda: p.consensus_state_suffix(AT), "consensusStates/1-5"),
        (lambda: p.client_connections_path("a-0"), "clients/a-0/connections"),
        (lambda: p.client_creator_path("a-0"), "clients/a-0/creator"),
        (lambda: p.connection_path("connection-0"), "connections/connection-0"),
        (lambda: p.channel_path("transfer", "channel-0"), "channelEnds/ports/transfer/channels/channel-0"),
        (
            lambda: p.next_sequence_send_path("t0", "channel-0"),
            "nextSequenceSend/ports/t0/channels/channel-0",
        ),
        (
            lambda: p.next_sequence_recv_path("t0", "channel-0"),
            "nextSequenceRecv/ports/t0/channels/channel-0",
        ),
        (lambda: p.next_sequence_ack_path("t0", "channel-0"), "nextSequenceAck/ports/t0/channels/channel-0"),
        (
            lambda: p.packet_commitment_path("t0", "channel-0", 7),
            "commitments/ports/t0/channels/channel-0/sequences/7",
        ),
        (
            lambda: p.packet_receipt_path("t0", "channel-0", 7),
            "receipts/ports/t0/channels/channel-0/sequences/7",
        ),
        (
            lambda: p.packet_acknowledgement_path("t0", "channel-0", 7),
            "acks/ports/t0/channels/channel-0/sequences/7",
        ),
    ],
)
def test_texts(key, text):
    assert key() == text.encode()


def test_iteration_keys_sort_as_heights():
    heights = [Height(0, 300), Height(1, 2), Height(1, 10), Height(1, 256), Height(2, 1)]
    keys = [p.iteration_path("a-0", height) for height in heights]
    assert keys == sorted(keys)
    assert keys[1] == b"clients/a-0/iterateConsensusStates" + bytes(7) + b"\x01" + bytes(7) + b"\x02"


SINGLES = st.one_of(
    st.sampled_from(
        [
            p.NEXT_CLIENT_SEQUENCE,
            p.NEXT_CONNECTION_SEQUENCE,
            p.NEXT_CHANNEL_SEQUENCE,
            p.CLIENT_PARAMS,
            p.CONNECTION_PARAMS,
        ]
    ),
    st.builds(p.client_state_path, CLIENTS),
    st.builds(p.client_connections_path, CLIENTS),
    st.builds(p.client_creator_path, CLIENTS),
    st.builds(p.connection_path, CONNECTIONS),
    st.builds(p.channel_path, PORTS, CHANNELS),
    st.builds(p.next_sequence_send_path, PORTS, CHANNELS),
    st.builds(p.next_sequence_recv_path, PORTS, CHANNELS),
    st.builds(p.next_sequence_ack_path, PORTS, CHANNELS),
    st.builds(p.iteration_path, CLIENTS, HEIGHTS),
    st.builds(p.consensus_state_path, CLIENTS, HEIGHTS),
    st.builds(p.packet_commitment_path, PORTS, CHANNELS, U64),
    st.builds(p.packet_receipt_path, PORTS, CHANNELS, U64),
    st.builds(p.packet_acknowledgement_path, PORTS, CHANNELS, U64),
)
LISTS = {
    "client": (p.client_prefix, (CLIENTS,)),
    "consensus": (p.consensus_states_prefix, (CLIENTS,)),
    "iteration": (p.iteration_prefix, (CLIENTS,)),
    "commitments": (p.packet_commitment_prefix, (PORTS, CHANNELS)),
    "acknowledgements": (p.packet_acknowledgement_prefix, (PORTS, CHANNELS)),
}


@settings(deadline=None)
@given(data=st.data(), kind=st.sampled_from(sorted(LISTS)))
def test_h12a_no_list_begins_another_list_of_its_kind(data, kind):
    """A prefix that is another's beginning would list the other's entries: channel-1 those of channel-10."""
    prefix, names = LISTS[kind]
    one = data.draw(st.tuples(*names))
    extended = (*one[:-1], one[-1] + data.draw(st.text(ALPHABET, min_size=1, max_size=3)))
    other = data.draw(st.just(extended) | st.tuples(*names))
    assert (one == other) == prefix(*other).startswith(prefix(*one))


@settings(deadline=None)
@given(one=SINGLES, other=SINGLES, tail=st.text(ALPHABET + "/", max_size=3))
def test_h12a_no_entry_stands_below_a_list_of_another_kind(one, other, tail):
    """The roots of lists are prefix-free, and so no two functions can make one key for different things."""
    roots = [p.CLIENTS, p.CONNECTIONS, p.CHANNEL_ENDS, b"commitments/", b"receipts/", b"acks/"]
    for root in roots:
        assert not any(root.startswith(each) for each in roots if each != root)
    for key in (one, other):
        assert sum(key.startswith(root) for root in roots) <= 1


@settings(deadline=None)
@given(
    ports=st.lists(PORTS, min_size=2, max_size=2),
    channels=st.lists(CHANNELS, min_size=2, max_size=2),
    numbers=st.tuples(U64, U64),
)
def test_keys_are_equal_only_for_equal_names(ports, channels, numbers):
    names = [(port, channel, n) for port, channel, n in zip(ports, channels, numbers, strict=True)]
    for path in (p.packet_commitment_path, p.packet_receipt_path, p.packet_acknowledgement_path):
        assert (path(*names[0]) == path(*names[1])) == (names[0] == names[1])


@given(client_id=CLIENTS, height=HEIGHTS)
def test_split_client_keys(client_id, height):
    cut = len(p.CLIENTS)
    assert p.split_client_state_path(p.client_state_path(client_id)[cut:]) == client_id
    beside = [
        p.consensus_state_path(client_id, height),
        p.client_connections_path(client_id),
        p.client_creator_path(client_id),
        p.iteration_path(client_id, height),
    ]
    assert [p.split_client_state_path(key[cut:]) for key in beside] == [None] * 4
    start = p.consensus_states_prefix(client_id)
    assert p.split_height(p.consensus_state_path(client_id, height).removeprefix(start)) == height
    for key in (p.processed_time_path(client_id, height), p.processed_height_path(client_id, height)):
        assert p.split_height(key.removeprefix(start)) is None
    assert not p.iteration_path(client_id, height).startswith(start)


@given(port_id=PORTS, channel_id=CHANNELS, connection_id=CONNECTIONS, sequence=U64)
def test_split_channel_keys(port_id, channel_id, connection_id, sequence):
    assert p.split_channel_path(p.channel_path(port_id, channel_id).removeprefix(p.CHANNEL_ENDS)) == (
        port_id,
        channel_id,
    )
    assert (
        p.split_connection_path(p.connection_path(connection_id).removeprefix(p.CONNECTIONS)) == connection_id
    )
    for path, prefix in (
        (p.packet_commitment_path, p.packet_commitment_prefix),
        (p.packet_acknowledgement_path, p.packet_acknowledgement_prefix),
    ):
        below = path(port_id, channel_id, sequence).removeprefix(prefix(port_id, channel_id))
        assert p.split_sequence(below) == sequence


@given(st.binary(max_size=20))
def test_any_bytes_are_split_or_passed_over(below):
    for split in (
        p.split_client_state_path,
        p.split_height,
        p.split_connection_path,
        p.split_channel_path,
        p.split_sequence,
    ):
        split(below)


@pytest.mark.parametrize(
    ("split", "below"),
    [
        (p.split_client_state_path, b"a-0/consensusState"),
        (p.split_client_state_path, b"/clientState"),
        (p.split_client_state_path, b"a-0/b/clientState"),
        (p.split_client_state_path, b"clientState"),
        (p.split_channel_path, b"ports/a/channels/b/c"),
        (p.split_channel_path, b"port/a/channels/b"),
        (p.split_channel_path, b"ports/a/channel/b"),
        (p.split_connection_path, b""),
        (p.split_connection_path, b"\xff"),
        (p.split_sequence, b"007"),
        (p.split_sequence, b""),
    ],
)
def test_what_is_no_entry(split, below):
    assert split(below) is None


@given(prefix=st.binary(max_size=4), key=st.binary(max_size=6))
def test_prefix_end(prefix, key):
    end = prefix_end(prefix)
    assert key.startswith(prefix) == (prefix <= key and (end is None or key < end))
