"""Ledger: the time of each record, the effects of blocks, and exact sums."""

import sqlite3
from contextlib import closing

import pytest

from pyibc.codec.anys import AnyMessage
from pyibc.core.coin import coin
from pyibc.core.height import Height
from pyibc.core.host.block import CommittedBlock, TxOutcome
from pyibc.core.packet.messages import MsgRecvPacket
from pyibc.core.packet.types import Packet
from pyibc.core.wire.message import pack_msg
from pyibc.proto.cosmos.auth.v1beta1 import auth_pb2, query_pb2
from pyibc.proto.ibc.core.channel.v2 import tx_pb2 as v2
from pyibc.relayer.chain.endpoint import NO_EXTRAS
from pyibc.relayer.chain.values import Query, Tip
from pyibc.relayer.errors import (
    EndpointRefused,
    EndpointUnavailable,
    LedgerMismatch,
    LedgerNotOpened,
    LedgerUnavailable,
)
from pyibc.relayer.money.account import GasConfig
from pyibc.relayer.money.accounts import SignedTx, SigningAccounts
from pyibc.relayer.money.fees import GasPrice
from pyibc.relayer.money.ledger import Ledger, TxState, read_coins
from pyibc.relayer.money.ledger_report import catch_up, costs, open_fees, spent
from pyibc.relayer.money.refusals import NodeAccess
from pyibc.relayer.money.sqlite_marks import marks_of
from pyibc.relayer.money.wallet import Wallet

US, OTHER = "cosmos1us", "cosmos1other"
UPDATE = AnyMessage("/ibc.core.client.v1.MsgUpdateClient", b"")
NORTH, SOUTH = "transfer/channel-3>port-b/channel-8", "transfer/channel-4>port-b/channel-9"


def recv(sequence, path=NORTH):
    near, far = (end.split("/") for end in path.split(">"))
    return pack_msg(
        MsgRecvPacket(Packet(sequence, *near, *far, b"", Height(7, 90), 0), b"p", Height(1, 5), US)
    )


def signed(raw, *messages, sequence=5, fee=1800, signer=US):
    return SignedTx(
        raw, signer, sequence, 72_000, (coin("stake", fee),) if fee else (), messages or (UPDATE,)
    )


def included(raw, code=0, fee="1800stake", payer=US, gas_used=60_000, ante=True):
    fees = (("fee", fee), ("fee_payer", payer))
    events = (("tx", fees), ("tx", (("acc_seq", f"{payer}/5"),))) if ante else ()
    return TxOutcome(raw, code, "sdk" if code else "", events, 72_000, gas_used)


def block(height, *outcomes, chain="c-1"):
    return CommittedBlock(chain, height, 0, b"", outcomes, ())


@pytest.fixture
def ledger(tmp_path):
    with closing(Ledger(tmp_path / "ledger.db")) as opened:
        yield opened


def states(ledger):
    return [row[0] for row in ledger.rows("SELECT state FROM tx ORDER BY rowid")]


def test_h154_a_transaction_is_written_before_it_is_broadcast(tmp_path):
    """The node accepts a transaction, and the relayer is killed before the answer: the next start has it."""
    wallet = Wallet(b"\x01" * 32, "cosmos")
    found = []

    def query(_path, _request):
        response = query_pb2.QueryAccountResponse()
        base = auth_pb2.BaseAccount(address=wallet.address.text, account_number=4, sequence=9)
        response.account.type_url = "/cosmos.auth.v1beta1.BaseAccount"
        response.account.value = base.SerializeToString()
        return response.SerializeToString()

    def broadcast(raw):
        with closing(Ledger(tmp_path / "ledger.db")) as other:
            found.append(other.open_of("c-1"))
        raise EndpointUnavailable("c-1", "killed")

    with closing(Ledger(tmp_path / "ledger.db")) as ledger:
        gas = GasConfig(price=GasPrice.parse("0.5stake"), simulate=False)
        ours = SigningAccounts([wallet], "c-1", gas, ledger)
        with pytest.raises(EndpointUnavailable):
            ours.broadcast([recv(7)], NodeAccess(Query(query), broadcast, 41))
        assert open_fees(ledger, "c-1") == {"stake": 700_000}
    (entry,) = found[0].values()
    assert entry == (wallet.address.text, 9, 41)


