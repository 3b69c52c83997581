"""Light blocks prefetched with the height, which saves a round trip per client update."""

import pytest

from pyibc.relayer.chain.caches import MAX_UNUSED_BLOCKS
from pyibc.relayer.chain.grpc_query import REFUSED_BACKOFF, UNKNOWN_BACKOFF
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer
from pyibc.relayer.money.account import GasConfig
from pyibc.relayer.rpc.blocks import RpcBlocks
from pyibc.relayer.rpc.calls import Call
from pyibc.relayer.rpc.endpoint import RpcEndpoint
from tests.unit.pyibc.relayer.rpc.test_blocks import Batching
from tests.unit.pyibc.relayer.rpc.test_pool import QUICK, chains, pool  # noqa: F401 - fixtures
from tests.unit.pyibc.relayer.rpc.test_reading import quietly

WITH_THE_HEIGHT = ("abci_info", "commit", "validators")


@pytest.fixture
def node(chains):  # noqa: F811
    return Batching(chains.a.chain)


@pytest.fixture
def endpoint(chains, node):  # noqa: F811
    made = RpcEndpoint(node, chains.a.users["relayer"], gas=GasConfig(), config=QUICK)
    made.last_height()
    node.calls.clear()
    return made


def of_chain(commit, chain_id):
    """Return the response with a header of another chain."""
    signed = commit["signed_header"]
    return {"signed_header": signed | {"header": signed["header"] | {"chain_id": chain_id}}}


def test_a_header_comes_with_the_height_once_headers_are_wanted(endpoint, node, chains):  # noqa: F811
    chain = node.chain
    endpoint.last_height()
    assert node.calls == [("abci_info", None)]  # nobody wants one
    plain = endpoint.light_block(chain.height)
    node.calls.clear()
    due = chain.height + 1
    assert endpoint.last_height() == chain.height
    assert node.calls[0] == WITH_THE_HEIGHT
    chain.make_block()
    assert endpoint.last_height() == due
    node.calls.clear()
    block = endpoint.light_block(due)
    assert node.calls == []
    assert (block.height, plain.height) == (due, due - 1)
    other = RpcEndpoint(Batching(chain), chains.a.users["relayer"], config=QUICK)
    assert block == other.light_block(due)


def test_once_it_is_there_it_is_not_asked_for_again(endpoint, node):
    endpoint.light_block(node.chain.height)
    node.chain.make_block()
    endpoint.last_height()  # of the block that was due
    endpoint._blocks.watch._highest = node.chain.height - 1, 0.0  # the height was not told yet
    node.calls.clear()
    endpoint.last_height()
    assert node.calls == [("abci_info", None)]


def test_after_some_blocks_without_need_none_is_asked_for(endpoint, node):
    prefetched = endpoint._blocks._prefetched
    endpoint.light_block(node.chain.height)
    top = node.chain.height
    assert prefetched.calls(top + MAX_UNUSED_BLOCKS)
    assert prefetched.calls(top + MAX_UNUSED_BLOCKS + 1) == []
    prefetched.record_use(top - 3)  # an old one, for another reason
    assert prefetched.calls(top + MAX_UNUSED_BLOCKS)
    endpoint.extras.forget()
    assert prefetched.calls(top + 1) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda _answers: [EndpointRefused("a", "commit", "no"), EndpointRefused("a", "validators", "no")],
        lambda answers: [answers[0], EndpointUnavailable("a", "gone")],
        lambda answers: [answers[0], answers[1] | {"total": "101"}],
        lambda answers: [answers[0], {}],
        lambda answers: [{"signed_header": 7}, answers[1]],
        lambda answers: [answers[0], answers[1] | {"validators": []}],
        lambda answers: [of_chain(answers[0], "b-1"), answers[1]],
    ],
)
def test_what_is_no_header_is_left_to_whoever_asks_for_it(endpoint, node, change):
    height = node.chain.height
    prefetched = endpoint._blocks._prefetched
    prefetched.record_use(height)
    asked = prefetched.calls(height)
    prefetched.store(height, change(node.call_many(asked)))
    assert height not in endpoint._blocks._light_blocks
    assert endpoint.signed_height == 0
    node.calls.clear()
    assert endpoint.light_block(height).height == height
    assert node.calls


