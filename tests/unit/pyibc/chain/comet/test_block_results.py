"""pyibc.node.v1.Query/BlockResults: what the last blocks did, as ABCI has it, less what nobody reads."""

import pytest

from pyibc.chain.abci_responses import weight_of_block
from pyibc.chain.comet import block_results
from pyibc.chain.comet.block_results import BLOCK_RESULTS, MAX_LOG, BlockResults
from pyibc.core.comet import inflate
from pyibc.core.errors import NotFound, OutOfGas
from pyibc.core.host.block import CommittedBlock, TxOutcome
from pyibc.core.host.gas import ITER_NEXT_COST, READ_BYTE, GasMeter
from pyibc.core.native import NATIVE
from pyibc.proto.pyibc.node.v1.query_pb2 import QueryBlockResultsRequest, QueryBlockResultsResponse

EVENTS = (("send_packet", (("packet_sequence", "7"), ("ä", ""))), ("transfer", (("amount", "1stake"),)))


def outcome(events=EVENTS, log="") -> TxOutcome:
    return TxOutcome(b"tx", 5, "bank", events, 200, 100, b"data", log)


def block(height: int, *outcomes: TxOutcome) -> CommittedBlock:
    return CommittedBlock("chain-1", height, 10, b"hash", outcomes, (("tick", (("n", "1"),)), EVENTS[1]))


WEIGHT = weight_of_block(block(3, outcome()))


class Paying:
    """A context of a query that may cost so much."""

    def __init__(self, limit: int = 10**9) -> None:
        self.gas = GasMeter()
        self.gas.reset(limit)


def asked(
    kept: BlockResults, height: int, *without: str, ctx: Paying | None = None, **more: bool
) -> QueryBlockResultsResponse:
    route = kept.chain_queries()[BLOCK_RESULTS]
    request = QueryBlockResultsRequest(height=height, without=without, **more)
    return QueryBlockResultsResponse.FromString(route(ctx or Paying(), request.SerializeToString()))


def pairs(event) -> tuple:
    return event.type, tuple((each.key, each.value) for each in event.attributes)


def test_a_block_is_told_whole():
    kept = BlockResults()
    kept.chain_committed(block(3, outcome(log="x" * (MAX_LOG + 1)), outcome(())))
    found = asked(kept, 3)
    assert (found.height, found.app_hash) == (3, b"hash")
    first, second = found.tx_results
    assert (first.code, first.codespace, first.data) == (5, "bank", b"data")
    assert (first.gas_wanted, first.gas_used, first.log) == (200, 100, "x" * MAX_LOG)
    assert tuple(map(pairs, first.events)) == EVENTS
    assert not second.events
    assert [each.type for each in found.events] == ["tick", "transfer"]


def test_events_of_types_that_nobody_reads_are_left_out():
    kept = BlockResults()
    kept.chain_committed(block(3, outcome()))
    found = asked(kept, 3, "transfer", "unheard-of")
    assert [each.type for each in found.tx_results[0].events] == ["send_packet"]
    assert [each.type for each in found.events] == ["tick"]


def test_packet_events_come_in_brief_where_that_is_asked_for():
    told = ("recv_packet", (("packet_sequence", "8"), ("msg_index", "0"), ("connection_id", "connection-2")))
    kept = BlockResults()
    kept.chain_committed(block(3, outcome((told, EVENTS[1])))._replace(block_events=(told,)))
    for answer in (asked(kept, 3, "transfer", brief=True), asked(kept, 3, brief=True)):
        assert pairs(answer.tx_results[0].events[0]) == ("recv_packet", (("packet_sequence", "8"),))
        assert [pairs(each) for each in answer.events] == [("recv_packet", (("packet_sequence", "8"),))]
    whole = asked(kept, 3, "transfer")
    assert [pairs(each) for each in (*whole.tx_results[0].events, *whole.events)] == [told, told]


def test_transactions_come_where_they_are_asked_for_and_are_paid_for():
    kept = BlockResults()
    kept.chain_committed(block(3, outcome()._replace(tx=b"one" * 100), outcome()._replace(tx=b"two")))
    with_txs, without = Paying(), Paying()
    assert list(asked(kept, 3, ctx=with_txs, txs=True).txs) == [b"one" * 100, b"two"]
    assert list(asked(kept, 3, ctx=without).txs) == []
    assert with_txs.gas.used - without.gas.used == READ_BYTE * 303


