"""Pool of nodes: lagging nodes are passed over; faulty ones and those of another chain are dropped."""

import copy
from base64 import b64encode

import pytest

from conformance.kit.forged_headers import EQUIVOCATIONS
from conformance.kit.headers import header_of
from light_client.tendermint.comet_json import write_header, write_signed_header
from light_client.tendermint.types import SignedHeader
from localnet.rpc.methods import Methods, Params, RpcError
from pyibc.core.channel.types import Order
from pyibc.relayer.chain.second_opinion import WRONG_REFUSAL
from pyibc.relayer.chain.simulation import SIMULATE
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer
from pyibc.relayer.links.link import Link
from pyibc.relayer.money.account import GasConfig
from pyibc.relayer.rpc.calls import Rpc
from pyibc.relayer.rpc.client import RpcConfig
from pyibc.relayer.rpc.endpoint import RpcEndpoint
from pyibc.relayer.rpc.node_queries import ESTIMATE_GAS
from pyibc.relayer.rpc.pool import RpcPool
from pyibc.relayer.rpc.pool_node import Happening, NodeState, PoolNode
from pyibc.testing.faults import without_waiting
from pyibc.testing.pair import two_chains
from pyibc.testing.transfers import transfer

QUICK = RpcConfig(inclusion_s=0.3, poll_s=0.1, sleep=lambda _seconds: None, parallel=1)


class Time:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Backend(Rpc):
    """Node of an in-process chain, with faults."""

    def __init__(self, chain) -> None:
        self.serve(chain)
        self.calls = []
        self.lag = 0
        self.down = False
        self.spoil = lambda _method, _params, answer: answer

    def serve(self, chain) -> None:
        self.chain = chain
        self.methods = Methods(chain, "tcp://127.0.0.1:0")

    def call(self, method, **params):
        self.calls.append((method, params.get("height")))
        if self.down:
            raise EndpointUnavailable("node", "connection refused")
        top = self.chain.height - self.lag
        if int(params.get("height") or 0) > top:
            reason = f"height must be less than or equal to the current blockchain height {top}"
            raise EndpointRefused("node", method, reason)
        try:
            answer = copy.deepcopy(self.methods.call(method, Params(params, uri=False)))
        except RpcError as error:
            raise EndpointRefused("node", method, str(error)) from error
        if method == "status":
            answer["sync_info"]["latest_block_height"] = str(top)
        if method == "abci_info":
            answer["response"]["last_block_height"] = str(top)
        return self.spoil(method, params, answer)

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def chains():
    made = two_chains()
    for _ in range(5):
        made.a.chain.make_block()
        made.b.chain.make_block()
    yield made
    made.close()


@pytest.fixture
def pool(chains):
    """Return a factory of pools over nodes of chain a."""
    time, notices = Time(), []

    def make(number=2, **more):
        nodes = [PoolNode(name, Backend(chains.a.chain)) for name in "xyz"[:number]]
        made = RpcPool(nodes, clock=time, report=notices.append, **more)
        made.time, made.notices, made.backends = time, notices, [node.rpc for node in nodes]
        return made

    return make


def told(pool):
    return [(notice.node, notice.happening) for notice in pool.notices]


def test_the_first_node_answers_while_it_can(pool) -> None:
    made = pool(2, compare_every=10**9)
    first, second = made.backends
    top = first.chain.height
    assert made.call("abci_info")["response"]["last_block_height"] == str(top)
    made.call("block", height=str(top))
    before = len(second.calls)
    for _ in range(5):
        made.call("block", height=str(top))
    assert (len(second.calls), made.notices, made.dropped) == (before, [], {})


def test_a_node_that_is_down_is_left_alone_for_a_while_and_taken_back(pool) -> None:
    made = pool(2, compare_every=1)
    first, second = made.backends
    first.down = True
    assert made.call("abci_info")
    tries = len(first.calls)
    for _ in range(9):
        assert made.call("abci_info")
    assert len(first.calls) == tries == 1
    second.down = True
    with pytest.raises(EndpointUnavailable, match=r"x: .*refused; y: .*refused"):
        made.call("abci_info")
    first.down = second.down = False
    made.time.now = 100
    made.call("block", height="3")
    assert told(made) == [
        ("x", Happening.DOWN),
        ("y", Happening.DOWN),
        *[(name, Happening.BACK) for name in ("x", "y")],
    ]


