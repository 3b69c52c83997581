"""Responses found malformed when decoded: the pool reports the node and tries it last."""

import logging

import pytest

from pyibc.core.host.block import CommittedBlock
from pyibc.relayer.errors import EndpointRefused, MalformedAnswer
from pyibc.relayer.rpc.blocks import RpcBlocks
from pyibc.relayer.rpc.calls import Call
from pyibc.relayer.rpc.node_queries import BLOCK_RESULTS, PROOFS, PRUNED_BACKOFF, BulkProofs
from pyibc.relayer.rpc.pool import MAX_BACKOFF_S
from pyibc.relayer.rpc.pool_node import Happening
from pyibc.relayer.rpc.proofs import RpcProofs
from pyibc.relayer.rpc.reading import fetch_validators, read_answer
from tests.unit.pyibc.relayer.rpc.test_node_queries import (  # noqa: F401 - fixtures
    DAEMON,
    busy,
    chains,
    node,
    several,
)
from tests.unit.pyibc.relayer.rpc.test_pool import pool, told  # noqa: F401 - a fixture

KEY = b"nextClientSequence"


def other_transactions(answer) -> None:
    """Return as many transactions, but others than those in the header's data hash."""
    answer.txs[0] += b"\0"


def malformed(method):
    """Change the responses to `method`."""

    def spoil(asked, _params, answer):
        return {"response": 7, "validators": 7, "block": 7} if asked == method else answer

    return spoil


def quietly(made):
    """Return the pool with all nodes verified and their recorded calls cleared."""
    made._compare_every = 10**9
    made.call("abci_info")
    made.notices.clear()
    return made


def test_h241_a_node_whose_transactions_are_not_those_of_its_header_is_passed_over(several, busy):  # noqa: F811
    made = quietly(several(2))
    liar, honest = made.backends
    liar.change = other_transactions
    blocks = RpcBlocks(made, DAEMON)
    with pytest.raises(MalformedAnswer, match="do not match the data hash of its header"):
        blocks.block(busy)
    assert [(each.node, each.happening) for each in made.notices] == [("x", Happening.MALFORMED)]
    assert "do not match the data hash of its header" in made.notices[0].reason
    liar.calls.clear()
    honest.calls.clear()
    assert isinstance(blocks.block(busy), CommittedBlock)
    assert liar.calls == []
    assert BLOCK_RESULTS not in honest.asked  # JSON for some blocks: it may be the form that is broken
    assert made.dropped == {}


def test_h241_after_a_minute_it_is_asked_first_again(pool):  # noqa: F811
    made = quietly(pool(2))
    first, second = made.backends
    made.call("validators", height="3")
    made.report_malformed(MalformedAnswer("a", "validators", "no list"))
    for now, asked in ((MAX_BACKOFF_S - 1, second), (MAX_BACKOFF_S + 1, first)):
        first.calls.clear()
        second.calls.clear()
        made.time.now = now
        made.call("validators", height="3")
        asked_of = [any(method == "validators" for method, _ in each.calls) for each in made.backends]
        assert asked_of == [each is asked for each in made.backends]


def test_h241_where_all_are_doubted_they_are_asked_all_the_same(pool):  # noqa: F811
    made = quietly(pool(2))
    for _ in made.nodes:
        made.call("validators", height="3")
        made.report_malformed(MalformedAnswer("a", "validators", "no list"))
    assert told(made) == [("x", Happening.MALFORMED), ("y", Happening.MALFORMED)]
    assert made.call("validators", height="3")["validators"]


def test_h241_it_is_named_once_a_minute(pool):  # noqa: F811
    made = quietly(pool(1))
    for seconds in (0, 1, 58, 1):
        made.time.now += seconds
        made.call("validators", height="3")
        made.report_malformed(MalformedAnswer("a", "validators", "no list"))
    text = str(MalformedAnswer("a", "validators", "no list"))
    assert [each.reason for each in made.notices] == [text, f"{text}, and 2 more since the last notice"]


def test_h241_a_node_that_has_answered_in_vain_is_not_blamed_for_anothers_answer(pool):  # noqa: F811
    """The second node answers what the first refuses; the third does not answer."""
    made = quietly(pool(3))
    first, _, third = made.backends
    third.down = True

    def refuse(method, _params, answer):
        if method == "validators":
            raise EndpointRefused("node", method, "could not find it")
        return answer

    first.spoil = refuse
    with pytest.raises(MalformedAnswer):
        read_answer(
            "a", "validators", lambda: made.call("validators", height="3")["nothing"], made.report_malformed
        )
    assert told(made) == [("y", Happening.MALFORMED)]


