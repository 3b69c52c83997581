"""Whatever of a chain's answers turns out to be none when it is read, the pool hears of it."""

from fractions import Fraction
from types import SimpleNamespace

import pytest

from ibc_core.height import Height
from ibc_proto.ibc.core.channel.v1 import query_pb2 as v1
from ibc_proto.ibc.core.connection.v1 import query_pb2
from ibc_relayer import grpc_query
from ibc_relayer.chain_account import ask_account
from ibc_relayer.daemon.shared_chain import SharedChain
from ibc_relayer.delay import DelayedSubmitter
from ibc_relayer.endpoint import Proven, Tip
from ibc_relayer.ends import connection_end
from ibc_relayer.errors import MalformedAnswer
from ibc_relayer.fees import FREE, PRICE_SOURCES, DynamicPrice
from ibc_relayer.grpc_query import ask, ask_all
from ibc_relayer.packet_queries import commitments
from ibc_relayer.path import PathEnd
from ibc_relayer.pool_node import Happening
from ibc_relayer.queue import state
from ibc_relayer.rpc_endpoint import RpcEndpoint
from ibc_relayer.rpc_read import DoubtingQuery
from ibc_relayer.simulation import UNKNOWN, Simulator
from ibc_relayer.terms import relayer_differences
from tests.unit.ibc_relayer.test_pool_doubts import quietly
from tests.unit.ibc_relayer.test_rpc_pool import QUICK, chains, pool, told  # noqa: F401 - fixtures

BROKEN = b"\xff"
PARAMS = query_pb2.QueryConnectionParamsResponse
END = PathEnd("chain-a-1", "07-tendermint-1", "connection-3", "mock", "channel-7")
QUEUE = b"ibc:out"


class Teller:
    """An endpoint of one answer, whatever it is asked; it hears of doubts."""

    chain_id = "chain-a-1"

    def __init__(self, answer=BROKEN) -> None:
        self.answer, self.doubts = answer, []

    def grpc(self, _path, _request):
        return self.answer

    def get(self, _key, _store="ibc"):
        return self.answer

    def prove(self, _key, _height, _store="ibc"):
        return Proven(self.answer, b"proof", _height)

    def tip(self):
        return Tip(9, 9)

    def doubt(self, error) -> None:
        self.doubts.append(error)

    @property
    def query(self):
        return DoubtingQuery(self.grpc, self.doubt)


def maturing(teller):
    view = SimpleNamespace(latest=Height(1, 5))
    DelayedSubmitter._header(
        SimpleNamespace(_client=SimpleNamespace(host=teller, client_id="07-tendermint-1", view=lambda: view))
    )


def block_time(teller):
    DelayedSubmitter._asked_block_ns(SimpleNamespace(_client=SimpleNamespace(host=teller)))


def dynamic(teller):
    DynamicPrice(PRICE_SOURCES["osmosis"], FREE, maximum=Fraction(1)).now(teller.query)


@pytest.mark.parametrize(
    "read",
    [
        lambda teller: ask(teller, "/x", None, PARAMS),
        lambda teller: connection_end(teller, "connection-3"),
        lambda teller: relayer_differences(teller, "07-tendermint-1"),
        lambda teller: ask_account(teller.query, teller.chain_id, "cosmos1a"),
        lambda teller: state.bounds(teller, QUEUE),
        lambda teller: state.Prover(teller, "queue", 4).bounds(QUEUE),
        dynamic,
        maturing,
        block_time,
    ],
    ids=["grpc", "end", "relayers", "account", "index", "proven index", "price", "header", "block time"],
)
def test_h241_bytes_that_are_no_answer(read):
    teller = Teller()
    with pytest.raises(MalformedAnswer) as caught:
        read(teller)
    assert teller.doubts == [caught.value]


def test_h241_pages_without_end(monkeypatch):
    page = v1.QueryChannelsResponse()
    page.pagination.next_key = b"next"
    teller = Teller(page.SerializeToString())
    for most, reason in ((10, "a page leads to itself"), (1, "more than 1 pages")):
        monkeypatch.setattr(grpc_query, "MAX_PAGES", most)
        with pytest.raises(MalformedAnswer, match=reason) as caught:
            list(ask_all(teller, "/x", lambda _page: v1.QueryChannelsRequest(), v1.QueryChannelsResponse))
        assert teller.doubts.pop() is caught.value
    assert teller.doubts == []


def test_h241_commitments_of_no_height():
    teller = Teller(v1.QueryPacketCommitmentsResponse().SerializeToString())
    with pytest.raises(MalformedAnswer, match="without a height") as caught:
        commitments(teller, END)
    assert teller.doubts == [caught.value]


def test_h241_an_account_that_is_none():
    teller = Teller(b"")
    with pytest.raises(MalformedAnswer, match="it has no account") as caught:
        ask_account(teller.query, teller.chain_id, "cosmos1a")
    assert teller.doubts == [caught.value]


def test_h241_an_element_that_is_proven_absent():
    teller = Teller(None)
    with pytest.raises(MalformedAnswer, match="no element 3") as caught:
        state.Prover(teller, "queue", 4).item(QUEUE, 3)
    assert teller.doubts == [caught.value]


def test_h241_who_has_no_such_queue_is_not_doubted():
    teller = Teller(None)
    with pytest.raises(MalformedAnswer, match="is no index"):
        state.bounds(teller, QUEUE)
    assert teller.doubts == []


def test_h241_a_simulation_that_is_none_is_told_and_taken_for_none():
    teller = Teller()
    assert Simulator().simulate(teller.query, b"tx") is UNKNOWN
    assert [str(each) for each in teller.doubts]
    assert {type(each) for each in teller.doubts} == {MalformedAnswer}


def test_h241_an_answer_is_doubted_once(pool):  # noqa: F811
    made = quietly(pool(2))
    made.call("validators", height="3")
    error = MalformedAnswer("a", "validators", "no list")
    made.doubt(error)
    made.time.now += 61  # whoever tells of it again is not heard: nothing was asked since
    made.doubt(error)
    assert told(made) == [("x", Happening.MALFORMED)]


def test_h241_what_differs_is_told_beside_what_cannot_be_read(pool):  # noqa: F811
    made = quietly(pool(2))
    error = MalformedAnswer("a", "validators", "no list")
    for _ in range(3):
        made.call("validators", height="3")
        made.doubt(error)
    made._notify(made.nodes[0], Happening.DIFFERS, "results of 3")
    expected = [(Happening.MALFORMED, str(error)), (Happening.DIFFERS, "results of 3")]
    assert [(each.happening, each.reason) for each in made.notices if each.node == "x"] == expected


def test_h241_through_the_chain_that_links_share_the_pool_hears_of_it(pool, chains):  # noqa: F811
    made = quietly(pool(2))
    chain = SharedChain(RpcEndpoint(made, chains.a.users["relayer"], config=QUICK))
    first, second = made.backends
    first.spoil = lambda method, _params, answer: (
        {"response": answer["response"] | {"value": "/w=="}} if method == "abci_query" else answer
    )
    path = "/ibc.core.connection.v1.Query/ConnectionParams"
    question = chain, path, query_pb2.QueryConnectionParamsRequest()
    with pytest.raises(MalformedAnswer):
        ask(*question, PARAMS)
    assert told(made) == [("x", Happening.MALFORMED)]
    first.calls.clear()
    second.calls.clear()
    assert ask(*question, PARAMS).params.max_expected_time_per_block
    asked = [[method for method, _ in each.calls].count("abci_query") for each in made.backends]
    assert asked == [0, 1]