def test_h146_a_node_that_lags_is_not_asked_for_what_is_newer(pool, chains) -> None:
    made = pool(2, compare_every=10**9)
    first, second = made.backends
    first.lag = 3
    top = first.chain.height
    second_first = RpcPool.call(made, "abci_info")  # nothing is known of y yet
    assert second_first["response"]["last_block_height"] == str(top - 3)
    assert made.call("block", height=str(top))["block"]["header"]["height"] == str(top)
    assert made.call("abci_info")["response"]["last_block_height"] == str(top)
    before = len(first.calls)
    for _ in range(5):
        assert made.call("abci_info")["response"]["last_block_height"] == str(top)
        assert made.call("block", height=str(top))
    assert len(first.calls) == before
    second.down = True
    assert made.call("abci_info")["response"]["last_block_height"] == str(top - 3)
    with pytest.raises(EndpointRefused, match="less than or equal"):
        made.call("block", height=str(top))
    assert made.dropped == {}


def test_h146_an_answer_from_behind_is_asked_of_another_node(pool) -> None:
    """One URL may lead to several nodes of different height; state queries may lag as well."""
    made = pool(2, compare_every=10**9)
    first, second = made.backends
    top = first.chain.height
    made.call("abci_info")
    first.lag = 2
    assert made.call("abci_info")["response"]["last_block_height"] == str(top)
    made.nodes[0].height = top
    query = {"path": "store/ibc/key", "data": b"nextClientSequence".hex()}

    def spoil(method, _params, answer):
        if method == "abci_query":
            answer["response"]["height"] = str(top - 2)
        return answer

    first.spoil = spoil
    before = len(second.calls)
    assert made.call("abci_query", **query)["response"]["height"] != str(top - 2)
    assert len(second.calls) == before + 1
    second.down = True
    assert made.call("abci_query", **query)["response"]["height"] == str(top - 2)


def test_h145_a_node_of_another_chain_is_dropped_and_named(pool, chains) -> None:
    made = pool(2, compare_every=1)
    made.backends[1].serve(chains.b.chain)
    made.call("block", height="3")
    assert made.dropped == {"y": "it is a node of 'chain-b-1', not of chain-a-1"}
    assert told(made) == [("y", Happening.DROPPED)]


def test_h145_the_chain_id_that_was_configured_counts(pool, chains) -> None:
    made = pool(2, chain_id="chain-b-1")
    made.backends[1].serve(chains.b.chain)
    status = made.call("status")
    assert status["node_info"]["network"] == "chain-b-1"
    assert list(made.dropped) == ["x"]


def test_h145_a_chain_that_began_anew_behind_the_address_is_dropped(pool, chains) -> None:
    made = pool(1)
    (only,) = made.backends
    for height in range(1, 6):
        made.call("block", height=str(height))
    other = two_chains(validators=3)
    for _ in range(4):
        other.a.chain.make_block()
    only.serve(other.a.chain)
    with pytest.raises(EndpointUnavailable, match="it has served two different blocks at height 3"):
        made.call("block", height="3")
    assert list(made.dropped) == ["x"]
    other.close()


def test_h145_a_chain_that_began_anew_while_it_was_away(pool, chains) -> None:
    made = pool(1)
    (only,) = made.backends
    made.call("block", height="3")
    only.down = True
    with pytest.raises(EndpointUnavailable):
        made.call("abci_info")
    other = two_chains(validators=3)
    for _ in range(4):
        other.a.chain.make_block()
    only.serve(other.a.chain)
    only.down, made.time.now = False, 100
    with pytest.raises(EndpointUnavailable, match="two different blocks"):
        made.call("abci_info")
    other.close()


def forged(backend, height, kind=None):
    """Let a node serve another header at a height, with a valid commit if `kind` names a change."""
    honest = header_of(backend.chain, height, height - 1)
    header = honest.header._replace(app_hash=b"\xbb" * 32)
    commit = honest.commit
    if kind is not None:
        header, commit = EQUIVOCATIONS[kind](honest, backend.chain.keyring)[:2]

    def spoil(method, params, answer):
        if params.get("height") == str(height) and method == "block":
            answer["block"]["header"] = write_header(header)
        if params.get("height") == str(height) and method == "commit" and kind is not None:
            answer["signed_header"] = write_signed_header(SignedHeader(header, commit))
        return answer

    backend.spoil = spoil