def test_h154_only_a_block_settles(ledger):
    ledger.sent("c-1", signed(b"a", recv(1), recv(2), UPDATE), 40)
    assert (states(ledger), costs(ledger), spent(ledger, "c-1", US)) == (["pending"], [], {})
    ledger.observe(block(41, included(b"a"), chain="c-2"))  # another chain's
    ledger.observe(block(41, included(b"b", payer=OTHER)))
    assert states(ledger) == ["pending"]
    for _ in range(2):  # read twice: counted once
        ledger.observe(block(42, included(b"a", fee="1700stake")))
    assert (states(ledger), ledger.open_of("c-1")) == (["paid"], {})
    assert spent(ledger, "c-1", US) == {"stake": 1700}  # what was charged, not what was offered
    (cost,) = costs(ledger)
    assert cost[:7] == ("c-1", "", 0, 1, 0, 72_000, 60_000)
    assert cost.kinds == {recv(1).type_url: 2, UPDATE.type_url: 1}


def test_failed_transactions_cost_too_and_those_without_a_fee_do_not(ledger):
    ledger.sent("c-1", signed(b"failed"), 40)
    ledger.sent("c-1", signed(b"unpaid", sequence=6), 40)
    ledger.observe(block(41, included(b"failed", code=11), included(b"unpaid", code=32, ante=False)))
    assert (states(ledger), spent(ledger, "c-1", US)) == (["paid", "unpaid"], {"stake": 1800})
    assert [(cost.transactions, cost.failed) for cost in costs(ledger)] == [(2, 2)]
    ledger.observe(block(43, included(b"unpaid")))  # its sequence came: the same bytes, in a later block
    assert spent(ledger, "c-1", US) == {"stake": 3600}


def test_a_refused_one_that_another_node_took(ledger):
    ledger.sent("c-1", signed(b"a"), 40)
    ledger.refused(b"a", TxOutcome(b"a", 13, "sdk", (), 0, 0))
    assert (states(ledger), open_fees(ledger, "c-1")) == (["refused"], {})
    ledger.observe(block(41, included(b"a")))
    assert (states(ledger), spent(ledger, "c-1", US)) == (["paid"], {"stake": 1800})


def test_h154_the_same_bytes_once_more(ledger):
    """Any block since the first broadcast may include them; a paid transaction stays paid."""
    ledger.sent("c-1", signed(b"a"), 40)
    ledger.refused(b"a", TxOutcome(b"a", 20, "sdk", (), 0, 0))
    ledger.sent("c-1", signed(b"a"), 45)
    assert states(ledger) == ["pending"]
    assert [each.since for each in ledger.open_of("c-1").values()] == [40]
    ledger.observe(block(42, included(b"a")))
    ledger.sent("c-1", signed(b"a"), 46)  # by an old sequence
    ledger.sent("c-1", signed(b"b"), 46)
    ledger.refused(b"a", TxOutcome(b"a", 32, "sdk", (), 0, 0))
    ledger.observe(block(47, included(b"b", code=32, ante=False)))
    assert states(ledger) == ["paid", "unpaid"]
    assert (costs(ledger)[0].fees, spent(ledger, "c-1", US)) == ({"stake": 1800}, {"stake": 1800})


def test_whoever_has_the_sequence_replaces_the_others(ledger):
    for raw in (b"a", b"b"):
        ledger.sent("c-1", signed(raw), 40)
    ledger.sent("c-1", signed(b"c", sequence=6), 40)
    ledger.sent("c-1", signed(b"d", signer=OTHER), 40)
    ledger.observe(block(41, included(b"b")))
    assert states(ledger) == ["replaced", "paid", "pending", "pending"]


