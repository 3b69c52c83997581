"""A relayer opens and closes connections and channels of chosen names, and finishes what others began."""

import pytest

from conformance.kit.direct_module import one_connection, opening
from conformance.kit.ics4_messages import Ics4Messages
from conformance.kit.outcomes import must
from conformance.kit.pair import Pair
from conformance.kit.paired_chain import NEVER, PairedChain
from conformance.kit.scripted_app import VERSION
from pyibc.core.channel.types import ChannelState, Order
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.errors import HandshakeStuck, TransactionFailed, WrongCounterparty
from pyibc.relayer.links.link import relay
from pyibc.relayer.paths.discovery import known_path
from pyibc.relayer.paths.ends import channel_end, connection_end
from pyibc.relayer.paths.open_channel import ChannelParams, open_channel
from pyibc.relayer.paths.open_connection import open_connection
from pyibc.relayer.paths.open_path import make_path

NAMES = "x-end-on-a", "x-end-on-b"
CONNECTIONS = "conn-end-on-a", "conn-end-on-b"


@pytest.fixture
def pair():
    def make_chain(chain_id, clock, coins, side):
        return PairedChain(chain_id, clock, coins, direct=True, side=side)

    made = Pair.connected(make_chain=make_chain)
    yield made
    for side in (made.a, made.b):
        side.chain.close()


def ends(pair):
    return pair.a.relayer, pair.b.relayer


def clients(pair):
    a, b = ends(pair)
    return ForeignClient(a, b, pair.a.client_id), ForeignClient(b, a, pair.b.client_id)


def made(pair, names=NAMES, **options):
    return make_path(*ends(pair), pair.ports, Order.UNORDERED, VERSION, names=names, **options)


def state(side, name):
    end = channel_end(side.relayer, side.port, name)
    return None if end is None else end.state


def states(pair, names=NAMES):
    return state(pair.a, names[0]), state(pair.b, names[1])


def begin(pair, side, own, far, version=VERSION):
    """Somebody starts a channel of chosen names on one chain."""
    other = pair.other(side)
    hop = pair.transfer.a.connection_id if side is pair.a else pair.transfer.b.connection_id
    asked = opening(own, far, version=version, port=side.port, far_port=other.port, connection_id=hop)
    must(side.submit(Ics4Messages(pair, side).channel_open_init(asked)))
    pair.sync()


def counted(pair):
    """Channels that the chains have numbered so far."""
    return [side.chain.get(b"nextChannelSequence") for side in (pair.a, pair.b)]


OPEN = ChannelState.OPEN, ChannelState.OPEN


def test_h305_a_channel_of_chosen_names_is_opened(pair):
    before = counted(pair)
    path = made(pair)
    assert (path.a.channel_id, path.b.channel_id) == NAMES
    assert states(pair) == OPEN
    heights = pair.a.chain.height, pair.b.chain.height
    assert made(pair) == path
    assert (pair.a.chain.height, pair.b.chain.height) == heights
    assert counted(pair) == before


@pytest.mark.parametrize("names", [("x-end-on-a", ""), ("", "x-end-on-b")])
def test_h305_one_end_may_be_left_to_its_chain(pair, names):
    path = made(pair, names)
    found = path.a.channel_id, path.b.channel_id
    assert all(found)
    assert all(wanted in {"", got} for wanted, got in zip(names, found, strict=True))
    assert states(pair, found) == OPEN
    assert made(pair, names) == path


def test_h305_packets_cross_it_and_its_closing_is_finished(pair):
    path = made(pair)
    pair.a.send(path.a, path.b, b"x", NEVER)
    must(pair.a.submit(Ics4Messages(pair, pair.a).channel_close_init(NAMES[0])))
    metrics = relay(path, *ends(pair))
    assert metrics.given_up == {}
    assert states(pair) == (ChannelState.CLOSED, ChannelState.CLOSED)


@pytest.mark.parametrize("far", ["x-end-on-b", ""], ids=["both named", "one named"])
def test_h305_a_handshake_that_somebody_began_is_finished(pair, far):
    begin(pair, pair.a, "x-end-on-a", far)
    path = known_path(*ends(pair), pair.a.port, "x-end-on-a")
    assert path.a.channel_id == "x-end-on-a"
    assert far in {"", path.b.channel_id}
    assert states(pair, ("x-end-on-a", path.b.channel_id)) == OPEN


@pytest.mark.parametrize("begun_on", ["a", "b"])
def test_h305_no_second_channel_is_opened_beside_a_begun_one(pair, begun_on):
    """`make_path` did not see ends of chosen names, and silently opened another channel."""
    before = counted(pair)
    side, names = (pair.a, NAMES) if begun_on == "a" else (pair.b, NAMES[::-1])
    begin(pair, side, *names)
    path = make_path(*ends(pair), pair.ports, Order.UNORDERED, VERSION)
    assert (path.a.channel_id, path.b.channel_id) == NAMES
    assert states(pair) == OPEN
    assert counted(pair) == before