@pytest.mark.parametrize("liar", [0, 1])
def test_h145_of_two_nodes_the_one_whose_block_is_not_signed_is_dropped(pool, liar) -> None:
    made = pool(2, compare_every=1)
    forged(made.backends[liar], 4)
    honest = made.backends[1 - liar].call("block", height="4")["block"]["header"]
    made.call("block", height="3")
    assert made.call("block", height="4")["block"]["header"] == honest
    (name,) = made.dropped
    assert name == "xy"[liar]
    assert "its commit at height 4 is for another header" in made.dropped[name]
    assert told(made) == [(name, Happening.DROPPED)]


@pytest.mark.parametrize("liar", [0, 1, 2])
def test_h145_of_three_nodes_the_majority_is_right(pool, liar) -> None:
    made = pool(3, compare_every=1)
    forged(made.backends[liar], 4, "other_state")
    assert made.call("block", height="4")
    made.call("block", height="4")
    if liar == 2:  # not compared yet
        made.backends[0].down = True
        made.call("block", height="4")
    assert list(made.dropped) == ["xyz"[liar]]


def test_h145_a_fork_that_is_signed_twice_is_followed_on_neither_side(pool) -> None:
    made = pool(2, compare_every=1)
    forged(made.backends[1], 4, "other_state")
    with pytest.raises(
        EndpointUnavailable, match=r"x: .*another node has another one with a valid commit; y: "
    ):
        made.call("block", height="4")
    assert list(made.dropped) == ["x", "y"]
    for made.time.now in (1, 61, 10_000):
        with pytest.raises(EndpointUnavailable, match="another node has another one with a valid commit"):
            made.call("block", height="4")
    made.backends[1].spoil = lambda _method, _params, answer: answer
    assert made.call("block", height="4")


def without_events(method, _params, answer):
    if method == "block_results":
        answer["txs_results"] = [{**tx, "events": []} for tx in answer["txs_results"] or []]
    return answer


@pytest.fixture
def busy(chains):
    """Height on chain a of a block with a transaction with events."""
    chains.open("transfer", Order.UNORDERED, "ics20-1")
    return next(height for height in range(chains.a.chain.height, 0, -1) if chains.a.chain.block(height).txs)


def test_h145_of_three_nodes_the_one_that_leaves_out_events_is_dropped(pool, busy) -> None:
    made = pool(3, compare_every=1)
    made.backends[0].spoil = without_events
    made.call("abci_info")
    made.backends[2].calls.clear()
    made.call("block", height=str(busy))
    assert made.dropped == {"x": f"its results of block {busy} differ from those of most nodes"}


def test_of_two_nodes_neither_is_blamed_for_events_but_it_is_told(pool, busy) -> None:
    made = pool(2, compare_every=1)
    made.backends[1].spoil = without_events
    made.call("block", height=str(busy))
    assert (made.dropped, told(made)) == ({}, [("x", Happening.DIFFERS)])
    made.drop("y", "its events contradict the state")
    assert made.dropped == {"y": "its events contradict the state"}


def test_a_node_that_differs_with_every_block_is_told_of_once_a_minute(pool, busy) -> None:
    made = pool(2, compare_every=1)
    made.backends[1].spoil = without_events
    for seconds in (0, 1, 58, 1, 0):
        made.time.now += seconds
        made.call("block", height=str(busy))
    reason = f"its results of block {busy} differ from those of y"
    assert [each.reason for each in made.notices] == [reason, f"{reason}, and 2 more since the last notice"]


def not_indexed(attribute):
    attribute["index"] = False


def in_base64(attribute):
    for name in ("key", "value"):
        attribute[name] = b64encode(attribute[name].encode()).decode()


@pytest.mark.parametrize("written", [not_indexed, in_base64])
def test_logs_and_how_attributes_are_written_may_differ(pool, busy, written) -> None:
    def spoil(method, _params, answer):
        for tx in answer.get("txs_results") or [] if method == "block_results" else []:
            tx["log"] = "another version's words"
            for attribute in (each for event in tx["events"] for each in event["attributes"]):
                written(attribute)
        return answer

    made = pool(2, compare_every=1)
    made.backends[1].spoil = spoil
    made.call("block", height=str(busy))
    assert (made.dropped, made.notices) == ({}, [])