def test_what_a_granter_pays_is_not_ours(ledger):
    ledger.sent("c-1", signed(b"a"), 40)
    ledger.observe(block(41, included(b"a", payer=OTHER)))
    assert (spent(ledger, "c-1", US), spent(ledger, "c-1", OTHER)) == ({}, {"stake": 1800})
    assert costs(ledger)[0].fees == {"stake": 1800}


def test_h154_a_message_cannot_forge_the_fee(ledger):
    """Events of an application come after those of the ante handler."""
    ledger.sent("c-1", signed(b"a"), 40)
    real = included(b"a")
    forged = real._replace(events=(*real.events, ("tx", (("fee", "1stake"), ("fee_payer", OTHER)))))
    ledger.observe(block(41, forged))
    assert spent(ledger, "c-1", US) == {"stake": 1800}


def test_a_chain_without_events_of_fees(ledger):
    ledger.sent("c-1", signed(b"a"), 40)
    ledger.observe(block(41, included(b"a", ante=False)))
    assert spent(ledger, "c-1", US) == {"stake": 1800}


SIGNED = ("tx", (("acc_seq", f"{US}/5"),))


@pytest.mark.parametrize(
    ("code", "events", "paid"),
    [
        (0, (SIGNED,), {}),  # ibc-go's simapp: no fees
        (11, (SIGNED,), {}),
        (
            0,
            (
                *(("coin_spent", (("spender", US), ("amount", "1800stake"))), SIGNED),
                ("coin_spent", (("spender", US), ("amount", "5stake"))),  # of a message
                ("fee_pay", (("fee", "1500stake"), ("fee_payer", US))),
                ("tip_pay", (("tip", "300stake"), ("tip_payer", US), ("tip_payee", OTHER))),
            ),
            {"stake": 1800},
        ),
        (0, (SIGNED, ("tip_pay", (("tip", "1800stake"), ("tip_payer", US)))), {"stake": 1800}),
        (11, (("coin_spent", (("spender", US), ("amount", "1800stake"))), SIGNED), {"stake": 1800}),
    ],
    ids=["no fees", "no fees, failed", "fee market", "fee market, all a tip", "fee market, failed"],
)
def test_h154_fees_as_chains_tell_of_them(ledger, code, events, paid):
    ledger.sent("c-1", signed(b"a"), 40)
    ledger.observe(block(41, TxOutcome(b"a", code, "sdk" if code else "", events, 72_000, 60_000)))
    assert (states(ledger), spent(ledger, "c-1", US)) == (["paid"], paid)


def test_sums_by_path_and_packet_are_those_of_the_chain(ledger):
    ledger.sent("c-1", signed(b"a", UPDATE, recv(1), recv(2), recv(1, SOUTH)), 40)
    ledger.sent("c-1", signed(b"b", recv(2, NORTH), sequence=6), 41)
    ledger.sent("c-1", signed(b"c", UPDATE, sequence=7), 42)
    ledger.observe(block(43, included(b"a", fee="1801stake,7uatom"), included(b"b"), included(b"c")))
    by_packet = {(cost.path, cost.sequence): cost.fees for cost in costs(ledger, "packet")}
    assert by_packet == {
        ("", 0): {"stake": 1800},
        (NORTH, 1): {"stake": 601, "uatom": 3},
        (NORTH, 2): {"stake": 2400, "uatom": 2},
        (SOUTH, 1): {"stake": 600, "uatom": 2},
    }
    paths = {cost.path: (cost.transactions, cost.fees) for cost in costs(ledger, "path")}
    assert paths == {
        "": (1, {"stake": 1800}),
        NORTH: (2, {"stake": 3001, "uatom": 5}),
        SOUTH: (1, {"stake": 600, "uatom": 2}),
    }
    for by in ("chain", "path", "packet"):
        found = costs(ledger, by)
        assert sum(cost.fees["stake"] for cost in found) == 5401 == spent(ledger, "c-1", US)["stake"]
        assert sum(cost.gas_used for cost in found) == 180_000
        assert sum(cost.gas_wanted for cost in found) == 216_000


