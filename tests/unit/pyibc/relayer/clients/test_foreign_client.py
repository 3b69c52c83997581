"""Client states prefetched with the proofs, before the header of the update exists."""

import pytest

from pyibc.codec.anys import AnyMessage, decode_any, encode_any
from pyibc.core import paths
from pyibc.core.channel.types import Order
from pyibc.proto.ibc.lightclients.tendermint.v1.tendermint_pb2 import ClientState
from pyibc.relayer.chain.endpoint import NO_EXTRAS, EndpointExtras
from pyibc.relayer.chain.second_opinion import OtherNode
from pyibc.relayer.clients.attestations.driver import AttestationsDriver
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.errors import ClientUnusable, EndpointUnavailable, WrongCounterparty
from pyibc.testing.pair import two_chains


class Counting:
    """Chain that records the keys that are read."""

    def __init__(self, endpoint) -> None:
        self._endpoint, self.read, self.error = endpoint, [], None

    def __getattr__(self, name):
        return getattr(self._endpoint, name)

    def get(self, key, store="ibc"):
        self.read.append(key)
        if self.error is not None:
            raise self.error
        return self._endpoint.get(key, store)


@pytest.fixture
def world():
    """Return the client on b that tracks a, the reads of b, and both chains."""
    chains = two_chains()
    path = chains.open("transfer", Order.UNORDERED, "ics20-1")
    host = Counting(chains.b.endpoint)
    for _ in range(3):
        chains.a.chain.make_block()
    yield ForeignClient(host, chains.a.endpoint, path.b.client_id), host, chains
    chains.close()


def foreseen(client, chains):
    """Prefetch for the next header of a, commit it, and return its height."""
    client.prefetch_proofs(chains.a.chain.height, [])
    chains.a.chain.make_block()
    return chains.a.chain.height


def test_an_update_that_was_foreseen_asks_for_no_state(world):
    client, host, chains = world
    tip = foreseen(client, chains)
    assert host.read == [paths.client_state_path(client.client_id)]
    height, updates = client.build_updates(tip)
    assert len(host.read) == 1
    assert (height, updates) == (tip, client.build_updates(tip)[1])
    assert len(updates) == 1
    assert len(host.read) == 2  # the second time: something may have been wrong with it


def test_one_to_another_header_asks(world):
    client, host, chains = world
    tip = foreseen(client, chains)
    client.build_updates(tip - 1)
    assert len(host.read) == 2
    client.build_updates(tip)
    assert len(host.read) == 3


def test_an_older_state_will_do_where_somebody_else_has_updated_the_client(world):
    client, host, chains = world
    tip = foreseen(client, chains)
    other = ForeignClient(chains.b.endpoint, chains.a.endpoint, client.client_id)
    assert other.update_to(tip) == 1
    before = other.view()
    _, updates = client.build_updates(tip)
    assert len(host.read) == 1
    assert chains.b.endpoint.submit(updates).code == 0
    assert other.view() == before
    assert client.build_updates(tip) == (tip, [])


def test_a_chain_that_does_not_tell_it_is_asked_in_time(world):
    client, host, chains = world
    host.error = EndpointUnavailable("b", "gone")
    with pytest.raises(EndpointUnavailable):
        client.prefetch_proofs(chains.a.chain.height, [])
    host.error = None
    chains.a.chain.make_block()
    assert len(client.build_updates(chains.a.chain.height)[1]) == 1
    assert len(host.read) == 2


def test_clients_of_attestors_need_more_than_headers(world):
    client, *_ = world
    assert client.needs_only_headers
    assert AttestationsDriver().extras.prefetch_header is None


class Opinions:
    """Nodes x and y of a chain; y reads what `get` returns."""

    speaker = "x"

    def __init__(self, get) -> None:
        self.get, self.named = get, []

    def another(self):
        return OtherNode("y", None, None, self.get, None)

    def contradicted(self, name, reason):
        pytest.fail(f"{name} is asked last, though nothing is proven: {reason}")

    def differs(self, name, reason):
        self.named.append((name, reason))


def frozen(raw):
    """Return the client state as of a client that is frozen."""
    state = ClientState.FromString(decode_any(raw).value)
    state.frozen_height.revision_height = 1
    return encode_any(AnyMessage("/" + ClientState.DESCRIPTOR.full_name, state.SerializeToString()))


@pytest.mark.parametrize("lie", [lambda _: None, frozen])
def test_a_client_that_one_node_calls_frozen_or_absent_is_looked_up_on_another(world, lie):
    client, host, _ = world
    honest = host._endpoint.get
    expected = client.build_updates(3), client.lifetime()
    host.get = lambda key, store="ibc": (
        lie(honest(key, store)) if b"clientState" in key else honest(key, store)
    )
    opinions = Opinions(honest)
    host.extras = EndpointExtras(opinions=opinions)
    assert (client.build_updates(3), client.lifetime()) == expected
    reason = f"client {client.client_id} is frozen or absent by this node, and active by another one"
    assert set(opinions.named) == {("x", reason)}
    opinions = Opinions(host.get)
    host.extras = EndpointExtras(opinions=opinions)
    with pytest.raises((ClientUnusable, WrongCounterparty)):
        client.build_updates(3)
    assert opinions.named == []
    host.extras = NO_EXTRAS
    with pytest.raises((ClientUnusable, WrongCounterparty)):
        client.build_updates(3)


def test_a_client_that_is_expired_by_the_time_of_one_node_is_looked_up_on_the_others(world):
    client, host, _ = world
    expected = client.lifetime()
    honest, get = host._endpoint.tip, host._endpoint.get

    def late():
        return honest()._replace(time_ns=expected.expires_ns)

    def unavailable():
        raise EndpointUnavailable("b", "gone")

    tips = {"w": unavailable, "x": late, "y": honest, "z": late}
    host.tip, opinions = late, Opinions(get)
    host.extras = EndpointExtras(opinions=opinions)
    opinions.nodes = lambda: [OtherNode(name, None, None, get, tip) for name, tip in tips.items()]
    assert client.lifetime() == expected
    reason = f"client {client.client_id} is expired by this node, and active by another one"
    assert opinions.named == [("x", reason), ("z", reason)]
    opinions.named.clear()
    del tips["y"]
    with pytest.raises(ClientUnusable, match="expired"):
        client.lifetime()
    assert opinions.named == []
    host.extras = NO_EXTRAS
    with pytest.raises(ClientUnusable, match="expired"):
        client.lifetime()