def test_h146_a_node_cannot_claim_heights_that_it_does_not_have(pool) -> None:
    made = pool(2)

    def spoil(method, _params, answer):
        if method == "abci_info":
            answer["response"]["last_block_height"] = "1000000"
        return answer

    made.backends[0].spoil = spoil
    assert made.call("abci_info")["response"]["last_block_height"] == "1000000"
    top = made.backends[1].chain.height
    with pytest.raises(EndpointRefused):
        made.call("block", height=str(top + 1))
    assert list(made.dropped) == ["x"]
    assert made.call("abci_info")["response"]["last_block_height"] == str(top)


def test_h146_a_node_that_claims_a_few_blocks_more_does_not_stop_the_others(pool) -> None:
    made = pool(2)

    def spoil(method, _params, answer):
        if method == "abci_info":
            answer["response"]["last_block_height"] = str(top + 5)
        return answer

    made.backends[0].spoil = spoil
    top = made.backends[1].chain.height
    assert made.call("abci_info")["response"]["last_block_height"] == str(top + 5)
    with pytest.raises(EndpointRefused):
        made.call("block", height=str(top + 1))
    for _ in range(3):
        assert made.call("abci_info")["response"]["last_block_height"] == str(top)
        assert made.call("block", height=str(top))
    assert made.dropped == {}
    made.time.now = 100  # it may have been one of several nodes behind an address
    assert made.call("abci_info")["response"]["last_block_height"] == str(top + 5)


def test_a_transaction_is_broadcast_by_one_node_alone(pool) -> None:
    made = pool(2)
    made.call("abci_info")
    made.backends[0].down = True
    with pytest.raises(EndpointUnavailable):
        made.call("broadcast_tx_sync", tx="AA==")
    assert [method for method, _ in made.backends[1].calls if "broadcast" in method] == []


def test_packets_are_relayed_while_each_node_in_turn_is_down_and_the_other_lags(chains) -> None:
    path = chains.open("transfer", Order.UNORDERED, "ics20-1")
    time, backends = Time(), [Backend(chains.a.chain) for _ in range(2)]
    nodes = [PoolNode(name, each) for name, each in zip("xy", backends, strict=True)]
    made = RpcPool(nodes, clock=time, compare_every=2)
    endpoint = RpcEndpoint(made, chains.a.users["relayer"], gas=GasConfig(), config=QUICK, pool=made)
    endpoint.submit = chains.a.endpoint.submit  # an on-demand chain makes its blocks there
    endpoint.wait = chains.a.endpoint.wait
    link = Link([path], endpoint, chains.b.endpoint, options=without_waiting())
    receiver = chains.b.address("bob")
    for number in range(6):
        up, down = backends[number % 2], backends[1 - number % 2]
        up.down, down.down, time.now = False, True, time.now + 100
        message = transfer(chains.a, "alice", path.a, "stake", 5, receiver)
        assert chains.a.execute("alice", message).code == 0
        down.down, down.lag, up.down = False, 1, number % 3 == 0
        link.until_idle(100)  # what the lagging node does not have yet keeps it waiting
        down.lag = 0
    up.down, time.now = False, time.now + 100
    link.until_idle()
    assert (link.metrics.delivered, link.metrics.acknowledged, link.pending, made.dropped) == (6, 6, 0, {})


# -- trust recovers


def states(pool):
    return [(each.node, each.state) for each in pool.node_statuses]


@pytest.fixture
def misled(pool, chains):
    """Return a pool of two nodes whose second has been dropped: it answered for another chain."""
    made = pool(2, compare_every=1, unix=lambda: 1_000_000.0 + made.time.now)
    made.backends[1].serve(chains.b.chain)
    made.call("block", height="3")
    assert list(made.dropped) == ["y"]
    return made


def test_a_dropped_node_is_judged_again_after_a_minute(misled, chains) -> None:
    misled.backends[1].serve(chains.a.chain)
    misled.backends[1].calls.clear()
    misled.time.now = 59
    misled.call("block", height="3")
    assert (list(misled.dropped), misled.backends[1].calls) == (["y"], [])
    misled.time.now = 60
    misled.call("block", height="3")
    assert misled.dropped == {}
    assert told(misled) == [("y", Happening.DROPPED), ("y", Happening.BACK)]
    assert ("block", "3") in misled.backends[1].calls


def test_each_new_drop_doubles_the_time_up_to_an_hour(misled) -> None:
    durations, dropped_at = [], 0.0
    for _ in range(9):
        next_at = misled.node_statuses[1].next_s - 1_000_000
        durations.append(next_at - dropped_at)
        misled.time.now = dropped_at = next_at
        misled.call("block", height="3")
    assert durations == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]
    assert told(misled) == [("y", Happening.DROPPED)] * 10


