"""The host application behind ABCI."""

import pytest

from abci_server import AnswerHeld
from abci_server.application import tx_size
from abci_server.messages import encode
from iavl.commit_info import simple_root
from ibc_module import hookimpl
from ibc_module.plugin import Config
from ibc_module.upgrades import UpgradeNeeded
from localnet.chain import LocalChain
from pyibc.chain.app import EMPTY_APP_HASH
from pyibc.chain.comet.app import check_result, tx_result
from pyibc.chain.comet.settings import OutOfStep, UpgradeSettings, WrongGenesis
from pyibc.core.host.block import TxOutcome
from pyibc.core.setup_error import InvalidGenesis
from pyibc.default_plugins import plugins
from pyibc.proto.tendermint.abci import types_pb2 as pb

HEARD = []


class Listener:
    """Hears of committed blocks."""

    @hookimpl
    def chain_committed(self, block):
        HEARD.append(block)


def listener():
    return [Listener()]


@pytest.fixture
def heard():
    HEARD.clear()
    return HEARD


def test_the_same_blocks_give_the_same_app_hashes_as_under_our_own_consensus(comet, genesis, sign, ticking):
    ours = LocalChain("chain-1", plugins=plugins(Config()), genesis=genesis, clock=ticking)
    theirs = comet()
    assert theirs.init().app_hash == EMPTY_APP_HASH
    txs = [sign(sequence=0), b"junk", sign(sequence=2), sign(sequence=1)]
    for chosen in (txs, [], [sign(sequence=2)]):
        ours.make_block(chosen)
    for height in range(1, ours.height + 1):
        record = ours.record(height)
        header, outcomes = record.header, record.result.txs
        done = theirs.block([each.tx for each in outcomes], time_ns=header.time_ns)
        assert done.app_hash == record.result.app_hash
        assert [each.code for each in done.tx_results] == [each.code for each in outcomes]
    ours.close()


def test_info_tells_the_last_commit_and_no_more(comet):
    chain = comet()
    assert (chain.info().last_block_height, chain.info().last_block_app_hash) == (0, b"")
    chain.init()
    done = chain.finalize()
    assert chain.info().last_block_height == 0
    chain.app.commit()
    assert (chain.info().last_block_height, chain.info().last_block_app_hash) == (1, done.app_hash)


def test_a_block_may_be_finalized_again_and_init_chain_asked_again(comet, sign):
    chain = comet()
    chain.init()
    chain.finalize([sign()])
    chain.init()
    first = chain.finalize([])
    assert chain.finalize([]) == first
    chain.app.commit()


@pytest.mark.parametrize("height", [1, 3])
def test_another_block_than_the_next_is_refused(comet, height):
    chain = comet()
    chain.init()
    chain.block()
    before = chain.info()
    with pytest.raises(OutOfStep, match="needs block 2"):
        chain.finalize(height=height)
    assert chain.info() == before


def test_a_commit_without_a_block_is_refused(comet):
    chain = comet()
    chain.init()
    with pytest.raises(OutOfStep):
        chain.app.commit()
    chain.block()
    with pytest.raises(OutOfStep):
        chain.app.commit()


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"chain_id": "chain-2"}, WrongGenesis),
        ({"initial_height": 5}, WrongGenesis),
        ({"app_state_bytes": b"[]"}, WrongGenesis),
        ({"app_state_bytes": b"{"}, WrongGenesis),
        ({"app_state_bytes": b"[" * 100_000}, WrongGenesis),
        ({"app_state_bytes": b'{"bank": {"balances": 1}}'}, InvalidGenesis),
    ],
)
def test_a_genesis_that_is_another_or_none_is_refused(comet, change, wrong):
    chain = comet()
    with pytest.raises(wrong):
        chain.init(**change)


def test_the_time_of_the_last_block_survives_a_restart(comet):
    chain = comet("home")
    chain.init()
    chain.block(time_ns=1_800_000_000_123_456_789)
    chain.app.host.store.close()
    again = comet("home")
    assert again.app.host.query_context().time_ns == 1_800_000_000_123_456_789


def test_a_first_height_of_its_own(comet):
    chain = comet(rules=comet().rules._replace(initial_height=7))
    chain.init()
    with pytest.raises(OutOfStep):
        chain.finalize(height=1)
    chain.block(height=7)
    assert chain.info().last_block_height == 7
    assert chain.query("/store/ibc/key", b"nextClientSequence", 7, prove=True).height == 7


def test_who_listens_hears_each_block_and_the_last_one_again_after_a_restart(comet, heard, sign):
    plugin = (f"{__name__}:listener",)
    chain = comet("home", plugins=plugin)
    chain.init()
    chain.block()
    chain.block([sign()])
    assert [block.height for block in heard] == [1, 2]
    assert heard[1].txs[0].code == 0
    chain.finalize()  # never committed
    chain.app.host.store.close()
    comet("home", plugins=plugin)
    assert [block.height for block in heard] == [1, 2, 2]
    assert heard[2] == heard[1]