def test_packets_of_v2(ledger):
    made = v2.MsgAcknowledgement()
    made.packet.sequence, made.packet.source_client, made.packet.destination_client = 2**64 - 1, "x-1", "y-2"
    message = AnyMessage("/ibc.core.channel.v2.MsgAcknowledgement", made.SerializeToString())
    ledger.sent("c-1", signed(b"a", message, AnyMessage(message.type_url, b"\xff")), 40)
    ledger.observe(block(41, included(b"a")))
    assert [(cost.path, cost.sequence) for cost in costs(ledger, "packet")] == [("x-1>y-2", 2**64 - 1)]


def test_numbers_beyond_64_bits(ledger):
    fee = 2**256 - 1
    ledger.sent("c-1", signed(b"a")._replace(gas=2**64 - 1), 2**64 - 1)
    ledger.observe(block(2**64 - 1, included(b"a", fee=f"{fee}stake", gas_used=2**63)))
    assert spent(ledger, "c-1", US) == {"stake": fee}
    assert costs(ledger)[0].gas_used == 2**63


def test_coins_of_events():
    assert read_coins("5atom,1800ibc/AB") == (coin("atom", 5), coin("ibc/AB", 1800))
    assert read_coins("") == read_coins("x,-5atom,5,٣atom") == ()


def test_a_file_that_is_something_else(tmp_path):
    (tmp_path / "x").write_text("something else, longer than the head of a database " * 10)
    with pytest.raises(LedgerMismatch) as caught:
        Ledger(tmp_path / "x")
    assert str(caught.value) == f"{tmp_path / 'x'}: file is not a database"


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        ("CREATE TABLE songs (title TEXT)", "it is the database of another program"),
        ("CREATE TABLE tx (hash BLOB)", "it is the database of another program"),
        ("PRAGMA application_id=252006675", "it is the database of another program"),
        ("PRAGMA application_id=1768055660; PRAGMA user_version=2", "it has version 2; this release reads 1"),
    ],
)
def test_h233_another_program_s_database_is_left_as_it_is(tmp_path, made, reason):
    file = tmp_path / "others.db"
    with closing(sqlite3.connect(file)) as db:
        db.executescript(made)
    before = file.read_bytes()
    with pytest.raises(LedgerMismatch) as caught:
        Ledger(file)
    assert (caught.value.ledger, caught.value.reason) == (str(file), reason)
    assert file.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["others.db"]


def test_a_ledger_that_was_closed_is_not_taken_for_another_program_s(tmp_path):
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.close()
    with pytest.raises(LedgerNotOpened) as caught:
        ledger.chains()
    assert str(caught.value) == f"{tmp_path / 'ledger.db'}: Cannot operate on a closed database."


def test_a_ledger_of_the_first_releases_has_no_mark(tmp_path):
    file = tmp_path / "ledger.db"
    with closing(Ledger(file)) as ledger:
        ledger.sent("c-1", signed(b"1"), 40)
    with closing(sqlite3.connect(file)) as db:
        db.executescript("PRAGMA application_id=0; PRAGMA user_version=0")
    with closing(Ledger(file)) as ledger:
        assert [each.sequence for each in ledger.open_of("c-1").values()] == [5]
    with closing(sqlite3.connect(file)) as db:
        assert marks_of(db)[1:] == (0x6962636C, 1)


def test_a_ledger_that_rots_is_said_by_whoever_reports(ledger, tmp_path):
    ledger._db.execute("DROP TABLE fee")
    with pytest.raises(LedgerNotOpened) as caught:
        costs(ledger)
    assert str(caught.value) == f"{tmp_path / 'ledger.db'}: no such table: fee"


# -- a disk that is full


@pytest.fixture(params=["BEGIN", "COMMIT"])
def full(ledger, request):
    """Return a function that lets the file refuse a transaction at its begin or end, or accept it again."""

    def switch(*, on):
        refused = (sqlite3.SQLITE_TRANSACTION, request.param) if on else ()

        def judge(action, what, *_):
            return sqlite3.SQLITE_DENY if (action, what) == refused else sqlite3.SQLITE_OK

        ledger._db.set_authorizer(judge)

    return switch


