"""Malformed responses are reported to the pool by all modules that decode them."""

from fractions import Fraction
from types import SimpleNamespace

import pytest

from pyibc.core.height import Height
from pyibc.proto.ibc.core.channel.v1 import query_pb2 as v1
from pyibc.proto.ibc.core.connection.v1 import query_pb2
from pyibc.relayer.chain import grpc_query
from pyibc.relayer.chain.endpoint import EndpointExtras, query_of
from pyibc.relayer.chain.grpc_query import ask, ask_all
from pyibc.relayer.chain.simulation import UNKNOWN, Simulator
from pyibc.relayer.chain.values import Proven, Tip
from pyibc.relayer.daemon.chains import SharedChain
from pyibc.relayer.errors import MalformedAnswer
from pyibc.relayer.money.account import ask_account
from pyibc.relayer.money.fees import FREE, PRICE_SOURCES, DynamicPrice
from pyibc.relayer.packets.delay import DelayedSubmitter
from pyibc.relayer.packets.queries import commitments
from pyibc.relayer.paths.channel_policy import relayer_differences
from pyibc.relayer.paths.ends import connection_end
from pyibc.relayer.paths.path import PathEnd
from pyibc.relayer.queue import datagram
from pyibc.relayer.rpc.endpoint import RpcEndpoint
from pyibc.relayer.rpc.pool_node import Happening
from tests.unit.pyibc.relayer.rpc.test_pool import QUICK, chains, pool, told  # noqa: F401 - fixtures
from tests.unit.pyibc.relayer.rpc.test_reading import quietly

BROKEN = b"\xff"
PARAMS = query_pb2.QueryConnectionParamsResponse
END = PathEnd("chain-a-1", "07-tendermint-1", "connection-3", "mock", "channel-7")
QUEUE = b"ibc:out"


class Teller:
    """Endpoint with one response to all queries; records the reports of malformed ones."""

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

    def report_malformed(self, error) -> None:
        self.doubts.append(error)

    @property
    def extras(self):
        return EndpointExtras(report_malformed=self.report_malformed)

    @property
    def query(self):
        return query_of(self)


def maturing(teller):
    view = SimpleNamespace(latest=Height(1, 5))
    DelayedSubmitter._header(
        SimpleNamespace(_client=SimpleNamespace(host=teller, client_id="07-tendermint-1", view=lambda: view))
    )


def block_time(teller):
    DelayedSubmitter._query_block_ns(SimpleNamespace(_client=SimpleNamespace(host=teller)))


def dynamic(teller):
    DynamicPrice(PRICE_SOURCES["osmosis"], FREE, maximum=Fraction(1)).now(teller.query)


@pytest.mark.parametrize(
    "read",
    [
        lambda teller: ask(teller, "/x", None, PARAMS),
        lambda teller: connection_end(teller, "connection-3"),
        lambda teller: relayer_differences(teller, "07-tendermint-1"),
        lambda teller: ask_account(teller.query, teller.chain_id, "cosmos1a"),
        lambda teller: datagram.bounds(teller, QUEUE),
        lambda teller: datagram.Prover(teller, "queue", 4).bounds(QUEUE),
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
    for most, reason in ((10, "the next key of a page is its own key"), (1, "more than 1 pages")):
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
    with pytest.raises(MalformedAnswer, match="the response has no account") as caught:
        ask_account(teller.query, teller.chain_id, "cosmos1a")
    assert teller.doubts == [caught.value]


def test_h241_an_element_that_is_proven_absent():
    teller = Teller(None)
    with pytest.raises(MalformedAnswer, match="no element 3") as caught:
        datagram.Prover(teller, "queue", 4).item(QUEUE, 3)
    assert teller.doubts == [caught.value]


def test_h241_who_has_no_such_queue_is_not_doubted():
    teller = Teller(None)
    with pytest.raises(MalformedAnswer, match="is not an index"):
        datagram.bounds(teller, QUEUE)
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
    made.report_malformed(error)
    made.time.now += 61  # whoever tells of it again is not heard: nothing was asked since
    made.report_malformed(error)
    assert told(made) == [("x", Happening.MALFORMED)]


def test_h241_what_differs_is_told_beside_what_cannot_be_read(pool):  # noqa: F811
    made = quietly(pool(2))
    error = MalformedAnswer("a", "validators", "no list")
    for _ in range(3):
        made.call("validators", height="3")
        made.report_malformed(error)
    made._notify(made.nodes[0], Happening.DIFFERS, "results of 3")
    expected = [(Happening.MALFORMED, str(error)), (Happening.DIFFERS, "results of 3")]
    assert [(each.happening, each.reason) for each in made.notices if each.node == "x"] == expected


def test_h241_through_the_chain_that_links_share_the_pool_hears_of_it(pool, chains):  # noqa: F811
    made = quietly(pool(2))
    chain = SharedChain(RpcEndpoint(made, chains.a.users["relayer"], config=QUICK, pool=made))
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
