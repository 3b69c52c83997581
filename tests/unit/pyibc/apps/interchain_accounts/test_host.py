"""The host's end: the accounts that it makes, and what it executes for whom."""

import json
from dataclasses import replace
from hashlib import sha256

import pytest

from ibc_module.executor import Executor
from light_client.tendermint.states import (
    DEFAULT_TRUST_LEVEL,
    ClientState,
    ConsensusState,
    pack_client_state,
    pack_consensus_state,
)
from pyibc.apps.interchain_accounts.messages import MsgModuleQuerySafe, MsgUpdateHostParams, QueryRequest
from pyibc.apps.interchain_accounts.packet_data import (
    EXECUTE_TX,
    InterchainAccountPacketData,
    decode_metadata,
    encode_packet_data,
)
from pyibc.apps.interchain_accounts.state import HostParams, encode_host_params, key_of
from pyibc.chain.bank.send import MSG_MULTI_SEND, MSG_SEND, encode_send
from pyibc.codec.anys import AnyMessage
from pyibc.core.application.classic import Opened, Opening, Received
from pyibc.core.channel.types import ChannelCounterparty, Order
from pyibc.core.client_v2 import MsgRegisterCounterparty
from pyibc.core.coin import coin
from pyibc.core.errors import (
    ApplicationFault,
    HostDisabled,
    InterchainAccountExists,
    InterchainAccountNotFound,
    InvalidAccountReopening,
    InvalidConnection,
    InvalidHostPort,
    InvalidRequest,
    LogicFault,
    NoInputs,
    NoSigners,
    OutOfGas,
    TooLarge,
    UnauthorizedTx,
    UnpackAny,
)
from pyibc.core.height import ZERO_HEIGHT, Height
from pyibc.core.packet.types import Packet
from pyibc.core.packet_v2.messages import MsgSendPacket
from pyibc.core.packet_v2.types import Payload
from pyibc.core.wire.message import pack_msg
from pyibc.proto.cosmos.bank.v1beta1.tx_pb2 import MsgMultiSend as PbMsgMultiSend
from pyibc.proto.ibc.core.client.v1.tx_pb2 import MsgCreateClient as PbMsgCreateClient
from pyibc.relayer.interchain_tx import write_messages
from tests.accounts_block import (
    ADDRESSES,
    APP_HASH,
    AUTHORITY,
    CLOSED,
    HERE,
    OPEN,
    OWNER,
    proposed,
)

PORT = "icacontroller-far1owner"
BOB = ADDRESSES.encode(b"b" * 20)
RELAYER = object()
DAY = 86_400 * 10**9


def opening(version=None, port_id="icahost", far=PORT, order=Order.UNORDERED):
    proposal = proposed() if version is None else version
    return Opening(order, HERE, port_id, "channel-6", ChannelCounterparty(far, "channel-77"), proposal)


def register(chain, channel_id="channel-6", **channel):
    """An account with an open channel; its address."""
    version = chain.app("icahost").on_chan_open_try(chain.ctx, opening(channel.get("version")))
    chain.channel("icahost", channel_id, OPEN, far=PORT, version=version)
    opened = Opened("icahost", channel_id, ChannelCounterparty(PORT, "channel-77"), version)
    chain.app("icahost").on_chan_open_confirm(chain.ctx, opened)
    return ADDRESSES.decode(decode_metadata(version).address, "account")


def params(chain, *allowed, on=True):
    chain.ctx.store("icahost").set(b"params", encode_host_params(HostParams(on, allowed)))


def send(sender, amount=5, receiver=BOB):
    return AnyMessage(MSG_SEND, encode_send(sender.text, receiver.text, (coin("stake", amount),)))


def receive(chain, *messages, encoding="proto3", port_id=PORT, **changed):
    data = InterchainAccountPacketData(EXECUTE_TX, write_messages(messages, encoding), "")
    return receive_raw(chain, encode_packet_data(replace(data, **changed)), encoding, port_id)


def receive_raw(chain, raw, encoding="proto3", port_id=PORT):
    packet = Packet(3, port_id, "channel-77", "icahost", "channel-6", raw, ZERO_HEIGHT, 1)
    return chain.app("icahost").on_recv_packet(
        chain.ctx, Received(proposed(encoding=encoding), packet, RELAYER)
    )


def refusal(answer):
    """The code of an error acknowledgement."""
    assert not answer.success
    return int(json.loads(answer.data)["error"].split(":")[1])


def balance(chain, address):
    return chain.bank.balance(chain.ctx, address.raw, "stake")


@pytest.fixture
def account(chain):
    """An account with 100 stake."""
    made = register(chain)
    chain.bank.endow(chain.ctx, made, coin("stake", 100))
    chain.ctx.take_events()
    return made


