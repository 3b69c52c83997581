"""The same odd transactions, signed by real keys, at ibc-go's door and at ours; and what fails in a block."""

import time
from base64 import b64decode, b64encode
from contextlib import ExitStack, closing

import pytest

from conformance.peers.chain import USERS, private_key
from conformance.peers.tx_cases import ACCEPTED, TX_CASES
from conformance.peers.tx_draft import Draft, Signer
from pyibc.core.coin import coin
from pyibc.proto.cosmos.auth.v1beta1 import query_pb2 as auth_pb2
from pyibc.proto.cosmos.tx.v1beta1 import tx_pb2
from pyibc.relayer.rpc.client import HttpRpc

pytestmark = pytest.mark.interop


class Door:
    """One chain, to which transactions are given as bytes."""

    def __init__(self, chain):
        self.chain = chain
        self.rpc = HttpRpc(chain.url)

    def close(self):
        self.rpc.close()

    def signer(self, user):
        request = auth_pb2.QueryAccountInfoRequest(address=self.chain.address(user)).SerializeToString()
        raw = self.chain.as_user("relayer").grpc("/cosmos.auth.v1beta1.Query/AccountInfo", request)
        info = auth_pb2.QueryAccountInfoResponse.FromString(raw).info
        return Signer(private_key(user), info.account_number, info.sequence)

    def draft(self):
        return Draft(self.chain.chain_id, [self.signer(user) for user in USERS])

    def check(self, raw):
        """What CheckTx says; one that is taken has its block before this returns."""
        told = self.rpc.call("broadcast_tx_sync", tx=b64encode(raw).decode())
        if not told["code"]:
            self.wait(raw)
        return self.said(told)

    def commit(self, raw):
        """What the block says, after CheckTx took it; and its log."""
        told = self.rpc.call("broadcast_tx_commit", tx=b64encode(raw).decode())
        assert not told["check_tx"]["code"], told
        return self.said(told["tx_result"]), told["tx_result"]["log"]

    def wait(self, raw):
        wallet = raw and b64encode(raw).decode()
        end = time.monotonic() + 30
        while wallet in (self.rpc.call("unconfirmed_txs", limit="100")["txs"] or []):
            assert time.monotonic() < end
            time.sleep(0.1)
        self.after_next_block()

    def after_next_block(self):
        seen = self.height()
        while self.height() == seen:
            time.sleep(0.1)

    def height(self):
        return int(self.rpc.call("status")["sync_info"]["latest_block_height"])

    @staticmethod
    def said(told):
        return f"{told['codespace']}/{told['code']}" if told["code"] else ACCEPTED


@pytest.fixture(scope="module")
def doors(open_pair, tmp_path_factory):
    with ExitStack() as stack:
        pair = open_pair(stack, tmp_path_factory.mktemp("odd"), "comet-go")
        path = pair.open()
        for chain, end, other in ((pair.a, path.a, pair.b), (pair.b, path.b, pair.a)):
            sent = chain.transfer("alice", end, coin("stake", 7), other.address("bob"))
            assert chain.submit("alice", [sent]).code == 0
        pair.relay(path)
        yield [stack.enter_context(closing(Door(chain))) for chain in (pair.a, pair.b)]


@pytest.mark.parametrize("odd", TX_CASES, ids=[odd.name for odd in TX_CASES])
def test_at_the_door(doors, odd):
    ours, go = [door.check(odd.bytes_of(door.draft())) for door in doors]
    assert (ours, go) == (odd.expected, odd.expected_there)


def too_much(draft):
    draft.pay(draft.people[0], [coin("stake", 10**30)])


def to_a_module(draft):
    fee_collector = "cosmos17xpfvakm2amg962yls6f84z3kell8c5lserqta"
    draft.pay(draft.people[0], receiver=fee_collector)


def of_two_people(draft):
    draft.pay(draft.people[1], [coin("stake", 10**30)])
    draft.sign_by(draft.people[1])


FAILING = {"the second message": too_much, "a module's account": to_a_module, "one of two": of_two_people}


