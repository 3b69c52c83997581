"""Paths are independent: of chains that are down, and of changes of the configuration."""

import msgspec
import pytest

from pyibc.relayer.chain.endpoint import EndpointExtras
from pyibc.relayer.chain.values import Tip
from pyibc.relayer.config.model import AttestorsConfig, ChainConfig, Config, KeyConfig, PathConfig
from pyibc.relayer.daemon.supervisor import Changes, Supervisor
from pyibc.relayer.daemon.worker import WorkerState
from pyibc.relayer.errors import EndpointUnavailable
from pyibc.relayer.rpc.pool_node import NodeState, NodeStatus
from tests.waiting import until

SOON_S = 20.0


closed, renewed = [], []
clients = []
"""Types of the clients on both ends, by link."""


class Chain:
    """Endpoint with the attributes that a supervisor needs."""

    signer = "relayer"

    def __init__(self, chain_id):
        self.chain_id = chain_id
        self.node_statuses = (NodeStatus("http://x", NodeState.DROPPED, 5.0, "it lies", 0, 9.0),)

    @property
    def extras(self):
        return EndpointExtras(nodes=self)

    def renew_nodes(self):
        renewed.append(self.chain_id)

    def close(self):
        closed.append(self.chain_id)

    def tip(self):
        return Tip(7, 7_000_000_000)

    def grpc(self, *_):
        raise EndpointUnavailable(self.chain_id, "no bank")


def chain(name):
    return ChainConfig(id=name, rpc=("http://127.0.0.1:1",), key=KeyConfig(env="KEY"))


def path(a, b, *channels):
    return PathConfig(a=a, b=b, channels=channels or ("channel-0",))


def config(*paths, chains=("a-1", "b-2", "c-3")):
    return Config(chains=tuple(map(chain, chains)), paths=paths)


@pytest.fixture
def supervise(scripted):
    """Start a supervisor; record all links by the names of their paths."""
    made, running = {}, []

    def connect(given):
        if given.id in supervising.down:
            raise EndpointUnavailable(given.id, "is down")
        return Chain(supervising.renamed.get(given.id, given.id))

    def open_link(which, a, b, journal, drivers, channels):
        assert channels == ()
        assert (a.chain_id, b.chain_id, journal.name) == (which.a, which.b, "relayer.db")
        clients.append([each.client_type for each in drivers.new])
        link = scripted()
        made.setdefault(which.label, []).append(link)
        return link

    def supervising(given):
        supervisor = Supervisor(given, connect=connect, open_link=open_link)
        running.append(supervisor)
        supervisor.start()
        return supervisor, made

    supervising.down, supervising.renamed = set(), {}
    clients.clear()
    yield supervising
    for each in running:
        assert each.stop(SOON_S)


def states(supervisor):
    return {link.name: link.state for link in supervisor.links}


def test_a_chain_that_is_down_stops_its_own_paths_alone(supervise):
    supervise.down.add("c-3")
    supervisor, made = supervise(config(path("a-1", "b-2"), path("a-1", "c-3"), path("c-3", "b-2")))
    until(lambda: states(supervisor).get("a-1/channel-0/b-2") is WorkerState.RELAYING)
    until(lambda: list(states(supervisor).values()).count(WorkerState.WAITING) == 2)
    assert [link.reason for link in supervisor.links if link.failures] == ["c-3: is down"] * 2
    until(
        lambda: (
            [(each.chain_id, each.is_up) for each in supervisor.chains if not each.is_up] == [("c-3", False)]
        )
    )
    assert set(made) == {"a-1/channel-0/b-2"}
    supervise.down.clear()
    until(lambda: set(states(supervisor).values()) == {WorkerState.RELAYING})


def test_a_chain_with_attestors_is_followed_by_their_word(supervise):
    first = config(path("a-1", "b-2"), path("b-2", "a-1"), chains=("a-1", "b-2"))
    supervisor, made = supervise(first)
    until(lambda: len(made) == 2)
    assert clients == [["07-tendermint", "07-tendermint"]] * 2
    listed = AttestorsConfig(listed=(f"0x{'1a' * 20}@http://127.0.0.1:4",), threshold=1)
    attested = msgspec.structs.replace(first.chains[1], attestors=listed)
    clients.clear()
    supervisor.reload(msgspec.structs.replace(first, chains=(first.chains[0], attested)))
    until(lambda: len(clients) == 2)
    assert sorted(clients) == [["07-tendermint", "attestations"], ["attestations", "07-tendermint"]]


def test_nodes_of_another_chain_are_named(supervise):
    supervise.renamed["b-2"] = "b-3"
    supervisor, made = supervise(config(path("a-1", "b-2")))
    closed.clear()
    until(lambda: supervisor.links[0].reason == "b-2: chain: its nodes are of b-3")
    until(lambda: "b-3" in closed)
    assert made == {}


def test_what_stays_in_the_configuration_is_not_touched(supervise):
    first = config(path("a-1", "b-2"), path("a-1", "c-3"))
    supervisor, made = supervise(first)
    until(lambda: len(made) == 2)
    second = config(path("a-1", "b-2"), path("b-2", "c-3", "channel-9"))
    assert supervisor.reload(second) == Changes(["a-1/channel-0/c-3"], ["b-2/channel-9/c-3"])
    until(lambda: "b-2/channel-9/c-3" in made)
    assert made["a-1/channel-0/c-3"][0].closed
    assert [link.closed for link in made["a-1/channel-0/b-2"]] == [False]
    assert supervisor.reload(second) == Changes([], [])


def test_a_reload_lets_all_nodes_be_judged_anew(supervise):
    """Regression: a node that had been dropped stayed so until the daemon was restarted."""
    given = config(path("a-1", "b-2"), chains=("a-1", "b-2"))
    supervisor, made = supervise(given)
    until(lambda: len(made) == 1)
    renewed.clear()
    assert supervisor.reload(given) == Changes([], [])
    assert sorted(renewed) == ["a-1", "b-2"]
    (node,) = supervisor.chains[0].nodes
    assert (node.node, node.state, node.reason) == ("http://x", NodeState.DROPPED, "it lies")


def test_a_changed_chain_takes_its_own_paths_with_it(supervise):
    first = config(path("a-1", "b-2"), path("a-1", "c-3"))
    supervisor, made = supervise(first)
    until(lambda: len(made) == 2)
    other = msgspec.structs.replace(chain("c-3"), rpc=("http://127.0.0.1:2",))
    moved = msgspec.structs.replace(first, chains=(*first.chains[:2], other))
    assert supervisor.reload(moved) == Changes(["a-1/channel-0/c-3"], ["a-1/channel-0/c-3"])
    until(lambda: [link.closed for link in made["a-1/channel-0/c-3"]] == [True, False])
    assert [link.closed for link in made["a-1/channel-0/b-2"]] == [False]
    gone = msgspec.structs.replace(first, chains=first.chains[:2], paths=first.paths[:1])
    assert supervisor.reload(gone) == Changes(["a-1/channel-0/c-3"], [])
    assert [each.chain_id for each in supervisor.chains] == ["a-1", "b-2"]


def test_the_end_closes_every_link(supervise):
    closed.clear()
    supervisor, made = supervise(config(path("a-1", "b-2"), path("a-1", "c-3")))
    until(lambda: len(made) == 2)
    assert supervisor.stop(SOON_S)
    assert sorted(closed) == ["a-1", "b-2", "c-3"]
    assert all(link.closed for links in made.values() for link in links)
    assert supervisor.links == []