# -- accounts


def test_an_account_is_derived_with_the_header_s_app_hash(chain):
    made = register(chain)
    module = sha256(sha256(b"module").digest() + b"interchainaccounts\0icahost-accounts").digest()
    key = HERE.encode() + PORT.encode() + APP_HASH
    assert made.raw == sha256(sha256(module).digest() + key).digest()
    stored = chain.accounts.get(chain.ctx, made.raw)
    assert (stored.owner, stored.module, stored.public_key) == (PORT, "", b"")
    noted = chain.entries("icahost")
    assert noted[key_of(b"owner/", PORT, HERE)] == made.text.encode()
    assert noted[key_of(b"activeChannel/", PORT, HERE)] == b"channel-6"


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (opening(proposed(controller_connection_id=HERE)), InvalidConnection),
        (opening(port_id="icahost-2"), InvalidHostPort),
    ],
)
def test_what_it_does_not_open(chain, given, error):
    with pytest.raises(error):
        chain.app("icahost").on_chan_open_try(chain.ctx, given)
    assert not any(key.startswith(b"owner/") for key in chain.entries("icahost"))


def test_off_it_opens_nothing(chain):
    params(chain, "*", on=False)
    with pytest.raises(HostDisabled):
        chain.app("icahost").on_chan_open_try(chain.ctx, opening())
    chain.channel("icahost", "channel-6", OPEN, far=PORT)
    opened = Opened("icahost", "channel-6", ChannelCounterparty(PORT, "channel-77"), "")
    with pytest.raises(HostDisabled):
        chain.app("icahost").on_chan_open_confirm(chain.ctx, opened)


def test_h164_an_account_that_is_there_already_is_nobody_s(chain):
    key = HERE.encode() + PORT.encode() + APP_HASH
    module = sha256(sha256(b"module").digest() + b"interchainaccounts\0icahost-accounts").digest()
    address = ADDRESSES.encode(sha256(sha256(module).digest() + key).digest())
    chain.accounts.create(chain.ctx, address)
    with pytest.raises(InterchainAccountExists):
        register(chain)
    assert not any(key.startswith(b"owner/") for key in chain.entries("icahost"))


@pytest.mark.parametrize("what", ["gone", "another"])
def test_h164_an_account_of_another_kind_is_not_opened_again(chain, account, what):
    chain.channel("icahost", "channel-6", CLOSED, far=PORT)
    chain.ctx.store("acc").delete(b"\x01" + account.raw)
    if what == "another":
        chain.accounts.create(chain.ctx, account)
    with pytest.raises(InvalidAccountReopening):
        chain.app("icahost").on_chan_open_try(chain.ctx, opening())


def test_a_channel_that_is_not_there_is_a_fault(chain):
    chain.ctx.store("icahost").set(key_of(b"activeChannel/", PORT, HERE), b"channel-6")
    with pytest.raises(LogicFault):
        chain.app("icahost").on_chan_open_try(chain.ctx, opening())


# -- transactions


@pytest.mark.parametrize("first", [True, False])
def test_h160_an_account_executes_nobody_else_s_messages(chain, account, first):
    chain.bank.endow(chain.ctx, BOB, coin("stake", 50))
    chain.ctx.take_events()
    messages = [send(BOB, 5, account), send(account, 5)]
    answer = receive(chain, *(messages if first else reversed(messages)))
    assert refusal(answer) == 2
    assert (balance(chain, account), balance(chain, BOB)) == (100, 50)


def test_h160_another_owner_s_packet_does_not_reach_the_account(chain, account):
    answer = receive(chain, send(account), port_id="icacontroller-far1other")
    assert refusal(answer) == InterchainAccountNotFound.code
    assert balance(chain, account) == 100


def test_h160_of_what_fails_nothing_is_left(chain, account):
    answer = receive(chain, send(account, 5), send(account, 5000))
    assert refusal(answer) == 5
    assert (balance(chain, account), balance(chain, BOB)) == (100, 0)
    assert [kind for kind, _ in chain.ctx.events] == ["ics27_packet"]


@pytest.mark.parametrize(
    ("allowed", "code"),
    [((MSG_SEND,), None), ((), 2), (("*", MSG_SEND), None), (("*", "/x"), 2), (("/x",), 2)],
)
def test_h160_only_what_is_allowed(chain, account, allowed, code):
    params(chain, *allowed)
    answer = receive(chain, send(account))
    assert (None if answer.success else refusal(answer)) == code