def test_good_behaviour_shortens_the_next_drop(misled, chains) -> None:
    y = misled.backends[1]
    for _ in range(3):  # 60, 120, 240 s
        misled.time.now = misled.node_statuses[1].next_s - 1_000_000
        misled.call("block", height="3")
    y.serve(chains.a.chain)
    misled.time.now = misled.node_statuses[1].next_s - 1_000_000
    misled.call("block", height="3")
    assert misled.dropped == {}
    misled.time.now += 2 * 3600  # the next would be 960 s
    misled.drop("y", "its events contradict the state")
    assert misled.node_statuses[1].next_s - 1_000_000 - misled.time.now == 240


def test_while_all_are_dropped_they_are_asked_all_the_same(pool, chains) -> None:
    """Regression: two addresses that led to another chain for 17 seconds were never asked again."""
    made = pool(2, chain_id="chain-a-1")
    for backend in made.backends:
        backend.serve(chains.b.chain)
    with pytest.raises(EndpointUnavailable, match="it is a node of 'chain-b-1', not of chain-a-1"):
        made.call("abci_info")
    assert list(made.dropped) == ["x", "y"]
    for backend in made.backends:
        backend.serve(chains.a.chain)
    made.time.now = 17
    assert made.call("abci_info")
    assert list(made.dropped) == ["y"]


def test_while_all_are_dropped_no_drop_gets_longer(pool, chains) -> None:
    made = pool(1, chain_id="chain-a-1", unix=lambda: 0.0)
    made.backends[0].serve(chains.b.chain)
    for _ in range(20):
        with pytest.raises(EndpointUnavailable, match="not of chain-a-1"):
            made.call("abci_info")
    assert made.node_statuses[0].next_s == 60
    assert told(made) == [("x", Happening.DROPPED)]


def test_a_broadcast_goes_to_the_next_node_if_the_first_is_not_admitted(pool, chains) -> None:
    made = pool(2, chain_id="chain-a-1")
    made.backends[0].serve(chains.b.chain)
    made.call("broadcast_tx_sync", tx="AA==")
    assert [method for method, _ in made.backends[0].calls] == ["status"]
    assert made.backends[1].calls[-1][0] == "broadcast_tx_sync"


def test_a_chain_that_was_reset_is_followed_once_all_nodes_have_it(pool) -> None:
    made = pool(2, compare_every=1)
    for height in (3, 4):
        made.call("block", height=str(height))
    other = two_chains(validators=3)
    for _ in range(6):
        other.a.chain.make_block()
    made.backends[0].serve(other.a.chain)
    made.call("block", height="3")
    assert list(made.dropped) == ["x"]  # the other still has the chain's blocks
    made.backends[1].serve(other.a.chain)
    with pytest.raises(EndpointUnavailable, match="two different blocks"):
        made.call("block", height="3")
    header = made.call("block", height="3")["block"]["header"]
    assert header == made.backends[0].call("block", height="3")["block"]["header"]
    other.close()


def test_a_dropped_node_is_judged_by_the_block_that_two_nodes_agreed_on(pool) -> None:
    made = pool(2, compare_every=1)
    made.call("block", height="4")
    forged(made.backends[0], 4)
    made.backends[0].down = made.backends[1].down = True
    made.drop("x", "its events contradict the state")
    made.time.now = 60
    made.backends[0].down = False
    with pytest.raises(EndpointUnavailable, match="its block 4 is not the one that two nodes agreed on"):
        made.call("abci_info")


def test_a_dropped_node_that_shows_no_block_stays_dropped(misled, chains) -> None:
    y = misled.backends[1]
    y.serve(chains.a.chain)

    def refuse(method, _params, answer):
        if method == "block":
            raise EndpointRefused("node", method, "height 3 is not available, lowest height is 9")
        return answer

    y.spoil = refuse
    misled.time.now = 60
    misled.call("block", height="3")
    assert list(misled.dropped) == ["y"]
    y.spoil = lambda _method, _params, answer: answer
    misled.time.now = 200
    misled.call("block", height="3")
    assert misled.dropped == {}