def test_h305_two_starts_at_once_come_to_one_channel(pair):
    begin(pair, pair.a, *NAMES)
    begin(pair, pair.b, *NAMES[::-1])
    assert states(pair) == (ChannelState.INIT, ChannelState.INIT)
    assert made(pair).b.channel_id == NAMES[1]
    assert states(pair) == OPEN


def test_h305_two_tries_at_once_come_to_one_channel(pair):
    begin(pair, pair.a, *NAMES)
    begin(pair, pair.b, *NAMES[::-1])
    tries = []
    for side, (own, far), hop in (
        (pair.a, NAMES, pair.transfer.a.connection_id),
        (pair.b, NAMES[::-1], pair.transfer.b.connection_id),
    ):
        port, far_port = side.port, pair.other(side).port
        asked = opening(own, far, version=VERSION, port=port, far_port=far_port, connection_id=hop)
        tries.append((side, Ics4Messages(pair, side).channel_open_try(asked, VERSION)))
    for side, message in tries:
        must(side.submit(message))
    pair.sync()
    assert states(pair) == (ChannelState.TRYOPEN, ChannelState.TRYOPEN)
    made(pair)
    assert states(pair) == OPEN


def test_h305_a_name_that_a_stranger_took_is_no_channel_of_ours(pair):
    """First come, first served: a channel of our name over another connection is not taken for ours."""
    theirs = open_connection(clients(pair), new=True)
    params = ChannelParams(pair.ports, theirs, Order.UNORDERED, VERSION, NAMES)
    open_channel(clients(pair), params, new=False)
    heights = pair.a.chain.height, pair.b.chain.height
    ours = params._replace(connections=(pair.transfer.a.connection_id, pair.transfer.b.connection_id))
    with pytest.raises(WrongCounterparty, match="another channel") as caught:
        open_channel(clients(pair), ours, new=False)
    assert (caught.value.chain_id, caught.value.name) == (pair.a.chain.chain_id, NAMES[0])
    assert (pair.a.chain.height, pair.b.chain.height) == heights


def test_h305_a_channel_of_our_name_to_another_end_is_no_channel_of_ours(pair):
    begin(pair, pair.a, NAMES[0], "x-other-on-b")
    with pytest.raises(WrongCounterparty, match="x-other-on-b"):
        made(pair)


def test_h305_a_closed_channel_s_name_is_gone_for_good(pair):
    path = made(pair)
    must(pair.a.submit(Ics4Messages(pair, pair.a).channel_close_init(NAMES[0])))
    relay(path, *ends(pair))
    with pytest.raises(WrongCounterparty, match="CLOSED"):
        made(pair)


def test_h305_a_connection_that_began_on_the_other_chain_is_finished(pair):
    """It is found by the one name that is asked for."""
    begun = Ics4Messages(pair, pair.b).connection_open_init(*CONNECTIONS[::-1])
    must(pair.b.submit(begun))
    pair.sync()
    found = open_connection(clients(pair), names=(CONNECTIONS[0], ""))
    assert found == CONNECTIONS


@pytest.mark.parametrize("names", [CONNECTIONS, (CONNECTIONS[0], ""), ("", CONNECTIONS[1])])
def test_h305_a_connection_of_chosen_names_is_opened(pair, names):
    ids = open_connection(clients(pair), names=names)
    assert all(wanted in {"", got} for wanted, got in zip(names, ids, strict=True))
    for side, name in zip((pair.a, pair.b), ids, strict=True):
        assert connection_end(side.relayer, name).state.name == "OPEN"
    heights = pair.a.chain.height, pair.b.chain.height
    assert open_connection(clients(pair), names=names) == ids
    assert (pair.a.chain.height, pair.b.chain.height) == heights


def test_h305_a_connection_that_somebody_began_is_finished(pair):
    must(pair.a.submit(Ics4Messages(pair, pair.a).connection_open_init(*CONNECTIONS)))
    assert open_connection(clients(pair), names=CONNECTIONS) == CONNECTIONS


def test_h305_a_connection_of_our_name_with_other_terms_is_not_ours(pair):
    open_connection(clients(pair), 10**9, names=CONNECTIONS)
    with pytest.raises(WrongCounterparty, match="another connection"):
        open_connection(clients(pair), names=CONNECTIONS)


def test_two_connections_that_started_at_once_are_stuck(pair):
    """The text has no step from there (ADR 0013)."""
    for side, names in ((pair.a, CONNECTIONS), (pair.b, CONNECTIONS[::-1])):
        must(side.submit(Ics4Messages(pair, side).connection_open_init(*names)))
    with pytest.raises(HandshakeStuck):
        open_connection(clients(pair), names=CONNECTIONS)


def test_a_chain_without_the_plugin_is_never_asked_by_chance():
    """Only chosen names are asked for by messages that today's chains do not know."""
    today = Pair.connected(make_chain=lambda *given, side: PairedChain(*given, side=one_connection(side)))
    path = make_path(*ends(today), today.ports, Order.UNORDERED, VERSION)
    assert (path.a.channel_id[:8], path.b.channel_id[:8]) == ("channel-", "channel-")
    with pytest.raises(TransactionFailed):
        make_path(*ends(today), today.ports, Order.UNORDERED, VERSION, names=NAMES)