def refusal_of(call):
    try:
        call()
    except Exception as error:
        return error


def test_h227_what_cannot_be_written_down_is_not_broadcast(ledger, full):
    wallet, broadcast = Wallet(b"\x01" * 32, "cosmos"), []

    def query(_path, _request):
        response = query_pb2.QueryAccountResponse()
        base = auth_pb2.BaseAccount(address=wallet.address.text, account_number=4, sequence=9)
        response.account.Pack(base, type_url_prefix="/")
        return response.SerializeToString()

    def takes(raw):
        broadcast.append(raw)
        return TxOutcome(raw, 0, "", (), 0, 0)

    accounts = SigningAccounts([wallet], "c-1", GasConfig(simulate=False), ledger)
    full(on=True)
    with pytest.raises(LedgerUnavailable) as caught:
        accounts.broadcast([UPDATE], NodeAccess(Query(query), takes, 40))
    assert caught.value.chain_id == "c-1"
    assert (broadcast, ledger.open_of("c-1"), states(ledger)) == ([], {}, [])
    full(on=False)
    accounts.broadcast([UPDATE], NodeAccess(Query(query), takes, 40))
    assert len(broadcast) == 1
    (entry,) = ledger.open_of("c-1").values()
    assert (entry.sequence, entry.since) == (9, 40)  # the sequence was not used up


def test_h227_what_could_not_be_settled_is_open_and_settled_later(ledger, full):
    ledger.sent("c-1", signed(b"a"), 40)
    ledger.sent("c-1", signed(b"b"), 40)
    before = ledger.open_of("c-1")
    full(on=True)
    with pytest.raises(LedgerUnavailable):
        ledger.observe(block(41, included(b"a")))
    assert ledger.open_of("c-1") == before
    full(on=False)
    assert (spent(ledger, "c-1", US), states(ledger)) == ({}, ["pending", "pending"])
    ledger.observe(block(41, included(b"a")))
    assert (spent(ledger, "c-1", US), states(ledger)) == ({"stake": 1800}, ["paid", "replaced"])
    assert ledger.open_of("c-1") == {}


@pytest.mark.parametrize(
    "change",
    [
        lambda ledger: ledger.refused(b"a", included(b"a", code=5)),
        lambda ledger: ledger.mark_searched("c-1", set(ledger.open_of("c-1")), 50),
        lambda ledger: ledger.observe(block(41, included(b"other"))),
    ],
    ids=["refused", "looked", "replaced"],
)
def test_h227_what_could_not_be_changed_is_as_it_was(ledger, full, change):
    ledger.sent("c-1", signed(b"a"), 40)
    before = ledger.open_of("c-1")
    full(on=True)
    error = refusal_of(lambda: change(ledger))
    assert type(error) is LedgerUnavailable
    assert error.chain_id == "c-1"
    assert ledger.open_of("c-1") == before
    full(on=False)
    assert states(ledger) == ["pending"]
    change(ledger)


# -- catching up


class Chain:
    """Blocks by height, and the accounts' sequences."""

    chain_id, extras = "c-1", NO_EXTRAS

    def __init__(self, tip, sequences, **blocks):
        self.height, self.sequences = tip, sequences
        self.blocks = {int(name[1:]): found for name, found in blocks.items()}
        self.read = []

    def tip(self):
        return Tip(self.height, 0)

    def block(self, height):
        self.read.append(height)
        found = self.blocks.get(height, block(height))
        if isinstance(found, Exception):
            raise found
        return found

    def grpc(self, _path, request):
        address = query_pb2.QueryAccountRequest.FromString(request).address
        base = auth_pb2.BaseAccount(address=address, sequence=self.sequences[address])
        response = query_pb2.QueryAccountResponse()
        response.account.type_url = "/cosmos.auth.v1beta1.BaseAccount"
        response.account.value = base.SerializeToString()
        return response.SerializeToString()