def test_off_it_executes_nothing(chain, account):
    params(chain, "*", on=False)
    assert refusal(receive(chain, send(account))) == 2
    [(kind, attributes)] = chain.ctx.events
    assert (kind, [name for name, _ in attributes]) == (
        "ics27_packet",
        ["module", "host_channel_id", "error", "success"],
    )
    assert balance(chain, account) == 100


def broken(message):
    """A message that can be read and does not pass its checks."""
    return AnyMessage(message.type_url, message.value.replace(BOB.text.encode(), b"b" * len(BOB.text)))


def test_signers_come_before_checks_and_checks_in_order(chain, account):
    assert refusal(receive(chain, broken(send(account)))) == 7
    assert refusal(receive(chain, broken(send(account)), send(BOB, 1, account))) == 2
    assert refusal(receive(chain, send(account, 5000), broken(send(account)))) == 5
    assert balance(chain, account) == 100


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (AnyMessage("/no.such.Msg", b""), 12),
        (AnyMessage("cosmos.bank.v1beta1.MsgSend", b""), 12),
        (AnyMessage(MSG_SEND, b"\xff"), 12),
        (AnyMessage("", b""), NoSigners.code),
        (AnyMessage(MSG_SEND, b""), NoSigners.code),
        (AnyMessage(MSG_SEND, b"\x0a\x03bob"), NoSigners.code),
    ],
)
def test_h163_what_is_no_message(chain, account, message, code):
    assert refusal(receive(chain, message)) == code
    assert refusal(receive(chain, send(account), message)) == code
    assert balance(chain, account) == 100


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"", 12),
        (b"[]", 12),
        (b'{"type":"TYPE_EXECUTE_TX","data":"/w==","memo":""}', 12),
        (b'{"type":"TYPE_UNSPECIFIED"}', 2),
        (b'{"type":9,"data":"/w=="}', 2),
    ],
)
def test_h163_what_is_no_transaction(chain, account, raw, code):
    assert account
    assert refusal(receive_raw(chain, raw)) == code


def test_h163_an_encoding_that_there_is_not(chain, account):
    assert account
    assert refusal(receive_raw(chain, b'{"type":1,"data":"/w=="}', encoding="yaml")) == 18


def test_gas_that_runs_out_is_no_answer(chain, account):
    chain.ctx.gas.reset(10_000)
    with pytest.raises(OutOfGas):
        receive(chain, *[send(account, 1) for _ in range(20)])


@pytest.mark.parametrize("error", [LogicFault("broken"), ApplicationFault("a route")])
@pytest.mark.parametrize("step", ["decode", "signers", "deliver"])
def test_a_fault_is_no_answer(chain, account, step, error, monkeypatch):
    """Whether reading, asking for signers or executing has it: the packet can be received again."""

    def fails(*_):
        raise error

    before = chain.entries("bank")
    monkeypatch.setattr(Executor, step, fails)
    with pytest.raises(type(error)):
        receive(chain, send(account))
    assert chain.entries("bank") == before


# -- messages


def test_the_authority_alone_sets_the_parameters(chain):
    route = chain.routes[MsgUpdateHostParams.TYPE_URL]
    with pytest.raises(UnauthorizedTx):
        route.deliver(chain.ctx, MsgUpdateHostParams(False, (), OWNER))
    assert chain.entries("icahost")[b"params"] == encode_host_params(HostParams())
    route.deliver(chain.ctx, MsgUpdateHostParams(False, ("/x",), AUTHORITY))
    assert chain.entries("icahost")[b"params"] == b"\x12\x02/x"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/ibc.core.client.v1.Query/ClientStates", "not module query safe"),
        ("/cosmos.staking.v1beta1.Query/Pool", "no route to query"),
        ("", "not module query safe"),
    ],
)
def test_queries_that_no_account_asks(chain, account, path, said):
    message = MsgModuleQuerySafe(account.text, (QueryRequest(path, b""),))
    with pytest.raises(InvalidRequest, match=said):
        chain.routes[message.TYPE_URL].deliver(chain.ctx, message)


def test_h246_queries_end_where_their_responses_are_too_large(chain, account):
    path, asked = "/cosmos.bank.v1beta1.Query/TotalSupply", []
    answers = dict(chain.pipeline.executor._queries)
    answers[path] = lambda _ctx, _request: asked.append(1) or bytes(400_000)
    chain.pipeline.executor.bind_queries(answers)
    message = MsgModuleQuerySafe(account.text, (QueryRequest(path, b""),) * 9)
    with pytest.raises(TooLarge, match="responses: size 1200000 exceeds 1048576"):
        chain.routes[message.TYPE_URL].deliver(chain.ctx, message)
    assert len(asked) == 3