def test_a_node_that_fell_far_behind_is_used_again_once_it_has_caught_up(pool, monkeypatch) -> None:
    """A node that is restored from a snapshot, or one behind a load balancer."""
    monkeypatch.setattr("pyibc.relayer.rpc.node_verifier.MAX_LAG", 1)
    made = pool(2, compare_every=1)
    top = made.backends[0].chain.height
    made.backends[1].down = True
    made.call("block", height=str(top))
    made.backends[1].down, made.backends[1].lag, made.time.now = False, 3, 5
    made.call("block", height=str(top))
    assert "the node is far behind" in made.dropped["y"]
    made.backends[1].lag, made.time.now = 0, 65
    made.call("block", height=str(top))
    assert made.dropped == {}


def test_the_state_of_every_node_is_shown(misled) -> None:
    name = "it is a node of 'chain-b-1', not of chain-a-1"
    height = misled.backends[0].chain.height
    misled.time.now = 30
    assert misled.node_statuses == (
        ("x", NodeState.IN_USE, 1_000_000, "", height, 0),
        ("y", NodeState.DROPPED, 1_000_000, name, 0, 1_000_060),
    )
    misled.report_malformed(MalformedAnswer("a", "validators", "no list"))
    assert misled.node_statuses[0].state is NodeState.LAST
    assert "no list" in misled.node_statuses[0].reason
    misled.backends[0].down = True
    with pytest.raises(EndpointUnavailable):
        misled.call("abci_info")
    assert misled.node_statuses[0][1:4] == (NodeState.DOWN, 1_000_030, "node: connection refused")


def test_a_renewed_pool_knows_nothing_of_its_nodes(misled, chains) -> None:
    misled.backends[1].serve(chains.a.chain)
    misled.renew_nodes()
    assert states(misled) == [("x", NodeState.NEW), ("y", NodeState.NEW)]
    misled.call("block", height="3")
    assert states(misled) == [("x", NodeState.IN_USE), ("y", NodeState.IN_USE)]


def test_a_node_that_refuses_what_another_accepts_is_named_and_asked_last(pool, chains) -> None:
    """One of two nodes lies in each simulation; the transaction is sent, and the liar is named."""
    made = pool(2, compare_every=10**9)
    liar = made.backends[0]

    def spoil(method, params, answer):
        if method == "abci_query" and params["path"] in {ESTIMATE_GAS, SIMULATE}:
            log = "client state is not active [x/y.go:1] with gas used: '70000'"
            return {"response": {"code": 6, "codespace": "sdk", "log": log, "height": "0"}}
        return answer

    liar.spoil = spoil
    config = QUICK._replace(sleep=lambda _s: chains.a.chain.make_block())
    endpoint = RpcEndpoint(made, chains.a.users["relayer"], gas=GasConfig(), config=config, pool=made)
    message = transfer(
        chains.a, "relayer", chains.open("transfer", Order.UNORDERED, "ics20-1").a, "stake", 5, "x"
    )
    assert endpoint.submit([message]).code == 0
    assert told(made) == [("x", Happening.CONTRADICTED)]
    assert made.node_statuses[0][1:4:2] == (NodeState.LAST, WRONG_REFUSAL)
    liar.calls.clear()
    made.call("abci_info")
    assert liar.calls == []


def test_a_node_that_differs_without_proof_is_told_of_once_and_keeps_its_place(pool, chains) -> None:
    made = pool(2, compare_every=10**9)
    endpoint = RpcEndpoint(made, chains.a.users["relayer"], gas=GasConfig(), config=QUICK, pool=made)
    for _ in range(3):
        endpoint.extras.opinions.differs("x", "its client is expired")
    assert told(made) == [("x", Happening.DIFFERS)]
    assert made.node_statuses[0].state is NodeState.IN_USE
    made.backends[0].calls.clear()
    made.call("abci_info")
    assert made.backends[0].calls != []


def test_each_node_tells_a_tip_and_state_of_its_own(pool, chains) -> None:
    made = pool(2)
    liar, _ = made.backends
    endpoint = RpcEndpoint(made, chains.a.users["relayer"], gas=GasConfig(), config=QUICK, pool=made)
    tip = endpoint.tip()
    late = "2100-01-01T00:00:00.5Z"

    def spoil(method, _params, answer):
        if method == "status":
            answer["sync_info"]["latest_block_time"] = late
        return answer

    liar.spoil = spoil
    found = [*endpoint.extras.opinions.nodes()]
    assert [each.name for each in found] == ["x", "y"]
    assert [each.tip() for each in found] == [tip._replace(time_ns=4_102_444_800_500_000_000), tip]
    assert [each.get(b"nextChannelSequence") for each in found] == [
        chains.a.chain.get(b"nextChannelSequence")
    ] * 2