def test_h154_after_a_kill_the_blocks_tell(tmp_path):
    with closing(Ledger(tmp_path / "l")) as ledger:
        ledger.sent("c-1", signed(b"a"), 40)
        ledger.sent("c-1", signed(b"b", sequence=6), 41)
    chain = Chain(90, {"cosmos1us": 6}, _44=block(44, included(b"a")))
    with closing(Ledger(tmp_path / "l")) as ledger:
        assert catch_up(ledger, chain) == []
        assert (states(ledger), chain.read) == (["paid", "pending"], [41, 42, 43, 44])
        assert [each.since for each in ledger.open_of("c-1").values()] == [41]
        assert spent(ledger, "c-1", US) == {"stake": 1800}
        assert catch_up(ledger, chain) == []
        assert len(chain.read) == 4  # nothing to look for


def test_one_whose_sequence_another_program_used(tmp_path):
    chain = Chain(45, {"cosmos1us": 6}, _44=block(44, included(b"other")))
    with closing(Ledger(tmp_path / "l")) as ledger:
        ledger.sent("c-1", signed(b"a"), 40)
        assert catch_up(ledger, chain) == []
        assert (states(ledger), open_fees(ledger, "c-1")) == (["replaced"], {})
        ledger.observe(block(46, included(b"a")))  # what was told before was a lie
        assert spent(ledger, "c-1", US) == {"stake": 1800}
    with closing(Ledger(tmp_path / "l")) as ledger:
        assert ledger.open_of("c-1") == {}


def test_another_account_s_sequence_replaces_nothing(ledger):
    ledger.sent("c-1", signed(b"a"), 40)
    ledger.sent("c-2", signed(b"b"), 40)
    ledger.observe(block(41, included(b"x", payer=OTHER), included(b"y", ante=False)))
    ledger.observe(block(41, included(b"z"), chain="c-2"))
    assert states(ledger) == ["pending", "replaced"]


def test_h228_a_node_ahead_tells_the_sequence_and_one_behind_the_last_block(tmp_path):
    """The transaction that consumed the sequence is in a block that the node behind lacks: no decision."""
    chain = Chain(43, {"cosmos1us": 6})
    with closing(Ledger(tmp_path / "l")) as ledger:
        ledger.sent("c-1", signed(b"a"), 40)
        assert catch_up(ledger, chain) == []
        assert (states(ledger), open_fees(ledger, "c-1")) == (["pending"], {"stake": 1800})
    chain = Chain(46, {"cosmos1us": 6}, _44=block(44, included(b"a")))
    with closing(Ledger(tmp_path / "l")) as ledger:
        assert catch_up(ledger, chain) == []
        assert (states(ledger), chain.read) == (["paid"], [44])
        assert spent(ledger, "c-1", US) == {"stake": 1800}


def test_h228_a_node_behind_tells_the_sequence_and_one_ahead_the_last_block(tmp_path):
    """The block with the transaction is one of those that were believed to be read."""
    chain = Chain(90, {"cosmos1us": 5})
    with closing(Ledger(tmp_path / "l")) as ledger:
        ledger.sent("c-1", signed(b"a"), 80)
        assert catch_up(ledger, chain) == []
        assert [each.since for each in ledger.open_of("c-1").values()] == [80]
    chain = Chain(91, {"cosmos1us": 6}, _88=block(88, included(b"a")))
    with closing(Ledger(tmp_path / "l")) as ledger:
        assert catch_up(ledger, chain) == []
        assert states(ledger) == ["paid"]


def test_blocks_that_are_pruned_are_said_and_leave_it_in_doubt(ledger):
    gone = EndpointRefused("c-1", "block", "pruned")
    chain = Chain(43, {"cosmos1us": 6}, _41=gone, _42=gone)
    ledger.sent("c-1", signed(b"a"), 40)
    assert catch_up(ledger, chain) == [41, 42]
    assert (states(ledger), open_fees(ledger, "c-1")) == ([TxState.PENDING], {"stake": 1800})


def test_nothing_open_asks_nothing(ledger):
    assert catch_up(ledger, Chain(0, {})) == []