def test_h162_an_account_s_messages_nest_as_deep_as_any(chain, account):
    """A message that executes itself comes to an end, with an error acknowledgement."""
    depth = []
    route = chain.pipeline.executor._routes[MSG_SEND]

    def again(ctx, _message):
        depth.append(len(depth))
        answer = receive(chain, send(account))
        assert not answer.success
        raise InvalidRequest("the inner one failed")

    chain.pipeline.executor._routes[MSG_SEND] = route._replace(deliver=again)
    assert refusal(receive(chain, send(account))) == 8
    assert len(depth) == 32


def test_h160_responses_that_no_acknowledgement_holds_are_an_error(chain, account):
    route = chain.pipeline.executor._routes[MSG_SEND]
    chain.pipeline.executor._routes[MSG_SEND] = route._replace(
        deliver=lambda ctx, message: route.deliver(ctx, message) or b"x" * 200_000
    )
    answer = receive(chain, send(account))
    assert refusal(answer) == TooLarge.code
    assert balance(chain, account) == 100


def created(account, left_out=(), chain_id="gaia-1"):
    states = {
        "client_state": ClientState(chain_id, DEFAULT_TRUST_LEVEL, 14 * DAY, 21 * DAY, 10**10, Height(1, 7)),
        "consensus_state": ConsensusState(10**18, b"r" * 32, b"v" * 32),
    }
    message = PbMsgCreateClient(signer=account.text)
    for name, pack in (("client_state", pack_client_state), ("consensus_state", pack_consensus_state)):
        if name not in left_out:
            getattr(message, name).ParseFromString(pack(states[name]))
    return message


def packed(message):
    return AnyMessage(f"/{message.DESCRIPTOR.full_name}", message.SerializeToString())


@pytest.mark.parametrize(
    ("left_out", "chain_id"),
    [
        (("client_state",), "gaia-1"),
        (("consensus_state",), "gaia-1"),
        (("client_state", "consensus_state"), "gaia-1"),
        ((), f"gaia-{2**64}"),
    ],
)
def test_an_executed_message_at_which_ibc_go_panics_is_no_answer(chain, account, left_out, chain_id):
    """The transaction fails, and the packet can be received again."""
    before = chain.entries("ibc"), chain.entries("bank")
    with pytest.raises(LogicFault, match="ibc-go panics"):
        receive(chain, send(account), packed(created(account, left_out, chain_id)))
    assert (chain.entries("ibc"), chain.entries("bank")) == before


def test_a_solo_machine_without_its_consensus_state_is_no_answer(chain, account):
    """ibc-go panics when it reads the message."""
    message = created(account)
    message.client_state.type_url = "/ibc.lightclients.solomachine.v3.ClientState"
    message.client_state.value = b"\x08\x01"
    with pytest.raises(LogicFault, match="ibc-go panics"):
        receive(chain, packed(message))


@pytest.mark.parametrize("name", ["client_state", "consensus_state"])
def test_a_state_that_is_given_and_empty_is_an_error(chain, account, name):
    """Other than one that is left out: ibc-go finds nothing in it, and says so."""
    message = created(account, (name,))
    getattr(message, name).SetInParent()
    assert refusal(receive(chain, packed(message))) == UnpackAny.code
    assert receive(chain, packed(created(account))).success


def test_an_executed_packet_from_a_port_without_an_application_is_no_answer(chain, account):
    """Over IBC v2, where ibc-go's router panics."""
    assert receive(chain, packed(created(account))).success
    register = MsgRegisterCounterparty("07-tendermint-0", (b"ibc", b""), "07-tendermint-5", account.text)
    assert receive(chain, pack_msg(register)).success
    payload = Payload("nowhere", "nowhere", "1", "json", b"x")
    message = MsgSendPacket("07-tendermint-0", 10**9 + 60, (payload,), account.text)
    with pytest.raises(LogicFault, match="ibc-go panics"):
        receive(chain, pack_msg(message))


def multi(*inputs, amount="5"):
    message = PbMsgMultiSend()
    for sender in inputs:
        message.inputs.add(address=sender).coins.add(denom="stake", amount=amount)
    message.outputs.add(address=BOB.text).coins.add(denom="stake", amount=amount)
    return AnyMessage(MSG_MULTI_SEND, message.SerializeToString())


def test_every_input_of_a_multi_send_signs(chain, account):
    assert refusal(receive(chain, multi(BOB.text))) == 2
    assert refusal(receive(chain, multi(account.text, BOB.text))) == 2
    assert refusal(receive(chain, multi("nobody"))) == NoSigners.code
    assert refusal(receive(chain, multi())) == NoInputs.code  # nobody need sign, and the bank refuses it
    assert refusal(receive(chain, multi(account.text, amount="five"))) == 12
    assert receive(chain, multi(account.text)).success
    assert balance(chain, account) == 95