def test_h241_of_answers_of_several_nodes_none_is_blamed(pool):  # noqa: F811
    made = quietly(pool(2))
    first = made.backends[0]

    def refuse(method, _params, answer):
        if method == "validators":
            raise EndpointRefused("node", method, "could not find it")
        return answer

    first.spoil = refuse
    calls = [Call("validators", {"height": "3"}), Call("header", {"height": "3"})]
    assert all(isinstance(each, dict) for each in made.call_many(calls))
    made.report_malformed(MalformedAnswer("a", "validators", "no list"))
    assert told(made) == []
    assert [each.deprioritized_until for each in made.nodes] == [0.0, 0.0]


def test_h241_a_thread_that_was_told_nothing_blames_nobody(pool):  # noqa: F811
    made = pool(1)
    made.report_malformed(MalformedAnswer("a", "validators", "no list"))
    assert told(made) == []


def test_h241_a_node_that_was_dropped_since_is_not_told_of(pool):  # noqa: F811
    made = quietly(pool(1))
    made.call("validators", height="3")
    made.drop("x", "it lies")
    made.report_malformed(MalformedAnswer("a", "validators", "no list"))
    assert told(made) == [("x", Happening.DROPPED)]


def raw_block(rpc):
    RpcBlocks(rpc).block(3)


def one_proof(rpc):
    RpcProofs(rpc, "chain-a-1", 1).prove(KEY, 3, "ibc")


@pytest.mark.parametrize(
    ("method", "read", "query"),
    [
        ("block_results", raw_block, "block 3"),
        ("abci_query", one_proof, "abci_query"),
        ("validators", lambda rpc: fetch_validators(rpc, "chain-a-1", 3), "validators"),
    ],
)
def test_h241_whatever_is_read_of_it(pool, method, read, query):  # noqa: F811
    made = quietly(pool(2))
    made.backends[0].spoil = malformed(method)
    if method == "abci_query":  # a pool looks for the height in it
        made.backends[0].spoil = lambda asked, _params, answer: (
            {"response": answer["response"] | {"proofOps": None}} if asked == method else answer
        )
    with pytest.raises(MalformedAnswer, match=query):
        read(made)
    assert told(made) == [("x", Happening.MALFORMED)]
    assert query in made.notices[0].reason
    read(made)


def test_h241_a_node_that_knows_no_query_is_not_doubted(pool):  # noqa: F811
    made = quietly(pool(2))
    asked = []

    def spoil(method, params, answer):
        if method == "abci_query" and params["path"] == PROOFS:
            asked.append(params)
            return {"response": {"code": 6, "codespace": "sdk", "height": "0"}}
        return answer

    made.backends[0].spoil = spoil
    proofs = RpcProofs(made, "chain-a-1", 1, BulkProofs("chain-a-1"))
    found = proofs.prove_many([KEY, b"nextConnectionSequence"], 3)
    assert len(asked) == 1
    assert [bool(each.proof) for each in found] == [True, True]
    assert told(made) == []


def test_h241_a_single_node_is_asked_in_json_then(node, busy, caplog):  # noqa: F811
    node.change = other_transactions
    blocks = RpcBlocks(node, DAEMON)
    caplog.set_level(logging.INFO, "pyibc.relayer")
    with pytest.raises(MalformedAnswer):
        blocks.block(busy)
    assert [(each.message, each.chain, vars(each)["from"]) for each in caplog.records] == [
        ("block results are queried in JSON", "chain-a-1", busy)
    ]
    assert blocks.block(busy).txs
    assert node.asked == [BLOCK_RESULTS, "block_results"]
    assert not blocks._compact.should_query(busy + PRUNED_BACKOFF - 1)
    assert blocks._compact.should_query(busy + PRUNED_BACKOFF)


def test_where_a_header_is_refused_both_are_not_asked_for_with_every_block(node):  # noqa: F811
    call = node.call

    def without_headers(method, **params):
        if method == "header":
            raise EndpointRefused("a", "header", "method not found")
        return call(method, **params)

    node.call = without_headers
    blocks = RpcBlocks(node, DAEMON)
    assert [blocks.block(height).height for height in (3, 4)] == [3, 4]
    assert node.asked == [BLOCK_RESULTS, "block_results", "block_results"]


def test_that_json_is_asked_for_is_told_once_until_it_is_not(node, busy, caplog):  # noqa: F811
    caplog.set_level(logging.INFO, "pyibc.relayer")
    blocks = RpcBlocks(node, DAEMON)
    node.response = {"code": 22, "codespace": "sdk"}
    for height in (1, 1 + PRUNED_BACKOFF):
        blocks.block(height)
    assert [vars(each)["from"] for each in caplog.records] == [1]
    assert node.asked.count(BLOCK_RESULTS) == 2
    node.response = None
    blocks._compact._first = 0
    blocks.block(2)
    node.response = {"code": 22, "codespace": "sdk"}
    blocks.block(3)
    assert [vars(each)["from"] for each in caplog.records] == [1, 3]