def test_a_header_of_another_height_is_not_kept(endpoint, node):
    prefetched, height = endpoint._blocks._prefetched, node.chain.height
    prefetched.record_use(height - 1)
    prefetched.store(height, node.call_many(prefetched.calls(height - 1)))
    assert height not in endpoint._blocks._light_blocks
    assert height - 1 not in endpoint._blocks._light_blocks


def test_an_error_of_the_height_is_raised_as_ever(endpoint, node):
    endpoint.light_block(node.chain.height)
    node.down = True
    node.call_many = lambda calls: [EndpointUnavailable("node", "gone")] * len(calls)
    with pytest.raises(EndpointUnavailable, match="gone"):
        endpoint.last_height()


def test_of_several_nodes_no_other_is_asked_for_a_block_that_nobody_claims(pool):  # noqa: F811
    made = quietly(pool(3))
    made._admit_others()
    top = made.backends[0].chain.height
    for each in made.backends:
        each.calls.clear()
    due = [Call("commit", {"height": str(top + 1)}), Call("commit", {"height": str(top)})]
    refused, found = made.call_many(due)
    assert isinstance(refused, EndpointRefused)
    assert found["signed_header"]["header"]["height"] == str(top)
    assert [len(each.calls) for each in made.backends] == [2, 0, 0]


def test_of_several_nodes_one_that_claims_the_block_is_asked(pool):  # noqa: F811
    made = quietly(pool(2))
    first, second = made.backends
    top = first.chain.height
    first.lag = 1
    (found,) = made.call_many([Call("commit", {"height": str(top)})])
    assert isinstance(found, dict)
    assert found["signed_header"]["header"]["height"] == str(top)
    assert ("commit", str(top)) in second.calls


def test_blocks_alone_ask_for_no_headers(node):
    blocks = RpcBlocks(node)
    node.calls.clear()
    blocks.last_height()
    assert node.calls == [("abci_info", None)]


def test_the_header_is_known_before_the_height(endpoint, node):
    endpoint.light_block(node.chain.height)
    top = node.chain.height
    node.chain.make_block()
    call, node.call_many = node.call_many, None

    def not_executed(calls):
        info, *more = call(calls)
        info["response"]["last_block_height"] = str(top)
        return [info, *more]

    node.call_many = not_executed
    assert endpoint.last_height() == top
    assert endpoint.signed_height == top + 1
    assert endpoint.light_block(top + 1).height == top + 1
    endpoint.extras.forget()
    assert endpoint.signed_height == 0


def answers_of(node, height, change=lambda answers: answers):
    return change(
        node.call_many([Call("commit", {"height": height}), Call("validators", {"height": height})])
    )


@pytest.mark.parametrize(
    ("spoilt", "rest"),
    [({"total": "101"}, UNKNOWN_BACKOFF), ({"validators": 7}, REFUSED_BACKOFF)],
    ids=["pages", "none"],
)
def test_what_was_of_no_use_is_not_asked_for_with_each_height(endpoint, node, spoilt, rest):
    """With many validators the first page has 40 kB."""
    height = node.chain.height
    endpoint.light_block(height - 1)
    prefetched = endpoint._blocks._prefetched
    prefetched.store(height, answers_of(node, str(height), lambda answers: [answers[0], answers[1] | spoilt]))
    asked = [bool(prefetched.calls(height)) for _ in range(rest + 1)]
    assert asked == [False] * rest + [True]


def test_a_height_that_no_chain_has_keeps_nobody_from_asking(endpoint, node):
    """The creator of a client chooses its latest height."""
    top = node.chain.height
    endpoint.light_block(top)
    with pytest.raises(EndpointRefused):
        endpoint.light_block(10**15)
    assert endpoint._blocks._prefetched.calls(top + 1)


@pytest.mark.parametrize(("key", "text"), [("chain_id", "other-9"), ("height", "4")])
def test_a_header_of_another_chain_or_height_is_refused(endpoint, node, key, text):
    def spoil(method, _params, answer):
        if method == "commit":
            answer["signed_header"]["header"][key] = text
        return answer

    node.spoil = spoil
    with pytest.raises(MalformedAnswer, match="it is for"):
        endpoint.light_block(3)


def test_headers_that_a_node_told_are_asked_for_again_once_something_was_wrong(endpoint, node):
    endpoint.light_block(3)
    node.calls.clear()
    endpoint.light_block(3)
    assert node.calls == []
    endpoint.extras.forget()
    endpoint.light_block(3)
    assert node.calls[:1] == [("commit", "validators")]