def test_an_answer_is_deflated_where_that_is_asked_for_and_costs_the_same():
    kept = BlockResults()
    kept.chain_committed(block(3, *[outcome()] * 50))
    plain, packed = Paying(), Paying()
    whole = asked(kept, 3, ctx=plain, txs=True)
    told = asked(kept, 3, ctx=packed, txs=True, deflate=True)
    assert inflate(told.deflated, 10**6) == whole.SerializeToString(deterministic=True)
    told.ClearField("deflated")
    assert told == QueryBlockResultsResponse()
    assert packed.gas.used == plain.gas.used


def test_a_block_that_comes_twice_is_kept_once():
    kept = BlockResults(kept=2, most_bytes=2 * WEIGHT)
    for each in (block(3), block(3), block(4)):
        kept.chain_committed(each)
    assert [asked(kept, height).height for height in (3, 4)] == [3, 4]


@pytest.mark.parametrize(("kept", "most"), [(2, 100 * WEIGHT), (100, 2 * WEIGHT)])
def test_h248_the_results_of_blocks_take_so_much_memory_and_no_more(kept, most):
    results = BlockResults(kept=kept, most_bytes=most)
    for height in (3, 4, 5):
        results.chain_committed(block(height, outcome()))
    with pytest.raises(NotFound):
        asked(results, 3)
    assert [asked(results, height).height for height in (4, 5)] == [4, 5]


def test_h248_a_block_of_one_large_event_is_not_kept():
    """Its events are few; CometBFT has them, and is asked for them."""
    results = BlockResults(most_bytes=10 * WEIGHT)
    results.chain_committed(block(3, outcome((("k", (("a", "x" * 20 * WEIGHT),)),))))
    with pytest.raises(NotFound):
        asked(results, 3)
    results.chain_committed(block(4, outcome()))
    assert len(asked(results, 4).tx_results) == 1


@pytest.mark.parametrize("height", [0, 2, 4, -1, 2**63 - 1])
def test_another_height_is_not_found(height):
    kept = BlockResults()
    kept.chain_committed(block(3, outcome()))
    with pytest.raises(NotFound, match=f"the results of block {height}"):
        asked(kept, height)


def test_what_is_looked_at_is_paid_for_and_the_answer_by_its_size():
    kept = BlockResults()
    kept.chain_committed(block(3, outcome(), outcome()))
    ctx = Paying()
    found = asked(kept, 3, ctx=ctx)
    size = sum(each.ByteSize() for each in found.tx_results) + sum(
        each.ByteSize() + 2 for each in found.events
    )
    assert ctx.gas.used == READ_BYTE * size + 6 * ITER_NEXT_COST  # two of each transaction, two of the block
    with pytest.raises(OutOfGas):
        asked(kept, 3, ctx=Paying(ctx.gas.used - 1))
    kept.chain_committed(block(4, outcome(EVENTS * 100)))
    with pytest.raises(OutOfGas):  # also where nothing of it is wanted
        asked(kept, 4, "send_packet", "transfer", "tick", ctx=Paying(200 * ITER_NEXT_COST))


def test_native_code_writes_the_same(monkeypatch):
    if NATIVE is None:
        pytest.skip("native code is not built here")
    kept = BlockResults()
    kept.chain_committed(block(3, outcome()))
    plain = asked(kept, 3)
    monkeypatch.setattr(block_results.encode, "faster_events", NATIVE.encode_events)
    assert asked(kept, 3) == plain


def test_cometbfts_application_answers_it(comet, sign):
    chain = comet()
    chain.init()
    done = chain.block([sign()])
    request = QueryBlockResultsRequest(height=1, without=["message"]).SerializeToString()
    answer = chain.query(BLOCK_RESULTS, request)
    found = QueryBlockResultsResponse.FromString(answer.value)
    assert (answer.code, found.height, found.app_hash) == (0, 1, done.app_hash)
    told = [event for event in done.tx_results[0].events if event[0] != "message"]
    assert 0 < len(told) < len(done.tx_results[0].events)
    assert list(map(pairs, found.tx_results[0].events)) == told


def test_what_is_not_committed_is_not_told(comet, sign):
    chain = comet()
    chain.init()
    chain.finalize([sign()])
    answer = chain.query(BLOCK_RESULTS, QueryBlockResultsRequest(height=1).SerializeToString())
    assert (answer.codespace, answer.code, answer.value) == ("sdk", 22, b"")