@pytest.mark.parametrize("name", FAILING)
def test_in_a_block(doors, name):
    found = []
    for door in doors:
        before, draft = door.chain.balance("bob", "stake"), door.draft()
        draft.body.ClearField("messages")
        draft.pay(draft.people[0], [coin("stake", 3)], draft.people[1].address)
        FAILING[name](draft)
        code, _ = door.commit(draft.signed())
        assert door.chain.balance("bob", "stake") == before  # the first message is undone
        moved = [
            door.signer(user).sequence - was.sequence for user, was in zip(USERS, draft.people, strict=True)
        ]
        found.append((code, moved))
    assert found[0] == found[1]
    assert found[0][0] != ACCEPTED
    assert found[0][1][0] == 1


def test_gas_that_ends_in_a_message(doors):
    for door in doors:
        draft = door.draft()
        draft.pay(draft.people[0], [coin("stake", 3)], draft.people[1].address)
        used = int(
            door.rpc.call("broadcast_tx_commit", tx=b64encode(draft.signed()).decode())["tx_result"][
                "gas_used"
            ]
        )
        before, draft = door.chain.balance("bob", "stake"), door.draft()
        draft.pay(draft.people[0], [coin("stake", 3)], draft.people[1].address)
        draft.auth.fee.gas_limit = used - 3_000
        code, log = door.commit(draft.signed())
        assert code == "sdk/11"
        assert f"gasWanted: {used - 3_000}, gasUsed: " in log
        assert door.chain.balance("bob", "stake") == before
        assert door.signer("alice").sequence == draft.people[0].sequence + 1


def test_several_in_flight(doors):
    """Each follows the one that waits; one that was overtaken leaves the mempool."""
    for door in doors:
        first = door.signer("alice")
        sequences = [first.sequence + each for each in (0, 1, 2)]
        drafts = [
            Draft(door.chain.chain_id, [first._replace(sequence=number), door.signer("bob")])
            for number in sequences
        ]
        again = Draft(door.chain.chain_id, [first, door.signer("bob")])
        again.body.memo = "another of the same sequence"
        told = [door.rpc.call("broadcast_tx_sync", tx=b64encode(each.signed()).decode()) for each in drafts]
        assert [each["code"] for each in told] == [0, 0, 0]
        late = door.rpc.call("broadcast_tx_sync", tx=b64encode(again.signed()).decode())
        assert (late["codespace"], late["code"]) == ("sdk", 32)
        assert "account sequence mismatch, expected " in late["log"]
        door.wait(drafts[-1].signed())
        assert door.signer("alice").sequence == first.sequence + 3


def relayed(door, event):
    """The messages of the transaction that brought packet 1, without those that update clients."""
    query = f"{event}.packet_sequence='1'"
    (found,) = door.rpc.call("tx_search", query=query)["txs"]
    body = tx_pb2.TxBody.FromString(tx_pb2.TxRaw.FromString(b64decode(found["tx"])).body_bytes)
    wanted = {"recv_packet": "MsgRecvPacket", "acknowledge_packet": "MsgAcknowledgement"}[event]
    return [each for each in body.messages if each.type_url.endswith(wanted)]


@pytest.mark.parametrize("event", ["recv_packet", "acknowledge_packet"])
def test_what_was_relayed_already_is_redundant(doors, event):
    """At the door; beside another message, and in a block, it does nothing."""
    for door in doors:
        relayer = door.signer("relayer")
        alone = Draft(door.chain.chain_id, [relayer])
        alone.body.ClearField("messages")
        alone.body.messages.extend(relayed(door, event))
        told = door.rpc.call("broadcast_tx_sync", tx=b64encode(alone.signed()).decode())
        assert (told["codespace"], told["code"]) == ("channel", 22)
        assert told["log"].endswith("packet messages are redundant")
        beside = Draft(door.chain.chain_id, [relayer])
        beside.body.messages.extend(relayed(door, event))
        assert door.commit(beside.signed())[0] == ACCEPTED