def test_a_block_whose_commit_failed_is_not_told(comet, heard, monkeypatch):
    plugin = (f"{__name__}:listener",)
    chain = comet("home", plugins=plugin)
    chain.init()
    chain.block()
    chain.finalize()
    monkeypatch.setattr(type(chain.app.host.store), "commit", lambda *_: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        chain.app.commit()
    monkeypatch.undo()
    chain.app.host.store.close()
    comet("home", plugins=plugin)
    assert [block.height for block in heard] == [1]  # told before block 2 began


def test_proposals_fit_as_cometbft_counts(comet, sign):
    chain = comet()
    chain.init()
    chain.block()
    txs = [sign(sequence=number) for number in range(5)]
    limit = sum(map(tx_size, txs)) - 1
    assert sum(map(len, txs)) <= limit  # bare, they would fit
    assert chain.propose(txs, limit) == txs[:4]
    assert chain.propose([b"junk", *txs], 10**6) == txs


def test_every_attribute_is_indexed_and_results_are_whole(comet, sign):
    chain = comet()
    chain.init()
    chain.block()
    (result,) = chain.block([sign()]).tx_results
    assert result.code == 0
    assert result.gas_wanted > result.gas_used > 0
    assert result.data
    told = pb.ExecTxResult()
    encode.tx_result(result, told)
    assert {"tx", "message", "transfer"} <= {event.type for event in told.events}
    assert all(each.index for event in told.events for each in event.attributes)


def test_a_check_has_codes_and_counts_what_waits(comet, sign):
    chain = comet()
    chain.init()
    chain.block()
    assert chain.check(sign(sequence=0)).code == 0
    assert chain.check(sign(sequence=1)).code == 0
    refused = chain.check(sign(sequence=0))
    assert (refused.codespace, refused.code) == ("sdk", 32)
    junk = chain.check(b"junk")
    assert (junk.codespace, junk.code) == ("sdk", 2)
    chain.block([sign(sequence=0)])
    assert chain.check(sign(sequence=1), recheck=True).code == 0


def test_a_log_cannot_be_made_long_by_who_sends():
    outcome = TxOutcome(b"tx", 5, "sdk", (), 1, 1, log="x" * 20_000)
    assert len(tx_result(outcome).log) == len(check_result(outcome).log) == 4096


def test_proofs_come_as_two_operations_under_the_app_hash(comet):
    chain = comet()
    chain.init()
    done = chain.block()
    answer = chain.query("/store/ibc/key", b"nextClientSequence", 1, prove=True)
    assert [(op.type, op.key) for op in answer.proof_ops] == [
        ("ics23:iavl", b"nextClientSequence"),
        ("ics23:simple", b"ibc"),
    ]
    assert (answer.code, answer.height) == (0, 1)
    assert done.app_hash == simple_root(chain.app.host.store.info(1).roots)


@pytest.mark.parametrize(
    ("path", "height"),
    [
        ("/store/none/key", 0),
        ("/no.such/Method", 0),
        ("\udcff", 0),
        ("/store/ibc/key", 9),
        ("/store/ibc/key", -1),
    ],
)
def test_queries_that_cannot_be_answered_have_a_code(comet, path, height):
    chain = comet()
    chain.init()
    chain.block()
    answer = chain.query(path, b"k", height)
    assert answer.code
    assert answer.codespace


def test_a_block_has_the_nodes_own_app_hash_where_its_header_has_one(comet):
    """FinalizeBlock does not carry it: it is what this node answered for the block before."""

    class Notes:
        def __init__(self):
            self.seen = []

        @hookimpl
        def chain_begin_block(self, ctx):
            self.seen.append(ctx.app_hash)
            ctx.ibc.set(b"seen", ctx.app_hash)

    chain, notes = comet(), Notes()
    chain.app.host.pipeline._manager.register(notes)
    answered = [chain.init().app_hash]
    answered += [chain.block().app_hash for _ in range(3)]
    assert notes.seen == answered[:3]
    assert len(set(answered[1:])) == 3


def test_h278_at_its_upgrade_a_node_answers_queries_and_no_more_blocks(comet, sign, caplog):
    chain = comet(upgrade=UpgradeSettings("more", 3))
    chain.init()
    for _ in range(2):
        chain.block()
    for _ in range(2):  # a CometBFT that was started again asks again
        with pytest.raises(AnswerHeld) as held:
            chain.finalize()
        assert isinstance(held.value.__cause__, UpgradeNeeded)
        assert held.value.__cause__.plan.height == 3
    assert caplog.messages[0].startswith('UPGRADE "more" NEEDED at height: 3')
    assert chain.query("/cosmos.bank.v1beta1.Query/Params").code == 0
    assert chain.check(sign()).code == 0
    assert chain.info().last_block_height == 2
